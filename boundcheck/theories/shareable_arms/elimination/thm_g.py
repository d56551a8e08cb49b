"""Theorems G.1, G.3, G.5 and corollary G.2: the regret of successive elimination, and its growth.

How long it surely waits, and what that costs, where there are K = N + 1 arms. While all N + 1 arms
stand and each is taken to need one play, arm j is eliminated after round tau only if the estimates
of all others exceed its own by gamma U(tau, T), among them that of an arm whose mean exceeds its
own by at most d = mu_N - mu_{N+1}. The difference of two means of tau samples of variance proxy v,
so with probability at most exp(-tau (gamma U - d)^2/(4 v)), and sqrt(tau) (gamma U - d) falls in
tau. Hence, wherever it is positive,

    P(an elimination in the first n rounds) <= (N + 1) n exp(-n (gamma U(n, T) - d)^2/(4 v)).   (1)

A round takes two slots, in which every arm is played once and N - 1 plays are left over. These
earn nothing if they are wasted, at most mu_1 each if they are not: a round loses at least

    2 f(a*) - sum_k mu_k,  or  2 f(a*) - sum_k mu_k - (N - 1) mu_1.                              (2)

As T grows (1) tends to 0 for n = c log T, c < 8 gamma^2/d^2: in the limit regret per log T is at
least 8 gamma^2/d^2 times (2).

G.1 and G.2 do not contain the gap d, and fail where arms N and N + 1 nearly tie far below an arm
that could serve all plays: until one of them is eliminated the N best arms are taken to be needed,
and nothing is unitedly explored. G.2 gives an order of growth and no constants: its terms as they
are printed, with w_k^2, get those of G.1. As the gap shrinks the growth exceeds any multiple of the
order, so no other constants would do: what fails is what fails in G.1.

G.3 is about MP-SE, which is told that every capacity is 1; elsewhere that is wrong, and its regret
means nothing. G.5 is about MP-SE-SA that knows the capacities; where all are 1, it is G.3. By their
pseudo-code, plays left over in an individual exploration are wasted, which with K = N + 1 costs
about N plays a round; three arms are enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from flint import arb
from sympy import Symbol

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, per_log
from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.default_statements.regret import AtHorizon, ladder, lost, upper_regret
from boundcheck.judging.finding import Role
from boundcheck.judging.measured import Enclosed, Measured, Number
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT, FIRST_SLOT_TOLD, drawn
from boundcheck.theories.shareable_arms.setting import derive
from boundcheck.theories.shareable_arms.symbols import g_L, m, mu, mu_L, w
from simulation.numbers import decimal
from simulation.world.instance import Instance

NEAR_TIE = Instance(["0.9", "0.5", "0.4999"], [2, 1, 1], 2, name="near-tie")
_RARE = Fraction(1, 20)  # a chance of an elimination that leaves most of the regret
_WIDTH = fn.U(Symbol("tau"), Symbol("T"))
# what G.1 has before g_L m/Delta and before w m^2/mu^2, per log T
_ELIMINATION, _CAPACITIES = (
    term.expression for term in per_log(find("thm-G.1").quantities[0].terms) if term.over
)
CONSTANTS = (_ELIMINATION / (g_L * m / (mu_L - mu)), _CAPACITIES / (w * m**2 / mu**2))


def elimination_chance(case: AtHorizon, rounds: int) -> arb:
    """(1), or what is at least 1."""
    instance, spread = case.instance, case.instance.reward.proxy_variance
    (width,) = enclosed(_WIDTH, {"tau": rounds, "T": case.horizon})
    margin = ball(case.question.gamma) * width - ball(tie(instance))
    if not margin > 0:
        return arb(1)
    exponent = rounds * margin**2 / ball(4 * spread)
    return (instance.plays + 1) * rounds * (-exponent).exp()


def tie(instance: Instance) -> Fraction:
    """The gap between the arms N and N + 1."""
    return instance.gap(*(instance.order[k] + 1 for k in (instance.plays - 1, instance.plays)))


def quiet_rounds(case: AtHorizon) -> int:
    """So many rounds that an elimination in them is rare, nearly the most; 0 if even one is not."""

    def quiet(rounds: int) -> bool:
        return bool(elimination_chance(case, rounds) < ball(_RARE))

    if not quiet(1):
        return 0
    powers = range(1, (case.horizon // 2).bit_length())
    rounds = 1 << bisect_left(powers, True, key=lambda power: not quiet(1 << power))
    more = (rounds * eighths // 8 for eighths in range(15, 8, -1))
    return next((n for n in more if 2 * n <= case.horizon and quiet(n)), rounds)


def round_loss(instance: Instance, *, wasted: bool) -> Fraction | None:
    """(2), if there are N + 1 arms and anything is lost."""
    left_over = 0 if wasted else (instance.plays - 1) * max(instance.means)
    loss = 2 * instance.optimal_reward - sum(instance.means) - left_over
    return loss if instance.arms == instance.plays + 1 and loss > 0 else None


def waiting(
    card: Claim, case: AtHorizon, context: RunContext, *, wasted: bool = False
) -> Measured | None:
    """What is lost before the first elimination; left-over plays are wasted where no arm takes a
    second play."""
    loss = round_loss(case.instance, wasted=wasted)
    if loss is None or case.horizon < 2 or (wasted and set(case.instance.capacities) != {1}):
        return None
    rounds = quiet_rounds(case)
    if not rounds:
        return None
    chance = elimination_chance(case, rounds)
    return lost(
        card,
        case,
        (1 - chance) * ball(rounds * loss),
        context.theory,
        rounds=rounds,
        lost_in_a_round=decimal(loss, 12),
        chance_of_an_elimination=float(chance.upper()),
    )


def waiting_growth(card: Claim, case: Limit, context: RunContext) -> Measured | None:
    """8 gamma^2/d^2 times what a round loses."""
    loss = round_loss(case.instance, wasted=False)
    if loss is None or not (gap := tie(case.instance)):
        return None
    least = 8 * case.question.gamma**2 * loss / gap**2
    return Enclosed.at_least(ball(least), policy=card.policy, lost_in_a_round=decimal(loss, 12))


def with_constants_of_g_1(card: Claim, case: Limit) -> Number:
    """The terms of G.2 as printed, times the constants that G.1 has before them."""
    (order,) = card.quantities
    terms = (
        replace(term, expression=factor * term.expression)
        for term, factor in zip(order.terms, CONSTANTS, strict=True)
    )
    return case.number(replace(card, quantities=(replace(order, terms=tuple(terms)),)), derive)


def on_unit_capacities(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[AtHorizon]:
    if set(instance.capacities) == {1}:
        yield from ladder(card, instance, question, context)


def three_arms() -> tuple[AtHorizon, ...]:
    instance = Instance([1, "0.995", "0.994"], [1, 1, 1], 2, name="one-arm-too-many")
    return (AtHorizon.at(instance, 10**20, fixed=True),)


NOT_ONE = "some capacity is not 1, but MP-SE takes every capacity for 1"
literal = partial(
    upper_regret,
    "pseudo-code taken literally: plays left over in an individual exploration are wasted",
    FIRST_SLOT_TOLD,
    Measurement("wait for an elimination, plays wasted", partial(waiting, wasted=True)),
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    strategy=drawn(unit=True),
    known_cases=three_arms,
    theory=THEORY,
)
G_1 = upper_regret(
    find("thm-G.1").reading,
    FIRST_SLOT,
    Measurement("wait for an elimination", waiting),
    strategy=drawn(),
    theory=THEORY,
    known_cases=lambda: [AtHorizon.at(NEAR_TIE, 10**6, fixed=True)],
)
G_2 = upper_growth(
    "an order of growth as printed, with the constants of G.1 as it has none of its own",
    Measurement("wait for an elimination", waiting_growth),
    claimed=with_constants_of_g_1,
    known_cases=lambda: [Limit(NEAR_TIE, fixed=True)],
)
G_3 = upper_regret(
    find("thm-G.3").reading,
    FIRST_SLOT_TOLD,
    cases=on_unit_capacities,
    strategy=drawn(unit=True),
    inapplicable_reason=NOT_ONE,
    theory=THEORY,
)
G_3_LITERAL = literal(cases=on_unit_capacities, inapplicable_reason=NOT_ONE)
G_5 = upper_regret(find("thm-G.5").reading, FIRST_SLOT_TOLD, strategy=drawn(), theory=THEORY)
STATEMENTS = {
    "thm-G.1": (G_1,),
    "cor-G.2": (G_2,),
    "thm-G.3": (G_3, G_3_LITERAL),
    "thm-G.5": (G_5, literal()),
}
