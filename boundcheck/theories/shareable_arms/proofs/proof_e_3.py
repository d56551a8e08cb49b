"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

S are the arms of a^IE = Oracle(muhat, m^l), S* those of Oracle(mu, m^l). The sets of slots: A
(actions differ), B (bad estimate in S), C (low index in S*), D (bad estimate in S* outside S).
muhat changes only in PIE slots, at their end: a PUE slot sees other estimates than the PIE slot
before it, whose action a^IE it inherits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import sympy
from sympy import oo

from boundcheck.proof_steps.parts import at_most, cases, definition
from boundcheck.proof_steps.step import Part, Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms.counting.lem_e_3 import EPSILON, GAP
from boundcheck.theories.shareable_arms.models import (
    Loads,
    believed,
    capacities,
    filled,
    oracle_loads,
    played,
)
from boundcheck.theories.shareable_arms.proofs.stated import same

gap = sympy.Symbol("mu_j - mu_k", positive=True)
r = sympy.Symbol("r", nonnegative=True)
COVER = Proof("lem-E.3")


def true_means(arms: int) -> Loads:
    return tuple(range(GAP * (arms - 1), -1, -GAP))


@dataclass(frozen=True)
class OracleView:
    """What the oracle sees: believed capacities and estimates."""

    plays: int
    lower: Loads
    seen: Loads

    def __str__(self) -> str:
        means = true_means(len(self.seen))
        return f"N = {self.plays}, m^l = {self.lower}, muhat = {self.seen}, mu = {means}"

    @cached_property
    def acted(self) -> Loads:
        """a^IE; of equal estimates the worse arm comes first, the harder case."""
        order = sorted(range(len(self.seen)), key=lambda arm: (-self.seen[arm], -arm))
        return filled(order, self.lower, self.plays)

    @cached_property
    def wanted(self) -> Loads:
        """Oracle(mu, m^l)."""
        return oracle_loads(self.lower, self.plays)

    @property
    def used(self) -> frozenset[int]:
        """S."""
        return played(self.acted)

    @property
    def due(self) -> frozenset[int]:
        """S*."""
        return played(self.wanted)

    def concerned(self, epsilon: int = EPSILON) -> bool:
        """In A, not in B."""
        means = true_means(len(self.seen))
        return self.acted != self.wanted and all(
            abs(self.seen[k] - means[k]) < epsilon for k in self.used
        )


Rule = Callable[[OracleView], bool]


@cache
def _slots() -> list[OracleView]:
    """Of two and three arms, seen at, near and epsilon away from every mean; of four, each around
    its own mean."""
    near = (-EPSILON, -EPSILON + 1, 0, EPSILON - 1, EPSILON)
    few = [
        OracleView(plays, lower, seen)
        for plays, lower in believed()
        for seen in product(
            [mean + x for mean in true_means(len(lower)) for x in near], repeat=len(lower)
        )
    ]
    around = list(product(*([mean + x for x in (-5, -2, 2, 5)] for mean in true_means(4))))
    return few + [OracleView(3, lower, seen) for lower in capacities(4, 3) for seen in around]


def outside_b(rule: Rule, words: str = "", epsilon: int = EPSILON) -> Part:
    """The rule holds in every slot of A that is not in B."""
    return cases(
        lambda slot: not slot.concerned(epsilon) or rule(slot),
        {"slot": _slots()},
        complete=False,
        words=words,
    )


def outsider(slot: OracleView) -> bool:
    """Some j in S* outside S does not lie above some k in S outside S*."""
    left_out, newcomers = slot.due - slot.used, slot.used - slot.due
    return any(slot.seen[j] <= slot.seen[k] for j in left_out for k in newcomers)


def later_rival(slot: OracleView) -> bool:
    """For every j in S* outside S there is a k > j in S that is not below it."""
    return all(
        any(k > j and slot.seen[j] <= slot.seen[k] for k in slot.used) for j in slot.due - slot.used
    )


@COVER.step("a", "E, Step 1, display of four sets")
def four_sets() -> Parts:
    """Names for the sets A, B, C, D of slots."""
    yield definition()


@COVER.step(
    "b",
    "E.3, eq:kc_initial_bound_1:eq1",
    "distinct means, epsilon below half the smallest gap",
    epsilon=6,
)
def same_arms(epsilon: int = EPSILON) -> Parts:
    """Outside B the estimates of S are good, so S = S* exactly if the two actions are the same."""
    yield outside_b(lambda slot: slot.used != slot.due, epsilon=epsilon)


@COVER.step(
    "c",
    "E.3, eq:kc_initial_bound_1:eq2",
    "b",
    repair=StepRepair(
        "For a k > j in S with muhat_j <= muhat_k: S cannot lie within the arms before j",
        {"rule": later_rival},
    ),
    consequence="the chain that follows uses no more than k > j",
)
def beaten(rule: Rule = outsider) -> Parts:
    """Some j in S* outside S has muhat_j < muhat_k for a k in S outside S*."""
    yield outside_b(rule, "S may be a part of S*; besides, estimates may be equal")


@COVER.step(
    "d", "E.3, inline chain, last relation", "epsilon below half the smallest gap", halves=1
)
def far_apart(halves: int = 2) -> Parts:
    """mu_k + epsilon <= mu_j - epsilon for j < k, with epsilon = r (mu_j - mu_k)/2, r <= 1."""
    epsilon = r * gap / halves
    yield at_most(epsilon, gap - epsilon).on({gap: (0, oo), r: (0, 1)})


@COVER.step("e", "E.3, inclusion, PIE slots", "b, c, d")
def fresh() -> Parts:
    """A and B together lie in B, C and D together, at slots whose action is fresh."""
    yield same("lem-E.3", "intended")


@COVER.step(
    "f",
    "E.3, inclusion, PUE slots",
    "b",
    repair=StepRepair(
        "Define the sets on PIE slots and count each PUE slot with the PIE slot before it", fresh
    ),
    consequence="E.4 takes this factor 2 anyway, so its constants stay",
)
def stale() -> Parts:
    """The same at PUE slots, where a^IE was computed from the estimates one slot before."""
    yield same("lem-E.3", "printed")


@COVER.step("g", "E.3, expectation", "e", kinds=2)
def _union(kinds: int = 3) -> Parts:
    """The number of slots in B, C or D is at most the sum of the three numbers."""
    sets = dict.fromkeys(("in B", "in C", "in D"), (0, 1))
    yield cases(lambda *sets: any(sets) <= sum(sets[:kinds]), sets, complete=True)


STEPS = tuple(COVER)
