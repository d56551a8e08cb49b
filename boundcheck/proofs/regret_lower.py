"""Theorem 4.3 (appendix C.3) and lemma C.3: what exploration costs a consistent policy.

Gap identity: the regret of an action is the sum over k < L of (m_k - a_k)^+ (mu_k - mu_L), over
k > L of min(a_k, m_k)(mu_L - mu_k), and over all k of (a_k - m_k)^+ mu_L. S = sigma^2 m^2/mu^2 is
the scale of the published sample size, S_L = sigma^2 m_L^2/((m_L - mbar + 1)^2 mu_L^2) that of arm
L; D_k = KL(m_k, m_k + 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import sympy
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from sympy import log, oo

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.calculator import bounds
from boundcheck.graves_lai import Program, solve
from boundcheck.proofs import gaussian
from boundcheck.proofs import relations as rel
from boundcheck.proofs.capacity_divergence import pair_above, told_by_the_next_load
from boundcheck.proofs.methods import computed, exhaustive, falsified, identity, searched, sign
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.relations import at_most
from boundcheck.proofs.step import Part, combined
from boundcheck.strategies import instances, loads
from simulation.instance import Instance
from simulation.rewards import Gaussian

_p, _q, _sigma = sympy.symbols("p q sigma", positive=True)
_S, _x, _T, _cost, _delta, _mbar = sympy.symbols("S x T cost delta mbar", positive=True)
_HALF = Gaussian(Fraction(1, 2))
_SMALL = (
    Instance([3, 2, 1], [1, 1, 1], 1, _HALF),
    Instance([3, 2, 1], [1, 1, 1], 2, _HALF),
    Instance([4, 3, 2, 1], [1, 2, 1, 1], 3, Gaussian(Fraction(1, 4))),
    Instance([5, 2, 1, "0.5"], [2, 1, 2, 1], 3, Gaussian(Fraction(1, 10))),
    Instance(["0.9", "0.5", "0.4", "0.1"], [2, 2, 1, 3], 3, _HALF),
)

Played = tuple[Instance, tuple[int, ...]]


@st.composite
def _played(draw: DrawFn) -> Played:
    """An instance with distinct means, mu_L > 0, and an action."""
    instance = draw(instances(distinct=True).filter(_positive_last))
    return instance, draw(loads(instance))


def _positive_last(instance: Instance) -> bool:
    return instance.means[instance.last_arm] > 0


def _shown(played: Played) -> str:
    instance, action = played
    means = ", ".join(map(str, instance.means))
    return f"means {means}; capacities {instance.capacities}; action {action}"


def _suboptimal(instance: Instance, action: tuple[int, ...]) -> list[Fraction]:
    """The gaps mu_L - mu_k of the arms beyond L that are played."""
    last = instance.means[instance.last_arm]
    return [last - instance.means[k] for k in instance.order[instance.L :] if action[k] > 0]


def _program(instance: Instance) -> Program:
    program = solve(instance)
    assert program is not None  # small, one best action
    return program


# -- step 1: suboptimal arms ---------------------------------------------------------------


def _consistent_is_uniformly_good() -> Part:
    """An action that plays an arm beyond L loses something, so it is a suboptimal action."""
    return searched(
        lambda played: not _suboptimal(*played) or played[0].regret(played[1]) > 0,
        _played(),
        "instances with distinct means and any action",
        examples=150,
        show=_shown,
    )


def _least_cost() -> Part:
    return searched(
        lambda played: played[0].regret(played[1]) >= sum(_suboptimal(*played)),
        _played(),
        "instances with distinct means and any action",
        examples=150,
        show=_shown,
    )


def _plays_needed() -> Part:
    """The cheapest exploration that the brute-force program finds plays arm k > L 1/kl times."""
    closest = []
    for instance in _SMALL:
        program = _program(instance)
        for k in instance.order[instance.L :]:
            effort = sum(c for action, c in program.effort.items() if action[k] > 0)
            gap = instance.means[instance.last_arm] - instance.means[k]
            closest.append(float(effort * gap**2 / (2 * _variance(instance))))
    return computed(
        "linear program",
        min(closest) > 1 - 1e-7,
        f"{len(_SMALL)} Gaussian instances of up to 4 arms",
        f"plays per log T at least {min(closest):.9f} times 1/kl, for {len(closest)} arms",
        sample=True,
    )


def _sum_over_suboptimal() -> Part:
    ratios = []
    for instance in _SMALL:
        program = _program(instance)
        last = instance.means[instance.last_arm]
        gaps = [last - instance.means[k] for k in instance.order[instance.L :]]
        ratios.append(program.value / float(sum(2 * _variance(instance) / gap for gap in gaps)))
    return computed(
        "linear program",
        min(ratios) > 1 - 1e-7,
        f"{len(_SMALL)} Gaussian instances of up to 4 arms",
        f"the exact constant is at least {min(ratios):.9f} times this sum",
        sample=True,
    )


def _costs_add_up() -> Part:
    """The program's value is what suboptimal arms cost plus what filled arms cost."""
    ratios = []
    for instance in _SMALL:
        (bound,) = bounds(instance, claims=["sharp-4.3"])
        ratios.append(_program(instance).value / float(str(bound.value)))
    return computed(
        "linear program",
        all(abs(ratio - 1) < 1e-7 for ratio in ratios),
        f"{len(_SMALL)} Gaussian instances of up to 4 arms",
        "the value is the sum of the two exact parts to 7 digits",
        sample=True,
    )


