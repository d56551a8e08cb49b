"""What a slot of an agent costs, `ask` and `tell` together, with nine arms.

    python benchmarks/bench_agents.py [POLICY ...]

Without a journal, with one, and with one that is synchronised every slot. Times are the best of
five series of slots, in microseconds of CPU, so that a busy machine does not blur them; those that
wait for the disk, which does not show in CPU time, are by the clock.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from simulation.agents.agent import Agent, agent

ARMS = [f"arm {k}" for k in range(1, 10)]
PLAYS, SLOTS = 7, 2000
TOLD: dict[str, dict[str, Any]] = {
    "law-free": {},
    "likelihood": {"law": "bernoulli"},
    "orch-explore": {"horizon": 10**6},
    "ts-kc": {"capacities": [2] * 9},
    "kl-ucb-kc": {"capacities": [2] * 9},
    "mp-se-sa": {"horizon": 10**6},
}
MOST = {"no journal": 20.0, "journal": 25.0, "journal, synchronised": float("inf")}


def microseconds(player: Agent, slots: int, clock: Callable[[], float]) -> float:
    """A slot, at best."""
    best = float("inf")
    for _ in range(5):
        start = clock()
        for slot in range(slots):
            question = player.ask()
            player.tell({name: plays if slot % 3 else 0.0 for name, plays in question.items()})
        best = min(best, (clock() - start) / slots)
    return best * 1e6


def main(policies: Sequence[str]) -> None:
    table = Table("policy", *(f"{kind}, at most {most:g}" for kind, most in MOST.items()), "met")
    for policy in policies:
        found = []
        with tempfile.TemporaryDirectory() as folder:
            for place in range(len(MOST)):
                given: dict[str, Any] = {"journal": f"{folder}/{place}"} if place > 0 else {}
                given["sync"] = "every slot" if place == 2 else "never"
                player = agent(policy, ARMS, PLAYS, **TOLD[policy], **given)
                how = (200, time.perf_counter) if place == 2 else (SLOTS, time.process_time)
                found.append(microseconds(player, *how))
                player.close()
        met = all(each <= most for each, most in zip(found, MOST.values(), strict=True))
        table.add_row(policy, *(f"{each:.1f}" for each in found), "yes" if met else "NO")
    Console(width=110).print(table)


if __name__ == "__main__":
    main(sys.argv[1:] or list(TOLD))
