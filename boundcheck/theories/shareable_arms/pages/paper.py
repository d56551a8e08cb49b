"""Additions to reports on the paper's theory: advice, estimators, phases, published and sharper
bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from importlib import resources
from math import ceil, log
from typing import Any

from boundcheck.calculator.bounds import Bound, bounds
from boundcheck.judging.default_statements.decades import by_decade
from boundcheck.judging.default_statements.regret import as_float
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.pages.chart import Chart
from boundcheck.pages.robustness import robustness, robustness_table
from boundcheck.pages.study import Rung, Study
from boundcheck.pages.summaries import looseness, regret_row, results
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.orch_explore.thm_7_1 import PHASES
from boundcheck.theories.shareable_arms.pages import advice, measured, per_decade
from boundcheck.theories.shareable_arms.pages.charts import CHARTS
from boundcheck.theories.shareable_arms.pages.explained import EXPLAINED as EXPLAINED
from boundcheck.theories.shareable_arms.pages.explained import said_first as said_first
from boundcheck.theories.shareable_arms.pages.study import (
    INTERVAL_NAMES,
    PaperStudy,
    exact_constant,
)
from boundcheck.theories.shareable_arms.pages.study import POLICIES as POLICIES
from boundcheck.theory import Theory
from simulation.escaping import markdown
from simulation.formatting import human, number
from simulation.learning.capacity import intervals_for
from simulation.running.estimates import Estimation
from simulation.running.estimation import estimate
from simulation.running.results import Replication
from simulation.world.instance import Instance

TITLE = "multiple-play bandits with shareable, finite-capacity arms"
TEMPLATES = (
    "theories/shareable_arms/pages/paper.md.jinja",
    "theories/shareable_arms/pages/paper_details.md.jinja",
)
# the module that draws the paper's figures
FIGURES = "boundcheck.theories.shareable_arms.pages.figures"
AUDIT_TEMPLATE = "theories/shareable_arms/pages/paper_audit.md.jinja"
RIVALS = ("likelihood", "orch-explore")  # ours and the paper's, compared in the audit
KNOWLEDGE = {
    "law": "the law of the rewards but for the means, with its variance or concentration",
    "horizon": "the horizon",
    "scale": "the range or the scale of the rewards",
    "capacities": "the capacities",
}
# limits on the arms and samples for which estimators are simulated
MOST_ARMS, MOST_SAMPLES = 6, 20_000
EXPLORATIONS = 1_000_000  # total steps for each arm and interval, at standard effort

SIZES = (  # claim, quantity, heading
    ("thm-4.1a", "explorations", "lower 4.1a"),
    ("sharp-4.1", "explorations above the capacity, fixed number", "lower, sharp"),
    ("sharp-5.3a", "explorations of each kind", "enough, sharp-5.3a"),
    ("thm-5.3a", "explorations of each kind", "enough, 5.3a"),
)

SHARPER = (  # published, ours, the quantity of ours
    ("thm-4.1a", "sharp-4.1", "explorations above the capacity, fixed number"),
    ("thm-4.3", "sharp-4.3", None),
    ("thm-5.3a", "sharp-5.3a", "explorations of each kind"),
    ("thm-5.3b", "sharp-5.3b", "explorations of each kind"),
    ("thm-7.1", "sharp-7.1", None),
)
LOOSER = (  # further comparisons with results of ours
    *SHARPER,
    ("cor-7.2", "sharp-4.3", None),
    ("cor-J.3", "sharp-5.3a", "explorations of each kind"),
)


def extended(found: Study, tell: Callable[[str], None], **where: Any) -> PaperStudy:
    """The study with the additions for this theory."""
    tell("estimators of the optimal arms")
    delta = found.question.delta
    estimations = _estimations(
        found.instance, found.effort, found.seed, delta, found.bounds, **where
    )
    tell("policies on other laws of the same means")
    compared = [found.theory.policy(runs.policy) for runs in found.comparison]
    others = robustness(found.instance, compared, found.effort, found.seed, **where)
    tell("regret by decade")
    context = replace(found.verification.context, **where)
    by_policy = {
        policy: by_decade(context, found.instance, policy) for policy in per_decade.POLICIES
    }
    decades = {policy: groups for policy, groups in by_policy.items() if groups is not None}
    same = {field.name: getattr(found, field.name) for field in fields(Study)}
    return PaperStudy(**same, estimations=estimations, robustness=others, decades=decades)


def drawings(found: PaperStudy) -> list[Callable[[], list[Chart]]]:
    return [*(partial(_drawn, draw, found) for draw in CHARTS), partial(per_decade.charts, found)]


def _drawn(draw: Callable[[PaperStudy], Chart], found: PaperStudy) -> list[Chart]:
    return [draw(found)]


def facts(found: PaperStudy) -> dict[str, Callable[[], Any]]:
    return {
        "summary": lambda: advice.summary(found),
        "measured": lambda: measured.sentences(found),
        "beside": lambda: ("failure", "", "between"),
        "results": lambda: results(found, _looseness(found)),
        "advice": lambda: advice.advice(found),
        "best": lambda: advice.advised(found).policy,
        "losses": lambda: advice.losses(found) if found.instance.largest_regret else [],
        "law_headings": lambda: robustness_table(found.robustness)[0],
        "law_rows": lambda: robustness_table(found.robustness)[1],
        "constant": lambda: found.exact_constant,
        "policies": lambda: _policies(found),
        "decades": lambda: per_decade.slopes_table(found),
        "phase_rows": lambda: _phases(found),
        "size_headings": lambda: _size_headings(found),
        "sizes": lambda: [_sizes(found, arm) for arm in found.studied_arms],
        "sharper": lambda: _sharper(found),
    }


def _policies(found: PaperStudy) -> list[list[str]]:
    least = found.least_regret
    return [
        [
            runs.policy,
            found.theory.policy(runs.policy).told or "nothing",
            *regret_row(runs),
            number(runs.mean[-1] / least) if least else "-",
        ]
        for runs in sorted(found.comparison, key=lambda r: r.mean[-1])
    ]


def _phases(found: PaperStudy) -> list[list[str]]:
    """The terms of Theorem 7.1, and the simulated regret of the corresponding phases."""
    return [
        [
            " + ".join(terms),
            number(claimed),
            " + ".join(phases),
            number(simulated),
            number(claimed / simulated) if simulated else "-",
        ]
        for rung in found.ladders.get("thm-7.1", [])[-1:]
        for terms, claimed, phases, simulated in by_phase(rung)
    ]


def by_phase(rung: Rung) -> Iterator[tuple[Sequence[str], float, Sequence[str], float]]:
    """Terms of a bound on OrchExplore's regret and their sum; phases and their simulated regret."""
    terms = {name: as_float(value) for name, value in rung.bound.terms}
    caused = dict(zip(rung.runs.phases, rung.runs.phase_mean[:, -1].tolist(), strict=True))
    for names, phases in PHASES.items():
        claimed = sum(terms[name] for name in names if name in terms)
        yield names, claimed, phases, sum(caused[phase] for phase in phases)


