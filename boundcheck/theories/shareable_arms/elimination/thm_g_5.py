"""Theorem G.5: the regret of MP-SE-SA with known capacities; if all are 1, it is G.3."""

from __future__ import annotations

from boundcheck.judging.default_statements.regret import upper_regret
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.elimination.waiting import literal
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT_TOLD, early_horizons

G_5 = upper_regret(
    find("thm-G.5").reading, FIRST_SLOT_TOLD, strategy=early_horizons(), theory=THEORY
)

STATEMENTS = {"thm-G.5": (G_5, literal())}
