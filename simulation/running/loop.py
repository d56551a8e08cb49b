"""The simulator's loop: it asks a policy for actions, draws rewards, and records regret.

A policy never sees the true means and capacities, and never reports its own regret. The loop is
written once, with `decide`, `learn` and `stands` as placeholders; each policy gets a copy
(`jit.clone`) in which these are its own functions and `earn` draws from the instance's law, so that
nothing else is compiled. Runs that leap have a separate loop for the same reason.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError
from simulation.jit import cached, clone, folded
from simulation.learning.action import RULES, Action, broken
from simulation.running.leaping import longest_try, next_end, settle_block
from simulation.running.policy_transport import has_shipped_code, identity
from simulation.running.trace import Trace, count_plays, settle
from simulation.world.compiled import World, regret
from simulation.world.draws import (
    BERNOULLI,
    BETA,
    EMPIRICAL,
    GAUSSIAN,
    beta,
    sampled,
    standard_normal,
)
from simulation.world.slots import COUNTED, FAR

if TYPE_CHECKING:
    from simulation.policies import Policy


def _slots(
    gen: Generator, world: World, horizon: int, trace: Trace, state: Any, action: Action
) -> int:
    """All slots, one by one; returns the slot of an illegal action, or 0.

    An action that `stands` is repeated without deciding again.
    """
    loads, played, plan = action.loads, action.played, action.plan[0]
    t: Any = np.int64(1)  # not a literal, for whose type everything would be compiled again
    while t <= horizon:
        decide(state, t, gen, action)
        if CHECKED and broken(action, world.plays, trace.regret_so_far.size) > 0:
            return int(t)
        trace.standing[0] = plan.standing
        slot_regret, phase, size, first = regret(world, loads), plan.phase, plan.count, t
        while True:
            reward = 0.0
            for place in range(size):
                k = played[place]
                y = min(loads[k], world.capacities[k]) * earn(gen, world, k)
                reward += y
                learn(state, t, gen, phase, k, loads[k], y)
            settle(trace, t, phase, slot_regret, reward)
            if t >= horizon or not stands(state, t + 1):
                break
            t += 1
        count_plays(trace, world.capacities, loads, t - first + 1)
        t += 1
    return 0


def _leaping(
    gen: Generator, world: World, horizon: int, trace: Trace, state: Any, action: Action
) -> int:
    """All slots; where the action certainly stays, up to probability eta, they are drawn in
    blocks.

    Slots are counted in 64 bits or as pairs of floats, see `world.slots`.
    """
    loads, played, plan = action.loads, action.played, action.plan[0]
    place_in_time = first()
    while within(place_in_time, horizon):
        t = told(place_in_time)
        decide(state, t, gen, action)
        trace.standing[0] = plan.standing
        slot_regret, phase, length = regret(world, loads), plan.phase, 1
        if plan.quiet:
            length = longest_try(trace, room(place_in_time, next_end(trace, horizon)))
            while length > 1 and not goes_on(state, action, t, length, trace.caution, world):
                length //= 2
            trace.stride[0] = length
        place_in_time = after(place_in_time, length)
        last = last_before(place_in_time)
        reward = 0.0
        if length > 1:
            for place in range(plan.count):
                k = played[place]
                reward += learn_block(state, t, length, gen, world, k, loads[k])
            settle_block(trace, last, length, phase, slot_regret, reward)
        else:
            for place in range(plan.count):
                k = played[place]
                y = min(loads[k], world.capacities[k]) * earn(gen, world, k)
                reward += y
                learn(state, t, gen, phase, k, loads[k], y)
            settle(trace, last, phase, slot_regret, reward)
            trace.leaps[1] += 1
        count_plays(trace, world.capacities, loads, length)
    return 0


def _turn(
    state: Any,
    slot: int,
    gen: Generator,
    action: Action,
    rewards: np.ndarray,
    scale: float,
    seen: np.ndarray,
) -> None:
    """One step of an agent: learn from a slot, decide for the next.

    `seen` counts, by arm and load, how often it was played and the sum of its rewards.
    """
    phase = action.plan[0].phase
    for place in range(action.plan[0].count):
        k = action.played[place]
        load, y = action.loads[k], rewards[k] / scale
        seen[0, k, load - 1] += 1.0
        seen[1, k, load - 1] += y
        learn(state, slot, gen, phase, k, load, y)
    decide(state, slot + 1, gen, action)


# -- placeholders for the names in the loops -----------------------------------------------------

CHECKED = False  # whether every action is checked: for policies that are not shipped


def decide(state: Any, slot: int, gen: Generator, action: Action) -> None:
    raise NotImplementedError("a clone has the policy's own")


earn: Any = decide
goes_on: Any = decide
learn_block: Any = decide
first = told = within = after = last_before = room = earn


def learn(
    state: Any, slot: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """For a policy that never learns."""


def stands(state: Any, slot: int) -> bool:
    """For a policy that decides in every slot."""
    return False


@folded
def earn_bernoulli(gen: Generator, world: World, k: int) -> float:
    return 1.0 if gen.random() < world.means[k] else 0.0


@folded
def earn_gaussian(gen: Generator, world: World, k: int) -> float:
    return float(world.means[k] + world.table[k, 1] * standard_normal(gen))


@folded
def earn_beta(gen: Generator, world: World, k: int) -> float:
    mean, concentration = world.means[k], world.table[k, 0]
    return beta(gen, mean * concentration, (1.0 - mean) * concentration)


@folded
def earn_sampled(gen: Generator, world: World, k: int) -> float:
    return sampled(gen, world.table, k)


EARN = {
    BERNOULLI: earn_bernoulli,
    GAUSSIAN: earn_gaussian,
    BETA: earn_beta,
    EMPIRICAL: earn_sampled,
}


def loop_of(policy: Policy, law: int, leaping: bool = False, far: bool = False) -> Any:
    """The compiled loop of a policy for a reward law; `far`: for more slots than 64 bits count."""
    names: tuple[Any, ...] = (policy.decide, policy.learn, policy.stands)
    if leaping:
        from simulation.running.leaps import LEAPS

        names += LEAPS[policy.leaps]
    return _loop(names, law, leaping, far, not has_shipped_code(policy), *identity(policy))


@cache
def _loop(
    names: tuple[Any, ...], law: int, leaping: bool, far: bool, checked: bool, name: str, kept: bool
) -> Any:
    meant = _meant(name, kept, *names) | {"earn": EARN[law], "CHECKED": checked}
    meant |= FAR if far else COUNTED
    kind = "far" if far else "leaping" if leaping else "slots"
    return clone(_leaping if leaping else _slots, f"{kind}_{name}_{law}", kept, **meant)


def turn_of(policy: Policy) -> Any:
    """The compiled step of an agent with this policy."""
    return _turn_of((policy.decide, policy.learn), *identity(policy))


@cache
def _turn_of(names: tuple[Any, ...], name: str, kept: bool) -> Any:
    return clone(_turn, f"turn_{name}", kept, **_meant(name, kept, *names))


_said: set[str] = set()


def announced(policy: Policy, compiled: Any) -> Any:
    """The function to be called; if it has to be compiled, say so once on standard error."""
    if policy.name not in _said and not compiled.signatures and not cached(compiled):
        _said.add(policy.name)
        kept = "once on this machine" if identity(policy)[1] else "once in this process"
        print(f"compiling {policy.name}, {kept}", file=sys.stderr, flush=True)
    return compiled


def _meant(name: str, kept: bool, *parts: Any) -> dict[str, Any]:
    """The functions that replace the placeholders in a policy's loop.

    Functions that the policy lacks are cloned for it, too: numba stores all types for which a
    function was compiled in one file, which cannot be loaded without the module of every State.
    """
    found = dict(zip(("decide", "learn", "stands", "goes_on", "learn_block"), parts, strict=False))
    for each, instead in (("learn", learn), ("stands", stands)):
        if found.get(each) is None:
            found[each] = clone(instead, f"{each}_{name}", kept, fold=True)
    return found


def run_compiled(
    policy: Policy,
    arguments: tuple[Any, ...],
    loop: Any,
    gen: Generator,
    world: World,
    horizon: float,
    trace: Trace,
) -> None:
    """One run; its slots are counted in floats if the horizon is one."""
    arms = world.means.size
    state, action = policy.begin(gen, arms, world.plays, *arguments), Action.blank(arms)
    if isinstance(horizon, float):
        state = _in_floats(state)
    slot = loop(gen, world, horizon, trace, state, action)
    if slot > 0:
        rule = RULES[broken(action, world.plays, trace.regret_so_far.size) - 1]
        raise InputError(f"policy {policy.name}", f"slot {slot}", str(action.loads), rule)
    if policy.report is not None:
        policy.report(state, horizon, trace.learned, trace.lower, trace.upper)


COUNTS = ("individual", "united")  # fields that count slots


def _in_floats(state: Any) -> Any:
    """A policy's state with counts of slots that are floats, for more than 64 bits count."""
    arms = state.arms
    kinds = {name: arms.dtype[name] for name in arms.dtype.names}
    kinds |= dict.fromkeys(COUNTS, np.dtype(np.float64))
    counted = {"arms": arms.astype(np.dtype(list(kinds.items())))}
    if hasattr(state, "learned"):
        counted["learned"] = state.learned.astype(np.float64)
    return state._replace(**counted)


