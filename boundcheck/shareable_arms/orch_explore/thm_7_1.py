"""Theorem 7.1, and sharp-7.1 in its place: the regret of OrchExplore.

The condition T >= exp(49 m^2/mu^2) puts every horizon that can be simulated out of reach where
means are at most 1: there runs say something only of the bound without that condition.

Pseudo-code. Printed, an individual exploration has a load below m^l. With one play m^l = 1 for
good and none is ever counted: estimates never change, actions do not depend on what is seen, and
every slot loses what the first one does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from boundcheck.finding import Role
from boundcheck.kinds import Upto, upper_regret
from boundcheck.shareable_arms.first_slot import FIRST_SLOT, drawn, every_slot
from boundcheck.statement import Measurement
from simulation.instance import Instance

# which phases of the policy pay for which terms of the bound
PHASES: Mapping[tuple[str, ...], tuple[str, ...]] = MappingProxyType(
    {
        ("suboptimal arms",): ("deliberate",),
        ("capacities of filled arms", "last arm"): ("pue",),
        ("constant",): ("pie-base", "exploitation"),
    }
)


def one_play() -> tuple[Upto, ...]:
    instance = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 1, name="one-play")
    return (Upto.at(instance, 10**30, fixed=True),)


INTENDED = upper_regret(
    "delta = 2/T, pseudo-code as resolved in the documentation", FIRST_SLOT, drawn=drawn(long=True)
)
LITERAL = upper_regret(
    "pseudo-code taken literally: explorations with a load below m^l count, and there are none",
    Measurement("every slot", every_slot),
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    drawn=None,
    hard=one_play,
)
SHARP = upper_regret("a theorem; delta = 2/T", FIRST_SLOT, drawn=drawn())
STATEMENTS = {"thm-7.1": (INTENDED, LITERAL), "sharp-7.1": (SHARP,)}
