"""Corollary 7.2: what the regret of OrchExplore per log T is at most, in the limit.

It is false where it is below the least growth of any consistent policy, the constant of sharp-4.3.
That it follows from 7.1, and that its first term is the one of the lower bound, are steps of a
proof.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.claim import Claim
from boundcheck.decision import unmet
from boundcheck.kinds.growth import Limit, upper_growth
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Measured
from boundcheck.statement import Measurement
from boundcheck.strategies import instances

LEAST = "sharp-4.3"


def least_growth(card: Claim, case: Limit, lab: Lab) -> Measured | None:
    """The growth that no consistent policy stays below."""
    exact = lab.cards[LEAST]
    if unmet(case, exact.assumptions):
        return None
    return Enclosed.at_least(case.number(exact), policy=card.policy, least_growth_of=exact.id)


def drawn() -> SearchStrategy[Limit]:
    few = instances(smallest=3, largest=5, laws=("gaussian",), distinct=True)
    return st.builds(Limit, few)


INTENDED = upper_growth(
    "the limit of 7.1 as T grows and then epsilon vanishes",
    Measurement("least possible growth", least_growth),
    drawn=drawn,
    rests_on=(LEAST,),
)
STATEMENTS = {"cor-7.2": (INTENDED,)}
