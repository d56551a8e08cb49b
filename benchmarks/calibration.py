"""False alarms and power of the verdicts: the quick suite over many seeds.

A refutation that rests on exact or certified computation is the same for every seed; one that
shows up for some seeds only would be a false alarm (or a discrepancy near the limit of what is
detectable). At an error budget of 1e-6 for each run, not one is expected.

    python benchmarks/calibration.py [INSTANCE] [SEEDS]
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from boundcheck.crossvalidate import crossvalidate
from simulation.instance import Instance


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "textbook"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    instance = Instance.load(name)
    refuted: Counter[tuple[str, str]] = Counter()
    checks, started = 0, time.perf_counter()
    for seed in range(1, seeds + 1):
        found = crossvalidate(instance, "quick", seed=seed)
        checks += len(found.budget.entries)
        refuted.update((f.claim, f.reading) for f in found.refuted)
    seconds = time.perf_counter() - started
    print(f"{name}: {seeds} repetitions, {checks} statistical checks, {seconds:.0f} s")
    for (claim, reading), count in sorted(refuted.items()):
        kind = "always" if count == seeds else "SOMETIMES"
        print(f"  refuted {kind} ({count}/{seeds}): {claim} [{reading}]")


if __name__ == "__main__":
    main()
