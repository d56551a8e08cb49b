"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

S are the arms of a^IE = Oracle(muhat, m^l), S* those of Oracle(mu, m^l). The sets of slots: A
(actions differ), B (bad estimate in S), C (low index in S*), D (bad estimate in S* outside S).
muhat changes only in PIE slots, at their end: a PUE slot sees other estimates than the PIE slot
before it, whose action a^IE it inherits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import sympy

from boundcheck.finding import Verdict
from boundcheck.proofs import models
from boundcheck.proofs.methods import exhaustive, sign
from boundcheck.proofs.models import Loads, apart, at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.step import Part
from boundcheck.shareable_arms.counting.lem_e_3 import small_cases

gap = sympy.Symbol("mu_j - mu_k", positive=True)
r = sympy.Symbol("r", nonnegative=True)
oo = sympy.oo


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

    def good(self, arm: int) -> bool:
        return models.good(arm, self.seen[arm], len(self.seen))

    @property
    def concerned(self) -> bool:
        """In A, not in B."""
        return self.acted != self.wanted and all(map(self.good, self.used))


@cache
def slots(fewest_plays: int = 1) -> dict[str, list[Slot]]:
    """All slots of two and three arms on a grid of estimates."""
    found = [
        Slot(plays, lower, seen)
        for plays, lower in models.believed()
        for seen in models.estimates(len(lower))
        if plays >= fewest_plays
    ]
    return {"slot": found}


def _same_arms_same_action(slot: Slot) -> bool:
    return not slot.concerned or slot.used != models.played(slot.wanted)


def _outsider(slot: Slot) -> bool:
    """Some j in S* outside S does not lie above some k in S outside S*."""
    newcomers = slot.used - models.played(slot.wanted)
    return not slot.concerned or any(
        slot.seen[j] <= slot.seen[k] for j in slot.left_out for k in newcomers
    )


def later_rival(slot: Slot) -> bool:
    """The repair: for every j in S* outside S a k > j in S that is not below it."""
    return not slot.concerned or all(
        any(k > j and slot.seen[j] <= slot.seen[k] for k in slot.used) for j in slot.left_out
    )


def _inclusion() -> Part:
    cases, exceptions = small_cases()
    return Part(
        "exhaustive",
        Verdict.REFUTED if exceptions else Verdict.CONSISTENT,
        "PIE slots; all instances with 2 or 3 arms, all orders and positions of estimates",
        f"{exceptions} exceptions among {cases} cases; more arms are not covered",
    )


def _stale(slot: Slot) -> bool:
    """PUE slot: since S was chosen from these estimates, every arm of S is back at its mean, so the
    slot is not in B. It is in D only if an arm left out is bad, and those have not changed."""
    return slot.acted == slot.wanted or not all(map(slot.good, slot.left_out))


STEPS = (
    Step(
        "lem-E.3",
        "E.3-a",
        "E, Step 1, display of four sets",
        "names for the sets A, B, C, D of slots",
        (),
        models.definition,
    ),
    Step(
        "lem-E.3",
        "E.3-b",
        "E.3, eq:kc_initial_bound_1:eq1",
        "outside B the estimates of S are good, so S = S* exactly if the two actions are the same",
        ("distinct means", "epsilon below half the smallest gap"),
        lambda: exhaustive(_same_arms_same_action, slots(), complete=False),
    ),
    Step(
        "lem-E.3",
        "E.3-c",
        "E.3, eq:kc_initial_bound_1:eq2",
        "some j in S* outside S has muhat_j < muhat_k for a k in S outside S*",
        ("E.3-b",),
        lambda: apart(
            exhaustive(
                _outsider,
                slots(),
                complete=False,
                words="S may be a part of S*; besides, estimates may be equal",
            ),
            exhaustive(later_rival, slots(), complete=False),
        ),
        repair="for a k > j in S with muhat_j <= muhat_k: S cannot lie within the arms before j",
        consequence="the chain that follows uses no more than k > j",
    ),
    Step(
        "lem-E.3",
        "E.3-d",
        "E.3, inline chain, last relation",
        "mu_k + epsilon <= mu_j - epsilon for j < k, with epsilon = r (mu_j - mu_k)/2, r <= 1",
        ("epsilon below half the smallest gap",),
        lambda: sign(at_most(r * gap / 2, gap - r * gap / 2), {gap: (0, oo), r: (0, 1)}),
    ),
    Step(
        "lem-E.3",
        "E.3-e",
        "E.3, inclusion, PIE slots",
        "A and B together lie in B, C and D together, at slots whose action is fresh",
        ("E.3-b", "E.3-c", "E.3-d"),
        _inclusion,
    ),
    Step(
        "lem-E.3",
        "E.3-f",
        "E.3, inclusion, PUE slots",
        "the same at PUE slots, where a^IE was computed from the estimates one slot before",
        ("E.3-b",),
        lambda: exhaustive(
            _stale,
            slots(fewest_plays=2),
            complete=False,
            words="a bad estimate misled the oracle, then turned good: in A, not in B, C or D",
        ),
        repair="define the sets on PIE slots and count each PUE slot with the PIE slot before it",
        consequence="E.4 takes this factor 2 anyway, so its constants stay",
    ),
    Step(
        "lem-E.3",
        "E.3-g",
        "E.3, expectation",
        "the number of slots in B, C or D is at most the sum of the three numbers",
        ("E.3-e",),
        lambda: exhaustive(
            lambda b, c_, d: (b or c_ or d) <= b + c_ + d,
            {"in B": (0, 1), "in C": (0, 1), "in D": (0, 1)},
            complete=True,
        ),
    ),
)
