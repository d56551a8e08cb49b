"""Lemma 5.1, and sharp-5.1: the uniform confidence interval for a capacity.

Printed, it is a probability given muhat > s. Given that, the interval misses m whenever nuhat <= 0,
and nuhat is independent of muhat: united explorations without success fail, however rare the
condition.
"""

from __future__ import annotations

from flint import arb

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Exact, Measured
from boundcheck.numbers.balls import ball
from boundcheck.shareable_arms.interval.failure import (
    Looks,
    delta_of,
    drawn,
    few_looks,
    few_successes,
    missed,
    misses,
    on_instance,
    where_decided,
)
from boundcheck.statement import Measurement, Statement
from simulation.rewards import Gaussian


@where_decided
def missed_given_signal(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(m outside | muhat > s) at one look; for normal rewards, what it is at least."""
    lattice = case.lattice(card)
    if lattice is not None and (signal := lattice.signal()):
        return Exact(lattice.missed(signal=True) / signal)
    if not isinstance(case.law, Gaussian):
        return None
    never = case.explored().tail(0, -1, ball(case.mean))
    return Enclosed(never.lower(), arb(1))


def no_signal(card: Claim, case: Looks, lab: Lab) -> str | None:
    lattice = case.lattice(card)
    silent = lattice is not None and not lattice.signal()
    return "the condition muhat > s has probability 0" if silent else None


INTENDED = Statement(
    Role.INTENDED,
    "P(there is a time with muhat > s and m outside the interval) <= delta",
    (Measurement("one look", missed), Measurement("paths", misses, sampled=True)),
    delta_of,
    on_instance,
    drawn,
    nowhere="no arm earns with a capacity that the plays can fill",
    seen={
        Verdict.INCONCLUSIVE: "floats cannot follow rewards so far above their widths",
        Verdict.REFUTED: "the interval misses with probability {actual}, above delta = {claimed}",
        Verdict.CONSISTENT: "the share of paths on which the interval misses m is {actual}, "
        "delta = {claimed}",
    },
)
PRINTED = Statement(
    Role.PRINTED,
    "P(m outside the interval | muhat > s) <= delta, at one time",
    (Measurement("exact", missed_given_signal),),
    delta_of,
    few_looks,
    few_successes,
    vacuous=no_signal,
    nowhere=INTENDED.nowhere,
    seen={
        Verdict.REFUTED: "given muhat > s, the interval misses m with probability {actual}, above "
        "delta = {claimed}: it does whenever the united explorations earn nothing in all",
        Verdict.INCONCLUSIVE: "the exact law of sums of these rewards would decide",
    },
)
STATEMENTS = {"lem-5.1": (INTENDED, PRINTED), "sharp-5.1": (INTENDED,)}
