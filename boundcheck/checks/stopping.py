"""The estimator run step by step, in lockstep: where it stops, and how often wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boundcheck.checks.intervals import Counts, case
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run
from boundcheck.evidence import Finding, conclude, proportion_at_most
from boundcheck.sizing import Sized

if TYPE_CHECKING:
    from simulation.estimates import Estimation

LARGEST = 20_000  # explorations of each kind that are followed


def sized_case(each: Sized, counts: Counts | None = None) -> dict[str, Any]:
    """What a reader needs to check a size by hand."""
    reached = {} if each.threshold is None else {"threshold": each.threshold}
    return case(each.arm, counts) | reached | {"size": each.size}


def followed(run: Run, each: Sized) -> Estimation:
    """The published uniform interval, looked at after every step up to the size."""
    from simulation.estimation import estimate

    return estimate(
        run.instance,
        each.arm.number,
        samples=each.size,
        runs=run.effort.trials // 10,
        seed=run.seed,
        delta=float(each.delta),
        executor=run.executor,
        store=run.store,
    )


def stopping(card: Claim, run: Run, found: Sequence[Sized]) -> Iterator[Finding]:
    """On the arm that needs least: failures by the size, stopping sizes, the lower bound."""
    each = min(found, key=lambda each: each.size)
    if each.size > LARGEST:
        return
    estimation, check = followed(run, each), f"{card.id} step by step"
    failures = round((1 - float(estimation.right[-1])) * estimation.runs)
    tested = proportion_at_most(failures, estimation.runs, float(each.delta), run.level(check))
    half = estimation.stopping_time(0.5)
    context = sized_case(each) | {
        "stopping_size": {str(q): estimation.stopping_time(q) for q in (0.05, 0.5, 0.95)},
        "size_per_median": each.size / half,
        **_against_lower_bound(run, each, half),
    }
    finding = conclude(
        card.id,
        "the estimator run step by step in lockstep: not stopped at m by this size",
        tested,
        "beside the size it is said to need, the sizes at which it stopped",
        context,
    )
    run.budget.record(check, finding.verdict, tested.detectable)
    yield finding


def wrong_at_some_time(card: Claim, run: Run, reading: str, each: Sized) -> Iterator[Finding]:
    """Runs whose bounds met at a wrong value, up to a size at which almost all have met."""
    if each.size > LARGEST:
        return
    estimation, check = followed(run, each), f"{card.id} wrong at some time"
    wrong = round(estimation.failure * estimation.runs)
    tested = proportion_at_most(wrong, estimation.runs, float(each.delta), run.level(check))
    frequent = "more often" if tested.refuted else "no more often"
    told = f"the bounds met at a wrong value {frequent} than delta allows"
    finding = conclude(card.id, reading, tested, told, sized_case(each))
    run.budget.record(check, finding.verdict, tested.detectable)
    yield finding


def _against_lower_bound(run: Run, each: Sized, median: float) -> dict[str, Any]:
    """Expected explorations that any estimator needs (sharp-4.1), where that bound applies."""
    for bound in run.bounds("sharp-4.1"):
        if bound.arm == each.arm.number and bound.applies and "expected" in bound.quantity:
            needed = float(bound.value or "nan")
            return {"lower_bound": needed, "median_per_lower_bound": median / needed}
    return {}
