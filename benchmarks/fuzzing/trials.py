"""Every command on one instance, and what may be wrong with its answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from boundcheck import catalogue
from boundcheck.judging.finding import Role, Severity, Verdict
from boundcheck.judging.record import recorded
from fuzzing.active import controls
from fuzzing.workers import Limits, Outcome, Worker
from simulation.policies import WHERE
from simulation.world.instance import Instance

SCHEMA = Path(__file__).parents[2] / "docs" / "schema.json"

QUICK, SLOW = Limits(cpu=20), Limits(cpu=60)
NOTHING_GATHERED = "no evidence was gathered"
CANNOT_ARISE = "no arm to decide"  # more effort would not decide it


@dataclass(frozen=True)
class Problem:
    """What is wrong with one command on one instance."""

    command: tuple[str, ...]  # without the instance file
    what: str  # equal for equal causes
    detail: str = ""

    @property
    def cause(self) -> str:
        return f"{self.command[0]}: {self.what}"


@dataclass
class Trial:
    """What the commands used and said, and their problems."""

    problems: list[Problem] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)
    memory: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # policies that do not admit the instance, and say so


@dataclass(frozen=True)
class Step:
    """A command line (`FILE` stands for the instance), its limits, and what it must answer."""

    arguments: tuple[str, ...]
    limits: Limits
    judge: Callable[[Outcome, Path], Iterator[str]]

    @property
    def label(self) -> tuple[str, ...]:
        return tuple(part for part in self.arguments if part != "FILE")


def steps(seed: int, policies: tuple[str, ...] = tuple(WHERE)) -> Iterator[Step]:
    """All commands, those that print JSON and those that print text in turn."""
    form = ("--json",) if seed % 2 else ()
    answered = well_formed if seed % 2 else said_something
    few = ("--horizon", "300", "--runs", "2", "--jobs", "1", "--seed", str(seed))
    yield Step(("bounds", "FILE", *form), QUICK, answered)
    yield Step(("check", "FILE", *form), QUICK, answered)
    for policy in policies:
        yield Step(("simulate", "FILE", "--policy", policy, *few, *form), QUICK, answered)
    quick = ("--effort", "quick", "--jobs", "1")
    yield Step(("verify", "FILE", *quick, "--json"), SLOW, all_verdicts)
    yield Step(("report", "FILE", *quick, "-o", "report", "--format", "html"), SLOW, whole_report)


def attempt(worker: Worker, instance: Instance, todo: Iterator[Step]) -> Trial:
    """Run the steps; a report is not asked for where its verification failed."""
    trial = Trial()
    file = written(worker, instance)
    unverified = False
    for step in todo:
        command = step.arguments[0]
        if command == "report" and unverified:
            break
        outcome = run(worker, step, file)
        trial.cpu[command] = trial.cpu.get(command, 0.0) + outcome.cpu
        trial.memory = max(trial.memory, outcome.memory)
        trial.refused += refused(step, outcome)
        trial.problems += [
            Problem(step.label, what, outcome.err[-3000:])
            for what in problems(step, outcome, worker.folder)
        ]
        if command == "verify" and outcome.code == 0:
            rows = json.loads(outcome.out)["rows"]
            trial.verdicts.update(row["verdict"] for row in rows)
        elif command == "verify":
            unverified = True
    return trial


def run(worker: Worker, step: Step, file: Path) -> Outcome:
    arguments = (str(file) if part == "FILE" else part for part in step.arguments)
    return worker.run(*arguments, limits=step.limits)


def written(worker: Worker, instance: Instance) -> Path:
    file = worker.folder / "instance.toml"
    file.write_text(instance.to_toml(), encoding="utf-8")
    return file


def problems(step: Step, outcome: Outcome, folder: Path) -> list[str]:
    """What is wrong with the outcome: how it ended, else what it said."""
    if outcome.failure:
        where = _claim_at_work(outcome) if outcome.killed else ""
        return [outcome.failure + (f" at {where}" if where else "")]
    if refused(step, outcome):
        return []
    if outcome.code != 0:
        return [f"exit code {outcome.code}"]
    return list(step.judge(outcome, folder))


def refused(step: Step, outcome: Outcome) -> bool:
    """A policy may be impossible on an instance (too many allocations), in one clear line."""
    return step.arguments[0] == "simulate" and not complaints(outcome)


def complaints(outcome: Outcome) -> list[str]:
    """What is wrong with a refusal: exit code 2, one line of words on standard error, no output."""
    lines = [line for line in outcome.err.splitlines() if not line.endswith(": a warning")]
    wrong = {
        f"exit code {outcome.code}": outcome.code != 2,
        f"{len(lines)} lines of refusal": len(lines) != 1,
        "a refusal of more than 1000 characters": len(outcome.err) > 1000,
        "output beside a refusal": bool(outcome.out),
        "control characters": bool(controls(outcome.err)),
    }
    return [what for what, is_wrong in wrong.items() if is_wrong]


def _claim_at_work(outcome: Outcome) -> str:
    """The last claim that progress on standard error names."""
    words = [line.split()[-1] for line in outcome.err.splitlines() if line.strip()]
    return next((word for word in reversed(words) if word in catalogue()), "")


# -- what a command must say --------------------------------------------------------------


def said_something(outcome: Outcome, folder: Path) -> Iterator[str]:
    if not outcome.out.strip():
        yield "no output"


def well_formed(outcome: Outcome, folder: Path) -> Iterator[str]:
    """One JSON document, as the schema says, without NaN or infinities."""
    yield from flaws(outcome.out)


def flaws(text: str) -> Iterator[str]:
    try:
        document = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        yield f"not JSON: {error}"
        return
    for flaw in islice(_validator().iter_errors(document), 1):
        yield f"schema: {flaw.message[:80]} at {'.'.join(map(str, flaw.absolute_schema_path))}"


def all_verdicts(outcome: Outcome, folder: Path) -> Iterator[str]:
    yield from flaws(outcome.out)
    rows = json.loads(outcome.out)["rows"]
    yield from silent(rows)
    yield from unjust(rows)


def silent(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Claims without a verdict, and those left open that no effort would decide."""
    spoken = {row["claim"] for row in rows if row["explanation"].find(NOTHING_GATHERED) < 0}
    for claim in catalogue():
        if claim not in spoken:
            yield f"missing verdict: {claim}"
    for row in rows:
        is_open = row["verdict"] == Verdict.UNDECIDED
        if is_open and CANNOT_ARISE in row["explanation"]:
            yield f"undecided though it cannot arise: {row['claim']}"


