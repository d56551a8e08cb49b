"""Lemma J.1: the interval with Hoeffding's width, at one time, for s < mu.

The union bound of its proof gives 2 delta; the statement itself is decided here. Printed, there is
no interval if muhat <= s, and that counts as a failure.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Enclosure, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.coverage import AT_ANY_TIME, MISSES
from boundcheck.theories.shareable_arms.interval.failure import ExplorationCounts, capacity_missed


def missed_or_none(card: Claim, case: ExplorationCounts, context: RunContext) -> Measured | None:
    """P(muhat <= s, or m outside)."""

    def by_tails(explored: Explored, s: arb) -> Enclosure:
        low, high = explored.missed(s, signal=True)
        none = explored.tail(-1, 0, ball(case.mean) - s)
        return (low + none).lower(), (high + none).upper()

    return case.chance(
        card, lambda lattice: 1 - lattice.signal() + lattice.missed(signal=True), by_tails
    )


def wide(card: Claim, case: ExplorationCounts, context: RunContext) -> str | None:
    """The lemma is only about s < mu."""
    return None if case.width(card) < ball(case.mean) else "s is nowhere below the mean"


HOEFFDING = replace(
    AT_ANY_TIME,
    text="P(m outside the interval) <= delta at one time, if its upper end is infinite for "
    "muhat <= s",
    actual=(Measurement("one look", partial(capacity_missed, signal=False)),),
    cases=failure.single_looks,
    uninformative=wide,
    explanations={Verdict.REFUTED: MISSES},
)

HOEFFDING_PRINTED = replace(
    HOEFFDING,
    role=Role.PRINTED,
    text="P(muhat <= s, or m outside the interval) <= delta at one time",
    actual=(Measurement("one look", missed_or_none),),
    strategy=failure.few_successes,
)

STATEMENTS = {"lem-J.1": (HOEFFDING, HOEFFDING_PRINTED)}
