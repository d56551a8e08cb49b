"""Remark 8.1, term by term, with the constants of the three theorems.

gap = mu_L - mu_k for a suboptimal arm; r, x >= 0 are what a divergence or a mean exceeds its least
by.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, oo

from boundcheck.claims.card import Term
from boundcheck.claims.growth import per_log
from boundcheck.proof_steps.parts import at_most, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import models
from boundcheck.theories.shareable_arms.elimination.cards import TERMS as MP_SE_SA
from boundcheck.theories.shareable_arms.etc_ucb.cards import TERMS as ETC_UCB
from boundcheck.theories.shareable_arms.orch_explore.cards import TERMS as ORCH_EXPLORE
from boundcheck.theories.shareable_arms.symbols import (
    f_star,
    gamma,
    m,
    m_L,
    mbar,
    mu,
    mu_1,
    mu_L,
    sigma2,
)
from simulation.world.instance import Instance

gap, r, x = sympy.symbols("gap r x", positive=True)
ANY, UP, SURE = (0, oo), (1, oo), ("0.001", oo)
MEANS = {mu_L: mu + gap, mu_1: mu + gap + x}
REMARK = Proof("rem-8.1")


def _coefficient(terms: tuple[Term, ...], name: str) -> Expr:
    (found,) = (term.expression for term in per_log(terms) if term.name == name)
    return found


ELIMINATION = _coefficient(MP_SE_SA, "elimination").subs(MEANS)
COMMITTED = _coefficient(ETC_UCB, "suboptimal arms").subs(MEANS)


@REMARK.step(
    "a",
    "remark 8.1: the first term, MP-SE-SA",
    "Pinsker's inequality, variance-at-most-half, gamma-at-least-1",
    pinsker=Rational(1, 1000),
    variance=10**6,
)
def _first_term(pinsker: Expr = 2, variance: Expr = Rational(1, 2)) -> Parts:
    """gap/kl is at most 342 gamma^2 g m/gap: kl >= 2 gap^2 on [0, 1], and gap^2/(2 sigma^2) for
    Gaussian rewards."""
    arms = {gap: SURE, x: ANY, gamma: UP, m: UP}
    yield at_most(gap / (pinsker * gap**2 + r), ELIMINATION).on(arms | {r: ANY})
    yield at_most(2 * sigma2 / gap, ELIMINATION).on(arms | {sigma2: (0, variance)})


@REMARK.step(
    "b",
    "remark 8.1: the first term, ETC-UCB",
    "Pinsker's inequality, variance-at-most-half",
    pinsker=Rational(1, 1000),
    variance=1000,
)
def first_term_committed(pinsker: Expr = 2, variance: Expr = Rational(1, 2)) -> Parts:
    """gap/kl is at most 8 (mu_1 - mu_k) m/gap^2, where mu_1 - mu_k = gap + x."""
    arms = {gap: SURE, x: ANY, m: UP}
    yield at_most(gap / (pinsker * gap**2 + r), COMMITTED).on(arms | {r: ANY})
    yield at_most(2 * sigma2 / gap, COMMITTED).on(arms | {sigma2: (0, variance)})


@REMARK.step("c", "remark 8.1: the second term, each arm", times=2)
def each_capacity(times: Expr = 1) -> Parts:
    """A filled arm costs the same in all three bounds, and arm L, whose term is divided by
    (m_L - mbar + 1)^2, no more."""
    points = {m: (1, 9), mu: (1, 9), f_star: (10, 99), mu_1: (1, 9)}
    filled = times * _coefficient(ORCH_EXPLORE, "capacities of filled arms")
    for terms in (MP_SE_SA, ETC_UCB):
        yield equal(filled, _coefficient(terms, "capacities")).on(points)
    divided = _coefficient(ORCH_EXPLORE, "last arm") / (49 * m_L**2 / mu_L**2)
    weight = sympy.Symbol("w", positive=True)
    share = sympy.cancel(divided * (m_L - mbar + 1) ** 2 / (f_star - m_L * mu_L + mu_1))
    yield at_most(times * share * weight / (r + 1) ** 2, weight).on({weight: SURE, r: ANY})


@REMARK.step("d", "remark 8.1: the ranges of the sums", "c", beyond=9)
def ranges(beyond: int = 0) -> Parts:
    """L <= N < K, and no weight f(a*) - m_k mu_k + mu_1 is negative where capacities are at most N:
    the other sums have the same summands and more."""

    def true(instance: Instance) -> bool:
        weights = (
            instance.optimal_reward - held * mean + max(instance.means)
            for held, mean in zip(instance.capacities, instance.means, strict=True)
            if held <= instance.plays
        )
        return instance.L + beyond <= instance.plays < instance.arms and min(weights) >= 0

    yield models.over_small_instances(true, "a sum with fewer arms, or a negative summand")


STEPS = tuple(REMARK)
