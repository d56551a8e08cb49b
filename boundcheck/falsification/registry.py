"""Which claims can be falsified, and by which search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from boundcheck.claim import Assumption, Claim
from boundcheck.conditions import conditions
from boundcheck.falsification.outcome import Falsification, Kind, Number, compared
from boundcheck.question import Question
from boundcheck.search.hunt import SearchLimit
from boundcheck.setting import Setting
from simulation.instance import Instance


@dataclass(frozen=True)
class Task:
    """A claim to search against, perhaps without one of its assumptions."""

    card: Claim
    drop: Assumption | None
    budget: SearchLimit

    @property
    def dropped(self) -> str | None:
        return None if self.drop is None else self.drop.name

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """The stated assumptions; beside a dropped one, those that are only used as well."""
        if self.drop is None:
            return self.card.assumptions
        every = (*self.card.assumptions, *self.card.implicit)
        return tuple(a for a in every if a.name != self.drop.name)

    def admits(
        self, instance: Instance, question: Question, setting: Setting, arm: int | None = None
    ) -> bool:
        """All that is assumed holds, and what is dropped fails; decided by enclosures.

        With `arm`, as far as it concerns that arm.
        """

        def holds(assumption: Assumption) -> bool:
            rows = conditions(assumption, instance, setting, question.digits)
            return all(row.holds for row in rows if arm is None or row.arm in (None, arm))

        if not all(holds(assumption) for assumption in self.assumed):
            return False
        return self.drop is None or not holds(self.drop)

    # -- rows ----------------------------------------------------------------------------

    def nothing(
        self, examples: int, words: str, reading: str | None = None, **more: Any
    ) -> Falsification:
        """No counterexample among so many examples."""
        return self._row(Kind.NOTHING, examples, words, reading, **more)

    def counterexample(
        self,
        examples: int,
        words: str,
        published: Number,
        actual: Number,
        reading: str | None = None,
        kind: Kind = Kind.COUNTEREXAMPLE,
        **more: Any,
    ) -> Falsification:
        """An example against the claim, or only against its proof (`Kind.GAP`)."""
        numbers = compared(published, actual)
        return self._row(kind, examples, words, reading, **numbers, **more)

    def threshold(
        self, words: str, published: Number, actual: Number, reading: str, **parameters: Any
    ) -> Falsification:
        """Where the dropped assumption starts to be needed."""
        numbers = compared(published, actual)
        return self._row(Kind.THRESHOLD, 0, words, reading, parameters=parameters, **numbers)

    def _row(
        self, kind: Kind, examples: int, words: str, reading: str | None, **more: Any
    ) -> Falsification:
        return Falsification(
            self.card.id,
            reading or self.card.reading,
            kind,
            examples,
            words,
            self.dropped,
            **more,
        )


Search = Callable[[Task], Iterator[Falsification]]


@dataclass(frozen=True)
class Entry:
    search: Search
    drops: Sequence[str] | None  # assumptions that this search can do without; None: any


SEARCHES: dict[str, Entry] = {}


def searches(*claims: str, drops: Sequence[str] | None = ()) -> Callable[[Search], Search]:
    """Register a search for these claims."""

    def registered(search: Search) -> Search:
        for claim in claims:
            SEARCHES[claim] = Entry(search, drops)
        return search

    return registered
