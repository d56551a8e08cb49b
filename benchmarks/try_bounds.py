"""Published bounds typed as lines: none is refuted, and each divided by ten is; `?` and its level.

python benchmarks/try_bounds.py [quick|standard|thorough]     every line, and divided by ten
python benchmarks/try_bounds.py level                         200 repetitions of a `?`
python benchmarks/try_bounds.py constants                     c1 and c2 beside fresh runs
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from boundcheck import try_bound
from boundcheck.claims.card import Claim
from boundcheck.judging.run_context import EFFORTS, Effort
from boundcheck.language.reading import read
from boundcheck.theories import default
from boundcheck.trying import panel
from boundcheck.trying.trial import Trial, tried
from simulation.running.pools import open_pool
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

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
    "regret(ucb1) <= ?*sqrt(K*T*log(T))",
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
            started = time.perf_counter()
            trial = decided(name, EFFORTS[effort], by)
            told.append(f"{trial.finding.verdict} in {time.perf_counter() - started:.1f} s")
        print(f"{name:15} {told[0]:25} a tenth: {told[1]:22}", flush=True)


LEVEL_LINE = "regret(etc(m=1)) <= ?*T for K == 2, T == 100"
LEVEL_EFFORT = Effort("tiny", trials=1, runs=40, horizon=100, slots=200_000)


def exact_constant() -> float:
    """Of that line: one play each of two coins, then the second arm if it alone showed a head."""
    cases = panel.regret_cases(panel.LAWS["bernoulli"], LEVEL_EFFORT, None)
    pairs = [
        (c.instance.means, c.horizon) for c in cases if c.instance.arms == 2 and c.horizon == 100
    ]
    return max(float((p - q) * (1 + (t - 2) * (1 - p) * q) / t) for (p, q), t in pairs)


def level(repetitions: int = 200) -> None:
    """How often the two numbers miss a constant that is known exactly."""
    missed, true = 0, exact_constant()
    for seed in range(repetitions):
        found = try_line(LEVEL_LINE, LEVEL_EFFORT, seed).constant
        assert found is not None
        missed += not found["false_below"] <= true <= found["supported_everywhere_from"]
    print(f"{missed} of {repetitions} repetitions miss the constant {true:.4g} (level 0.05)")


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
    """Both numbers beside fresh runs on the instance that gives the first."""
    for text in CONSTANTS:
        trial = try_bound(text, "quick")
        found, case = trial.constant, trial.finding.case
        assert found is not None
        assert case is not None
        assert isinstance(case.instance, Instance)
        horizon = int(case.question.horizon)
        few = min(runs, 4 * 10**8 // horizon)
        policy = trial.line.card.policy
        fresh = replicate(case.instance, [policy], horizon, few, seed=10**6)
        result = fresh[trial.line.card.policy_name]
        print(text, found["false_below"], found["supported_from"], found["false_at"])
        print(
            f"  mean {result.mean[-1]:.5g} +- {result.standard_error[-1]:.2g} in {few} fresh runs"
        )


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "quick"
    {"level": level, "constants": constants}.get(asked, lambda: every_line(asked))()
