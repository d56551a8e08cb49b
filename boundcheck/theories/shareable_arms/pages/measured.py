"""Simulation results for the three main questions, with lower and upper bounds."""

from __future__ import annotations

from math import log

from boundcheck.calculator.bounds import Bound
from boundcheck.pages.chart import Chart
from boundcheck.pages.drawing import canvas, curve, name_curves
from boundcheck.pages.palette import ALGORITHMS, LOWER, SHARPER_UPPER, UPPER, Style
from boundcheck.theories.shareable_arms.pages.advice import best_policy
from boundcheck.theories.shareable_arms.pages.study import PaperStudy
from simulation.escaping import markdown
from simulation.formatting import human, number

POLICY = "orch-explore"
UPPERS = (("sharp-7.1", SHARPER_UPPER), ("thm-7.1", UPPER))


def sentences(study: PaperStudy) -> list[str]:
    """One sentence for each of the theory's questions."""
    return [_learning(study), _avoided(study), _guaranteed(study)]


def _learning(study: PaperStudy) -> str:
    arm = max(study.studied_arms, key=lambda arm: study.estimations[arm, "uniform"].samples[-1])
    seen = study.estimations[arm, "uniform"]
    last, median = int(seen.samples[-1]), seen.stopping_time(0.5)
    stops = f"after {median:,.0f}" if median <= last else f"after more than {last:,}"
    few = study.size("sharp-4.1", arm)
    enough = study.size("sharp-5.3a", arm)
    called = markdown(study.instance.label(arm))
    return (
        f"Monte-Carlo, {seen.runs:,} runs on {called}: half of the runs know the capacity {stops} "
        f"explorations of each kind; {number(seen.failure)} of them settle on a wrong one, "
        f"delta = {seen.delta:g} is allowed. Lower bound {_said(few)}, upper bound {_said(enough)}."
    )


def _said(bound: Bound | None) -> str:
    if bound is None or bound.value is None:
        return "none"
    here = "" if bound.listed else ", does not apply here"
    return f"{human(bound.value)} (`{bound.claim}`{here})"


def _avoided(study: PaperStudy) -> str:
    least, horizon = study.least_regret, study.effort.horizon
    runs = best_policy(study)
    below = (
        "no lower bound applies"
        if least is None
        else f"C log T is {number(least)}, a limit as T grows and no bound for one horizon"
    )
    return (
        f"Monte-Carlo, {study.effort.runs} runs of {horizon:,} slots: `{runs.policy}` loses least "
        f"of those that must learn the capacities, {number(runs.mean[-1])} ± "
        f"{number(runs.standard_error[-1])}; {below}."
    )


def _guaranteed(study: PaperStudy) -> str:
    rungs = study.ladders.get("sharp-7.1") or study.ladders.get("thm-7.1") or []
    if not rungs:
        return ""
    last = rungs[-1]
    return (
        f"Monte-Carlo, {last.runs.runs} runs of {last.runs.horizon:,} slots: `{POLICY}` loses "
        f"{number(last.simulated)} ± {number(last.runs.standard_error[-1])}; the upper bound "
        f"`{last.bound.claim}` is {number(last.claimed)}, {number(last.ratio)} times as much."
    )


def between(study: PaperStudy) -> Chart:
    """Regret of OrchExplore: lower bound, Monte-Carlo, upper bounds, against the horizon."""
    rows: list[tuple[object, ...]] = []
    with canvas() as (figure, ax):
        for claim, style in UPPERS:
            if rungs := study.ladders.get(claim, []):
                horizons = [rung.runs.horizon for rung in rungs]
                name = claim if rungs[-1].bound.listed else f"{claim} (does not apply)"
                curve(ax, style, horizons, [rung.claimed for rung in rungs], name, marker="o")
                rows += [(claim, rung.runs.horizon, rung.claimed) for rung in rungs]
        seen = {r.runs.horizon: r.simulated for c, _ in UPPERS for r in study.ladders.get(c, [])}
        horizons = sorted(seen)
        style = Style(ALGORITHMS[POLICY])
        simulated = [seen[horizon] for horizon in horizons]
        curve(ax, style, horizons, simulated, f"{POLICY}, simulated", marker="o")
        rows += [(POLICY, horizon, seen[horizon]) for horizon in horizons]
        if constant := study.exact_constant:
            least = [constant * log(horizon) for horizon in horizons]
            curve(ax, LOWER, horizons, least, "lower bound, C log T")
            rows += [("sharp-4.3", horizon, x) for horizon, x in zip(horizons, least, strict=True)]
        if horizons:
            ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret")
            ax.set_title("Regret of OrchExplore between its bounds")
            name_curves(ax)
        else:
            ax.set_axis_off()
    caption = (
        "Lower bound (the least possible growth, C log T), mean regret of runs made for each "
        "horizon, and the upper bounds on it."
    )
    return Chart("between", caption, figure, ("claim_or_policy", "horizon", "regret"), rows)
