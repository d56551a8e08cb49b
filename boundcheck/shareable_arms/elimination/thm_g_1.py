"""Theorem G.1 and corollary G.2: the regret of MP-SE-SA, and its growth.

While nothing is unitedly explored the N best arms are taken to be needed, and nothing is before one
of the arms N and N + 1 is eliminated: a wait that their gap decides, and the bound does not contain
it. Both fail where these two nearly tie far below an arm that could serve all plays.

G.2 gives an order of growth and no constant: the one of G.1 stands in its place. As the gap shrinks
the growth exceeds any multiple of the order, so no other constant would do.
"""

from __future__ import annotations

from dataclasses import replace

from boundcheck.claim import Claim, per_log
from boundcheck.kinds import Upto, upper_regret
from boundcheck.kinds.growth import Limit, upper_growth
from boundcheck.measured import Number
from boundcheck.shareable_arms.elimination.unavoidable import waiting, waiting_growth
from boundcheck.shareable_arms.first_slot import FIRST_SLOT, drawn
from boundcheck.statement import Measurement
from boundcheck.theory import find
from simulation.instance import Instance

NEAR_TIE = Instance(["0.9", "0.5", "0.4999"], [2, 1, 1], 2, name="near-tie")


def near_tie() -> tuple[Upto, ...]:
    return (Upto.at(NEAR_TIE, 10**6, fixed=True),)


def near_tie_for_ever() -> tuple[Limit, ...]:
    return (Limit(NEAR_TIE, fixed=True),)


def constant_of_g_1(card: Claim, case: Limit) -> Number:
    """The coefficient of log T in G.1."""
    published = find("thm-G.1")
    (regret,) = published.quantities
    growth = replace(regret, terms=per_log(regret.terms))
    return case.number(replace(published, quantities=(growth,)))


REGRET = upper_regret(
    "left-over plays of an individual exploration are used, not wasted",
    FIRST_SLOT,
    Measurement("wait for an elimination", waiting),
    drawn=drawn(),
    hard=near_tie,
)
GROWTH = upper_growth(
    "an order of growth, with the constant of G.1 as it has none of its own",
    Measurement("wait for an elimination", waiting_growth),
    claimed=constant_of_g_1,
    hard=near_tie_for_ever,
)
STATEMENTS = {"thm-G.1": (REGRET,), "cor-G.2": (GROWTH,)}
