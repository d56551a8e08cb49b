"""A statement says: actual <= claimed (or >=), for every case (or for some) of a domain.

A card lists its statements by role. What a case is depends on the result: an arm with counts and a
confidence, an instance with a horizon. `cases` are those an instance gives, `drawn` those a search
draws, `hard` known hard ones, `suspects` those that a fast look over many, in floats, picks out for
certification (and how many it looked at).
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


@dataclass(frozen=True)
class Statement:
    """One statement of a claim and the ways to learn its actual number, surest first."""

    role: Role
    words: str
    actual: tuple[Measurement, ...]
    claimed: Callable[[Claim, Any], Number]
    cases: Callable[[Claim, Instance, Question, RunContext], Iterable[Any]]
    strategy: Callable[[], SearchStrategy[Any]] | None = None
    prescreened: Callable[[Claim, int, int], tuple[int, Sequence[Any]]] | None = (
        None  # seed, examples
    )
    known_cases: Callable[[], Iterable[Any]] = tuple
    relation: Relation = Relation.AT_MOST
    quantifier: Quantifier = Quantifier.EVERY
    assumes: tuple[Assumption, ...] | None = None  # None: those of the card
    violates: tuple[Assumption, ...] = ()  # derived: what must fail
    rests_on: tuple[str, ...] = ()  # claims whose truth the decision takes for granted
    uninformative: Callable[[Claim, Any, RunContext], str | None] | None = (
        None  # why a case says nothing
    )
    complete: bool = False  # the cases of an instance are all there are
    inapplicable_reason: str = "no case of it can arise on this instance"
    name: str = ""  # tells statements of one role apart
    explanations: Mapping[str, str] = field(default_factory=dict)  # sentences by verdict

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
            words=f"{self.words}; implicit assumptions added",
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
            words=f"{self.words}; evaluated although this fails: {dropped.statement}",
            assumes=kept,
            violates=(dropped,),
        )
