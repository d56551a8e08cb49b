"""The least growth of regret of any consistent policy, as evidence against upper bounds.

It is the constant of `sharp-4.3`; for a policy that knows the capacities, its first term only.
"""

from __future__ import annotations

from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.growth import Limit
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms.setting import derive

LEAST = "sharp-4.3"
TOLD = ("mp-se", "se-kc")  # policies that know the capacities


def _least_growth(card: Claim, case: Limit, context: RunContext) -> Measured | None:
    """A lower bound on the regret of the card's policy per log T, in the limit."""
    exact = context.cards[LEAST]
    if unmet(case, exact.assumptions, derive):
        return None
    terms = slice(0, 1) if card.policy in TOLD else slice(None)
    least = case.number(exact, derive, terms=terms)
    return Enclosed.at_least(least, policy=card.policy, least_growth_of=exact.id)


LEAST_GROWTH = Measurement("least possible growth", _least_growth)
