"""`sharp-7.1`: an odd slot of OrchExplore and the next one, by all bounds of up to four arms.

They are a function of the capacities, the bounds l before the odd slot, l and u after it, and two
rankings (P and Q of docs/theorems/orch-explore.md). Arms are numbered from 0 by mean, so `last` is
arm L; the arms in `front` are S_p without its last arm L_p.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from random import Random

Bounds = tuple[int, ...]
Order = tuple[int, ...]
SIZES = ((3, 2), (4, 3))  # arms and plays
_TURNS = 5  # pairs of rankings that each choice of bounds is looked at with
_DRAWN = 20_000  # and so many pairs of slots of up to six arms
_MEANS = (40, 38, 22, 15, 7, 2)  # any that fall: what slots lose is linear in them


@dataclass(frozen=True)
class IndividualSlot:
    """An individual slot: which arms get plays in it."""

    held: Bounds
    plays: int
    lower: Bounds
    order: Order

    @cached_property
    def last(self) -> int:
        return next(k for k in range(len(self.held)) if sum(self.held[: k + 1]) >= self.plays)

    @property
    def left(self) -> int:
        """mbar."""
        return self.plays - sum(self.held[: self.last])

    @cached_property
    def loads(self) -> dict[int, int]:
        """S_t in the order of filling."""
        found: dict[int, int] = {}
        room = self.plays
        for k in self.order:
            if room:
                found[k] = min(room, self.lower[k])
                room -= found[k]
        return found

    @property
    def front(self) -> list[int]:
        return [*self.loads][:-1]

    @cached_property
    def missing(self) -> list[int]:
        behind = [k for k in range(self.last) if k not in self.front]
        beyond = any(k > self.last for k in self.loads)
        return behind + [self.last] * (self.last not in self.front and beyond)

    @cached_property
    def short(self) -> list[int]:
        most = (*self.held[: self.last], self.left)
        return [k for k in range(self.last + 1) if k in self.front and self.lower[k] < most[k]]

    @property
    def settled(self) -> bool:
        """C_t."""
        full = all(self.lower[k] == self.held[k] for k in range(self.last))
        return full and self.lower[self.last] >= self.left

    def moved(self) -> dict[int, int]:
        """a': missing arms get their capacity, plays beyond L are cut from the end."""
        found, room = {}, self.plays
        for k in range(self.last + 1):
            here = self.held[k] if k in self.missing else self.lower[k]
            found[k] = min(here, room)
            room -= found[k]
        for k, load in self.loads.items():
            if k > self.last:
                found[k] = min(load, room)
                room -= found[k]
        return found


def regret_of_loads(slot: IndividualSlot, loads: dict[int, int]) -> int:
    """f* - f(a) for plays that are all served."""
    best = sum(slot.held[k] * _MEANS[k] for k in range(slot.last))
    return best + slot.left * _MEANS[slot.last] - sum(a * _MEANS[k] for k, a in loads.items())


def short_cost(slot: IndividualSlot, arms: tuple[int, ...] | None = None) -> int:
    """kappa of the short arms, or of these: their plays on arms beyond L, the worst first."""
    last, short = slot.last, slot.short if arms is None else arms
    moved = {k: slot.held[k] - slot.lower[k] for k in short if k < last}
    plays = sum(moved.values())
    plays += slot.left - slot.lower[last] if last in short else 0
    cost = sum(x * (_MEANS[k] - _MEANS[last]) for k, x in moved.items())
    for j in range(len(slot.held) - 1, last, -1):
        here = min(plays, slot.held[j])
        cost, plays = cost + here * (_MEANS[last] - _MEANS[j]), plays - here
    return cost


@dataclass(frozen=True)
class Pair:
    """An odd slot p, the bounds after it, and the ranking of slot p + 1."""

    slot: IndividualSlot
    later: Bounds
    upper: Bounds
    order: Order

    @cached_property
    def unknown(self) -> list[int]:
        """Y, in the order of the united slot."""
        return [k for k in self.order if k in self.slot.front and self.later[k] < self.upper[k]]

    @property
    def following(self) -> IndividualSlot:
        """Slot p + 1, if it is individual."""
        return IndividualSlot(self.slot.held, self.slot.plays, self.later, self.order)

    @property
    def fresh(self) -> list[int]:
        last, held = self.slot.last, self.slot.held
        learnt = [k for k in range(last) if self.later[k] == self.upper[k] == held[k]]
        learnt += [last] * (self.later[last] >= self.slot.left)
        return [k for k in self.slot.short if k in learnt]

    @property
    def learns(self) -> int | None:
        """k, if slot p + 1 is a k-slot."""
        first, last = self.unknown[0], self.slot.last
        short = first == last and self.later[last] < self.slot.left
        return first if first < last or short else None

    @property
    def in_order(self) -> bool:
        """No arm before L is missing, and after p they are ranked before all others."""
        first = set(self.order[: self.slot.last])
        return not any(k < self.slot.last for k in self.slot.missing) and first == set(
            range(self.slot.last)
        )

    @property
    def switch(self) -> bool:
        return self.following.settled and not self.slot.settled

    @property
    def second(self) -> int:
        """The second arm of the united slot."""
        others = [k for k in self.order if k not in self.unknown]
        return [*self.unknown, *others][1]


def _bounds(held: int, plays: int) -> list[tuple[int, int, int]]:
    """l before, l and u after: known, or as at first."""
    lowers = [(1, 1), (1, held), (held, held)]
    return sorted({(low, later, top) for low, later in lowers for top in (held, plays)})


@cache
def pairs() -> tuple[Pair, ...]:
    """Every capacity and every such bound of up to four arms, with rankings in turn; and others."""
    return (*_looked_at(), *_drawn())


def _drawn() -> Iterator[Pair]:
    """Of five or six arms: bounds mostly known, or mostly not, rankings nearly right, or any."""
    random = Random(71)
    for _ in range(_DRAWN):
        arms = random.randint(5, 6)
        plays = random.randint(3, arms - 1)
        held = tuple(random.randint(1, random.choice((2, plays))) for _ in range(arms))
        known, closer = random.choice((0.2, 0.8)), random.random()
        lower = tuple(m if random.random() < known else random.randint(1, m) for m in held)
        later = tuple(
            m if random.random() < closer else random.randint(low, m)
            for low, m in zip(lower, held, strict=True)
        )
        upper = tuple(m if random.random() < known else random.randint(m, plays) for m in held)
        spread = random.choice((0.5, 2, 9))
        places = [[k + spread * random.random() for k in range(arms)] for _ in range(2)]
        one, other = (tuple(sorted(range(arms), key=each.__getitem__)) for each in places)
        yield Pair(IndividualSlot(held, plays, lower, one), later, upper, other)


def _looked_at() -> Iterator[Pair]:
    for arms, plays in SIZES:
        orders = list(product(permutations(range(arms)), repeat=2))
        turn = 0
        for held in product(range(1, plays + 1), repeat=arms):
            for each in product(*(_bounds(m, plays) for m in held)):
                lower, later, upper = zip(*each, strict=True)
                for _ in range(_TURNS):
                    turn = (turn + 97) % len(orders)  # prime to their number: all have their turn
                    one, other = orders[turn]
                    yield Pair(IndividualSlot(held, plays, lower, one), later, upper, other)
