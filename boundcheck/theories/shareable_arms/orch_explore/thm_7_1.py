"""Theorem 7.1: the regret of OrchExplore.

The condition T >= exp(49 m^2/mu^2) asks for T >= 1.9e21 where means are at most 1. Runs reach such
horizons by leaping, but one lost run in 10^20 would matter there, so they cannot support the bound.
It is decided by `sharp-7.1`, a proved bound on the regret of the same policy. At shorter horizons
runs test the bound without the condition.

Pseudo-code: printed, an individual exploration has a load below m^l. With one play m^l = 1
always and none is counted: estimates never change, actions do not depend on observations, and
every slot has the regret of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.regret import (
    AtHorizon,
    bound,
    regret_facts,
    upper_regret,
)
from boundcheck.judging.finding import Role
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, early_horizons, every_slot
from simulation.parameters import LARGEST_COUNTED, LARGEST_LEAPT
from simulation.world.instance import Instance

PROVED = "sharp-7.1"

# the phases of the policy whose regret each term bounds
PHASES: Mapping[tuple[str, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("suboptimal arms",): ("deliberate",),
        ("capacities of filled arms", "last arm"): ("pue",),
        ("constant",): ("pie-base", "exploitation"),
    }
)


def _one_play() -> tuple[AtHorizon, ...]:
    instance = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 1, name="one-play")
    return (AtHorizon.at(instance, 10**30, fixed=True),)


def _proved(card: Claim, case: AtHorizon, context: RunContext) -> Measured | None:
    """The regret is at most the proved bound; None unless it is below the claim and T is long."""
    better, theory = context.cards.get(PROVED), context.theory
    if better is None or not theory.proved(better):
        return None
    if not LARGEST_COUNTED < case.horizon <= LARGEST_LEAPT:
        return None
    if unmet(case, better.assumptions, theory.derive):
        return None
    least, claimed = bound(better, case, theory).ball, bound(card, case, theory).ball
    if not least < claimed:
        return None
    return Enclosed.at_most(least, **regret_facts(card, case, theory), premise=PROVED)


INTENDED = upper_regret(
    find("thm-7.1").reading,
    FIRST_SLOT,
    Measurement("a proved bound on the same regret", _proved),
    strategy=early_horizons(long=True),
    theory=THEORY,
)

LITERAL = upper_regret(
    "pseudo-code taken literally: explorations with a load below m^l count, and there are none",
    Measurement("every slot", every_slot),
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    known_cases=_one_play,
    theory=THEORY,
)

STATEMENTS = {"thm-7.1": (INTENDED, LITERAL)}
