"""The constants of lower bounds on regret, compared with the Graves-Lai program.

The value of the linear program over all actions and alternatives is enclosed by weak duality.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Number
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms.exact.graves_lai import Unsolved, graves_lai
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance

EQUAL = 1e-9  # numbers with a smaller relative difference count as equal
FOUND = "the Graves-Lai program gives {actual}, the formula {claimed}"


def constant(card: Claim, case: InstanceCase) -> Number:
    return case.number(card, derive)


def sharp(question: Question) -> Question:
    return replace(question, digits=20)


def whole(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[InstanceCase]:
    yield InstanceCase(instance, sharp(question))


@dataclass(frozen=True)
class Reduced(InstanceCase):
    """An instance, possibly without the arms with the smallest means."""

    left_out: int = 0

    def parameters(self) -> dict[str, Any]:
        return {"arms_left_out": self.left_out} if self.left_out else {}


def program(card: Claim, case: Reduced, context: RunContext) -> Measured | None:
    """Least regret per log T over all actions and alternatives, enclosed."""
    try:
        found = graves_lai(case.instance)
    except Unsolved:  # floats cannot solve it
        return None
    if found is None:
        return None
    return Enclosed(ball(found.low), ball(found.high), digits=15, tolerance=EQUAL)