# -- policies in plain Python ---------------------------------------------------------------------


def _play_slot(
    gen: Generator, world: World, t: int, trace: Trace, loads: np.ndarray, rewards: np.ndarray
) -> None:
    """One slot with these loads; writes what each arm earned."""
    total = 0.0
    for k in range(loads.size):
        rewards[k] = 0.0
        if loads[k] > 0:
            rewards[k] = min(loads[k], world.capacities[k]) * earn(gen, world, k)
            total += rewards[k]
    settle(trace, t, 0, regret(world, loads), total)
    count_plays(trace, world.capacities, loads, 1)


@cache
def play_slot(law: int) -> Any:
    """The slot function of a policy in plain Python, for a reward law."""
    return clone(_play_slot, f"play_slot_{law}", True, earn=EARN[law])


def run_plain(policy: Policy, gen: Generator, world: World, horizon: int, trace: Trace) -> None:
    """One run of a policy that is a class with `decide` and `learn`."""
    arms = world.means.size
    player, rewards = policy.player(arms, world.plays), np.zeros(arms)  # type: ignore[misc]
    play, learns = play_slot(world.law), hasattr(player, "learn")
    for t in range(1, horizon + 1):
        loads = loads_of(policy, player.decide(t, gen), t, arms, world.plays)
        play(gen, world, t, trace, loads, rewards)
        if learns:
            player.learn(t, loads, rewards)


def loads_of(policy: Policy, decided: Any, slot: int, arms: int, plays: int) -> np.ndarray:
    """The loads that a class's `decide` returned, after a check."""
    try:
        given = np.asarray(decided, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(0, math.nan)
    where, found = f"policy {policy.name}", str(decided).replace("\n", " ")[:80]
    if given.shape != (arms,):
        raise InputError(where, f"slot {slot}", found, f"a load for each of the {arms} arms")
    if not np.all(given == np.floor(given)):  # also false for NaN
        raise InputError(where, f"slot {slot}", found, "whole loads")
    if given.min() < 0:
        raise InputError(where, f"slot {slot}", found, RULES[0])
    if given.sum() != plays:
        raise InputError(where, f"slot {slot}", found, f"{RULES[1]}, {plays}")
    return given.astype(np.int64)
