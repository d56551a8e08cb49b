"""Lemma 5.1: the uniform confidence interval for a capacity.

Printed, it is a probability conditional on muhat > s. Given that, the interval misses m whenever
nuhat <= 0, and nuhat is independent of muhat: united explorations without a success make it fail,
however rare the condition.
"""

from __future__ import annotations

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Enclosure, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.coverage import AT_ANY_TIME
from boundcheck.theories.shareable_arms.interval.failure import ExplorationCounts
from boundcheck.theories.shareable_arms.one_arm import confidence_of
from simulation.rewards.laws import Gaussian


def missed_given_signal(
    card: Claim, case: ExplorationCounts, context: RunContext
) -> Measured | None:
    """P(m outside | muhat > s) at one look; for normal rewards, a lower bound on it."""

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

STATEMENTS = {"lem-5.1": (AT_ANY_TIME, PRINTED)}
