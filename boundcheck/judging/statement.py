"""A statement says: actual <= claimed (or >=), for every case (or for some) of a domain.

A card lists its statements by role. What a case is depends on the result: an arm with counts and a
confidence, an instance with a horizon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, Self

from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.finding import Role
from boundcheck.judging.measured import Measured, Number, Relation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from boundcheck.calculator.question import Question
    from boundcheck.judging.run_context import RunContext
    from simulation.world.instance import Instance


class Case(Protocol):
    """One thing a statement speaks of: exact, hashable, picklable."""

    @property
    def instance(self) -> Instance: ...

    @property
    def question(self) -> Question: ...

    @property
    def arm(self) -> int | None:
        """The arm it is about, in the instance's numbers; None: the instance as a whole."""

    def simpler(self) -> Iterator[Self]:
        """Strictly simpler cases, most drastic first."""

    def parameters(self) -> Mapping[str, Any]:
        """What, beside the instance, a reader needs to check it by hand."""


class Quantifier(Enum):
    EVERY = "every"
    SOME = "some"


@dataclass(frozen=True)
class Measurement:
    """One way to learn the actual number; `of` returns None for a case it cannot take."""

    name: str
    of: Callable[[Claim, Any, RunContext], Measured | None]
    sampled: bool = False


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of a claim and the ways to learn its actual number, surest first.

    role, name           what the statement is to its claim; the name tells those of one role apart
    text                 what it says, in words
    actual               measurements, surest first
    relation, claimed    how the actual number must compare with the number of the card
    quantifier           for every case, or for some
    cases                those that an instance and a question give
    complete             whether these are all there are on the instance
    strategy             cases that a search draws
    prescreened          of a seed and a number of examples: how many cases were looked at in
                         floats, and those to certify
    known_cases          cases known to be hard
    assumes              None: the assumptions of the card
    violates             assumptions that must fail; set where a statement is derived
    rests_on             claims whose truth a decision takes for granted
    uninformative        why a case says nothing, or None
    inapplicable_reason  why an instance may have no case
    explanations         a sentence for each verdict
    """

    role: Role
    name: str = ""
    text: str
    actual: tuple[Measurement, ...]
    relation: Relation = Relation.AT_MOST
    claimed: Callable[[Claim, Any], Number]
    quantifier: Quantifier = Quantifier.EVERY
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
        """The same with the assumptions that the proof uses silently."""
        return replace(
            self,
            role=Role.CHARITABLE,
            text=f"{self.text}; implicit assumptions added",
            assumes=(*self.assumed(claim), *claim.implicit),
        )

    def without(self, claim: Claim, dropped: Assumption) -> Statement:
        """An assumption fails; the others hold, and the implicit ones that do not contain it."""
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
