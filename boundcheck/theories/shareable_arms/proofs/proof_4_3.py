"""Theorem 4.3 (appendix C.3) and lemma C.3: what exploration costs a consistent policy.

Gap identity: the regret of an action is the sum over k < L of (m_k - a_k)^+ (mu_k - mu_L), over
k > L of min(a_k, m_k)(mu_L - mu_k), and over all k of (a_k - m_k)^+ mu_L. S = sigma^2 m^2/mu^2 is
the scale of the published sample size, S_L = sigma^2 m_L^2/((m_L - mbar + 1)^2 mu_L^2) that of arm
L; D_k = KL(m_k, m_k + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import sympy
from flint import arb
from hypothesis import strategies as st
from sympy import Expr, Rational, log, oo

from boundcheck.calculator.numbers import balls
from boundcheck.claims import functions as fn
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, cases, equal, examples
from boundcheck.proof_steps.ranges import UP, UP9
from boundcheck.proof_steps.step import Part, Parts, Proof, StepRepair, all_agree
from boundcheck.search.strategies import instances, one_action
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.exact.graves_lai import graves_lai
from boundcheck.theories.shareable_arms.models import told_instance
from boundcheck.theories.shareable_arms.proofs import proof_4_1a as divergences
from boundcheck.theories.shareable_arms.proofs.stated import same
from boundcheck.theories.shareable_arms.setting import derive
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

p, q, S, x, T, cost, delta = sympy.symbols("p q S x T cost delta", positive=True)
_KL = rel.unfolded(fn.kl_gaussian(p, q))
_HALF = Gaussian(Fraction(1, 2))
_SMALL = (
    Instance([3, 2, 1], [1, 1, 1], 1, _HALF),
    Instance([3, 2, 1], [1, 1, 1], 2, _HALF),
    Instance([4, 3, 2, 1], [1, 2, 1, 1], 3, Gaussian(Fraction(1, 4))),
    Instance([5, 2, 1, "0.5"], [2, 1, 2, 1], 3, Gaussian(Fraction(1, 10))),
    Instance(["0.9", "0.5", "0.4", "0.1"], [2, 2, 1, 3], 3, _HALF),
)
_EXACT = "the exact constant (sharp-4.3) is smaller on some instances that satisfy every assumption"
# with distinct means and mu_L > 0
_PLAYED = (
    instances(distinct=True)
    .filter(lambda i: i.means[i.last_arm] > 0)
    .flatmap(lambda i: st.tuples(st.just(i), one_action(i)))
)
Action = tuple[int, ...]
Cost = Callable[[Fraction, Fraction], Fraction]


def _for_actions(true: Callable[[Instance, Action], bool]) -> Part:
    return examples(
        lambda played: true(*played),
        _PLAYED,
        "instances with distinct means and any action",
        examples=150,
        show=lambda played: f"{told_instance(played[0])}, action {played[1]}",
    )


def _by_program(ratios: Callable[[Instance, arb], Iterable[arb]], words: str) -> Part:
    """Ratios of the brute-force program's value, enclosed, to what it should reach."""
    ratios_found: list[arb] = []
    with balls.precision(rel.BITS):
        for instance in _SMALL:
            program = graves_lai(instance)
            assert program is not None  # small, one best action
            ratios_found += ratios(instance, program.value)
    region = f"{len(_SMALL)} Gaussian instances of up to 4 arms"
    least = float(min(ratio.mid() for ratio in ratios_found))
    told = f"{words}: {least:.12f} times, or more"
    if any(ratio < 1 for ratio in ratios_found):
        return Part("linear program", Verdict.REFUTED, region, told)
    return all_agree("linear program", region, told, sample=True)


# -- lemma C.3 -----------------------------------------------------------------------------

LEMMA = Proof("lem-C.3")


@LEMMA.step(
    "a", "C.3, after definition 2: consistent implies uniformly good", "distinct-means", beyond=-1
)
def consistent_is_uniformly_good(beyond: int = 0) -> Parts:
    """Every action that plays an arm beyond L is suboptimal."""
    yield _for_actions(
        lambda i, action: (
            i.regret(action) > 0 or not any(action[k] for k in i.order[i.L + beyond :])
        )
    )


