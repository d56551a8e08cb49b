"""A statement: actual <= claimed (or >=), for every case of a domain.

A card has statements with different roles. The type of a case depends on the result: an arm with
counts and a confidence, or an instance with a horizon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.comparison import Measured, Number, Relation
from boundcheck.judging.finding import Role

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from boundcheck.calculator.question import Question
    from boundcheck.judging.run_context import RunContext
    from simulation.world.instance import Instance


class Case(Protocol):
    """One point at which a statement is evaluated: exact, hashable, picklable."""

    @property
    def instance(self) -> Instance: ...

    @property
    def question(self) -> Question: ...

    @property
    def arm(self) -> int | None:
        """The arm it is about, numbered as in the instance; None: the whole instance."""

    def simpler(self) -> Iterator[Self]:
        """Strictly simpler cases, the largest simplification first."""

    def parameters(self) -> Mapping[str, Any]:
        """What a reader needs, besides the instance, to check the case by hand."""


@dataclass(frozen=True)
class Measurement:
    """One way to obtain the actual number; `of` returns None for a case that it cannot handle."""

    name: str
    of: Callable[[Claim, Any, RunContext], Measured | None]
    sampled: bool = False


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of a claim, and the ways to measure its actual number, most reliable first.

    role, name           its role in the claim; the name distinguishes statements of one role
    text                 what it says, in words
    actual               measurements, most reliable first
    relation, claimed    the claimed relation, and the number that the card claims
    cases                the cases that arise from an instance and a question
    complete             whether these are all cases on the instance
    strategy             strategy from which a search draws cases
    prescreened          given a seed and a number of examples: how many cases were tried in
                         floats, and those to certify
    known_cases          known hard cases, tried first
    assumes              None: the assumptions of the card
    violates             assumptions that must fail; set where a statement is derived
    rests_on             claims that a decision assumes to be true
    uninformative        why a case is uninformative, or None
    inapplicable_reason  why an instance may have no case
    explanations         a sentence for each verdict
    """

    role: Role
    name: str = ""
    text: str
    actual: tuple[Measurement, ...]
    relation: Relation = Relation.AT_MOST
    claimed: Callable[[Claim, Any], Number]
    cases: Callable[[Claim, Instance, Question, RunContext], Iterable[Any]]
    complete: bool = False
    strategy: Callable[[], SearchStrategy[Any]] | None = None
    prescreened: Callable[[Claim, int, int], tuple[int, Sequence[Any]]] | None = None
    known_cases: Callable[[], Iterable[Any]] = tuple
    assumes: tuple[Assumption, ...] | None = None
    violates: tuple[Assumption, ...] = ()
    rests_on: tuple[str, ...] = ()
    uninformative: Callable[[Claim, Any, RunContext], str | None] | None = None
    inapplicable_reason: str = "no case of it can arise on this instance"
    explanations: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.role}:{self.name}" if self.name else str(self.role)

    @property
    def sampled(self) -> bool:
        return any(way.sampled for way in self.actual)

    @property
    def searchable(self) -> bool:
        return (
            self.strategy is not None
            or self.prescreened is not None
            or self.known_cases is not tuple
        )

    def assumed(self, claim: Claim) -> tuple[Assumption, ...]:
        return claim.assumptions if self.assumes is None else self.assumes

    def charitable(self, claim: Claim) -> Statement:
        """The statement with the implicit assumptions added."""
        return replace(
            self,
            role=Role.CHARITABLE,
            text=f"{self.text}; implicit assumptions added",
            assumes=(*self.assumed(claim), *claim.implicit),
        )

    def without(self, claim: Claim, dropped: Assumption) -> Statement:
        """The statement where one assumption fails: the others hold, and so do the implicit ones
        that do not imply it.
        """
        others = (*self.assumed(claim), *(a for a in claim.implicit if not a.implies(dropped)))
        kept = tuple(a for a in others if a.name != dropped.name)
        return replace(
            self,
            role=Role.WITHOUT,
            name=":".join(filter(None, (dropped.name, self.name))),
            text=f"{self.text}; evaluated although this fails: {dropped.statement}",
            assumes=kept,
            violates=(dropped,),
        )
