"""Lemma E.4: do the parts that its proof bounds fit into the constant printed?

    8K(4 + e) + 30N + 8K^2 N(4 + e)  <=  12 K^2 N (4 + e),                      e = 1/epsilon^2. (1)

The left-hand side is a bound on a number of slots, so where (1) fails the proof fails; what is true
of the number itself is not computed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import sympy
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck import symbols as s
from boundcheck.claim import Quantity, Term
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.registry import Task, searches
from boundcheck.question import Question
from boundcheck.search.hunt import hunt, simplest
from boundcheck.search.simpler import rounder, simpler_instances
from boundcheck.setting import Setting, exact_setting
from boundcheck.strategies import instances
from boundcheck.values import certified_rows
from simulation.instance import Instance
from simulation.numbers import decimal

_e = s.epsilon**-2
BAD_SLOTS = 8 * s.K * (4 + _e) + 30 * s.N + 8 * s.K**2 * s.N * (4 + _e)
PARTS_E_4 = Quantity("parts", "slots", (Term("slots", BAD_SLOTS),))
_DIGITS = 20


@dataclass(frozen=True)
class Chosen:
    """An instance and an admissible epsilon."""

    instance: Instance
    epsilon: Fraction

    @property
    def question(self) -> Question:
        # so late that horizon conditions hold; the constants do not depend on it
        return Question(epsilon=self.epsilon, horizon=Fraction(10**9), digits=_DIGITS)

    @property
    def setting(self) -> Setting:
        return exact_setting(self.instance, self.question)

    def value(self, quantity: Quantity) -> arb:
        ((_, total),) = certified_rows(quantity, self.setting, None, _DIGITS)
        return total

    def simpler(self) -> Iterator[Chosen]:
        for instance in simpler_instances(self.instance):
            yield replace(self, instance=instance)
        for epsilon in rounder(self.epsilon):
            if epsilon > 0:
                yield replace(self, epsilon=epsilon)


@st.composite
def _chosen(draw: DrawFn) -> Chosen:
    """Few arms, wide gaps and the largest epsilons: there the constants have least room."""
    instance = draw(instances(largest=4, laws=("bernoulli",), distinct=True))
    means = sorted(instance.means)
    gap = min(b - a for a, b in pairwise(means))
    share = draw(st.sampled_from([Fraction(x) for x in ("0.999", "0.9", "0.5", "0.1")]))
    return Chosen(instance, gap / 2 * share)


@searches("lem-E.4", drops=("more-than-two-arms",))
def bad_slots(task: Task) -> Iterator[Falsification]:
    reading = "the arithmetic of its proof: 8K(4 + e) + 30N + 8K^2 N(4 + e), e = epsilon^-2"
    yield _searched(task, task.card.quantities[0], PARTS_E_4, reading)


def _searched(task: Task, printed: Quantity, parts: Quantity, reading: str) -> Falsification:
    allowed = [a for a in task.assumed if s.T not in _symbols(a.relation)]
    narrowed = replace(task, card=replace(task.card, assumptions=tuple(allowed)))

    def fails(chosen: Chosen) -> bool:
        if not narrowed.admits(chosen.instance, chosen.question, chosen.setting):
            return False
        return bool(chosen.value(printed) < chosen.value(parts))

    def score(chosen: Chosen) -> float:
        return float((chosen.value(parts) / chosen.value(printed)).log().mid())

    hunted = hunt(_chosen(), score, fails, task.budget)
    if hunted.example is None:
        words = "the parts always fitted into the constant"
        return task.nothing(hunted.examples, words, reading)
    chosen = simplest(hunted.example, Chosen.simpler, fails, task.budget)
    words = "the parts do not fit into the constant: unproved here, not refuted"
    return task.counterexample(
        hunted.examples,
        words,
        chosen.value(printed),
        chosen.value(parts),
        reading,
        Kind.GAP,
        instance=chosen.instance,
        parameters={"epsilon": decimal(chosen.epsilon)},
    )


def _symbols(relation: sympy.Rel | None) -> frozenset[sympy.Symbol]:
    return frozenset() if relation is None else frozenset(relation.free_symbols)
