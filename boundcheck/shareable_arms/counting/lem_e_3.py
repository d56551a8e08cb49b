"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

S are the arms of Oracle(muhat, m^l), S* those of Oracle(mu, m^l). If the two actions differ and
every arm of S has an estimate within epsilon of its mean, the lemma says that some arm of S*
outside S has an estimate off by epsilon or more. (Slots with a low index are covered by definition,
so the lemma says no more than this.) A slot that is not covered is an exception; claimed are none.

Intended: slots of individual exploration (PIE), whose action is fresh. With epsilon below half the
smallest gap, all that matters of the estimates is their order and on which side of the points
mu_j +- epsilon they lie: K values between any two neighbouring points, and the points themselves,
show every case. Up to three arms all of them are counted, with every m^l <= m and every ranking of
equal estimates; with more arms estimates are drawn, often near each other's means, where the cases
lie that could go wrong. As only order matters, whole numbers stand for the means.

Printed, all slots: one of united exploration (PUE) inherits the action of the slot before, whose
rewards may have turned bad estimates good. It has then a wrong action and no bad estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Counted, Exact, Measured
from boundcheck.question import Question
from boundcheck.shareable_arms.counting.small_models import (
    EPSILON,
    GAP,
    EverySlot,
    Slot,
    all_slots,
    spread_means,
    uncovered,
)
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance
from simulation.rewards import Gaussian

MOST_ARMS = 3  # whose slots are all looked at
_ROUNDS = 20  # capacity bounds that are drawn, each with many estimates


# -- what is measured ------------------------------------------------------------------------


def in_one_slot(card: Claim, case: Slot | EverySlot, lab: Lab) -> Measured | None:
    if not isinstance(case, Slot):
        return None
    means = np.array([case.instance.means[k] for k in case.instance.order], dtype=object)
    seen, now = (np.array([row], dtype=object) for row in (case.seen, case.now))
    lower, ties = np.array(case.lower), np.array(case.ties)
    _, wrong = uncovered(means, case.epsilon, lower, case.instance.plays, seen, ties, now)
    return Exact(Fraction(int(wrong.sum())))


def in_every_slot(card: Claim, case: Slot | EverySlot, lab: Lab) -> Measured | None:
    """Few arms: all estimates that differ in what matters."""
    if not isinstance(case, EverySlot) or case.instance.arms > MOST_ARMS:
        return None
    looked_at, wrong = all_slots(case.instance.plays, tuple(case.capacities))
    return Exact(Fraction(wrong), slots_it_speaks_of=looked_at)


def in_drawn_slots(card: Claim, case: Slot | EverySlot, lab: Lab) -> Measured | None:
    """Many arms: estimates drawn, most near their own mean, some near another's."""
    if not isinstance(case, EverySlot):
        return None
    gen, arms = lab.generator(f"{card.id} slots"), case.instance.arms
    means, rows = spread_means(arms), max(lab.effort.trials // _ROUNDS, 1)
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


def on_instance(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[EverySlot]:
    yield EverySlot(instance, question)


def few_arms() -> Iterator[EverySlot]:
    """Every number of plays, every m^l: all instances with two or three arms."""
    for arms in range(2, MOST_ARMS + 1):
        for plays in range(1, arms):
            yield EverySlot(Instance(spread_means(arms) / 100, [plays] * arms, plays))


def turned_good(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Slot]:
    """Arm N + 1 looked better than arm N, was played in its place, and is now seen as it is.

    Normal rewards can do that in one slot; those on [0, 1] need not be able to.
    """
    if instance.plays == 1 or not isinstance(instance.reward, Gaussian):
        return
    means, plays = tuple(instance.means[k] for k in instance.order), instance.plays
    gap = min(a - b for a, b in pairwise(means))
    epsilon = question.epsilon or gap * Fraction(EPSILON, GAP) or Fraction(1)  # equal means
    seen = (*means[:plays], means[plays - 1] + epsilon, *means[plays + 1 :])
    yield Slot(instance, epsilon, (1,) * instance.arms, seen, tuple(range(instance.arms)), means)


def seen_to_happen() -> Iterator[Slot]:
    """Slot 1 plays arms 2 and 3, which give 0. In slot 3 all estimates are 0 and the tie goes to
    arms 1 and 3; a deliberate exploration plays arm 2 for arm 3, and arms 1 and 2 give 1."""
    instance = Instance(["0.9", "0.5", "0.1"], [2, 2, 2], 2)
    nothing, now = (Fraction(0),) * 3, (Fraction(1), Fraction(1, 2), Fraction(0))
    yield Slot(instance, Fraction(15, 100), (1, 1, 1), nothing, (0, 2, 1), now)


@st.composite
def drawn(draw: DrawFn) -> Slot:
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
    return Slot(Instance(means, [plays] * arms, plays), epsilon, lower, seen, ties, seen)


def none_at_all(card: Claim, case: Slot | EverySlot) -> int:
    """A cover leaves nothing out."""
    return 0


# -- statements ------------------------------------------------------------------------------

INTENDED = Statement(
    Role.INTENDED,
    "slots of individual exploration with a wrong action or a bad estimate are of the three kinds",
    (
        Measurement("one slot", in_one_slot),
        Measurement("every slot", in_every_slot),
        Measurement("drawn slots", in_drawn_slots, sampled=True),
    ),
    none_at_all,
    on_instance,
    drawn,
    hard=few_arms,
    complete=True,
    seen={
        Verdict.REFUTED: "slots that are of none of the three kinds: {actual}",
        Verdict.HOLDS: "no exception among all orders and positions of estimates",
        Verdict.CONSISTENT: "the share of exceptions among the slots drawn is {actual}",
    },
)
PRINTED = replace(
    INTENDED,
    role=Role.PRINTED,
    words="all slots, those of united exploration included, whose action was chosen one slot "
    "earlier, are of the three kinds",
    actual=INTENDED.actual[:1],
    cases=turned_good,
    drawn=None,
    hard=seen_to_happen,
    complete=False,
    nowhere="there is one play, so no united exploration, or rewards are bounded and one slot may "
    "not be able to turn a bad estimate into a good one",
    seen={
        Verdict.REFUTED: "bad estimates misled the oracle; one slot later they are good again, "
        "but its action is still played: the action is wrong although no estimate is bad",
    },
)
STATEMENTS = {"lem-E.3": (INTENDED, PRINTED)}
