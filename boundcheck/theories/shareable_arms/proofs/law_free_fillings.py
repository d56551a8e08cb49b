"""Fillings of slots in small worlds, on which steps of `sharp-law-free` are asserted one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

MEANS = tuple(Fraction(9 - k, 10) for k in range(4))
SMALL = "every order and every choice of bounds in five small worlds"
# arms by their means: capacities, and how many plays
WORLDS = (((1, 1, 1), 1), ((2, 1, 2), 2), ((1, 2, 1, 2), 2), ((1, 3, 1, 2), 3), ((2, 2, 1), 3))


@dataclass(frozen=True)
class Filling:
    """An order of the arms by their estimates, with bounds on their capacities."""

    held: tuple[int, ...]
    plays: int
    order: tuple[int, ...]
    bounds: tuple[int, ...]

    @property
    def last(self) -> int:
        """L, from 0."""
        return next(k for k in range(len(self.held)) if sum(self.held[: k + 1]) >= self.plays)

    @property
    def loads(self) -> dict[int, int]:
        """g: the arms filled, in their order."""
        left, found = self.plays, {}
        for k in self.order:
            if left:
                found[k] = min(left, self.bounds[k])
                left -= found[k]
        return found

    def short(self, k: int) -> int:
        return self.held[k] - self.loads.get(k, 0)

    def lost(self, loads: dict[int, int], mean: Sequence[Fraction] = MEANS) -> Fraction:
        """By the gap identity; means are in the order of the arms."""
        total = Fraction(0)
        for k, held in enumerate(self.held):
            plays = loads.get(k, 0)
            if k < self.last:
                total += max(held - plays, 0) * (mean[k] - mean[self.last])
            elif k > self.last:
                total += min(plays, held) * (mean[self.last] - mean[k])
            total += max(plays - held, 0) * mean[self.last]
        return total

    def tried(self, k: int, plays: int) -> dict[int, int]:
        """Plays move to arm k: from the last arm, then from those before it that come after k."""
        found = dict(self.loads)
        filled = list(found)
        place = filled.index(k) if k in filled else len(filled) - 2
        moved = 0
        for giver in reversed(filled[min(place, len(filled) - 2) + 1 :]):
            given_ = min(plays - moved, found[giver])
            found[giver] -= given_
            moved += given_
        return found | {k: found.get(k, 0) + moved}

    def given(self, plays: int, mean: Sequence[Fraction] = MEANS) -> Fraction:
        """The most that the arms of S+ lose with so many plays."""
        nu = mean[self.last]
        best = [mean[k] - nu for k in range(self.last) for _ in range(self.held[k])]
        return sum(best[:plays], Fraction(0))

    def covered(
        self, most: Callable[[int, int], Fraction], mean: Sequence[Fraction] = MEANS
    ) -> bool:
        """Whether every trial of a larger load loses no more than this, of an arm and plays."""
        return all(
            self.lost(self.tried(j, plays), mean) - self.lost(self.loads, mean) <= most(j, plays)
            for j in list(self.loads)[:-1]
            for plays in {1, self.bounds[j]}
        )


def fillings() -> Iterator[Filling]:
    """Every order and every choice of bounds of small worlds."""
    for held, plays in WORLDS:
        for order in permutations(range(len(held))):
            for bounds in product(*(range(1, min(x, plays) + 1) for x in held)):
                yield Filling(held, plays, order, bounds)
