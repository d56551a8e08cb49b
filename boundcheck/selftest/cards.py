"""Every number of every card, made stronger: by ten times what the evidence leaves it to spare.

A number may be changed by a factor up or down. Either way counts in which some trial comes closer
to refuting the claim. The slack is the factor up to which no trial refutes it; the mutant has ten
times that. Where no factor up to a million is refuted, the mutant has that one, and is still true
only if every trial that agreed with the card agrees with the mutant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import sympy

from boundcheck.claim import Claim
from boundcheck.selftest.evidence import REFERENCE, Evidence
from boundcheck.selftest.numbers import Place, places
from boundcheck.selftest.outcome import Outcome, Result

TEN = 8  # steps to a factor of ten
MOST, MOST_OF_EXPONENTS = 6 * TEN, 7  # steps; the latter for an exponent that grows
RUNGS = (4, 16)  # looked at before the last step: further change may make a claim weaker again


@cache
def factor(steps: int) -> sympy.Rational:
    return sympy.Rational(f"{10 ** (steps / TEN):.3g}")


@dataclass(frozen=True)
class Change:
    """One number of a card, made larger or smaller step by step."""

    card: Claim
    place: Place
    up: bool

    @property
    def most(self) -> int:
        return MOST_OF_EXPONENTS if self.up and self.place.exponent else MOST

    def value(self, steps: int) -> sympy.Rational:
        number = self.place.number
        return number * factor(steps) if self.up else number / factor(steps)

    def mutant(self, steps: int) -> Claim:
        return self.place.with_number(self.card, self.value(steps))

    @property
    def idle(self) -> bool:
        """Nothing depends on this number: 1 to any power is 1."""
        return self.mutant(1) == self.place.with_number(self.card, self.place.number)

    def outcome(self, steps: int, result: Result, by: str, slack: int | None) -> Outcome:
        return Outcome(
            "card",
            self.place.words(self.value(steps)),
            result,
            (by,),
            self.card.id,
            self.place.label if self.place.factor else None,
            None if slack is None else float(factor(slack)),
        )


def mutants(card: Claim, evidence: Evidence) -> Iterator[Outcome]:
    """For each number, each way to change it that makes the claim stronger."""
    for place in places(card):
        ways = [way for up in (False, True) if not (way := Change(card, place, up)).idle]
        stronger = [way for way in ways if evidence.stronger(way.mutant(1))]
        found = stronger or [way for way in ways if evidence.searched(way.mutant(way.most))]
        yield from (_outcome(way, evidence) for way in found or ways[:1])


def _outcome(change: Change, evidence: Evidence) -> Outcome:
    between = _refuted_between(change, evidence)
    if between is None and evidence.searched(change.mutant(change.most)):
        between = _refuted_between(change, evidence)
    if between is None:
        return _unrefuted(change, evidence)
    low, high = between
    while high - low > 1:
        middle = (low + high) // 2
        refuted = evidence.against(change.mutant(middle)) is not None
        low, high = (low, middle) if refuted else (middle, high)
    for steps in (min(low + TEN, change.most), high):  # further on it may be weaker again
        caught = evidence.against(change.mutant(steps))
        if caught is not None:
            return change.outcome(steps, Result.CAUGHT, caught.words, low)
    raise AssertionError("what was refuted once is refuted again")


def _refuted_between(change: Change, evidence: Evidence) -> tuple[int, int] | None:
    """A number of steps at which nothing refutes, and a larger one at which something does."""
    low = 0
    for steps in (*(rung for rung in RUNGS if rung < change.most), change.most):
        if evidence.against(change.mutant(steps)) is not None:
            return low, steps
        low = steps
    return None


def _unrefuted(change: Change, evidence: Evidence) -> Outcome:
    mutant = change.mutant(change.most)
    seen = evidence.narrowest(mutant)
    if seen is not None:
        trial, now = seen
        by = f"{trial.words}: {now.actual}, claimed {now.claimed}"
        return change.outcome(change.most, Result.TRUE, by, change.most)
    if evidence.misprinted(mutant):
        return change.outcome(change.most, Result.CAUGHT, REFERENCE, None)
    return change.outcome(change.most, Result.UNDECIDED, "no evidence decides it", None)
