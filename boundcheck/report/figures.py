"""The paper's figures, redrawn from simulation: `boundcheck figures`.

Each panel compares some policies on one instance; the statement beside it is decided as in the
verdict table, by how often the one policy loses less than the other in runs paired by their seed.
Implicit learners weigh every allocation at every slot, so their panels stop at a shorter horizon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from boundcheck import functions as fn
from boundcheck.checks.statements import WIDTH_HORIZON, last_sharper
from boundcheck.evaluate import FLOATS, Evaluator
from boundcheck.evidence import proportion_at_least, proportion_at_most
from boundcheck.report.beyond import HORIZON as LONG
from boundcheck.report.beyond import INSTANCES, beyond
from boundcheck.report.drawing import BLACK, GREY, band, canvas, curve, save, standard_band
from boundcheck.report.study import Progress
from boundcheck.report.writing import provenance, rendered
from simulation.errors import InputError, shown
from simulation.files import folder, write
from simulation.instance import Instance
from simulation.parameters import LARGEST_HORIZON, Number, whole
from simulation.replicate import replicate
from simulation.results import PolicyRuns, Replication
from simulation.tables import number, write_csv

RUNS, HORIZON, SHORT = 200, 100_000, 10_000
REPRODUCED, CONTRADICTED = "reproduced", "contradicted"
UNDECIDED = "not decided by so few runs"
LEVEL = 1e-6  # of a false statement in all panels together


@dataclass(frozen=True)
class Panel:
    """Policies on an instance, and which of them should lose less than which."""

    name: str
    title: str
    instance: str
    policies: tuple[str, ...]
    orderings: tuple[tuple[str, str], ...]
    says: str
    horizon: int = HORIZON
    throughput: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)  # for mp-se-sa alone


ORCH = "orch-explore"


def _panels(tag: str, instance: str, law: str) -> tuple[Panel, ...]:
    hoeffding = tuple(f"{name}-hfd" for name in (ORCH, "mp-se-sa", "etc-ucb"))
    known = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")
    implicit = ("ucb-implicit", "ts-implicit", "se-implicit")
    return (
        Panel(
            f"{tag}a",
            f"{law}: three algorithms",
            instance,
            (ORCH, "mp-se-sa", "etc-ucb"),
            ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb")),
            "OrchExplore loses least, ETC-UCB most",
        ),
        Panel(
            f"{tag}b",
            f"{law}: uniform interval against Hoeffding's",
            instance,
            (ORCH, hoeffding[0], "mp-se-sa", hoeffding[1]),
            ((ORCH, hoeffding[0]), ("mp-se-sa", hoeffding[1])),
            "the uniform interval loses less than Hoeffding's",
        ),
        Panel(
            f"{tag}c",
            f"{law}: the price of learning capacities",
            instance,
            (ORCH, *known),
            tuple((name, ORCH) for name in known),
            "knowing the capacities saves most of the regret",
        ),
        Panel(
            f"{tag}d",
            f"{law}: every allocation as an arm of its own",
            instance,
            (ORCH, *implicit),
            tuple((ORCH, name) for name in implicit),
            "learning capacities only implicitly loses far more",
            horizon=SHORT,
        ),
    )


STATIONS = (ORCH, "mp-se-sa", "etc-ucb")
PANELS = (
    *_panels("1", "paper", "Bernoulli"),
    *_panels("gaussian-", "paper-gaussian", "Gaussian, variance 1/2"),
    Panel(
        "5g-4g-regret",
        "5G and 4G stations: regret",
        "5g-4g",
        STATIONS,
        ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb")),
        "OrchExplore loses less than MP-SE-SA (gamma = 0.1), both far less than ETC-UCB",
        options={"gamma": 0.1},
    ),
    Panel(
        "5g-4g-throughput",
        "5G and 4G stations: throughput",
        "5g-4g",
        STATIONS,
        ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb")),
        "OrchExplore serves most, ETC-UCB least",
        throughput=True,
        options={"gamma": 0.1},
    ),
)


@dataclass(frozen=True)
class Drawn:
    """A figure on disk, and the sentence beside it."""

    name: str
    title: str
    sentence: str
    reproduced: str


def write_figures(
    output: str | Path,
    *,
    runs: int = RUNS,
    horizon: Number = HORIZON,
    seed: int = 0,
    jobs: int | None = None,
    store: str | None = None,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Draw the paper's figures and the page that shows them; the path of the page."""
    horizon = whole("figures", "horizon", horizon, 2, LARGEST_HORIZON)
    wanted = _wanted(only)
    out = folder(output)
    tell = progress or (lambda _: None)
    drawn = []
    panels = [panel for panel in PANELS if panel.name in wanted]
    for panel in panels:
        tell(f"figure {panel.name}")
        found = simulated(panel, runs, min(panel.horizon, horizon), seed, jobs, store)
        drawn.append(_draw(panel, found, out, LEVEL / len(PANELS)))
    if "widths" in wanted:
        drawn.append(widths(out))
    if "candidates" in wanted:
        tell("figure candidates")
        drawn.append(candidates(out, runs, horizon, seed, jobs, store))
    beyonds = []
    for name in INSTANCES:
        if f"beyond-{name}" in wanted:
            tell(f"figure beyond-{name}")
            longest = min(LONG, 10 * horizon)
            beyonds.append(beyond(name, out, runs, longest, seed, jobs, store))
    page = out / "README.md"
    text = rendered(
        "figures.md.jinja",
        drawn=drawn,
        beyonds=beyonds,
        rows=[[d.title, d.reproduced] for d in drawn],
        runs=runs,
        seed=seed,
        level=LEVEL,
        provenance=provenance(),
    )
    write(page, text)
    return page


