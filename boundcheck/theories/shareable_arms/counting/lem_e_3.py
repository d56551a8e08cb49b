"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

S are the arms of Oracle(muhat, m^l), S* those of Oracle(mu, m^l). If the two actions differ and
every arm of S has an estimate within epsilon of its mean, the lemma says that some arm of S*
outside S has an estimate off by epsilon or more. (Slots with a low index are covered by definition,
so this is all the lemma says.) A slot that is not covered is an exception; the claim is that none
exists.

Intended: slots of individual exploration (PIE), whose action is newly decided. With epsilon below
half the smallest gap, all that matters about the estimates is their order and on which side of the
points mu_j +- epsilon they lie: K values between any two neighbouring points, and the points
themselves, show every case. Up to three arms all of them are counted, with every m^l <= m and every
ranking of equal estimates; with more arms estimates are drawn, often near each other's means, where
the cases lie that could go wrong. As only order matters, whole numbers stand for the means: GAP
apart, with EPSILON below half of it.

Printed, all slots: one of united exploration (PUE) inherits the action of the slot before, whose
rewards may have turned bad estimates good. It has then a wrong action and no bad estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from simulation.numbers import decimal
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]  # floats, or fractions for exact results

GAP, EPSILON = 8, 3
MOST_ARMS = 3  # up to this many arms, all slots are enumerated
_ROUNDS = 20  # number of random capacity bounds, each with many estimates


class EverySlot(InstanceCase):
    """All possible slots on an instance."""

    @property
    def capacities(self) -> list[int]:
        """Capacities by rank, cut to the number of plays."""
        every = (self.instance.capacities[k] for k in self.instance.order)
        return [min(m, self.instance.plays) for m in every]

    def parameters(self) -> dict[str, Any]:
        return {"K": self.instance.arms, "N": self.instance.plays}


@dataclass(frozen=True)
class _Slot:
    """One slot, with arms by rank: what the oracle assumed and observed, and the current
    estimates.
    """

    instance: Instance
    epsilon: Fraction
    lower: tuple[int, ...]
    seen: tuple[Fraction, ...]
    ties: tuple[int, ...]  # ranking of equal estimates: the arm that comes first here
    now: tuple[Fraction, ...]
    arm = None

    @property
    def question(self) -> Question:
        return Question(epsilon=self.epsilon)

    def parameters(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"m^l": list(self.lower), "epsilon": decimal(self.epsilon, 6)}
        shown["estimates"] = [decimal(x, 6) for x in self.seen]
        if len({*self.seen}) < len(self.seen):
            shown["of_equal_ones_first"] = [arm + 1 for arm in self.ties]
        if self.now != self.seen:
            shown["estimates_one_slot_later"] = [decimal(x, 6) for x in self.now]
        return shown

    def simpler(self) -> Iterator[_Slot]:
        return iter(())


# -- what is measured ------------------------------------------------------------------------


def uncovered(
    means: Numbers,
    epsilon: Any,
    lower: Integers,
    plays: int,
    seen: Numbers,
    ties: Integers,
    now: Numbers | None = None,
) -> tuple[Flags, Flags]:
    """For each row of estimates: whether the lemma applies, and whether it is wrong.

    `means` fall from arm to arm; `ties` ranks equal estimates; `now` are the estimates at the slot
    where they are no longer those that its action was computed from.
    """
    wanted = loads(np.arange(len(means))[None, :], lower, plays)
    acted = loads(ties[np.argsort(-seen[:, ties], axis=1, kind="stable")], lower, plays)
    off = np.asarray(abs((seen if now is None else now) - means) >= epsilon, dtype=np.bool_)
    concerned = (acted != wanted).any(axis=1) & ~((acted > 0) & off).any(axis=1)
    explained = ((wanted > 0) & (acted == 0) & off).any(axis=1)
    return concerned, concerned & ~explained


