"""5.1, 5.2 and J.2 read as conditional probabilities: counter-cases that are computed exactly.

Given muhat > s, the interval misses m whenever nuhat <= 0, and nuhat is independent of muhat: the
conditional failure is at least P(nuhat <= 0), however rare the condition.

Given that the bounds meet (muhat > s, m^l = m^u), they can be m with 1 < m < N only if muhat > m s:
from (m-1)(muhat + s) < nuhat < (m+1)(muhat - s). But they are 1 wherever

    s + h <= muhat <= s + 3h/2  and  3h/2 <= nuhat < 2h,      0 < h <= 2s.                    (1)

So with few explorations the bounds meet mostly, or only, at a wrong value. At m = N they
are right only if muhat > s and nuhat > 2 (N - 1) s.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log1p, sqrt

import numpy as np
import sympy
from flint import arb
from scipy.special import log_ndtr
from scipy.stats import binom

from boundcheck import balls
from boundcheck.balls import ball
from boundcheck.certified import BITS, Chance, decided
from boundcheck.checks.intervals import Counts, case, deltas, widths
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise
from boundcheck.evidence import Finding, Verdict
from boundcheck.evidence.inputs import FloatArray
from boundcheck.lattices import Lattice, enclosing
from boundcheck.tails import Arm, Enclosure, Explored, arms
from boundcheck.widths import along
from simulation.rewards import Bernoulli, Beta, Gaussian

_ARMS = 12
_FEW = "at a few equal counts"
_FEW_COUNTS = "exact binomial lattice, or enclosed normal probabilities, at a few counts"
_SUMS_OF_BETA = "exact probabilities of sums of Beta rewards, or many simulated ones, would decide"
FEW = [(n, n) for n in (4, 6, 8, 12, 16, 24, 32, 48, 64)]
_CLEARLY = 1e-9  # by this much above delta in floats, to be certified after
_STEPS = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1))  # h as a part of s


# -- given a signal ----------------------------------------------------------------------


def interval_given_signal(card: Claim, run: Run) -> Finding:
    """Lemma 5.1 as printed, at one pair of counts."""
    reading = "as printed: a conditional probability given muhat > s, at one pair of counts"
    found = _likeliest_signal(card, run)
    if found is None:
        return _without_counter_case(card, run, reading)
    arm, counts, delta = found
    with balls.precision(BITS):
        ((_, s),) = widths(card.formula, run, [counts], delta)
        likely, failing = _given_signal(arm, counts, s)
        named = case(arm, counts) | {"probability_of_condition": balls.midpoint(likely, 6)}
        why = "given muhat > s, united explorations without any success alone exceed delta"
        method = "exact, by independence of the two kinds of explorations"
        return decided(card.id, reading, [Chance(named, delta, failing)], method, ("", why))


def _without_counter_case(card: Claim, run: Run, reading: str) -> Finding:
    """Exact or enclosed conditional probabilities at a few counts."""
    if isinstance(run.instance.reward, Beta):
        return Finding(card.id, reading, Verdict.INCONCLUSIVE, {}, _SUMS_OF_BETA)
    if all(arm.mean <= 0 for arm in arms(run.instance)):
        return cannot_arise(card, reading, "no arm earns: none gives a signal")
    chances = []
    with balls.precision(BITS):
        for delta in deltas(run):
            for counts, s in widths(card.formula, run, FEW, delta):
                for arm in arms(run.instance)[:_ARMS]:
                    likely, failing = _given_signal(arm, counts, s)
                    if likely > 0:
                        chances.append(Chance(case(arm, counts), delta, failing))
        told = "at the few counts computed m is missed no more often than delta, given muhat > s"
        refuted = "given muhat > s, m is missed more often than delta"
        return decided(card.id, f"{reading}; {_FEW}", chances, _FEW_COUNTS, (told, refuted))


def _likeliest_signal(card: Claim, run: Run) -> tuple[Arm, Counts, Fraction] | None:
    """Counts with P(nuhat <= 0) > delta and muhat > s as likely as it gets, found in floats."""
    spread = float(run.instance.reward.proxy_variance)
    tau, iota = (grid.ravel() for grid in np.meshgrid(np.arange(1.0, 65), np.arange(1.0, 65)))
    best, likeliest = None, -np.inf
    for delta in deltas(run):
        values = {"tau": tau, "iota": iota, "sigma2": spread, "delta": float(delta)}
        s = along(card.formula, values)
        for arm in arms(run.instance):
            never, signal = _log_chances(arm, tau, iota, s)
            signal[never < np.log(float(delta)) + _CLEARLY] = -np.inf
            at = int(signal.argmax())
            if signal[at] > likeliest:
                likeliest, best = signal[at], (arm, (int(tau[at]), int(iota[at])), delta)
    return best


def _log_chances(
    arm: Arm, tau: FloatArray, iota: FloatArray, s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """log P(nuhat <= 0), log P(muhat > s); a Beta reward is never 0."""
    mean = float(arm.mean)
    if isinstance(arm.law, Gaussian):
        sd = sqrt(arm.variance)
        return log_ndtr(-mean * np.sqrt(iota) / sd), log_ndtr((mean - s) * np.sqrt(tau) / sd)
    if isinstance(arm.law, Bernoulli) and mean < 1:
        return iota * log1p(-mean), binom.logsf(np.floor(tau * s), tau, mean)
    return np.full_like(iota, -np.inf), np.full_like(tau, -np.inf)


def _given_signal(arm: Arm, counts: Counts, s: arb) -> tuple[arb, Enclosure]:
    """P(muhat > s), and P(m outside | muhat > s) or, for normal laws, an enclosure of it."""
    if isinstance(arm.law, Gaussian):
        explored, mean = Explored(arm, *counts), ball(arm.mean)
        likely = explored.tail(1, 0, s - mean)
        most = (explored.missed(s, signal=True)[1] / likely).upper().min(arb(1))
        return likely, (explored.tail(0, -1, mean).lower(), most)
    lattice = Lattice(arm.mean, *counts, enclosing(s))
    signal = lattice.signal()
    failing = ball(lattice.missed(signal=True) / signal) if signal else arb(0)
    return ball(signal), (failing.lower(), failing.upper())


# -- given that the bounds meet ----------------------------------------------------------


def estimator_given_meeting(card: Claim, run: Run, formula: sympy.Expr, reading: str) -> Finding:
    """Lemma 5.2 (or J.2) as a conditional probability; `formula` is the width s."""
    if isinstance(run.instance.reward, Beta):
        return Finding(card.id, reading, Verdict.INCONCLUSIVE, {}, _SUMS_OF_BETA)
    if not (chosen := _meetable(run)):
        return cannot_arise(card, reading, "no arm that earns has a capacity from 1 to N")
    why = "when the bounds meet after so few explorations, they are mostly wrong"
    found: list[Chance] = []
    with balls.precision(BITS):
        for delta in deltas(run):
            met = list(_met(run, formula, delta, chosen))
            if refuting := [each for each in met if each[1].refutes]:
                _, worst = max(refuting, key=lambda each: float(each[0].log().mid()))
                return decided(card.id, reading, [worst], _FEW_COUNTS, ("", why))
            found += [chance for _, chance in met]
        told = "at the few counts computed, bounds that meet are wrong no more often than delta"
        return decided(card.id, f"{reading}; {_FEW}", found, _FEW_COUNTS, (told, why))


def _meetable(run: Run) -> list[Arm]:
    """Arms that can be filled; first those that can be taken for a smaller and a larger one."""
    plays = run.instance.plays
    earning = [arm for arm in arms(run.instance) if arm.mean > 0 and arm.capacity <= plays]
    return sorted(earning, key=lambda arm: not 1 < arm.capacity < plays)[:_ARMS]


def _met(
    run: Run, formula: sympy.Expr, delta: Fraction, chosen: list[Arm]
) -> Iterator[tuple[arb, Chance]]:
    """P(the bounds meet, wrongly) and the chance that they are wrong once they have met."""
    plays = run.instance.plays
    for counts, s in widths(formula, run, FEW, delta):
        for arm in chosen:
            right, wrong = _meeting(arm, counts, s, plays)
            if right + wrong > 0:
                share = wrong / (wrong + right)
                most = share.upper() if isinstance(arm.law, Bernoulli) else arb(1)
                named = case(arm, counts) | {"meet_wrongly_at_least": balls.lower(wrong, 6)}
                named["meet_rightly_at_most"] = balls.upper(right, 6)
                yield wrong, Chance(named, delta, (share.lower(), most))


def _meeting(arm: Arm, counts: Counts, s: arb, plays: int) -> tuple[arb, arb]:
    """What P(meet at m) is at most, and P(meet elsewhere) at least."""
    if isinstance(arm.law, Bernoulli):
        right, wrong = Lattice(arm.mean, *counts, enclosing(s)).meeting(arm.capacity, plays)
        return ball(right), ball(wrong)
    explored, mean, m = Explored(arm, *counts), ball(arm.mean), arm.capacity
    if m == 1:
        return arb(1), arb(0)
    if m < plays:
        right = explored.tail(1, 0, m * s - mean)
    else:  # the upper end is cut off: muhat > s and nuhat > (m - 1)(muhat + s) > 2 (m - 1) s
        right = explored.tail(1, 0, s - mean)
        right *= explored.tail(0, 1, 2 * (m - 1) * s / m - mean)
    found = [_rectangle(explored, s, ball(part) * s) for part in _STEPS]
    return right, max(found, key=lambda chance: chance.mid())


def _rectangle(explored: Explored, s: arb, h: arb) -> arb:
    """P of (1)."""
    mean, m = ball(explored.arm.mean), explored.arm.capacity
    muhat = explored.tail(1, 0, s + h - mean) - explored.tail(1, 0, s + 3 * h / 2 - mean)
    nuhat = explored.tail(0, 1, 3 * h / 2 / m - mean) - explored.tail(0, 1, 2 * h / m - mean)
    return muhat * nuhat
