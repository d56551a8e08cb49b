"""`boundcheck simulate` and `boundcheck estimate`, with progress on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from boundcheck.calculator.results import Results
from simulation.errors import InputError, shown
from simulation.formatting import number
from simulation.numbers import exact
from simulation.parameters import Number
from simulation.policies import Policy
from simulation.running.estimates import Estimation
from simulation.running.estimation import estimate as explore
from simulation.running.replicate import Progress, replicate
from simulation.running.results import Replication
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import Bound
    from boundcheck.theory import Theory

Result = TypeVar("Result")

SECONDS_BETWEEN_LINES = 5.0


@dataclass(frozen=True)
class Answer(Generic[Result]):
    """A result, and the parameters and rows for the JSON envelope."""

    result: Result
    parameters: dict[str, Any]
    rows: list[dict[str, Any]]
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class KnownPolicy:
    """A policy by name: what it needs to know, and what bounds its regret."""

    policy: str
    title: str
    told: str  # about the instance, besides the arms and the plays
    proved: str  # claims that bound its regret, with the verdict of the last audit
    phases: str
    options: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def policies(theory: Theory) -> Results[KnownPolicy]:
    """Every policy that can be simulated by name.

    >>> from boundcheck import policies
    >>> [known.told for known in policies() if known.policy == "orch-explore"]
    ['horizon, scale']
    """
    found = (
        KnownPolicy(
            name,
            policy.title,
            policy.told or "nothing",
            _bounded_by(name, theory),
            ", ".join(policy.phases),
            ", ".join(f"{option}={value}" for option, value in policy.defaults.items()),
        )
        for name, policy in theory.known_policies.items()
    )
    return Results(found, "policies", ("policy", "title", "told", "proved"))


def _bounded_by(policy: str, theory: Theory) -> str:
    """The upper bounds on its regret, with problems found by the last audit."""
    from boundcheck.claims.card import Kind

    bounding = [
        card
        for card in theory.cards.values()
        if card.policy_name == policy and card.kind is Kind.UPPER_BOUND
    ]
    return ", ".join(
        card.id if wrong is None else f"{card.id} ({wrong})"
        for card in bounding
        for wrong in [theory.wrong_with(card)]
    )


def simulate(
    instance: Instance,
    policies: Sequence[str | Policy],
    horizon: Number,
    runs: Number,
    seed: Number = 0,
    *,
    option: Sequence[str] = (),
    leap: bool = False,
    **settings: Any,
) -> Answer[Replication]:
    """Simulate the policies; numbers may be text (1e5), options are `key=value`, other settings are
    those of `replicate`.
    """
    options = parsed_options(option)
    found = replicate(
        instance, policies, horizon, runs, seed, options=options, leap=leap, **settings
    )
    parameters = {
        "policies": [runs.policy for runs in found],
        "horizon": found.horizon,
        "runs": found.runs,
        "seed": found.seed,
        "options": options,
        "leap": leap,
    }
    return Answer(found, parameters, found.to_json_rows())


def estimate(
    instance: Instance, arm: Number, theory: Theory, **settings: Any
) -> Answer[Estimation]:
    """Explore one arm; the settings are those of `simulation.running.estimation.estimate`."""
    from boundcheck.calculator.bounds import bounds
    from boundcheck.calculator.question import Question

    found = explore(instance, arm, **settings)
    known = bounds(instance, Question(delta=exact(found.delta)), theory.sizes, theory=theory)
    own = tuple(bound for bound in known if bound.arm == found.arm)
    parameters = found.facts() | {"bounds": [bound.to_json() for bound in own]}
    return Answer(found, parameters, found.to_json_rows(), own)


def parsed_options(pairs: Sequence[str]) -> dict[str, str | int | float]:
    """Options written as `key=value`; numeric values become numbers.

    >>> parsed_options(["width=scaled", "gamma=0.5"])
    {'width': 'scaled', 'gamma': 0.5}
    """
    options: dict[str, str | int | float] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip() or not text.strip():
            raise InputError("simulate", "option", shown(pair), "key=value such as width=scaled")
        if key.strip() in options:
            raise InputError("simulate", "option", f"{shown(key)} twice", "each option once")
        options[key.strip()] = _value(text.strip())
    return options


def _value(text: str) -> str | int | float:
    try:
        value = exact(text)
    except ValueError:
        return text
    return int(value) if value.denominator == 1 else float(value)


@contextmanager
def progress_on_stderr(name: str) -> Iterator[Progress]:
    """Rate and time left: a bar on a terminal, otherwise a line every few seconds."""
    if not sys.stderr.isatty():
        yield _Lines(name)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, state="")

        def told(done: int, total: int, rate: float) -> None:
            bar.update(task, completed=done, total=total, state=state(done, total, rate))

        yield told


class _Lines:
    """Progress for a log: at most a line every few seconds."""

    def __init__(self, name: str) -> None:
        self._name, self._last = name, time.monotonic()

    def __call__(self, done: int, total: int, rate: float) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            print(f"{self._name}: {state(done, total, rate)}", file=sys.stderr, flush=True)


def state(done: int, total: int, rate: float) -> str:
    """The progress of a simulation in words.

    >>> state(25, 100, 0.5), state(0, 100, 0.0)
    ('25 %, 0.5 slots/s, 2 min 30 s left', '0 %')
    """
    share = f"{100 * done // total} %"
    if rate <= 0:
        return share
    minutes, seconds = divmod(round((total - done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    parts = (f"{hours} h" * (hours > 0), f"{minutes} min" * (minutes > 0), f"{seconds} s")
    return f"{share}, {number(rate)} slots/s, {' '.join(filter(None, parts))} left"
