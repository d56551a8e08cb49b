"""Theorem 7.1: the regret of OrchExplore.

The condition T >= exp(49 m^2/mu^2) puts every horizon that can be simulated out of reach where
means are at most 1, so runs can only test the bound without that condition.

Pseudo-code: printed, an individual exploration has a load below m^l. With one play m^l = 1
always and none is counted: estimates never change, actions do not depend on observations, and
every slot has the regret of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from boundcheck.judging.default_statements.regret import AtHorizon, upper_regret
from boundcheck.judging.finding import Role
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, early_horizons, every_slot
from simulation.world.instance import Instance

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


INTENDED = upper_regret(
    find("thm-7.1").reading, FIRST_SLOT, strategy=early_horizons(long=True), theory=THEORY
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
