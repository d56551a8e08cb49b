"""Cross-validation runs small enough for tests; what is simulated is shared between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from boundcheck import crossvalidate
from boundcheck.calculator import Bound
from boundcheck.claims import find
from boundcheck.crossvalidate import Check, Run
from boundcheck.evidence import Budget, Finding
from boundcheck.lab import Effort
from simulation.instance import Instance
from simulation.rewards import Gaussian

TINY = Effort("tiny", trials=2_000, runs=40, horizon=2_000)
TEXTBOOK = Instance.load("textbook")
PAPER = Instance.load("paper")
# satisfies everything 4.3 assumes, and its published constant is 1.6 times the exact one
ABOVE_EXACT = Instance(["3.8", "0.8", "0.6"], [2, 1, 1], 2, Gaussian("0.01"), "above-exact")

_SIMULATED: dict[Instance, dict[tuple[Any, ...], Any]] = {}


def small_run(instance: Instance, effort: Effort = TINY) -> Run:
    """A fresh budget over simulated runs that earlier tests may have made."""
    shared = _SIMULATED.setdefault(instance, {})
    return Run(instance, effort, Budget(1e-6), _simulated=shared)


def found(check: Check, claim: str, run: Run) -> list[Finding]:
    return list(check(find(claim), run))


def scaled_bounds(monkeypatch: Any, factor: float) -> None:
    """Plants a mistake: every bound of the catalogue is multiplied by `factor`."""
    true_bounds = crossvalidate.bounds

    def wrong(*arguments: Any) -> list[Bound]:
        return [_scaled(bound, factor) for bound in true_bounds(*arguments)]

    monkeypatch.setattr(crossvalidate, "bounds", wrong)


def _scaled(bound: Bound, factor: float) -> Bound:
    if bound.value is None or bound.upper is None or bound.ball is None:
        return bound
    return replace(
        bound,
        value=str(float(bound.value) * factor),
        upper=str(float(bound.upper) * factor),
        ball=bound.ball * factor,
        vacuous=False,
    )
