"""Theorem G.3, steps 2 and 3, and lemma G.4: which arms go when, with which probability.

All capacities are 1; arms are eliminated if muhat <= (the N-th largest muhat) - gamma U. zeta_k are
fixed times, falling with k; A_k: no top arm is eliminated before zeta_k; B_k: every arm from k on
is eliminated before zeta_k; C_k both. Phi(zeta): some s <= zeta has the difference of two centred
means at gamma U(s, T) or above. Exact models: few arms, whole numbers for estimates and times.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil, comb

import sympy
from flint import arb

from boundcheck import functions as fn
from boundcheck.balls import ball, precision
from boundcheck.proofs import models
from boundcheck.proofs import relations as rel
from boundcheck.proofs.methods import computed, exhaustive, identity, sign
from boundcheck.proofs.models import apart, at_most
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import T, delta, gamma
from simulation.instance import Instance

oo = sympy.oo
x, u, s, zeta, width = sympy.symbols("x u s zeta width", positive=True)
r = sympy.Symbol("r", nonnegative=True)
s2 = sympy.Symbol("sigma2", positive=True)
_ZERO = sympy.Integer(0)

# -- steps 2 and 3a ------------------------------------------------------------------------


def round_of_explorations() -> Part:
    """Literal pseudo-code: ceil(K/N) slots in which every arm earns once."""

    def fits(instance: Instance) -> bool:
        slots = ceil(instance.arms / instance.plays)
        lost = slots * instance.optimal_reward - sum(instance.means)
        best = instance.means[instance.order[0]]
        return bool(lost <= sum(best - instance.means[k] for k in instance.order[instance.plays :]))

    words = "the plays left over in the last slot of a round are wasted"
    return models.over_instances(fits, models.small_instances(unit=True), words)


def _chance_below(samples: int, one: Fraction, other: Fraction) -> Fraction:
    """P(fewer successes with mean `one` than with mean `other`), as many samples of each."""

    def law(p: Fraction) -> list[Fraction]:
        return [comb(samples, i) * p**i * (1 - p) ** (samples - i) for i in range(samples + 1)]

    first, second = law(one), law(other)
    total = Fraction(0)
    for i, weight in enumerate(first):
        total += weight * sum(second[i + 1 :], Fraction(0))
    return total


_LADDER = [Fraction(k, 10) for k in (9, 7, 5, 3, 1)]


def worst_is_next() -> Part:
    """Among Bernoulli arms it is; a constant reward of 0.6 is never below one of 0.5."""
    bernoulli = exhaustive(
        lambda n, a, b, c: not a >= b >= c or _chance_below(n, a, c) <= _chance_below(n, b, c),
        {"s": range(1, 5), "mu_k": _LADDER, "mu_{N-1}": _LADDER, "mu_N": _LADDER},
        complete=False,
    )
    spread, constant, last = Fraction(7, 10), Fraction(6, 10), Fraction(5, 10)
    left = 1 - spread  # a Bernoulli reward of mean 0.7 is 0 < 0.5 with this chance
    right = 2 * Fraction(int(constant < last))
    other = computed(
        "exact example",
        left <= right,
        "laws of different spread: N = 3, one sample, arm 1 Bernoulli(0.7), arms 2 and 3 constant "
        "at 0.6 and 0.5",
        f"{float(left):g} against {float(right):g}",
    )
    return apart(other, bernoulli)


def hoeffding_difference() -> Part:
    """Exponents: 2 x^2/(2s/s^2) on [0, 1], x^2/(2 * 2 sigma^2/s) for Gaussian laws."""
    return combined(
        sign(at_most(s * x**2 / 2, 2 * x**2 / (2 * s / s**2)), {s: (1, oo), x: (0, oo)}),
        sign(at_most(s * x**2 / 2, x**2 / (4 * s2 / s)), {s: (1, oo), x: (0, oo), s2: (0, "1/2")}),
        exhaustive(
            lambda n, a, c: (
                a <= c or bool(ball(_chance_below(n, a, c)) <= (-ball(n * (a - c) ** 2 / 2)).exp())
            ),
            {"s": range(1, 13), "mu_{N-1}": _LADDER, "mu_N": _LADDER},
            complete=False,
            words="Bernoulli rewards, exactly",
        ),
    )


def sum_below_integral() -> Part:
    """sum_{s>=1} exp(-s x) = 1/(exp(x) - 1) <= 1/x, the integral from 0."""
    return combined(
        sign(at_most(x, sympy.exp(x) - 1), {x: (0, oo)}),
        identity(sympy.integrate(sympy.exp(-s * x), (s, 0, oo)), 1 / x, {x: (1, 9)}),
    )


# -- step 3b: eliminations on whole numbers ------------------------------------------------


def _removed(seen: Sequence[int], top: int, margin: int) -> set[int]:
    calibrated = sorted(seen, reverse=True)[top - 1]
    return {k for k, estimate in enumerate(seen) if estimate <= calibrated - margin}


def _orderly(seen: Sequence[int], top: int) -> bool:
    """Step 3a: no top arm is below arm N."""
    return all(seen[k] >= seen[top - 1] for k in range(top))


SEEN = {"estimates": list(product(range(5), repeat=4)), "N": (1, 2, 3), "margin": (1, 2)}


def last_top_first(seen: Sequence[int], top: int, margin: int) -> bool:
    gone = _removed(seen, top, margin)
    return not _orderly(seen, top) or not gone & set(range(top)) or top - 1 in gone


TIMES = [z for z in product(range(1, 5), repeat=2) if z[0] >= z[1]]  # zeta_k for k = 1, 2


def nested_tops(times: tuple[int, int], gone: int) -> bool:
    """A_1 (survival to the later time) implies A_2."""
    first, second = (not gone < time for time in times)
    return not first or second


def _nested_worse(times: tuple[int, int], gone: tuple[int, int]) -> bool:
    """B_1 (both arms before zeta_1) implies B_2 (the worse arm before zeta_2)."""
    return not all(time < times[0] for time in gone) or gone[1] < times[1]


def _nested_own(times: tuple[int, int], gone: tuple[int, int]) -> bool:
    """The repair: each arm before its own time."""
    both = all(time < limit for time, limit in zip(gone, times, strict=True))
    return not both or gone[1] < times[1]


def worse_nested() -> Part:
    both = {"(zeta_1, zeta_2)": TIMES, "eliminated": list(product(range(1, 6), repeat=2))}
    repaired = exhaustive(_nested_own, both, complete=False)
    printed = exhaustive(
        _nested_worse, both, complete=False, words="gone between zeta_2 and zeta_1: in B_1, not B_2"
    )
    return apart(printed, repaired)


def one_bad_arm() -> Part:
    """Worst slot while arms up to k are left: N of them, the N worst."""

    def fits(instance: Instance) -> bool:
        order, plays = instance.order, instance.plays
        for k in range(plays, instance.arms):
            left = order[k - plays + 1 : k + 1]
            lost = instance.regret([int(arm in left) for arm in range(instance.arms)])
            if lost > instance.means[order[0]] - instance.means[order[k]]:
                return False
        return True

    words = "several plays can be on bad arms at once: N >= 2 and K >= N + 2"
    return models.over_instances(fits, models.small_instances(unit=True), words)


TRUTHS = dict.fromkeys(("A'", "A", "B'", "B"), (False, True))


def set_identity(a1: bool, a0: bool, b1: bool, b0: bool) -> bool:
    left = (a1 and b1) and not (a0 and b0)
    return left == ((a1 and not a0 and b1) or (b1 and not b0 and a1))


def union(a1: bool, a0: bool, b1: bool, b0: bool) -> bool:
    left = (a1 and b1) and not (a0 and b0)
    return left <= (a1 and not a0 and b1) + (b1 and not b0 and a1)


# -- steps 3c and 3d -----------------------------------------------------------------------


def late(seen: Sequence[int], top: int, margin: int) -> bool:
    """Every top arm alive and orderly; an arm that stays is above arm N's estimate - margin."""
    stays = set(range(top, len(seen))) - _removed(seen, top, margin)
    return not _orderly(seen, top) or all(seen[k] > seen[top - 1] - margin for k in stays)


