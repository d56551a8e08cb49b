"""Theorem 7.1 and corollary 7.2; the lemmas E.1 to E.6 are proved in `counting`.

e = epsilon^-2, w_k = f(a*) - m_k mu_k + mu_1, mbar the plays left for arm L.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from math import comb

import sympy
from sympy import Expr, log, oo

from boundcheck.proof_steps.parts import at_most, cases, certified_number, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import models
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.models import Loads
from boundcheck.theories.shareable_arms.orch_explore.cards import INDEX
from boundcheck.theories.shareable_arms.proofs.proof_e_1 import e, in_e
from boundcheck.theories.shareable_arms.proofs.proof_e_4 import BAD
from boundcheck.theories.shareable_arms.proofs.proof_e_5 import (
    BAD_MEANS,
    KL_BERNOULLI,
    UNIT,
    r,
    x,
    y,
    z,
)
from boundcheck.theories.shareable_arms.symbols import (
    K,
    L,
    N,
    T,
    d,
    delta,
    m,
    m_L,
    mbar,
    mu,
    mu_L,
    w_L,
)
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

_, _, _LAST, _CONSTANT = (term.expression for term in find("thm-7.1").quantities[0].terms)
LAST_SIZE, CONSTANT = _LAST / w_L, in_e(_CONSTANT)
ARM_L_AGAIN = LAST_SIZE.subs(mbar, m_L) * w_L
REGRET, LIMIT = Proof("thm-7.1"), Proof("cor-7.2")


@REGRET.step(
    "i",
    "7.1, Step 3, after lemma E.6",
    "individual explorations have loads up to m^l",
    repair=StepRepair(
        "Count united explorations of arms of Y only: these never exceed the individual ones",
        {"prioritised": True},
    ),
    consequence="a PUE slot counts for the first arm of Y, and that suffices for lemma E.6",
)
def individual_first(prioritised: bool = False) -> Parts:
    """An arm explored unitedly was so individually one slot before: iota never exceeds tau."""

    def true(case: tuple[Loads, Loads, bool, Loads]) -> bool:
        """Arms are numbered by their estimates in the PIE slot; `later` is their order after it."""
        lower, upper, moved, later = case
        plays = len(lower) - 1
        loads = models.oracle_loads(lower, plays)
        last = max(models.played(loads))
        explored = {k for k in models.played(loads) if k < last or loads[k] > moved}
        first = [k for k in later if loads[k] and k < last and lower[k] < upper[k]]
        united = models.filled([*first, *(k for k in later if k not in first)], upper, plays)
        counted = {k for k in later if united[k] >= upper[k]}
        return not first or (counted & set(first) if prioritised else counted) <= explored

    found = [
        (lower, upper, moved, later)
        for plays in (2, 3)
        for upper in models.capacities(plays + 1, plays)
        for lower in product(*(range(1, high + 1) for high in upper))
        for moved in (False, True)
        for later in permutations(range(plays + 1))
    ]
    yield cases(true, {"(m^l, m^u, a play of L_t moved, order in PUE)": found}, complete=False)


@REGRET.step(
    "a",
    "7.1, Step 3, 1st display: w_k",
    ("means in [0, 1]",),
    true_with={"besides": models.base_cost},
    repair=StepRepair("w'_k = w_k + f(a*) - sum_{j<=N} mu_j"),
    consequence="sharp-7.1 counts them; no simulation contradicts 7.1 as printed",
)
def dear_rounds(besides: Callable[[Instance], Fraction | int] = lambda instance: 0) -> Parts:
    """A PUE slot for arm k and the PIE slot before it lose at most w_k together."""

    def true(instance: Instance) -> bool:
        """The PIE slot has m^l = 1, with or without a deliberate exploration."""
        means, plays = instance.means, instance.plays
        explored = models.base_cost(instance) + means[plays - 1] - means[plays]
        # the PUE slot loses f(a*) - m_k mu_k, which stands on both sides
        return explored <= means[0] + besides(instance)

    words = "a slot that believes in m^l = 1 loses f(a*) - sum_{j<=N} mu_j besides"
    yield models.over_small_instances(true, words)


@REGRET.step(
    "b",
    "7.1, Step 3, 1st display: failures",
    "lem-E.6, 7.1-d",
    chance=4 / T,
    total=(L - 1) * N,
    consequence="estimates of all K arms need m^l <= m, so K in place of L; there is room",
)
def _failures(chance: Expr = 2 / T, total: Expr = 2 * (L - 1) * N) -> Parts:
    """L - 1 capacities fail with probability 2/T each and then cost NT: 2(L - 1)N."""
    # a share x of the union bound, and y of the largest loss, which is N in each slot
    ranges = {x: (0, 1), y: (0, 1), **dict.fromkeys((L, N, T), (1, oo))}
    yield at_most(x * (L - 1) * chance * y * N * T, total).on(ranges)


@REGRET.step("c", "7.1, Step 3, 2nd display", "thm-5.3b", level=1 / T)
def last_size(level: Expr = 2 / T) -> Parts:
    """The size of 5.3b at delta = 2/T, d = mbar; its horizon is implied by that of arm L."""
    (term,) = find("thm-5.3b").quantities[0].terms
    size = term.expression.subs({delta: level, d: mbar, m: m_L, mu: mu_L}, simultaneous=True)
    ranges = {m_L: (5, 9), mbar: (1, 5), mu_L: ("0.1", "0.9"), T: (3, 10**6)}
    yield equal(size, LAST_SIZE).on(ranges)
    capacity = mbar + r
    yield at_most(capacity**2 / (r + 1) ** 2, capacity**2).on({mbar: (1, oo), r: (0, oo)})


@REGRET.step(
    "d",
    "7.1, last display but one, N E|A or B|",
    true_with={"largest": 1},
    under={given.BOUNDED_MEANS.name: {"largest": 1}},
    repair=StepRepair("f(a*) in place of N, or means in [0, 1]"),
    consequence="7.1 is false for Gaussian means far above 1, by its first slot alone",
)
def slot_loses_at_most_plays(largest: int = 3) -> Parts:
    """No slot loses more than N."""
    yield at_most(N * z, N).on({N: (1, oo), z: (0, 1)})  # f(a*) <= N mu_1
    means = [Fraction(largest * k, 3) for k in (3, 2, 1)]
    far = Instance(means, [1, 1, 1], 2, Gaussian(Fraction(1, 2)))
    yield certified_number(
        far.regret([0, 0, 2]),
        at_most=far.plays,
        region=f"Gaussian means such as {', '.join(map(str, means))}, with N = 2",
        words="both plays on the last arm, whose capacity is 1, lose",
        sample=True,
    )


@REGRET.step(
    "e", "7.1, last display but one, (mu_L - mu_k) E|G_k|", "E.5-a", giver=lambda instance: 0
)
def moved_play(giver: Callable[[Instance], int] = lambda instance: instance.last_arm) -> Parts:
    """A deliberate exploration of arm k > L in the optimal action loses mu_L - mu_k."""

    def true(instance: Instance) -> bool:
        for k in range(instance.L, instance.arms):
            action = list(instance.optimal_action)
            action[instance.last_arm] -= 1
            action[k] += 1
            if instance.regret(action) != instance.means[giver(instance)] - instance.means[k]:
                return False
        return True

    yield models.over_small_instances(true, "more, or less")


@REGRET.step("f", "7.1, last display but one, 1st <=", "b", total=N * L)
def all_failures(total: Expr = 2 * N * L) -> Parts:
    """2(L - 1)N + 2N = 2NL."""
    yield equal(2 * (L - 1) * N + 2 * N, total).on({L: (1, 5), N: (5, 9)})


@REGRET.step(
    "g",
    "7.1, last display but one, 2nd <=",
    "E.4-o, lem-E.5, f",
    total=N * BAD,
    consequence="gaps above 1 would not fit for large epsilon",
)
def constants_fit(total: Expr = CONSTANT) -> Parts:
    """12 K^2 N^2 (4+e) + 2NL + sum_{k>L} (mu_L - mu_k)(4 + 2e) <= 13 K^2 N^2 (4+e)."""
    sizes = {L: 1 + x, N: 1 + x + y, K: 2 + x + y + z}
    left = N * BAD + 2 * N * L + (K - L) * BAD_MEANS
    part = at_most(left.subs(sizes), total.subs(sizes)).on(dict.fromkeys((x, y, z, e), (0, oo)))
    yield part.told(part.detail, "K > N >= L >= 1, any epsilon, gaps at most 1")


@REGRET.step(
    "h",
    "7.1, statement beside the display",
    "g",
    repair=StepRepair("Sum the second term to L - 1, as Step 3 derives it", {"again": 0}),
    consequence="a slip in the summation range",
)
def _stated(again: Expr = ARM_L_AGAIN) -> Parts:
    """The display is the bound of the theorem."""
    filled, last = sympy.symbols("filled last", positive=True)
    ranges = {filled: (0, 9), last: (0, 9), m_L: (1, 5), mu_L: ("0.1", "0.9"), T: (3, 100)}
    ranges |= dict.fromkeys(sorted(w_L.free_symbols - {m_L, mu_L}, key=str), (5, 9))
    yield equal(filled + again + last, filled + last).on(ranges)


@LIMIT.step("a", "7.1, last display; eq:oe_regret_upper_bound_asym", "thm-7.1", growth=5)
def limits(growth: Expr = 1) -> Parts:
    """Divided by log T the terms tend to those printed, with kl(mu_k, mu_L), as epsilon -> 0."""
    epsilon = sympy.Symbol("epsilon", positive=True)
    moved = KL_BERNOULLI.subs({x: x + epsilon, y: y - epsilon}, simultaneous=True)
    yield equal(sympy.limit(INDEX / log(T), T, oo), growth).on({})
    yield equal(sympy.limit(1 / log(T), T, oo), 0).on({})
    yield equal(sympy.limit(moved, epsilon, 0), KL_BERNOULLI).on(UNIT)


@LIMIT.step(
    "b",
    "7.1, last display: KL(nu_k, nu_L)",
    "a",
    true_with={"averaged": 1},
    repair=StepRepair("kl(mu_k, mu_L), as corollary 7.2 itself has it", stands_in=("7.2-a",)),
    consequence="a slip of the appendix, which the corollary does not share",
)
def divergence_of_laws(averaged: int = 2) -> Parts:
    """The divergence of the laws in the denominator is no larger than kl of their means."""
    p, q = sympy.Rational(1, 2), sympy.Rational(3, 4)
    laws = [
        [comb(averaged, i) * a**i * (1 - a) ** (averaged - i) for i in range(averaged + 1)]
        for a in (p, q)
    ]
    own = sympy.Add(*(a * log(a / b) for a, b in zip(*laws, strict=True)))
    published = KL_BERNOULLI.subs({x: p, y: q})
    words = f"KL = {own.evalf(4)} beside kl = {published.evalf(4)} at means 0.5, 0.75"
    region = f"laws on [0, 1] such as that of the mean of {averaged} Bernoulli variables"
    yield at_most(own, published).on({}).told(words, region)


STEPS = (*REGRET, *LIMIT)
