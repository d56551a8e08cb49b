"""`Theory`: everything that the engine needs to know about a paper, in one object.

It holds the cards, the symbols, the policies and the names of the modules with statements, proofs
and pages. Those modules are imported when they are first needed.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import Values, exact_setting
from boundcheck.claims.card import Assumption, Claim
from simulation.errors import InputError, shown
from simulation.policies import SHIPPED, Policy
from simulation.policies import find as find_policy
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from boundcheck.judging.effort import Effort
    from boundcheck.judging.record import Recorded
    from boundcheck.judging.run_context import RunContext
    from boundcheck.judging.statement import Statement

_SMALL = Instance(["0.6", "0.4"], [1, 1], 1)


def by_id(cards: Iterable[Claim]) -> dict[str, Claim]:
    """Cards in a dictionary by id; an id that occurs twice is an error."""
    found: dict[str, Claim] = {}
    for card in cards:
        if card.id in found:
            raise InputError("theory", "id", f"{shown(card.id)} twice", "an id for each card")
        found[card.id] = card
    return found


def no_more(values: Values) -> Values:
    """The default `derive`: the theory adds no symbols to those that every theory has."""
    return {}


def _small_instances() -> SearchStrategy[Instance]:
    """The default strategy for counterexamples: up to four arms, any reward law."""
    from boundcheck.search.strategies import instances

    return instances(largest=4, distinct=True)


@dataclass(frozen=True)
class Topic:
    """A question that users ask, and the claims that answer it: published ones first, then ours."""

    words: str
    claims: tuple[str, ...]


def _held_by(package: str) -> Theory:
    found: Theory = import_module(package).THEORY
    return found


@dataclass(frozen=True, eq=False)
class Theory:
    """A paper's cards, the meaning of their symbols, the model's conditions, and its policies.

    derive            computes the theory's own symbols from those that every theory has
    model             conditions that every instance in a search must satisfy
    outside           warnings about an instance outside the model, one line each
    instances         Hypothesis strategy for the instances that a search tries
    policies          its own policies by name, in addition to the shipped ones
    statement_modules for each claim, the module whose `STATEMENTS[claim]` are its statements;
                      imported when they are asked for. A card without one gets those of its kind
    main              the claim that summaries and sweeps show first
    questions         the questions of the headline, and the claims that answer them
    sizes             claims on how often to explore one arm, shown beside `estimate`
    question          the parameters of its questions
    audited           the instances that an audit uses, by name or file
    proofs            for each claim that has one, the module whose `STEPS` are its proof
    pages             the module that adds sections to its reports
    selftest_cases    the module with the cases on which `selftest` tries mutants
    records           the package that keeps what the last audit, selftest and `make certify` found
    audited_cards     the cards that these records are about

    >>> from boundcheck.theories import default
    >>> paper = default()
    >>> paper.find("THM-4.3").title, len(paper.chosen(None)) == len(paper.cards)
    ('Regret lower bound', True)
    >>> paper.policy("certify") is paper.known_policies["certify"]
    True
    >>> [statement.id for statement in paper.statements("thm-4.3")]
    ['intended', 'further:filled-arms', 'further:decades']
    >>> str(paper.statement("thm-4.3", "charitable").role)
    'charitable'
    >>> "thm-4.3" in paper.falsifiable, paper.thresholds("thm-4.3", None)
    (True, [])

    What the last audit, selftest and certification found of its cards and steps:

    >>> from boundcheck.claims.symbols import T, mu
    >>> lower, interval = paper.find("thm-4.3"), paper.find("lem-5.1")
    >>> str(paper.recorded(lower).verdict), paper.wrong_with(lower), paper.proved(lower)
    ('refuted', 'false', False)
    >>> [paper.refutes(interval, missing) for missing in (False, True)]
    [False, True]
    >>> paper.slack(lower, "regret", "no such term"), paper.certificate("4.1-b")["by"]
    (None, 'proof assistant')
    >>> paper.importable, paper.small_values[mu].shape[1] > 1, paper.small_values[T].shape[1] > 1
    (True, True, False)

    A theory of one result, and one in which that result says something else:

    >>> from boundcheck.judging.effort import EFFORTS
    >>> small = Theory("one result", {"lem-C.3": paper.find("lem-C.3")})
    >>> other = replace(paper.find("lem-C.3"), title="More plays")
    >>> small.with_card(other).find("lem-C.3").title, small.with_cards([other]).name
    ('More plays', 'one result')
    >>> context = small.context(EFFORTS["quick"])
    >>> small.observable, context.plan.total, context.horizon
    (frozenset(), 1e-06, Fraction(10000, 1))
    """

    name: str
    cards: Mapping[str, Claim]
    derive: Callable[[Values], Values] = no_more
    model: tuple[Assumption, ...] = ()
    outside: Callable[[Instance], tuple[str, ...]] | None = None
    instances: Callable[[], SearchStrategy[Instance]] = _small_instances
    policies: Mapping[str, Policy] = field(default_factory=dict)
    statement_modules: Mapping[str, str] = field(default_factory=dict)
    main: str | None = None
    questions: tuple[Topic, ...] = ()
    sizes: tuple[str, ...] = ()
    question: type[Question] = Question
    audited: tuple[str, ...] = ()
    proofs: Mapping[str, str] = field(default_factory=dict)
    pages: str | None = None
    selftest_cases: str | None = None
    records: str | None = None
    audited_cards: Mapping[str, Claim] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: a theory that its package holds as `THEORY` is pickled by reference."""
        if self.importable:
            return _held_by, (self.records,)
        return Theory, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def importable(self) -> bool:
        """Whether another process can import the theory: its package holds it as `THEORY`."""
        held = None if self.records is None else import_module(self.records)
        return held is not None and getattr(held, "THEORY", None) is self

    def __post_init__(self) -> None:
        if not self.audited_cards:
            object.__setattr__(self, "audited_cards", self.cards)

    def find(self, name: str | Claim) -> Claim:
        """The card with this id (case is ignored); a card is returned as it is."""
        if isinstance(name, Claim):
            return self._known(name)
        by_lower = {key.lower(): key for key in self.cards}
        if name.lower() in by_lower:
            return self.cards[by_lower[name.lower()]]
        close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
        hint = f" (did you mean {by_lower[close[0]]!r}?)" if close else ""
        raise InputError("--claim", "id", shown(name), f"an id of the catalogue{hint}")

    def chosen(self, names: Iterable[str | Claim] | None) -> list[Claim]:
        """The cards named by ids or given as cards, each once; all cards for None."""
        if names is None:
            return list(self.cards.values())
        found: dict[str, Claim] = {}
        for card in map(self.find, names):
            if card.id in found:
                raise InputError("--claim", "id", f"{card.id} twice", "each claim once")
            found[card.id] = card
        return list(found.values())

    def _known(self, card: Claim) -> Claim:
        """The card, after a check that its formulas use only symbols of this theory."""
        relations = (a.relation for a in (*card.stated, *card.implicit))
        used = {symbol for quantity in card.quantities for symbol in quantity.symbols}
        used |= {symbol for r in relations if r is not None for symbol in r.free_symbols}
        unknown = sorted(map(str, used - self._symbols))
        if card.id not in self.cards and unknown:
            expected = f"symbols of the theory '{self.name}'"
            raise InputError(shown(card.id), "symbols", ", ".join(unknown), expected)
        return card

    @cached_property
    def _symbols(self) -> frozenset[Any]:
        from boundcheck.claims.symbols import concentration, epsilon

        return frozenset(self.small_values) | {concentration, epsilon}

    @cached_property
    def small_values(self) -> Values:
        """The values of all symbols on a small instance; shows which symbols exist and which vary
        by arm.
        """
        return exact_setting(_SMALL, Question(), self.derive).values

    def recorded(self, card: Claim) -> Recorded | None:
        """What the last audit found about a card; None if the card has been added or changed
        since.
        """
        from boundcheck.judging.record import recorded

        known = self.audited_cards.get(card.id) is card
        return recorded(self.records).get(card.id) if known else None

    def slack(self, card: Claim, quantity: str, term: str) -> float | None:
        """How far a term of a card could be tightened before the evidence of the last selftest
        refutes it; None if that was not measured.
        """
        from boundcheck.judging.record import slacks

        known = self.audited_cards.get(card.id) is card
        found = slacks(self.records).get(card.id, {}) if known else {}
        return found.get(f"{quantity}: {term}", found.get(term))

    def certificate(self, step: str) -> Mapping[str, str] | None:
        """Which prover certified a step last, and the digest of the formula that it certified."""
        from boundcheck.judging.record import certificates

        return certificates(self.records).get(step)

    def refutes(self, card: Claim, missing: bool) -> bool:
        """Whether the audit found a card false. `missing`: an assumption that the card needs but
        does not state fails in this case.
        """
        from boundcheck.judging.finding import Severity

        found = self.recorded(card)
        if found is None or not found.refuted:
            return False
        return missing or found.severity is not Severity.SCOPE

    def wrong_with(self, card: Claim) -> str | None:
        """What the last audit found wrong with a card, in a phrase."""
        found = self.recorded(card)
        return None if found is None or found.severity is None else found.severity.phrase

    def proved(self, card: Claim) -> bool:
        """Whether other verdicts may rest on a card: it is a declared premise or a theorem of
        ours.
        """
        found = self.recorded(card)
        return card.premise or (found is not None and found.is_theorem)

    def policy(self, name: str | Policy) -> Policy:
        """The policy of that name, the theory's own or a shipped one; a policy is returned as it
        is.
        """
        return find_policy(name, self.known_policies)

    @property
    def known_policies(self) -> Mapping[str, Policy]:
        """Its own policies and the shipped ones, by name."""
        return ChainMap(self.policies, SHIPPED)  # type: ignore[arg-type]

    def with_card(self, card: Claim) -> Theory:
        """The same theory with one card replaced or added."""
        return replace(self, cards={**self.cards, card.id: card})

    def with_cards(self, cards: Iterable[Claim]) -> Theory:
        """The same theory with these cards added or replaced."""
        foreign = [card for card in cards if self.cards.get(card.id) is not card]
        return replace(self, cards={**self.cards, **by_id(foreign)}) if foreign else self

    def statements(self, claim: str) -> tuple[Statement, ...]:
        """The statements of a claim, intended ones first: those of its module, or else of its
        kind.
        """
        if claim not in self.statement_modules:
            from boundcheck.judging.default_statements.by_kind import of_kind

            return of_kind(self.cards[claim], self)
        found: tuple[Statement, ...] = import_module(self.statement_modules[claim]).STATEMENTS[
            claim
        ]
        return found

    def statement(self, claim: str, name: str) -> Statement:
        """A statement by its id, including derived ones (`charitable`, `without:ASSUMPTION`)."""
        from boundcheck.judging.finding import Role

        written = {statement.id: statement for statement in self.statements(claim)}
        if name in written:
            return written[name]
        card, (first, *_) = self.cards[claim], self.statements(claim)
        if name == Role.CHARITABLE:
            return first.charitable(card)
        for assumption in (*card.assumptions, *card.implicit):
            if name == f"{Role.WITHOUT}:{assumption.name}":
                return first.without(card, assumption)
        raise InputError(claim, "statement", shown(name), f"one of {', '.join(written)}")

    def thresholds(self, claim: str, dropped: str | None) -> list[Any]:
        """How far a dropped assumption could be weakened, if the claim's module has a table of
        that.
        """
        if claim not in self.statement_modules or dropped is None:
            return []
        tables = getattr(import_module(self.statement_modules[claim]), "THRESHOLDS", {})
        return list(tables[claim, dropped]()) if (claim, dropped) in tables else []

    @cached_property
    def falsifiable(self) -> tuple[str, ...]:
        """The claims with at least one statement that can be searched for a counterexample."""
        return tuple(
            claim for claim in self.cards if any(s.searchable for s in self.statements(claim))
        )

    @cached_property
    def observable(self) -> frozenset[str]:
        """The statements that may be judged by samples; each gets a share of the error budget."""
        return frozenset(
            f"{claim} {each.id}"
            for claim in self.cards
            for statement in self.statements(claim)
            for each in (statement, *self._derived(claim, statement))
            if each.sampled
        )

    def _derived(self, claim: str, statement: Statement) -> list[Statement]:
        from boundcheck.judging.finding import Role

        if statement.role is not Role.INTENDED:
            return []
        card = self.cards[claim]
        dropped = [statement.without(card, a) for a in (*card.assumptions, *card.implicit)]
        return [statement.charitable(card), *dropped]

    def context(self, effort: Effort, budget: float = 1e-6, **more: Any) -> RunContext:
        """A `RunContext` for this theory, with error levels planned for all its statements."""
        from boundcheck.evidence.error_plan import ErrorPlan
        from boundcheck.judging.run_context import RunContext

        return RunContext(effort, ErrorPlan(budget, self.observable), theory=self, **more)
