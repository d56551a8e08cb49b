"""`sharp-7.1`, section F of docs/theorems/orch-explore.md: what it costs to learn a capacity.

A k-slot is a united slot whose first arm is k. After n of them muhat = mu + A and nuhat = m (mu
+ B) are means of n rewards or more, s <= 2 phi(n) is the width, and c another capacity than m.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Expr, erf, exp, pi, sqrt

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import BALLS
from boundcheck.calculator.numbers.evaluate import Evaluator
from boundcheck.claims.card import Range, Term
from boundcheck.claims.unevaluated import Ge
from boundcheck.proof_steps.derivation import is_expression, is_term
from boundcheck.proof_steps.parts import below, cases, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UP, UP9
from boundcheck.proof_steps.relations import BITS
from boundcheck.proof_steps.step import Part, Parts
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.exact.first_count import first_whole
from boundcheck.theories.shareable_arms.exact.learning import last, plays_filled, starts
from boundcheck.theories.shareable_arms.functions import phi
from boundcheck.theories.shareable_arms.orch_explore.both_off import both_off
from boundcheck.theories.shareable_arms.orch_explore.functions import learning, learning_last
from boundcheck.theories.shareable_arms.proofs import sharp_7_1_costs  # noqa: F401 -- step d2
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_chances import PROOF
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

m, mu, N = sym.m, sym.mu, sym.N
A, B = sympy.symbols("A B", real=True)
a, b, c, p, q, r, s, w, x = sympy.symbols("a b c p q r s w x", positive=True)
HORIZON, VARIANCE = 100, Fraction(1, 4)
# means, capacities, plays: one play left for arm L and more, one arm before L and more
INSTANCES = (
    ((18, 15, 9, 2), (2, 2, 3, 1), 3),
    ((18, 15, 9, 2), (1, 1, 2, 3), 3),
    ((20, 11, 11, 9, 4, 1), (2, 1, 3, 2, 4, 1), 4),
    ((20, 17, 16, 5, 1), (1, 2, 4, 3, 2), 4),
)


@PROOF.step("f1", "F1: where the interval holds another capacity", "s3, a3", above=m)
def _misses(above: Expr = c) -> Parts:
    """nuhat >= c (muhat - s) is m B - c A >= (c - m) mu - c s, and nuhat <= c (muhat + s) is c A
    - m B >= (m - c) mu - c s. If muhat <= s, then -A >= mu - s, and -c A alone is as large."""
    points = dict.fromkeys((m, mu, s, c, A, B), UP9)
    nuhat, muhat = m * (mu + B), mu + A
    over = (m * B - c * A) - ((c - m) * mu - c * s)
    yield equal(nuhat - above * (muhat - s), over).on(points)
    under = (c * A - m * B) - ((m - c) * mu - c * s)
    yield equal(c * (muhat + s) - nuhat, under).on(points)
    yield below((c - m) * mu - c * s - r, c * (mu - s)).on(
        {c: UP, m: UP, mu: ANY, s: ANY, r: SURELY}
    )


@PROOF.step("f2", "F2: from some count on it holds none", "f1, s2", times=2 * c)
def certain(times: Expr = 3 * c) -> Parts:
    """|A| and |B| are less than phi(n): m B - c A, or c A - m B, is less than (m + c) phi(n), which
    with 2 c phi(n) is less than |c - m| mu as soon as (m + 3c) phi(n) is."""
    largest = m * (x - p) + c * (x - q) + 2 * c * x
    yield below(largest - r, (m + times) * x).on({m: UP, c: UP, x: ANY, p: ANY, q: ANY, r: SURELY})


@PROOF.step("f3", "F3: both means off", "f1, a5", share=2)
def both(share: int = 1) -> Parts:
    """The largest of all later deviations of A and of B, above 0 and independent, have chances
    exp(-n y^2/(2 sigma^2)) at most; scaled, exp(-x^2). That a X + b X' is e or more has then the
    chance exp(-e^2/a^2) and the integral of 2x exp(-x^2) exp(-(e - a x)^2/b^2) up to e/a: J."""
    points, squares = dict.fromkeys((a, b, q, x), UP9), a**2 + b**2
    e = q * sqrt(squares)
    # both exponents are -k^2 (x - v)^2 - q^2, with k = sqrt(squares)/b and v = a e/squares
    k2, v2 = squares / b**2, (a * e / squares) ** 2
    parted = k2 * (x - a * e / squares) ** 2 + q**2
    yield equal(x**2 + (e - a * x) ** 2 / b**2, parted).on(points)
    whole = -exp(-(w**2) * (x - p) ** 2) / w**2 + share * p * sqrt(pi) / w * erf(w * (x - p))
    inside = 2 * x * exp(-(w**2) * (x - p) ** 2)
    yield equal(sympy.diff(whole, x), inside).on(dict.fromkeys((x, p, w), UP9))
    # the ends: k v = q a/b, k (e/a - v) = q b/a, v/k = q a b/squares
    yield equal(k2 * v2, (q * a / b) ** 2).on(points)
    yield equal(k2 * (e / a - a * e / squares) ** 2, (q * b / a) ** 2).on(points)
    yield equal(v2 / k2, (q * a * b / squares) ** 2).on(points)
    right, left = (exp(-(q**2) * squares / y**2) for y in (a, b))  # with exp(-q^2)
    ends = b**2 / squares * (left - right)
    ends += q * a * b / squares * sqrt(pi) * exp(-(q**2)) * (erf(q * b / a) + erf(q * a / b))
    yield is_expression(both_off(q, a, b), right + ends)


Numbers = list[arb]


class _Slots:
    """What the k-slots of arm k may lose, by the definitions of section 2."""

    def __init__(
        self, means: Numbers, held: tuple[int, ...], plays: int, k: int, times: int
    ) -> None:
        self.means, self.held, self.plays, self.k, self.times = means, held, plays, k, times
        self.L = L = next(n for n in range(1, len(means)) if sum(held[:n]) >= plays)
        self.left = plays - sum(held[: L - 1])
        self.filled = k < L - 1
        self.m, self.top = held[k], held[k] if self.filled else self.left
        best = sum(
            (h * x for h, x in zip(held[: L - 1], means, strict=False)), self.left * means[L - 1]
        )
        self.first, self.spread = best - held[k] * means[k], (means[L] - means[-1]) / 2
        self.shorts = {bound: self._short(bound) for bound in range(1, self.top + 1)}

    def lost(self) -> Iterator[arb]:
        """By the first slot, then by those from each start up to the next."""
        hardest = self.m + 1 if self.filled else self.left - 1
        at = starts(first_whole(lambda n: self._chance(hardest, n) == 0))
        yield self.first + self.spread + self.shorts[1]
        for n, after in pairwise(at):
            yield (after - n) * self._cost(n)

    def _cost(self, n: int) -> arb:
        """Of one slot after n: what is short before it, the spread, and the arm's other plays."""
        m, top, filled = self.m, self.top, self.filled
        low = self._chance(top - 1, n) if top > 1 else arb(0)
        alive = (self._chance(m + 1, n) + low).min(arb(1)) if filled else low
        low = low.min(alive)
        cost = self.shorts[top] * alive
        for v in range(2, top + 1):
            cost += (self.shorts[v - 1] - self.shorts[v]) * self._chance(v - 1, n).min(alive)
        cost += self.spread * (alive if not filled or self.shorts[m] > 0 else low)
        if not filled:
            return cost + self.first * alive
        larger = {v: self._chance(v, n) for v in range(m + 2, self.plays + 1)}
        plain, better = (
            (self.first - f(m + 1)) * alive
            + sum(((f(v - 1) - f(v)) * chance for v, chance in larger.items()), arb(0))
            for f in (self._other, self._good)
        )
        gap = max((self._good(v) - self._other(v) for v in range(m, self.plays + 1)), key=float)
        return cost + plain.min(better + gap * low)

    def _short(self, bound: int) -> arb:
        """kappa, by all ways to place what is short beyond L."""
        k, means, held = self.k, self.means, self.held
        last, lacking = means[self.L - 1], {self.L - 1: self.left - bound}
        if self.filled:
            lacking = {i: held[i] - 1 for i in range(self.L - 1) if not means[i] > means[k]}
            lacking |= {k: self.m - bound, self.L - 1: self.left - 1}
        count, beyond = sum(lacking.values()), range(self.L, len(means))
        ways = [x for x in product(*(range(held[j] + 1) for j in beyond)) if sum(x) <= count]
        placed = (
            sum((y * (last - means[j]) for y, j in zip(x, beyond, strict=True)), arb(0))
            for x in ways
        )
        most = max(placed, key=float)
        return sum((y * (means[i] - last) for i, y in lacking.items()), most)

    def _chance(self, c: int, n: int) -> arb:
        """That the interval after n slots still holds the capacity c."""
        m, room = self.m, abs(c - self.m) * self.means[self.k]
        width = Evaluator(BALLS, {}).call(phi, *_row(n, Fraction(2, HORIZON))).item()
        if (m + 3 * c) * width < room:
            return arb(0)
        deviation = (balls.ball(2 * VARIANCE) / n * (m * m + c * c)).sqrt()
        off = (room - self.times * c * width) / deviation
        if not off > 0:
            return arb(1)
        found = Evaluator(BALLS, {}).call(both_off, np.array([[off]]), *_row(m, c)).item()
        return found.min(arb(1))

    def _earned(self, plays: int, arms: range) -> arb:
        """The least of what these plays earn on one of these arms."""
        found = [min(plays, self.held[j]) * self.means[j] for j in arms if j != self.k]
        return min(found, key=float)

    def _other(self, u: int) -> arb:
        return self._earned(self.plays - u, range(len(self.means)))

    def _good(self, u: int) -> arb:
        if self.left > 1 or self.L < 3:
            return self._other(u)
        return max(self._other(u), self._earned(self.plays - u, range(self.L - 1)), key=float)


