"""Lemmas E.1 and E.2: how many slots have a bad estimate, or an index below the mean.

e = epsilon^-2. An arm that a coin of chance c lets be played in each slot of H spends 1/c slots at
each number n of observations, and is bad there with probability p_n <= 2 exp(-n epsilon^2/(2
sigma^2)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

import sympy
from flint import arb

from boundcheck import balls
from boundcheck.proofs.methods import computed, exhaustive, identity, sign
from boundcheck.proofs.models import at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.step import Part, combined
from boundcheck.shareable_arms.counting.lem_e_2 import CERTIFIED_SLOTS, low_index_slots

c = sympy.Symbol("c", positive=True)
e = sympy.Symbol("e", positive=True)  # epsilon^-2
y = sympy.Symbol("y", positive=True)  # epsilon^2
s2 = sympy.Symbol("sigma2", positive=True)
oo = sympy.oo
E_1 = 2 / c * (2 / c + e)

# -- E.1 -----------------------------------------------------------------------------------


def _bad_estimates() -> Part:
    """(1/c) sum p_n, p_n <= 2 exp(-n y/(2 sigma^2)), and the coins by dynamic programming."""
    x = sympy.Symbol("x", positive=True)
    return combined(
        sign(at_most(x, sympy.exp(x) - 1), {x: (0, oo)}),
        sign(
            at_most(1 + 4 * s2 / y, E_1.subs(e, 1 / y) * c),
            {c: (0, 1), y: (0, oo), s2: (0, "1/2")},
        ),
        exhaustive(
            lambda chance, off: worst_rule(chance, off) <= coins(chance, off),
            {
                "c": [Fraction(1), Fraction(1, 2), Fraction(1, 4)],
                "epsilon": [Fraction(1, 10), Fraction(3, 10)],
            },
            complete=False,
            words="no rule for H makes more of 12 slots bad than (1/c) sum p_n",
        ),
    )


_SLOTS = 12


def is_bad(plays: int, successes: int, off: Fraction) -> bool:
    return abs(Fraction(successes, max(plays, 1)) - Fraction(1, 2)) >= off


def worst_rule(chance: Fraction, off: Fraction, *, after: bool = False) -> Fraction:
    """The largest expected number of bad slots in H over all rules for H; a fair Bernoulli arm.

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


def coins(chance: Fraction, off: Fraction) -> Fraction:
    total = Fraction(0)
    for n in range(_SLOTS + 1):
        hits = sum(comb(n, i) for i in range(n + 1) if is_bad(n, i, off))
        total += Fraction(hits, 2**n)
    return total / chance


# -- E.2 -----------------------------------------------------------------------------------


def _index_sum() -> Part:
    upper = float(balls.upper(low_index_slots(CERTIFIED_SLOTS), 6) or "inf")
    summed = computed(
        "certified sum",
        upper <= 15,
        f"t up to {CERTIFIED_SLOTS}, the tail by an integral",
        f"e ceil(f log t) exp(-f) sums to at most {upper:.3f}",
    )
    crossing = exhaustive(
        _peeling,
        {"mean": [Fraction(1, 2), Fraction(1, 5), Fraction(9, 10)], "t": [5, 10, 20, 40]},
        complete=False,
        words="exact lattice paths stay below e ceil(f log t) exp(-f)",
    )
    return combined(summed, crossing)


def _peeling(mean: Fraction, t: int) -> bool:
    """P(n kl(muhat_n, mu) > f(t), muhat_n < mu for some n < t) beside the quoted bound."""
    with balls.precision(96):
        log_t = arb(t).log()
        level = log_t + 4 * log_t.log()
        inside = {0: Fraction(1)}
        for n in range(1, t):
            moved: dict[int, Fraction] = {}
            for i, weight in inside.items():
                moved[i] = moved.get(i, Fraction(0)) + weight * (1 - mean)
                moved[i + 1] = moved.get(i + 1, Fraction(0)) + weight * mean
            inside = {i: w for i, w in moved.items() if not _low(n, i, mean, level)}
        crossed = 1 - sum(inside.values(), Fraction(0))
        grid = int(float((level * log_t).upper())) + 1
        return bool(balls.ball(crossed) <= arb(1).exp() * grid * (-level).exp())


def _low(n: int, i: int, mean: Fraction, level: arb) -> bool:
    if Fraction(i, n) >= mean:
        return False
    miss = (n - i) * balls.ball(Fraction(n - i, n) / (1 - mean)).log()
    hit = i * balls.ball(Fraction(i, n) / mean).log() if i else arb(0)
    return bool(hit + miss > level)


STEPS = (
    Step(
        "lem-E.1",
        "E.1-a",
        "E.1 (lma:empirical_mean), display",
        "sum_t P(t in H, |muhat - mu| >= epsilon) <= (2/c)(2/c + e)",
        ("sub-gaussian (sigma^2 <= 1/2)", "Wang et al. (2020), Lemma 3"),
        _bad_estimates,
        consequence="(1 + 4 sigma^2 e)/c is enough",
    ),
    Step(
        "lem-E.2",
        "E.2-a",
        "E.2, 1st display",
        "an index serves at most two slots, so low slots number at most twice the low updates",
        (),
        lambda: exhaustive(
            lambda kinds, low: low * len(kinds) <= 2 * low,
            {"slots served by one index": (("PIE",), ("PUE", "PIE")), "low": (0, 1)},
            complete=True,
        ),
    ),
    Step(
        "lem-E.2",
        "E.2-b",
        "E.2, inline: the sum over updates",
        "sum over updates of P(u < mu) <= 15",
        ("Garivier and Cappe (2011), Theorem 10",),
        _index_sum,
        consequence="8 is enough",
    ),
    Step(
        "lem-E.2",
        "E.2-c",
        "E.2, statement display",
        "2 * 15 = 30",
        ("E.2-a", "E.2-b"),
        lambda: identity(2 * sympy.Integer(15), sympy.Integer(30), {}),
    ),
)
