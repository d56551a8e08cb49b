"""Lemma J.1: the capacity interval with Hoeffding's width, at one time, where s < mu.

The union bound of its proof gives 2 delta; the statement is decided here by itself. Printed, there
is no interval where muhat <= s, and that counts as a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Exact, Measured
from boundcheck.numbers.balls import ball
from boundcheck.question import Question
from boundcheck.shareable_arms.interval.failure import (
    Looks,
    delta_of,
    drawn,
    few_successes,
    single_looks,
    where_decided,
)
from boundcheck.shareable_arms.one_arm import earning, exposed
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance


@where_decided
def missed(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(m outside), the upper end infinite where muhat <= s."""
    lattice = case.lattice(card)
    if lattice is not None:
        return Exact(lattice.missed(signal=False))
    return Enclosed(*case.explored().missed(case.width(card), signal=False))


@where_decided
def missed_or_none(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(muhat <= s, or m outside)."""
    lattice = case.lattice(card)
    if lattice is None:
        low, high = case.explored().missed(case.width(card), signal=True)
        none = case.explored().tail(-1, 0, ball(case.mean) - case.width(card))
        return Enclosed((low + none).lower(), (high + none).upper())
    return Exact(1 - lattice.signal() + lattice.missed(signal=True))


def wide(card: Claim, case: Looks, lab: Lab) -> str | None:
    """It speaks only of s < mu."""
    return None if case.width(card) < ball(case.mean) else "s is nowhere below the mean"


def at_single_looks(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Looks]:
    yield from single_looks(instance, question, exposed(earning(instance)))


INTENDED = Statement(
    Role.INTENDED,
    "P(m outside the interval) <= delta at one time, if its upper end is infinite for muhat <= s",
    (Measurement("one look", missed),),
    delta_of,
    at_single_looks,
    drawn,
    vacuous=wide,
    nowhere="no arm earns with a capacity that the plays can fill",
    seen={
        Verdict.REFUTED: "the interval misses with probability {actual}, above delta = {claimed}"
    },
)
PRINTED = replace(
    INTENDED,
    role=Role.PRINTED,
    words="P(muhat <= s, or m outside the interval) <= delta at one time",
    actual=(Measurement("one look", missed_or_none),),
    drawn=few_successes,
)
STATEMENTS = {"lem-J.1": (INTENDED, PRINTED)}
