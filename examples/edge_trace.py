"""A synthetic trace: six edge servers, the share of a request's deadline met, in percent.

    python examples/edge_trace.py > examples/edge-trace.csv

Nothing here was measured. Each server is off for a while (0), busy (some percent, around a level
of its own) or free (a burst near 100), and stays in a state for several rows: many zeros, many
values near the top, little between. Only uniform numbers and sums are used, so that every machine
writes the same bytes.
"""

from __future__ import annotations

from random import Random

SEED, ROWS = 20, 500
SERVERS = {  # name: chance to be off, chance of a burst, level when busy
    "cell-a": (0.08, 0.60, 55),
    "cell-b": (0.15, 0.45, 50),
    "cell-c": (0.30, 0.30, 40),
    "van": (0.55, 0.35, 30),
    "shop": (0.40, 0.08, 35),
    "roof": (0.70, 0.10, 20),
}
STAY = 0.8  # chance to remain in a state for another row


def trace(off: float, burst: float, level: int, chance: Random) -> list[float]:
    """One server, row by row."""
    values, state = [], chance.random()
    for _ in range(ROWS):
        if chance.random() > STAY:
            state = chance.random()
        noise = sum(chance.random() for _ in range(4)) / 4 - 0.5
        if state < off:
            values.append(0.0)
        elif state < off + burst:
            values.append(round(95 + 10 * noise, 1))
        else:
            values.append(round(level + 40 * noise, 1))
    return values


def main() -> None:
    chance = Random(SEED)
    columns = [trace(*server, chance) for server in SERVERS.values()]
    print(f"# synthetic: made by examples/edge_trace.py with seed {SEED}, nothing was measured")
    print(",".join(SERVERS))
    for row in zip(*columns, strict=True):
        print(",".join(f"{value:g}" for value in row))


if __name__ == "__main__":
    main()
