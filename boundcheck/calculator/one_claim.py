"""One claim on an instance: does it apply, is it informative, is it known to be false?

All commands take these answers from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.bounds import Bound, bounds_of, check
from boundcheck.calculator.conditions import Condition, failing, needs
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory


@dataclass(frozen=True)
class Here:
    """The answers about one claim, instance and question.

    `applies`: for some arm, or for the whole instance, the stated assumptions hold. `informative`:
    some bound that applies is better than the trivial one (None: there is no trivial one).
    """

    card: Claim
    bounds: tuple[Bound, ...]
    conditions: tuple[Condition, ...]  # the stated assumptions

    @property
    def applies(self) -> bool:
        if self.bounds:
            return any(bound.applies for bound in self.bounds)
        return not self.card.quantities and self._holds_somewhere

    @property
    def _holds_somewhere(self) -> bool:
        """Whether all assumptions on the instance hold and, for some arm, all assumptions on that
        arm.
        """
        if any(not c.holds for c in self.conditions if c.arm is None):
            return False
        arms = {c.arm for c in self.conditions if c.arm is not None}
        bad = {c.arm for c in self.conditions if not c.holds}
        return not arms or bool(arms - bad)

    @property
    def informative(self) -> bool | None:
        found = {bound.informative for bound in self.bounds if bound.applies}
        return True if True in found else None if None in found or not found else False

    @property
    def refuted(self) -> bool:
        """Whether it is known to be false here, for every arm to which it applies."""
        applying = [bound for bound in self.bounds if bound.applies]
        return bool(applying) and all(bound.refuted for bound in applying)

    @property
    def failing(self) -> list[dict[str, Any]]:
        """The assumptions that fail, as JSON; empty if it applies."""
        return [] if self.applies else failing(self.conditions)

    @property
    def why_not(self) -> str:
        """Why it does not apply, in words; empty if it applies."""
        if self.applies:
            return ""
        told = needs(self.conditions)
        return f"does not apply: {told}" if told else "it is about no arm of this instance"


def here(card: Claim, instance: Instance, question: Question, theory: Theory) -> Here:
    """The answers about one claim."""
    stated = check(instance, question, [card], theory=theory.with_cards([card]))
    return Here(
        card,
        tuple(bounds_of([card], instance, question, theory, since=False)),
        tuple(row.condition for row in stated if not row.condition.implicit),
    )
