"""Explorations that suffice (5.3a, 5.3b, E.6, J.3, ours): by algebra, by tails, by simulation.

Three questions about a size n: do means within their widths decide (`sizing`, certified)? Is the
failure probability at n explorations of each kind, or with one kind far ahead, at most delta
(`tails`, certified)? And how often does the estimator fail, and when does it stop, if it is run?
A condition on delta or on the horizon is taken as printed, at the widest value it admits, and then
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sympy import Rational

from boundcheck import balls, paths
from boundcheck import symbols as s
from boundcheck.assumptions import LARGE_SCALE, SUB_GAUSSIAN, VARIANCE
from boundcheck.certified import BITS, Chance, decided
from boundcheck.checks import checks
from boundcheck.checks.intervals import AHEAD, case, deltas
from boundcheck.checks.stopping import sized_case, stopping
from boundcheck.claim import Claim
from boundcheck.conditions import Condition
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evidence import Finding, Verdict, conclude, proportion_at_most
from boundcheck.functions import Defined, phi, rho
from boundcheck.question import Question
from boundcheck.sizing import MOST_DIGITS, Sized, admitted, confidence_condition, sizes
from boundcheck.tails import Arm, arms
from simulation.numbers import decimal
from simulation.rewards import Beta

_TAILS = "enclosed normal tails or Chernoff bounds at the size, and with one kind far ahead"
LARGEST_DRAWN = 10**15  # explorations whose sum is drawn; larger counts are not exact in floats
_DRAWS = 4_000_000  # Beta rewards, which are drawn one by one, in one check


@checks("thm-5.3a", "lem-E.6", "cor-J.3", "sharp-5.3a")
def learning(card: Claim, run: Run) -> Iterator[Finding]:
    """Sizes after which the capacity is known."""
    unmet = _of_the_law(card, run)
    if unmet:
        yield not_applicable(card, unmet)
        return
    # at m = N a second integer is cut off whatever the widths: no case for the algebra
    chosen = [arm for arm in _usable(run) if arm.capacity < run.instance.plays]
    if not chosen:
        yield cannot_arise(card, card.reading, "no arm that earns has a capacity below N")
        return
    yield from _readings(card, run, lambda question: [(question, chosen)])
    if card.id == "sharp-5.3a":
        yield _closed_form(card, run, chosen)
    if card.id in ("thm-5.3a", "sharp-5.3a"):
        yield from stopping(
            card, run, sizes(card.quantities[0], run.instance, run.question, chosen, phi)
        )


@checks("thm-5.3b", "sharp-5.3b")
def reaching(card: Claim, run: Run) -> Iterator[Finding]:
    """Sizes after which the lower bound reaches d, for d = 2 and for d = m."""
    unmet = _of_the_law(card, run)
    if unmet:
        yield not_applicable(card, unmet)
        return
    chosen = [arm for arm in _usable(run) if arm.capacity >= 2]
    if not chosen:
        yield cannot_arise(card, card.reading, "no arm that earns has a capacity from 2 to N")
        return
    thresholds = sorted({2} | {arm.capacity for arm in chosen})

    def questions(question: Question) -> list[tuple[Question, list[Arm]]]:
        return [
            (
                Question(delta=question.delta, horizon=question.horizon, threshold=d),
                [arm for arm in chosen if arm.capacity == d or d == 2],
            )
            for d in thresholds
        ]

    yield from _readings(card, run, questions)


def _of_the_law(card: Claim, run: Run) -> list[Condition]:
    """Stated assumptions about the rewards, the same for all arms, that fail."""
    return [c for c in run.unmet(card.id) if c.name in (VARIANCE.name, SUB_GAUSSIAN.name)]


def _usable(run: Run) -> list[Arm]:
    """Arms that earn, with a capacity that the plays can fill."""
    return [a for a in arms(run.instance) if a.mean > 0 and a.capacity <= run.instance.plays]


Questions = Callable[[Question], list[tuple[Question, list[Arm]]]]


def _readings(card: Claim, run: Run, questions: Questions) -> Iterator[Finding]:
    """As printed, at the widest confidence it admits, and (if it has a condition) without it."""
    condition = confidence_condition(card)
    if condition is None:
        words = card.reading
        confidences = [run.ask(delta=delta) for delta in deltas(run)]
    else:
        words, confidences = f"without its condition {condition.name}", [run.question]
        hardest = [
            each
            for asked, chosen in questions(run.question)
            for arm in chosen
            for hard in admitted(condition, run.instance, asked, arm)
            for each in _sized(card, run, hard, [arm])
        ]
        if not any(bound.applies for bound in run.bounds(card.id)):
            yield not_applicable(card, run.unmet(card.id), widest_admitted=_easiest(hardest))
        yield from _certified(card, f"{card.reading}; at the widest {condition.name}", hardest)
    found = [
        [each for asked, chosen in questions(q) for each in _sized(card, run, asked, chosen)]
        for q in confidences
    ]
    yield from _certified(card, words, [each for batch in found for each in batch])
    yield from _simulated(card, run, words, found[0])


def _sized(card: Claim, run: Run, question: Question, chosen: Sequence[Arm]) -> list[Sized]:
    return sizes(card.quantities[0], run.instance, question, chosen, _mean_width(card))


def _mean_width(card: Claim) -> type[Defined]:
    return rho if card.id == "cor-J.3" else phi


def _easiest(hardest: list[Sized]) -> dict[str, Any]:
    """The largest confidence that the claim admits for any arm."""
    if not hardest:
        return {}
    best = max(hardest, key=lambda each: each.delta)
    return {"arm": best.arm.number, "delta": decimal(best.delta, 3), "size": best.size}


# -- certified ---------------------------------------------------------------------------


def _certified(card: Claim, words: str, found: list[Sized]) -> Iterator[Finding]:
    if not found:
        why = f"what the condition admits has more than {MOST_DIGITS} digits: more would decide"
        yield Finding(card.id, words, Verdict.INCONCLUSIVE, {}, why)
        return
    with balls.precision(BITS):
        yield _implication(card.id, f"{words}: by algebra, means within their widths decide", found)
        yield decided(
            card.id,
            f"{words}: failure probability, also with more explorations of one kind",
            [
                Chance(sized_case(each, counts), each.delta, each.failure(*counts))
                for each in found
                for counts in _around(each.size)
            ],
            _TAILS,
            (
                "at the size asked for the estimator fails with probability at most delta",
                "with at least the explorations asked for, failure exceeds delta",
            ),
        )


def _around(size: int) -> list[tuple[int, int]]:
    return [(size, size), (size * AHEAD, size), (size, size * AHEAD)]


def _implication(claim: str, reading: str, found: list[Sized]) -> Finding:
    """Inequality (1) or (2) of `sizing` at every size."""
    compared = [(*each.sides(), each) for each in found]
    left, right, tightest = max(compared, key=lambda row: float((row[0] / row[1]).mid()))
    evidence = {
        "method": "certified comparison of both sides",
        **sized_case(tightest),
        "delta": decimal(tightest.delta, 6),
        "widths": balls.upper(left, 6),
        "must_be_below": balls.midpoint(right, 6),
        "cases": len(found),
    }
    if all(x < y for x, y, _ in compared):
        why = "whenever both means lie within their widths the bounds decide"
        return Finding(claim, reading, Verdict.HOLDS, evidence, why)
    broken = sorted({each.arm.number for x, y, each in compared if x >= y})
    evidence |= {"arms_that_fail": broken, **tightest.worst_means()}
    if not broken:
        why = "the two sides agree to all digits computed: more of them would decide"
        return Finding(claim, reading, Verdict.INCONCLUSIVE, evidence, why)
    why = "the step of the proof fails: these means, within their widths, do not decide"
    return Finding(claim, reading, Verdict.REFUTED, evidence, why)


def _closed_form(card: Claim, run: Run, chosen: list[Arm]) -> Finding:
    """The closed form is at least the smallest size, where (4m + 3)^2/mu^2 >= 49."""
    reading = "the closed form is at least the smallest size, where (4m + 3)^2/mu^2 >= 49"
    small = LARGE_SCALE.relation
    assert small is not None
    valid = [arm for arm in chosen if small.subs({s.m: arm.capacity, s.mu: Rational(arm.mean)})]
    pairs: list[tuple[Sized, Sized]] = []
    for delta in deltas(run):
        least, closed = (
            sizes(card.quantities[i], run.instance, run.ask(delta=delta), valid, phi)
            for i in (0, 1)
        )
        pairs += zip(least, closed, strict=True)
    if not pairs:
        return cannot_arise(card, reading, "no arm that earns has so small a mean")
    least_of, closed_of = min(pairs, key=lambda pair: pair[1].size / pair[0].size)
    evidence = {
        "method": "certified sizes, rounded up",
        **case(least_of.arm),
        "delta": decimal(least_of.delta, 6),
        "smallest_size": least_of.size,
        "closed_form": closed_of.size,
        "cases": len(pairs),
    }
    good = least_of.size <= closed_of.size
    why = "in every case" if good else "in this case the closed form is too small"
    return Finding(card.id, reading, Verdict.HOLDS if good else Verdict.REFUTED, evidence, why)


# -- simulated ---------------------------------------------------------------------------


def _simulated(card: Claim, run: Run, words: str, found: list[Sized]) -> Iterator[Finding]:
    """Both sums drawn at the size itself, for every arm (Beta: one); the worst is reported."""
    affordable = [
        each
        for each in found
        if each.size <= LARGEST_DRAWN and _trials(run, each) >= run.effort.trials // 20
    ]
    if isinstance(run.instance.reward, Beta):
        affordable = sorted(affordable, key=lambda each: each.size)[:1]
    if not affordable:
        return
    check = f"{card.id} at the size"
    level, rng = run.level(check) / len(affordable), paths.generator(run.seed, check)
    tested = []
    for each in affordable:
        trials = _trials(run, each)
        failures = _failures(each, run.instance.plays, trials, rng)
        tested.append((proportion_at_most(failures, trials, float(each.delta), level), each))
    worst, each = min(tested, key=lambda row: (row[0].p_value, -row[1].arm.mean))
    context = sized_case(each) | {"delta": decimal(each.delta, 6), "cases": len(tested)}
    finding = conclude(
        card.id,
        f"{words}: simulated failures at equal counts of this size",
        worst,
        "the estimator failed more often than delta allows"
        if worst.refuted
        else "the estimator failed no more often than delta allows, in every case drawn",
        context,
    )
    run.budget.record(check, finding.verdict, worst.detectable)
    yield finding


def _trials(run: Run, each: Sized) -> int:
    if isinstance(run.instance.reward, Beta):
        return min(run.effort.trials, _DRAWS // (2 * each.size))
    return run.effort.trials


def _failures(each: Sized, plays: int, trials: int, rng: np.random.Generator) -> int:
    count = np.array([each.size])
    once = paths.Schedule("once", "one pair of counts", count, count)
    with balls.precision(BITS):
        both = 2 * float(each.width(each.size))
    m, d, failures = each.arm.capacity, each.threshold, 0
    for muhat, rate in paths.rates(each.arm.law, float(each.arm.mean), once, trials, rng):
        nuhat = m * rate
        if d is not None:
            good = nuhat > (d - 1) * (muhat + both)
        else:
            good = (nuhat > (m - 1) * (muhat + both)) | (m == 1)
            good &= (nuhat <= m * (muhat + both)) & (nuhat >= m * (muhat - both))
            good &= (muhat > both) & ((nuhat < (m + 1) * (muhat - both)) | (m == plays))
        failures += int((~good).sum())
    return failures
