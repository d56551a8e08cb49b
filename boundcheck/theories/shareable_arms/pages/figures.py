"""The paper's figures, simulated again: `boundcheck figures`.

Each panel compares some policies on one instance. Its statement is decided as in the verdict table,
by how often one policy has less regret than the other in runs with the same seed. Implicit learners
evaluate every allocation in every slot, so their panels stop at a shorter horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import FLOATS, Evaluator
from boundcheck.judging.decide import BITS, decide
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.searching import search
from boundcheck.pages.chart import LEAST_SLOT, Chart, rows_of
from boundcheck.pages.colours import GREY, INK
from boundcheck.pages.drawing import band, canvas, curve, name_curves, regret_axis, save
from boundcheck.pages.palette import INTERVALS, LOWER, Style, styles
from boundcheck.pages.study import Progress
from boundcheck.pages.writing import provenance, rendered
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.pages.beyond import HORIZON as LONG
from boundcheck.theories.shareable_arms.pages.beyond import INSTANCES, beyond_bounds
from boundcheck.theories.shareable_arms.pages.paper import told
from boundcheck.theories.shareable_arms.rem_8_1.orderings import FIGURES, orderings
from boundcheck.theories.shareable_arms.rem_8_1.panels import HORIZON, PANELS, Panel
from boundcheck.theories.shareable_arms.rem_8_1.widths import SHARPER, WIDTH_HORIZON, last_sharper
from simulation.errors import InputError, shown
from simulation.files.writing import folder, write
from simulation.formatting import number
from simulation.parameters import LARGEST_HORIZON, Number, whole_number
from simulation.running.executors import Workers
from simulation.running.pools import open_pool
from simulation.running.results import Replication
from simulation.world.instance import Instance

RUNS = 200
OUTCOMES: dict[Verdict | None, str] = {
    Verdict.SUPPORTED: "reproduced",
    Verdict.HOLDS: "reproduced",
    Verdict.REFUTED: "contradicted",
    Verdict.UNDECIDED: "not decided by so few runs",
    None: "not decided",
}


@dataclass(frozen=True)
class Drawn:
    """A saved figure and its sentence."""

    name: str
    title: str
    sentence: str
    reproduced: str


def write_figures(
    output: str | Path = "figures",
    *,
    runs: int = RUNS,
    horizon: Number = HORIZON,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Simulate and draw the figures of the paper again; returns the path of the page with them.

    output          folder to write to
    runs, horizon   of each simulation
    only            names of the figures to draw (default: all)
    progress        called with a line about each figure
    seed, jobs, executor, cluster, store   as for `simulate`

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as out:
    ...     page = write_figures(out, only=["widths"])
    ...     print(sorted(path.name for path in page.parent.iterdir()))
    ['README.md', 'widths.csv', 'widths.svg']
    """
    horizon = whole_number("figures", "horizon", horizon, 2, LARGEST_HORIZON)
    wanted = _wanted(only)
    out = folder(output)
    tell = progress or (lambda _: None)
    drawn, beyonds = [], []
    with open_pool(jobs, executor, cluster) as pool:
        context = THEORY.context(EFFORTS["standard"], seed=seed, executor=pool, store=store)
        for panel in (panel for panel in PANELS if panel.name in wanted):
            tell(f"figure {panel.name}")
            found = _simulated(panel, runs, min(panel.horizon, horizon), context)
            drawn.append(_draw(panel, found, out, context))
        if "widths" in wanted:
            drawn.append(_widths(out))
        if "candidates" in wanted:
            tell("figure candidates")
            drawn.append(candidates(out, runs, horizon, context))
        for name in INSTANCES:
            if f"beyond-{name}" in wanted:
                tell(f"figure beyond-{name}")
                beyonds.append(beyond_bounds(name, out, runs, min(LONG, 10 * horizon), context))
    page = out / "README.md"
    text = rendered(
        "theories/shareable_arms/pages/figures.md.jinja",
        drawn=drawn,
        beyonds=beyonds,
        told=told(THEORY),
        rows=[[d.title, d.reproduced] for d in drawn],
        runs=runs,
        seed=seed,
        level=context.plan.total,
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


def _simulated(panel: Panel, runs: int, horizon: int, context: RunContext) -> Replication:
    """The runs of a panel, each policy with its options there."""
    instance = Instance.load(panel.instance)
    parts = tuple(
        context.simulated(instance, policy, horizon, runs, panel.options.get(policy))
        for policy in panel.policies
    )
    return Replication(instance, horizon, runs, context.seed, parts)


def _draw(panel: Panel, found: Replication, out: Path, context: RunContext) -> Drawn:
    drawn = styles(panel.policies)
    with canvas() as (figure, ax):
        ax.set(xscale="log", xlabel="slot", title=panel.title)
        for runs in found:
            style, seen = drawn[runs.policy], runs.checkpoints >= LEAST_SLOT
            if panel.throughput:
                per_slot = runs.reward / runs.checkpoints
                middle = per_slot.mean(axis=0)
                half = 1.96 * per_slot.std(axis=0, ddof=1) / np.sqrt(runs.runs)
                low = middle - half
            else:
                middle, half = runs.mean, 1.96 * np.nan_to_num(runs.standard_error)
                low = np.maximum(middle - half, 0.0)
            slots = runs.checkpoints[seen]
            curve(ax, style, slots, middle[seen], runs.policy)
            band(ax, style, slots, low[seen], (middle + half)[seen])  # 95 % band at each slot
        if panel.throughput:
            best = float(found.instance.optimal_reward)
            curve(ax, Style(INK), slots[[0, -1]], [best, best], "optimal", linewidth=1)
            ax.set_ylabel("reward per slot so far")
        else:
            ax.set_ylabel("regret so far")
            regret_axis(ax)
        name_curves(ax)
    save(figure, out / f"{panel.name}.svg")
    found.to_csv(out / f"{panel.name}.csv")
    reproduced, words = _reproduced(panel, found, context)
    return Drawn(panel.name, panel.title, words, reproduced)


def _reproduced(panel: Panel, found: Replication, context: RunContext) -> tuple[str, str]:
    """The decision about the panel's order by these runs, in words."""
    card = THEORY.cards["rem-8.1"]
    cases = orderings(panel, found.horizon, found.runs, most=found.runs)
    finding = decide(card, FIGURES[panel.figure], cases, context)
    outcome = OUTCOMES[finding.verdict]
    counts = "; ".join(
        f"{one.case.better} {one.case.behind} {one.case.worse} in {one.compared.actual}"
        for one in finding.judged
    )
    values = ", ".join(
        f"{r.policy} {number(r.throughput[-1] / r.horizon if panel.throughput else r.mean[-1])}"
        for r in found
    )
    unit = "reward per slot" if panel.throughput else "mean regret"
    words = (
        f"The paper's statement ({panel.says}) is {outcome}: {counts}. After "
        f"{found.horizon:,} slots, {unit}: {values}.{_sizes(panel, found)}"
    )
    return outcome, words


def _sizes(panel: Panel, found: Replication) -> str:
    """By how much each policy has less regret than the other of its pair."""
    if panel.throughput:
        return ""
    regret = {r.policy: float(r.mean[-1]) for r in found}
    saved = (
        f"{better} {1 - regret[better] / regret[worse]:.0%} of that of {worse}"
        for better, worse in panel.orderings
        if regret[worse] > 0
    )
    return f" Regret saved: {', '.join(saved)}.".replace("%", " %")


def _widths(out: Path) -> Drawn:
    """The uniform width phi(t, 1/T) compared with Hoeffding's rho(t, 1/T^2)."""
    horizon = WIDTH_HORIZON
    slots = np.unique(np.logspace(0, np.log10(horizon), 200).astype(np.int64))
    evaluate = Evaluator(FLOATS, {})
    counts = slots.astype(np.float64)
    uniform = evaluate.call(fn.phi, counts, np.array(1 / horizon)).ravel()
    hoeffding = evaluate.call(fn.rho, counts, np.array(1 / horizon**2)).ravel()
    ratio = uniform / hoeffding
    with canvas(2) as (figure, (above, below)):
        curve(above, INTERVALS["uniform"], slots, uniform, "phi(t, 1/T), uniform")
        curve(above, INTERVALS["hoeffding"], slots, hoeffding, "rho(t, 1/T^2), Hoeffding")
        above.set(xscale="log", yscale="log", xlabel="t", ylabel="half-width")
        above.set_title(f"T = {horizon:,}")
        name_curves(above)
        curve(below, Style(INK), slots, ratio, "phi / rho")
        below.axhline(1, color=GREY, linewidth=0.9)
        below.set(xscale="log", xlabel="t", title="phi / rho")
        name_curves(below)
    rows = rows_of(slots, uniform, hoeffding)
    Chart("widths", "", figure, ("t", "phi", "rho"), rows).save(out)
    wider = ", ".join(str(t) for t in slots[ratio >= 1].tolist())
    with balls.precision(BITS):
        last = last_sharper(horizon)
    context = THEORY.context(EFFORTS["quick"])
    outcome = OUTCOMES[
        search(THEORY.cards["rem-8.1"], SHARPER, context, SearchLimit(1, 10.0)).verdict
    ]
    told = (
        f"The paper's statement (the uniform interval is the sharper one) is {outcome} from t = 2 "
        f"to t = {last:,}, far beyond T = {horizon:,}; of the values drawn, phi is the wider one "
        f"at t = {wider or 'none'}."
    )
    return Drawn("widths", "Width of the uniform interval and of Hoeffding's", told, outcome)


def candidates(out: Path, runs: int, horizon: int, context: RunContext) -> Drawn:
    instance = Instance.load("paper")
    own = context.simulated(instance, "mp-se-sa", horizon, runs)
    size, slots = own.candidates, own.checkpoints
    mean = size.mean(axis=0)
    with canvas() as (figure, ax):
        style = styles([own.policy])[own.policy]
        curve(ax, style, slots, mean, "mean", drawstyle="steps-post")
        low, high = np.quantile(size, [0.05, 0.95], axis=0)
        band(ax, style, slots, low, high)
        for level, label in ((instance.plays, "N plays"), (instance.L, "L optimal arms")):
            curve(ax, LOWER, slots[[0, -1]], [level, level], label)
        ax.set(xscale="log", xlabel="slot", ylabel="candidate arms")
        ax.set(title="MP-SE-SA: eliminating arms", ylim=(0, instance.arms + 0.5))
        name_curves(ax)
    headings = ("slot", "mean", "quantile_5", "quantile_95")
    Chart("candidates", "", figure, headings, rows_of(slots, mean, low, high)).save(out)
    sizes = [np.flatnonzero(mean <= n + 0.5) for n in (instance.plays, instance.L)]
    reached = [f"{slots[s[0]]:,}" if s.size else f"more than {horizon:,}" for s in sizes]
    told = (
        f"From {instance.arms} arms the set falls to N = {instance.plays} after {reached[0]} slots "
        f"and to L = {instance.L} after {reached[1]} (mean over runs, at the checkpoints)."
    )
    return Drawn("candidates", "Size of MP-SE-SA's candidate set", told, "drawn")
