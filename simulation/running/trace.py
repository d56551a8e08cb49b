"""What one run records: running sums, copied at the checkpoints.

Memory does not grow with the horizon: a run stores its running sums and one row per checkpoint.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulation.jit import inlined, step


class Trace(NamedTuple):
    """One run's rows of a `Record`, with its running sums."""

    checkpoints: np.ndarray  # slots, increasing
    regret: np.ndarray  # (phases, checkpoints)
    reward: np.ndarray  # (checkpoints,)
    optimal: np.ndarray  # (checkpoints,)
    candidates: np.ndarray  # (checkpoints,)
    learned: np.ndarray  # (arms,)
    lower: np.ndarray  # (arms,)
    upper: np.ndarray  # (arms,)
    played: np.ndarray  # (2, arms): slots with a play, slots with more plays than the capacity
    regret_so_far: np.ndarray  # (phases,)
    reward_so_far: np.ndarray  # (1,)
    optimal_so_far: np.ndarray  # (1,)
    passed: np.ndarray  # (1,): checkpoints so far
    standing: np.ndarray  # (1,): arms not eliminated; a policy that eliminates keeps it
    leaps: np.ndarray  # (2,): blocks leapt so far (see `leaping`), slots one by one beside them
    stride: np.ndarray  # (1,): slots in the last block
    caution: float  # log(1 / eta); infinite: slot by slot


@inlined
def settle(trace: Trace, t: int, phase: int, regret: float, reward: float) -> None:
    """Record slot t: its regret under the phase that caused it, and its realised total reward."""
    trace.regret_so_far[phase] += regret
    trace.reward_so_far[0] += reward
    if regret == 0.0:
        trace.optimal_so_far[0] += 1
    row = trace.passed[0]
    if row < trace.checkpoints.size and t == trace.checkpoints[row]:
        for each in range(trace.regret_so_far.size):
            trace.regret[each, row] = trace.regret_so_far[each]
        trace.reward[row] = trace.reward_so_far[0]
        trace.optimal[row] = trace.optimal_so_far[0]
        trace.candidates[row] = trace.standing[0]
        trace.passed[0] = row + 1


@step
def count_plays(trace: Trace, capacities: np.ndarray, loads: np.ndarray, slots: int) -> None:
    """Count an action that was played in this many slots, for each arm."""
    for k in range(loads.size):
        if loads[k] > 0:
            trace.played[0, k] += slots
        if loads[k] > capacities[k]:
            trace.played[1, k] += slots
