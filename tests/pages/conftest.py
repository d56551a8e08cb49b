"""Shared by the tests of pages: a small study, and its report."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_studies import tiny_study

from boundcheck.pages import instance
from boundcheck.pages.study import Study


@pytest.fixture(scope="module")
def tiny() -> Study:
    return tiny_study()


@pytest.fixture(scope="module")
def written(tiny: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its report, markdown and page."""
    folder = tmp_path_factory.mktemp("report")
    instance.write_study(tiny, folder, "html")
    return folder
