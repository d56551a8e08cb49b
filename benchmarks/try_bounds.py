"""Published bounds typed as lines: none is refuted, and each divided by ten is; `?` and its level.

python benchmarks/try_bounds.py [quick|standard|thorough]     every line, and divided by ten
python benchmarks/try_bounds.py level                         200 repetitions of a `?`
python benchmarks/try_bounds.py constants                     c1 and c2 beside fresh runs
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from boundcheck import try_bound
from boundcheck.claims.card import Claim
from boundcheck.judging.default_statements.regret import AtHorizon
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.language.reading import read
from boundcheck.theories import default
from boundcheck.trying import panel
from boundcheck.trying.constant import constant_for, value_of
from boundcheck.trying.outcome import Trial
from boundcheck.trying.trial import tried
from simulation.running.pools import open_pool
from simulation.running.replicate import replicate

Floats = np.ndarray[Any, np.dtype[np.float64]]
LOG_F = "log(1 + T*log(T)^2)"
# results of public text, each as one line; the law where it is not what the policy serves
LINES = {
    "ucb1": "regret(ucb1) <= 8*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)",
    "moss-ls": "regret(moss-ls) <= 39*sqrt(K*T) + sum(gap)",
    "etc": "regret(etc(m=20)) <= 20*sum(gap) + (T - 20*K)*sum(gap*exp(-20*gap^2/4), worse) "
    "for T >= 20*K",
    "ucb-gap": "regret(ucb) <= 3*sum(gap) + 16*sum(log(T)/gap, worse)",
    "ucb-root": "regret(ucb) <= 8*sqrt(T*K*log(T)) + 3*sum(gap)",
    "ucb-asymptotic": "regret(ucb-asymptotic) <= sum(inf(eps in (0, gap): gap*(1 + 5/eps^2 + "
    f"2*({LOG_F} + sqrt(pi*{LOG_F}) + 1)/(gap - eps)^2)), worse)",
    "alpha-ucb": "regret(alpha-ucb(alpha=3)) <= sum(6*log(T)/gap + 3, worse)",
    "exp3-11.1": "regret(exp3) <= 2*sqrt(T*K*log(K))",
    "exp3-11.2": "regret(exp3(c=2)) <= sqrt(2*T*K*log(K))",
    "hoeffding": "|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta",
    "lemma-6": "|mean - mu| <= sqrt((1 + n)/n^2*(1 + 2*log(sqrt(1 + n)/delta))) "
    "with probability 1 - delta",
    "howard": "|mean - mu| <= 1.7*sqrt((log(log(2*n)) + 0.72*log(10.4/delta))/n) "
    "with probability 1 - delta",
}
# published, and so loose that a tenth is not refuted either
LOOSE = {
    "moss": "regret(moss) <= 49*sqrt(K*T)",
    "moss-anytime": "regret(moss-anytime) <= 113*sqrt(K*T) + largest(gap) for largest(gap) <= 1",
    "ts-2": "regret(thompson) <= sum(40*log(T)/gap + 48/gap^3 + 18*gap, worse) for K == 2",
    "kl-ucb-ls": "regret(kl-ucb-ls) <= sum(inf(x in (0, 1): inf(y in (0, 1): "
    f"gap*({LOG_F}/kl(mu + x*gap/2, best - y*gap/2) + 2/(x*gap)^2 + 8/(y*gap)^2))), worse)",
}
LAWS = {"lemma-6": "gaussian", "howard": "gaussian"}
# of the laws that a policy serves, that which varies most
HARDEST = dict.fromkeys(("moss-ls", "etc", "ucb-gap", "ucb-root", "ucb-asymptotic"), "gaussian")
CONSTANTS = (
    "regret(moss) <= ?*sqrt(K*T)",
    "regret(ucb1) <= ?*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)",
    "regret(ucb) <= ?*sqrt(K*T*log(T))",
    "regret(exp3) <= ?*sqrt(K*T*log(K))",
    "regret(thompson) <= ?*sqrt(K*T)",
)


def divided(card: Claim, by: int = 10) -> Claim:
    """The same claim, its bound divided."""
    if card.formula is not None:
        return replace(card, formula=card.formula / by)
    (quantity,) = card.quantities
    terms = tuple(replace(term, expression=term.expression / by) for term in quantity.terms)
    return replace(card, quantities=(replace(quantity, terms=terms),))


def decided(name: str, effort: Effort, by: int = 1, law: str | None = None) -> Trial:
    """A line of the table, or a part of it."""
    spoken = default()
    line = read((LINES | LOOSE)[name], spoken)
    card = line.card if by == 1 else divided(line.card, by)
    return tried(
        replace(line, card=card),
        spoken,
        effort,
        law=law or LAWS.get(name),
        horizon=None,
        work={"seed": 0},
        pool=lambda: open_pool(None, None, None),
    )


def every_line(effort: str) -> None:
    for name in LINES | LOOSE:
        told = []
        for by in (1, 10):
            started, used = time.perf_counter(), time.process_time()
            trial = decided(name, EFFORTS[effort], by)
            taken, used = time.perf_counter() - started, time.process_time() - used
            told.append(f"{trial.finding.verdict} in {taken:.1f} s ({used:.1f} s of processors)")
        print(f"{name:15} {told[0]:45} a tenth: {told[1]}", flush=True)


LEVEL_EFFORT = Effort("tiny", trials=1, runs=40, horizon=100, slots=50_000)
# lines whose constant on the panel is known exactly
LEVEL_LINES = {name: f"regret({name}) <= ?*T for K == 2, T == 100" for name in ("etc(m=1)", "ucb1")}


def plays_of_worse(spend: Callable[[int, int], float], p: float, q: float, horizon: int) -> Floats:
    """P(the second of two coins is tossed n times), n = 0, 1, ..., under mean + sqrt(spend / n),
    where spend is told t and n.

    A state is how often each coin was tossed and how many heads it showed: all are followed.
    """
    start = np.outer([1 - p, p], [1 - q, q])  # by the heads of each, tossed once
    at: dict[int, Floats] = {1: start}  # by the tosses of the first
    for t in range(2, horizon):
        after = {n: np.zeros((n + 1, t + 2 - n)) for n in range(1, t + 1)}
        for n, chance in at.items():
            index, other = (np.arange(m + 1) / m + np.sqrt(spend(t, m) / m) for m in (n, t - n))
            first = chance * (index[:, None] >= other)
            second = chance - first
            after[n + 1][1:, :] += p * first
            after[n + 1][:-1, :] += (1 - p) * first
            after[n][:, 1:] += q * second
            after[n][:, :-1] += (1 - q) * second
        at = after
    found = np.zeros(horizon + 1)
    for n, chance in at.items():
        found[horizon - n] = chance.sum()
    return found


def exact_regret(name: str, p: float, q: float, horizon: int) -> float:
    """Of two coins; `etc`: one toss each, then the second if it alone showed heads."""
    if name == "ucb1":
        plays = plays_of_worse(lambda t, n: 2 * np.log(t), p, q, horizon)
        return float((p - q) * (plays @ np.arange(plays.size)))
    return (p - q) * (1 + (horizon - 2) * (1 - p) * q)


def exact_constant(name: str) -> float:
    """Of a line of LEVEL_LINES on the panel."""
    cases = panel.regret_cases(panel.LAWS["bernoulli"], LEVEL_EFFORT, None)
    pairs = {c.instance.means for c in cases if c.instance.arms == 2 and c.horizon == 100}
    return max(exact_regret(name, float(p), float(q), 100) / 100 for p, q in pairs)


def level(repetitions: int = 200) -> None:
    """How often the two numbers miss a constant that is known exactly."""
    for name, line in LEVEL_LINES.items():
        low = high = 0
        true = exact_constant(name)
        for seed in range(repetitions):
            found = try_line(line, LEVEL_EFFORT, seed).constant
            assert found is not None
            low += found["false_below"] > true
            high += found["supported_everywhere_from"] < true
        print(f"{line}: the constant is {true:.5g}; of {repetitions} repetitions the first number")
        print(f"  was above it in {low}, the second below it in {high} (level 0.05)", flush=True)


def try_line(text: str, effort: Effort, seed: int) -> Trial:
    spoken = default()
    return tried(
        read(text, spoken),
        spoken,
        effort,
        law="bernoulli",
        horizon=None,
        work={"seed": seed},
        pool=lambda: open_pool(1, None, None),
    )


def constants(runs: int = 100_000) -> None:
    """Both numbers beside that of fresh runs on the instance that gives the first."""
    spoken = default()
    for text in CONSTANTS:
        trial = try_bound(text, "quick", law="bernoulli")
        found, case, card = trial.constant, trial.finding.case, trial.line.card
        assert found is not None
        assert isinstance(case, AtHorizon)
        fresh = replicate(
            case.instance,
            [spoken.policy(card.policy or "")],
            case.horizon,
            runs,
            seed=10**6,
            checkpoints=[case.horizon],
        )[str(card.policy_name)]
        mean, error = fresh.mean[-1], fresh.standard_error[-1]
        value = value_of(card, case, spoken)
        low, high = (constant_for(value, mean + sign * 3 * error) for sign in (-1, 1))
        print(text)
        print(f"  {found['false_below']:.4g} to {found['supported_from']:.4g} by {found['cases']}")
        print(f"  cases; {low:.4g} to {high:.4g} by {runs:,} runs (3 s.e.) at {found['false_at']}")
        confirmed = found["false_below"] <= high and low <= found["supported_from"]
        print(f"  {'confirmed' if confirmed else 'NOT CONFIRMED'}", flush=True)


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "quick"
    {"level": level, "constants": constants}.get(asked, lambda: every_line(asked))()
