"""Agents: the decisions of the simulator, refusals, and what survives a kill at any moment."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from events import kill_after

from boundcheck import agent, load_agent
from simulation.agents.agent import Agent
from simulation.errors import InputError
from simulation.policies import WHERE
from simulation.rewards.laws import Beta, Gaussian
from simulation.rewards.samples import Empirical
from simulation.running.runs import run_many
from simulation.world.compiled import World, earn, regret
from simulation.world.draws import stream
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[3]
FEW = {"means": ["0.9", "0.6", "0.55", "0.2"], "capacities": [2, 1, 3, 1], "plays": 3}
SAMPLES = [["0.9", "1", "0.8"], ["0.6", "0.6"], ["0.55"], ["0.1", "0.3"]]
LAWS = [
    Instance(**FEW),
    Instance(**FEW, reward=Gaussian(Fraction(1, 10))),
    Instance(**FEW, reward=Beta(Fraction(4))),
    Instance(**FEW, reward=Empirical.measured(SAMPLES)),
]
NAMES = ["north", "south", "east", "west"]


def told(name: str, instance: Instance, horizon: int) -> dict[str, Any]:
    """What an agent of a policy is told in the simulator."""
    from simulation.policies import find

    known = {"horizon": horizon, "capacities": list(instance.capacities)}
    words = find(name).told
    return {"law": instance.reward} | {k: v for k, v in known.items() if k in words}


def fed(player: Agent, instance: Instance, slots: int) -> list[float]:
    """The regret of each slot, with rewards drawn as the simulator draws them."""
    world, lost = World.of(instance), []
    for _ in range(slots):
        player.ask()
        action = player._action
        played = action.played[: int(action.plan["count"][0])].tolist()
        lost.append(float(regret(world, action.loads)))
        player.tell(Drawing(player, world, played))
    return lost


class Drawing(dict):  # type: ignore[type-arg]
    """Rewards of a slot, drawn from the agent's own stream arm by arm, as it learns."""

    def __init__(self, player: Agent, world: World, played: list[int]) -> None:
        super().__init__()
        for k in played:
            if not getattr(player, "_drawn", True):
                self[player.arms[k]] = 0.0
                continue
            served = min(int(player._action.loads[k]), int(world.capacities[k]))
            self[player.arms[k]] = served * earn(player._gen, world, k)


def between_rewards(player: Agent, instance: Instance) -> None:
    """For a policy that draws a coin between two rewards: rewards are drawn as it learns."""
    policy, world = player.policy, World.of(instance)
    assert policy.decide is not None
    assert policy.learn is not None

    def turn(
        state: Any, slot: int, gen: Any, action: Any, told: np.ndarray, scale: float, seen: Any
    ) -> None:
        for k in action.played[: int(action.plan["count"][0])].tolist():
            load = int(action.loads[k])
            seen[0, k, load - 1] += 1
            y = min(load, int(world.capacities[k])) * earn(gen, world, k)
            policy.learn(state, slot, gen, 0, k, load, y)
        policy.decide(state, slot + 1, gen, action)

    player._turn = turn
    player._drawn = False  # type: ignore[attr-defined]


PAIRS = [
    (name, instance)
    for name in WHERE
    for instance in LAWS
    if name not in ("likelihood", "certify") or instance.reward.name != "empirical"
]


@pytest.mark.parametrize(("name", "instance"), PAIRS, ids=lambda x: getattr(x, "reward", x))
def test_an_agent_takes_the_decisions_of_the_simulated_run(name: str, instance: Instance) -> None:
    law = instance.reward.name
    slots = 300 if name == "certify" else 10_000
    player = agent(name, NAMES, 3, seed=5, **told(name, instance, slots))
    if name == "ts-kc" and law in ("beta", "empirical"):
        between_rewards(player, instance)
    lost = fed(player, instance, slots)
    every = np.arange(1, slots + 1)
    record = run_many(instance, name, slots, every, 5, 0, 1)
    # decision by decision: arms have different gaps, so the regret of a slot tells the action
    assert np.diff(record.regret[0].sum(axis=0), prepend=0.0).tolist() == pytest.approx(lost)
    loads = np.array(player._seen[0]).sum(axis=1)
    assert loads.tolist() == record.played[0, 0].tolist()


