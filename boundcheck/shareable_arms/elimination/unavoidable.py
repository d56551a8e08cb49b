"""How long successive elimination surely waits, and what that costs: K = N + 1 arms.

While all N + 1 arms stand and each is taken to need one play, arm j is eliminated after round tau
only if the estimates of all others exceed its own by gamma U(tau, T), among them that of an arm
whose mean exceeds its own by at most d = mu_N - mu_{N+1}. The difference of two means of tau
samples of variance proxy v, so with probability at most exp(-tau (gamma U - d)^2/(4 v)), and
sqrt(tau) (gamma U - d) falls in tau. Hence, wherever it is positive,

    P(an elimination in the first n rounds) <= (N + 1) n exp(-n (gamma U(n, T) - d)^2/(4 v)).   (1)

A round takes two slots, in which every arm is played once and N - 1 plays are left over. These
earn nothing if they are wasted, at most mu_1 each if they are not: a round loses at least

    2 f(a*) - sum_k mu_k,  or  2 f(a*) - sum_k mu_k - (N - 1) mu_1.                              (2)

As T grows (1) tends to 0 for n = c log T, c < 8 gamma^2/d^2: in the limit regret per log T is at
least 8 gamma^2/d^2 times (2).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from boundcheck.claim import Claim
from boundcheck.kinds import Upto, lost
from boundcheck.kinds.growth import Limit
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Measured
from boundcheck.numbers.balls import ball
from boundcheck.numbers.evaluate import BALLS, Evaluator
from boundcheck.shareable_arms import functions as fn
from simulation.instance import Instance
from simulation.numbers import decimal

_RARE = Fraction(1, 20)  # a chance of an elimination that leaves most of the regret


def elimination_chance(case: Upto, rounds: int) -> arb:
    """(1), or what is at least 1."""
    instance, spread = case.instance, case.instance.reward.proxy_variance
    arguments = [np.array([[ball(Fraction(x))]], dtype=object) for x in (rounds, case.horizon)]
    width = ball(case.question.gamma) * Evaluator(BALLS, {}).call(fn.U, *arguments).item()
    margin = width - ball(tie(instance))
    if not margin > 0:
        return arb(1)
    exponent = rounds * margin**2 / ball(4 * spread)
    return (instance.plays + 1) * rounds * (-exponent).exp()


def tie(instance: Instance) -> Fraction:
    """The gap between the arms N and N + 1."""
    return instance.gap(*(instance.order[k] + 1 for k in (instance.plays - 1, instance.plays)))


def quiet_rounds(case: Upto) -> int:
    """So many rounds that an elimination in them is rare, nearly the most; 0 if even one is not."""

    def quiet(rounds: int) -> bool:
        return bool(elimination_chance(case, rounds) < ball(_RARE))

    if not quiet(1):
        return 0
    low, high = 0, (case.horizon // 2).bit_length()  # quiet(2^low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if quiet(1 << middle) else (low, middle)
    rounds = 1 << low
    for eighths in range(15, 8, -1):
        more = rounds * eighths // 8
        if 2 * more <= case.horizon and quiet(more):
            return more
    return rounds


def round_loss(instance: Instance, *, wasted: bool) -> Fraction:
    """(2)."""
    left_over = 0 if wasted else (instance.plays - 1) * max(instance.means)
    return 2 * instance.optimal_reward - sum(instance.means) - left_over


def _one_arm_too_many(instance: Instance) -> bool:
    return instance.arms == instance.plays + 1


def waiting(card: Claim, case: Upto, lab: Lab, *, wasted: bool = False) -> Measured | None:
    """What is lost before the first elimination."""
    loss = round_loss(case.instance, wasted=wasted)
    if not _one_arm_too_many(case.instance) or loss <= 0 or case.horizon < 2:
        return None
    rounds = quiet_rounds(case)
    if not rounds:
        return None
    chance = elimination_chance(case, rounds)
    return lost(
        card,
        case,
        (1 - chance) * ball(rounds * loss),
        rounds=rounds,
        lost_in_a_round=decimal(loss, 12),
        chance_of_an_elimination=float(chance.upper()),
    )


def wasting(card: Claim, case: Upto, lab: Lab) -> Measured | None:
    """The same where left-over plays are wasted and no arm takes a second play."""
    if set(case.instance.capacities) != {1}:
        return None
    return waiting(card, case, lab, wasted=True)


def waiting_growth(card: Claim, case: Limit, lab: Lab) -> Measured | None:
    """8 gamma^2/d^2 times what a round loses."""
    instance, gamma = case.instance, case.question.gamma
    loss = round_loss(instance, wasted=False)
    if not _one_arm_too_many(instance) or loss <= 0 or not tie(instance):
        return None
    least = 8 * gamma**2 * loss / tie(instance) ** 2
    return Enclosed.at_least(ball(least), policy=card.policy, lost_in_a_round=decimal(loss, 12))
