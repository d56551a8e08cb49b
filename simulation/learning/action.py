"""The action of a slot: plays for every arm, and the order in which arms are played."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulation.jit import step

PLAN = np.dtype(
    [
        ("count", np.int64),  # how many arms get plays
        ("phase", np.int64),  # under which the slot's regret is recorded
        ("standing", np.int64),  # arms not eliminated
        ("quiet", np.bool_),  # the same action may be repeated for long, so a leap is worth trying
    ]
)


class Action(NamedTuple):
    """The action of a slot: written by `decide`, carried out by the simulator or a person."""

    loads: np.ndarray  # (arms,) plays of every arm
    played: np.ndarray  # (arms,) starts with the arms that get plays, in the order of their rewards
    plan: np.ndarray  # one record, see PLAN

    @classmethod
    def blank(cls, arms: int) -> Action:
        plan = np.zeros(1, dtype=PLAN)
        plan["standing"] = arms
        return cls(np.zeros(arms, dtype=np.int64), np.zeros(arms, dtype=np.int64), plan)


@step
def clear(action: Action, phase: int) -> None:
    """Remove all plays; what follows is recorded under this phase."""
    plan = action.plan[0]
    action.loads[:] = 0
    plan.count, plan.phase, plan.quiet = 0, phase, False


@step
def put(action: Action, arm: int, plays: int) -> None:
    """Put plays on one more arm."""
    plan = action.plan[0]
    action.loads[arm] = plays
    action.played[plan.count] = arm
    plan.count += 1


@step
def in_order(action: Action, order: np.ndarray) -> None:
    """Play the arms that have plays in this order."""
    plan = action.plan[0]
    plan.count = 0
    for place in range(order.size):
        if action.loads[order[place]] > 0:
            action.played[plan.count] = order[place]
            plan.count += 1


RULES = (
    "loads of 0 or more",
    "loads that add up to the plays",
    "played: every arm with plays once, and no other",
    "a phase that the policy has",
)


@step
def broken(action: Action, plays: int, phases: int) -> int:
    """The number of the first rule that an action breaks; 0 if it keeps them all."""
    loads, played, plan = action.loads, action.played, action.plan[0]
    total, busy = 0, 0
    for k in range(loads.size):
        if not 0 <= loads[k] <= plays:
            return 1 if loads[k] < 0 else 2
        total += loads[k]
        busy += loads[k] > 0
    if total != plays:
        return 2
    if plan.count != busy:
        return 3
    for place in range(busy):
        k = played[place]
        if not 0 <= k < loads.size or loads[k] == 0:
            return 3
        for before in range(place):
            if played[before] == k:
                return 3
    return 0 if 0 <= plan.phase < phases else 4
