"""Theorem 7.1, sharp-7.1 in its place, and corollary 7.2: the regret of OrchExplore.

The condition T >= exp(49 m^2/mu^2) puts every horizon that can be simulated out of reach where
means are at most 1: there runs say something only of the bound without that condition.

Pseudo-code. Printed, an individual exploration has a load below m^l. With one play m^l = 1 for
good and none is ever counted: estimates never change, actions do not depend on what is seen, and
every slot loses what the first one does.

7.2 is false where it is below the least growth of any consistent policy, the constant of sharp-4.3.
That it follows from 7.1, and that its first term is the one of the lower bound, are steps of a
proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.claims.card import Claim
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.default_statements.regret import AtHorizon, number, upper_regret
from boundcheck.judging.finding import Role
from boundcheck.judging.measured import Enclosed, Measured
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, drawn, every_slot
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance

# which phases of the policy pay for which terms of the bound
PHASES: Mapping[tuple[str, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("suboptimal arms",): ("deliberate",),
        ("capacities of filled arms", "last arm"): ("pue",),
        ("constant",): ("pie-base", "exploitation"),
    }
)


def one_play() -> tuple[AtHorizon, ...]:
    instance = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 1, name="one-play")
    return (AtHorizon.at(instance, 10**30, fixed=True),)


INTENDED = upper_regret(
    find("thm-7.1").reading, FIRST_SLOT, strategy=drawn(long=True), theory=THEORY
)
LITERAL = upper_regret(
    "pseudo-code taken literally: explorations with a load below m^l count, and there are none",
    Measurement("every slot", every_slot),
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    known_cases=one_play,
    theory=THEORY,
)
SHARP = upper_regret("a theorem; delta = 2/T", FIRST_SLOT, strategy=drawn(), theory=THEORY)


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
STATEMENTS = {"thm-7.1": (INTENDED, LITERAL), "sharp-7.1": (SHARP,), "cor-7.2": (IN_THE_LIMIT,)}
