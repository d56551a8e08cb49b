"""What is installed: every file it needs, one version, a description that reads anywhere."""

from __future__ import annotations

import re
import runpy
import tomllib
from fnmatch import fnmatch
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import setuptools

import boundcheck

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("package", ["boundcheck", "simulation"])
def test_every_file_that_is_no_code_is_shipped(package):
    patterns = PROJECT["tool"]["setuptools"]["package-data"][package]
    for file in (ROOT / package).rglob("*"):
        name = file.relative_to(ROOT / package).as_posix()
        if file.is_file() and "__pycache__" not in name and file.suffix != ".py":
            assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_the_documentation_is_part_of_the_package():
    docs = resources.files("boundcheck") / "docs"
    for file in (ROOT / "docs").rglob("*.*"):
        assert (
            docs.joinpath(*file.relative_to(ROOT / "docs").parts).read_bytes() == file.read_bytes()
        )
    assert (docs / "schema.json").is_file()
    packed = PROJECT["tool"]["setuptools"]["package-data"]["boundcheck"]
    assert {"docs/*", "docs/figures/*", "docs/theorems/*"} <= set(packed)


def test_the_version_stands_in_one_place():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "boundcheck.__version__"
    for name in ("pyproject.toml", "README.md", "CITATION.cff", "setup.py"):
        assert boundcheck.__version__ not in (ROOT / name).read_text(), name


def test_the_newest_release_in_the_changelog_is_dated_and_this_one():
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    releases = [heading for heading in headings if heading != "Unreleased"]
    dated = [re.fullmatch(r"([0-9.]+) \(\d{4}-\d\d-\d\d\)", release) for release in releases]
    assert all(dated)
    assert dated[0][1] == boundcheck.__version__


def test_the_description_reads_outside_the_repository(monkeypatch):
    told: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", told.update)
    runpy.run_path(str(ROOT / "setup.py"))
    description = told["long_description"]
    targets = re.findall(r"\]\(([^)]*)\)", description)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert "the audit of the paper" in description
    assert not re.search(r"^!", description, re.MULTILINE), "a figure that is not there"


def test_links_of_the_readme_and_for_contributors_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text()
        targets = re.findall(r"\]\((?!https?:)([^)#]*)\)", text)
        targets += re.findall(r"\b(?:tests|docs|simulation|boundcheck)/\w[\w./-]*\w", text)
        missing = [target for target in targets if not (ROOT / target).exists()]
        assert not missing, name