def _size_headings(found: PaperStudy) -> list[str]:
    stops = [f"stops at (median), {INTERVAL_NAMES[interval]}" for interval in found.intervals]
    return ["arm", "capacity", *(heading for _, _, heading in SIZES), *stops]


def _sizes(found: PaperStudy, arm: int) -> list[str]:
    cells = [markdown(found.instance.label(arm, "{}")), str(found.instance.capacities[arm - 1])]
    cells += [_bracketed(found.size(claim, arm, name)) for claim, name, _ in SIZES]
    for interval in found.intervals:
        estimation = found.estimations[arm, interval]
        median = estimation.stopping_time(0.5)
        last = int(estimation.samples[-1])
        cells.append(f"{median:,.0f}" if median <= last else f"> {last:,}")
    return cells


def _pairs(
    found: PaperStudy, claims: Iterable[tuple[str, str, str | None]]
) -> Iterator[tuple[Bound, Bound, float | None]]:
    """Published numbers and ours, with the larger divided by the smaller."""
    for published, sharp, name in claims:
        wanted = [None] if found.of(published)[0].arm is None else found.studied_arms
        for arm in wanted:
            first, second = found.size(published, arm), found.size(sharp, arm, name)
            if first is None or second is None or first.value is None or second.value is None:
                continue
            low, high = sorted((float(first.value), float(second.value)))
            yield first, second, high / low if low > 0 else None


