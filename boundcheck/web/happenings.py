"""What happens, for the page: runs of policies, verdicts as they arrive, a report to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log10
from pathlib import Path
from typing import Any

from boundcheck.cli.progress import TOLD
from boundcheck.cli.screens import standings
from boundcheck.crossvalidate import Verification, crossvalidate
from boundcheck.present import about
from boundcheck.theory import Theory
from boundcheck.web.answers import instance_of, question_of
from boundcheck.web.curves import regret_curves
from simulation.errors import InputError, shown
from simulation.parameters import LARGEST_LEAPT, whole

Tell = Callable[[dict[str, Any]], None]

EFFORT = "quick"
MOST_RUNS = 1_000
MOST_SLOTS = 10**10  # in all runs of all policies, one by one
LEAPING_FROM = 10**6  # a run longer than this is drawn in leaps


def policies(request: Mapping[str, Any], theory: Theory, tell: Tell) -> list[dict[str, Any]]:
    from boundcheck.commands.simulate import policies as known

    leaping = {name for name, policy in theory.known_policies.items() if policy.leaps}
    return [each.to_json() | {"leaps": each.policy in leaping} for each in known(theory)]


def simulate(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """Regret of the chosen policies, beside the bounds on the same slots."""
    from boundcheck.commands.simulate import simulate as compute
    from boundcheck.commands.simulate import state

    instance, question = instance_of(request.get("table")), question_of(request.get("question"))
    named = request.get("policies")
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise InputError("simulate", "policy", shown(named), "names of policies")
    slots = whole("simulate", "slots", request.get("slots"), 10, LARGEST_LEAPT)
    runs = whole("simulate", "runs", request.get("runs"), 1, MOST_RUNS)
    leap = slots > LEAPING_FROM
    if not leap and slots * runs * len(named) > MOST_SLOTS:
        raise InputError(
            "simulate",
            "runs",
            f"{slots * runs * len(named):,} slots in all",
            f"at most {MOST_SLOTS:,} on this page",
        )

    def progress(done: int, total: int, rate: float) -> None:
        tell({"share": done / total, "told": state(done, total, rate)})

    found = compute(
        instance,
        [theory.policy(name) for name in named],
        slots,
        runs,
        request.get("seed", 0),
        leap=leap,
        progress=progress,
    )
    return {
        "runs": [_run(row) for row in found.rows],
        "about": about(instance),
        "slots": f"{slots:,}",
        "leap": leap,
        "regret": regret_curves(instance, question, theory, until=log10(slots)),
    }


def _run(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("policy", "checkpoints", "mean", "standard_error", "quantiles", "runs", "tv_error")
    return {name: row[name] for name in names} | {"optimal": row["optimal_share"][-1]}


def verify(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """The quick verification; each claim is told as soon as it is decided."""
    instance = instance_of(request.get("table"))
    done = 0

    def arrived(found: Verification) -> None:
        nonlocal done
        done += 1
        tell({"share": done / len(theory.cards), "verdicts": _verdicts(found)})

    found = crossvalidate(instance, EFFORT, arrived=arrived, theory=theory)
    return {"statements": len(found.findings), "refuted": len(found.refuted)}


def _verdicts(found: Verification) -> list[dict[str, Any]]:
    return [
        {
            "claim": claim,
            "verdict": str(verdict),
            "severity": None if severity is None else str(severity),
            "found": [[str(f.verdict), f.reading, f.explanation] for f in found.of(claim)],
        }
        for claim, verdict, severity, _ in standings(found)
    ]


def report(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """The HTML report; its files are made in a folder that the server removes."""
    from boundcheck.pages.instance import write_report

    instance = instance_of(request.get("table"))
    told = 0

    def progress(what: str) -> None:
        nonlocal told
        told += 1
        tell({"share": min(told / TOLD["report"], 0.99), "told": what})

    path: Path = write_report(
        instance, request["folder"], EFFORT, form="html", progress=progress, theory=theory
    )
    return {"name": f"{path.stem}.html", "html": path.read_text(encoding="utf-8")}
