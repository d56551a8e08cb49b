"""Leaping, policy by policy: how long an action stays, and what many slots of it show.

Only the simulator needs this, and only it may: unlike a policy it knows the law of what will be
seen (`leaping` has the idea, docs/leaping.md the proof). For each policy that leaps

    goes_on(state, action, t, length, care, world) -> bool
        whether the action of slot t stays in all `length` slots from t on, but for e^-care
    learn_block(state, t, length, gen, world, k, load) -> reward
        draws what these slots show of arm k, takes it in, and returns its reward in all of them
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from simulation.jit import step
from simulation.learning.action import Action
from simulation.learning.arms import narrow
from simulation.learning.calm import stays
from simulation.learning.kl_index import upper_index
from simulation.learning.spans import span
from simulation.learning.splits import add_block
from simulation.parameters import LARGEST_COUNTED
from simulation.policies.likelihood import margin, over
from simulation.policies.orch_explore import reaches
from simulation.running.blocks import block_total
from simulation.running.leaping import caution, explore_block, span_of_arm
from simulation.running.likelihood_blocks import EVENTS, capacity_stays, mean_span, observe_block
from simulation.world.compiled import World
from simulation.world.draws import BERNOULLI, exploration_level
from simulation.world.elementary import log

TIE = 2.0**-50  # a few times the relative rounding error of an index

# -- OrchExplore ----------------------------------------------------------------------------------


@step
def orch_explore_goes_on(
    state: Any, action: Action, t: int, length: int, care: float, world: World
) -> bool:
    """Whether in all these slots no bound changes, L_t stays last, and no index reaches muhat_L.

    Arms before L_t may change places: that changes neither S_t nor a load.
    """
    size = action.plan[0].count
    care = caution(care, 2 * size)
    low, high = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = action.played[place]
        arm, load = state.arms[k], action.loads[k]
        least = most = arm.muhat
        if not state.strict or load < arm.lower:
            least, most = span_of_arm(world, k, arm, load, length, care)
            if arm.lower != arm.upper and (
                least < arm.steady_above
                or most > arm.steady_below
                or length > arm.steady_until - arm.individual
            ):
                return False
        if place == size - 1:
            low, high = least, most
        elif least <= high:
            return False
    level = exploration_level(t + length)
    for place in range(size, state.order.size):
        if reaches(state.arms[state.order[place]], low, state.model, level):
            return False
    return True


@step
def orch_explore_block(
    state: Any, t: int, length: int, gen: Generator, world: World, k: int, load: int
) -> float:
    """Individual explorations, as many as there are slots."""
    arm = state.arms[k]
    learns = not state.strict or load < arm.lower
    reward = explore_block(gen, world, k, arm, load, length, learns)
    if learns and arm.united > 0:
        narrow(state.arms, k, state.confidence, state.plays, t + length - 1, state.learned)
    return reward


# -- KL-UCB, MP-SE-SA -----------------------------------------------------------------------------


@step
def kl_ucb_goes_on(
    state: Any, action: Action, t: int, length: int, care: float, world: World
) -> bool:
    """Whether in all these slots the last arm's index stays below the others' and above the rest's.

    An index grows with the estimate and the level and falls with the count. Beyond the slots that
    64 bits count, floats cannot tell for a time of about 10^-14 t which of two indices is larger:
    there a block ends at the latest where one is larger by `TIE` times the numbers it is made of.
    """
    tie = TIE if t > LARGEST_COUNTED else 0.0
    size, law, parameter = action.plan[0].count, world.law, world.parameter
    care = caution(care, 2 * size)
    level, last_level = exploration_level(t), exploration_level(t + length)
    lowest, highest = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = state.order[place]
        arm = state.arms[k]
        if arm.individual == 0:
            return False
        low, high = span_of_arm(world, k, arm, action.loads[k], length, care)
        count = arm.individual
        least = upper_index(low, count + length, level, law, parameter)
        if place == size - 1:
            lowest = least
            highest = upper_index(high, count, last_level, law, parameter)
        elif least <= highest:
            return False
    for place in range(size, state.order.size):
        arm = state.arms[state.order[place]]
        room = tie * max(abs(lowest), abs(arm.muhat))
        if upper_index(arm.muhat, arm.individual, last_level, law, parameter) >= lowest + room:
            return False
    return True


@step
def last_stays(state: Any, action: Action, t: int, length: int, care: float, world: World) -> bool:
    """Whether the estimates of all other arms stay above that of the last.

    No arm is eliminated any more: the action changes if another arm becomes the last.
    """
    size = action.plan[0].count
    care, highest = caution(care, 2 * size), -math.inf
    for place in range(size - 1, -1, -1):
        k = state.order[place]
        low, high = span_of_arm(world, k, state.arms[k], action.loads[k], length, care)
        if place == size - 1:
            highest = high
        elif low <= highest:
            return False
    return True


@step
def mean_block(
    state: Any, t: int, length: int, gen: Generator, world: World, k: int, load: int
) -> float:
    """Observations per load."""
    return explore_block(gen, world, k, state.arms[k], load, length, True)


# -- the likelihood policy ------------------------------------------------------------------------


@step
def likelihood_goes_on(
    state: Any, action: Action, t: int, length: int, care: float, world: World
) -> bool:
    """Whether in all these slots the last arm stays last, and no arm becomes worth a play."""
    size, end = action.plan[0].count, t + length
    care = caution(care, EVENTS * size)
    lowest, highest = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = state.order[place]
        arm, candidates, load = state.arms[k], state.candidates[k], action.loads[k]
        low, high = mean_span(world, k, arm, load, length, care)
        level = 0.0
        if place == size - 1:
            lowest, highest = low, high
        else:
            level = log(end) + margin(end)
            if low <= highest:
                return False
        if not capacity_stays(world, k, arm, candidates, load, length, care, low, high, level):
            return False
    for place in range(size, state.order.size):
        if not over(state, state.order[place], lowest, log(end), log(end) + margin(end), 0.0) > 0.0:
            return False
    return True


@step
def likelihood_block(
    state: Any, t: int, length: int, gen: Generator, world: World, k: int, load: int
) -> float:
    """Observations at one load."""
    arm, candidates = state.arms[k], state.candidates[k]
    return observe_block(gen, world, k, state.model, arm, candidates, load, length)


# -- law-free --------------------------------------------------------------------------------------


@step
def law_free_goes_on(
    state: Any, action: Action, t: int, length: int, care: float, world: World
) -> bool:
    """Whether in all these slots the last arm stays last, no test opens, and no capacity changes.

    With Bernoulli rewards e counts successes, or nothing: it has the deviations of muhat.
    """
    size, law, proxy = state.now[0].size, world.law, state.model.parameter
    care, highest = caution(care, 2 * size), -math.inf
    for place in range(size - 1, -1, -1):
        k = state.order[place]
        arm, load, mean = state.arms[k], action.loads[k], world.means[k]
        b, served = arm.capacity, min(load, world.capacities[k])
        share, split = served / load, state.splits[k, b - 1]
        arm.least, arm.most = span(
            arm.muhat, arm.count, share * mean, share * share * proxy, length, care, law
        )
        if split.low > 0 and law == BERNOULLI:
            counted = mean if served * (b + 1) > b * load else 0.0
            chance = split.above / split.low
            arm.often = span(chance, split.low, counted, proxy, length, care, law)[1]
        if place == size - 1:
            highest = arm.most
        elif arm.least <= highest:
            return False
    return stays(state, size, t, length)


@step
def law_free_block(
    state: Any, t: int, length: int, gen: Generator, world: World, k: int, load: int
) -> float:
    """Observations at one load, added to the arm's groups."""
    served = min(load, world.capacities[k])
    total = block_total(gen, world.law, world.parameter, world.means[k], length)
    successes, groups = world.law == BERNOULLI, (state.splits[k], state.by_load[k])
    add_block(state.arms[k], *groups, load, served, length, total, successes)
    return float(served * total)


LEAPS: dict[str, tuple[Any, Any]] = {
    "orch-explore": (orch_explore_goes_on, orch_explore_block),
    "kl-ucb": (kl_ucb_goes_on, mean_block),
    "mp-se-sa": (last_stays, mean_block),
    "likelihood": (likelihood_goes_on, likelihood_block),
    "law-free": (law_free_goes_on, law_free_block),
}
