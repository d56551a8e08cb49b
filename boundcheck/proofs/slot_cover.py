"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

S are the arms of a^IE = Oracle(muhat, m^l), S* those of Oracle(mu, m^l). The sets of slots: A
(actions differ), B (bad estimate in S), C (low index in S*), D (bad estimate in S* outside S).
muhat changes only in PIE slots, at their end: a PUE slot sees other estimates than the PIE slot
before it, whose action a^IE it inherits.
"""

from __future__ import annotations

import sympy

from boundcheck.checks.orders import small_cases
from boundcheck.evidence import Verdict
from boundcheck.proofs import models
from boundcheck.proofs.methods import exhaustive, sign
from boundcheck.proofs.models import Loads, at_most
from boundcheck.proofs.step import Checked, Step

gap = sympy.Symbol("mu_j - mu_k", positive=True)
r = sympy.Symbol("r", nonnegative=True)
oo = sympy.oo
CASES = {"(N, m^l)": list(models.believed())}


def concerned(plays: int, lower: tuple[int, ...]) -> list[tuple[Loads, Loads, Loads]]:
    """(estimates, S as loads, S* as loads) of slots outside B."""
    arms = len(lower)
    wanted = models.filled(range(arms), lower, plays)
    found = []
    for seen in models.estimates(arms):
        acted = models.filled(models.ranked(seen), lower, plays)
        if all(models.good(k, seen[k], arms) for k in models.played(acted)):
            found.append((seen, acted, wanted))
    return found


def _same_arms_same_action(case: tuple[int, tuple[int, ...]]) -> bool:
    rows = concerned(*case)
    return all(
        (models.played(acted) == models.played(wanted)) == (acted == wanted)
        for _, acted, wanted in rows
    )


def _outsider(case: tuple[int, tuple[int, ...]]) -> bool:
    """Some j in S* outside S does not lie above some k in S outside S*."""
    for seen, acted, wanted in concerned(*case):
        left, right = models.played(wanted), models.played(acted)
        if acted != wanted and not any(
            seen[j] <= seen[k] for j in left - right for k in right - left
        ):
            return False
    return True


def _inclusion() -> Checked:
    cases, exceptions = small_cases()
    return Checked(
        "exhaustive",
        Verdict.REFUTED if exceptions else Verdict.CONSISTENT,
        "PIE slots; all instances with 2 or 3 arms, all orders and positions of estimates",
        f"{exceptions} exceptions among {cases} cases; more arms are not covered",
    )


def _stale(case: tuple[int, tuple[int, ...]]) -> bool:
    """PUE slot: S comes from estimates that arms of S have changed since."""
    plays, lower = case
    arms = len(lower)
    wanted = models.filled(range(arms), lower, plays)
    for before in models.estimates(arms):
        acted = models.filled(models.ranked(before), lower, plays)
        outside = models.played(wanted) - models.played(acted)
        # now every arm of S is back at its mean: not in B. In D only if an arm left out is bad
        if acted != wanted and all(models.good(j, before[j], arms) for j in outside):
            return False
    return True


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
        lambda: exhaustive(_same_arms_same_action, CASES, complete=False),
    ),
    Step(
        "lem-E.3",
        "E.3-c",
        "E.3, eq:kc_initial_bound_1:eq2",
        "some j in S* outside S has muhat_j < muhat_k for a k in S outside S*",
        ("E.3-b",),
        lambda: exhaustive(
            _outsider,
            CASES,
            complete=False,
            words="S may be a part of S*; besides, estimates may be equal",
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
            {"(N, m^l)": [case for case in models.believed() if case[0] > 1]},
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