# -- asked and told -------------------------------------------------------------------------------


def rewards(question: dict[str, int], slot: int) -> dict[str, float]:
    gen = stream(99, slot)
    return {name: plays * 100.0 * float(gen.random()) for name, plays in question.items()}


def driven(player: Agent, until: int) -> list[dict[str, int]]:
    questions = []
    while player.slot <= until:
        questions.append(player.ask())
        player.tell(rewards(questions[-1], player.slot))
    return questions


def test_a_question_stays_until_it_is_answered_once() -> None:
    player = agent("law-free", NAMES, 2, scale=100)
    question = player.ask()
    assert player.ask() == question
    assert sum(question.values()) == 2
    player.tell(rewards(question, 1))
    with pytest.raises(InputError, match="tell: slot 2: nothing was asked: expected ask"):
        player.tell(rewards(question, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told, first: told.pop(first), "no reward: expected one for each of"),
        (lambda told, first: told.update(nobody=1.0), "tell: nobody: not asked"),
        (lambda told, first: told.update({first: float("nan")}), "nan: expected 0 to 100"),
        (lambda told, first: told.update({first: 100.5}), "100.5: expected 0 to 100, the scale"),
        (lambda told, first: told.update({first: -1.0}), "-1: expected 0 to 100"),
    ],
)
def test_what_cannot_be_told_is_one_line_and_nothing_is_lost(
    change: Any, message: str, tmp_path: Path
) -> None:
    player = agent("law-free", NAMES, 2, scale=100, journal=tmp_path)
    question = player.ask()
    right = rewards(question, 1)
    wrong, first = dict(right), next(iter(question))
    change(wrong, first)
    with pytest.raises(InputError, match=message):
        player.tell(wrong)
    assert player.ask() == question
    player.tell(right)
    assert player.slot == 2


def test_rewards_outside_the_range_are_clipped_and_counted_on_request(tmp_path: Path) -> None:
    player = agent("law-free", NAMES, 2, scale=100, outside="clip", journal=tmp_path)
    question = player.ask()
    player.tell(dict.fromkeys(question, 500.0))
    assert player.clipped == len(question)
    player.close()
    assert load_agent(tmp_path).clipped == len(question)


def test_a_policy_says_what_it_has_to_be_told() -> None:
    with pytest.raises(
        InputError, match="agent: horizon: not given: expected horizon=, which orch"
    ):
        agent("orch-explore", NAMES, 2)
    with pytest.raises(InputError, match="agent: law: not given"):
        agent("likelihood", NAMES, 2)
    with pytest.raises(InputError, match="agent: arms"):
        agent("law-free", ["a", "a"], 1)


def test_the_summary_shows_what_is_known() -> None:
    player = agent("law-free", NAMES, 2, scale=100, seed=1)
    driven(player, 500)
    before = player.ask()
    found = player.summary()
    assert player.ask() == before
    assert sum(found.best) == 2
    assert sum(found.plays) == 1000
    assert found.cells()["arm"] == NAMES
    assert all(
        low < mean < high
        for low, mean, high in zip(
            found.cells()["mean_low"], found.mean, found.cells()["mean_high"], strict=True
        )
    )
    assert "would play" in str(found)
    assert "<table" in found._repr_html_()


# -- kept -----------------------------------------------------------------------------------------


class Turns:
    """Arms in turn."""

    def __init__(self, arms: int, plays: int) -> None:
        self.loads = np.array([plays] + [0] * (arms - 1))

    def decide(self, slot: int, gen: np.random.Generator) -> np.ndarray:
        return self.loads

    def learn(self, slot: int, loads: np.ndarray, rewards: np.ndarray) -> None:
        self.loads = np.roll(self.loads, 1 + (rewards.sum() > 1))


@pytest.mark.parametrize("name", ["law-free", "orch-explore", "ts-kc", "mp-se-sa", Turns])
def test_saved_and_loaded_it_goes_on_as_if_nothing_had_happened(name: Any, tmp_path: Path) -> None:
    known = {"horizon": 1000, "capacities": [2, 1, 1, 1], "scale": 100, "seed": 3}
    player = agent(name, NAMES, 2, **known)
    driven(player, 70)
    player.save(tmp_path / "saved")
    again = load_agent(tmp_path / "saved", policy=None if isinstance(name, str) else name)
    assert again.slot == 71
    assert driven(again, 140) == driven(player, 140)


