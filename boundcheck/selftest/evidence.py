"""The evidence against which mutants of a card are tested: cases with which the card agrees.

They come from the card's statements and from what it implies, and satisfy the assumptions. If a
statement has none on the available instances (a horizon too long to reach), cases that violate one
assumption are used instead, and the outcome says so. Values computed by other code are the last
resort: they show that a number was changed, not that it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.bounds import bounds
from boundcheck.calculator.conditions import conditions
from boundcheck.calculator.numbers.balls import midpoint
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import json_number
from boundcheck.calculator.setting import exact_setting
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Compared
from boundcheck.judging.decide import compared, unmet
from boundcheck.judging.finding import Leaning, Role
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.searching import search
from boundcheck.judging.statement import Statement
from boundcheck.search import SearchLimit
from boundcheck.selftest.cases import cases_of
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

REFERENCE, DIGITS = "reference value", 8
# cases kept for each statement and instance: half of them the closest, half from the rest
KEPT = 12
LOOKED = 60  # examples of a search
SECONDS = 5.0


@dataclass(frozen=True)
class Consequence:
    """A card that a card implies (possibly itself), and a statement of it."""

    derived: Callable[[Claim], Claim]
    statement: Statement


@dataclass(frozen=True)
class _Trial:
    """A consequence and one case."""

    consequence: Consequence
    case: Any
    beyond: str  # the assumption that fails, if one does
    before: Compared  # the comparison for the unchanged card

    @property
    def words(self) -> str:
        named = self.case.instance.name
        where = "" if named == "instance" else f" on {named}"
        beyond = f", beyond {self.beyond}" if self.beyond else ""
        method = self.before.evidence["method"].partition(",")[0]
        return f"{self.consequence.statement.id}: {method}{where}{beyond}"


def agrees(found: Compared) -> bool:
    """Whether the claim was observed to hold: certainly, or where a failure would have shown."""
    return found.stands or (found.leans is Leaning.FOR and found.excess <= 0)


@dataclass
class Evidence:
    """All trials of one card."""

    theory: Theory
    tried_on: Any  # the module with the theory's cases
    card: Claim
    context: RunContext
    trials: list[_Trial] = field(default_factory=list)

    @classmethod
    def of(cls, theory: Theory, card: Claim, context: RunContext) -> Evidence:
        found = cls(theory, cases_of(theory), card, context)
        for consequence in found.consequences():
            tried = [
                _chosen(found._tried(consequence, cases)) for cases in found._cases(consequence)
            ]
            every = [trial for some in tried for trial in some]
            within = [trial for trial in every if not trial.beyond]
            found.trials += within or every
        return found

    def consequences(self) -> Iterator[Consequence]:
        """The card's own statements, and those that follow from it."""
        for statement in self.theory.statements(self.card.id):
            certain = statement.role is Role.FURTHER and not statement.sampled
            if statement.role in (Role.INTENDED, Role.CONSTANT) or certain:
                yield Consequence(lambda mutant: mutant, statement)
        yield from self.tried_on.consequences(self.card)

    def _cases(self, consequence: Consequence) -> Iterator[list[Any]]:
        question = Question(horizon=self.context.horizon, digits=15)
        derived, statement = consequence.derived(self.card), consequence.statement
        yield list(statement.known_cases())
        for instance in self.tried_on.instances():
            yield list(statement.cases(derived, instance, question, self.context))

    def _tried(self, consequence: Consequence, cases: list[Any]) -> list[_Trial]:
        """Cases that violate at most one assumption, can be measured and do not refute."""
        found = []
        derived, statement = consequence.derived(self.card), consequence.statement
        for case in cases:
            failing = sorted(
                {row.name for row in unmet(case, statement.assumed(self.card), self.theory.derive)}
            )
            if len(failing) <= 1:
                before = compared(derived, statement, case, self.context)
                if before.actual and not before.refutes:
                    found.append(_Trial(consequence, case, "".join(failing), before))
        return found

    def now(self, trial: _Trial, mutant: Claim) -> Compared:
        derived = trial.consequence.derived(mutant)
        return compared(derived, trial.consequence.statement, trial.case, self.context)

    def refutes(self, trial: _Trial, mutant: Claim) -> bool:
        """Whether the trial refutes the mutant."""
        return self.now(trial, mutant).refutes

    def against(self, mutant: Claim, among: list[_Trial] | None = None) -> _Trial | None:
        """A trial that refutes the mutant, or None."""
        for trial in list(self.trials if among is None else among):
            if self.refutes(trial, mutant):
                self.trials.remove(trial)
                self.trials.insert(0, trial)  # likely to refute the next mutant too
                return trial
        return None

    def stronger(self, mutant: Claim) -> bool:
        """Whether any trial comes closer to refuting."""
        found = ((trial, self.now(trial, mutant)) for trial in self.trials)
        return any(now.refutes or now.excess > t.before.excess + 1e-9 for t, now in found)

    def narrowest(self, mutant: Claim) -> tuple[_Trial, Compared] | None:
        """If all trials that agreed with the card agree with the mutant: of those that the change
        affects, the closest to failing.
        """
        found = [(t, self.now(t, mutant)) for t in self.trials if agrees(t.before)]
        felt = [(t, now) for t, now in found if now.excess != t.before.excess]
        if not felt or not all(agrees(now) for _, now in felt):
            return None
        return max(felt, key=lambda pair: pair[1].excess)

    def searched(self, mutant: Claim) -> bool:
        """Search for a case that refutes the mutant but not the card; it becomes a further
        trial.
        """
        for consequence in self.consequences():
            statement = consequence.statement
            if statement.strategy is None or statement.sampled:
                continue
            limit, derived = SearchLimit(LOOKED, SECONDS), consequence.derived(mutant)
            found = search(derived, statement, self.context, limit, self.theory.model)
            if found.compared is not None and found.compared.refutes:
                new = self._tried(consequence, [found.case])
                self.trials[:0] = new
                if new:
                    return True
        return False

    def misprinted(self, mutant: Claim) -> bool:
        """Whether any number, or where its assumptions hold, differs from the reference."""
        return any(
            misassumed(known, mutant, self.theory) or misprinted(known, mutant, self.theory)
            for known in self.tried_on.reference()
        )

    def beside_the_card(self, mutant: Claim) -> tuple[int, str | None]:
        """On how many instances all numbers equal the card's (0 if any differs), and the name of
        one on which the card has a number but the mutant has none.
        """
        asked, same, seen = Question(horizon=self.context.horizon, digits=15), True, 0
        for seen, instance in enumerate(self.tried_on.instances(), 1):  # noqa: B007
            mine, other = (
                [
                    json_number(row.value)
                    for row in bounds(instance, asked, [card], theory=self.theory)
                ]
                for card in (self.card, mutant)
            )
            if any(x is not None and y is None for x, y in zip(mine, other, strict=False)):
                return 0, instance.name
            same = same and mine == other
        return seen if same else 0, None


