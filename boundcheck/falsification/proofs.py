"""Theorem 7.1: do the parts that its proof bounds fit into the constant printed?

With e = 1/epsilon^2, the bad slots of lemma E.4, B = 8K(4 + e) + 30N + 8K^2 N(4 + e), cost N each:

    N B + 2NL + sum_{k>L} (mu_L - mu_k)(4 + 2e)  <=  13 K^2 N^2 (4 + e).

The left-hand side is a bound, so where this fails the proof fails; what is true of the numbers
themselves is not computed here. G.3's 342 = 3 * 76 + 114 is exact.
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
from boundcheck.claim import Arms, Quantity, Term
from boundcheck.claims.thm_7_1 import TERMS
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.registry import Task
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
PARTS_7_1 = Quantity(
    "parts",
    "reward",
    (
        Term("bad slots", s.N * BAD_SLOTS),
        Term("failures", 2 * s.N * s.L),
        Term("bad means", (s.mu_L - s.mu) * (4 + 2 * _e), Arms.SUBOPTIMAL),
    ),
)
CONSTANT_7_1 = Quantity("constant", "reward", (TERMS[-1],))
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


def constant_of_7_1(task: Task) -> Falsification:
    reading = "the constant 13 K^2 N^2 (4 + epsilon^-2) from the parts of its proof"
    return _searched(task, CONSTANT_7_1, PARTS_7_1, reading)


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
