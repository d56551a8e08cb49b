"""Theorem G.1: the regret of MP-SE-SA, successive elimination that learns capacities."""

from __future__ import annotations

from boundcheck.judging.default_statements.regret import AtHorizon, upper_regret
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.elimination.waiting import NEAR_TIE, waiting
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, early_horizons

G_1 = upper_regret(
    find("thm-G.1").reading,
    FIRST_SLOT,
    Measurement("wait for an elimination", waiting),
    strategy=early_horizons(),
    theory=THEORY,
    known_cases=lambda: [AtHorizon.at(NEAR_TIE, 10**6, fixed=True)],
)

STATEMENTS = {"thm-G.1": (G_1,)}
