"""How much evidence a verification may gather: the three sizes of `--effort`."""

from __future__ import annotations

from dataclasses import dataclass

from simulation.errors import InputError, shown

FURTHER, FURTHER_RUNS = 10, 20


@dataclass(frozen=True)
class Effort:
    """How much to spend: trials of an event, runs of a policy and their horizon, and the slots that
    deciding one bound at one horizon may take (counted, so the same on every machine).
    """

    name: str
    trials: int
    runs: int
    horizon: int
    slots: int = 0

    def __post_init__(self) -> None:
        if not self.slots:
            object.__setattr__(self, "slots", 10 * self.runs * self.horizon)

    @property
    def further_runs(self) -> int:
        """The number of runs at `FURTHER` times the horizon."""
        return max(self.runs // FURTHER, min(self.runs, FURTHER_RUNS))


EFFORTS = {
    effort.name: effort
    for effort in (
        Effort("quick", trials=20_000, runs=40, horizon=10_000, slots=10**7),
        Effort("standard", trials=100_000, runs=200, horizon=100_000, slots=2 * 10**8),
        Effort("thorough", trials=1_000_000, runs=400, horizon=10**6, slots=4 * 10**9),
    )
}


def effort_named(name: str) -> Effort:
    if name not in EFFORTS:
        raise InputError("--effort", "effort", shown(name), f"one of {', '.join(EFFORTS)}")
    return EFFORTS[name]