def misassumed(known: dict[str, Any], card: Claim, theory: Theory) -> list[str]:
    """Assumptions that differ from the reference, or hold elsewhere."""
    if "assumed" not in known:
        return []
    instance, asked = _given(known, theory)
    setting, due = exact_setting(instance, asked, theory.derive), known["assumed"].get(card.id, {})
    found = {
        assumption.name: " ".join(
            f"{row.arm or ''}{'+' if row.holds else '-'}"
            for row in conditions(assumption, instance, setting, asked.digits)
        )
        for assumption in card.stated
    }
    return [name for name in {**due, **found} if due.get(name) != found.get(name)]


def _given(known: dict[str, Any], theory: Theory) -> tuple[Instance, Question]:
    asked = theory.question.asked(None, known["question"])
    return Instance.from_table(known["instance"], "reference"), asked


def misprinted(known: dict[str, Any], card: Claim, theory: Theory) -> list[str]:
    """The quantities of a card (or its formula) that differ from their reference values."""
    values = known.get("values", {}).get(card.id, {})
    if not card.quantities:
        found = {name: _formula(card, due["at"]) for name, due in values.items()}
    elif values:
        rows = bounds(*_given(known, theory), [card], theory=theory)
        here = {(row.quantity, row.arm): json_number(row.value) for row in rows}
        found = {name: here[name, due["arm"]] for name, due in values.items()}
    return [name for name, due in values.items() if not _close(found[name], Fraction(due["value"]))]


def _formula(card: Claim, at: dict[str, str]) -> str | None:
    (value,) = enclosed(card.formula, {name: Fraction(number) for name, number in at.items()})
    return midpoint(value, 2 * DIGITS)


def _close(found: str | None, due: Fraction) -> bool:
    if found is None or found.endswith("inf"):
        return False
    return bool(abs(Fraction(found) - due) <= abs(due) / 10**DIGITS)


def _chosen(trials: list[_Trial]) -> list[_Trial]:
    """Half of them the closest to failing, half spread over the others."""
    ranked = sorted(trials, key=lambda trial: (trial.beyond != "", -trial.before.excess))
    first, rest = ranked[: KEPT // 2], ranked[KEPT // 2 :]
    return first + rest[:: max(len(rest) * 2 // KEPT, 1)]
