"""`sharp-law-free`: what its steps count, from which the last one makes the terms of the card.

Sections 3 to 9 of docs/theorems/law-free.md, in their letters; m and mu are those of an arm, nu is
the mean of arm L. Nothing here is taken from the card.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Rational, pi, sqrt

from boundcheck.claims.card import Term
from boundcheck.claims.functions import kl, rel_entr
from boundcheck.claims.unevaluated import Max, Min, log
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import K, N, T, f_star, m, m_L, mbar, mu
from boundcheck.theories.shareable_arms.symbols import mu_L as nu

LEVEL = log(1 + T / 4)  # l_T
LONGEST = LEVEL + log(pi * (T + Rational(1, 2))) / 2  # l_T + r(T)
GOOD_ROOM = (N - mbar) + m_L  # the capacities of the good arms together
SURPLUS = f_star - N * nu  # what the arms of S+ earn more than arm L would


def Q(distance: Expr, level: Expr = LEVEL) -> Expr:
    """More than any n with n d <= l + r(n): 6a."""
    return fn.most_plays(distance, level)


def _by_averages(b: Expr, scale: Expr) -> Expr:
    """5c: n d <= l + r(T) + r(n), with s = (b + 1)/b (scale b) or b/(b + 1) (scale b + 1)."""
    widths = sqrt(2) * scale + sqrt(b**2 + (b + 1) ** 2)
    return Q(2 * mu**2 / widths**2, LONGEST)


def sooner(averages: Expr, told: Expr) -> Expr:
    """The smaller of the two numbers of section 5: single values tell so much each."""
    return 1 / Max(1 / averages, told / LONGEST)


def until_below() -> Expr:
    """q_b for b < m, the largest of them: at b = m - 1; single values by E4."""
    b = Max(m - 1, 1)
    silence = Min(rel_entr(1, 1 - fn.chance_above(b, mu)), 100)
    return sooner(_by_averages(b, b), silence)


def until_at(rare: Expr) -> Expr:
    """q_m, single values by 5d."""
    p = fn.chance_above(m, mu)
    z = rare * p
    few = z * log(rare) + rel_entr(1 - z, 1 - p)  # kl(z, p)
    many = z * log(2) + (1 - z) * log((1 - z) / (1 - z / 2)) - log(1 - z / 2)
    return sooner(_by_averages(m, m + 1), Min(few, many))


@dataclass(frozen=True)
class Counts:
    """Slots, by the constants of the steps that count them."""

    coin: Expr = Rational(1, 2)  # 6c: with this chance a count grows
    haste: int = 4  # 6e: so many plays of a promising test count as one
    rare: Expr = Rational(9, 20)  # 5d
    inner: Expr = Rational(3, 8)  # 7b: x_k, from mu_k towards nu
    outer: Expr = Rational(2, 5)  # 7c: y_i, from nu towards mu_i

    def grown(self, times: Expr) -> Expr:
        """6c: slots in which a count can grow so often."""
        return times / self.coin

    def short(self, room: Expr, most: Expr) -> Expr:
        """6a of the page: filled with a count of at most this, for arms with so much room."""
        return self.grown(room * (most + 1))

    @property
    def below(self) -> Expr:
        """Trials of loads up to m: sum over b < m of q_b + 1."""
        return (m - 1) * (until_below() + 1)

    @property
    def trials(self) -> Expr:
        """H: of all loads that are tried, at b = m only if m < N."""
        return self.below + Min(1, N - m) * (until_at(self.rare) + 1)

    @property
    def climbing(self) -> Expr:
        """B: slots in which the low group is the smaller one (6c of the page)."""
        return self.grown(self.below)

    @property
    def reached(self) -> Expr:
        """q_b of an arm that has some b < m."""
        return until_below() * Min(1, m - 1)

    def open_tests(self, most: Expr) -> Expr:
        """D(c): 6e."""
        loads = fn.sum_suboptimal(Min(m, N - 1))
        bad = Min(fn.sum_suboptimal(self.trials), self.haste * loads * (most + 1))
        return self.grown(K * (most + 1) + fn.sum_optimal(self.trials) + bad)

    @property
    def x(self) -> Expr:
        return mu + self.inner * (nu - mu)

    @property
    def last(self) -> Expr:
        """The count of a good arm whose estimate is below x_k."""
        return Q(kl(self.x, nu))

    @property
    def filled(self) -> Expr:
        """V_k, section 7: k itself, a good arm as L^, an open test, a good arm that climbs."""
        most = Max(self.last, fn.largest_optimal(self.reached))
        own = self.short(m, Q(kl(self.x, mu)))
        climbing = fn.sum_optimal(self.climbing)
        return own + self.short(GOOD_ROOM, self.last) + self.open_tests(most) + climbing

    @property
    def tried(self) -> Expr:
        """O_k, section 7: while its count is small, or by heads in slots of the others."""
        w = (mu + self.x) / 2
        halves = Q(kl(w, mu)), Q(kl(w, self.x))
        most = Max(*halves, self.last, fn.largest_optimal(self.reached))
        others = self.short(GOOD_ROOM, self.last) + fn.sum_optimal(self.climbing)
        return most + 1 + others / 2

    @property
    def better_short(self) -> Expr:
        """W_i, section 7: i itself, arm L (no other has its mean), an open test, the climb."""
        y = nu + self.outer * (mu - nu)
        own = Q(kl(y, mu))
        ahead = self.short(m, own) + self.short(m_L, Q(kl(y, nu)))
        return ahead + self.open_tests(Max(own, self.reached)) + self.climbing

    @property
    def passed(self) -> Expr:
        """A bad arm that stands before a better one."""
        return self.short(m, Q(kl(nu, mu)))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Section 9: what each of them costs."""
        errs = 4 * LEVEL * f_star * (1 + 2 * (m - 1) + (m - 1) + 3 * Min(1, N - m))
        filled = (nu - mu) * m * self.filled + SURPLUS * self.passed
        moved = nu * m + SURPLUS  # 8a
        return (
            Term("evidence that errs", errs, Arms.ALL),
            Term("worse arms filled", filled, Arms.SUBOPTIMAL),
            Term("worse arms tried", (nu - mu) * self.tried, Arms.SUBOPTIMAL),
            Term("better arms short of plays", m * (mu - nu) * self.better_short, Arms.FILLED),
            Term(
                "larger loads tried, worse arms",
                moved * Min(self.trials, self.filled / 2),
                Arms.SUBOPTIMAL,
            ),
            Term("larger loads tried, optimal arms", moved * self.trials, Arms.OPTIMAL),
        )
