"""Theorem G.3, steps 3c and 3d, and lemma G.4: how likely late and false eliminations are.

Notation as in `proof_g_3_events`. Phi(zeta): some s <= zeta has the difference of two centred
means at gamma U(s, T) or above.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Rational, diff, exp, log, oo

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.functions import logbar
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, cases, certified_number, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.elimination.cards import length, t
from boundcheck.theories.shareable_arms.proofs.proof_g_3_events import (
    ORDERLY,
    Compare,
    Estimates,
    eliminations,
)
from boundcheck.theories.shareable_arms.symbols import T, delta, gamma

x, u, s, zeta, width, gap, c = sympy.symbols("x u s zeta width gap c", positive=True)
r, share = sympy.symbols("r share", nonnegative=True)  # share: of what a bound allows
s2 = sympy.Symbol("sigma2", positive=True)
WIDTH: Expr = find("lem-G.4").formula
_ANY, _UP = (0, oo), (1, oo)
_HALF = Rational(1, 2)
_SPREAD = {s: _UP, x: _ANY, s2: (0, _HALF)}
CHANCES = Proof("thm-G.3")

# -- step 3c: late eliminations ----------------------------------------------------------------


@CHANCES.step("3c1", "G.3, Step 3c, 1st display, 1st <=", (ORDERLY,), part=Fraction(1, 2))
def _stays(part: Fraction = Fraction(1)) -> Parts:
    """An arm k > N that stays while all top arms are there has muhat_k > muhat_N - gamma U."""
    yield from eliminations(
        lambda seen, top, margin, gone: all(
            seen[k] > seen[top - 1] - part * margin for k in {*range(top, len(seen))} - gone
        )
    )


@CHANCES.step("3c2", "G.3, Step 3c, 1st display, 2nd <=", "G.3-1b", least=1, rest=1)
def half_a_width(least: Expr = Rational(3, 2), rest: Expr = _HALF) -> Parts:
    """Delta - gamma U >= gamma U/2 where Delta = 3/2 gamma U + r."""
    yield at_most(rest * width, least * width + r - width).on({width: _ANY, r: _ANY})


@CHANCES.step(
    "3c3",
    "G.3, Step 3c, 1st display, 3rd <=",
    "G.3-3a3, gamma >= 1",
    rest=Rational(1, 4),
    least="0.1",
    consequence="not for gamma = 0.1, which the paper's 5G experiment uses",
)
def late_chance(rest: Expr = _HALF, least: object = 1) -> Parts:
    """exp(-zeta (gamma U/2)^2/2) <= zeta/T, for gamma >= 1."""
    ranges = {zeta: (1, 50), T: (50, 10**4), gamma: (1, 3)}
    scale = (2 * rest * gamma) ** 2
    exponent = zeta * (rest * gamma * fn.U(zeta, T)) ** 2 / 2
    yield equal(exponent, scale * logbar(T / zeta)).on(ranges)
    # u = log(T/zeta), and logbar is u or 1
    yield at_most(u, scale * u).on({u: _UP, gamma: (least, oo)})
    yield at_most(u, scale).on({u: (0, 1), gamma: (least, oo)})


@CHANCES.step("3c4", "G.3, Step 3c, 2nd display", "3c3", each=zeta / (2 * T))
def late_cost(each: Expr = zeta / T) -> Parts:
    """Chances of at most zeta/T add at most (1/T) sum zeta_k c_k."""
    yield at_most(c * share * zeta / T, c * each).on({c: _ANY, share: (0, 1), zeta: _UP, T: _UP})


# -- step 3d: false eliminations ---------------------------------------------------------------


@CHANCES.step(
    "3d1",
    "G.3, Step 3d, 1st display, 1st <=",
    (ORDERLY,),
    repair=StepRepair("<= takes the place of <", {"relation": operator.le}),
    consequence="the third line of the display has >= and covers it",
)
def false_elimination(relation: Compare = operator.lt) -> Parts:
    """If arm N is eliminated, muhat_N < muhat_j - gamma U for some j > N."""

    def true(seen: Estimates, top: int, margin: int, gone: set[int]) -> bool:
        rivals = (estimate - margin for estimate in seen[top:])
        return top - 1 not in gone or any(relation(seen[top - 1], rival) for rival in rivals)

    yield from eliminations(true, "an arm is eliminated at equality too")


@CHANCES.step(
    "3d2", "G.3, Step 3d, 1st display, 1st <=, at equality too", (ORDERLY,), relation=operator.lt
)
def false_elimination_at_most(relation: Compare = operator.le) -> Parts:
    """The same with <=."""
    yield from false_elimination(relation)


@CHANCES.step("3d3", "G.3, Step 3d, 1st display, 2nd <=", "3d2", first=1)
def union_over_arms(first: int = 0) -> Parts:
    """A union over j from N + 1 on (i stands for N)."""
    crossed = {"crossed by j": (0, 1), "by j'": (0, 1)}
    yield cases(lambda *by: any(by) <= sum(by[first:]), crossed, complete=True)


@CHANCES.step("3d4", "G.3, Step 3d, 1st display, 3rd <=", "3d3", moved=-gap)
def centred(moved: Expr = gap) -> Parts:
    """Centring adds Delta_{i,j} >= 0 to the difference."""
    yield at_most(width, width + r + moved).on({width: _ANY, r: _ANY, gap: _ANY})


_HORIZON = 30
RISING = [(a, b) for a in range(4) for b in range(a, 4)]


def _reaches(steps: int, total: int) -> bool:
    """Is the difference of two means of `steps` samples at U or above? gamma = 1."""
    point = {s: Fraction(steps), T: Fraction(_HORIZON)}
    return total > 0 and bool(ball(Fraction(total, steps)) >= rel.value_at(fn.U(s, T), point))


def _weighted(weights: Sequence[tuple[int, int]], last: int) -> Parts:
    """c_1 (Phi_1 - Phi_2) + c_2 (Phi_2 - Phi_3) in units of 4/T, zeta = 3, 2 and `last`."""
    zetas = (3, 2, last)

    def true(cost: tuple[int, int], *phi: int) -> bool:
        if not phi[0] >= phi[1] >= phi[2] or any(map(operator.gt, phi, zetas)):
            return True
        left, right = (sum(c * (y[k] - y[k + 1]) for k, c in enumerate(cost)) for y in (phi, zetas))
        return left <= right

    phis = dict.fromkeys(("Phi_1", "Phi_2", "Phi_3"), range(4))
    words = f"zeta = 3, 2, {last}, in units of 4/T"
    yield cases(true, {"(c_1, c_2)": weights, **phis}, complete=False, words=words)


@CHANCES.step(
    "3d5",
    "G.3, Step 3d, 1st display, =",
    true_with={"first": 0},
    repair=StepRepair(
        "Sum by parts over k first: weights rise with k, so only P(arm N gone by zeta_k) <= sum_j "
        "Phi(zeta) is needed",
        lambda: _weighted(RISING, 0),
    ),
    consequence="that gives the sum of the third display without the two lines between",
)
def crossings(first: int = 12, last: int = 20, reaches: Compare = _reaches) -> Parts:
    """P(crossing at some time in (zeta', zeta]) = Phi(zeta) - Phi(zeta')."""
    # two fair Bernoulli arms: paths of their difference, and whether they crossed in either part
    paths = Counter({(0, False, False): 1})
    for n in range(1, last + 1):
        moved: Counter[tuple[int, bool, bool]] = Counter()
        for (total, early, late), weight in paths.items():
            for step, ways in ((-1, 1), (0, 2), (1, 1)):
                now = reaches(n, total + step)
                seen = (early or (now and n <= first), late or (now and n > first))
                moved[total + step, *seen] += weight * ways
        paths = moved
    inside = sum(weight for (_, _, late), weight in paths.items() if late)
    again = sum(weight for (_, early, late), weight in paths.items() if early and late)
    yield certified_number(
        Fraction(inside, 4**last),
        at_most=Fraction(inside - again, 4**last),
        region=f"two fair Bernoulli arms, T = {_HORIZON}, times {first} < s <= {last}, gamma = 1",
        words="chance of a crossing there, and what Phi grows by, which leaves out paths that "
        "crossed before",
        sample=True,
    )


@CHANCES.step(
    "3d6",
    "G.3, Step 3d, before the 2nd display: b - a = 2",
    true_with={"rewards": (0, 1)},
    repair=StepRepair(
        "The sub-Gaussian form of G.4, variance 1 in place of (b - a)^2/4: same proof",
        lambda: [at_most(2 * x**2 / (s * 2**2), x**2 / (2 * s * 2 * s2)).on(_SPREAD)],
    ),
    consequence="for Gaussian rewards with sigma^2 <= 1/2 the bound on Phi is the same",
)
def length_two(rewards: Sequence[int] = (0, 1, 2)) -> Parts:
    """The differences of two rewards lie in an interval of length 2."""
    pairs = [*product(rewards, repeat=2)]
    yield cases(
        lambda one, other: one[0] - one[1] - (other[0] - other[1]) <= 2,
        {"(X_j, X_i)": pairs, "another time": pairs},
        complete=False,
        words="Gaussian rewards are near any value with a positive chance",
    )


@CHANCES.step(
    "3d7",
    "G.3, Step 3d, 2nd display: lemma G.4 applied",
    "lem-G.4, 3d6",
    interval=1,
    level=zeta / T,
)
def _substituted(interval: Expr = 2, level: Expr = 4 * zeta / T) -> Parts:
    """With b - a = 2 and delta = 4 zeta/T (printed zeta_{N,k}) the width of G.4 is U(s, T)."""
    there = WIDTH.subs({length: interval, t: s, delta: level, T: zeta}, simultaneous=True)
    squares = (side.subs(T, s * exp(1 + r)) ** 2 for side in (there, fn.U(s, T)))  # T/s >= e
    yield equal(*squares).on({s: (1, 20), r: (0, 5), zeta: (20, 60)})


@CHANCES.step(
    "3d8",
    "G.3, Step 3d, 2nd display",
    "3d7",
    repair=StepRepair(
        "Not for each k; for the sum with rising weights it does (G.3-3d9)",
        {"weights": RISING, "last": 0},
    ),
    consequence="the third display, a sum with weights mu_1 - mu_k, stands",
)
def increments(weights: Sequence[tuple[int, int]] = ((1, 0),), last: int = 1) -> Parts:
    """Phi(zeta) <= 4 zeta/T gives Phi(zeta) - Phi(zeta') <= 4 (zeta - zeta')/T."""
    yield from _weighted(weights, last)


@CHANCES.step(
    "3d9",
    "G.3, Step 3d, 3rd display, <=",
    "3d7, G.3-3d10",
    repair=StepRepair("zeta_{N,K+1} = 0 by convention, and Phi(0) = 0", {"last": 0}),
    consequence="a term 4 c_K/T too little, in the term k = K that is dropped later (G.3-4b)",
)
def rising_weights(last: int = 1) -> Parts:
    """Phi(zeta) <= 4 zeta/T gives sum c_k (Phi(zeta_k) - Phi(zeta_{k+1})) <= (4/T) sum c_k (zeta_k
    - zeta_{k+1}) for rising c_k, with zeta_{N,K+1} = 1."""
    yield from _weighted(RISING, last)


# -- G.4 ---------------------------------------------------------------------------------------

MAXIMAL = Proof("lem-G.4")


@MAXIMAL.step(
    "a",
    "G.4 (lma:martingale), display",
    "Azuma-Hoeffding maximal inequality",
    bound=WIDTH / 2,
    consequence="even at most delta^2/12; 'for every S > 0' has no use",
)
def peeled(bound: Expr = WIDTH) -> Parts:
    """The mean crosses sqrt(2 (b-a)^2/t log(4T/(delta t))) by T with chance at most delta."""
    # blocks 2^i <= t < 2^(i+1): t times the width grows in t, so it is at least y, that at t = 2^i;
    # exp(-2 y^2/(2^(i+1) (b-a)^2)) = (delta 2^i/(4T))^power, and blocks are 2^power apart
    square = (t * bound) ** 2 / length**2
    slope = diff(square, t).subs({T: t * (1 + u), delta: 1 / (1 + r)})
    yield at_most(0, slope).on({u: _ANY, r: _ANY})
    power = sympy.simplify(square / t / log(4 * T / (delta * t)))
    yield at_most((delta / 4) ** power / (1 - 2**-power), delta).on({delta: (0, 1)})
