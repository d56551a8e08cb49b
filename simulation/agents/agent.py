"""Agents: a policy that a person or a program uses slot by slot, by `ask` and `tell`.

An agent does what the simulator does with the same policy, except that rewards come from outside.
It can be saved. With a journal it survives crashes: each slot is handed to the operating system
before `tell` returns, and an agent that is loaded again continues with the same bits
(docs/agents.md).
"""

from __future__ import annotations

import json
import math
import os
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulation.agents import journal as disk
from simulation.agents.settings import law_setting, setup_of
from simulation.agents.summary import Summary
from simulation.errors import InputError, shown
from simulation.files.writing import write
from simulation.jit import fingerprint
from simulation.learning.action import Action
from simulation.learning.capacity import phi
from simulation.parameters import LARGEST_SEED, whole_number
from simulation.policies import Policy, find
from simulation.rewards.laws import RewardLaw
from simulation.running.loop import announced, loads_of, turn_of
from simulation.running.trial import leaves, require_tried
from simulation.world.draws import stream

OUTSIDE = ("refuse", "clip")
CONFIDENCE = 0.05


def agent(
    policy: str | type | Policy,
    arms: Sequence[str],
    plays: int,
    *,
    scale: float = 1.0,
    seed: int = 0,
    law: str | RewardLaw | None = None,
    horizon: int | None = None,
    capacities: Sequence[int] | None = None,
    outside: str = "refuse",
    journal: str | os.PathLike[str] | None = None,
    sync: str = "never",
    **options: Any,
) -> Agent:
    """Make an agent from a policy: ask it for plays, tell it rewards. See docs/agents.md.

    policy      name of a policy, or one of your own
    arms        names of the arms
    plays       plays in each slot, fewer than arms
    scale       largest reward of one play; the policy sees rewards divided by it
    seed        of the policy's random numbers
    law, horizon, capacities   what the policy needs to know in advance (see `policies`). `law` is
                of rewards divided by the scale: "bernoulli", "gaussian:0.01" or "beta:4"
    outside     for a reward below 0 or above scale times plays: "refuse" it, or "clip" and count it
    journal     folder of a journal; if there is one in it, the agent continues from it
    sync        "every slot": each slot is on the disk when `tell` returns; "never": soon after
    options     of the policy, by name

    >>> player = agent("law-free", arms=["north", "south", "east"], plays=2, scale=300, seed=1)
    >>> question = player.ask()
    >>> sum(question.values()), player.slot
    (2, 1)
    >>> player.tell({name: 100.0 * plays for name, plays in question.items()})
    >>> player.slot
    2
    """
    chosen = find(policy)
    settings = {
        "format": 1,
        "version": fingerprint(),  # digest of all code that could change a decision
        "policy": chosen.name,
        "arms": _names(arms),
        "plays": whole_number("agent", "plays", plays, 1, len(arms) - 1),
        "scale": _positive("scale", scale),
        "seed": whole_number("agent", "seed", seed, 0, LARGEST_SEED),
        "law": law_setting(law),
        "horizon": None if horizon is None else whole_number("agent", "horizon", horizon, 1, 2**62),
        "capacities": None if capacities is None else [int(each) for each in capacities],
        "outside": outside,
        "options": chosen.options(options),
    }
    if outside not in OUTSIDE:
        raise InputError("agent", "outside", shown(outside), f"one of {', '.join(OUTSIDE)}")
    require_tried(chosen)
    if journal is None:
        return Agent(chosen, settings)
    return _reopened(chosen, settings, Path(journal), sync)


def load_agent(
    path: str | os.PathLike[str], policy: type | Policy | None = None, sync: str = "never"
) -> Agent:
    """Load an agent from a saved file, or from the folder of its journal.

    path     the file or folder
    policy   needed if the policy is not a shipped one
    sync     of the journal, as for `agent`

    An agent of a class in plain Python is read with pickle: do not load files from others.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     agent("law-free", arms=["north", "south"], plays=1).save(f"{folder}/saved")
    ...     load_agent(f"{folder}/saved")
    <agent law-free, 2 arms, slot 1>
    """
    place = Path(path)
    if not place.exists():
        raise InputError(str(place), "agent", "no such file", "a saved agent, or its journal")
    settings = disk.settings_of(place) if place.is_dir() else disk.read_state(place)[0]
    if settings is None:
        raise InputError(str(place), "agent", "no journal in it", "the folder of a journal")
    chosen = find(settings["policy"] if policy is None else policy)
    current = settings | {"policy": chosen.name, "version": fingerprint()}
    if place.is_dir():
        return _reopened(chosen, current, place, sync)
    disk.require_same(place, current, settings)
    found = Agent(chosen, current)
    found._restore(disk.read_state(place)[1])
    return found


