"""A lower bound on the time until the first elimination, and its cost; it refutes G.1 and G.2.

There are K = N + 1 arms. While all N + 1 arms remain and each is assumed to need one play, arm j is
eliminated after round tau only if the estimates of all others exceed its own by gamma U(tau, T),
among them that of an arm whose mean exceeds its own by at most d = mu_N - mu_{N+1}. The difference
of two means of tau samples of variance proxy v, so with probability at most
exp(-tau (gamma U - d)^2/(4 v)), and sqrt(tau) (gamma U - d) falls in tau. Hence, wherever it is
positive,

    P(an elimination in the first n rounds) <= (N + 1) n exp(-n (gamma U(n, T) - d)^2/(4 v)).   (1)

A round takes two slots, in which every arm is played once and N - 1 plays are left over. These
earn nothing if they are wasted, at most mu_1 each if they are not: a round loses at least

    2 f(a*) - sum_k mu_k,  or  2 f(a*) - sum_k mu_k - (N - 1) mu_1.                              (2)

As T grows (1) tends to 0 for n = c log T, c < 8 gamma^2/d^2: in the limit regret per log T is at
least 8 gamma^2/d^2 times (2).

G.1 and G.2 do not contain the gap d, and fail where arms N and N + 1 nearly tie far below an arm
that could serve all plays: until one of them is eliminated the N best arms are taken to be needed,
and nothing is unitedly explored.

By the pseudo-code of G.3 and G.5, plays left over in an individual exploration are wasted, which
with K = N + 1 costs about N plays a round; three arms are enough.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import partial

from flint import arb
from sympy import Symbol

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.growth import Limit
from boundcheck.judging.default_statements.regret import AtHorizon, certain_regret, upper_regret
from boundcheck.judging.finding import Role
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT_TOLD, early_horizons
from boundcheck.theories.shareable_arms.question import Question
from simulation.numbers import decimal
from simulation.world.instance import Instance

NEAR_TIE = Instance(["0.9", "0.5", "0.4999"], [2, 1, 1], 2, name="near-tie")

_RARE = Fraction(1, 20)  # a probability of elimination that leaves most of the regret

_WIDTH = fn.U(Symbol("tau"), Symbol("T"))


def elimination_chance(case: AtHorizon, rounds: int) -> arb:
    """The bound (1), or 1 if it does not hold."""
    instance, spread = case.instance, case.instance.reward.proxy_variance
    (width,) = enclosed(_WIDTH, {"tau": rounds, "T": case.horizon})
    margin = ball(Question.of(case.question).gamma) * width - ball(tie(instance))
    if not margin > 0:
        return arb(1)
    exponent = rounds * margin**2 / ball(4 * spread)
    return (instance.plays + 1) * rounds * (-exponent).exp()


def tie(instance: Instance) -> Fraction:
    """The gap between arms N and N + 1."""
    return instance.gap(*(instance.order[k] + 1 for k in (instance.plays - 1, instance.plays)))


def quiet_rounds(case: AtHorizon) -> int:
    """Nearly the largest number of rounds in which an elimination is rare; 0 if one round is too
    many.
    """

    def quiet(rounds: int) -> bool:
        return bool(elimination_chance(case, rounds) < ball(_RARE))

    if not quiet(1):
        return 0
    powers = range(1, (case.horizon // 2).bit_length())
    rounds = 1 << bisect_left(powers, True, key=lambda power: not quiet(1 << power))
    more = (rounds * eighths // 8 for eighths in range(15, 8, -1))
    return next((n for n in more if 2 * n <= case.horizon and quiet(n)), rounds)


def round_loss(instance: Instance, *, wasted: bool) -> Fraction | None:
    """The loss (2) of a round, if there are N + 1 arms and it is positive."""
    left_over = 0 if wasted else (instance.plays - 1) * max(instance.means)
    loss = 2 * instance.optimal_reward - sum(instance.means) - left_over
    return loss if instance.arms == instance.plays + 1 and loss > 0 else None


def waiting(
    card: Claim, case: AtHorizon, context: RunContext, *, wasted: bool = False
) -> Measured | None:
    """The regret before the first elimination; left-over plays are wasted where no arm takes a
    second play.
    """
    loss = round_loss(case.instance, wasted=wasted)
    if loss is None or case.horizon < 2 or (wasted and set(case.instance.capacities) != {1}):
        return None
    rounds = quiet_rounds(case)
    if not rounds:
        return None
    chance = elimination_chance(case, rounds)
    return certain_regret(
        card,
        case,
        (1 - chance) * ball(rounds * loss),
        context.theory,
        rounds=rounds,
        lost_in_a_round=decimal(loss, 12),
        chance_of_an_elimination=float(chance.upper()),
    )


def waiting_growth(card: Claim, case: Limit, context: RunContext) -> Measured | None:
    """8 gamma^2/d^2 times the loss of a round."""
    loss = round_loss(case.instance, wasted=False)
    if loss is None or not (gap := tie(case.instance)):
        return None
    least = 8 * Question.of(case.question).gamma ** 2 * loss / gap**2
    return Enclosed.at_least(ball(least), policy=card.policy, lost_in_a_round=decimal(loss, 12))


def three_arms() -> tuple[AtHorizon, ...]:
    instance = Instance([1, "0.995", "0.994"], [1, 1, 1], 2, name="one-arm-too-many")
    return (AtHorizon.at(instance, 10**20, fixed=True),)


literal = partial(
    upper_regret,
    "pseudo-code taken literally: plays left over in an individual exploration are wasted",
    FIRST_SLOT_TOLD,
    Measurement("wait for an elimination, plays wasted", partial(waiting, wasted=True)),
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    strategy=early_horizons(unit=True),
    known_cases=three_arms,
    theory=THEORY,
)
