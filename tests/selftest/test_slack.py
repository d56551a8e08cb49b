"""How far a number of a card can be changed before a trial refutes it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from boundcheck.selftest.cards import MOST, _slack


class Thresholds:
    """Evidence whose trials are numbers: each refutes changes of that many steps or more."""

    def __init__(self, *trials: int) -> None:
        self.trials = trials

    def refutes(self, trial: int, steps: int) -> bool:
        return steps >= trial

    def against(self, steps: int, trials: Any = None) -> int | None:
        return next((t for t in trials or self.trials if self.refutes(t, steps)), None)

    def now(self, trial: int, steps: int) -> Any:
        return SimpleNamespace(excess=0)


@pytest.mark.parametrize("trials", [(1,), (5, 2), (40, 17, 3), (3, 17, 40), (MOST,), (16, 4)])
def test_the_slack_is_one_step_before_the_first_refutation(trials: tuple[int, ...]) -> None:
    change: Any = SimpleNamespace(mutant=lambda steps: steps, most=MOST)
    evidence: Any = Thresholds(*trials)
    assert _slack(change, evidence) == min(trials) - 1


def test_without_a_refutation_there_is_no_slack() -> None:
    change: Any = SimpleNamespace(mutant=lambda steps: steps, most=MOST)
    evidence: Any = Thresholds()
    assert _slack(change, evidence) is None
