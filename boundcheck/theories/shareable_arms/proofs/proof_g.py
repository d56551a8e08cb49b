"""Theorems G.1 and G.5, corollary G.2; theorem G.3 and lemma G.4 are in `proof_g_3_*`.

L arms serve all plays, mbar of them on arm L; h = f(a*) - min_k m_k mu_k. G.5 is G.3 with L for N
and costs times m_k; G.1 adds what learning the capacities costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

import sympy
from sympy import Expr, exp, log, oo

from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import models
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.explorations.cards import SIZE, A
from boundcheck.theories.shareable_arms.proofs import proof_g_3_events as events
from boundcheck.theories.shareable_arms.proofs.proof_g_3_chances import CHANCES, MAXIMAL
from boundcheck.theories.shareable_arms.proofs.proof_g_3_times import CLOSING, OPENING
from boundcheck.theories.shareable_arms.proofs.stated import same
from boundcheck.theories.shareable_arms.symbols import (
    K,
    L,
    T,
    delta,
    f_star,
    full_min,
    h,
    m,
    mu,
    mu_1,
    w,
    xi,
)
from simulation.world.instance import Instance

gap, total = sympy.symbols("gap total", positive=True)
r = sympy.Symbol("r", nonnegative=True)
*_, CAPACITIES, FAILURES = (term.expression for term in find("thm-G.1").quantities[0].terms)
_POINTS = dict.fromkeys((L, total, gap, m), (1, 9))
KNOWN, UNKNOWN, ORDER = Proof("thm-G.5"), Proof("thm-G.1"), Proof("cor-G.2")
Charged = Callable[[Sequence[int]], Sequence[int]]


def _one_arm(instance: Instance, arm: int) -> Fraction:
    return instance.capacities[arm] * (instance.means[0] - instance.means[arm])


@KNOWN.step(
    "a",
    "G.5, 1st display",
    "thm-G.3 with L for N",
    true_with={"allowed": lambda instance, arm: models.largest_loss(instance)},
    repair=StepRepair("h in place of m_k (mu_1 - mu_k)"),
    consequence="no simulation contradicts G.5 where left-over plays are used",
)
def shared_cost(allowed: Callable[[Instance, int], Fraction] = _one_arm) -> Parts:
    """On C_{k+1} without C_k a slot loses at most m_k (mu_1 - mu_k)."""

    def fits(instance: Instance) -> bool:
        held, plays = instance.capacities, instance.plays
        return all(  # the best is missing, the worst are filled first
            instance.regret(models.filled(range(k, -1, -1), held, plays)) <= allowed(instance, k)
            for k in range(instance.L, instance.arms)
            if sum(held[1 : k + 1]) >= plays
        )

    words = "the lost plays are those of the arm that is missing, not those of arm k"
    yield models.over_small_instances(fits, words)


KNOWN.step(
    "b",
    "G.5, 2nd display, 1st <=",
    true_with={"kinds": (events.bernoulli,) * 3},
    repair=StepRepair("Bound each k by Hoeffding with its own gap", events.own_gap),
    consequence="the last line of the display stays",
)(events.worst_is_next)
KNOWN.step("c", "G.5, 2nd display, =", distance=events.a - events.b)(events.same_event)
KNOWN.step(
    "d",
    "G.5, 2nd display, 2nd <= (tau is s)",
    "Hoeffding's inequality, sigma^2 <= 1/2",
    rate=1,
    largest=1,
)(events.hoeffding_difference)


def _above_the_last(instance: Instance, charged: Charged = tuple) -> Fraction:
    """sum m_k Delta_{k,L}, over all arms before L or some."""
    held, means, last = instance.capacities, instance.means, instance.last_arm
    return sum((held[k] * (means[k] - means[last]) for k in charged(range(last))), Fraction(0))


@KNOWN.step(
    "e",
    "G.5, 3rd display, left side",
    repair=StepRepair("sum_{k<L} m_k Delta_{k,L}", {"charged": tuple}),
    consequence="this sum is at most h too (G.5-j), so 4(L - 1)h/Delta^2 stays",
)
def wrong_last(charged: Charged = lambda before: before[-1:]) -> Parts:
    """A slot with a wrong last arm loses at most m_{L-1} Delta_{L-1,L}."""

    def fits(instance: Instance) -> bool:
        allowed, held = _above_the_last(instance, charged), instance.capacities
        orders = permutations(range(instance.L))
        loads = (models.filled(order, held, instance.plays) for order in orders)
        return all(instance.regret(load) <= allowed for load in loads)

    words = "any arm before L may be the one taken for the last"
    instances = (i for i in models.small_instances() if i.L >= 3)
    yield models.over_small_instances(fits, words, instances)


@KNOWN.step(
    "f",
    "G.5, 3rd display, 1st <=",
    "d",
    repair=StepRepair("The integral from 0, which is the 2/Delta^2 of the next line", {"start": 0}),
    consequence="false for every gap once T is large; the next line is right",
)
def _sum_below_integral(start: Expr = 1) -> Parts:
    """The sum from 1 is at most the integral from 1 (x = Delta^2/2, T large)."""
    yield from events.sum_below_integral(start)


@KNOWN.step("g", "G.5, 3rd display, 2nd <=", factor=1)
def integral_from_one(factor: Expr = 2) -> Parts:
    """The integral from 1 is at most 2/Delta^2."""
    yield from events.tail_integral(1, factor)


@KNOWN.step("h", "G.5, 3rd display, =", "g", product=2 * (L - 1) * m / gap**2)
def gap_cancelled(product: Expr = 2 * (L - 1) * m / gap) -> Parts:
    """m Delta times 2/Delta^2 is 2m/Delta."""
    yield equal((L - 1) * m * gap * (2 / gap**2), product).on(_POINTS)


@KNOWN.step("i", "G.5, last display, 1st <=", "a, h", both=total + m)
def one_denominator(both: Expr = total + m * gap) -> Parts:
    """Two terms over one denominator: m Delta/Delta^2 = m/Delta."""
    terms = 2 * (L - 1) * total / gap**2 + 2 * (L - 1) * m / gap
    yield equal(terms, 2 * (L - 1) * both / gap**2).on(_POINTS)


@KNOWN.step("j", "G.5, last display, 2nd <=", "m_L <= N", least=max)
def within_h(least: models.Choice = min) -> Parts:
    """sum_{k<L} m_k Delta_{k,L} <= h, and m_{L-1} Delta_{L-1,L} is one of its terms."""
    yield models.over_small_instances(
        lambda instance: _above_the_last(instance) <= models.largest_loss(instance, least),
        "exceeds h",
    )


@UNKNOWN.step(
    "a",
    "G.1, inline: the condition on T",
    "thm-5.3a",
    repair=StepRepair("T >= xi exp(49 m^2/mu^2), or 49 xi m^2/mu^2 by sharp-5.3a", {"exponent": A}),
    consequence="49 m^2/mu^2 > 1/(64 m^2 mu^2) for every arm, as 3136 m^4 > 1: the condition "
    "belongs to another constant, and 5.3a says nothing at such horizons",
)
def horizon(exponent: Expr = 1 / (64 * m**2 * mu**2)) -> Parts:
    """T = xi exp(1/(64 m^2 mu^2)) makes 49 m^2/mu^2 log(T/xi) exceed 1/(4 mu^4), and is as long as
    theorem 5.3a wants at delta = 2 xi/T."""
    arm = {m: (1, oo), mu: ("0.001", oo)}
    yield below(1 / (4 * mu**4), A * exponent).on(arm)
    yield at_most(A, exponent).on(arm)


@UNKNOWN.step("b", "G.1, 1st display: sizes", "thm-5.3a", level=xi / T)
def _sizes(level: Expr = 2 * xi / T) -> Parts:
    """49 m^2/mu^2 log(2/delta) at delta = 2 xi/T."""
    arm = {m: (1, 9), mu: ("0.1", "0.9"), T: (9, 10**6), xi: (1, 3)}
    yield equal(SIZE.subs(delta, level), A * log(T / xi)).on(arm)


@UNKNOWN.step(
    "c",
    "G.1, 1st display, <=",
    "h is the largest loss of a slot, b",
    level=4 * xi / T,
    failures=FAILURES / 2,
)
def _failures(level: Expr = 2 * xi / T, failures: Expr = FAILURES) -> Parts:
    """K capacities, each learnt but with chance 2 xi/T, and h T otherwise: the term 2 xi K h."""
    points = {K: (2, 9), xi: (1, 3), T: (9, 99), f_star: (5, 9), full_min: (0, 4)}
    yield equal(K * level * h * T, failures).on(points)


@UNKNOWN.step(
    "d",
    "G.1, 1st display: w_k",
    repair=StepRepair("w'_k = w_k + f(a*) - sum_{j<=N} mu_j", {"more": models.base_cost}),
    consequence="as in 7.1: a slot that believes in m^l = 1 loses f(a*) - sum_{j<=N} mu_j",
)
def dear_slots(more: Callable[[Instance], Fraction] = lambda instance: Fraction(0)) -> Parts:
    """A united exploration of arm k and the slot of individual ones before it, m^l = 1, lose at
    most w_k together."""
    # f(a*) - m_k mu_k is the cost of the united one, mu_1 is left for the other
    yield models.over_small_instances(
        lambda instance: models.base_cost(instance) <= instance.means[0] + more(instance),
        "the slot before it may lose more than mu_1",
    )


@UNKNOWN.step(
    "e",
    "G.1, last display (the statement)",
    "b, d, thm-G.5",
    repair=StepRepair(
        "A term of order N log(T)/Delta_{N,N+1} for the wait before united exploration"
    ),
    consequence="false where arms N and N + 1 nearly tie below a best arm that serves all plays: "
    "nothing is unitedly explored before N arms are left, and that takes Delta_{N,N+1}, which the "
    "bound does not contain",
)
def put_off() -> Parts:
    """Put-off eliminations cost no more than learning the capacities of the first N arms."""
    yield same("thm-G.1", "intended")


@UNKNOWN.step("f", "G.1, eq:main_regret beside the last display", "e", factor=48)
def with_logbar(factor: Expr = 49) -> Parts:
    """The term of the theorem is that of the display for T >= e xi; below logbar exceeds log."""
    display = factor * m**2 * w / mu**2 * log(T / xi)
    points = {m: (1, 3), mu: ("0.1", "0.9"), xi: (1, 3), r: (0, 9), f_star: (3, 9), mu_1: (1, 3)}
    far = {T: xi * exp(1 + r)}
    yield equal(CAPACITIES.subs(far), display.subs(far)).on(points)


@ORDER.step(
    "a",
    "G.2, display, 2nd term",
    "thm-G.1",
    repair=StepRepair("w_k takes the place of w_k^2", {"power": 1}),
)
def order_of_capacities(power: int = 2) -> Parts:
    """w_k m_k^2/mu_k^2 is of the order of w_k^2 m_k^2/mu_k^2."""
    scale = sympy.Symbol("s", positive=True)  # of all means, and of w_k = `total`
    ratio = (scale * total) ** power / (49 * scale * total)
    region = "means near 0: all means times s, s to 0"
    least = below(0, sympy.limit(ratio, scale, 0)).on({total: (1, oo)})
    yield least.told("the order must not vanish beside the term", region)


@ORDER.step(
    "b",
    "G.2, display (the statement)",
    "thm-G.1",
    repair=StepRepair("The order lacks the gap between arms N and N + 1, as G.1 does"),
)
def order() -> Parts:
    """Regret grows at most like this, with the constants of G.1."""
    yield same("cor-G.2", "intended")


STEPS = (*OPENING, *events.EVENTS, *CHANCES, *CLOSING, *MAXIMAL, *KNOWN, *UNKNOWN, *ORDER)