def unjust(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Statements refuted on this instance that the audit found no instance against.

    A claim false in substance may fail anywhere; one false in scope must stand with the assumptions
    that its proof uses silently; one that was not refuted must stand as it was meant. What says
    otherwise is a discovery, or rounding taken for evidence.
    """
    record = recorded("boundcheck.theories.shareable_arms")
    for row in rows:
        known = record.get(row["claim"])
        stands = {
            Role.INTENDED: known is None or known.verdict is not Verdict.REFUTED,
            Role.CHARITABLE: known is None or known.severity is not Severity.SUBSTANCE,
        }
        if row["verdict"] == Verdict.REFUTED and stands.get(row["role"], False):
            yield f"refuted though it stands: {row['claim']} ({row['statement']})"


def whole_report(outcome: Outcome, folder: Path) -> Iterator[str]:
    """Markdown, a page, figures that are XML, and the verdicts."""
    report = folder / "report"
    yield from flaws((report / "verdicts.json").read_text(encoding="utf-8"))
    for name in ("report.md", "report.html"):
        if not (report / name).read_text(encoding="utf-8").strip():
            yield f"{name} is empty"
    for figure in sorted((report / "figures").glob("*.svg")):
        try:
            ElementTree.parse(figure)
        except ElementTree.ParseError as error:
            yield f"{figure.name} is not XML: {error}"


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text()))
