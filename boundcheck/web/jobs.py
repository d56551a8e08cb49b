"""Jobs of the page: simulations, verifications with verdicts as they arrive, reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from math import log10
from typing import Any

from boundcheck.judging import verification
from boundcheck.judging.verification import Verification
from boundcheck.pages.colours import name_of
from boundcheck.pages.palette import styles
from boundcheck.pages.present import about
from boundcheck.terminal.progress import TOLD
from boundcheck.theories import shipped_cards
from boundcheck.theory import Theory
from boundcheck.web.answers import asked_of
from boundcheck.web.curves import bound_curves
from simulation.errors import InputError, shown
from simulation.parameters import LARGEST_LEAPT, whole_number

Tell = Callable[[dict[str, Any]], None]

EFFORT = "quick"
MOST_RUNS = 1_000
MOST_SLOTS = 10**10  # in all runs of all policies together, where runs do not leap
LEAPING_FROM = 10**6  # runs with more slots than this leap


def policies(request: Mapping[str, Any], theory: Theory, tell: Tell) -> list[dict[str, Any]]:
    from boundcheck.terminal.run_simulate import policies as known

    leaping = {name for name, policy in theory.known_policies.items() if policy.leaps}
    return [each.to_json() | {"leaps": each.policy in leaping} for each in known(theory)]


def simulate(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """Simulated regret of the chosen policies, and the bounds for the same slots."""
    from boundcheck.terminal.run_simulate import simulate as compute
    from boundcheck.terminal.run_simulate import state

    instance, question = asked_of(request)
    named = request.get("policies")
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise InputError("simulate", "policy", shown(named), "names of policies")
    slots = whole_number("simulate", "slots", request.get("slots"), 10, LARGEST_LEAPT)
    runs = whole_number("simulate", "runs", request.get("runs"), 1, MOST_RUNS)
    leap = slots > LEAPING_FROM
    total = slots * runs * len(named)
    if not leap and total > MOST_SLOTS:
        expected = f"at most {MOST_SLOTS:,} on this page"
        raise InputError("simulate", "runs", f"{total:,} slots in all", expected)

    def progress(done: int, total: int, rate: float) -> None:
        tell({"share": done / total, "told": state(done, total, rate)})

    chosen, seed = [theory.policy(name) for name in named], request.get("seed", 0)
    found = compute(instance, chosen, slots, runs, seed, leap=leap, progress=progress)
    shown_of = ("policy", "checkpoints", "mean", "standard_error", "quantiles", "runs", "tv_error")
    drawn = styles(named)
    return {
        "runs": [
            {name: row[name] for name in shown_of}
            | {"optimal": row["optimal_share"][-1], "hue": name_of(drawn[row["policy"]].colour)}
            | {"dashed": drawn[row["policy"]].dash != "-"}
            for row in found.rows
        ],
        "about": about(instance),
        "slots": f"{slots:,}",
        "leap": leap,
        "regret": bound_curves(instance, question, theory, until=log10(slots)),
    }


def verify(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """Verify at quick effort; each verdict is sent as soon as it is known."""
    done = count(1)

    def arrived(found: Verification) -> None:
        tell({"share": next(done) / len(theory.cards), "verdicts": _verdicts(found)})

    instance, question = asked_of(request)
    found = verification.verify(instance, EFFORT, question=question, arrived=arrived, theory=theory)
    return {"statements": len(found.findings), "refuted": len(found.refuted)}


def _verdicts(found: Verification) -> list[dict[str, Any]]:
    return [
        {
            "claim": outcome.card.id,
            "applies": outcome.here.applies,
            "informative": outcome.here.informative,
            "verdict": outcome.here.verdict and str(outcome.here.verdict),
            "answer": outcome.here.answer,
            "note": outcome.note,
            "severity": outcome.severity and str(outcome.severity),
            "found": [[f.answer, f.reading, found.told(f)] for f in found.of(outcome.card.id)],
        }
        for outcome in found.outcomes
    ]


def decide(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """The result of `boundcheck try` at quick effort, and the worst instance as a file."""
    from boundcheck.trying.screen import said
    from boundcheck.trying.trial import try_bound

    line = request.get("line")
    if not isinstance(line, str):
        raise InputError("try", "line", shown(line), "a bound as text")
    trial = try_bound(
        *(line, EFFORT),
        progress=lambda what: tell({"told": what}),
        theory=theory,
        published=shipped_cards,
    )
    verdict = trial.finding.verdict
    return {
        "verdict": None if verdict is None else str(verdict),
        "lines": said(trial),
        "worst": None if trial.worst is None else trial.worst.to_toml(),
    }


def report(request: Mapping[str, Any], theory: Theory, tell: Tell) -> dict[str, Any]:
    """The report as HTML; its files are written to a folder that the server removes."""
    from boundcheck.pages.instance import write_report

    told = count(1)

    def progress(what: str) -> None:
        tell({"share": min(next(told) / TOLD["report"], 0.99), "told": what})

    (instance, question), folder = asked_of(request), request["folder"]
    path = write_report(
        instance, folder, EFFORT, question=question, form="html", progress=progress, theory=theory
    )
    return {"name": f"{path.stem}.html", "html": path.read_text(encoding="utf-8")}
