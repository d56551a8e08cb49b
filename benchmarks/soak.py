"""`boundcheck serve` under 20 clients that edit, simulate, cancel and disconnect.

    python benchmarks/soak.py [--minutes 30] [--clients 20] [--seed 0]

Memory of the server and its processes together after a minute (or a third of the time) and at the
end, when all clients are gone; processes that outlive the server; tracebacks in its terminal. The
exit code is 1 if memory grew by more than a fifth, or there is any of the others.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import IO, Any

import httpx

ROOT = Path(__file__).parent.parent
GROWTH = 1.2
REST = 5.0  # seconds after which a server that nobody asks is at rest


def asked(draw: Random) -> dict[str, Any]:
    arms = draw.randint(2, 30)
    means = [f"{draw.random():.4f}" for _ in range(arms)]
    capacities = [draw.randint(1, 4) for _ in range(arms)]
    law = draw.choice([{"law": "bernoulli"}, {"law": "gaussian", "variance": "0.5"}])
    table = {"name": "soak", "plays": draw.randint(1, arms - 1), "means": means}
    table |= {"capacities": capacities, "reward": law}
    return {"table": table, "question": {"horizon": f"1e{draw.randint(1, 12)}", "delta": "0.05"}}


def edits(client: httpx.Client, draw: Random) -> int:
    return client.post(f"/api/{draw.choice(['answer', 'curves'])}", json=asked(draw)).status_code


def looks(client: httpx.Client, draw: Random) -> int:
    paths = ("/", "/api/start", "/api/policies", "/audit/claims/thm-7.1.html")
    return client.get(draw.choice(paths)).status_code


def simulates(client: httpx.Client, draw: Random) -> int:
    runs = {"policies": ["ts-kc"], "slots": "1000", "runs": "5", "seed": str(draw.randint(0, 99))}
    return client.post("/api/simulate", json=asked(draw) | runs).status_code


def cancels(client: httpx.Client, draw: Random) -> int:
    """Leaves a long job after its first word."""
    runs = {"policies": ["ts-kc"], "slots": "1e6", "runs": "1000", "seed": "1"}
    work = draw.choice(["simulate", "verify", "report"])
    with client.stream("POST", f"/api/{work}", json=asked(draw) | runs) as response:
        next(response.iter_lines(), "")
        return response.status_code


def disconnects(client: httpx.Client, draw: Random) -> int:
    """Leaves in the middle of a question."""
    host, port = client.base_url.host, client.base_url.port or 80
    body = json.dumps(asked(draw)).encode()
    head = f"POST /api/answer HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-length: {len(body)}\r\n"
    with socket.create_connection((host, port)) as connection:
        connection.sendall(f"{head}content-type: application/json\r\n\r\n".encode() + body[:40])
    return 0


DEEDS: tuple[Callable[[httpx.Client, Random], int], ...] = (
    edits, edits, edits, looks, simulates, cancels, disconnects,
)  # fmt: skip


def client(address: str, seed: int, until: float, seen: Counter[str]) -> None:
    draw = Random(seed)
    with httpx.Client(base_url=address, timeout=None) as connection:
        while time.monotonic() < until:
            deed = draw.choice(DEEDS)
            try:
                seen[f"{deed.__name__} {deed(connection, draw)}"] += 1
            except httpx.HTTPError as error:
                seen[f"{deed.__name__} {type(error).__name__}"] += 1


def family(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").glob("*/children"))
        own = [child for thread in threads for child in thread.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [pid, *(each for child in map(int, own) for each in family(child))]


def megabytes(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        try:
            found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        except FileNotFoundError:
            continue
        total += int(found[1]) if found else 0
    return total / 1024


def at_rest(pid: int, look: Callable[[float], None]) -> float:
    """Memory once no job runs: the server and those that stay."""
    look(REST)
    while len(family(pid)) > 3:
        look(0.2)
    return megabytes(family(pid))


def soak(seconds: float, clients: int, seed: int, log: IO[str]) -> tuple[float, float, int]:
    """Memory after a first part and after all of it, and the processes that were left."""
    command = [sys.executable, "-m", "boundcheck", "serve", "--port", "0"]
    known: set[int] = set()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as run:
        assert run.stdout is not None
        address = run.stdout.readline().split()[1]
        seen: Counter[str] = Counter()

        def look(pause: float) -> None:
            known.update(family(run.pid))
            time.sleep(pause)

        def clients_for(duration: float, first: int) -> float:
            until = time.monotonic() + duration
            at_work = [
                Thread(target=client, args=(address, first + n, until, seen))
                for n in range(clients)
            ]
            for thread in at_work:
                thread.start()
            while any(thread.is_alive() for thread in at_work):
                look(0.2)
            return at_rest(run.pid, look)

        first = min(60.0, seconds / 3)
        early = clients_for(first, 1000 * seed)
        late = clients_for(seconds - first, 1000 * seed + clients)
        run.terminate()
    for deed, count in sorted(seen.items()):
        print(f"{deed}: {count}")
    left = [pid for pid in known if b"boundcheck" in _line(pid)]
    return early, late, len(left)


def _line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        early, late, left = soak(60 * options.minutes, options.clients, options.seed, log)
        log.seek(0)
        said = log.read()
    tracebacks = said.count("Traceback")
    print(
        f"memory at rest: {early:.0f} MB early, {late:.0f} MB at the end: {late / early:.2f} times"
    )
    print(f"processes left: {left}; tracebacks: {tracebacks}")
    print(said[-3000:], file=sys.stderr)
    return int(late > GROWTH * early or left > 0 or tracebacks > 0)


if __name__ == "__main__":
    sys.exit(main())
