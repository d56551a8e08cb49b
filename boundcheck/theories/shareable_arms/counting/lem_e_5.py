"""Lemma E.5: deliberate explorations in slots that are not bad.

In such a slot the action would be optimal, and exploring arm k > L costs mu_L - mu_k. Runs record
the total cost of deliberate explorations, including those in bad slots. E.5 implies that without
these it is at most the sum over k > L of (mu_L - mu_k) times its bound. The recorded cost is at
least the cost in question, so it may agree with the lemma but cannot refute it.
"""

from __future__ import annotations

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.counting.known_capacities import (
    Runs,
    beyond_the_slots,
    runs_on_instance,
)


def _explored(card: Claim, case: Runs, context: RunContext) -> Measured:
    most = case.horizon * float(case.instance.largest_regret)
    return Observed(case.lost(context, deliberately=True), inflated=True, most=most)


def _explorations(card: Claim, case: Runs) -> arb:
    """The bounds on explorations, each weighted by its cost."""
    instance = case.instance
    last = instance.means[instance.last_arm]
    gaps = [last - instance.means[k] for k in instance.order[instance.L :]]
    rows = zip(gaps, case.claimed(card), strict=True)
    return sum((ball(gap) * total for gap, total in rows), arb(0))


EXPLORATIONS = Statement(
    role=Role.INTENDED,
    text="what deliberate explorations outside the bad slots lose",
    actual=(Measurement("lost by exploring", _explored, sampled=True),),
    claimed=_explorations,
    cases=runs_on_instance,
    uninformative=beyond_the_slots,
    explanations={
        Verdict.SUPPORTED: "deliberate explorations lose {actual}, those in bad slots included; "
        "the bounds allow {claimed}",
        Verdict.UNDECIDED: "deliberate explorations lose {actual}, the bounds allow {claimed}; "
        "counts that leave out the bad slots would decide",
    },
)

STATEMENTS = {"lem-E.5": (EXPLORATIONS,)}
