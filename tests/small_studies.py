"""A study of a few seconds: the numbers mean little, the report on it is whole."""

from __future__ import annotations

from typing import Any

import pytest
from paper import study

from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.pages.study import Study
from simulation.world.instance import Instance

TINY = Effort("tiny", trials=400, runs=4, horizon=300)


def tiny_study(instance: Instance | None = None, **how: Any) -> Study:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EFFORTS, "tiny", TINY)
        return study(instance or Instance.load("textbook"), "tiny", seed=3, jobs=1, **how)
