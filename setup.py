"""The description of the package: the README, whose links and figures lead nowhere outside."""

import re
from pathlib import Path

from setuptools import setup

README = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
FIGURE = re.compile(r"^!\[[^]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
LINK = re.compile(r"\[([^]]*)\]\((?!https?:)[^)]*\)")

setup(
    long_description=LINK.sub(r"\1", FIGURE.sub("", README)),
    long_description_content_type="text/markdown",
)