def _variance(instance: Instance) -> Fraction:
    assert isinstance(instance.reward, Gaussian)
    return instance.reward.variance


def _equal_variances() -> Part:
    by_moments = gaussian.divergence((_p, _sigma), (_q, _sigma))
    form = rel.unfolded(fn.kl_gaussian(_p, _q)).xreplace({s.sigma2: _sigma**2})
    return identity(by_moments, form, dict.fromkeys((_p, _q, _sigma), (1, 5)))


# -- step 2: capacities --------------------------------------------------------------------


def _loads_above() -> Part:
    """Capacities m and m + 1 serve a load alike unless it exceeds m."""
    return exhaustive(
        lambda load: (min(load, 2) != min(load, 3)) == (load > 2),
        {"l (m = 2)": (1, 2, 3, 4)},
        complete=True,
        words="below, at, one above and farther above m",
    )


def _last_arm() -> Part:
    """Capacity mbar - 1 is told from mbar by the load mbar of the optimal action, which is free."""
    best = Instance([2, 1, 0], [2, 1, 1], 2, _HALF)
    free = exhaustive(
        lambda action: best.regret(action) > 0, {"action": (best.optimal_action,)}, complete=True
    )
    words = "KL(mbar - 1, mbar) > 0 under the optimal action, whose regret is 0"
    both = combined(told_by_the_next_load(), free)
    return Part(both.method, both.verdict, "every mbar >= 2", words)


def _surplus_cost() -> Part:
    """Does every action with a surplus play on a filled arm lose mu_k - mu_L at least?"""

    def true(best: int, last: int, capacity: int) -> bool:
        return all(loss >= best - last for loss in _surplus_losses(best, last, capacity))

    grid = {"mu_k": range(2, 7), "mu_L": range(1, 6), "m_k": (1, 2)}
    exactly = all(true(*case) == (case[0] <= 2 * case[1]) for case in product(*grid.values()))
    words = "some surplus play loses mu_L only"
    words += "; in this grid it is so exactly for mu_k > 2 mu_L" if exactly else ""
    return exhaustive(true, grid, complete=False, words=words)


def _surplus_losses(best: int, last: int, capacity: int) -> Iterator[Fraction]:
    if best > last:
        plays = capacity + 1
        truth = Instance([best, last, 0, 0], [capacity, 2, 1, 1], plays, _HALF)
        for placed in combinations_with_replacement(range(4), plays):
            action = tuple(placed.count(arm) for arm in range(4))
            if action[0] > capacity:
                yield truth.regret(action)


def _failure_cost() -> Part:
    """Playing for capacity m_k + 1 where it is m_k loses mu_L a slot, not mu_k - mu_L."""
    return exhaustive(
        lambda best, last: _overestimated(best, last) >= best - last,
        {"mu_k": (1, 2, 3, 4), "mu_L": (1, 2, 3)},
        complete=False,
        words="a slot loses mu_L if the capacity is taken for one more than it is",
    )


def _overestimated(best: int, last: int) -> Fraction:
    if best <= last:
        return Fraction(best)
    truth = Instance([best, last, 0], [1, 2, 1], 2, _HALF)
    mistaken = truth.with_(capacities=(2, 2, 1)).optimal_action
    return truth.regret(mistaken)


def _trade_off() -> Part:
    """With x = delta T/S: both sides differ by cost S (x - 1 - log x), and log x <= x - 1."""
    paid = _cost * _S * log(1 / (4 * _delta)) + _delta * _cost * _T
    least = _cost * _S * (log(_T / (4 * _S)) + 1)
    ratio = _delta * _T / _S
    ranges = {_cost: (1, 9), _S: (1, 9), _T: (10, 99), _delta: ("0.01", "0.2")}
    return combined(
        identity(paid - least, _cost * _S * (ratio - 1 - log(ratio)), ranges),
        sign(at_most(log(_x), _x - 1), {_x: (1, oo)}),
        sign(at_most(log(1 / _x), 1 / _x - 1), {_x: (1, oo)}),
    )


def _minimiser() -> Part:
    """The derivative in delta vanishes at S/T; the second derivative is positive."""
    paid = _S * log(1 / (4 * _delta)) + _delta * _T
    slope, bend = sympy.diff(paid, _delta), sympy.diff(paid, _delta, 2)
    zero = slope.subs(_delta, _S / _T)
    return combined(
        identity(zero, 0 * _S, {_S: (1, 9), _T: (1, 9)}),
        sign(at_most(0 * _S, bend), {_S: (0, oo), _delta: ("0.001", oo)}),
    )


