"""Remark 8.1 and what the paper says around its figures, as statements that can fail.

- The coefficients of log T in the three bounds are compared by certified enclosures.
- The uniform width against Hoeffding's: phi(t, 1/T)^2 < rho(t, 1/T^2)^2 is
  g(t) = (1 + 1/t)(log(2 T) + log(t + 1)/2) < log(2 T^2). As g'(t) t^2 = t/2 - log(2 T) - log(t+1)/2
  increases in t, g first falls and then rises: true at both ends of a range, it is true within.
- "A has less regret than B" is read of a typical run: in more than half of the runs, paired by
  their seed, A loses less (an exact sign test, tied pairs left out). It is called consistent only
  if the reverse is refuted. A mean could be carried by rare runs, so a sure statement about means
  needs the largest possible regret, and is weak: it stands in the evidence. The policies
  have their default options, gamma = xi = 1, as in the paper's figures (not in its 5G/4G study).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from boundcheck import balls
from boundcheck import functions as fn
from boundcheck.checks import checks
from boundcheck.checks.regret import MOST_RUNS_BESIDE, played
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evaluate import BALLS, Evaluator
from boundcheck.evidence import Finding, Verdict, proportion_at_least, proportion_at_most
from boundcheck.evidence.betting import lower_limit
from boundcheck.evidence.inputs import FloatArray

if TYPE_CHECKING:
    from simulation.results import PolicyRuns

WIDTH_HORIZON = 10**6
# allocations times slots that an implicit learner may weigh for each slot of the effort's horizon:
# Thompson sampling draws a normal number for each
IMPLICIT_WORK = {"ucb-implicit": 50_000, "ts-implicit": 5_000, "se-implicit": 50_000}


ORCH = "orch-explore"
# the better one first, and the figure
ORDERINGS = (
    (ORCH, "mp-se-sa", "1a"),
    ("mp-se-sa", "etc-ucb", "1a"),
    (ORCH, "orch-explore-hfd", "1b"),
    ("mp-se-sa", "mp-se-sa-hfd", "1b"),
    ("etc-ucb", "etc-ucb-hfd", "1b"),
    ("orch-explore-kc", ORCH, "1c"),
    ("kl-ucb-kc", ORCH, "1c"),
    ("ts-kc", ORCH, "1c"),
    ("se-kc", ORCH, "1c"),
)

# the two differ only in how, or whether, they learn capacities
ABOUT_CAPACITIES = {
    (ORCH, "orch-explore-hfd"),
    ("mp-se-sa", "mp-se-sa-hfd"),
    ("etc-ucb", "etc-ucb-hfd"),
    ("orch-explore-kc", ORCH),
}


@checks("rem-8.1")
def statements(card: Claim, run: Run) -> Iterator[Finding]:
    yield _coefficients(card, run)
    yield from _widths(card)
    if run.instance.largest_regret == 0:
        yield cannot_arise(card, "figures 1a to 1d", "no action loses anything: no order to find")
        return
    for better, worse, figure in ORDERINGS:
        statement = f"figure {figure}: {better} < {worse}"
        if run.instance.plays == 1 and (better, worse) in ABOUT_CAPACITIES:
            why = "one play: the two differ in what they know of capacities, and play alike"
            yield cannot_arise(card, statement, why)
            continue
        yield _typical_run(card, run, statement, played(run, better), played(run, worse))
    yield from _implicit(card, run)


def _coefficients(card: Claim, run: Run) -> Finding:
    unmet = run.unmet(card.id)
    found = run.bounds(card.id)
    evidence = {
        bound.quantity: {"lower": bound.lower, "upper": bound.upper, "terms": dict(bound.terms)}
        for bound in found
    }
    if unmet:
        return not_applicable(card, unmet, **evidence)
    ours, *others = [arb.nan() if bound.ball is None else bound.ball for bound in found]
    values = ", ".join(f"{float(bound.value or 'nan'):.4g}" for bound in found)
    words = f"coefficients of log T of OrchExplore, MP-SE-SA and ETC-UCB: {values}"
    if all(ours < other for other in others):
        verdict = Verdict.HOLDS
    elif any(ours >= other for other in others):
        verdict = Verdict.REFUTED
    else:
        verdict, words = Verdict.INCONCLUSIVE, f"{words}; enclosures overlap: more digits"
    return Finding(card.id, card.reading, verdict, evidence, words)


# -- widths --------------------------------------------------------------------------------


def widths(t: int, horizon: int) -> tuple[arb, arb]:
    """Enclosures of phi(t, 1/T) and rho(t, 1/T^2)."""
    with balls.precision(256):
        evaluate = Evaluator(BALLS, {})
        count = BALLS.constant(Fraction(t))
        uniform = evaluate.call(fn.phi, count, BALLS.constant(Fraction(1, horizon)))
        hoeffding = evaluate.call(fn.rho, count, BALLS.constant(Fraction(1, horizon**2)))
        return uniform.item(), hoeffding.item()


def last_sharper(horizon: int) -> int:
    """The last t at which phi is certainly the smaller one, by bisection beyond t = 2."""
    low, high = 2, 2 * horizon**2
    while high - low > 1:
        middle = (low + high) // 2
        uniform, hoeffding = widths(middle, horizon)
        low, high = (middle, high) if uniform < hoeffding else (low, middle)
    return low


def _widths(card: Claim) -> Iterator[Finding]:
    first, second = widths(1, WIDTH_HORIZON), widths(2, WIDTH_HORIZON)
    last = last_sharper(WIDTH_HORIZON)
    evidence = {
        "T": WIDTH_HORIZON,
        "at_1": _both(first),
        "at_2": _both(second),
        "sharper_from_2_to": last,
        "last_is_T_squared_less": WIDTH_HORIZON**2 - last,
    }
    true_first = bool(first[0] < first[1])
    true_later = bool(second[0] < second[1]) and last >= WIDTH_HORIZON
    for reading, true in (
        ("UCI sharper than Hoeffding, for every t up to T", true_first and true_later),
        ("UCI sharper than Hoeffding, for 2 <= t <= T", true_later),
    ):
        verdict = Verdict.HOLDS if true else Verdict.REFUTED
        words = f"at T = {WIDTH_HORIZON} phi(t, 1/T) is {_than(first)} rho(t, 1/T^2) at t = 1, "
        words += f"{_than(second)} it at t = 2, and below it from there to t = {last}"
        yield Finding(card.id, reading, verdict, evidence, words)


def _than(pair: tuple[arb, arb]) -> str:
    return "below" if pair[0] < pair[1] else "above"


def _both(pair: tuple[arb, arb]) -> dict[str, Any]:
    return {"phi": balls.midpoint(pair[0], 12), "rho": balls.midpoint(pair[1], 12)}


# -- orderings -----------------------------------------------------------------------------


def _typical_run(
    card: Claim, run: Run, statement: str, better: PolicyRuns, worse: PolicyRuns
) -> Finding:
    """Does `better` lose less than `worse` in more than half of the runs?"""
    reading = f"{statement} after {better.horizon} slots"
    common = min(better.runs, worse.runs)
    difference = worse.total[:common, -1] - better.total[:common, -1]
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    level = run.level(reading) / 3  # the ordering, its reverse, the means
    context = {
        "T": better.horizon,
        "mean_of_the_better": float(better.total[:common, -1].mean()),
        "mean_of_the_worse": float(worse.total[:common, -1].mean()),
        "mean_difference": _mean_difference(run, difference, better.horizon, level),
        "ties": common - wins - losses,
    }
    verdict, words = Verdict.INCONCLUSIVE, "the two lose the same in every run: longer runs"
    evidence, detectable = context, None
    if wins + losses > 0:
        ordering = proportion_at_least(wins, wins + losses, 0.5, level)
        reverse = proportion_at_most(wins, wins + losses, 0.5, level)
        words = f"less regret in {wins} of {wins + losses} runs"
        if ordering.refuted:
            verdict = Verdict.REFUTED
        elif reverse.refuted and ordering.detectable is not None:
            verdict = Verdict.CONSISTENT
        else:
            words += ": neither order is refuted; more or longer runs"
        evidence = {**context, **ordering.evidence(), "reverse_p_value": reverse.p_value}
        detectable = ordering.detectable
    run.budget.record(reading, verdict, detectable)
    return Finding(card.id, reading, verdict, evidence, words)


def _mean_difference(
    run: Run, difference: FloatArray, horizon: int, level: float
) -> dict[str, float]:
    """Mean, its standard error, and a limit that is sure as no regret exceeds the largest."""
    largest = horizon * float(run.instance.largest_regret)
    return {
        "mean": float(difference.mean()),
        "standard_error": float(difference.std(ddof=1) / np.sqrt(difference.size)),
        "surely_above": lower_limit(difference + largest, level) - largest,
    }


def _implicit(card: Claim, run: Run) -> Iterator[Finding]:
    """Learners that try every allocation, at the horizon that can be afforded."""
    from simulation.allocations import LIMIT

    count = comb(run.instance.arms + run.instance.plays - 1, run.instance.plays)
    runs = min(run.effort.runs, MOST_RUNS_BESIDE)
    for learner, work in IMPLICIT_WORK.items():
        statement = f"figure 1d: {ORCH} < {learner}"
        horizon = min(work * run.effort.horizon // (count * runs), run.effort.horizon)
        if count > LIMIT or horizon <= run.instance.arms:
            words = f"not simulated: {count} allocations are too many to be tried one by one"
            evidence = {"allocations": count}
            yield Finding(card.id, statement, Verdict.INCONCLUSIVE, evidence, words)
            continue
        pair = [run.simulated(p, horizon=horizon, runs=runs) for p in (ORCH, learner)]
        finding = _typical_run(card, run, statement, *pair)
        if horizon <= count:
            words = f"{finding.explanation}, in which each of {count} allocations was tried once "
            finding = replace(finding, explanation=words + "at most")
        yield finding
