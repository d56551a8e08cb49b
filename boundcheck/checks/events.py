"""The counting lemmas behind Theorem 7.1: E.1, E.2, E.4 and E.5 (E.3 is in `orders`).

E.1. An arm is played in each slot by an independent coin of chance c, and its estimate is bad
(off by epsilon) after n plays with probability p_n. The slots with a bad estimate number
(1/c) (p_0 + p_1 + ...) on average, p_0 <= 1. Chernoff: p_n <= 2 exp(-n epsilon^2 / (2 sigma^2)).
Gaussian: p_n decreases in n and its integral is sigma^2 / epsilon^2, so the sum of p_1, p_2, ...
lies in [sigma^2/epsilon^2 - 1, sigma^2/epsilon^2].

E.2. Whatever decides when an arm is played, its index lies below its mean at slot t only if
n kl(muhat_n, mu) > f(t) for some n < t, with muhat_n < mu. By Garivier and Cappe (2011, theorem
10) this has probability at most e ceil(f(t) log t) exp(-f(t)) where f(t) > 1. With u = log H the
sum of this over t > H is at most e (1/u + (2 log u + 1)/u^2 + 1/(3 u^3)).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
from flint import arb
from scipy.special import bdtr, bdtrc, rel_entr

from boundcheck import balls
from boundcheck.calculator import Bound
from boundcheck.checks import checks
from boundcheck.checks.regret import played
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, not_applicable
from boundcheck.evidence import Finding, Verdict, conclude, mean_at_most
from boundcheck.evidence.inputs import FloatArray
from simulation.instance import Instance
from simulation.numbers import decimal

PRINTED_INDEX_BOUND = 30
ANY_EPSILON = Fraction(1, 10)  # where equal means leave no admissible value
MOST_TAILS = 1_000_000  # binomial tails that are summed in all; they grow with 1/epsilon^2
CERTIFIED_SLOTS = 2_000
SIMULATED_SLOTS = 10_000


# -- E.1 -----------------------------------------------------------------------------------


@checks("lem-E.1")
def bad_estimates(card: Claim, run: Run) -> Iterator[Finding]:
    """The exact number of bad slots under independent coins, enclosed and compared."""
    epsilon = _epsilon(run)
    least, most = bad_slots(run.instance, epsilon)
    chances = (Fraction(1), Fraction(1, 2), Fraction(1, 2 * run.instance.arms))
    printed = {c: 2 / c * (2 / c + epsilon**-2) for c in chances}
    evidence: dict[str, Any] = {
        "epsilon": epsilon,
        "process": "the arm is played by an independent coin of chance c in every slot",
        "coins": [
            {
                "c": float(c),
                "bad_slots": [decimal(least / c, 6), decimal(most / c, 6)],
                "bound": decimal(bound, 6),
                "ratio": decimal(bound * c / most, 6),
            }
            for c, bound in printed.items()
        ],
        "sharper": decimal(1 + epsilon**-2, 6),
    }
    if run.instance.reward.name == "bernoulli":
        evidence |= _exact_sums(run.instance, float(epsilon))
    if all(most / c <= bound for c, bound in printed.items()):
        verdict, words = Verdict.HOLDS, "bad slots number at most"
    elif any(least / c > bound for c, bound in printed.items()):
        verdict, words = Verdict.REFUTED, "bad slots number at least"
        most = least
    else:
        verdict, words = Verdict.INCONCLUSIVE, "exact tails would decide; bad slots are up to"
    words = f"{words} {decimal(most, 4)}/c for epsilon = {decimal(epsilon, 4)}, claimed "
    words += f"{decimal(printed[chances[0]], 4)} at c = 1"
    yield Finding(card.id, card.reading, verdict, evidence, words)


def bad_slots(instance: Instance, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Certified limits of p_0 + p_1 + ... over all arms, by the law's tails."""
    variance = instance.reward.proxy_variance
    if instance.reward.name == "gaussian":
        total = variance / epsilon**2
        return max(total - 1, Fraction(0)), total + 1
    with balls.precision(128):
        chernoff = 2 / (balls.ball(epsilon**2 / (2 * variance)).expm1())
        return Fraction(0), 1 + Fraction(balls.upper(chernoff, 15) or "inf")


def _exact_sums(instance: Instance, epsilon: float) -> dict[str, Any]:
    """Beside Chernoff's bound, which decides: the exact sums, where they are affordable."""
    last = _last_play(epsilon)
    tails = 2 * last * instance.arms
    if tails > MOST_TAILS:
        why = f"{tails:.2g} binomial tails to add up, more than {MOST_TAILS:.0e}"
        return {"exact_sums_left_out": why}
    return {"exact_sums_at_c_1": _binomial_sums(instance, epsilon)}


def _last_play(epsilon: float) -> float:
    """From here on Chernoff's bound leaves 1e-6."""
    square = max(epsilon**2, 1e-200)
    return log(1e6 / square) / (2 * square)