def _wanted(only: Sequence[str] | None) -> Sequence[str]:
    names = [*(panel.name for panel in PANELS), "widths", "candidates"]
    names += [f"beyond-{name}" for name in INSTANCES]
    for position, name in enumerate(only or ()):
        if only and name in only[:position]:
            raise InputError("figures", "figure", f"{shown(name)} twice", "each figure once")
        if name not in names:
            raise InputError("figures", "figure", shown(name), f"one of {', '.join(names)}")
    return names if only is None else only


def simulated(
    panel: Panel, runs: int, horizon: int, seed: int, jobs: int | None, store: str | None
) -> Replication:
    """The runs of a panel; a policy of its own options is replicated apart."""
    instance = Instance.load(panel.instance)
    parts: list[PolicyRuns] = []
    for policy in panel.policies:
        options = panel.options if policy == "mp-se-sa" else None
        parts += replicate(
            instance, [policy], horizon, runs, seed, jobs=jobs, store=store, options=options
        ).policies
    return Replication(instance, horizon, runs, seed, tuple(parts))


def _draw(panel: Panel, found: Replication, out: Path, level: float) -> Drawn:
    with canvas() as (figure, ax):
        for position, runs in enumerate(found):
            slots = runs.checkpoints
            if panel.throughput:
                per_slot = runs.reward / slots
                curve(ax, position, slots, per_slot.mean(axis=0), runs.policy)
                half = 1.96 * per_slot.std(axis=0, ddof=1) / np.sqrt(runs.runs)
                middle = per_slot.mean(axis=0)
                band(ax, position, slots, middle - half, middle + half)
            else:
                curve(ax, position, slots, runs.mean, runs.policy)
                band(ax, position, slots, *standard_band(runs))
        if panel.throughput:
            best = float(found.instance.optimal_reward)
            ax.axhline(best, color=GREY, linewidth=1, label="optimal")
            ax.set_ylabel("mean reward per slot so far")
        else:
            ax.set_ylabel("cumulative regret")
            if max(r.mean[-1] for r in found) > 30 * min(r.mean[-1] for r in found):
                ax.set_yscale("log")
        ax.set(xscale="log", xlabel="slot", title=panel.title, xlim=(10, found.horizon))
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, out / f"{panel.name}.svg")
    found.to_csv(out / f"{panel.name}.csv")
    reproduced, words = _reproduced(panel, found, level)
    return Drawn(panel.name, panel.title, words, reproduced)


def _reproduced(panel: Panel, found: Replication, level: float) -> tuple[str, str]:
    """Does the statement surely hold in most runs, surely not, or are these runs too few?"""
    told, counts = [], []
    for better, worse in panel.orderings:
        less, pairs = _wins(found[better], found[worse], panel.throughput)
        told.append(_decided(less, pairs, level / (2 * len(panel.orderings))))
        counts.append(f"{better} ahead of {worse} in {less} of {pairs} runs")
    outcome = next((word for word in (CONTRADICTED, UNDECIDED) if word in told), REPRODUCED)
    values = ", ".join(
        f"{r.policy} {number(r.throughput[-1] / r.horizon if panel.throughput else r.mean[-1])}"
        for r in found
    )
    unit = "reward per slot" if panel.throughput else "mean regret"
    words = (
        f"The paper's statement ({panel.says}) is {outcome}: {'; '.join(counts)}. After "
        f"{found.horizon:,} slots, {unit}: {values}."
    )
    return outcome, words