def _reopened(policy: Policy, settings: dict[str, Any], path: Path, sync: str) -> Agent:
    opened = disk.Journal(path, settings, sync)
    found = Agent(policy, settings)
    if (path / "state").is_file():
        begun, arrays = disk.read_state(path / "state")
        disk.require_same(path / "state", settings, begun)
        found._restore(arrays)
    for slot, rewards in opened.kept():
        if slot == found.slot:
            found._take_in(rewards)
        elif slot > found.slot:
            expected = f"slot {found.slot}, the next one"
            raise InputError(str(path), "journal", f"slot {slot}", expected)
    found._journal = opened
    return found


class Agent:
    """A policy in some slot; made by `agent` and `load_agent`."""

    def __init__(self, policy: Policy, settings: dict[str, Any]) -> None:
        self.policy, self.settings, self.slot, self.clipped = policy, settings, 1, 0
        self.arms: list[str] = settings["arms"]
        self._place = {name: k for k, name in enumerate(self.arms)}
        self._gen = stream(settings["seed"], 0)
        self._journal: disk.Journal | None = None
        self._asked = False
        self._law, setup = setup_of(policy, settings)
        self._scale: float = settings["scale"]
        self._top = self._scale if self._law.bounded else math.inf
        count, plays = len(self.arms), settings["plays"]
        # by arm and load: number of slots, and sum of rewards
        self._seen = np.zeros((2, count, plays))
        self._action = Action.blank(count)
        if policy.player is not None:
            self._state: Any = policy.player(count, plays)
            self._decide_plain()
        else:
            arguments = policy.arguments(setup, settings["options"])
            self._state = policy.begin(self._gen, count, plays, *arguments)
            self._turn = announced(policy, turn_of(policy))
            assert policy.decide is not None
            policy.decide(self._state, 1, self._gen, self._action)
        self._pose()

    def _pose(self) -> None:
        loads = self._action.loads.tolist()
        self._question = {name: load for name, load in zip(self.arms, loads, strict=True) if load}

    def ask(self) -> dict[str, int]:
        """The number of plays for each arm in this slot; the same until `tell` is called."""
        self._asked = True
        return dict(self._question)

    def tell(self, rewards: Mapping[str, float]) -> None:
        """Give the total reward of each played arm in this slot; the policy learns and decides
        again.
        """
        if not self._asked:
            raise InputError(
                "tell", f"slot {self.slot}", "nothing was asked", "ask, then tell once"
            )
        question = self._question
        if rewards.keys() != question.keys():
            raise self._other_arms(rewards)
        told = [0.0] * len(self.arms)
        for name, reward in rewards.items():
            value = float(reward)
            if not 0.0 <= value <= question[name] * self._top:
                value = self._outside(name, value)
            told[self._place[name]] = value
        if self._journal is not None:
            self._journal.add(self.slot, told)
        self._take_in(told)
        if self._journal is not None and self._journal.records >= disk.MOST_RECORDS:
            self._journal.compact(self._packed())

    def _other_arms(self, rewards: Mapping[str, float]) -> InputError:
        asked = ", ".join(self._question)
        for name in self._question:
            if name not in rewards:
                return InputError("tell", shown(name), "no reward", f"one for each of {asked}")
        name = next(name for name in rewards if name not in self._question)
        return InputError("tell", shown(name), "not asked", f"rewards of {asked} alone")

    def _outside(self, name: str, value: float) -> float:
        """Check a reward outside the range; Gaussian rewards have no range."""
        top = self._question[name] * self._top
        if math.isfinite(value) and not self._law.bounded:
            return value
        if not math.isfinite(value) or self.settings["outside"] == "refuse":
            expected = (
                f"0 to {top:g}, the scale times the plays" if math.isfinite(top) else "a number"
            )
            raise InputError("tell", shown(name), f"{value:g}", expected)
        return value  # clipped only when learning, so that the journal has the original value

    def _take_in(self, told: list[float]) -> None:
        """Learn from this slot and decide for the next."""
        rewards, loads = np.array(told), self._action.loads
        if self.settings["outside"] == "clip":
            limited = np.clip(rewards, 0.0, loads * self._top) if self._law.bounded else rewards
            self.clipped += int((limited != rewards).sum())
            rewards = limited
        if self.policy.player is None:
            turn = (self._state, self.slot, self._gen, self._action, rewards)
            self._turn(*turn, self._scale, self._seen)
            self.slot += 1
        else:
            self._learn_plain(loads, rewards / self._scale)
            self.slot += 1
            self._decide_plain()
        self._asked = False
        self._pose()

    def _learn_plain(self, loads: np.ndarray, rewards: np.ndarray) -> None:
        for k in np.flatnonzero(loads):
            self._seen[:, k, loads[k] - 1] += 1.0, rewards[k]
        if hasattr(self._state, "learn"):
            self._state.learn(self.slot, loads.copy(), rewards)

    def _decide_plain(self) -> None:
        decided = self._state.decide(self.slot, self._gen)
        sizes = (len(self.arms), self.settings["plays"])
        self._action.loads[:] = loads_of(self.policy, decided, self.slot, *sizes)

    # -- kept ------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent to a file for `load_agent`."""
        write(path, self._packed(), "save")

    def _packed(self) -> bytes:
        chance = json.dumps(self._gen.bit_generator.state).encode()
        numbers = np.array([self.slot, self.clipped])
        held = [numbers, np.frombuffer(chance, dtype=np.uint8), self._seen, *self._action]
        if self.policy.player is not None:
            held.append(np.frombuffer(pickle.dumps(self._state), dtype=np.uint8))
        else:
            held += leaves(self._state)
        return disk.packed(self.settings, held)

    def _restore(self, arrays: list[np.ndarray]) -> None:
        numbers, chance, *held = arrays
        self.slot, self.clipped = map(int, numbers)
        self._gen.bit_generator.state = json.loads(chance.tobytes())
        places = [self._seen, *self._action]
        if self.policy.player is not None:
            self._state = pickle.loads(held.pop().tobytes())
        else:
            places += leaves(self._state)
        _written(places, held)
        self._pose()

    def close(self) -> None:
        """Close the journal, so that another process may use it."""
        if self._journal is not None:
            self._journal.close()

    # -- shown -----------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """What is known of each arm, and what would be played if learning stopped now."""
        count, plays, loads = len(self.arms), self.settings["plays"], self._seen.shape[2]
        lower, upper = np.ones(count, dtype=np.int64), np.full(count, plays)
        if self.policy.report is not None:
            before = [leaf.copy() for leaf in leaves(self._state)]  # a report may change the state
            self.policy.report(self._state, max(self.slot - 1, 1), lower * 0, lower, upper)
            _written(leaves(self._state), before)
        each = np.arange(1, loads + 1)
        within = each <= lower[:, None]  # loads that certainly are within capacity
        often = (self._seen[0] * within).sum(axis=1)
        with np.errstate(invalid="ignore"):
            mean = (self._seen[1] / each * within).sum(axis=1) / often
        spread = 2.0 * math.sqrt(self._law.proxy_variance)
        width = np.array([spread * float(phi(int(n), CONFIDENCE)) for n in often])
        best, left = np.zeros(count, dtype=np.int64), plays
        for k in np.argsort(-np.nan_to_num(mean, nan=-math.inf), kind="stable"):
            best[k] = min(left, lower[k])
            left -= best[k]
        title = f"{self.policy.name}, slot {self.slot:,}"
        found = (mean * self._scale, width * self._scale, lower, upper, self._seen[0] @ each, best)
        return Summary(title, self.arms, *found)

    def __repr__(self) -> str:
        return f"<agent {self.policy.name}, {len(self.arms)} arms, slot {self.slot}>"


def _written(places: Sequence[np.ndarray], arrays: Sequence[np.ndarray]) -> None:
    for place, array in zip(places, arrays, strict=True):
        place[...] = array


def _names(arms: Sequence[str]) -> list[str]:
    names = [str(name) for name in arms]
    if isinstance(arms, str) or len(names) < 2 or len(set(names)) < len(names):
        raise InputError("agent", "arms", shown(arms), "two or more names, each once")
    return names


def _positive(field: str, value: float) -> float:
    if not (isinstance(value, int | float) and 0.0 < value < math.inf):
        raise InputError("agent", field, shown(value), "a number above 0")
    return float(value)
