"""sharp-7.1, ours in place of 7.1: the regret of OrchExplore."""

from __future__ import annotations

from boundcheck.judging.default_statements.regret import upper_regret
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, early_horizons

SHARP = upper_regret("a theorem; delta = 2/T", FIRST_SLOT, strategy=early_horizons(), theory=THEORY)

STATEMENTS = {"sharp-7.1": (SHARP,)}
