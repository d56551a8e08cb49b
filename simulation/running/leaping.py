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
from simulation.learning.likelihoods import OWN
from simulation.learning.spans import GROWTH, span
from simulation.running.blocks import LAWS, block_total
from simulation.running.trace import Trace, settle
from simulation.world.compiled import World
from simulation.world.draws import GAUSSIAN
from simulation.world.elementary import log
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from simulation.policies import Options, Policy

MOST_BLOCKS = 10**8  # after these a run continues slot by slot: ETA times this is 1e-9


def obstacle(instance: Instance, policy: Policy, options: Options) -> tuple[str, str] | None:
    """Why a run cannot leap, and what would be required; None if it can."""
    law = instance.reward.name
    if not policy.leaps:
        return f"policy {policy.name}", "a policy that leaps (docs/leaping.md)"
    if law not in LAWS:
        return f"law {law}", f"{' or '.join(LAWS)}: sums of others cannot be drawn"
    if options.get("law", OWN) != OWN:
        return f"law {shown(options['law'])} told", "the law of the instance"
    if options.get("interval") == "likelihood" and law != "bernoulli":
        return "interval likelihood", "an interval with a width, or Bernoulli rewards"
    return None


def require_leaping(instance: Instance, policy: Policy, options: Options) -> None:
    """Raise a one-line error if a run cannot leap."""
    if (found := obstacle(instance, policy, options)) is not None:
        raise InputError("simulate", "leap", *found)


@step
def longest_try(trace: Trace, t: int, horizon: int) -> int:
    """The largest length to try for a block from slot t on; it ends at the next checkpoint."""
    if trace.leaps[0] >= MOST_BLOCKS:
        return 1
    row = trace.passed[1]
    end = trace.checkpoints[row] if row < trace.checkpoints.size else horizon
    room = int(end - t + 1)
    return room if trace.stride[0] > room // GROWTH else int(trace.stride[0] * GROWTH)


@step
def caution(care: float, events: int) -> float:
    """log(events / eta), so that each event has its share of eta; care: log(1 / eta).

    0 if eta is so large that no margin is needed: the ranges then contain the drift only.
    """
    return max(care + log(float(events)), 0.0)


@step
def span_of_arm(
    world: World, k: int, arm: Any, load: int, length: int, care: float
) -> tuple[float, float]:
    """The range of muhat for an arm of `learning.arms` that has this load in every slot."""
    share = min(load, world.capacities[k]) / load
    proxy = world.parameter if world.law == GAUSSIAN else 0.25
    return span(
        arm.muhat,
        arm.individual,
        share * world.means[k],
        share * share * proxy,
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
        arm.individual += length
        arm.individual_sum += served * total / load
        arm.muhat = arm.individual_sum / arm.individual
    return float(served * total)


@step
def settle_block(
    trace: Trace, t: int, length: int, phase: int, regret: float, reward: float
) -> int:
    """Record `length` slots from t on: the same regret in each, this total reward; returns the
    last.
    """
    trace.leaps[0] += 1
    trace.leaps[1] += length
    trace.regret_so_far[phase] += (length - 1) * regret
    if regret == 0.0:
        trace.passed[0] += length - 1
    settle(trace, t + length - 1, phase, regret, reward)
    return t + length - 1