def _binomial_sums(instance: Instance, epsilon: float) -> list[float]:
    """Sums of exact binomial tails of each arm (floats), up to where Chernoff leaves 1e-6."""
    plays = np.arange(1, int(_last_play(epsilon)) + 2)
    sums = []
    for mean in map(float, instance.means):
        # the largest count at or below n (mu - eps), the smallest at or above n (mu + eps)
        low = np.floor(plays * (mean - epsilon) + 1e-9)
        high = np.ceil(plays * (mean + epsilon) - 1e-9)
        below = np.where(low >= 0, bdtr(np.maximum(low, 0), plays, mean), 0.0)
        above = np.where(high <= plays, bdtrc(np.minimum(high, plays) - 1, plays, mean), 0.0)
        sums.append(float(mean >= epsilon) + float((below + above).sum()))
    return sums


def _epsilon(run: Run) -> Fraction:
    """The value that makes the count of bad slots smallest."""
    (bound,) = run.bounds("lem-E.4")
    return ANY_EPSILON if bound.epsilon is None else Fraction(bound.epsilon)


# -- E.2 -----------------------------------------------------------------------------------


@checks("lem-E.2")
def low_indices(card: Claim, run: Run) -> Iterator[Finding]:
    """A certified sum for any sampling rule, beside the counts of an arm played every slot."""
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet)
        return
    certified = float(balls.upper(low_index_slots(CERTIFIED_SLOTS), 15) or "inf")
    always, any_rule = low_index_counts(run)
    check = mean_at_most(always, PRINTED_INDEX_BOUND, run.level(card.id))
    evidence = {
        "bound": PRINTED_INDEX_BOUND,
        "certified": certified,
        "certified_both_kinds_of_rounds": 2 * certified,
        "summed_to": CERTIFIED_SLOTS,
        "simulated_any_rule": float(any_rule.mean()),
        "simulated_every_slot": {"slots": SIMULATED_SLOTS, **check.evidence()},
    }
    if check.refuted:
        verdict = Verdict.REFUTED
    elif 2 * certified <= PRINTED_INDEX_BOUND:
        verdict = Verdict.HOLDS
    else:
        verdict = Verdict.INCONCLUSIVE
    words = (
        f"at most {certified:.4g} slots for any sampling rule, {2 * certified:.4g} if each counts "
        f"for both kinds of rounds; simulated {check.mean:.3g} (an arm played every slot) and at "
        f"most {any_rule.mean():.3g} (any rule)"
    )
    run.budget.record(card.id, verdict, check.detectable)
    yield Finding(card.id, card.reading, verdict, evidence, words)


def low_index_slots(horizon: int) -> arb:
    """An enclosure's upper end bounds the sum over all t of P(index below mean)."""
    with balls.precision(64):
        total = arb(2)  # f = 0 at the first two slots
        for t in range(3, horizon + 1):
            log_t = arb(t).log()
            level = log_t + 4 * log_t.log()
            grid = int(float((level * log_t).upper())) + 1
            chance = arb(1).exp() * grid * (-level).exp()
            total += chance.min(arb(1)) if level > 1 else 1
        u = arb(horizon).log()
        tail = arb(1).exp() * (1 / u + (2 * u.log() + 1) / u**2 + 1 / (3 * u**3))
        return total + tail


def low_index_counts(run: Run) -> tuple[FloatArray, FloatArray]:
    """Slots t at which the last optimal arm's index is below its mean, for each run: if it is
    played every slot (n = t - 1), and if the worst n < t counts, which no rule can exceed."""
    from simulation.draws import stream

    instance = run.instance
    mean, slots = float(instance.means[instance.last_arm]), np.arange(2, SIMULATED_SLOTS + 2)
    log_t = np.log(slots)
    spent = np.where(slots > 2, log_t + 4 * np.log(log_t), 0.0)
    plays = slots - 1
    counts = np.zeros((2, run.effort.runs))
    for index in range(run.effort.runs):
        rewards = _rewards(instance, mean, stream(run.seed, index))
        muhat = np.cumsum(rewards) / plays
        against = np.where(muhat < mean, plays * _kl(instance, muhat, mean), 0.0)
        counts[0, index] = (against > spent).sum()
        counts[1, index] = (np.maximum.accumulate(against) > spent).sum()
    return counts[0], counts[1]


def _rewards(instance: Instance, mean: float, gen: np.random.Generator) -> FloatArray:
    parameter = float(instance.reward.parameter)
    if instance.reward.name == "gaussian":
        return mean + sqrt(parameter) * gen.standard_normal(SIMULATED_SLOTS)
    if instance.reward.name == "beta":
        return gen.beta(mean * parameter, (1 - mean) * parameter, SIMULATED_SLOTS)
    return (gen.random(SIMULATED_SLOTS) < mean).astype(np.float64)


def _kl(instance: Instance, estimate: FloatArray, mean: float) -> FloatArray:
    if instance.reward.name == "gaussian":
        return np.asarray((estimate - mean) ** 2 / (2 * float(instance.reward.parameter)))
    return np.asarray(rel_entr(estimate, mean) + rel_entr(1 - estimate, 1 - mean))


