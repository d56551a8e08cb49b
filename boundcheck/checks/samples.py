"""Lower bounds on explorations (4.1, 4.2 and ours) against the exact two-point minimax error.

Telling capacity a from b > a after n plays at load b or more has an exact minimax error e*(n)
(`two_point`), so "fewer explorations than B mean an error of at least delta" is decided without
sampling: it is true if e* at the largest admissible n is at least delta. Real estimators are
simulated beside it; none can have both errors below e*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb

from boundcheck import balls
from boundcheck.calculator import Bound
from boundcheck.checks import checks
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evaluate import BALLS
from boundcheck.evidence import (
    Finding,
    ProportionCheck,
    Verdict,
    conclude,
    proportion_at_least,
    proportion_at_most,
)
from boundcheck.functions import KL
from boundcheck.question import Question
from boundcheck.two_point import enclosed_error

# confidences at which a bound on explorations is tried; small ones make it larger than 1
DELTAS = tuple(Fraction(1, 10**k) for k in (1, 2, 4, 8, 16))
_DIGITS = 15
_MOST_EXPLORATIONS = 10**5  # that an exact error is computed for
_ENOUGH_ERRORS = 100  # expected among the trials, else there is nothing to count
_RAREST = 1e-6  # errors that some effort can count


@dataclass(frozen=True)
class Tried:
    """One arm, one confidence: the claimed number of explorations and the exact error there."""

    arm: int
    delta: Fraction
    claimed: str
    explorations: int
    pair: tuple[int, int]
    error: arb

    @property
    def true(self) -> bool:
        return bool(self.error >= balls.ball(self.delta))

    @property
    def false(self) -> bool:
        return bool(self.error < balls.ball(self.delta))

    def to_json(self) -> dict[str, Any]:
        return {
            "arm": self.arm,
            "delta": balls.midpoint(balls.ball(self.delta), 6),
            "claimed": self.claimed,
            "explorations": self.explorations,
            "capacities": list(self.pair),
            "error_lower": balls.lower(self.error, _DIGITS),
            "error_upper": balls.upper(self.error, _DIGITS),
        }


def minimax_error(run: Run, arm: int, pair: tuple[int, int], explorations: int) -> arb:
    """e*: at least half without any exploration, else the certified two-point error."""
    if explorations == 0:
        return arb(1) / 2
    mean, variance = run.instance.means[arm - 1], run.instance.reward.proxy_variance
    with balls.precision(200):
        theta2 = balls.ball(mean**2 / variance)
        return enclosed_error(arb(pair[0]), arb(pair[1]), theta2, arb(explorations))


def _tries(
    run: Run, claim: str, pairs: Pairs, quantity: str | None = None, threshold: int | None = None
) -> list[Tried]:
    """The claim on every arm it applies to, at every confidence, with its strongest pair."""
    tried = []
    for delta in DELTAS:
        question = Question(delta=delta, threshold=threshold, digits=_DIGITS)
        for bound in run.bounds(claim, question):
            if not bound.applies or (quantity is not None and bound.quantity != quantity):
                continue
            assert bound.arm is not None
            candidates = pairs(run.instance.capacities[bound.arm - 1])
            if candidates and (n := _whole_part(bound)) is not None:
                tried.append(_strongest(run, bound, delta, n, candidates))
    return tried


def _whole_part(bound: Bound) -> int | None:
    """The largest number of explorations the bound speaks of; None if it has no size."""
    if bound.ball is None or not bound.ball.is_finite() or bound.ball > _MOST_EXPLORATIONS:
        return None
    return max(int(bound.ball.lower().floor().unique_fmpz()), 0)


def _strongest(
    run: Run, bound: Bound, delta: Fraction, n: int, pairs: Sequence[tuple[int, int]]
) -> Tried:
    assert bound.arm is not None
    errors = {pair: minimax_error(run, bound.arm, pair, n) for pair in pairs}
    pair = max(errors, key=lambda p: float(errors[p].mid()))
    return Tried(bound.arm, delta, str(bound.value), n, pair, errors[pair])


def _decision(card: Claim, reading: str, tried: list[Tried]) -> Finding:
    """`refuted` by one certified failure, `holds` if all are certified, `vacuous` if all are 0."""
    evidence: dict[str, Any] = {"method": "certified two-point minimax error"}
    failing = [t for t in tried if t.false]
    if failing:
        worst = min(failing, key=lambda t: float(t.error / balls.ball(t.delta)))
        evidence |= {"tried": len(tried), "counterexample": worst.to_json()}
        told = (
            f"arm {worst.arm}: {worst.explorations} explorations reach an error of "
            f"{float(worst.error):.3g} on {worst.pair}, below delta = {float(worst.delta):.3g}"
        )
        return Finding(card.id, reading, Verdict.REFUTED, evidence, told)
    evidence |= {"tried": len(tried), "cases": [t.to_json() for t in tried[:12]]}
    if all(t.explorations == 0 for t in tried):
        told = "the bound is below one exploration everywhere, where an error of 1/2 is certain"
        return Finding(card.id, reading, Verdict.VACUOUS, evidence, told)
    if all(t.true for t in tried):
        informative = [t for t in tried if t.explorations > 0]
        ratio = max(float(t.error / balls.ball(t.delta)) for t in informative)
        told = (
            f"in all {len(tried)} cases the best test errs by at least delta "
            f"(up to {ratio:.3g} times delta: that loose)"
        )
        return Finding(card.id, reading, Verdict.HOLDS, evidence, told)
    told = "an error is too close to delta to decide: more digits"
    return Finding(card.id, reading, Verdict.INCONCLUSIVE, evidence, told)


Pairs = Callable[[int], list[tuple[int, int]]]  # capacities that may be taken for a given one


def _neighbours(plays: int) -> Pairs:
    def pairs(m: int) -> list[tuple[int, int]]:
        below = [(m - 1, m)] if 2 <= m <= plays else []
        return below + ([(m, m + 1)] if m < plays else [])

    return pairs


def _above(plays: int) -> Pairs:
    return lambda m: [(m, m + 1)] if m < plays else []


def _untried(card: Claim, run: Run, pairs: Pairs) -> Finding:
    """Why there was no case: an assumption, no other capacity, or too large a size."""
    unmet, capacities = run.unmet(card.id), run.instance.capacities
    if not any(pairs(m) for m in capacities):
        why = "no arm whose capacity could be taken for another one from 1 to N"
        return cannot_arise(card, card.reading, why, unmet=[c.name for c in unmet])
    sized = [b for b in run.bounds(card.id) if b.applies and pairs(capacities[(b.arm or 1) - 1])]
    if not sized:
        return not_applicable(card, unmet)
    why = f"the exact error is computed for up to {_MOST_EXPLORATIONS} explorations, not for more"
    evidence = {"claimed": [b.value for b in sized]}
    return Finding(card.id, card.reading, Verdict.INCONCLUSIVE, evidence, why)


@checks("thm-4.1a")
def explorations_to_learn(card: Claim, run: Run) -> Iterator[Finding]:
    pairs = _neighbours(run.instance.plays)
    tried = _tries(run, card.id, pairs)
    if not tried:
        yield _untried(card, run, pairs)
        return
    yield _decision(card, card.reading, tried)
    yield _literal(card)
    yield from _estimators(card, run, sorted({t.arm for t in tried}))


def _literal(card: Claim) -> Finding:
    """The displayed statement speaks of one capacity: a constant estimator is never wrong on it."""
    return Finding(
        card.id,
        "as displayed: P(estimate != m_k) >= delta for the one true capacity",
        Verdict.REFUTED,
        {"method": "exact", "estimator": "always answers m_k", "error": "0", "needs": "delta > 0"},
        "an estimator that always answers m_k is never wrong when the capacity is m_k",
    )


@checks("rem-4.2")
def explorations_above_capacity(card: Claim, run: Run) -> Iterator[Finding]:
    pairs = _above(run.instance.plays)
    tried = _tries(run, card.id, pairs)
    yield _decision(card, card.reading, tried) if tried else _untried(card, run, pairs)
    yield from _last_arm(card, run)


def _last_arm(card: Claim, run: Run) -> Iterator[Finding]:
    """Second half: does telling m_L >= mbar need loads above the capacity?"""
    instance, load = run.instance, run.instance.remaining_plays
    reading = "second half: validating arm L's capacity needs loads that cost regret"
    if instance.reward.name != "gaussian" or load < 2:
        return
    with balls.precision(100):
        theta2 = balls.ball(instance.means[instance.last_arm] ** 2 / instance.reward.proxy_variance)
        evaluate = [
            _divergence(smaller, load, theta2) for smaller in range(1, load)
        ]  # what one optimal slot tells against each smaller capacity
        least = min(evaluate, key=lambda x: float(x.mid()))
    evidence = {
        "method": "certified divergence",
        "arm": instance.last_arm + 1,
        "optimal_load": load,
        "least_divergence_per_optimal_slot": balls.lower(least, _DIGITS),
        "regret_per_optimal_slot": "0",
    }
    told = (
        f"every optimal slot, free of regret, carries a divergence of at least "
        f"{float(least):.3g} against capacities below {load}"
    )
    verdict = Verdict.REFUTED if least > 0 else Verdict.INCONCLUSIVE
    yield Finding(card.id, reading, verdict, evidence, told)


def _divergence(smaller: int, load: int, theta2: arb) -> arb:
    """Of the truth (capacity at least the load) from a smaller capacity, at this load."""
    from boundcheck.evaluate import Evaluator

    columns = [np.array([[x]], dtype=object) for x in (arb(load), arb(smaller), theta2)]
    return Evaluator(BALLS, {}).call(KL, *columns).item()


def _reached(d: int, plays: int) -> Pairs:
    """No load tells a capacity above N from N."""
    return lambda m: [(d - 1, min(m, plays))] if d <= min(m, plays) else []


def _short_of(d: int) -> Pairs:
    return lambda m: [(m, d)] if m <= d - 2 else []


@checks("thm-4.1b")
def explorations_to_reach(card: Claim, run: Run) -> Iterator[Finding]:
    plays = run.instance.plays
    reach, short = [], []
    for d in range(2, min(plays, 12) + 1):
        reach += _tries(run, card.id, _reached(d, plays), threshold=d)
        short += _tries(run, card.id, _short_of(d), threshold=d)
    if not reach and not short:
        yield _untried(card, run, _reached(2, plays))
    if reach:
        yield _decision(card, "m_k >= d: two-point minimax over {d - 1, m_k}", reach)
    if short:
        yield _decision(card, "m_k <= d - 2: two-point minimax over {m_k, d}", short)


@checks("sharp-4.1")
def explorations_without_condition(card: Claim, run: Run) -> Iterator[Finding]:
    fixed = "explorations above the capacity, fixed number"
    pairs = _above(run.instance.plays)
    tried = _tries(run, card.id, pairs, fixed)
    reading = f"{card.reading}, fixed number"
    yield _decision(card, reading, tried) if tried else _untried(card, run, pairs)


@checks("sharp-4.1-test")
def exact_error(card: Claim, run: Run) -> Iterator[Finding]:
    arms = [b.arm for b in run.bounds(card.id) if b.applies and b.arm is not None]
    if not arms:
        yield not_applicable(card, run.unmet(card.id))
        return
    yield from _estimators(card, run, arms)


@dataclass(frozen=True)
class Telling:
    """A pair of capacities and a number of explorations at which errors are frequent enough."""

    arm: int
    pair: tuple[int, int]
    explorations: int
    error: float


def _telling(run: Run, arms: Sequence[int]) -> Telling | None:
    """The arm whose neighbouring capacities are hardest to tell apart; None if there is none."""
    plays, capacities = run.instance.plays, run.instance.capacities
    pairs = {arm: (capacities[arm - 1], capacities[arm - 1] + 1) for arm in arms}
    pairs = {arm: pair for arm, pair in pairs.items() if pair[1] <= plays}
    if not pairs:
        return None
    errors = {arm: float(minimax_error(run, arm, pair, 1)) for arm, pair in pairs.items()}
    arm = max(errors, key=lambda k: errors[k])
    n, error = 1, errors[arm]
    while error > 0.2 and n < 200:
        n *= 2
        error = float(minimax_error(run, arm, pairs[arm], n))
    return Telling(arm, pairs[arm], n, error)


def _estimators(card: Claim, run: Run, arms: Sequence[int]) -> Iterator[Finding]:
    """Simulated estimators on the pair: none beats e*, the likelihood-ratio test attains it."""
    case, reading = _telling(run, arms), "simulated estimators"
    if case is None:
        yield cannot_arise(card, reading, "on these arms no larger capacity up to N is possible")
        return
    n, trials = case.explorations, run.effort.trials
    if case.error * trials <= _ENOUGH_ERRORS:
        evidence = {"arm": case.arm, "explorations": n, "exact_error": case.error}
        if case.error < _RAREST:
            yield cannot_arise(card, reading, "no errors: one exploration decides", **evidence)
        else:
            told = f"too few errors to count at {case.error:.3g}: more trials"
            yield Finding(card.id, reading, Verdict.INCONCLUSIVE, evidence, told)
        return
    wrong = simulated_errors(run, case.arm, case.pair, n, trials)
    context = {"arm": case.arm, "capacities": list(case.pair), "explorations": n}
    for name, hits in wrong.items():
        most = int(max(hits))
        yield _observed(
            card,
            run,
            f"no estimator beats the exact error: {name}",
            partial(_at_least, most, trials, case.error),
            f"largest simulated error {most / trials:.4g} against the exact {case.error:.4g}",
            context | {"estimator": name},
        )
    most = int(max(wrong["likelihood ratio"]))
    yield _observed(
        card,
        run,
        "the likelihood-ratio test attains the exact error",
        # either error may be the larger one by chance: half of the level for each
        lambda level: proportion_at_most(most, trials, case.error, level / 2),
        f"its larger error {most / trials:.4g} does not exceed the exact {case.error:.4g}",
        context,
    )


def _at_least(hits: int, trials: int, error: float, level: float) -> ProportionCheck:
    return proportion_at_least(hits, trials, error, level)


def _observed(
    card: Claim,
    run: Run,
    reading: str,
    test: Callable[[float], ProportionCheck],
    told: str,
    context: dict[str, Any],
) -> Finding:
    """A check by counting, at its share of the budget."""
    name = f"{card.id}: {reading}"
    found = conclude(card.id, reading, test(run.level(name)), told, context)
    run.budget.record(name, found.verdict, found.evidence.get("detectable"))
    return found


def simulated_errors(
    run: Run, arm: int, pair: tuple[int, int], n: int, trials: int
) -> dict[str, tuple[int, int]]:
    """Wrong answers of each estimator, first under capacity a, then under b.

    Each sees n observations at a load of b or more; the two that do not know the mean also see n
    plays at load 1.
    """
    a, b = pair
    mean = float(run.instance.means[arm - 1])
    sigma = float(run.instance.reward.proxy_variance) ** 0.5
    generator = np.random.default_rng([run.seed, arm, a, b, n])
    counts: dict[str, list[int]] = {
        "likelihood ratio": [],
        "profile likelihood": [],
        "rounding": [],
    }
    for truth in (a, b):
        wrong = dict.fromkeys(counts, 0)
        for size in _batches(trials, n):
            single = mean + sigma * generator.standard_normal((size, n))
            united = truth * (mean + sigma * generator.standard_normal((size, n)))
            says_b = {
                "likelihood ratio": _ratio(united, a, b, mean, sigma),
                "profile likelihood": _profile(united, single, a, b, sigma),
                "rounding": np.abs(united.mean(1) - b * single.mean(1))
                < np.abs(united.mean(1) - a * single.mean(1)),
            }
            for name, answer in says_b.items():
                wrong[name] += int(np.count_nonzero(answer != (truth == b)))
        for name, hits in wrong.items():
            counts[name].append(hits)
    return {name: (hits[0], hits[1]) for name, hits in counts.items()}


def _batches(trials: int, n: int) -> list[int]:
    size = max(1, min(trials, 2_000_000 // n))
    full, rest = divmod(trials, size)
    return [size] * full + ([rest] if rest else [])


def _ratio(united: np.ndarray, a: int, b: int, mean: float, sigma: float) -> np.ndarray:
    """The minimax test: Q above the threshold at which both errors are equal."""
    from scipy.optimize import brentq
    from scipy.stats import ncx2

    n, theta = united.shape[1], mean / sigma
    shift = n * (theta / (a + b)) ** 2

    def difference(q: float) -> float:
        above = ncx2.sf(q / a**2, n, shift * a**2)
        return float(above - ncx2.cdf(q / b**2, n, shift * b**2))

    threshold = brentq(difference, 1e-12, 4.0 * b**2 * (n + shift * b**2) + 100)
    statistic = ((united / sigma - theta * a * b / (a + b)) ** 2).sum(1)
    return np.asarray(statistic > threshold)


def _profile(united: np.ndarray, single: np.ndarray, a: int, b: int, sigma: float) -> np.ndarray:
    """The capacity with the larger likelihood, the mean maximised out for each."""

    def log_likelihood(m: int) -> np.ndarray:
        scaled = united / m
        centre = ((single.sum(1) + scaled.sum(1)) / (single.shape[1] + united.shape[1]))[:, None]
        squares = ((single - centre) ** 2).sum(1) + ((scaled - centre) ** 2).sum(1)
        return np.asarray(-squares / (2 * sigma**2) - united.shape[1] * np.log(m))

    return log_likelihood(b) > log_likelihood(a)
