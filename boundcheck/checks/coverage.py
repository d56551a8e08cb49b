"""Coverage of the capacity interval (5.1, J.1, sharp-5.1) and of the mean below it (D.1, G.4).

For muhat > s, m lies in the interval exactly if |muhat - nuhat/m| <= s, so coverage depends on the
counts and the law, not on m. Failing at one pair of counts is computed (a normal tail, a binomial
lattice, Chernoff's bound); it is also a lower bound for failing at some time. Where that does not
refute the uniform statement, paths are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from flint import arb

from boundcheck import balls, paths
from boundcheck.certified import BITS, Chance, decided
from boundcheck.checks import checks
from boundcheck.checks.conditional import interval_given_signal
from boundcheck.checks.intervals import AHEAD, Counts, case, deltas, exposed, widths
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evidence import (
    Finding,
    MeanCheck,
    ProportionCheck,
    RareEvent,
    Verdict,
    conclude,
    coverage_failure,
    proportion_at_most,
)
from boundcheck.evidence.inputs import FloatArray
from boundcheck.lattices import Lattice, enclosing
from boundcheck.tails import Arm, Enclosure, Explored
from boundcheck.widths import Floats, along
from simulation.numbers import decimal
from simulation.rewards import Bernoulli, Gaussian

COUNTS = (1, 2, 3, 5, 8, 13, 20, 32, 50, 80, 130, 200, 500, 2_000, 10_000, 100_000)
PAIRS = {
    "lockstep": [(n, n) for n in COUNTS],
    "individual-first": [(AHEAD, n) for n in COUNTS],
    "united-first": [(n, AHEAD) for n in COUNTS],
}
_LATTICE = 400  # explorations that are summed over exactly
_WALK = 500  # times in importance sampling
_EXACT = "exact binomial lattice, enclosed normal tail or Chernoff bound at one pair of counts"


def missed(arm: Arm, counts: Counts, s: arb, *, signal: bool) -> Enclosure:
    """P(m outside the interval) at these counts; with `signal`, and muhat > s."""
    if isinstance(arm.law, Bernoulli) and sum(counts) <= _LATTICE:
        exact = balls.ball(Lattice(arm.mean, *counts, enclosing(s)).missed(signal=signal))
        return exact.lower(), exact.upper()
    return Explored(arm, *counts).missed(s, signal=signal)


def at_one_time(card: Claim, run: Run, arm: Arm, schedule: str, *, signal: bool) -> list[Chance]:
    """Failures at single pairs of counts; without `signal`, at those with s < mu (as J.1 asks)."""
    found, counts = [], PAIRS[schedule]
    with balls.precision(BITS):
        for delta in deltas(run):
            for pair, s in widths(card.formula, run, counts, delta):
                if signal or s < balls.ball(arm.mean):
                    failing = missed(arm, pair, s, signal=signal)
                    found.append(Chance(case(arm, pair), delta, failing))
    return found


# -- the interval ------------------------------------------------------------------------


@checks("lem-5.1", "sharp-5.1")
def uniform_interval(card: Claim, run: Run) -> Iterator[Finding]:
    """At one time, at all times for three ways the counts grow, and (5.1) conditionally."""
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet)
        return
    arm = exposed(run)
    single = {name: at_one_time(card, run, arm, name, signal=True) for name in PAIRS}
    yield decided(
        card.id,
        "at one fixed pair of counts, as the uniform statement implies",
        [chance for chances in single.values() for chance in chances],
        _EXACT,
        (
            "at every pair of counts computed the interval misses with probability at most delta",
            "at one pair of counts the interval already misses with probability above delta",
        ),
    )
    for schedule in paths.schedules(paths.Reach.of(arm.law)):
        yield _uniform(card, run, arm, schedule, single[schedule.name])
    if card.id == "lem-5.1":
        yield interval_given_signal(card, run)


def _uniform(
    card: Claim, run: Run, arm: Arm, schedule: paths.Schedule, single: list[Chance]
) -> Finding:
    reading = f"unconditional, at all times, {schedule.name}: {schedule.words}"
    if any(chance.refutes for chance in single):
        why = "one of these times alone has a failure probability above delta"
        return decided(card.id, reading, single, _EXACT, ("", why))
    check = f"{card.id} {schedule.name}"
    asked = deltas(run)
    spread = float(run.instance.reward.proxy_variance)
    counts: Floats = {
        "tau": schedule.individual.astype(np.float64),
        "iota": schedule.united.astype(np.float64),
        "sigma2": spread,
    }
    allowed = [along(card.formula, {**counts, "delta": float(delta)}) for delta in asked]
    rng, trials = paths.generator(run.seed, check), run.effort.trials
    hits = paths.misses(arm.law, float(arm.mean), schedule, allowed, trials, rng)
    last = {"tau": int(schedule.individual[-1]), "iota": int(schedule.united[-1])}
    context = case(arm) | {"counts_up_to": last, "looked_at": paths.LOOKS}
    return _observed(card.id, reading, run, check, hits, asked, context)


def _observed(
    claim: str,
    reading: str,
    run: Run,
    check: str,
    hits: list[int],
    asked: list[Fraction],
    context: dict[str, Any],
) -> Finding:
    """Counts of failures, one for each delta; the level is shared between them."""
    level, trials = run.level(check) / len(asked), run.effort.trials
    tested = {
        delta: proportion_at_most(count, trials, float(delta), level)
        for delta, count in zip(asked, hits, strict=True)
    }
    worst = min(tested, key=lambda delta: tested[delta].p_value)
    seen = [{"delta": float(d), "hits": c.hits, "trials": trials} for d, c in tested.items()]
    context |= {"delta": decimal(worst, 6), "at_each_delta": seen}
    return _recorded(run, check, claim, reading, tested[worst], context)


def _recorded(
    run: Run,
    check: str,
    claim: str,
    reading: str,
    tested: ProportionCheck | MeanCheck,
    context: dict[str, Any],
) -> Finding:
    told = (
        "failures are more frequent than delta allows"
        if tested.refuted
        else "failures are no more frequent than delta allows, up to the counts followed"
    )
    finding = conclude(claim, reading, tested, told, context)
    run.budget.record(check, finding.verdict, tested.detectable)
    return finding


@checks("lem-J.1")
def hoeffding_interval(card: Claim, run: Run) -> Iterator[Finding]:
    """At single pairs of counts with s < mu, balanced and not."""
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet)
        return
    arm = exposed(run)
    if arm.mean <= 0:
        yield cannot_arise(card, card.reading, "no arm whose mean can exceed a width: none earns")
        return
    explanations = (
        "at every pair of counts computed the interval misses with probability at most delta",
        "at this pair of counts the interval misses with probability above delta",
    )
    for words, names in (
        ("equal counts", ["lockstep"]),
        ("one count far ahead", ["individual-first", "united-first"]),
    ):
        chances = [c for name in names for c in at_one_time(card, run, arm, name, signal=False)]
        yield decided(card.id, f"{card.reading}; {words}", chances, _EXACT, explanations)


# -- the mean ----------------------------------------------------------------------------


@checks("lem-D.1")
def uniform_mean(card: Claim, run: Run) -> Iterator[Finding]:
    """The chance that the mean ever deviates by the width, up to a last time."""
    arm, asked, check = exposed(run), deltas(run), "lem-D.1 crossing"
    spread = float(run.instance.reward.proxy_variance)
    rng = paths.generator(run.seed, check)
    reading = f"{card.reading}, up to a last one: more time only adds crossings"
    if not isinstance(arm.law, Gaussian):
        counts = paths.looks(paths.Reach.of(arm.law).grown)
        values: Floats = {"t": counts.astype(np.float64), "sigma2": spread}
        allowed = [along(card.formula, {**values, "delta": float(delta)}) for delta in asked]
        trials = run.effort.trials
        hits = paths.crossings(arm.law, float(arm.mean), counts, allowed, trials, rng)
        context = case(arm) | {"last_time": int(counts[-1]), "looked_at": paths.LOOKS}
        yield _observed(card.id, reading, run, check, hits, asked, context)
        return
    level = run.level(check) / len(asked)
    tested = {delta: _walk(card, run, delta, rng).at_most(float(delta), level) for delta in asked}
    worst = max(tested, key=lambda delta: tested[delta].log_e_max)
    seen = [{"delta": float(delta), "estimate": c.mean} for delta, c in tested.items()]
    context = case(arm) | {"last_time": _WALK, "delta": decimal(worst, 6), "at_each_delta": seen}
    yield _recorded(run, check, card.id, reading, tested[worst], context)


def _walk(card: Claim, run: Run, delta: Fraction, rng: np.random.Generator) -> RareEvent:
    """Importance sampling of Gaussian rewards that cross the width."""
    spread = float(run.instance.reward.proxy_variance)

    def allowed(t: FloatArray) -> FloatArray:
        width = along(card.formula, {"t": t, "sigma2": spread, "delta": float(delta)})
        return np.maximum(width, 1e-9)  # a width of 0 is crossed at once

    return coverage_failure(allowed, _WALK, run.effort.trials // 10, rng, sd=sqrt(spread))


@checks("lem-G.4")
def martingale(card: Claim, run: Run) -> Iterator[Finding]:
    """Centred rewards, differences in [-mu, 1 - mu]: the running mean against its width."""
    arm, asked, check = exposed(run), deltas(run), "lem-G.4 crossing"
    if not run.instance.reward.bounded:
        law = run.instance.reward.name
        evidence = {"law": law, "needs": "differences within bounds a and b"}
        why = f"{law} rewards are not bounded"
        yield Finding(card.id, card.reading, Verdict.NOT_APPLICABLE, evidence, why)
        return
    counts = paths.looks(paths.Reach.of(arm.law).grown)
    values: Floats = {"t": counts.astype(np.float64), "b-a": 1.0, "T": float(counts[-1])}
    allowed = [along(card.formula, {**values, "delta": float(delta)}) for delta in asked]
    rng, trials = paths.generator(run.seed, check), run.effort.trials
    hits = paths.crossings(arm.law, float(arm.mean), counts, allowed, trials, rng, lambda x: x)
    context = case(arm) | {"T": int(counts[-1]), "looked_at": paths.LOOKS}
    reading = f"{card.reading}: centred rewards of one arm"
    yield _observed(card.id, reading, run, check, hits, asked, context)