def _sharper(found: PaperStudy) -> list[list[str]]:
    return [
        [
            first.quantity
            + ("" if first.arm is None else f", {markdown(found.instance.label(first.arm))}"),
            _bracketed(first),
            first.claim,
            _bracketed(second),
            second.claim,
            "-" if ratio is None else number(ratio),
            human(first.informative_from),
            human(second.informative_from),
        ]
        for first, second, ratio in _pairs(found, SHARPER)
    ]


def _looseness(found: PaperStudy) -> dict[str, str]:
    """Relative to simulated regret, or otherwise to the sharper result."""
    furthest: dict[tuple[str, str], float] = {}
    for first, second, ratio in _pairs(found, LOOSER):
        key = first.claim, second.claim
        furthest[key] = max(furthest.get(key, 1.0), ratio or 1.0)
    from_ours = {
        claim: f"a factor {number(ratio)} from {ours}" for (claim, ours), ratio in furthest.items()
    }
    return from_ours | looseness(found)


def _bracketed(bound: Bound | None) -> str:
    if bound is None or bound.value is None:
        return "-"
    return human(bound.value) if bound.applies else f"({human(bound.value)})"


def _estimations(
    instance: Instance,
    effort: Effort,
    seed: int,
    delta: Fraction,
    found: Sequence[Bound],
    **where: Any,
) -> dict[tuple[int, str], Estimation]:
    """The estimator on the optimal arms, with each interval, in lockstep."""
    typical = {
        b.arm: float(b.value)
        for b in found
        if b.claim == "sharp-5.3a" and b.quantity == "typical stopping size" and b.value is not None
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
                delta=delta,
                interval=interval,
                **where,
            )
    return out


# -- the audit -------------------------------------------------------------------------------


def beside_the_audit() -> Iterator[tuple[str, str]]:
    """Files written with the audit's page: how the pseudo-code is read."""
    text = resources.files("boundcheck").joinpath("theories/shareable_arms/pages/pseudo_code.md")
    yield "pseudo-code.md", text.read_text(encoding="utf-8")


def told(theory: Theory) -> str:
    """What the audit's two policies know about an instance, besides arms and plays."""
    each = (f"`{name}` is told {_known(theory.policy(name).told)}" for name in RIVALS)
    return ", ".join(each)


def _known(words: str) -> str:
    return " and ".join(KNOWLEDGE[word] for word in words.split(", ")) if words else "nothing"


def beyond(found: Replication) -> list[str]:
    """Our policy compared with the paper's on one instance, and with the exact constant."""
    ours, theirs = (found[policy] for policy in RIVALS)
    constant = exact_constant(bounds(found.instance, claims=["sharp-4.3"], theory=THEORY))
    least = None if not constant else constant * log(found.horizon)
    return [
        found.instance.name,
        f"{found.horizon:,}",
        number(ours.mean[-1]),
        number(ours.total[:, -1].max()),
        number(theirs.mean[-1]),
        number(theirs.total[:, -1].max()),
        f"{ours.mean[-1] / theirs.mean[-1]:.3f}" if theirs.mean[-1] else "-",
        "-" if constant is None else number(constant),
        "-" if least is None else f"{ours.mean[-1] / least:.2f}",
    ]
