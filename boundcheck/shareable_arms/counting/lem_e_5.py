"""Lemma E.5: deliberate explorations of a suboptimal arm in slots that are not bad.

There the action would be optimal, and exploring arm k > L costs mu_L - mu_k. Runs record what the
deliberate explorations cost together, those in bad slots among them. The lemma implies that without
these they cost at most the sum over k > L of (mu_L - mu_k) times its bound; what is seen is at
least what it speaks of, so it may agree with the lemma and cannot refute it.
"""

from __future__ import annotations

from flint import arb

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Measured, Observed
from boundcheck.numbers.balls import ball
from boundcheck.shareable_arms.counting.known_capacities import (
    Runs,
    beyond_the_slots,
    on_instance,
)
from boundcheck.statement import Measurement, Statement


def cost(card: Claim, case: Runs, lab: Lab) -> Measured | None:
    return Observed(case.lost(lab, deliberately=True), inflated=True)


def bound(card: Claim, case: Runs) -> arb:
    """Each exploration weighted by what it loses."""
    instance = case.instance
    last = instance.means[instance.last_arm]
    gaps = [last - instance.means[k] for k in instance.order[instance.L :]]
    rows = zip(gaps, case.claimed(card), strict=True)
    return sum((ball(gap) * total for gap, total in rows), arb(0))


INTENDED = Statement(
    Role.INTENDED,
    "what deliberate explorations outside the bad slots lose",
    (Measurement("lost by exploring", cost, sampled=True),),
    bound,
    on_instance,
    vacuous=beyond_the_slots,
    seen={
        Verdict.CONSISTENT: "deliberate explorations lose {actual}, those in bad slots included; "
        "the bounds allow {claimed}",
        Verdict.INCONCLUSIVE: "deliberate explorations lose {actual}, the bounds allow {claimed}; "
        "counts that leave out the bad slots would decide",
    },
)
STATEMENTS = {"lem-E.5": (INTENDED,)}
