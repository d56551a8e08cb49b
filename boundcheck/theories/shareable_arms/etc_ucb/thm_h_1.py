"""Theorem H.1: the regret of ETC-UCB."""

from __future__ import annotations

from boundcheck.judging.default_statements.regret import upper_regret
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, early_horizons

INTENDED = upper_regret(
    find("thm-H.1").reading, FIRST_SLOT, strategy=early_horizons(long=True), theory=THEORY
)
STATEMENTS = {"thm-H.1": (INTENDED,)}
