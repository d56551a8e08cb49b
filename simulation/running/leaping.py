"""Leaping: draw many slots of one action at once, if the observations cannot change the action.

While a policy exploits, observations change its estimates little. The simulator, unlike the policy,
knows the law of these observations. So before slot t it determines for how many slots from t on the
action stays the same, except for events of probability at most eta, and then draws what those slots
show all at once (`blocks`): a block. `span` is the certificate: where the estimate of an arm stays
during a block. A policy then takes its own decisions again with the worst estimates within the
spans and at the worst of the block's slots; if none of them is another one than now, the block is
certified. Near a decision blocks shrink to single slots by themselves.

For a walk of w steps with mean mu and sub-Gaussian variance v, from count n and estimate muhat,

    P(max_{j <= w} +-(X_1 + ... + X_j - j mu) >= d) <= exp(-d^2 / (2 v w))

(Doob's inequality for the exponential supermartingale). Off both events the estimate after j steps
is between (n muhat + j mu - d) / (n + j) and the same with + d, and these are monotone in j, so
their ends at j = 0 and j = w bound them all.

So a run that leaps and one that does not can be coupled to be equal but for a probability of
blocks * eta: their laws differ by that in total variation (docs/leaping.md has the proof).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import step
from simulation.learning.arms import add_explorations
from simulation.learning.likelihoods import OWN
from simulation.learning.spans import GROWTH, span
from simulation.parameters import LARGEST_COUNTED
from simulation.running.blocks import LAWS, block_total
from simulation.running.trace import Trace, settle
from simulation.world.compiled import World
from simulation.world.draws import GAUSSIAN
from simulation.world.elementary import log
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from simulation.policies import Options, Policy

FAR = ("orch-explore", "kl-ucb", "mp-se-sa")  # what leaps further than 64 bits count
MOST_BLOCKS = 10**8  # after these a run continues slot by slot: ETA times this is 1e-9


def obstacle(
    instance: Instance, policy: Policy, options: Options, horizon: int = 0
) -> tuple[str, str] | None:
    """Why a run cannot leap so far, and what would be required; None if it can."""
    law = instance.reward.name
    if not policy.leaps:
        return f"policy {policy.name}", "a policy that leaps (docs/leaping.md)"
    if law not in LAWS:
        return f"law {law}", f"{' or '.join(LAWS)}: sums of others cannot be drawn"
    if options.get("law", OWN) != OWN:
        return f"law {shown(options['law'])} told", "the law of the instance"
    if options.get("interval") == "likelihood" and law != "bernoulli":
        return "interval likelihood", "an interval with a width, or Bernoulli rewards"
    if horizon > LARGEST_COUNTED and policy.leaps not in FAR:
        names = ", ".join(FAR)
        return f"policy {policy.name}", f"up to {LARGEST_COUNTED:.2g} slots, or one of {names}"
    return None


def require_leaping(instance: Instance, policy: Policy, options: Options, horizon: int) -> None:
    """Raise a one-line error if a run cannot leap so far."""
    if (found := obstacle(instance, policy, options, horizon)) is not None:
        raise InputError("simulate", "leap", *found)


@step
def next_end(trace: Trace, horizon: int) -> int:
    """Where a block ends at the latest: at the next checkpoint."""
    row = trace.passed[0]
    return trace.checkpoints[row] if row < trace.checkpoints.size else horizon


@step
def longest_try(trace: Trace, room: int) -> int:
    """The largest length to try for a block, with `room` slots left to its last possible end."""
    if trace.leaps[0] >= MOST_BLOCKS:
        return 1
    return room if trace.stride[0] > room // GROWTH else trace.stride[0] * GROWTH


@step
def caution(care: float, events: int) -> float:
    """log(events / eta), so that each event has its share of eta; care: log(1 / eta).

    0 if eta is so large that no margin is needed: the ranges then contain the drift only.
    """
    return max(care + log(float(events)), 0.0)


@step
def proxy_variance(world: World, k: int) -> float:
    """The sub-Gaussian variance of a reward; 0 where all rewards are the same."""
    if world.law == GAUSSIAN:
        return world.parameter
    return 0.25 if 0.0 < world.means[k] < 1.0 else 0.0


@step
def span_of_arm(
    world: World, k: int, arm: Any, load: int, length: int, care: float
) -> tuple[float, float]:
    """The range of muhat for an arm of `learning.arms` that has this load in every slot."""
    share = min(load, world.capacities[k]) / load
    return span(
        arm.muhat,
        arm.individual,
        share * world.means[k],
        share * share * proxy_variance(world, k),
        length,
        care,
        world.law,
    )


@step
def explore_block(
    gen: Generator, world: World, k: int, arm: Any, load: int, length: int, counted: bool
) -> float:
    """Play an arm of `learning.arms` for `length` slots and count them as IE; returns its
    reward.
    """
    total = block_total(gen, world.law, world.parameter, world.means[k], length)
    served = min(load, world.capacities[k])
    if counted:
        add_explorations(arm, length, served * total / load)
    return float(served * total)


@step
def settle_block(
    trace: Trace, last: int, length: int, phase: int, regret: float, reward: float
) -> None:
    """Record `length` slots up to `last`: the same regret in each, this total reward."""
    trace.leaps[0] += 1
    trace.regret_so_far[phase] += (length - 1) * regret
    if regret == 0.0:
        trace.optimal_so_far[0] += length - 1
    settle(trace, last, phase, regret, reward)
