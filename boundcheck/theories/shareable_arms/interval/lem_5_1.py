"""Lemma 5.1, and sharp-5.1: the uniform confidence interval for a capacity; lemma J.1.

Printed, 5.1 is a probability given muhat > s. Given that, the interval misses m whenever
nuhat <= 0, and nuhat is independent of muhat: united explorations without success fail, however
rare the condition.

J.1 is the interval with Hoeffding's width, at one time, where s < mu. The union bound of its proof
gives 2 delta; the statement is decided here by itself. Printed, there is no interval where
muhat <= s, and that counts as a failure.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Enclosure, Explored
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Measured
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.failure import ExplorationCounts, missed
from boundcheck.theories.shareable_arms.one_arm import confidence_of
from simulation.world.laws import Gaussian

_MISSES = "the interval misses with probability {actual}, above delta = {claimed}"


def missed_given_signal(
    card: Claim, case: ExplorationCounts, context: RunContext
) -> Measured | None:
    """P(m outside | muhat > s) at one look; for normal rewards, what it is at least."""

    def by_tails(explored: Explored, s: arb) -> Enclosure | None:
        if not isinstance(case.law, Gaussian):
            return None
        return explored.tail(0, -1, ball(case.mean)).lower(), arb(1)

    return case.chance(
        card,
        lambda lattice: (
            lattice.missed(signal=True) / signal if (signal := lattice.signal()) else None
        ),
        by_tails,
    )


def no_signal(card: Claim, case: ExplorationCounts, context: RunContext) -> str | None:
    lattice = case.lattice(card)
    silent = lattice is not None and not lattice.signal()
    return "the condition muhat > s has probability 0" if silent else None


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
    """J.1 speaks only of s < mu."""
    return None if case.width(card) < ball(case.mean) else "s is nowhere below the mean"


INTENDED = Statement(
    role=Role.INTENDED,
    text="P(there is a time with muhat > s and m outside the interval) <= delta",
    actual=(Measurement("one look", missed), Measurement("paths", failure.misses, sampled=True)),
    claimed=confidence_of,
    cases=failure.all_looks,
    strategy=failure.drawn,
    inapplicable_reason=failure.NO_ARM,
    explanations={
        Verdict.REFUTED: _MISSES,
        Verdict.UNDECIDED: "the share of paths on which the interval misses m is {actual}, "
        "delta = {claimed}",
    },
)
PRINTED = Statement(
    role=Role.PRINTED,
    text="P(m outside the interval | muhat > s) <= delta, at one time",
    actual=(Measurement("exact", missed_given_signal),),
    claimed=confidence_of,
    cases=failure.few_looks,
    strategy=failure.few_successes,
    uninformative=no_signal,
    inapplicable_reason=failure.NO_ARM,
    explanations={
        Verdict.REFUTED: "given muhat > s, the interval misses m with probability {actual}, above "
        "delta = {claimed}: it does whenever the united explorations earn nothing in all",
        Verdict.UNDECIDED: failure.NOT_SUMMED,
    },
)
HOEFFDING = replace(
    INTENDED,
    text="P(m outside the interval) <= delta at one time, if its upper end is infinite for "
    "muhat <= s",
    actual=(Measurement("one look", partial(missed, signal=False)),),
    cases=failure.single_looks,
    uninformative=wide,
    explanations={Verdict.REFUTED: _MISSES},
)
HOEFFDING_PRINTED = replace(
    HOEFFDING,
    role=Role.PRINTED,
    text="P(muhat <= s, or m outside the interval) <= delta at one time",
    actual=(Measurement("one look", missed_or_none),),
    strategy=failure.few_successes,
)
STATEMENTS = {
    "lem-5.1": (INTENDED, PRINTED),
    "sharp-5.1": (INTENDED,),
    "lem-J.1": (HOEFFDING, HOEFFDING_PRINTED),
}
