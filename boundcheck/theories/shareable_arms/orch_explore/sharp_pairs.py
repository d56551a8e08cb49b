"""`sharp-7.1`: what may follow a slot, by all bounds that three or four arms can have.

An odd slot of OrchExplore and the next one are a function of the capacities, the bounds l before
it, l and u after it, and two rankings (C and D of docs/theorems/orch-explore.md). Here they are
looked at one by one: the kind of the odd slot, and what the next one is charged to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations, product

Bounds = tuple[int, ...]
Order = tuple[int, ...]
Following = tuple[str, str, bool]  # the kind of a slot, what comes after it, mbar = 1
SIZES = ((3, 2), (4, 3))  # arms and plays
_TURNS = 5  # pairs of rankings that each choice of bounds is looked at with


def _filled(bounds: Bounds, order: Sequence[int], plays: int) -> list[int]:
    """S_t in the order of filling: arms get their bound until no play is left."""
    chosen = []
    for k in order:
        if plays <= 0:
            break
        chosen.append(k)
        plays -= bounds[k]
    return chosen


def _kind(chosen: list[int], last: int, settled: bool) -> str:
    if any(k not in chosen[:-1] for k in range(last)):
        return "far"
    before = chosen[: chosen.index(last)] if last in chosen else chosen
    if last not in chosen or any(k > last for k in before):
        return "near"
    return "a" if settled else "b"


def _after(
    held: Bounds, plays: int, lower: Bounds, later: Bounds, upper: Bounds, orders: tuple[Order, ...]
) -> Following:
    last = next(k for k in range(len(held)) if sum(held[: k + 1]) >= plays)
    left = plays - sum(held[:last])

    def settled(bounds: Bounds) -> bool:
        """C_t."""
        return all(bounds[k] == held[k] for k in range(last)) and bounds[last] >= left

    chosen = _filled(lower, orders[0], plays)
    kind = _kind(chosen, last, settled(lower))
    unknown = [k for k in orders[1] if k in chosen[:-1] and later[k] < upper[k]]  # Y
    if not unknown:
        following = _kind(_filled(later, orders[1], plays), last, settled(later))
        return kind, "wrong" if following in ("far", "near") else following, left == 1
    first, *others = unknown
    charged = {
        "before": first < last,
        "L short": first == last and later[last] < left,
        "switch": settled(later) and not settled(lower),
        "overtaking": first >= last and any(k <= last and k < first for k in others),
    }
    return kind, next((name for name, so in charged.items() if so), "no other"), left == 1


def _bounds(held: int, plays: int) -> list[tuple[int, int, int]]:
    """l before, l and u after: known, or as at first."""
    lowers = [(1, 1), (1, held), (held, held)]
    return sorted({(low, later, top) for low, later in lowers for top in (held, plays)})


@cache
def followings() -> frozenset[Following]:
    """All that occurs: every capacity and every such bound, with rankings in turn."""
    return frozenset(_looked_at())


def _looked_at() -> Iterator[Following]:
    for arms, plays in SIZES:
        pairs = list(product(permutations(range(arms)), repeat=2))
        turn = 0
        for held in product(range(1, plays + 1), repeat=arms):
            for each in product(*(_bounds(m, plays) for m in held)):
                lower, later, upper = zip(*each, strict=True)
                for _ in range(_TURNS):
                    turn = (turn + 97) % len(pairs)  # prime to their number: all have their turn
                    yield _after(held, plays, lower, later, upper, pairs[turn])