def test_a_journal_is_compacted_and_gone_on_with(tmp_path: Path, monkeypatch: Any) -> None:
    from simulation.agents import journal

    monkeypatch.setattr(journal, "MOST_RECORDS", 40)
    expected = driven(agent("law-free", NAMES, 2, scale=100, seed=4), 300)
    found: list[dict[str, int]] = []
    for until in (10, 40, 41, 130, 300):
        player = agent("law-free", NAMES, 2, scale=100, seed=4, journal=tmp_path)
        found += driven(player, until)
        player.close()
    assert found == expected
    assert (tmp_path / "journal").stat().st_size < 40 * 44 + 1000


def test_a_journal_of_another_agent_is_one_line(tmp_path: Path) -> None:
    agent("law-free", NAMES, 2, scale=100, journal=tmp_path).close()
    for change, message in (
        ({"policy": "mp-se-sa", "horizon": 9}, "policy: mp-se-sa: expected law-free, as it was"),
        ({"scale": 200}, "scale: 200.0: expected 100.0"),
        ({"arms": list("abcd")}, "arms: "),
        ({"seed": 8}, "seed: 8: expected 0"),
    ):
        given = {"policy": "law-free", "arms": NAMES, "plays": 2, "scale": 100} | change
        with pytest.raises(InputError, match=message):
            agent(**given, journal=tmp_path)
    held = agent("law-free", NAMES, 2, scale=100, journal=tmp_path)
    with pytest.raises(InputError, match="in use: expected one agent at a time"):
        load_agent(tmp_path)
    held.close()
    text = (tmp_path / "journal").read_bytes()
    (tmp_path / "journal").write_bytes(text.replace(b"law-free", b"law-frei", 1))
    with pytest.raises(InputError, match="first line: damaged"):
        load_agent(tmp_path)


def test_a_torn_last_record_is_asked_again_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    player = agent("law-free", NAMES, 2, scale=100, journal=tmp_path)
    questions = driven(player, 9)
    player.close()
    file = tmp_path / "journal"
    whole = file.read_bytes()
    file.write_bytes(whole[:-7])
    again = load_agent(tmp_path)
    assert (again.slot, again.ask()) == (9, questions[-1])
    again.close()
    flipped = bytearray(whole)
    flipped[-100] ^= 1
    file.write_bytes(bytes(flipped))
    with pytest.raises(InputError, match=r"record \d: damaged"):
        load_agent(tmp_path)
    assert file.read_bytes() == bytes(flipped)


KILLS = 6  # twenty in test_journey.py
CHILD = """
import json, sys
from boundcheck import agent
from simulation.agents import journal
from simulation.world.draws import stream
journal.MOST_RECORDS = 50
player = agent("law-free", ["north", "south", "east", "west"], 2, scale=100, seed=6,
               journal=sys.argv[1])
with open(sys.argv[2], "a") as log:
    while True:
        slot, question = player.slot, player.ask()
        log.write(json.dumps([slot, question]) + "\\n")
        log.flush()
        gen = stream(99, slot)
        player.tell({name: plays * 100.0 * float(gen.random()) for name, plays in question.items()})
"""


def test_killed_at_any_moment_it_goes_on_with_the_same_decisions(tmp_path: Path) -> None:
    chance = random.Random(1)
    log = tmp_path / "log"
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path / "j"), str(log)], cwd=ROOT
        )
        kill_after(chance.randrange(1, 120), log, child)
    asked = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}]")]
    expected = driven(agent("law-free", NAMES, 2, scale=100, seed=6), asked[-1][0])
    for slot, question in asked:
        assert question == expected[slot - 1]
    slots = [slot for slot, _ in asked]
    repeats = sum(one == other for one, other in itertools.pairwise(slots))
    assert repeats <= KILLS
    assert all(0 <= b - a <= 1 for a, b in itertools.pairwise(slots))