@LEMMA.step(
    "b",
    "lemma C.3, display",
    ("Anantharam, Varaiya and Walrand, Theorem 3.1",),
    repair=StepRepair("An epsilon is introduced and never used: drop it"),
)
def plays_needed() -> Parts:
    """An arm beyond L is played 1/KL times per log T at least."""
    yield same("lem-C.3", "intended")


# -- theorem 4.3, step 1: suboptimal arms ------------------------------------------------------

PROOF = Proof("thm-4.3", source="C.3, ")


@PROOF.step(
    "a",
    "step 1: the smallest cost of a suboptimal arm",
    "distinct-means",
    cost=lambda last, mean: last,
)
def least_cost(cost: Cost = lambda last, mean: last - mean) -> Parts:
    """An action loses mu_L - mu_k at least for every arm k > L that it plays."""

    def true(instance: Instance, action: Action) -> bool:
        last = instance.means[instance.last_arm]
        played = [instance.means[k] for k in instance.order[instance.L :] if action[k]]
        return instance.regret(action) >= sum(cost(last, mean) for mean in played)

    yield _for_actions(true)


@PROOF.step("b", "step 1: kl for Gaussian laws of one variance", form=2 * _KL)
def equal_variances(form: Expr = _KL) -> Parts:
    """KL = (p - q)^2/(2 sigma^2)."""
    sigma = sympy.sqrt(s.sigma2)
    told = gaussian.normal_divergence((p, sigma), (q, sigma))
    yield equal(told, form).on(dict.fromkeys((p, q, s.sigma2), (1, 5)))


@PROOF.step("c", "step 1, display", "C.3-b, a, b", form=_KL / 2)
def sum_over_suboptimal(form: Expr = _KL) -> Parts:
    """Suboptimal arms cost sum_{k>L} (mu_L - mu_k)/kl(mu_k, mu_L) per log T."""

    def ratio(instance: Instance, value: arb) -> Iterator[arb]:
        known = {q: instance.means[instance.last_arm], s.sigma2: instance.reward.proxy_variance}
        arms = [{p: instance.means[k], **known} for k in instance.order[instance.L :]]
        yield value / sum((rel.value_at((q - p) / form, arm) for arm in arms), arb(0))

    yield _by_program(ratio, "the exact constant, beside this sum")


@PROOF.step("d", "before step 1: the costs of the two steps are orthogonal", "a", together=max)
def costs_add_up(together: Callable[[list[arb]], arb] = sum) -> Parts:
    """What suboptimal arms cost and what capacities cost add up."""

    def ratios(instance: Instance, value: arb) -> Iterator[arb]:
        whole, card = InstanceCase(instance), find("sharp-4.3")
        total = together([whole.number(card, derive, terms=slice(i, i + 1)) for i in (0, 1)])
        yield from (value / total, total / value)

    yield _by_program(ratios, "the exact constant beside the sum of its two parts, and back")


# -- step 2: capacities --------------------------------------------------------------------


@PROOF.step("e", "step 2: irregular explorations of a filled arm", "4.2-a", last=1)
def _loads_above(last: int = 2) -> Parts:
    """No load up to m_k tells m_k from m_k + 1, every larger one does."""
    around = {"l (m = 2)": (1, 2, 3, 4)}  # below, at, one above and farther above m
    yield cases(lambda load: (min(load, 2) != min(load, 3)) == (load > last), around, complete=True)


PROOF.step(
    "f",
    "step 2: 1/D_k >= S explorations of a filled arm are needed, S = 1/R",
    "4.2-a, C.1-m, signal-to-noise",
    least=Rational(1, 4),
)(divergences.pair_above)


def _loses(cost: Cost, actions: Iterable[Action], words: str) -> Part:
    """Does each action lose so much where arm 1 is filled, arm 2 is arm L, each of capacity 2?"""

    def true(best: int, last: int, action: Action) -> bool:
        truth = Instance([best, last, "0.5", "0.2", 0], [2, 2, 1, 1, 1], 4, _HALF)
        return best <= last or truth.regret(action) >= cost(Fraction(best), Fraction(last))

    ranges = {"mu_k": range(2, 7), "mu_L": range(1, 6), "loads (m_k = m_L = 2)": actions}
    return cases(true, ranges, complete=False, words=words)


