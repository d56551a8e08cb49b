"""Corollary G.2: the growth of the regret of MP-SE-SA.

It gives an order of growth without constants, so its terms as printed, with w_k^2, are given those
of G.1. As the gap d of waiting.py shrinks, the growth exceeds any multiple of the order, so no
other constants would help: it fails for the same reason as G.1.
"""

from __future__ import annotations

from dataclasses import replace

from boundcheck.claims.card import Claim
from boundcheck.claims.growth import per_log
from boundcheck.judging.comparison import Number
from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.elimination.waiting import NEAR_TIE, waiting_growth
from boundcheck.theories.shareable_arms.setting import derive
from boundcheck.theories.shareable_arms.symbols import g_L, m, mu, mu_L, w

# the coefficients of g_L m/Delta and w m^2/mu^2 in G.1, per log T
_ELIMINATION, _CAPACITIES = (
    term.expression for term in per_log(find("thm-G.1").quantities[0].terms) if term.over
)

CONSTANTS = (_ELIMINATION / (g_L * m / (mu_L - mu)), _CAPACITIES / (w * m**2 / mu**2))


def with_constants_of_g_1(card: Claim, case: Limit) -> Number:
    """The terms of G.2 as printed, times the constants of G.1."""
    (order,) = card.quantities
    terms = (
        replace(term, expression=factor * term.expression)
        for term, factor in zip(order.terms, CONSTANTS, strict=True)
    )
    return case.number(replace(card, quantities=(replace(order, terms=tuple(terms)),)), derive)


G_2 = upper_growth(
    "an order of growth as printed, with the constants of G.1 as it has none of its own",
    Measurement("wait for an elimination", waiting_growth),
    claimed=with_constants_of_g_1,
    known_cases=lambda: [Limit(NEAR_TIE, fixed=True)],
)

STATEMENTS = {"cor-G.2": (G_2,)}