# -- E.4 and E.5 ---------------------------------------------------------------------------


@checks("lem-E.4")
def bad_slots_in_all(card: Claim, run: Run) -> Iterator[Finding]:
    """Do the printed parts fit into the printed total? And how many slots are surely bad?"""
    (bound,) = run.bounds(card.id)
    arms, plays = run.instance.arms, run.instance.plays
    means = [run.instance.means[k] for k in run.instance.order]
    gap = min(a - b for a, b in itertools.pairwise(means))
    unmet = run.unmet(card.id)
    if unmet or bound.epsilon is None:
        yield not_applicable(card, unmet, K=arms, N=plays)
        return
    parts, total = printed_parts(arms, plays, 4 / gap**2)
    evidence = {
        "K": arms,
        "N": plays,
        "epsilon_below": gap / 2,
        "parts_at_that_epsilon": parts,
        "total_at_that_epsilon": total,
        "slack": total - sum(parts),
    }
    fits = sum(parts) <= total
    words = "the three printed parts add up to " + (
        "at most the printed total, for every admissible epsilon"
        if fits
        else "more than the printed total: the derivation fails, if not the count itself"
    )
    verdict = Verdict.HOLDS if fits else Verdict.REFUTED
    yield Finding(card.id, card.reading, verdict, evidence, words)
    yield _surely_bad(card, run, bound)


def printed_parts(
    arms: int, plays: int, inverse_square: Fraction
) -> tuple[tuple[Fraction, ...], Fraction]:
    """The bounds on the three kinds of slots and their total, at epsilon^-2 = `inverse_square`.

    Total less parts is (4 K^2 N - 8 K)(4 + epsilon^-2) - 30 N, which does not decrease as epsilon
    falls: what fits at the largest epsilon fits at all.
    """
    each = 4 + inverse_square
    parts = (8 * arms * each, Fraction(30 * plays), 8 * arms**2 * plays * each)
    return parts, 12 * arms**2 * plays * each


def _surely_bad(card: Claim, run: Run, bound: Bound) -> Finding:
    """With known capacities a slot of exploitation that loses anything is a bad one."""
    runs = played(run, "orch-explore-kc")
    kept = [place for place, phase in enumerate(runs.phases) if phase != "deliberate"]
    slots = runs.regret[:, kept, -1].sum(axis=1) / float(run.instance.largest_regret)
    reading = "slots of orch-explore-kc that are surely bad, up to the simulated horizon"
    context = {"T": runs.horizon, "bound": bound.value, "surely_bad_slots": float(slots.mean())}
    if bound.vacuous:
        words = f"the bound {float(bound.value or 'nan'):.4g} exceeds the {runs.horizon} slots"
        return Finding(card.id, reading, Verdict.VACUOUS, context, words)
    name = f"{card.id} surely bad slots"
    check = mean_at_most(slots, float(bound.upper or "nan"), run.level(name))
    words = f"at least {check.mean:.4g} bad slots on average, bound {check.bound:.4g}"
    finding = conclude(card.id, reading, check, words, context)
    run.budget.record(name, finding.verdict, check.detectable)
    return finding


@checks("lem-E.5")
def deliberate_explorations(card: Claim, run: Run) -> Iterator[Finding]:
    """All suboptimal arms together, each exploration weighted by what it loses."""
    rows = run.bounds(card.id)
    unmet = run.unmet(card.id)
    runs = played(run, "orch-explore-kc")
    lost = runs.regret[:, runs.phases.index("deliberate"), -1]
    last = run.instance.last_arm + 1
    gaps = [float(run.instance.gap(last, row.arm or last)) for row in rows]
    context: dict[str, Any] = {
        "T": runs.horizon,
        "explorations": [{"arm": row.arm, "bound": row.value} for row in rows],
        "lost_in_deliberate_explorations": float(lost.mean()),
    }
    if unmet:
        yield not_applicable(card, unmet, **context)
        return
    if all(row.vacuous for row in rows):
        words = f"every bound exceeds the {runs.horizon} slots"
        yield Finding(card.id, card.reading, Verdict.VACUOUS, context, words)
        return
    explored = [min(float(row.upper or "nan"), runs.horizon) for row in rows]
    claimed = sum(gap * most for gap, most in zip(gaps, explored, strict=True))
    check = mean_at_most(lost, claimed, run.level(card.id))
    words = f"deliberate explorations lose {check.mean:.4g}, the bounds allow {claimed:.4g}"
    finding = conclude(card.id, card.reading, check, words, context)
    if check.refuted:  # explorations in bad slots are not the lemma's, and could be the excess
        words += "; counts that leave out the bad slots would decide"
        finding = replace(finding, verdict=Verdict.INCONCLUSIVE, explanation=words)
    run.budget.record(card.id, finding.verdict, check.detectable)
    yield finding
