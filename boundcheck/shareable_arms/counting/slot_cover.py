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

from boundcheck.proofs.parts import at_most, cases, definition, same
from boundcheck.proofs.step import Parts, Proof, Repair
from boundcheck.shareable_arms import models
from boundcheck.shareable_arms.models import Loads

gap = sympy.Symbol("mu_j - mu_k", positive=True)
r = sympy.Symbol("r", nonnegative=True)


@dataclass(frozen=True)
class Slot:
    """What the oracle sees: believed capacities and estimates; means 8 apart, epsilon = 3."""

    plays: int
    lower: Loads
    seen: Loads

    def __str__(self) -> str:
        means = models.means(len(self.seen))
        return f"N = {self.plays}, m^l = {self.lower}, muhat = {self.seen}, mu = {means}"

    @cached_property
    def acted(self) -> Loads:
        """a^IE."""
        return models.filled(models.ranked(self.seen), self.lower, self.plays)

    @cached_property
    def wanted(self) -> Loads:
        """Oracle(mu, m^l)."""
        return models.filled(range(len(self.lower)), self.lower, self.plays)

    @property
    def used(self) -> frozenset[int]:
        """S."""
        return models.played(self.acted)

    @property
    def left_out(self) -> frozenset[int]:
        """S* without S."""
        return models.played(self.wanted) - self.used

    def concerned(self, epsilon: int = models.EPSILON) -> bool:
        """In A, not in B."""
        off = map(abs, map(int.__sub__, self.seen, models.means(len(self.seen))))
        return self.acted != self.wanted and all(
            distance < epsilon or not load for distance, load in zip(off, self.acted, strict=True)
        )


Rule = Callable[[Slot], bool]


@cache
def slots() -> dict[str, list[Slot]]:
    """Slots of two and three arms on a grid of estimates; of four, each seen around its mean."""
    few = [Slot(*b, seen) for b in models.believed() for seen in models.estimates(len(b[1]))]
    around = list(product(*([mean + x for x in (-5, -2, 2, 5)] for mean in models.means(4))))
    four = [Slot(3, lower, seen) for lower in models.capacities(4, 3) for seen in around]
    return {"slot": few + four}


def outsider(slot: Slot) -> bool:
    """Some j in S* outside S does not lie above some k in S outside S*."""
    newcomers = slot.used - models.played(slot.wanted)
    return not slot.concerned() or any(
        slot.seen[j] <= slot.seen[k] for j in slot.left_out for k in newcomers
    )


def later_rival(slot: Slot) -> bool:
    """For every j in S* outside S there is a k > j in S that is not below it."""
    return not slot.concerned() or all(
        any(k > j and slot.seen[j] <= slot.seen[k] for k in slot.used) for j in slot.left_out
    )


COVER = Proof("lem-E.3")


@COVER.step("a", "E, Step 1, display of four sets")
def four_sets() -> Parts:
    """Names for the sets A, B, C, D of slots."""
    yield definition()


@COVER.step(
    "b",
    "E.3, eq:kc_initial_bound_1:eq1",
    needs=("distinct means", "epsilon below half the smallest gap"),
    spoil={"epsilon": 6},
)
def same_arms(epsilon: int = models.EPSILON) -> Parts:
    """Outside B the estimates of S are good, so S = S* exactly if the two actions are the same."""
    yield cases(
        lambda slot: not slot.concerned(epsilon) or slot.used != models.played(slot.wanted),
        slots(),
        complete=False,
    )


@COVER.step(
    "c",
    "E.3, eq:kc_initial_bound_1:eq2",
    needs=("b",),
    repair=Repair(
        "For a k > j in S with muhat_j <= muhat_k: S cannot lie within the arms before j",
        {"rule": later_rival},
    ),
    consequence="the chain that follows uses no more than k > j",
)
def beaten(rule: Rule = outsider) -> Parts:
    """Some j in S* outside S has muhat_j < muhat_k for a k in S outside S*."""
    words = "S may be a part of S*; besides, estimates may be equal"
    yield cases(rule, slots(), complete=False, words=words)


@COVER.step(
    "d",
    "E.3, inline chain, last relation",
    needs=("epsilon below half the smallest gap",),
    spoil={"halves": 1},
)
def far_apart(halves: int = 2) -> Parts:
    """mu_k + epsilon <= mu_j - epsilon for j < k, with epsilon = r (mu_j - mu_k)/2, r <= 1."""
    epsilon = r * gap / halves
    yield at_most(epsilon, gap - epsilon).on({gap: (0, oo), r: (0, 1)})


@COVER.step("e", "E.3, inclusion, PIE slots", needs=("b", "c", "d"))
def fresh() -> Parts:
    """A and B together lie in B, C and D together, at slots whose action is fresh."""
    yield same("lem-E.3", "intended")


@COVER.step(
    "f",
    "E.3, inclusion, PUE slots",
    needs=("b",),
    repair=Repair(
        "Define the sets on PIE slots and count each PUE slot with the PIE slot before it", fresh
    ),
    consequence="E.4 takes this factor 2 anyway, so its constants stay",
)
def stale() -> Parts:
    """The same at PUE slots, where a^IE was computed from the estimates one slot before."""
    yield same("lem-E.3", "printed")


@COVER.step("g", "E.3, expectation", needs=("e",), spoil={"kinds": 2})
def union(kinds: int = 3) -> Parts:
    """The number of slots in B, C or D is at most the sum of the three numbers."""
    yield cases(
        lambda *sets: any(sets) <= sum(sets[:kinds]),
        {"in B": (0, 1), "in C": (0, 1), "in D": (0, 1)},
        complete=True,
    )


STEPS = tuple(COVER)