def _decided(less: int, pairs: int, level: float) -> str:
    if pairs and proportion_at_most(less, pairs, 0.5, level).refuted:
        return REPRODUCED
    if pairs and proportion_at_least(less, pairs, 0.5, level).refuted:
        return CONTRADICTED
    return UNDECIDED


def _wins(better: PolicyRuns, worse: PolicyRuns, throughput: bool) -> tuple[int, int]:
    """In how many paired runs the one loses less (earns more), and how many do not tie."""
    first = -better.reward[:, -1] if throughput else better.total[:, -1]
    second = -worse.reward[:, -1] if throughput else worse.total[:, -1]
    return int((first < second).sum()), int((first != second).sum())


def widths(out: Path) -> Drawn:
    """The uniform width phi(t, 1/T) beside Hoeffding's rho(t, 1/T^2)."""
    horizon = WIDTH_HORIZON
    slots = np.unique(np.logspace(0, np.log10(horizon), 200).astype(np.int64))
    evaluate = Evaluator(FLOATS, {})
    counts = slots.astype(np.float64)
    uniform = evaluate.call(fn.phi, counts, np.array(1 / horizon)).ravel()
    hoeffding = evaluate.call(fn.rho, counts, np.array(1 / horizon**2)).ravel()
    ratio = uniform / hoeffding
    with canvas(2, width=7.4, height=2.8) as (figure, (left, right)):
        curve(left, 0, slots, uniform, "phi(t, 1/T), uniform")
        curve(left, 1, slots, hoeffding, "rho(t, 1/T^2), Hoeffding")
        left.set(xscale="log", yscale="log", xlabel="t", ylabel="half-width")
        left.set_title(f"T = {horizon:,}")
        left.legend()
        curve(right, 6, slots, ratio, "")
        right.axhline(1, color=GREY, linewidth=0.9)
        right.set(xscale="log", xlabel="t", title="phi / rho")
    save(figure, out / "widths.svg")
    columns = (slots, uniform, hoeffding)
    write_csv(
        out / "widths.csv", ("t", "phi", "rho"), zip(*(c.tolist() for c in columns), strict=True)
    )
    wider = ", ".join(str(t) for t in slots[ratio >= 1].tolist())
    last = last_sharper(horizon)
    outcome = REPRODUCED if last >= horizon else CONTRADICTED
    told = (
        f"The paper's statement (the uniform interval is the sharper one) is {outcome} from t = 2 "
        f"to t = {last:,}, far beyond T = {horizon:,}; of the values drawn, phi is the wider one "
        f"at t = {wider or 'none'}."
    )
    return Drawn("widths", "Width of the uniform interval and of Hoeffding's", told, outcome)


def candidates(
    out: Path, runs: int, horizon: int, seed: int, jobs: int | None, store: str | None
) -> Drawn:
    """How many arms MP-SE-SA still considers."""
    instance = Instance.load("paper")
    found = replicate(instance, ["mp-se-sa"], horizon, runs, seed, jobs=jobs, store=store)
    own = found["mp-se-sa"]
    size = own.candidates
    slots = own.checkpoints
    with canvas(height=2.6) as (figure, ax):
        curve(ax, 0, slots, size.mean(axis=0), "candidates, mean", drawstyle="steps-post")
        low, high = np.quantile(size, [0.05, 0.95], axis=0)
        band(ax, 0, slots, low, high)
        for level, label in ((instance.plays, "N"), (instance.L, "L")):
            ax.axhline(level, color=GREY, linewidth=0.9)
            ax.annotate(label, (slots[0], level), color=BLACK, va="bottom")
        ax.set(xscale="log", xlabel="slot", ylabel="arms in the candidate set")
        ax.set(title="MP-SE-SA: eliminating arms", ylim=(0, instance.arms + 0.5))
    save(figure, out / "candidates.svg")
    columns = (slots, size.mean(axis=0), low, high)
    write_csv(
        out / "candidates.csv",
        ("slot", "mean", "quantile_5", "quantile_95"),
        zip(*(c.tolist() for c in columns), strict=True),
    )
    sizes = [np.flatnonzero(size.mean(axis=0) <= n + 0.5) for n in (instance.plays, instance.L)]
    reached = [f"{slots[s[0]]:,}" if s.size else f"more than {horizon:,}" for s in sizes]
    told = (
        f"From {instance.arms} arms the set falls to N = {instance.plays} after {reached[0]} slots "
        f"and to L = {instance.L} after {reached[1]} (mean over runs, at the checkpoints)."
    )
    return Drawn("candidates", "Size of MP-SE-SA's candidate set", told, "drawn")
