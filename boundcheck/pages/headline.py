"""The summary of results on an instance: the theory's main questions, then other results in groups.

The command line, reports, the page of `serve` and Python all use this text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.bounds import Bound, CheckedAssumption, bounds
from boundcheck.calculator.conditions import (
    NUMBERED,
    Called,
    Condition,
    decades_from_holding,
    needs,
)
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import ON_DEMAND
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.finding import NO_BETTER
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

APPLIES, SOME, NOT, REFUTED = "applies", "applies to some arms", "does not apply", "refuted"
NOTHING = "does not apply: it is about no arm of this instance"
GROUPS = {
    Kind.UPPER_BOUND: "Upper bounds",
    Kind.LOWER_BOUND: "Lower bounds",
    Kind.ASYMPTOTIC: "Growth per log T",
    Kind.SAMPLE_SIZE: "Sample sizes",
    Kind.COVERAGE: "Confidence intervals",
    Kind.ERROR: "Probabilities of an error",
    Kind.STOPPING: "Samples until a policy stops",
    Kind.EXPECTED_STOPPING: "Expected samples until a policy stops",
    Kind.LEAST_STOPPING: "Least expected samples",
    Kind.ALGEBRA: "Other numbers",
}


@dataclass(frozen=True)
class Said:
    """One quantity of a claim on an instance, in all or over its arms."""

    card: Claim
    quantity: str
    unit: str
    bounds: tuple[Bound, ...]
    called: Called = field(default=NUMBERED, repr=False, compare=False)  # how to name an arm

    @property
    def state(self) -> str:
        """One of four words; a refuted result does not apply, even if its assumptions hold."""
        if self.bounds and all(bound.refuted for bound in self.bounds):
            return REFUTED
        listed = sum(bound.listed for bound in self.bounds)
        return NOT if not listed else APPLIES if listed == len(self.bounds) else SOME

    @property
    def listed(self) -> bool:
        """Whether it belongs to the results that apply, at least for some arms."""
        return self.state in (APPLIES, SOME)

    @property
    def informative(self) -> bool:
        """Whether some number that applies is better than the trivial bound, or there is no such
        bound.
        """
        rows = [b for b in self.bounds if b.listed]
        return not rows or any(bound.informative is not False for bound in rows)

    @property
    def value(self) -> str:
        """The number, or the range over the arms; only of those that apply, if any do."""
        from simulation.formatting import human

        rows = [b for b in self.bounds if b.listed] or self.bounds
        if any(bound.on_demand for bound in rows):
            return ON_DEMAND
        found = sorted(bound.value for bound in rows if bound.value is not None)
        return " to ".join(dict.fromkeys(map(human, found[:1] + found[-1:]))) or "no finite number"

    @property
    def arms(self) -> str:
        """Which arms the number is about; empty if it is about the whole instance."""
        arms = [bound.arm for bound in self.bounds if bound.arm is not None]
        return "" if not arms else self.called(arms[0]) if len(arms) == 1 else f"{len(arms)} arms"

    @property
    def number(self) -> str:
        """The number with its quantity."""
        return f"{self.quantity} {self.value}" + (f" ({self.arms})" if self.arms else "")

    @property
    def here(self) -> str:
        """Whether it applies, and otherwise why not: the failing assumption with its numbers."""
        if not self.bounds:
            return NOTHING
        if self.state == REFUTED:
            instead = self.bounds[0].instead
            return "refuted: do not rely on it" + (f"; use {instead} instead" if instead else "")
        trivial = "" if self.informative else f", {NO_BETTER}"
        if self.state == APPLIES:
            return f"applies{trivial}"
        why = needs((c for b in self.bounds for c in b.assumptions), self.called)
        if self.state == NOT:
            return f"does not apply: {why}" if why else "does not apply: an arm of it is refuted"
        listed = sum(bound.listed for bound in self.bounds)
        return f"applies to {listed} of {len(self.bounds)} arms{trivial}; {why}".rstrip("; ")

    def to_json(self) -> dict[str, Any]:
        own = ("quantity", "unit", "value", "arms", "state", "number", "here")
        told = {name: getattr(self, name) for name in own}
        return {"claim": self.card.id, "title": self.card.title, "ours": self.card.ours, **told}


@dataclass(frozen=True)
class Section:
    """A question, or a group of other results, with the results."""

    title: str
    said: tuple[Said, ...]
    question: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"question": self.title, "results": [each.to_json() for each in self.said]}


@dataclass(frozen=True)
class Headline:
    """A theory's results on an instance: the questions, the results that apply, those that are
    refuted, and those that do not apply.

    >>> from boundcheck import headline
    >>> found = headline(Instance.load("paper"), horizon=1e6)
    >>> [section.title for section in found.questions][1]
    'What regret can no policy avoid?'
    >>> [(said.card.id, said.value, said.here) for said in found.questions[1].said]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('thm-4.3', '12.08', 'refuted: do not rely on it; use sharp-4.3 instead'),
     ('sharp-4.3', '11.16', 'applies'),
     ('sharp-4.3-law-free', '11.16', 'applies')]
    """

    questions: tuple[Section, ...]
    groups: tuple[Section, ...]
    refuted: tuple[Said, ...]
    elsewhere: tuple[Said, ...]

    def __str__(self) -> str:
        return "\n".join(line for section in self.questions for line in section_lines(section))

    __repr__ = __str__


def headline(
    instance: Instance, question: Question | None = None, *, theory: Theory, **asked: Any
) -> Headline:
    """The main questions and the other results of a theory, on an instance."""
    question = theory.question.asked(question, asked)
    return headline_of(bounds(instance, question, theory=theory), theory, instance.label)


def headline_of(found: Iterable[Bound], theory: Theory, called: Called) -> Headline:
    """The headline for bounds that are already computed; `called` names an arm."""
    by_name: dict[tuple[str, str], list[Bound]] = {}
    for bound in found:
        by_name.setdefault((bound.claim, bound.quantity), []).append(bound)
    first = {
        card.id: Said(card, q.name, q.unit, tuple(by_name.get((card.id, q.name), ())), called)
        for card in theory.cards.values()
        for q in card.quantities[:1]
    }
    questions = tuple(
        Section(topic.words, tuple(first[name] for name in topic.claims if name in first), True)
        for topic in theory.questions
        if any(name in first for name in topic.claims)
    )
    asked = {said.card.id for section in questions for said in section.said}
    others = [said for said in first.values() if said.card.id not in asked]
    others.sort(key=lambda said: (not said.informative, said.card.policy is None))
    groups = (
        Section(title, tuple(x for x in others if x.listed and x.card.kind is kind))
        for kind, title in GROUPS.items()
    )
    return Headline(
        questions,
        tuple(group for group in groups if group.said),
        tuple(said for said in others if said.state == REFUTED),
        tuple(said for said in others if said.state == NOT),
    )


def section_lines(section: Section) -> Iterator[str]:
    """The lines of a section as text: a result with its title, then whether it applies."""
    yield section.title
    for said in section.said:
        plain = said.state == APPLIES and section.question
        here = f", {said.here}" if plain else "" if said.informative else f", {NO_BETTER}"
        yield f"  {said.card.id}: {said.number}{here}. {said.card.title}"
        if section.question and not plain:
            yield f"    {said.here}"


def ids_with_titles(said: Sequence[Said]) -> str:
    """Ids with titles, in one line."""
    return "; ".join(f"{each.card.id} ({each.card.title})" for each in said)


def failing_formulas(
    rows: Iterable[CheckedAssumption], called: Called
) -> dict[str, dict[str, list[str]]]:
    """Each failing assumption with its formula; for each, the worst arm's value and the claims that
    need it.
    """
    needing: dict[tuple[str, str], list[Condition]] = {}
    for row in rows:
        if not row.condition.holds:
            needing.setdefault((row.claim, row.condition.name), []).append(row.condition)
    found: dict[str, dict[str, list[str]]] = {}
    for (claim, name), conditions in needing.items():
        worst = max(conditions, key=decades_from_holding)
        at = found.setdefault(f"{name}: {worst.assumption.statement}", {})
        at.setdefault(worst.found(called), []).append(claim)
    return found


def failing_lines(
    rows: Iterable[CheckedAssumption], titles: Mapping[str, str], called: Called
) -> Iterator[tuple[str, str]]:
    """For the stated assumptions: the formula, and the worst arm's value for which claims."""
    stated = (row for row in rows if not row.condition.implicit)
    for formula, found in failing_formulas(stated, called).items():
        told = (
            f"{says}, needed by {', '.join(f'{c} ({titles[c]})' for c in claims)}"
            for says, claims in found.items()
        )
        yield formula, "; ".join(told)
