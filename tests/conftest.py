"""Shared by all tests: reproducible hypothesis runs and the reference vectors."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from boundcheck.search.hunt import same_examples

settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("suite")
gc.set_threshold(100_000, 50, 100)  # the garbage of a worker fits into memory, looking for it costs


@pytest.fixture(scope="session", autouse=True)
def _examples_do_not_depend_on_the_order_of_tests() -> Iterator[None]:
    with same_examples():
        yield


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Dask is an extra: without it, tests that start a cluster are left out."""
    if find_spec("distributed") is not None:
        return
    dask = {
        x
        for x in items
        if x.get_closest_marker("cluster") or "cluster" in getattr(x, "fixturenames", ())
    }
    config.hook.pytest_deselected(items=[item for item in items if item in dask])
    items[:] = [item for item in items if item not in dask]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command: exit code, standard output, standard error."""
    from boundcheck.cli import main

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return call


DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def lower_vectors() -> dict:
    return json.loads((DATA / "lower.json").read_text())


@pytest.fixture(scope="session")
def upper_vectors() -> dict:
    return json.loads((DATA / "upper.json").read_text())


def pytest_collection_finish() -> None:
    """What was imported stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()
