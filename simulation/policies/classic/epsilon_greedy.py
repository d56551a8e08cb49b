"""epsilon_n-greedy: with probability min(1, c K / (d^2 n)) any arm, else the best mean so far.

Auer, Cesa-Bianchi and Fischer 2002, Figure 3. It is given c and d, a lower bound of the smallest
gap. An arm that was never played comes first where the best mean is played.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Options, Policy, Setup
from simulation.policies.classic.one_play import State, begin, learn, play, require_served


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    play(action, chosen(state, t, gen))


@step
def chosen(state: State, t: int, gen: Generator) -> int:
    """The arm for slot t: any of them in each of the first c K / d^2 slots."""
    counts, sums, first = state.counts, state.sums, state.scale
    if t <= first or gen.random() * t < first:
        return int(gen.random() * counts.size)
    best, largest = 0, -1.0
    for k in range(counts.size):
        if counts[k] == 0:
            return k
        mean = sums[k] / counts[k]
        if mean > largest:
            best, largest = k, mean
    return best


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    """c K / d^2, the number of slots that are all random."""
    require_served("epsilon-greedy", setup, None)
    for name, most in (("c", 1e9), ("d", 1.0)):
        if not 0.0 < float(options[name]) <= most:
            expected = f"a number above 0, up to {most:g}"
            raise InputError("epsilon-greedy", name, shown(options[name]), expected)
    return float(options["c"]) * setup.arms / float(options["d"]) ** 2, 0


POLICIES = (
    Policy(
        "epsilon-greedy",
        "epsilon_n-greedy, given c and d",
        arguments=arguments,
        defaults={"c": 6.0, "d": 0.1},
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