def _in_the_limit() -> Part:
    """S (log(T/(4S)) + 1) is S log T up to lower order."""
    limit = sympy.limit((log(_T / (4 * _S)) + 1) / log(_T), _T, oo)
    return computed("limit", limit == 1, "T to infinity", f"their ratio tends to {limit}")


# -- the ledger ----------------------------------------------------------------------------

_LEMMA, _CLAIM = "lem-C.3", "thm-4.3"
_EXACT = "the exact constant (sharp-4.3) is smaller on some instances that satisfy every assumption"

STEPS = (
    Step(_LEMMA, "C.3-a", "C.3, after definition 2: consistent implies uniformly good",
         "every action that plays an arm beyond L is suboptimal",
         ("distinct-means",), _consistent_is_uniformly_good),
    Step(_LEMMA, "C.3-b", "lemma C.3, display",
         "an arm beyond L is played 1/KL times per log T at least",
         ("Anantharam, Varaiya and Walrand, Theorem 3.1",), _plays_needed,
         repair="an epsilon is introduced and never used: drop it"),
    Step(_CLAIM, "4.3-a", "C.3, step 1: the smallest cost of a suboptimal arm",
         "an action loses mu_L - mu_k at least for every arm k > L that it plays",
         ("distinct-means",), _least_cost),
    Step(_CLAIM, "4.3-b", "C.3, step 1: kl for Gaussian laws of one variance",
         "KL = (p - q)^2/(2 sigma^2)", (), _equal_variances),
    Step(_CLAIM, "4.3-c", "C.3, step 1, display",
         "suboptimal arms cost sum_{k>L} (mu_L - mu_k)/kl(mu_k, mu_L) per log T",
         ("C.3-b", "4.3-a", "4.3-b"), _sum_over_suboptimal),
    Step(_CLAIM, "4.3-d", "C.3, before step 1: the costs of the two steps are orthogonal",
         "what suboptimal arms cost and what capacities cost add up",
         ("4.3-a",), _costs_add_up),
    Step(_CLAIM, "4.3-e", "C.3, step 2: irregular explorations of a filled arm",
         "no load up to m_k tells m_k from m_k + 1, every larger one does",
         ("4.2-a",), _loads_above),
    Step(_CLAIM, "4.3-f", "C.3, step 2: explorations needed for a filled arm",
         "D_k <= 1/S, so 1/D_k >= S loads above m_k per log T are needed",
         ("4.2-a", "C.1-m", "signal-to-noise"), pair_above),
    Step(_CLAIM, "4.3-g", "C.3, step 2: each costs at least mu_k - mu_L",
         "an action with a surplus play on a filled arm loses mu_k - mu_L at least",
         (), _surplus_cost,
         repair="it costs mu_L (gap identity)", consequence=_EXACT),
    Step(_CLAIM, "4.3-h", "C.3, step 2: a wrong estimate costs at least (mu_k - mu_L) T",
         "taking the capacity of a filled arm for another loses mu_k - mu_L a slot at least",
         (), _failure_cost,
         repair="at least min(mu_L, mu_k - mu_L) T, which is as good asymptotically",
         consequence="the size of a linear cost does not enter the constant"),
    Step(_CLAIM, "4.3-i", "C.3, step 2, display 1",
         "cost S log(1/(4 delta)) + delta cost T >= cost S (log(T/(4 S)) + 1)",
         ("4.3-f", "4.3-g", "4.3-h"), _trade_off),
    Step(_CLAIM, "4.3-j", "C.3, step 2: the minimum at delta = S/T",
         "the left side is least at delta = sigma^2 m^2/(mu^2 T)", ("4.3-i",), _minimiser),
    Step(_CLAIM, "4.3-k", "C.3, step 2: arm L is explored at a cost of mu_L - mu_{L+1}",
         "whatever tells m_L >= mbar from m_L = mbar - 1 costs regret",
         ("4.2-d",), _last_arm,
         repair="no term for arm L: its capacity shows under the optimal action itself",
         consequence=f"for a known variance; {_EXACT}"),
    Step(_CLAIM, "4.3-l", "C.3, step 2, display 2",
         "the same trade-off with S_L and the cost mu_L - mu_{L+1}", ("4.3-k",), _trade_off),
    Step(_CLAIM, "4.3-m", "C.3, step 2: the minimum at delta = S_L/T",
         "the left side is least at delta = S_L/T", ("4.3-l",), _minimiser),
    Step(_CLAIM, "4.3-n", "C.3, last display: the limit",
         "log(T/(4 S)) + 1 is log T up to lower order", ("4.3-i", "4.3-l"), _in_the_limit),
    Step(_CLAIM, "4.3-o", "C.3, last display: the term of arm L",
         "with it the constant is at most the exact one", ("4.3-k", "4.3-n"),
         lambda: falsified(_CLAIM, 0), repair="drop it", consequence=_EXACT),
    Step(_CLAIM, "4.3-p", "C.3, last display: the terms of filled arms",
         "with them the constant is at most the exact one", ("4.3-g", "4.3-n"),
         lambda: falsified(_CLAIM, 1), repair="mu_L/D_k for (mu_k - mu_L) S (sharp-4.3)",
         consequence=_EXACT),
)  # fmt: skip
