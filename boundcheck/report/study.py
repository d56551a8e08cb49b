"""Everything a report on one instance says, computed once: verdicts, bounds, simulated policies.

The horizon is that of the effort. Estimators are followed on the optimal arms until well after the
size at which they usually stop.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isfinite, nan
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.calculator import Bound, CheckedAssumption, bounds, check
from boundcheck.claim import Kind
from boundcheck.crossvalidate import Verification, crossvalidate
from boundcheck.kinds import as_float, bound, simulated
from boundcheck.lab import EFFORTS, Effort, Lab, effort_named
from boundcheck.question import Question
from boundcheck.shareable_arms import THEORY
from boundcheck.shareable_arms.orch_explore.thm_7_1 import PHASES
from simulation.capacity import intervals_for
from simulation.estimation import estimate
from simulation.executors import Workers, open_pool
from simulation.instance import Instance
from simulation.results import Replication

if TYPE_CHECKING:
    from simulation.estimates import Estimation
    from simulation.results import PolicyRuns

Progress = Callable[[str], None]

UNKNOWN_CAPACITY = ("likelihood", "orch-explore", "mp-se-sa", "etc-ucb")
KNOWN_CAPACITY = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")

DELTA = Fraction(1, 20)
MOST_ARMS, MOST_SAMPLES = 6, 20_000  # estimators are followed on so many arms, so far
EXPLORATIONS = 1_000_000  # steps in all for each arm and interval, at standard effort


@dataclass(frozen=True)
class Rung:
    """A regret bound at one horizon, and runs of its policy made for that horizon."""

    bound: Bound
    runs: PolicyRuns

    @property
    def claimed(self) -> float:
        return as_float(self.bound.upper)

    @property
    def simulated(self) -> float:
        return float(self.runs.mean[-1])

    @property
    def ratio(self) -> float:
        """How loose the bound is."""
        return self.claimed / self.simulated if self.simulated > 0 else nan


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
    ladders: dict[str, list[Rung]]  # by claim: upper bounds on the regret of a policy
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

    def phase_rows(self, claim: str) -> list[dict[str, Any]]:
        """The terms of a bound on OrchExplore's regret beside the regret of their phases."""
        return [row for rung in self.ladders.get(claim, [])[-1:] for row in _by_phase(rung)]

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
    claims: Iterable[str] | None = None,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Study:
    """Verify the instance, then gather what the verdicts do not carry.

    claims   which to verify; all unless given
    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    """
    tell = progress or (lambda _: None)
    spent = effort_named(effort)
    question = Question(delta=DELTA, horizon=Fraction(spent.horizon), digits=15)
    found = bounds(instance, question)
    with open_pool(jobs, executor, cluster) as pool:
        verification = crossvalidate(
            instance,
            effort,
            claims=claims,
            seed=seed,
            executor=pool,
            store=store,
            progress=progress,
        )
        tell(f"policies: {spent.runs} runs of {spent.horizon} slots")
        policies = (*UNKNOWN_CAPACITY, *KNOWN_CAPACITY)
        lab = replace(verification.lab, executor=pool, store=store)
        compared = [lab.simulated(instance, p, spent.horizon, spent.runs) for p in policies]
        ladders = _ladders(instance, question, lab)
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
        comparison=Replication(instance, spent.horizon, spent.runs, seed, tuple(compared)),
        ladders=ladders,
        estimations=estimations,
    )


def _ladders(instance: Instance, question: Question, lab: Lab) -> dict[str, list[Rung]]:
    """Every upper bound that names a policy, where it is a number: assumptions may fail there."""
    found = {}
    for card in THEORY.cards.values():
        if card.policy is not None and card.kind is Kind.UPPER_BOUND:
            cases = THEORY.statements(card.id)[0].cases(card, instance, question, lab)
            found[card.id] = [
                Rung(bound(card, case), runs)
                for case in cases
                if isfinite(as_float(bound(card, case).value))
                and (runs := simulated(card, case, lab)) is not None
            ]
    return {claim: rungs for claim, rungs in found.items() if rungs}


def _by_phase(rung: Rung) -> Iterator[dict[str, Any]]:
    terms = {name: as_float(value) for name, value in rung.bound.terms}
    caused = dict(zip(rung.runs.phases, rung.runs.phase_mean[:, -1].tolist(), strict=True))
    for names, phases in PHASES.items():
        yield {
            "terms": names,
            "claimed": sum(terms[name] for name in names if name in terms),
            "phases": phases,
            "simulated": sum(caused[phase] for phase in phases),
        }


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