def loads(order: Integers, lower: Integers, plays: int) -> Integers:
    """Oracle: the arms filled to `lower` in this order (one row each)."""
    filled = lower[order]
    room = np.clip(plays - (np.cumsum(filled, axis=1) - filled), 0, filled)
    given = np.zeros(order.shape, dtype=np.int64)
    np.put_along_axis(given, order, room, axis=1)
    return given


@cache
def all_slots(plays: int, capacities: tuple[int, ...]) -> tuple[int, int]:
    """The number of slots to which the lemma applies, and the number of exceptions."""
    arms, total = len(capacities), np.zeros(2, dtype=np.int64)
    means, estimates = spread_means(arms), positions(arms)
    every_lower = product(*(range(1, m + 1) for m in capacities))
    for lower, ties in product(every_lower, permutations(range(arms))):
        flags = uncovered(means, EPSILON, np.array(lower), plays, estimates, np.array(ties))
        total += [flag.sum() for flag in flags]
    return int(total[0]), int(total[1])


def spread_means(arms: int) -> Numbers:
    return np.arange(GAP * arms, 0, -GAP, dtype=np.float64)


def positions(arms: int) -> Numbers:
    """Every vector of estimates at the points mu_j +- epsilon, or between neighbouring points."""
    points = np.sort(np.concatenate([spread_means(arms) + shift for shift in (-EPSILON, EPSILON)]))
    edges = np.concatenate([[points[0] - GAP], points, [points[-1] + GAP]])
    between = [np.linspace(a, b, arms + 2)[1:-1] for a, b in pairwise(edges)]
    return np.array(list(product(np.concatenate([points, *between]), repeat=arms)))


def in_one_slot(card: Claim, case: _Slot | EverySlot, context: RunContext) -> Measured | None:
    if not isinstance(case, _Slot):
        return None
    means = np.array([case.instance.means[k] for k in case.instance.order], dtype=object)
    seen, now = (np.array([row], dtype=object) for row in (case.seen, case.now))
    lower, ties = np.array(case.lower), np.array(case.ties)
    _, wrong = uncovered(means, case.epsilon, lower, case.instance.plays, seen, ties, now)
    return Exact(Fraction(int(wrong.sum())))


def in_every_slot(card: Claim, case: _Slot | EverySlot, context: RunContext) -> Measured | None:
    """For few arms: all estimates that differ in a relevant way."""
    if not isinstance(case, EverySlot) or case.instance.arms > MOST_ARMS:
        return None
    looked_at, wrong = all_slots(case.instance.plays, tuple(case.capacities))
    return Exact(Fraction(wrong), slots_it_speaks_of=looked_at)