def late_chance() -> Part:
    """exp(-zeta (gamma U/2)^2/2) = exp(-gamma^2 logbar v) <= 1/v, v = T/zeta = e^u."""
    half = gamma * fn.U(zeta, T) / 2
    return combined(
        identity(
            zeta * half**2 / 2,
            gamma**2 * fn.logbar(T / zeta),
            {zeta: (1, 50), T: (50, 10**4), gamma: (1, 3)},
        ),
        sign(at_most(u, gamma**2 * u), {u: (1, oo), gamma: (1, oo)}),
        sign(at_most(u, gamma**2), {u: (0, 1), gamma: (1, oo)}),
    )


def false_elimination(strict: bool) -> Part:
    def good(seen: Sequence[int], top: int, margin: int) -> bool:
        if not _orderly(seen, top) or top - 1 not in _removed(seen, top, margin):
            return True
        bound = [seen[j] - margin for j in range(top, len(seen))]
        return any(seen[top - 1] < b if strict else seen[top - 1] <= b for b in bound)

    words = "an arm is eliminated at equality too" if strict else ""
    return exhaustive(good, SEEN, complete=False, words=words)


_FIRST, _SECOND, _HORIZON = 12, 20, 30


def _reaches(steps: int, total: int) -> bool:
    """Is the difference of two means of `steps` samples at U or above? gamma = 1."""
    point = {s: Fraction(steps), T: Fraction(_HORIZON)}
    return bool(ball(Fraction(total, steps)) >= rel.value(fn.U(s, T), point))


