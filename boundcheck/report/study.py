"""Everything a report on one instance says, computed once: verdicts, bounds, simulated policies.

The horizon is that of the effort. Estimators are followed on the optimal arms until well after the
size at which they usually stop.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.calculator import Bound, CheckedAssumption, bounds, check
from boundcheck.crossvalidate import Verification, crossvalidate
from boundcheck.lab import EFFORTS, Effort, effort_named
from boundcheck.question import Question
from simulation.capacity import intervals_for
from simulation.estimation import estimate
from simulation.executors import Workers, open_pool
from simulation.instance import Instance
from simulation.replicate import replicate

if TYPE_CHECKING:
    from simulation.estimates import Estimation
    from simulation.results import Replication

Progress = Callable[[str], None]

UNKNOWN_CAPACITY = ("likelihood", "orch-explore", "mp-se-sa", "etc-ucb")
KNOWN_CAPACITY = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")
REGRET_CLAIMS = {  # upper bounds, and the policy each speaks of
    "thm-7.1": "orch-explore",
    "sharp-7.1": "orch-explore",
    "thm-G.1": "mp-se-sa",
    "thm-G.5": "se-kc",
    "thm-H.1": "etc-ucb",
}

DELTA = Fraction(1, 20)
MOST_ARMS, MOST_SAMPLES = 6, 20_000  # estimators are followed on so many arms, so far
EXPLORATIONS = 1_000_000  # steps in all for each arm and interval, at standard effort


@dataclass(frozen=True)
class Study:
    """What is known of an instance after an effort."""

    instance: Instance
    effort: Effort
    seed: int
    verification: Verification
    question: Question
    bounds: tuple[Bound, ...]
    assumptions: tuple[CheckedAssumption, ...]
    comparison: Replication
    estimations: dict[tuple[int, str], Estimation]  # by arm (from 1) and interval

    @property
    def digest(self) -> str:
        """The instance by content."""
        return hashlib.sha256(self.instance.to_toml().encode()).hexdigest()[:16]

    def of(self, claim: str, quantity: str | None = None) -> list[Bound]:
        return [b for b in self.bounds if b.claim == claim and quantity in (None, b.quantity)]

    @property
    def exact_constant(self) -> float | None:
        """What regret per log T tends to at best (sharp-4.3), where that is known."""
        return exact_constant(self.of("sharp-4.3"))

    def size(self, claim: str, arm: int | None, quantity: str | None = None) -> Bound | None:
        """The number a claim gives for one arm, its first quantity unless another is named."""
        rows = [b for b in self.of(claim, quantity) if b.arm == arm]
        return rows[0] if rows else None

    def ladder(self, claim: str) -> list[dict[str, Any]]:
        """A regret bound beside simulated regret, each horizon with runs made for it."""
        return self._told(claim, "horizons", ("bound", "simulated", "ratio"))

    def phase_rows(self, claim: str) -> list[dict[str, Any]]:
        """The terms of a regret bound beside the regret of their phases."""
        return self._told(claim, "phases", ("claimed", "simulated"))

    def _told(self, claim: str, name: str, numbers: tuple[str, ...]) -> list[dict[str, Any]]:
        """Rows of evidence; what is not finite stands there as a word, or not at all."""
        found = (f.evidence.get(name) for f in self.verification.of(claim))
        rows: list[dict[str, Any]] = next((rows for rows in found if rows), [])
        return [
            row | {n: float("nan" if row.get(n) is None else row[n]) for n in numbers}
            for row in rows
        ]

    @property
    def intervals(self) -> tuple[str, ...]:
        """The intervals whose estimators were followed."""
        return tuple(dict.fromkeys(interval for _, interval in self.estimations))

    @property
    def studied_arms(self) -> list[int]:
        """Arms whose estimators were followed, in the user's numbers."""
        return sorted({arm for arm, _ in self.estimations})


def study(
    instance: Instance,
    effort: str = "standard",
    seed: int = 0,
    *,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Study:
    """Verify the instance, then gather what the verdicts do not carry.

    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    """
    tell = progress or (lambda _: None)
    spent = effort_named(effort)
    question = Question(delta=DELTA, horizon=Fraction(spent.horizon), digits=15)
    found = bounds(instance, question)
    with open_pool(jobs, executor, cluster) as pool:
        verification = crossvalidate(
            instance, effort, seed=seed, executor=pool, store=store, progress=progress
        )
        tell(f"policies: {spent.runs} runs of {spent.horizon} slots")
        policies = (*UNKNOWN_CAPACITY, *KNOWN_CAPACITY)
        comparison = replicate(
            instance, policies, spent.horizon, spent.runs, seed, executor=pool, store=store
        )
        tell("estimators of the optimal arms")
        estimations = _estimations(instance, spent, seed, found, executor=pool, store=store)
    return Study(
        instance=instance,
        effort=spent,
        seed=seed,
        verification=verification,
        question=question,
        bounds=tuple(found),
        assumptions=tuple(check(instance, question)),
        comparison=comparison,
        estimations=estimations,
    )


def exact_constant(found: list[Bound]) -> float | None:
    """The value of sharp-4.3, if it is a number and its assumptions hold."""
    (bound,) = found
    return float(bound.value) if bound.applies and bound.value is not None else None


def _estimations(
    instance: Instance, effort: Effort, seed: int, found: list[Bound], **where: Any
) -> dict[tuple[int, str], Estimation]:
    """The estimator on the optimal arms, with each interval, in lockstep."""
    typical = {
        b.arm: float(b.value)
        for b in found
        if b.claim == "sharp-5.3a" and b.quantity == "typical stopping size" and b.value
    }
    scale = effort.trials / EFFORTS["standard"].trials
    out = {}
    for k in instance.order[: min(instance.L, MOST_ARMS)]:
        samples = ceil(min(6 * typical.get(k + 1, MOST_SAMPLES) + 20, MOST_SAMPLES))
        runs = max(200, int(scale * EXPLORATIONS / samples))
        for interval in intervals_for(instance):
            out[k + 1, interval] = estimate(
                instance,
                k + 1,
                samples=samples,
                runs=runs,
                seed=seed,
                delta=DELTA,
                interval=interval,
                **where,
            )
    return out