@PROOF.step(
    "g",
    "step 2: each costs at least mu_k - mu_L",
    true_with={"cost": lambda best, last: last},
    repair=StepRepair("It costs mu_L (gap identity)"),
    consequence=_EXACT,
)
def surplus_cost(cost: Cost = lambda best, last: best - last) -> Parts:
    """An action with a surplus play on a filled arm loses mu_k - mu_L at least."""
    surplus = ((3, 1, 0, 0, 0), (3, 0, 1, 0, 0), (4, 0, 0, 0, 0))
    yield _loses(cost, surplus, "some surplus play loses mu_L only")


@PROOF.step(
    "h",
    "step 2: a wrong estimate costs at least (mu_k - mu_L) T",
    repair=StepRepair(
        "At least min(mu_L, mu_k - mu_L) T, which is as good asymptotically",
        {"cost": lambda best, last: min(last, best - last)},
    ),
    consequence="the size of a linear cost does not enter the constant",
)
def failure_cost(cost: Cost = lambda best, last: best - last) -> Parts:
    """Taking the capacity of a filled arm for another loses mu_k - mu_L a slot at least."""
    mistaken = ((1, 2, 1, 0, 0), (3, 1, 0, 0, 0))
    yield _loses(cost, mistaken, "taken for one more than it is, the capacity costs mu_L a slot")


@PROOF.step("i", "step 2, display 1", "f, g, h", more=2)
def trade_off(more: Expr = 1) -> Parts:
    """cost S log(1/(4 delta)) + delta cost T >= cost S (log(T/(4 S)) + 1)."""
    # with x = delta T/S both sides differ by cost S (x - 1 - log x), and log x <= x - 1
    paid = cost * S * log(1 / (4 * delta)) + delta * cost * T
    least, ratio = cost * S * (log(T / (4 * S)) + more), delta * T / S
    ranges = {cost: UP9, S: UP9, T: (10, 99), delta: ("0.01", "0.2")}
    yield equal(paid - least, cost * S * (ratio - more - log(ratio))).on(ranges)
    for part in (x, 1 / x):
        yield at_most(log(part), part - more).on({x: UP})


@PROOF.step("j", "step 2: the minimum at delta = S/T", "i", place=S / (4 * T))
def minimiser(place: Expr = S / T) -> Parts:
    """The left side is least at delta = S/T."""
    paid = S * log(1 / (4 * delta)) + delta * T
    yield equal(sympy.diff(paid, delta).subs(delta, place), 0).on({S: UP9, T: UP9})
    yield at_most(0, sympy.diff(paid, delta, 2)).on({S: (0, oo), delta: ("0.001", oo)})


@PROOF.step(
    "k",
    "step 2: arm L is explored at a cost of mu_L - mu_{L+1}",
    "4.2-d",
    repair=StepRepair("No term for arm L: its capacity shows under the optimal action itself"),
    consequence=f"for a known variance; {_EXACT}",
)
def _last_arm() -> Parts:
    """Whatever tells m_L >= mbar from m_L = mbar - 1 costs regret."""
    yield same("rem-4.2", "further:arm-L")


PROOF.step("l", "step 2, display 2, with S_L for S", "k", more=2)(trade_off)
PROOF.step("m", "step 2: the minimum at delta = S_L/T", "l", place=S / (4 * T))(minimiser)


@PROOF.step("n", "last display: the limit", "i, l", growth=2)
def in_the_limit(growth: Expr = 1) -> Parts:
    """log(T/(4 S)) + 1 is log T up to a number that does not grow."""
    yield equal(log(T / (4 * S)) + 1 - growth * log(T), 1 - log(4 * S)).on({S: UP9, T: (2, 99)})


@PROOF.step(
    "o", "last display: the term of arm L", "k, n", repair=StepRepair("Drop it"), consequence=_EXACT
)
def term_of_last_arm() -> Parts:
    """With it the constant is at most the exact one."""
    yield same("thm-4.3", "intended")


@PROOF.step(
    "p",
    "last display: the terms of filled arms",
    "g, n",
    repair=StepRepair("mu_L/D_k takes the place of (mu_k - mu_L) S (sharp-4.3)"),
    consequence=_EXACT,
)
def terms_of_filled_arms() -> Parts:
    """With them the constant is at most the exact one."""
    yield same("thm-4.3", "further:filled-arms")


STEPS = (*LEMMA, *PROOF)
