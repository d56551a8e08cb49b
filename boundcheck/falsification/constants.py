"""Constants that depend on the instance alone, set beside each other by enclosures.

- Theorem 4.3, a lower bound, beside the exact constant C of `sharp-4.3`: false where it exceeds C.
  Two causes: the term of arm L, which C does not have; the terms of the filled arms, if too large.
- Remark 8.1: false where the coefficient of OrchExplore exceeds one of the other two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np
from flint import arb

from boundcheck.claim import Quantity
from boundcheck.claims import find
from boundcheck.evaluate import FLOATS
from boundcheck.falsification.outcome import Falsification
from boundcheck.falsification.registry import Task, searches
from boundcheck.question import Question
from boundcheck.search.hunt import hunt, simplest
from boundcheck.search.simpler import simpler_instances
from boundcheck.setting import Setting, exact_setting
from boundcheck.strategies import instances
from boundcheck.values import certified_rows, term_values
from simulation.instance import Instance

QUESTION = Question(digits=20)
_FAR = -30.0  # the score of an example whose assumptions fail


@dataclass(frozen=True)
class Conflict:
    """Two numbers of an instance of which the claim says that the first is at most the second."""

    lesser: Quantity
    greater: Quantity

    def score(self, setting: Setting) -> float:
        """log(lesser/greater): above 0 in a counterexample."""
        with np.errstate(all="ignore"):  # a mean of 0 makes some bounds infinite
            first, second = (
                sum(float(term_values(term, setting, FLOATS).item()) for term in quantity.terms)
                for quantity in (self.lesser, self.greater)
            )
        if not (0 < first < inf and 0 <= second < inf):
            return _FAR
        return log(first / second) if second > 0 else -_FAR

    def enclosed(self, setting: Setting) -> tuple[arb, arb]:
        (_, first), (_, second) = (
            certified_rows(quantity, setting, None, QUESTION.digits)[0]
            for quantity in (self.lesser, self.greater)
        )
        return first, second

    def certain(self, setting: Setting) -> bool:
        first, second = self.enclosed(setting)
        return bool(first > second)


@dataclass(frozen=True)
class Cause:
    """Why two numbers are in conflict: because of a part of them, or in spite of that part."""

    words: str
    part: Conflict | None = None
    guilty: bool = True

    def applies(self, setting: Setting) -> bool:
        return self.part is None or self.part.certain(setting) == self.guilty


def _quantity(claim: str, place: int = 0) -> Quantity:
    return find(claim).quantities[place]


@searches("thm-4.3", drops=None)
def regret_lower_bound(task: Task) -> Iterator[Falsification]:
    published, exact = _quantity("thm-4.3"), _quantity("sharp-4.3")
    filled = Conflict(
        *(replace(quantity, terms=quantity.terms[1:2]) for quantity in (published, exact))
    )
    last = "last arm: its term should not be there, as its capacity shows under a* itself"
    too_large = (
        "filled arms: their terms (mu_k - mu_L) sigma^2 m_k^2/mu_k^2 exceed the exact mu_L/D_k"
    )
    whole = Conflict(published, exact)
    yield _searched(task, whole, Cause(last, filled, guilty=False), whole)
    yield _searched(task, whole, Cause(too_large, filled), filled)


@searches("rem-8.1", drops=None)
def tighter_bound(task: Task) -> Iterator[Falsification]:
    for place, other in ((1, "MP-SE-SA"), (2, "ETC-UCB")):
        words = f"the coefficient of OrchExplore's bound exceeds that of {other}"
        conflict = Conflict(_quantity("rem-8.1"), _quantity("rem-8.1", place))
        yield _searched(task, conflict, Cause(words), conflict)


def _searched(task: Task, conflict: Conflict, cause: Cause, climb: Conflict) -> Falsification:
    """Look for the conflict with this cause, climbing where `climb` comes closest."""

    def score(instance: Instance) -> float:
        setting = exact_setting(instance, QUESTION)
        value = climb.score(setting)
        return value if task.admits(instance, QUESTION, setting) else _FAR + min(value, 0)

    def fails(instance: Instance) -> bool:
        setting = exact_setting(instance, QUESTION)
        admitted = task.admits(instance, QUESTION, setting)
        return admitted and conflict.certain(setting) and cause.applies(setting)

    strategy = instances(smallest=3, largest=5, laws=("gaussian",), distinct=True)
    hunted = hunt(strategy, score, fails, task.budget)
    if hunted.example is None:
        return task.nothing(hunted.examples, f"not found: {cause.words}")
    instance = simplest(hunted.example, simpler_instances, fails, task.budget)
    numbers = conflict.enclosed(exact_setting(instance, QUESTION))
    return task.counterexample(hunted.examples, cause.words, *numbers, instance=instance)
