"""Mutants of every number on every card: each number changed so that the claim is stronger.

A number can be changed by a factor up or down; a direction counts if it brings some trial closer to
refuting the claim. The slack is the factor up to which no trial refutes it; the mutant uses ten
times that. If no factor up to a million is refuted, the mutant uses a million, and is "still true"
only if every trial that agreed with the card agrees with it. A number that affects no trial in
either direction is changed in the direction that changes a reference value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import sympy

from boundcheck.claims.card import Claim
from boundcheck.selftest.evidence import REFERENCE, Evidence
from boundcheck.selftest.numbers import Place, places
from boundcheck.selftest.outcome import Outcome, Result

TEN = 8  # steps for each factor of ten
MOST, MOST_OF_EXPONENTS = 6 * TEN, 7  # limits in steps; the latter for exponents that grow
RUNGS = (4, 16)  # tried before the last step: beyond some change a claim may become weaker again


@cache
def _factor(steps: int) -> sympy.Rational:
    return sympy.Rational(f"{10 ** (steps / TEN):.3g}")


@dataclass(frozen=True)
class _Change:
    """One number of a card, increased or decreased step by step."""

    card: Claim
    place: Place
    up: bool

    @property
    def most(self) -> int:
        return MOST_OF_EXPONENTS if self.up and self.place.exponent else MOST

    def value(self, steps: int) -> sympy.Rational:
        number = self.place.number
        return number * _factor(steps) if self.up else number / _factor(steps)

    @lru_cache(maxsize=64)  # noqa: B019 -- SymPy builds it again each time; few are kept
    def mutant(self, steps: int) -> Claim:
        return self.place.with_number(self.card, self.value(steps))

    @property
    def idle(self) -> bool:
        return self.place.idle(self.card, self.value(1))

    def outcome(self, steps: int, result: Result, by: str, slack: int | None) -> Outcome:
        return Outcome(
            "card",
            self.place.words(self.value(steps)),
            result,
            (by,),
            self.card.id,
            self.place.label if self.place.factor else None,
            None if slack is None else float(_factor(slack)),
        )


def mutants(card: Claim, evidence: Evidence) -> Iterator[Outcome]:
    """For each number, each direction of change that makes the claim stronger."""
    for place in places(card):
        ways = [way for up in (False, True) if not (way := _Change(card, place, up)).idle]
        stronger = [way for way in ways if evidence.stronger(way.mutant(1))]
        found = stronger or [way for way in ways if evidence.searched(way.mutant(way.most))]
        if not found:  # no trial changes: the direction that changes a reference value, if any
            felt = [way for way in ways if evidence.misprinted(way.mutant(way.most))]
            found = (felt or ways)[:1]
        yield from (_outcome(way, evidence) for way in found)


def _outcome(change: _Change, evidence: Evidence) -> Outcome:
    low = _slack(change, evidence)
    if low is None and evidence.searched(change.mutant(change.most)):
        low = _slack(change, evidence)
    if low is None:
        return _unrefuted(change, evidence)
    for steps in (min(low + TEN, change.most), low + 1):  # a larger change may be weaker again
        caught = evidence.against(change.mutant(steps))
        if caught is not None:
            return change.outcome(steps, Result.CAUGHT, caught.words, low)
    raise AssertionError("what was refuted once is refuted again")


def _slack(change: _Change, evidence: Evidence) -> int | None:
    """The last step at which nothing refutes although the next one is refuted; None: nothing
    refutes.

    Each trial that refutes is followed down to its threshold, and only the result is tested against
    all others. A threshold is below the step it was found at, so this ends.
    """
    steps = _refuted_at(change, evidence)
    while steps is not None:
        trial = evidence.against(change.mutant(steps))
        assert trial is not None
        low = _threshold(partial(_refuted_by, trial, change, evidence), steps)
        if low == 0 or evidence.against(change.mutant(low)) is None:
            return low
        steps = low
    return None


def _refuted_by(trial: Any, change: _Change, evidence: Evidence, steps: int) -> bool:
    return evidence.refutes(trial, change.mutant(steps))


def _threshold(refuted: Callable[[int], bool], high: int) -> int:
    """A step below `high` that is not refuted although the next one is: `high` is refuted, step 0,
    the card itself, is not.
    """
    low = 0
    for rung in (rung for rung in RUNGS if rung < high):
        if refuted(rung):
            high = rung
            break
        low = rung
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refuted(middle) else (middle, high)
    return low


def _refuted_at(change: _Change, evidence: Evidence) -> int | None:
    """The last step if that is refuted; otherwise an earlier one, tried where trials came closer
    there.
    """
    last = change.mutant(change.most)
    if evidence.against(last) is not None:
        return change.most
    turned = [t for t in evidence.trials if evidence.now(t, last).excess < t.before.excess]
    for rung in RUNGS if turned else ():
        if rung < change.most and evidence.against(change.mutant(rung), turned) is not None:
            return rung
    return None


def _unrefuted(change: _Change, evidence: Evidence) -> Outcome:
    mutant = change.mutant(change.most)
    seen = evidence.narrowest(mutant)
    if seen is not None:
        trial, now = seen
        by = f"{trial.words}: {now.actual}, claimed {now.claimed}"
        return change.outcome(change.most, Result.TRUE, by, change.most)
    if evidence.misprinted(mutant):
        return change.outcome(change.most, Result.CAUGHT, REFERENCE, None)
    return change.outcome(change.most, Result.UNDECIDED, "no evidence decides it", None)
