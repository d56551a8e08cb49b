"""The documentation as a site: `python website/build.py FOLDER` writes it there.

A link that leads nowhere, and any other warning, is an error.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sources import gather
from sphinx.cmd.build import main

HERE = Path(__file__).parent


def make(pages: str, target: str) -> int:
    """The site of a folder of pages."""
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--jobs", "auto"]
    with TemporaryDirectory() as read:
        return main([*options, "-c", str(HERE), "-d", read, pages, target])


if __name__ == "__main__":
    (target,) = sys.argv[1:]
    with TemporaryDirectory() as pages:
        gather(Path(pages))
        sys.exit(make(pages, target))
