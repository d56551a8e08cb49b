"""What is killed at random goes on with the same decisions and the same bytes.

    python benchmarks/kills.py [--slots 1000000] [--kills 30] [--verifications 3] [--seed 0]

- An agent with a journal is asked and told for that many slots, in a process that is killed that
  often. Each question, the repeated ones too, must be that of an agent that is never killed.
- `verify` on a Dask cluster of two workers (the extra `cluster`), one of which is killed again and
  again, must find the same bytes as on this machine.

All columns but the counts of slots and kills are 0 when good; else the exit code is 1. It takes
five minutes of CPU, and waits for the workers of the cluster to come back.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import Event, Thread

from distributed import Client
from rich.console import Console
from rich.table import Table

from boundcheck import verify
from simulation.agents.agent import Agent, agent
from simulation.world.draws import stream
from simulation.world.instance import Instance

ROOT = Path(__file__).parent.parent
ARMS, PLAYS = ["north", "south", "east", "west"], 2
DIGEST = 8  # bytes
LATEST_KILL = 2.0  # seconds after both workers have come to life
INSTANCE, EFFORT, CLAIMS = "textbook", "quick", ["thm-4.3", "thm-G.1", "thm-7.1", "lem-D.1"]


# -- an agent with a journal ---------------------------------------------------------------


def new_agent(journal: Path | None) -> Agent:
    given = {} if journal is None else {"journal": str(journal)}
    return agent("law-free", ARMS, PLAYS, scale=100, seed=6, **given)


def digest(question: dict[str, int]) -> bytes:
    return blake2b(json.dumps(question).encode(), digest_size=DIGEST).digest()


def drive(player: Agent, slots: int) -> Iterator[tuple[int, bytes]]:
    """Ask and tell to the last slot; rewards are a function of the slot."""
    rewards: list[list[float]] = []
    while player.slot <= slots:
        slot, question = player.slot, player.ask()
        yield slot, digest(question)
        if slot % 1000 == 1 or not rewards:
            rewards = stream(99, (slot - 1) // 1000).random((1000, len(ARMS))).tolist()
        drawn = dict(zip(ARMS, rewards[(slot - 1) % 1000], strict=True))
        player.tell({name: plays * 100.0 * drawn[name] for name, plays in question.items()})


def journalled(folder: Path, slots: int) -> None:
    """Go on with the journal; note each question, and how many differ from one noted before."""
    with open(folder / "questions", "r+b") as file, mmap.mmap(file.fileno(), 0) as noted:
        for slot, asked in drive(new_agent(folder / "journal"), slots):
            place = slice(DIGEST * slot, DIGEST * (slot + 1))
            if noted[place] not in (asked, bytes(DIGEST)):
                noted[0] = 1
            noted[place] = asked


def agent_with_kills(folder: Path, slots: int, kills: int, draw: Random) -> list[int]:
    """Slots, kills, slots with another question, whether a repeated question was another one."""
    file = folder / "questions"
    file.write_bytes(bytes(DIGEST * (slots + 1)))
    places = sorted(draw.sample(range(1, slots), kills))
    context, done = get_context("spawn"), 0
    for place in [*places, slots + 1]:
        child = context.Process(target=journalled, args=(folder, slots))
        child.start()
        while child.is_alive() and place <= slots and not asked_at(file, place):
            time.sleep(0.002)
        if place <= slots:
            child.kill()
            done += 1
        child.join()
        if child.exitcode not in (0, -signal.SIGKILL):
            raise RuntimeError(f"the agent ended by itself, with {child.exitcode}")
    found = file.read_bytes()
    true = b"".join(asked for _, asked in drive(new_agent(None), slots))
    pairs = zip(range(0, len(true), DIGEST), range(DIGEST, len(found), DIGEST), strict=True)
    other = sum(true[i : i + DIGEST] != found[j : j + DIGEST] for i, j in pairs)
    return [slots, done, other, found[0]]


def asked_at(file: Path, slot: int) -> bool:
    with open(file, "rb") as questions:
        questions.seek(DIGEST * slot)
        return questions.read(DIGEST) != bytes(DIGEST)


# -- verify on a cluster -------------------------------------------------------------------


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a scheduler, and the process that starts its workers anew when they die."""
    contact, dask = folder / "scheduler.json", [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(contact)]
    shape = ["--nworkers", "2", "--nthreads", "1", "--local-directory", str(folder)]
    started: list[subprocess.Popen[bytes]] = []
    with open(folder / "log", "wb") as log:
        try:
            for command in (
                [*dask, "scheduler", "--port", "0", *local],
                [*dask, "worker", *shape, *local],
            ):
                environment = os.environ | {"PYTHONPATH": str(ROOT)}
                started.append(
                    subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
                )
                while not contact.exists():
                    time.sleep(0.05)
            yield json.loads(contact.read_text())["address"], started[1].pid
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


def workers(parent: int) -> list[int]:
    """The workers that are there, whichever thread of their parent started them."""
    found = []
    for thread in Path(f"/proc/{parent}/task").iterdir():
        for child in (thread / "children").read_text().split():
            with suppress(FileNotFoundError, ProcessLookupError):
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return found


def keep_killing(address: str, parent: int, draw: Random, ended: Event, killed: list[int]) -> None:
    """One of two workers that have both come to life, again and again; the other one goes on."""
    with Client(address, set_as_default=False) as client:
        while not ended.wait(draw.uniform(0.2, LATEST_KILL)):
            alive, known = workers(parent), client.scheduler_info()["workers"]
            if len(alive) == len(known) == 2:
                victim = draw.choice(alive)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)


def cluster_with_kills(folder: Path, times: int, draw: Random) -> list[int]:
    """Verifications, kills, verifications with other bytes."""
    expected = found_bytes(jobs=1)
    other, killed, ended = 0, list[int](), Event()
    with cluster(folder) as (address, parent):
        killer = Thread(target=keep_killing, args=(address, parent, draw, ended, killed))
        killer.start()
        try:
            for _ in range(times):
                other += found_bytes(cluster=address) != expected
        finally:
            ended.set()
            killer.join()
    return [times, len(killed), other]


def found_bytes(**where: object) -> str:
    found = verify(Instance.load(INSTANCE), EFFORT, claims=CLAIMS, **where)
    return json.dumps(found.to_json_rows())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=10**6)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--verifications", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw, console = Random(options.seed), Console(width=100)
    with tempfile.TemporaryDirectory() as name:
        one = agent_with_kills(Path(name), options.slots, options.kills, draw)
    table = Table("agent: slots", "kills", "other questions", "other when repeated")
    table.add_row(*map(str, one))
    console.print(table)
    with tempfile.TemporaryDirectory() as name:
        two = cluster_with_kills(Path(name), options.verifications, draw)
    table = Table("cluster: verifications", "kills", "other bytes")
    table.add_row(*map(str, two))
    console.print(table)
    return int(any(one[2:]) or any(two[2:]))


if __name__ == "__main__":
    sys.exit(main())
