"""Corollary 7.2: the growth of OrchExplore's regret.

It is false where it is below the least growth of any consistent policy, the constant of sharp-4.3.
Steps of the proof check that it follows from 7.1, and that its first term is that of the lower
bound.
"""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.default_statements.regret import claimed_number
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.lower_regret.least_growth import LEAST, LEAST_GROWTH


def drawn_few() -> SearchStrategy[Limit]:
    few = instances(smallest=3, largest=5, laws=("gaussian",), distinct=True)
    return st.builds(Limit, few)


IN_THE_LIMIT = upper_growth(
    find("cor-7.2").reading,
    LEAST_GROWTH,
    claimed=partial(claimed_number, theory=THEORY),
    strategy=drawn_few,
    rests_on=(LEAST,),
)

STATEMENTS = {"cor-7.2": (IN_THE_LIMIT,)}
