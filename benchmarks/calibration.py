"""False alarms and power of the verdicts: the quick suite over many seeds.

A refutation that rests on exact or certified computation is the same for every seed. One that
shows up for some seeds only is either a false alarm or a false statement near the limit of what so
few runs can detect: the claim is checked again at standard effort, with a seed of its own, to tell
which. At an error budget of 1e-6 for each run, no false alarm is expected; the exit code is 1 if
one is left.

    python benchmarks/calibration.py [INSTANCE] [SEEDS]
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from boundcheck import verify
from simulation.world.instance import Instance


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "textbook"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    instance = Instance.load(name)
    refuted: Counter[tuple[str, str]] = Counter()
    checks, started = 0, time.perf_counter()
    for seed in range(1, seeds + 1):
        found = verify(instance, "quick", seed=seed)
        checks += len(found.budget.checks)
        refuted.update((f.claim, f.reading) for f in found.refuted)
    seconds = time.perf_counter() - started
    print(f"{name}: {seeds} repetitions, {checks} statistical checks, {seconds:.0f} s")
    alarms = 0
    for (claim, reading), count in sorted(refuted.items()):
        kind = "always"
        if count < seeds:
            false = refuted_with_more(instance, claim, reading)
            alarms += not false
            kind = "at times (false, seen with more runs)" if false else "at times: A FALSE ALARM"
        print(f"  refuted {kind}, {count}/{seeds}: {claim} [{reading}]")
    print(f"false alarms: {alarms}")
    return int(alarms > 0)


def refuted_with_more(instance: Instance, claim: str, reading: str) -> bool:
    """Is the statement refuted at standard effort too? Its reading may name the horizon."""
    found = verify(instance, "standard", claims=[claim], seed=10**6)
    statement = reading.split(" after ")[0]
    return any(f.reading.split(" after ")[0] == statement for f in found.refuted)


if __name__ == "__main__":
    sys.exit(main())
