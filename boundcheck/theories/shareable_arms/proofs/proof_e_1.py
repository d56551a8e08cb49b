"""Lemmas E.1 and E.2: how many slots have a bad estimate, or an index below the mean.

e = epsilon^-2. An arm that a coin of chance c lets be played in each slot of H spends 1/c slots at
each number n of observations, and is bad there with probability p_n <= 2 exp(-n epsilon^2/(2
sigma^2)).
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import sympy
from flint import arb
from sympy import Expr, oo

from boundcheck.calculator.numbers import balls
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, cases, certified_number, equal
from boundcheck.proof_steps.step import Part, Parts, Proof
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.counting.cards import c
from boundcheck.theories.shareable_arms.counting.lem_e_2 import (
    CERTIFIED_SLOTS,
    crossing_chance,
    low_index_slots,
)
from boundcheck.theories.shareable_arms.orch_explore.cards import INDEX
from boundcheck.theories.shareable_arms.symbols import T, epsilon, sigma2

x, e = sympy.symbols("x e", positive=True)


def in_e(formula: Expr) -> Expr:
    """A card's formula with e in place of epsilon."""
    return formula.subs(epsilon, 1 / sympy.sqrt(e))


E_1 = in_e(find("lem-E.1").formula)
LOW_SLOTS: Expr = find("lem-E.2").quantities[0].terms[0].expression
ESTIMATES, INDICES = Proof("lem-E.1"), Proof("lem-E.2")
_SLOTS = 12


@ESTIMATES.step(
    "a",
    "E.1 (lma:empirical_mean), display",
    ("sub-gaussian (sigma^2 <= 1/2)", "Wang et al. (2020), Lemma 3"),
    bound=4 / c**2,
    consequence="(1 + 4 sigma^2 e)/c is enough",
)
def bad_estimates(bound: Expr = E_1) -> Parts:
    """sum_t P(t in H, |muhat - mu| >= epsilon) <= (2/c)(2/c + e)."""
    # (1/c) sum p_n is at most (1 + 2/(exp(x) - 1))/c with x = epsilon^2/(2 sigma^2)
    yield at_most(x, sympy.exp(x) - 1).on({x: (0, oo)})
    yield at_most(1 + 4 * sigma2 * e, c * bound).on({c: (0, 1), e: (0, oo), sigma2: (0, "1/2")})
    yield no_worse_rule(
        "1", "1/2", "1/4", words="no rule for H makes more of 12 slots bad than (1/c) sum p_n"
    )


def no_worse_rule(*chances: str, after: bool = False, words: str = "") -> Part:
    """A fair Bernoulli arm: no rule for H has more bad slots than (1/c) sum p_n, on average."""
    ranges = {"c": map(Fraction, chances), "epsilon": [Fraction(1, 10), Fraction(3, 10)]}

    def true(chance: Fraction, off: Fraction) -> bool:
        bad = ((n, i) for n in range(_SLOTS + 1) for i in range(n + 1) if is_bad(n, i, off))
        return worst_rule(chance, off, after=after) * chance <= sum(
            Fraction(comb(n, i), 2**n) for n, i in bad
        )

    return cases(true, ranges, complete=False, words=words)


def is_bad(plays: int, successes: int, off: Fraction) -> bool:
    return abs(Fraction(successes, max(plays, 1)) - Fraction(1, 2)) >= off


def worst_rule(chance: Fraction, off: Fraction, *, after: bool = False) -> Fraction:
    """The largest expected number of bad slots in H over all rules for H.

    A slot is bad by its estimate before it is played, or after.
    """

    @cache
    def value(left: int, plays: int, successes: int) -> Fraction:
        if left == 0:
            return Fraction(0)
        stay = value(left - 1, plays, successes)
        bad = is_bad(plays, successes, off)
        inside = (1 - chance) * (bad + stay)
        for reward in (0, 1):
            now = (plays + 1, successes + reward)
            inside += chance / 2 * ((is_bad(*now, off) if after else bad) + value(left - 1, *now))
        return max(stay, inside)

    return value(_SLOTS, 0, 0)


@INDICES.step("a", "E.2, 1st display", most=1)
def serves_two_slots(most: int = 2) -> Parts:
    """An index serves at most two slots, so low slots number at most twice the low updates."""

    def true(updated: int, empty: tuple[bool, ...]) -> bool:
        """It is computed anew in the next PIE slot: an odd one, or one with Y empty."""
        later = enumerate(empty, updated + 1)
        return next(t for t, none in later if t % 2 == 1 or none) - updated <= most

    after = list(product((False, True), repeat=2))
    yield cases(true, {"slot of the update": (1, 2), "Y empty after it": after}, complete=True)


@INDICES.step(
    "b",
    "E.2, inline: the sum over updates",
    ("Garivier and Cappe (2011), Theorem 10",),
    total=7,
    consequence="8 is enough",
)
def index_sum(total: int = 15) -> Parts:
    """sum over updates of P(u < mu) <= 15."""
    yield certified_number(
        low_index_slots(CERTIFIED_SLOTS),
        at_most=total,
        region=f"t up to {CERTIFIED_SLOTS}, the tail by an integral",
        words="the sum of e ceil(f log t) exp(-f)",
    )
    means = [Fraction(tenths, 10) for tenths in (5, 2, 9)]
    words = "exact lattice paths stay below e ceil(f log t) exp(-f)"
    yield cases(_peeling, {"mean": means, "t": [5, 10, 20, 40]}, complete=False, words=words)


def _peeling(mean: Fraction, t: int) -> bool:
    """P(n kl(muhat_n, mu) > f(t), muhat_n < mu for some n < t) beside the quoted bound."""
    with balls.precision(96):
        level = rel.value_at(INDEX, {T: Fraction(t)})
        inside = {0: Fraction(1)}
        for n in range(1, t):
            moved: dict[int, Fraction] = defaultdict(Fraction)
            for i, weight in inside.items():
                moved[i] += weight * (1 - mean)
                moved[i + 1] += weight * mean
            inside = {i: w for i, w in moved.items() if not _low(n, i, mean, level)}
        crossed = 1 - sum(inside.values(), Fraction(0))
        return bool(balls.ball(crossed) <= crossing_chance(Fraction(t), level))


def _low(n: int, i: int, mean: Fraction, level: arb) -> bool:
    if Fraction(i, n) >= mean:
        return False
    miss = (n - i) * balls.ball(Fraction(n - i, n) / (1 - mean)).log()
    hit = i * balls.ball(Fraction(i, n) / mean).log() if i else arb(0)
    return bool(hit + miss > level)


@INDICES.step("c", "E.2, statement display", "a, b", total=15)
def both_kinds_of_slots(total: Expr = LOW_SLOTS) -> Parts:
    """2 * 15 = 30."""
    yield equal(2 * sympy.Integer(15), total).on({})


STEPS = (*ESTIMATES, *INDICES)