def _row(*numbers: int | Fraction) -> Iterator[np.ndarray[tuple[int, int], np.dtype[np.object_]]]:
    for number in numbers:
        yield np.array([[balls.ball(Fraction(number))]], dtype=object)


def _learnt(means: tuple[int, ...], held: tuple[int, ...], plays: int) -> Iterator[Numbers]:
    """What `exact.learning` says, for each arm before L, and for L."""
    L = next(n for n in range(1, len(means)) if sum(held[:n]) >= plays)
    left = plays - sum(held[: L - 1])
    numbers = [balls.ball(Fraction(x, 20)) for x in means]
    best = sum((h * x for h, x in zip(held[: L - 1], numbers, strict=False)), left * numbers[L - 1])
    table = np.array([numbers], dtype=object)
    capacities = np.array([[arb(h) for h in held]], dtype=object)
    given = (table, capacities, *_row(plays, L, left))
    more = (np.array([[best]], dtype=object), *_row(HORIZON, VARIANCE))
    yield [*plays_filled(BALLS, *given, *more)[0][: L - 1]]
    yield [*last(BALLS, *given, *more)[0]]


@PROOF.step("f4", "F4: the cost of k-slots", "f2, f3, p4, q2, q4", times=1)
def _summed(times: int = 2) -> Parts:
    """The next k-slot needs u_k > m_k or l_k < m_k (for L: l_L < mbar); it loses c_k - lam(N -
    u_k), or c_k - good(N - u_k) where l_k = m_k, and the short cost kappa_k(l_k) of the slot
    before. Chances do not rise with n, so one stands for those up to the next. The sums that the
    calculator makes are those of the definitions, on instances with every case."""
    with balls.precision(BITS):
        tried: dict[tuple[Any, ...], tuple[arb, arb]] = {}
        for means, held, plays in INSTANCES:
            before, on_last = _learnt(means, held, plays)
            numbers = [balls.ball(Fraction(x, 20)) for x in means]
            several = plays - sum(held[: len(before)]) > 1
            due = [*before, *(on_last if several else [])]
            for k, found in enumerate(due):
                whole = sum(_Slots(numbers, held, plays, k, times).lost(), arb(0))
                tried[means, held, plays, k] = found, whole

    def true(case: tuple[Any, ...]) -> bool:
        found, whole = tried[case]
        return bool(found.overlaps(whole)) and bool(found.rel_accuracy_bits() > 40)

    yield cases(true, {"means, capacities, plays, arm": tried}, complete=True)


@PROOF.step("f5", "F4: the terms of the card", "f4", last=N - 1)
def _capacities(theory: Theory, last: Expr = N) -> Parts:
    """Cap_k for every arm before L, and Cap_L if L has several plays."""
    given = (mu, m, last, sym.L, sym.mbar, sym.f_star, sym.T, sym.sigma2)
    yield charged(theory, "capacities of filled arms", learning(*given), Arms.FILLED)
    yield charged(theory, "capacity of arm L", learning_last(*given), when=Ge(sym.mbar, 2))


def charged(
    theory: Theory,
    name: str,
    expression: Expr,
    over: Range | None = None,
    when: sympy.Rel | None = None,
) -> Part:
    """The card has this term."""
    return is_term(theory.cards[PROOF.claim], Term(name, expression, over, when))
