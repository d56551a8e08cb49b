"""Shared by all tests: reproducible hypothesis runs and the reference vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("suite")

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def lower_vectors() -> dict:
    return json.loads((DATA / "lower.json").read_text())


@pytest.fixture(scope="session")
def upper_vectors() -> dict:
    return json.loads((DATA / "upper.json").read_text())