def crossings() -> Part:
    """Two fair Bernoulli arms: paths of their difference, counted exactly."""
    paths = {(0, False, False): 1}  # total, crossed in the first part, in the second
    for n in range(1, _SECOND + 1):
        moved: dict[tuple[int, bool, bool], int] = {}
        for (total, early, late), weight in paths.items():
            for step, ways in ((-1, 1), (0, 2), (1, 1)):
                crossed = total + step > 0 and _reaches(n, total + step)
                key = (
                    total + step,
                    early or (crossed and n <= _FIRST),
                    late or (crossed and n > _FIRST),
                )
                moved[key] = moved.get(key, 0) + weight * ways
        paths = moved
    both, second = (
        sum(w for (_, e, late), w in paths.items() if late and (e or not need))
        for need in (True, False)
    )
    return computed(
        "lattice paths",
        both == 0,
        f"two fair Bernoulli arms, T = {_HORIZON}, times {_FIRST} < s <= {_SECOND}, gamma = 1",
        f"crossing there has chance {second / 4**_SECOND:.3e}, Phi grows by "
        f"{(second - both) / 4**_SECOND:.3e}: paths that crossed before are left out",
    )


def _each_increment(early: int, late: int) -> bool:
    """Phi increasing with Phi(zeta) <= 4 zeta/T, in units of 4/T: zeta = 1 and 2."""
    admissible = early <= late and early <= 1 and late <= 2
    return not admissible or late - early <= 2 - 1


def _weighted(early: int, late: int, cost: tuple[int, int]) -> bool:
    """The repair, weights that rise with k: c_1 (Phi_1 - Phi_2) + c_2 Phi_2, zeta = 2 and 1."""
    admissible = early <= late and early <= 1 and late <= 2
    small, large = cost
    return not admissible or small * (late - early) + large * early <= small * (2 - 1) + large


def increments() -> Part:
    grid = range(3)
    printed = exhaustive(
        _each_increment,
        {"Phi(1)": grid, "Phi(2)": grid},
        complete=False,
        words="in units of 4/T with zeta = 1, 2: bounds on Phi do not bound its increments",
    )
    costs = [(a, b) for a in range(4) for b in range(a, 4)]
    repaired = exhaustive(
        _weighted, {"Phi(1)": grid, "Phi(2)": grid, "(c_1, c_2)": costs}, complete=False
    )
    return apart(printed, repaired)


def substituted() -> Part:
    """(b - a) = 2, delta = 4 zeta/T over times up to zeta: the width is U where T/s >= e."""
    quoted = sympy.sqrt(2 * 2**2 / s * sympy.log(4 / delta * zeta / s))
    ranges = {s: (1, 20), T: (60, 10**4), zeta: (20, 60)}
    return identity(quoted.subs(delta, 4 * zeta / T), sympy.sqrt(8 / s * sympy.log(T / s)), ranges)


# -- G.4 -----------------------------------------------------------------------------------


def peeled() -> Part:
    """Blocks 2^i <= t < 2^(i+1): the width of S_t grows in t, so it is at least y at t = 2^i, with
    y^2 = 2 (b-a)^2 2^i log(4T/(delta 2^i)). Azuma and Hoeffding bound the maximum over a block by
    exp(-2 y^2/(2^(i+1) (b-a)^2)) = (delta 2^i/(4T))^2; blocks are a factor 4 apart."""
    length, start = sympy.symbols("b-a block", positive=True)
    level = sympy.log(4 * T / (delta * start))
    square = 2 * length**2 * start * level
    ranges = {length: (1, 2), start: (1, 50), T: (50, 10**4), delta: ("0.01", 1)}
    whole = (delta / 4) ** 2 * sympy.summation(sympy.Rational(1, 4) ** s, (s, 0, oo))
    return combined(
        identity(2 * square / (2 * start * length**2), 2 * level, ranges),
        # t log(q/t) grows while t <= q/e, and q = 4T/delta >= 4t
        sign(at_most(_ZERO, sympy.log(4 + u) - 1), {u: (0, oo)}),
        sign(at_most(whole, delta), {delta: (0, 1)}),
    )


def unbounded_difference() -> Part:
    """X_j - X_i lies in [-1, 1] for laws on [0, 1]; for Gaussian ones beyond any length."""
    with precision(96):
        beyond = arb(2).erfc() / 2  # N(0, 1) beyond sqrt(8), two variances of 1/2
    return computed(
        "enclosure",
        not beyond > 0,
        "Gaussian rewards",
        f"the centred difference exceeds 2.83 with chance {float(beyond):.2g}",
    )
