"""Theorem 7.1 and corollary 7.2; lemmas E.1 to E.6 are in modules of their own.

e = epsilon^-2, w_k = f(a*) - m_k mu_k + mu_1, mbar the plays left for arm L.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from boundcheck.claims import find
from boundcheck.claims.thm_7_1 import INDEX
from boundcheck.finding import Verdict
from boundcheck.proofs import bad_slots, deliberate, models, slot_counts, slot_cover
from boundcheck.proofs import relations as rel
from boundcheck.proofs.bad_slots import BAD
from boundcheck.proofs.deliberate import KL_BERNOULLI, UNIT, r, x, y, z
from boundcheck.proofs.methods import computed, identity, sign
from boundcheck.proofs.models import apart, at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.slot_counts import e
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import K, L, N, T, d, delta, m, m_L, mbar, mu, mu_L, w_L
from simulation.instance import Instance
from simulation.rewards import Gaussian

oo = sympy.oo
LAST_SIZE = 49 * m_L**2 * sympy.log(T) / ((m_L - mbar + 1) ** 2 * mu_L**2)


def _pair_of_rounds(instance: Instance) -> bool:
    """A PIE slot with m^l = 1, with or without a deliberate exploration, and the PUE slot of arm k
    after it, at their dearest: do they lose at most w_k?"""
    order = list(instance.order)
    first = order[: instance.plays]
    outsider = order[instance.plays]
    dearest = max(
        instance.regret([int(k in chosen) for k in range(instance.arms)])
        for chosen in (first, [*first[:-1], outsider])
    )
    for k in order[: instance.L]:
        full = min(instance.capacities[k], instance.plays) * instance.means[k]
        allowed = instance.optimal_reward - full + instance.means[order[0]]
        if instance.optimal_reward - full + dearest > allowed:
            return False
    return True


def dear_rounds() -> Part:
    words = "a slot that believes in m^l = 1 loses f(a*) - sum_{j<=N} mu_j besides"
    return models.over_instances(_pair_of_rounds, models.small_instances(), words)


def slot_loses_at_most_plays() -> Part:
    inside = sign(at_most(N * z, N), {N: (1, oo), z: (0, 1)})
    far = Instance([3, 2, 1], [1, 1, 1], 2, Gaussian(Fraction(1, 2)))
    worst = far.regret([0, 0, far.plays])
    above = computed(
        "exact example",
        worst <= far.plays,
        "Gaussian means above 1, such as 3, 2, 1 with N = 2: a slot may lose "
        f"{float(worst):g}; never where f(a*) <= N",
        "rewards per slot reach f(a*) <= N mu_1, not N",
    )
    return apart(above, inside)


def _constants_fit() -> Part:
    """L = 1 + x, N = L + y, K = N + 1 + z, gaps at most 1."""
    sizes = {L: 1 + x, N: 1 + x + y, K: 2 + x + y + z}
    left = N * BAD + 2 * N * L + (K - L) * (4 + 2 * e)
    relation = at_most(left.subs(sizes), (13 * K**2 * N**2 * (4 + e)).subs(sizes))
    inside = sign(relation, {x: (0, oo), y: (0, oo), z: (0, oo), e: (0, oo)})
    if inside.verdict is not Verdict.HOLDS:
        return inside
    words = f"K > N >= L >= 1, any epsilon, gaps at most 1; {inside.detail}"
    return Part(inside.method, inside.verdict, words)


def _arm_l_twice() -> Part:
    filled, last = sympy.symbols("filled last", positive=True)
    again = LAST_SIZE.subs(mbar, m_L) * w_L
    ranges = {filled: (0, 9), last: (0, 9), m_L: (1, 5), mu_L: ("0.1", "0.9"), T: (3, 100)}
    ranges |= dict.fromkeys(sorted(w_L.free_symbols - {m_L, mu_L}, key=str), (5, 9))
    return identity(filled + again + last, filled + last, ranges)


def _last_size() -> Part:
    """5.3b at delta = 2/T and d = mbar, and its horizon: m_L = mbar + r."""
    (term,) = find("thm-5.3b").quantities[0].terms
    size = term.expression.subs({delta: 2 / T, d: mbar, m: m_L, mu: mu_L}, simultaneous=True)
    ranges = {m_L: (5, 9), mbar: (1, 5), mu_L: ("0.1", "0.9"), T: (3, 10**6)}
    shorter = at_most((mbar + r) ** 2 / (r + 1) ** 2, (mbar + r) ** 2)
    return combined(identity(size, LAST_SIZE, ranges), sign(shorter, {mbar: (1, oo), r: (0, oo)}))


def _moved_play(instance: Instance) -> bool:
    """One play moved from the last optimal arm to a worse one."""
    order, last = instance.order, instance.last_arm
    for k in order[instance.L :]:
        action = list(instance.optimal_action)
        action[last] -= 1
        action[k] += 1
        if instance.regret(action) != instance.means[last] - instance.means[k]:
            return False
    return True


def _other_divergence() -> Part:
    """Two plays of a Bernoulli arm, halved: a law on {0, 1/2, 1} with twice the divergence."""
    p, q = Fraction(1, 2), Fraction(3, 4)
    laws = [{0: (1 - a) ** 2, 1: 2 * a * (1 - a), 2: a * a} for a in (p, q)]
    bernoulli = rel.value(KL_BERNOULLI, {x: p, y: q})
    terms = [
        sympy.Rational(laws[0][v]) * sympy.log(sympy.Rational(laws[0][v] / laws[1][v]))
        for v in laws[0]
    ]
    own = rel.value(sympy.Add(*terms), {})
    return computed(
        "enclosure",
        not own > bernoulli,
        "laws on [0, 1] other than Bernoulli, such as the mean of two Bernoulli variables",
        f"KL = {float(own.mid()):.4f} exceeds kl = {float(bernoulli.mid()):.4f} at means 0.5, 0.75",
    )


def _limit() -> Part:
    growth = sympy.limit(INDEX / sympy.log(T), T, oo)
    constant = sympy.limit(1 / sympy.log(T), T, oo)
    epsilon = sympy.Symbol("epsilon", positive=True)
    moved = KL_BERNOULLI.subs({x: x + epsilon, y: y - epsilon}, simultaneous=True)
    return combined(
        identity(growth, sympy.Integer(1), {}),
        identity(constant, sympy.Integer(0), {}),
        identity(sympy.limit(moved, epsilon, 0), KL_BERNOULLI, UNIT),
    )


STEPS = (
    *slot_counts.STEPS,
    *slot_cover.STEPS,
    *bad_slots.STEPS,
    *deliberate.STEPS,
    Step(
        "thm-7.1",
        "7.1-a",
        "7.1, Step 3, 1st display: w_k",
        "a PUE slot for arm k and the PIE slot before it lose at most w_k together",
        ("means in [0, 1]",),
        dear_rounds,
        repair="w'_k = w_k + f(a*) - sum_{j<=N} mu_j",
        consequence="sharp-7.1 has w'_k; no simulation contradicts 7.1 as printed",
    ),
    Step(
        "thm-7.1",
        "7.1-b",
        "7.1, Step 3, 1st display: failures",
        "L - 1 capacities fail with probability 2/T each and then cost NT: 2(L - 1)N",
        ("lem-E.6", "7.1-d"),
        lambda: identity(
            2 * (L - 1) / T * N * T, 2 * (L - 1) * N, {L: (1, 5), N: (5, 9), T: (2, 9)}
        ),
        consequence="estimates of all K arms need m^l <= m, so K in place of L; there is room",
    ),
    Step(
        "thm-7.1",
        "7.1-c",
        "7.1, Step 3, 2nd display",
        "the size of 5.3b at delta = 2/T, d = mbar; its horizon is implied by that of arm L",
        ("thm-5.3b",),
        _last_size,
    ),
    Step(
        "thm-7.1",
        "7.1-d",
        "7.1, last display but one, N E|A or B|",
        "no slot loses more than N",
        (),
        slot_loses_at_most_plays,
        repair="f(a*) in place of N, or means in [0, 1]",
        consequence="7.1 is false for Gaussian means far above 1, by its first slot alone",
    ),
    Step(
        "thm-7.1",
        "7.1-e",
        "7.1, last display but one, (mu_L - mu_k) E|G_k|",
        "a deliberate exploration of arm k > L in the optimal action loses mu_L - mu_k",
        ("E.5-a",),
        lambda: models.over_instances(_moved_play, models.small_instances(), "more, or less"),
    ),
    Step(
        "thm-7.1",
        "7.1-f",
        "7.1, last display but one, 1st <=",
        "2(L - 1)N + 2N = 2NL",
        ("7.1-b",),
        lambda: identity(2 * (L - 1) * N + 2 * N, 2 * N * L, {L: (1, 5), N: (5, 9)}),
    ),
    Step(
        "thm-7.1",
        "7.1-g",
        "7.1, last display but one, 2nd <=",
        "12 K^2 N^2 (4+e) + 2NL + sum_{k>L} (mu_L - mu_k)(4 + 2e) <= 13 K^2 N^2 (4+e)",
        ("E.4-o", "lem-E.5", "7.1-f"),
        _constants_fit,
        consequence="gaps above 1 would not fit for large epsilon",
    ),
    Step(
        "thm-7.1",
        "7.1-h",
        "7.1, statement beside the display",
        "the display is the bound of the theorem",
        ("7.1-g",),
        _arm_l_twice,
        repair="sum the second term to L - 1, as Step 3 derives it",
        consequence="a slip in the summation range",
    ),
    Step(
        "cor-7.2",
        "7.2-a",
        "7.1, last display; eq:oe_regret_upper_bound_asym",
        "divided by log T the terms tend to those printed, with kl(mu_k, mu_L), as epsilon -> 0",
        ("thm-7.1",),
        _limit,
    ),
    Step(
        "cor-7.2",
        "7.2-b",
        "7.1, last display: KL(nu_k, nu_L)",
        "the divergence of the laws in the denominator is no larger than kl of their means",
        ("7.2-a",),
        _other_divergence,
        repair="kl(mu_k, mu_L), as corollary 7.2 itself has it",
        consequence="the corollary is not affected",
    ),
)
