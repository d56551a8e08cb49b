"""Theorem G.5: the regret of MP-SE-SA where the capacities are known; where all are 1, G.3."""

from __future__ import annotations

from boundcheck.finding import Role
from boundcheck.kinds import upper_regret
from boundcheck.shareable_arms.elimination.thm_g_3 import USED, WASTED, WASTING, three_arms
from boundcheck.shareable_arms.first_slot import FIRST_SLOT_TOLD, drawn

INTENDED = upper_regret(USED, FIRST_SLOT_TOLD, drawn=drawn())
LITERAL = upper_regret(
    WASTED,
    FIRST_SLOT_TOLD,
    WASTING,
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    drawn=drawn(unit=True),
    hard=three_arms,
)
STATEMENTS = {"thm-G.5": (INTENDED, LITERAL)}
