"""Theorem H.1: the regret of ETC-UCB.

Radius of arm k: sqrt(2 log t/n_k); Delta_{i,k} = mu_i - mu_k. On [0, 1] Hoeffding's exponent for a
radius is 4 log t, for a Gaussian law log(t)/sigma^2; n_k is random, at most t.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import arb

from boundcheck.balls import precision
from boundcheck.claims.thm_5_3 import SIZE, A
from boundcheck.finding import Verdict
from boundcheck.proofs import models
from boundcheck.proofs.methods import computed, exhaustive, identity, sign
from boundcheck.proofs.models import apart, at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.orch_explore import slot_loses_at_most_plays
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import K, N, T, delta, m, m_L, mu, mu_1, mu_before, mu_L
from simulation.instance import Instance

oo = sympy.oo
gap, radius, u = sympy.symbols("gap radius u", positive=True)
r = sympy.Symbol("r", nonnegative=True)
s2 = sympy.Symbol("sigma2", positive=True)
center = sympy.Symbol("muhat", real=True)
_ARM = {m: (1, 9), mu: ("0.1", "0.9"), T: (3, 10**6)}
_ZERO = sympy.Integer(0)

# -- the first phase -----------------------------------------------------------------------


def _exploring_rounds() -> Part:
    """One round: every arm individually (ceil(K/N) slots, once each), then every arm unitedly."""

    def fits(instance: Instance) -> bool:
        best = instance.means[instance.order[0]]
        slots = -(-instance.arms // instance.plays)
        lost = slots * instance.optimal_reward - sum(instance.means)
        allowed = Fraction(0)
        for held, mean in zip(instance.capacities, instance.means, strict=True):
            united = instance.optimal_reward - held * mean
            lost += united
            allowed += united + best
        return bool(lost <= allowed)

    words = "an individual round may lose more than mu_1 for each arm"
    return models.over_instances(fits, models.small_instances(), words)


# -- the second phase ----------------------------------------------------------------------


def _below_the_last(plays: int, held: tuple[int, ...]) -> bool:
    """An arm beyond L is played: is its index above that of arm L?"""
    last = max(models.played(models.filled(range(len(held)), held, plays)))
    for order in models.orders(len(held)):
        loads = models.filled(order, held, plays)
        for k in range(last + 1, len(held)):
            if loads[k] and order.index(k) > order.index(last):
                return False
    return True


def _below_some(plays: int, held: tuple[int, ...]) -> bool:
    """The repair: above that of some arm up to L."""
    last = max(models.played(models.filled(range(len(held)), held, plays)))
    for order in models.orders(len(held)):
        loads = models.filled(order, held, plays)
        for k in range(last + 1, len(held)):
            if loads[k] and all(order.index(i) < order.index(k) for i in range(last + 1)):
                return False
    return True


def _preferred() -> Part:
    cases = {"(N, m)": list(models.believed(4))}
    printed = exhaustive(
        lambda case: _below_the_last(*case),
        cases,
        complete=False,
        words="it may have passed another optimal arm instead",
    )
    return apart(printed, exhaustive(lambda case: _below_some(*case), cases, complete=False))


def _orders_cost() -> Part:
    """Every order of the indices: what the action loses, beside what the proof charges it."""

    def fits(instance: Instance) -> bool:
        by_rank = instance.order
        best, last = by_rank[0], instance.last_arm
        for order in models.orders(instance.arms):
            loads = models.filled([by_rank[k] for k in order], instance.capacities, instance.plays)
            charged = sum(
                instance.capacities[k] * instance.gap(best + 1, k + 1)
                for k in by_rank[instance.L :]
                if loads[k]
            )
            if loads[last] > instance.remaining_plays:
                charged += instance.capacities[last] * instance.gap(best + 1, last + 1)
            if instance.regret(loads) > charged:
                return False
        return True

    words = "an arm before L may be served last, with too few plays"
    return models.over_instances(fits, models.small_instances(), words)


def _pulls(limit: Fraction) -> bool:
    """Counts start at 1 after the first phase; an arm is pulled while its count is <= limit."""
    count, pulled = 1, 0
    while count <= limit:
        count, pulled = count + 1, pulled + 1
    return pulled <= limit


def _outside() -> Part:
    """A union over the n <= t: t * 2 t^-4 on [0, 1], t * 2 t^(-1/sigma^2) for Gaussian laws."""
    bounded = sign(at_most(1 - sympy.Integer(4), sympy.Integer(-2)), {})
    gaussian = sign(at_most(1 - 1 / s2, sympy.Integer(-2)), {s2: ("0.001", "1/3")})
    beyond = sign(sympy.Gt(1 - 1 / s2, -2, evaluate=False), {s2: ("0.334", "1/2")})
    certain = all(part.verdict is Verdict.HOLDS for part in (bounded, gaussian, beyond))
    return Part(
        "calculus",
        Verdict.REFUTED if certain else Verdict.INCONCLUSIVE,
        "Gaussian rewards with 1/3 < sigma^2 <= 1/2; it holds on [0, 1] and for sigma^2 <= 1/3",
        "n_k is random: the union over its values gives 2 t^(1 - 1/sigma^2), 2/t at sigma^2 = 1/2",
    )


def _two_sums() -> Part:
    with precision(96):
        whole = arb(2).zeta()
    return computed(
        "certified sum",
        bool(whole <= 2),
        "all T",
        f"sum t^-2 <= zeta(2) = {float(whole):.6f} <= 2",
    )


STEPS = (
    Step(
        "thm-H.1",
        "H.1-a",
        "H.1, eq:etc_ucb_etcphase: sizes",
        "the size of 5.3a at delta = 2/T",
        ("thm-5.3a", "T >= exp(49 m^2/mu^2), not stated"),
        lambda: identity(SIZE.subs(delta, 2 / T), A * sympy.log(T), _ARM),
    ),
    Step(
        "thm-H.1",
        "H.1-b",
        "H.1, eq:etc_ucb_etcphase, <=",
        "2K/T times NT is 2KN",
        ("H.1-a", "H.1-d"),
        lambda: identity(2 * K / T * N * T, 2 * K * N, {K: (2, 9), N: (1, 8), T: (2, 99)}),
    ),
    Step(
        "thm-H.1",
        "H.1-c",
        "H.1, eq:etc_ucb_etcphase: w_k",
        "a round of the first phase loses at most sum_k w_k",
        (),
        _exploring_rounds,
        repair="w_k + f(a*) - sum_{j<=N} mu_j, and no plays wasted",
        consequence="no simulation contradicts H.1",
    ),
    Step(
        "thm-H.1",
        "H.1-d",
        "H.1, eq:etc_ucb_etcphase and 4KN: cost of a failure",
        "no slot loses more than N",
        (),
        lambda: combined(*slot_loses_at_most_plays()),
        repair="f(a*) in place of N, or means in [0, 1]",
        consequence="H.1 is false for Gaussian means far above 1, by its first slot alone",
    ),
    Step(
        "thm-H.1",
        "H.1-e",
        "H.1, 1st display of the UCB phase",
        "n > 8 log T/Delta^2 makes the radius less than Delta/2 (n = 8 log T/Delta^2 + r, t <= T)",
        (),
        lambda: sign(
            at_most(2 * u / (8 * (u + r) / gap**2), (gap / 2) ** 2),
            {u: (0, oo), r: (0, oo), gap: (0, oo)},
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-f",
        "H.1, 2nd display, 1st <=",
        "muhat + radius <= mu + 2 radius where mu = muhat - radius + r",
        ("mu_k inside its interval",),
        lambda: sign(
            at_most(center + radius, center - radius + r + 2 * radius),
            {center: (-9, oo), radius: (0, oo), r: (0, oo)},
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-g",
        "H.1, 2nd display, 2nd <=",
        "mu_k + 2 radius <= mu_k + Delta_{L,k}, Delta = 2 radius + r",
        ("H.1-e",),
        lambda: sign(
            at_most(center + 2 * radius, center + 2 * radius + r),
            {center: (-9, oo), radius: (0, oo), r: (0, oo)},
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-h",
        "H.1, 2nd display, 3rd <=",
        "mu_k + Delta_{L,k} = mu_L",
        (),
        lambda: identity(mu + (mu_L - mu), mu_L, {mu: (0, 9), mu_L: (0, 9)}),
    ),
    Step(
        "thm-H.1",
        "H.1-i",
        "H.1, 2nd display, 4th <=",
        "mu_L <= muhat_L + radius_L where muhat_L = mu_L - radius_L + r",
        ("mu_L inside its interval",),
        lambda: sign(
            at_most(center, center - radius + r + radius),
            {center: (-9, oo), radius: (0, oo), r: (0, oo)},
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-j",
        "H.1, inline before the 2nd display",
        "a suboptimal arm that is played has an index above that of arm L",
        (),
        _preferred,
        repair="above that of some arm i <= L; its index is at least mu_i >= mu_L",
        consequence="the contradiction stands with arm i",
    ),
    Step(
        "thm-H.1",
        "H.1-k",
        "H.1, 3rd display: number of plays",
        "an arm is pulled at most 8 log T/Delta^2 times after the first phase",
        ("H.1-j", "at least one round in the first phase"),
        lambda: exhaustive(
            _pulls, {"8 log T/Delta^2": [Fraction(n, 3) for n in range(30)]}, complete=False
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-l",
        "H.1, 3rd display and the cost of arm L",
        "a slot loses at most m_k Delta_{1,k} for each suboptimal arm, m_L Delta_{1,L} if arm L "
        "has too many plays",
        (),
        _orders_cost,
    ),
    Step(
        "thm-H.1",
        "H.1-m",
        "H.1, 3rd display, =",
        "the factors of the sum in another order",
        (),
        lambda: identity(
            m * (mu_1 - mu) * (8 * sympy.log(T) / (mu_L - mu) ** 2),
            8 * (mu_1 - mu) * m * sympy.log(T) / (mu_L - mu) ** 2,
            {m: (1, 9), mu_1: (3, 4), mu_L: (2, 3), mu: (0, 1), T: (3, 99)},
        ),
    ),
    Step(
        "thm-H.1",
        "H.1-n",
        "H.1, 5th display (Hoeffding)",
        "Hoeffding, over the counts up to t, bounds P(mu outside its interval) by 2 t^-2",
        ("Hoeffding's inequality",),
        _outside,
        repair="sigma <= 1/2; or a radius sqrt(6 sigma^2 log t/n) for Gaussian rewards",
        consequence="2 t^-2 is right for a fixed n, and not contradicted for random ones",
    ),
    Step(
        "thm-H.1",
        "H.1-o",
        "H.1, 4th display, 1st <=",
        "K arms, 2 t^-2 each",
        ("H.1-n",),
        lambda: identity(K * 2 * u**-2, 2 * K * u**-2, {K: (2, 9), u: (1, 9)}),
    ),
    Step(
        "thm-H.1",
        "H.1-p",
        "H.1, 4th display, 2nd <=",
        "2K sum t^-2 <= 4K",
        ("H.1-o",),
        _two_sums,
        consequence="pi^2/3 = 3.29 in place of 4",
    ),
    Step(
        "thm-H.1",
        "H.1-q",
        "H.1, eq:etc_ucb_ucbphase and last display: arm L",
        "8 Delta_{1,L} m_k log T/Delta_{L-1,L}^2 as printed is the term of the theorem",
        (),
        lambda: identity(
            8 * (mu_1 - mu_L) * m * sympy.log(T) / (mu_before - mu_L) ** 2,
            8 * (mu_1 - mu_L) * m_L * sympy.log(T) / (mu_before - mu_L) ** 2,
            {m: (1, 9), m_L: (1, 9), mu_1: (3, 4), mu_before: (2, 3), mu_L: (0, 1), T: (3, 99)},
        ),
        repair="m_L in place of m_k",
        consequence="a misprint: k is bound nowhere; the theorem has m_L",
    ),
    Step(
        "thm-H.1",
        "H.1-r",
        "H.1, last display",
        "2KN + 4KN = 6KN",
        ("H.1-b", "H.1-p"),
        lambda: identity(2 * K * N + 4 * K * N, 6 * K * N, {K: (2, 9), N: (1, 8)}),
    ),
)
