"""KL-UCB: the largest q with n kl(mean, q) <= a budget, kl that of two Bernoulli laws."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.learning.kl_index import upper_index
from simulation.policies import Policy
from simulation.policies.classic.one_play import IndexArguments, State, begin, learn, play
from simulation.policies.classic.ucb_asymptotic import level
from simulation.world.draws import BERNOULLI, kl
from simulation.world.elementary import log

LOG_LOG, ASYMPTOTIC = 3.0, 0.0  # the factor of log log t, or log(1 + t log^2 t) instead


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    if t <= state.counts.size:
        play(action, t - 1)
    else:
        play(action, farthest(state, budget(state.scale, t), action.played[0]))


@step
def budget(factor: float, t: int) -> float:
    """What is spent in slot t."""
    if factor == ASYMPTOTIC:
        return level(t)
    spent = log(float(t - 1))
    return spent + factor * log(max(spent, 1.0))


@step
def farthest(state: State, budget: float, last: int) -> int:
    """The arm of the largest index; an index is computed only if it exceeds the best so far."""
    counts, sums = state.counts, state.sums
    best = last
    index = upper_index(sums[best] / counts[best], counts[best], budget, BERNOULLI, 1.0)
    for k in range(counts.size):
        mean = sums[k] / counts[k]
        if k == best or (index > mean and counts[k] * kl(BERNOULLI, 1.0, mean, index) >= budget):
            continue
        reached = upper_index(mean, counts[k], budget, BERNOULLI, 1.0)
        if reached > index:
            best, index = k, reached
    return best


_PARTS: dict[str, Any] = {"begin": begin, "decide": decide, "learn": learn}
POLICIES = (
    Policy("kl-ucb", "KL-UCB", arguments=IndexArguments("kl-ucb", LOG_LOG), **_PARTS),
    Policy(
        "kl-ucb-ls",
        "KL-UCB with a larger budget",
        arguments=IndexArguments("kl-ucb-ls", ASYMPTOTIC),
        **_PARTS,
    ),
)
