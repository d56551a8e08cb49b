"""Theorem H.1: the regret of ETC-UCB.

Radius of arm k: sqrt(2 log t/n_k); Delta_{i,k} = mu_i - mu_k. On [0, 1] Hoeffding's exponent for a
radius is 4 log t, for a Gaussian law log(t)/sigma^2; n_k is random, at most t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import ceil

import sympy
from flint import arb
from sympy import Expr, Rational, log, oo

from boundcheck.calculator.numbers.balls import precision
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, below, cases, certified_number, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import models
from boundcheck.theories.shareable_arms.etc_ucb.cards import TERMS
from boundcheck.theories.shareable_arms.explorations.cards import SIZE, A
from boundcheck.theories.shareable_arms.symbols import (
    K,
    N,
    T,
    delta,
    m,
    m_L,
    mu,
    mu_1,
    mu_before,
    mu_L,
)
from simulation.world.instance import Instance

PROOF = Proof("thm-H.1")
SUBOPTIMAL, LAST_ARM, _, FAILURES = (term.expression for term in TERMS)
PULLS = 8 * log(T) / (mu_L - mu) ** 2
gap, radius, u, x = sympy.symbols("gap radius u x", positive=True)
r, share = sympy.symbols("r share", nonnegative=True)
s2 = sympy.Symbol("sigma2", positive=True)
center = sympy.Symbol("muhat", real=True)
_ANY, _UP = (0, oo), (1, oo)
_INSIDE = {center: (-9, oo), radius: _ANY, r: _ANY}
_MEANS = {mu_1: ("0.8", "0.9"), mu_before: ("0.6", "0.7"), mu_L: ("0.3", "0.5"), mu: (0, "0.2")}
_ARMS = {m: (1, 9), m_L: (1, 9), **_MEANS, T: (3, 99)}
_SIZES = {K: (2, 9), N: (1, 8), T: (3, 99), u: (1, 9)}

# -- the first phase -------------------------------------------------------------------------


@PROOF.step(
    "a",
    "H.1, eq:etc_ucb_etcphase: sizes",
    ("thm-5.3a", "T >= exp(49 m^2/mu^2), not stated"),
    level=1 / T,
)
def _sizes(level: Expr = 2 / T) -> Parts:
    """The size of 5.3a at delta = 2/T."""
    arm = {m: (1, 9), mu: ("0.1", "0.9"), T: (3, 10**6)}
    yield equal(SIZE.subs(delta, level), A * log(T)).on(arm)


@PROOF.step("b", "H.1, eq:etc_ucb_etcphase, <=", "a", level=4 / T, total=K * N)
def _failures(level: Expr = 2 / T, total: Expr = 2 * K * N) -> Parts:
    """K capacities, each learnt but with chance 2/T, and N T otherwise: 2KN (H.1-d: N)."""
    yield equal(K * level * N * T, total).on(_SIZES)


@PROOF.step(
    "c",
    "H.1, eq:etc_ucb_etcphase: w_k",
    true_with={"more": models.base_cost},
    repair=StepRepair("w_k + f(a*) - sum_{j<=N} mu_j"),
    consequence="no simulation contradicts H.1",
)
def exploring_rounds(more: Callable[[Instance], Fraction] = lambda instance: Fraction(0)) -> Parts:
    """A round of the first phase loses at most sum_k w_k."""

    def fits(instance: Instance) -> bool:
        # every arm once in ceil(K/N) slots; w_k has what a united exploration loses, and mu_1
        slots = ceil(instance.arms / instance.plays)
        lost = slots * instance.optimal_reward - sum(instance.means)
        return lost <= instance.arms * (instance.means[0] + more(instance))

    words = "an individual round may lose more than mu_1 for each arm"
    yield models.over_small_instances(fits, words)


@PROOF.step(
    "d",
    "H.1, eq:etc_ucb_etcphase and 4KN: cost of a failure",
    true_with={"largest": 1},
    under={given.BOUNDED_MEANS.name: {"largest": 1}},
    repair=StepRepair("f(a*) in place of N, or means in [0, 1]"),
    consequence="H.1 is false for Gaussian means far above 1, by its first slot alone",
)
def slot_cost(largest: Expr = oo) -> Parts:
    """No slot loses more than N, whatever the means: f(a*) can be N mu_1."""
    yield at_most(N * mu_1, N).on({N: _UP, mu_1: (0, largest)})


# -- the second phase ------------------------------------------------------------------------


@PROOF.step("e", "H.1, 1st display of the UCB phase", factor=7)
def small_radius(factor: Expr = 8) -> Parts:
    """n > 8 log T/Delta^2 makes the radius less than Delta/2, t <= T."""
    count = factor * (u + r) / gap**2 + x  # log t = u, log T = u + r
    small = ("0.01", oo)
    yield below(2 * u, count * (gap / 2) ** 2).on({u: small, r: _ANY, gap: small, x: small})


@PROOF.step("f", "H.1, 2nd display, 1st <=", "mu_k inside its interval", radii=1)
def index_above(radii: Expr = 2) -> Parts:
    """muhat + radius <= mu + 2 radius where mu = muhat - radius + r."""
    yield at_most(center + radius, center - radius + r + radii * radius).on(_INSIDE)


@PROOF.step("g", "H.1, 2nd display, 2nd <=", "e", part=1)
def two_radii(part: Expr = Rational(1, 2)) -> Parts:
    """mu_k + 2 radius <= mu_k + Delta_{L,k}, the radius being at most Delta/2."""
    yield at_most(2 * share * part * gap, gap).on({share: (0, 1), gap: _ANY})


@PROOF.step("h", "H.1, 2nd display, 3rd <=", distance=mu_1 - mu)
def up_to_the_last(distance: Expr = mu_L - mu) -> Parts:
    """mu_k + Delta_{L,k} = mu_L."""
    yield equal(mu + distance, mu_L).on(_MEANS)


@PROOF.step("i", "H.1, 2nd display, 4th <=", "mu_L inside its interval", radii=Rational(1, 2))
def last_index(radii: Expr = 1) -> Parts:
    """mu_L <= muhat_L + radius_L where muhat_L = mu_L - radius_L + r."""
    yield at_most(center, center - radius + r + radii * radius).on(_INSIDE)


@PROOF.step(
    "j",
    "H.1, inline before the 2nd display",
    repair=StepRepair(
        "Above that of some arm i <= L; its index is at least mu_i >= mu_L",
        {"rivals": lambda last: range(last + 1)},
    ),
    consequence="the contradiction stands with arm i",
)
def preferred(rivals: Callable[[int], Sequence[int]] = lambda last: (last,)) -> Parts:
    """A suboptimal arm that is played has an index above that of arm L."""

    def true(case: tuple[int, models.Loads]) -> bool:
        plays, held = case
        last = max(models.played(models.oracle_loads(held, plays)))
        return all(
            any(order.index(k) < order.index(i) for i in rivals(last))
            for order in permutations(range(len(held)))
            for k in models.played(models.filled(order, held, plays))
            if k > last
        )

    words = "it may have passed another optimal arm instead"
    yield cases(true, {"(N, m)": models.believed(4)}, complete=False, words=words)


@PROOF.step(
    "k", "H.1, 3rd display: number of plays", "j, at least one round in the first phase", start=0
)
def plays_of_an_arm(start: int = 1) -> Parts:
    """An arm is pulled at most 8 log T/Delta^2 times after the first phase, as counts start at 1
    and it is not pulled above that."""
    limits = [Fraction(n, 3) for n in range(30)]
    yield cases(
        lambda limit: sum(start <= count <= limit for count in range(10)) <= limit,
        {"8 log T/Delta^2": limits},
        complete=False,
    )


@PROOF.step(
    "l", "H.1, 3rd display and the cost of arm L", missed=lambda instance: instance.last_arm
)
def orders_cost(missed: Callable[[Instance], int] = lambda instance: 0) -> Parts:
    """A slot loses at most m_k Delta_{1,k} for each suboptimal arm, m_L Delta_{1,L} if arm L has
    too many plays."""

    def fits(instance: Instance) -> bool:
        held, means, last = instance.capacities, instance.means, instance.last_arm
        cost = [m * (means[missed(instance)] - mu) for m, mu in zip(held, means, strict=True)]
        for order in permutations(range(instance.arms)):
            loads = models.filled(order, held, instance.plays)
            charged = sum(cost[k] for k in models.played(loads) if k > last)
            if loads[last] > instance.remaining_plays:
                charged += cost[last]
            if instance.regret(loads) > charged:
                return False
        return True

    words = "an arm before L may be served last, with too few plays"
    yield models.over_small_instances(fits, words)


@PROOF.step("m", "H.1, 3rd display, =", "k, l", times=PULLS * (mu_L - mu), each=m * (mu_L - mu))
def _first_term(times: Expr = PULLS, each: Expr = m * (mu_1 - mu)) -> Parts:
    """So many plays at this cost are the first term of the theorem."""
    yield equal(each * times, SUBOPTIMAL).on(_ARMS)


@PROOF.step(
    "n",
    "H.1, 5th display (Hoeffding)",
    "Hoeffding's inequality",
    true_with={"largest": Fraction(1, 3)},
    under={given.SUB_GAUSSIAN.name: {"largest": Fraction(1, 4)}},
    repair=StepRepair("sigma <= 1/2; or a radius sqrt(6 sigma^2 log t/n) for Gaussian rewards"),
    consequence="it holds on [0, 1] and for sigma^2 <= 1/3, not for Gaussian variances up to 1/2; "
    "2 t^-2 is right for a fixed n, and not contradicted for random ones",
)
def _outside(largest: Fraction = Fraction(1, 2)) -> Parts:
    """Hoeffding, over the counts up to t, bounds P(mu outside its interval) by 2 t^-2."""
    # the union over n <= t: t * 2 t^-4 on [0, 1], t * 2 t^(-1/sigma^2) for Gaussian laws
    yield at_most(1 - sympy.Integer(4), -2).on({})
    yield at_most(1 - 1 / s2, -2).on({s2: (Fraction(1, 1000), largest)})


@PROOF.step("o", "H.1, 4th display, 1st <=", "n", each=4 * u**-2, total=K * u**-2)
def all_arms(each: Expr = 2 * u**-2, total: Expr = 2 * K * u**-2) -> Parts:
    """K arms, 2 t^-2 each: 2K t^-2."""
    yield equal(K * each, total).on(_SIZES)


@PROOF.step(
    "p", "H.1, 4th display, 2nd <=", "o", total=3, consequence="pi^2/3 = 3.29 in place of 4"
)
def all_times(total: int = 4) -> Parts:
    """2K sum t^-2 <= 4K."""
    with precision(rel.BITS):
        whole = 2 * arb(2).zeta()
    yield certified_number(whole, at_most=total, region="all T", words="2 zeta(2)")


@PROOF.step(
    "q",
    "H.1, eq:etc_ucb_ucbphase and last display: arm L",
    repair=StepRepair("m_L takes the place of m_k", {"held": m_L}),
    consequence="a misprint: k is bound nowhere; the theorem has m_L",
)
def term_of_the_last(held: Expr = m) -> Parts:
    """8 Delta_{1,L} m_k log T/Delta_{L-1,L}^2 as printed is the term of the theorem."""
    yield equal(8 * (mu_1 - mu_L) * held * log(T) / (mu_before - mu_L) ** 2, LAST_ARM).on(_ARMS)


@PROOF.step("r", "H.1, last display", "b, p", exploring=K * N, outside=2 * K * N)
def constants(exploring: Expr = 2 * K * N, outside: Expr = 4 * K * N) -> Parts:
    """2KN + 4KN = 6KN."""
    yield equal(exploring + outside, FAILURES).on(_SIZES)


STEPS = tuple(PROOF)