def in_drawn_slots(card: Claim, case: _Slot | EverySlot, context: RunContext) -> Measured | None:
    """For many arms: random estimates, most near their own mean, some near another's."""
    if not isinstance(case, EverySlot):
        return None
    gen, arms = context.generator(f"{card.id} slots"), case.instance.arms
    means, rows = spread_means(arms), max(context.effort.trials // _ROUNDS, 1)
    looked_at = wrong = 0
    for _ in range(_ROUNDS):
        lower, ties = gen.integers(1, np.array(case.capacities) + 1), gen.permutation(arms)
        other = gen.permuted(np.broadcast_to(means, (rows, arms)).copy(), axis=1)
        around = np.where(gen.random((rows, arms)) < 0.8, means, other)
        seen = around + EPSILON * gen.uniform(-1.1, 1.1, around.shape)
        flags = uncovered(means, EPSILON, lower, case.instance.plays, seen, ties)
        looked_at, wrong = looked_at + int(flags[0].sum()), wrong + int(flags[1].sum())
    return Counted(wrong, looked_at) if looked_at else None


# -- cases -----------------------------------------------------------------------------------


def few_arms() -> Iterator[EverySlot]:
    """All instances with two or three arms, any number of plays and any m^l."""
    for arms in range(2, MOST_ARMS + 1):
        for plays in range(1, arms):
            yield EverySlot(Instance(spread_means(arms) / 100, [plays] * arms, plays))


def turned_good(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[_Slot]:
    """Arm N + 1 looked better than arm N, was played in its place, and now has a correct estimate.

    Normal rewards can do that in one slot; rewards on [0, 1] may not be able to.
    """
    if instance.plays == 1 or not isinstance(instance.reward, Gaussian):
        return
    means, plays = tuple(instance.means[k] for k in instance.order), instance.plays
    gap = min(a - b for a, b in pairwise(means))
    epsilon = question.epsilon or gap * Fraction(EPSILON, GAP) or Fraction(1)  # if means are equal
    seen = (*means[:plays], means[plays - 1] + epsilon, *means[plays + 1 :])
    yield _Slot(instance, epsilon, (1,) * instance.arms, seen, tuple(range(instance.arms)), means)


def seen_to_happen() -> Iterator[_Slot]:
    """Slot 1 plays arms 2 and 3, which give 0. In slot 3 all estimates are 0 and the tie goes to
    arms 1 and 3; a deliberate exploration plays arm 2 for arm 3, and arms 1 and 2 give 1."""
    instance = Instance(["0.9", "0.5", "0.1"], [2, 2, 2], 2)
    nothing, now = (Fraction(0),) * 3, (Fraction(1), Fraction(1, 2), Fraction(0))
    yield _Slot(instance, Fraction(15, 100), (1, 1, 1), nothing, (0, 2, 1), now)


@st.composite
def _drawn(draw: DrawFn) -> _Slot:
    """Up to five arms; estimates next to epsilon away, most from the arm's own mean."""
    arms = draw(st.integers(2, 5))
    plays = draw(st.integers(1, arms - 1))
    means = [Fraction(arms - k, arms + 1) for k in range(arms)]
    epsilon = Fraction(draw(st.integers(1, 9)), 10 * (arms + 1))
    shifts = st.sampled_from([Fraction(x, 10) for x in (-10, -9, 9, 10)])
    around = [draw(st.sampled_from([own, own, own, *means])) for own in means]
    seen = tuple(mean + draw(shifts) * epsilon for mean in around)
    lower = tuple(draw(st.integers(1, plays)) for _ in means)
    ties = tuple(draw(st.permutations(range(arms))))
    return _Slot(Instance(means, [plays] * arms, plays), epsilon, lower, seen, ties, seen)


# -- statements ------------------------------------------------------------------------------

INTENDED = Statement(
    role=Role.INTENDED,
    text="slots of individual exploration with a wrong action or a bad estimate are of the three "
    "kinds",
    actual=(
        Measurement("one slot", in_one_slot),
        Measurement("every slot", in_every_slot),
        Measurement("drawn slots", in_drawn_slots, sampled=True),
    ),
    claimed=lambda card, case: 0,  # the claim is that there are no exceptions
    cases=lambda card, instance, question, context: [EverySlot(instance, question)],
    strategy=_drawn,
    known_cases=few_arms,
    complete=True,
    explanations={
        Verdict.REFUTED: "slots that are of none of the three kinds: {actual}",
        Verdict.HOLDS: "no exception among all orders and positions of estimates",
        Verdict.UNDECIDED: "the share of exceptions among the slots drawn is {actual}",
    },
)
PRINTED = replace(
    INTENDED,
    role=Role.PRINTED,
    text="all slots, those of united exploration included, whose action was chosen one slot "
    "earlier, are of the three kinds",
    actual=INTENDED.actual[:1],
    cases=turned_good,
    strategy=None,
    known_cases=seen_to_happen,
    complete=False,
    inapplicable_reason="there is one play, so no united exploration, or rewards are bounded and "
    "one slot may not be able to turn a bad estimate into a good one",
    explanations={
        Verdict.REFUTED: "bad estimates misled the oracle; one slot later they are good again, "
        "but its action is still played: the action is wrong although no estimate is bad"
    },
)
STATEMENTS = {"lem-E.3": (INTENDED, PRINTED)}
