"""Corollary 7.2: the growth of OrchExplore's regret.

It is false where it is below the least growth of any consistent policy, the constant of sharp-4.3.
That it follows from 7.1, and that its first term is the one of the lower bound, are steps of a
proof.
"""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.claims.card import Claim
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.default_statements.regret import number
from boundcheck.judging.measured import Enclosed, Measured
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.setting import derive

LEAST = "sharp-4.3"


def least_growth(card: Claim, case: Limit, context: RunContext) -> Measured | None:
    """The growth that no consistent policy stays below."""
    exact = context.cards[LEAST]
    if unmet(case, exact.assumptions, derive):
        return None
    return Enclosed.at_least(
        case.number(exact, derive), policy=card.policy, least_growth_of=exact.id
    )


def drawn_few() -> SearchStrategy[Limit]:
    few = instances(smallest=3, largest=5, laws=("gaussian",), distinct=True)
    return st.builds(Limit, few)


IN_THE_LIMIT = upper_growth(
    find("cor-7.2").reading,
    Measurement("least possible growth", least_growth),
    claimed=partial(number, theory=THEORY),
    strategy=drawn_few,
    rests_on=(LEAST,),
)

STATEMENTS = {"cor-7.2": (IN_THE_LIMIT,)}
