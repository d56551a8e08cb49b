"""Theorem G.3, steps 2, 3a and 3b: rounds of explorations, wrong orders, which arms go when.

All capacities are 1; arms are eliminated if muhat <= (the N-th largest muhat) - gamma U. zeta_k are
fixed times, falling with k; A_k: no top arm is eliminated before zeta_k; B_k: every arm from k on
is eliminated before zeta_k; C_k both. Exact models: few arms, whole numbers for estimates and
times.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, prod

import sympy
from sympy import Expr, Rational, exp, oo

from boundcheck.calculator.numbers.balls import ball
from boundcheck.proof_steps.parts import at_most, cases, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms.models import over_small_instances, small_instances
from simulation.world.instance import Instance

x, s, s2, gap = sympy.symbols("x s sigma2 gap", positive=True)
r = sympy.Symbol("r", nonnegative=True)
_ANY, _UP = (0, oo), (1, oo)
_HALF = Rational(1, 2)
ORDERLY = "G.3-3a1: no top arm is below arm N"
EVENTS = Proof("thm-G.3")

# -- steps 2 and 3a: rounds, and estimates in a wrong order -----------------------------------


@EVENTS.step(
    "2a",
    "G.3, Step 2, inline: cost of good events",
    repair=StepRepair("Left-over plays serve the best arms outside the subset", {"used": True}),
    consequence="with the literal pseudo-code G.3 fails for K = N + 1 and many plays",
)
def round_of_explorations(used: bool = False) -> Parts:
    """A round of individual explorations loses at most sum_{k>N} (mu_1 - mu_k)."""

    def fits(instance: Instance) -> bool:
        means, plays = instance.means, instance.plays
        slots = ceil(instance.arms / plays)
        free = slots * plays - instance.arms
        allowed = sum(means[0] - mean for mean in means[plays:])
        lost = slots * instance.optimal_reward - sum(means)
        return all(
            lost - sum(outside[: free * used]) <= allowed
            for outside in combinations(means, instance.arms - plays + free)
        )

    words = "the last slot of a round has fewer arms than plays"
    yield over_small_instances(fits, words, small_instances(unit=True))


Law = Mapping[Fraction, Fraction]  # of a mean: value -> probability
Kind = Callable[[Fraction, int], Law]


def bernoulli(mean: Fraction, samples: int = 1) -> Law:
    return {
        Fraction(i, samples): comb(samples, i) * mean**i * (1 - mean) ** (samples - i)
        for i in range(samples + 1)
    }


def constant(mean: Fraction, samples: int = 1) -> Law:
    return {mean: Fraction(1)}


def chance_below(last: Law, *others: Law) -> Fraction:
    """P(some of the others is below the last)."""
    total = Fraction(0)
    for x, p in last.items():
        total += p * (1 - prod(sum(q for y, q in law.items() if y >= x) for law in others))
    return total


def own_gap() -> Parts:
    """exp(-s x^2/2) falls with the gap x."""
    yield at_most(s * x**2 / 2, s * (x + r) ** 2 / 2).on({s: _UP, x: _ANY, r: _ANY})


_LADDER = [Fraction(k, 10) for k in (9, 7, 5, 3, 1)]


@EVENTS.step(
    "3a1",
    "G.3, Step 3a, 1st display, 1st <=",
    true_with={"kinds": (bernoulli, bernoulli, bernoulli)},
    repair=StepRepair(
        "Bound each k by Hoeffding with its own gap, which is at least Delta_{N-1,N}", own_gap
    ),
    consequence="the last line of the display stays; among Bernoulli arms nothing fails",
)
def worst_is_next(kinds: Sequence[Kind] = (bernoulli, constant, constant)) -> Parts:
    """P(some better arm is below arm n) <= (n - 1) P(arm n - 1 is below arm n)."""

    def true(samples: int, *means: Fraction) -> bool:
        if not means[0] > means[1] > means[2]:
            return True
        first, before, last = (kind(x, samples) for kind, x in zip(kinds, means, strict=True))
        return chance_below(last, first, before) <= 2 * chance_below(last, before)

    ladder = dict.fromkeys(("mu_1", "mu_2", "mu_3"), _LADDER)
    words = "n = 3, rewards " + ", ".join(kind.__name__ for kind in kinds)
    yield cases(true, {"s": range(1, 5), **ladder}, complete=False, words=words)


p, q, a, b = _MEANS = sympy.symbols("muhat_n muhat_{n-1} mu_n mu_{n-1}")


@EVENTS.step("3a2", "G.3, Step 3a, 1st display, =", distance=a - b)
def same_event(distance: Expr = b - a) -> Parts:
    """One estimate is below the other exactly if the centred difference exceeds the gap."""
    yield equal((p - a) - (q - b) - distance, p - q).on(dict.fromkeys(_MEANS, (0, 9)))


@EVENTS.step(
    "3a3",
    "G.3, Step 3a, 1st display, 2nd <=",
    "Hoeffding's inequality, sigma^2 <= 1/2",
    rate=1,
    largest=1,
)
def hoeffding_difference(rate: Expr = _HALF, largest: Expr = _HALF) -> Parts:
    """P(centred difference > Delta) <= exp(-s Delta^2/2), Gaussian variances up to 1/2."""
    # exponents: 2 x^2/(2s/s^2) on [0, 1], x^2/(2 * 2 sigma^2/s) for Gaussian laws
    exponent, everywhere = rate * s * x**2, {s: _UP, x: _ANY, s2: (0, largest)}
    yield at_most(exponent, 2 * x**2 / (2 * s / s**2)).on(everywhere)
    yield at_most(exponent, x**2 / (4 * s2 / s)).on(everywhere)

    def true(samples: int, one: Fraction, other: Fraction) -> bool:
        chance = chance_below(bernoulli(other, samples), bernoulli(one, samples))
        limit = -ball(Fraction(rate) * samples * (one - other) ** 2)
        return one <= other or not ball(chance) > limit.exp()

    ranges = {"s": range(1, 13), "mu_{n-1}": _LADDER, "mu_n": _LADDER}
    yield cases(true, ranges, complete=False, words="Bernoulli rewards, exactly")


@EVENTS.step("3a4", "G.3, Step 3a, 2nd display, 1st <=", "3a3", start=1)
def sum_below_integral(start: Expr = 0) -> Parts:
    """sum_{s>=1} exp(-s x) = 1/(exp(x) - 1) is at most its integral from 0."""
    found = sympy.integrate(exp(-s * x), (s, start, oo))
    yield equal(found, exp(-start * x) / x).on({x: (1, 9)})
    yield at_most(x * exp(start * x), exp(x) - 1).on({x: _ANY})


def tail_integral(start: Expr, factor: Expr) -> Parts:
    """The integral of exp(-s Delta^2/2) from `start` on, beside factor/Delta^2."""
    found = sympy.integrate(exp(-s * x), (s, start, oo)).subs(x, gap**2 / 2)
    yield at_most(found * gap**2, factor).on({gap: _ANY})


@EVENTS.step("3a5", "G.3, Step 3a, 2nd display, 2nd <=", "3a4", factor=1)
def _integral(factor: Expr = 2) -> Parts:
    """The integral of exp(-s Delta^2/2) is at most 2/Delta^2."""
    yield from tail_integral(0, factor)


# -- step 3b: eliminations on whole numbers ----------------------------------------------------

Estimates = Sequence[int]
Compare = Callable[[int, int], bool]


def eliminations(true: Callable[[Estimates, int, int, set[int]], bool], words: str = "") -> Parts:
    """Every set of estimates in which no top arm is below arm N (step 3a), and who goes."""

    def fits(seen: Estimates, top: int, margin: int) -> bool:
        least = sorted(seen)[-top] - margin
        gone = {k for k, estimate in enumerate(seen) if estimate <= least}
        return min(seen[:top]) < seen[top - 1] or true(seen, top, margin, gone)

    every = {"estimates": product(range(5), repeat=4), "N": (1, 2, 3), "margin": (1, 2)}
    yield cases(fits, every, complete=False, words=words)


@EVENTS.step("3b1", "G.3, Step 3b, 1st display", (ORDERLY,), place=0)
def last_top_first(place: int = -1) -> Parts:
    """Arm N goes first among the top arms, so A_k speaks of arm N alone."""
    yield from eliminations(
        lambda seen, top, margin, gone: min(gone, default=top) >= top or range(top)[place] in gone
    )


_PAIRS = [*product(range(1, 5), repeat=2)]


@EVENTS.step("3b2", "G.3, Step 3b, 2nd display, A", "G.3-1b", falls=operator.le)
def tops_nested(falls: Compare = operator.ge) -> Parts:
    """A_{k+1} contains A_k, as zeta_k >= zeta_{k+1}: an arm that stays longer stays shorter."""
    times = [pair for pair in _PAIRS if falls(*pair)]
    yield cases(
        lambda pair, gone: gone < pair[0] or gone >= pair[1],
        {"(zeta_1, zeta_2)": times, "eliminated": range(1, 6)},
        complete=False,
    )


@EVENTS.step(
    "3b3",
    "G.3, Step 3b, 2nd display, B",
    "G.3-1b",
    repair=StepRepair(
        "B_k: every arm i >= k is eliminated before its own zeta_{N,i}", {"own": True}
    ),
    consequence="the cover by C_{k+1} without C_k and what follows hold with these B_k",
)
def worse_nested(own: bool = False) -> Parts:
    """B_{k+1} contains B_k."""

    def true(times: tuple[int, int], gone: tuple[int, int]) -> bool:
        limits = times if own else (times[0], times[0])
        return not all(map(operator.lt, gone, limits)) or gone[1] < times[1]

    times = [pair for pair in _PAIRS if pair[0] >= pair[1]]
    ranges = {"(zeta_1, zeta_2)": times, "eliminated": _PAIRS}
    yield cases(true, ranges, complete=False, words="B_1 and B_2, two arms")


@EVENTS.step(
    "3b4",
    "G.3, Step 3b, 3rd display",
    true_with={"factor": lambda instance: min(instance.plays, instance.arms - instance.plays)},
    repair=StepRepair("min(N, K - N) times as much, or h"),
    consequence="the constant 342 would grow by that factor; no simulation contradicts G.3",
)
def one_bad_arm(factor: Callable[[Instance], int] = lambda instance: 1) -> Parts:
    """On C_{k+1} without C_k a slot loses at most g_{N,k} Delta_{N,k} = mu_1 - mu_k."""

    def fits(instance: Instance) -> bool:
        means, plays = instance.means, instance.plays
        return all(  # arms up to k are left: the worst slot has the N worst of them
            instance.optimal_reward - sum(means[k + 1 - plays : k + 1])
            <= factor(instance) * (means[0] - means[k])
            for k in range(plays, instance.arms)
        )

    words = "several plays can be on bad arms at once: N >= 2 and K >= N + 2"
    yield over_small_instances(fits, words, small_instances(unit=True))


# A', A, B', B: does an outcome lie in A_{k+1}, A_k, B_{k+1}, B_k?
Event = Callable[[bool, bool, bool, bool], bool]
_TRUTHS = dict.fromkeys(("A'", "A", "B'", "B"), (False, True))


def _false(a1: bool, a0: bool, b1: bool, b0: bool) -> bool:
    return a1 and not a0 and b1


def _late(a1: bool, a0: bool, b1: bool, b0: bool) -> bool:
    return b1 and not b0 and a1


def _between(a1: bool, a0: bool, b1: bool, b0: bool) -> bool:
    return (a1 and b1) and not (a0 and b0)


@EVENTS.step(
    "3b5",
    "G.3, Step 3b, 4th display",
    false=lambda a1, a0, b1, b0: a1 and not a0,
    late=lambda a1, a0, b1, b0: b1 and not b0,
)
def _split(false: Event = _false, late: Event = _late) -> Parts:
    """C' without C is (A' without A, in B') or (B' without B, in A')."""
    yield cases(lambda *x: _between(*x) == (false(*x) or late(*x)), _TRUTHS, complete=True)


@EVENTS.step("3b6", "G.3, eq:split_C", "3b5", events=(_late,))
def _union(events: Sequence[Event] = (_false, _late)) -> Parts:
    """The chance of the union is at most the sum."""
    yield cases(lambda *x: _between(*x) <= sum(e(*x) for e in events), _TRUTHS, complete=True)
