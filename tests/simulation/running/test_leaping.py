"""Leaping: the law of a run that leaps against exact laws, certificates, and slot by slot.

Each comparison of laws is seeded, and would fail a right simulator with probability `FALSE_ALARM`
over all seeds.
"""

from __future__ import annotations

import math
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats
from twins.leaping import MISTAKES, exact_law

from simulation.errors import InputError
from simulation.learning.action import PLAN, Action
from simulation.learning.kl_index import upper_index
from simulation.learning.likelihoods import ARM, CANDIDATE, Model, compare, observe, weigh
from simulation.learning.spans import span
from simulation.parameters import ETA, LARGEST_COUNTED
from simulation.policies import POLICIES, Policy, Setup, find
from simulation.policies.kl_ucb_kc import State, begin
from simulation.rewards.laws import Beta, Gaussian
from simulation.running.leaping import MOST_BLOCKS
from simulation.running.leaps import kl_ucb_goes_on, law_free_goes_on
from simulation.running.likelihood_blocks import _add_block, capacity_stays, mean_span
from simulation.running.loop import EARN
from simulation.running.replicate import replicate
from simulation.running.runs import Record, run_many
from simulation.world.compiled import World
from simulation.world.draws import kl, stream
from simulation.world.instance import Instance

FALSE_ALARM = 1e-6
ANYTHING = 1e9  # an eta that makes every block that the drift allows
PAPER = Instance.load("paper")
LEAPING = [name for name in POLICIES if POLICIES[name].leaps]
RECORDED = ("regret", "reward", "optimal", "candidates", "learned", "lower", "upper", "played")


# -- exact laws, blocks forced -----------------------------------------------------------

TINY = {
    "likelihood": (Instance(["0.9", "0.3"], [1, 1], 1), (4, 6)),
    "kl-ucb-kc": (Instance(["0.9", "0.3", "0.2"], [1, 1, 1], 1), (5, 7)),
    "se-kc": (Instance(["0.9", "0.3"], [1, 1], 1), (6, 8)),
    "orch-explore-kc": (Instance(["0.9", "0.3"], [1, 1], 1), (3, 6)),
    "law-free": (Instance(["0.8", "0.2"], [1, 1], 1), (4, 6)),
}


@cache
def forced(policy: str) -> Record:
    """Runs of a tiny instance that leap whenever the drift allows it."""
    instance, checkpoints = TINY[policy]
    options = {"gamma": 0.25} if policy == "se-kc" else None
    slots = np.array(checkpoints)
    return run_many(instance, policy, checkpoints[-1], slots, 1, 0, 20_000, options, eta=ANYTHING)


def fit(record: Record, law: dict[tuple[tuple[float, float], ...], Fraction]) -> float:
    """The p-value of the runs under a law of (regret, reward) at the checkpoints."""
    rows = zip(np.round(record.regret.sum(axis=1), 9).tolist(), record.reward.tolist(), strict=True)
    seen = Counter(tuple(zip(*row, strict=True)) for row in rows)
    if not seen.keys() <= law.keys():
        return 0.0
    expected = np.array([float(chance) * len(record.reward) for chance in law.values()])
    observed = np.array([seen[outcome] for outcome in law])
    rare = expected < 10
    pool = [np.append(each[~rare], each[rare].sum()) for each in (observed, expected)]
    return float(stats.chisquare(*pool).pvalue)


@pytest.mark.parametrize("policy", TINY)
def test_blocks_have_exactly_the_law_of_their_slots(policy: str) -> None:
    law, blocks = exact_law(policy, *TINY[policy])
    assert sum(law.values()) == 1
    record = forced(policy)
    assert fit(record, law) > FALSE_ALARM
    assert record.leaps[:, 0].mean() == pytest.approx(float(blocks), abs=0.05)
    assert blocks > 0.03, "nothing was leapt"


TOO_SMALL = {("law-free", "level frozen")}  # in six slots


@pytest.mark.parametrize(
    ("policy", "mistake"),
    sorted({*product(["likelihood", "kl-ucb-kc", "law-free"], MISTAKES)} - TOO_SMALL),
)
def test_a_planted_mistake_is_caught_by_the_exact_law(policy: str, mistake: str) -> None:
    law, _ = exact_law(policy, *TINY[policy], mistake)
    assert fit(forced(policy), law) < FALSE_ALARM


# -- certificates, with an eta that lets them fail ---------------------------------------

OFTEN = 0.1


def too_often(failures: int, trials: int) -> bool:
    return stats.binomtest(failures, trials, OFTEN, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("law", [0, 1])
def test_an_estimate_stays_in_its_span_as_often_as_promised(law: int) -> None:
    gen = np.random.default_rng(1)
    left = forgotten = trials = 0
    for _ in range(40):
        count, length = int(gen.integers(1, 400)), int(gen.integers(2, 400))
        mean, muhat = gen.uniform(0.05, 0.95, 2)
        variance = 0.25 if law == 0 else 0.5
        walks = gen.random((250, length)) < mean
        if law == 1:
            walks = mean + math.sqrt(variance) * gen.standard_normal((250, length))
        path = (count * muhat + np.cumsum(walks, axis=1)) / (count + np.arange(1, length + 1))
        care = math.log(2 / OFTEN)
        for drift, tally in ((mean, "left"), (muhat, "forgotten")):
            low, high = span(muhat, count, drift, variance, length, care, law)
            out = int(((path < low) | (path > high)).any(axis=1).sum())
            if tally == "left":
                left += out
            else:
                forgotten += out
        trials += 250
    assert not too_often(left, trials)
    assert left > 0
    assert too_often(forgotten, trials), "the drift matters"


def certified(state: State, action: Action, world: World, eta: float, t: int) -> int:
    """The longest of 2048, 1024, ... slots that the kernel certifies from slot t on; 1 if none."""
    length = 2048
    while length > 1 and not kl_ucb_goes_on(state, action, t, length, -math.log(eta), world):
        length //= 2
    return length


def test_the_action_changes_within_a_block_at_most_as_often_as_promised() -> None:
    # KL-UCB with known capacities, from states a little above the level at which it explores;
    # its decisions in every slot by NumPy
    instance = Instance([0.8, 0.5, 0.4, 0.2], [1, 1, 1, 1], 2)
    world, gen = World.of(instance), np.random.default_rng(2)
    changed, trials = Counter(), Counter()
    for _ in range(40):
        t = int(gen.integers(2_000, 20_000))
        level = math.log(t) + 4 * math.log(math.log(t))
        last = upper_index(0.5, t - 900, level, 0, 0.0)
        least = math.ceil(level / kl(0, 0.0, 0.4, last))  # arm 2 is explored at smaller counts
        counts = np.array([t, t - 900, least + gen.integers(1, 12), 300])
        team = begin(stream(0, 0), 4, 2, world.capacities, Model(0, 0.0))
        team.order[:] = range(4)
        action = Action(np.array([1, 1, 0, 0]), np.arange(4), np.zeros(1, dtype=PLAN))
        action.plan["count"] = 2
        team.arms["individual"] = counts
        team.arms["muhat"] = world.means
        team.arms["muhat"][:2] += 0.1 * gen.standard_normal(2) / np.sqrt(t)
        team.arms["individual_sum"] = counts * team.arms["muhat"]
        for eta in (OFTEN, ANYTHING):
            length = certified(team, action, world, eta, t)
            if length == 1:
                continue
            steps = np.arange(1, length)
            draws = np.cumsum(gen.random((200, 2, length - 1)) < world.means[:2, None], axis=2)
            means = (team.arms["individual_sum"][:2, None] + draws) / (counts[:2, None] + steps)
            changed[eta] += sum(action_changes(team.arms, path, t + steps) for path in means)
            trials[eta] += 200
    assert trials[OFTEN] >= 20 * 200
    assert changed[OFTEN] > 0
    assert not too_often(changed[OFTEN], trials[OFTEN])
    assert too_often(changed[ANYTHING], trials[ANYTHING]), "deviations matter"


def action_changes(arms: np.ndarray, path: np.ndarray, slots: np.ndarray) -> bool:
    """Whether in one of the slots KL-UCB fills other arms than 0 and then 1.

    Looked at in a few slots: where muhat_1 is smallest, and in the last.
    """
    for j in {int(np.argmin(path[1])), slots.size - 1}:
        level = math.log(slots[j]) + 4 * math.log(math.log(slots[j]))
        index = [
            upper_index(path[k, j], int(arms["individual"][k]) + j + 1, level, 0, 0.0)
            if k < 2
            else upper_index(arms["muhat"][k], int(arms["individual"][k]), level, 0, 0.0)
            for k in range(4)
        ]
        if not (index[0] > index[1] > max(index[2:])):
            return True
    return False


@pytest.mark.parametrize("law", [None, Gaussian(Fraction(1, 10))], ids=["range", "scale"])
def test_law_free_decides_otherwise_within_a_block_at_most_as_often_as_promised(law) -> None:
    instance = Instance([0.8, 0.6, 0.4, 0.2], [2, 2, 1, 1], 3, law)
    world, policy = World.of(instance), find("law-free")
    arguments = policy.arguments(Setup.of(instance, 0, policy.told), {})
    changed, trials = Counter(), Counter()
    for run in range(6):
        gen = stream(run, 0)
        state, action = policy.begin(gen, 4, 3, *arguments), Action.blank(4)
        for t in range(1, 1500):
            policy.decide(state, t, gen, action)
            if t >= 100 and t % 100 < 3 and action.plan[0]["quiet"]:
                for eta in (OFTEN, ANYTHING):
                    length = 32
                    while length > 1 and not law_free_goes_on(
                        state, action, t, length, -math.log(eta), world
                    ):
                        length //= 2
                    if length > 1:
                        ways = [
                            decides_otherwise(policy, state, action, t, length, world, stream(t, i))
                            for i in range(8)
                        ]
                        changed[eta] += sum(ways)
                        trials[eta] += 8
            play_once(policy, state, action, t, gen, world)
    assert trials[OFTEN] > 200
    assert not too_often(changed[OFTEN], trials[OFTEN])
    table = [[changed[eta], trials[eta] - changed[eta]] for eta in (ANYTHING, OFTEN)]
    assert stats.fisher_exact(table, "greater").pvalue < FALSE_ALARM, "deviations matter"


def play_once(policy: Policy, state, action: Action, t: int, gen, world: World) -> None:
    for k in action.played[: action.plan[0]["count"]]:
        served = min(action.loads[k], world.capacities[k])
        reward = served * EARN[world.law](gen, world, k)
        policy.learn(state, t, gen, 0, k, action.loads[k], reward)


def decides_otherwise(
    policy: Policy, state, action: Action, t: int, length: int, world: World, gen
) -> bool:
    """Whether one way to go on from slot t has another action, or an open test, in the block."""
    state, action = deepcopy((state, action))
    loads = action.loads.copy()
    for slot in range(t, t + length):
        if slot > t:
            policy.decide(state, slot, gen, action)
            if not action.plan[0]["quiet"] or not np.array_equal(action.loads, loads):
                return True
        play_once(policy, state, action, slot, gen, world)
    return False


def gaussian_arm(gen: np.random.Generator, world: World, loads: list[int]) -> tuple:
    """An arm (the first) seen at these loads, and its candidates."""
    arms, candidates = np.zeros(1, dtype=ARM), np.zeros((1, world.plays), dtype=CANDIDATE)
    arms["capacity"] = 1
    for load in loads:
        x = world.means[0] + math.sqrt(world.parameter) * gen.standard_normal()
        y = min(load, int(world.capacities[0])) * x
        observe(Model(1, world.parameter), arms[0], candidates[0], load, y)
    return arms[0], candidates[0]


GAUSSIAN = Instance([0.9, 0.5, 0.4, 0.2], [2, 1, 1, 1], 3, Gaussian(Fraction(1, 2)))


def test_likelihoods_of_capacities_stay_in_a_block_as_often_as_promised() -> None:
    world, gen = World.of(GAUSSIAN), np.random.default_rng(3)
    left = trials = blocks = 0
    for _ in range(60):
        loads = gen.permutation([1] * 200 + [2] * 500 + [3] * int(gen.integers(20, 60))).tolist()
        arm, candidates = gaussian_arm(gen, world, loads)
        if arm["capacity"] != 2:
            continue
        level = arm["doubt"] - gen.uniform(0.0, 0.3)
        care, length = math.log(4 / OFTEN), 1024
        while length > 1:
            low, high = mean_span(world, 0, arm, 2, length, care)
            if capacity_stays(world, 0, arm, candidates, 2, length, care, low, high, level):
                break
            length //= 2
        blocks += length > 1
        x = 0.9 + math.sqrt(0.5) * gen.standard_normal((200, length))
        gaps = gap_paths(arm, candidates, 2 * x)
        left += int(((gaps[0] <= 0) | (gaps[2] <= level)).any(axis=1).sum())
        trials += 200
    assert blocks > 10
    assert not too_often(left, trials)


def gap_paths(arm: np.ndarray, candidates: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """The gaps of all capacities to that of 2 while these are observed at load 2."""
    count = arm["count"] + np.arange(1, y.shape[1] + 1)
    values = []
    for c, each in enumerate(candidates, 1):
        z = y / min(2, c) - arm["total"]
        linear = each["linear"] + np.cumsum(z, axis=1)
        square = each["square"] + np.cumsum(z * z, axis=1)
        served = each["log_served"] + math.log(min(2, c)) * np.arange(1, y.shape[1] + 1)
        values.append(served + (square - linear**2 / count))
    return [value - values[1] for value in values]


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_a_block_is_what_its_observations_one_by_one_are(capacity: int) -> None:
    instance = GAUSSIAN.with_(capacities=[capacity, 1, 1, 1])
    world, gen = World.of(instance), np.random.default_rng(capacity)
    arm, candidates = gaussian_arm(gen, world, [1, 2, 3, 3, 2, 1] * 10)
    load = int(arm["capacity"])
    one_by_one, slots = arm.copy(), candidates.copy()
    x = 0.9 + math.sqrt(0.5) * gen.standard_normal(500)
    model = Model(1, world.parameter)
    for each in x:
        observe(model, one_by_one, slots, load, min(load, capacity) * each)
    deviation, squares = (x - 0.9).sum(), ((x - 0.9) ** 2).sum()
    arm["count"] += 500
    _add_block(arm, candidates, load, 500, min(load, capacity), 0.9, deviation, squares)
    for each in candidates:
        weigh(model, arm, each)
    compare(arm, candidates)
    for name in ("muhat", "capacity", "doubt", "count"):
        assert arm[name] == pytest.approx(one_by_one[name], rel=1e-9, abs=1e-9), name
    for name in ("gap", "mean"):
        assert candidates[name] == pytest.approx(slots[name], rel=1e-9, abs=1e-9), name


# -- leaping against slot by slot --------------------------------------------------------

RUNS = 300
SIDES = {
    "orch-explore": Instance([0.9, 0.6, 0.3, 0.2], [2, 2, 1, 1], 3),
    "orch-explore-kc": PAPER,
    "likelihood": Instance([0.9, 0.6, 0.3, 0.2], [2, 1, 1, 1], 3, Gaussian(Fraction(1, 4))),
    "kl-ucb-kc": Instance([0.7, 0.4, 0.3], [1, 1, 1], 1, Gaussian(Fraction(1, 4))),
    "mp-se-sa": Instance([0.9, 0.5, 0.1, 0.1], [2, 1, 1, 1], 2),
    "law-free": Instance([0.9, 0.6, 0.3, 0.2], [2, 2, 1, 1], 3),
    "law-free, a scale": Instance([0.9, 0.6, 0.3, 0.2], [2, 2, 1, 1], 3, Gaussian(Fraction(1, 4))),
}


def side_by_side(policy: str, horizon: int) -> dict[str, float]:
    """p-values of two-sample tests: leaping with one seed, slot by slot with another."""
    instance, slots = SIDES[policy], np.array([horizon // 10, horizon])
    policy = policy.split(",")[0]
    leapt = run_many(instance, policy, horizon, slots, 1, 0, RUNS, eta=ETA)
    played = run_many(instance, policy, horizon, slots, 2, 0, RUNS)
    assert leapt.leaps[:, 1].mean() < 0.8 * horizon, "nothing was leapt"
    seen = {}
    for name in ("regret", "reward", "optimal", "learned", "played"):
        for place in np.ndindex(getattr(leapt, name).shape[1:]):
            one, other = (getattr(each, name)[(slice(None), *place)] for each in (leapt, played))
            seen[f"{name} {place}"] = float(stats.ks_2samp(one, other, method="asymp").pvalue)
    return seen


@pytest.mark.parametrize("policy", SIDES)
def test_leaping_and_slot_by_slot_have_the_same_law(policy: str) -> None:
    seen = side_by_side(policy, 10**4)
    assert min(seen.values()) * len(seen) > FALSE_ALARM, min(seen, key=seen.__getitem__)


@pytest.mark.parametrize("policy", LEAPING)
def test_without_a_leap_the_bits_are_those_of_slot_by_slot(policy: str) -> None:
    slots = np.array([10, 60])
    leapt, played = (run_many(PAPER, policy, 60, slots, 3, 0, 4, eta=eta) for eta in (ETA, 0.0))
    assert not leapt.leaps[:, 0].any()
    for name in RECORDED:
        assert np.array_equal(getattr(leapt, name), getattr(played, name))


@pytest.mark.parametrize("policy", LEAPING)
def test_many_slots_in_few_steps_with_every_checkpoint(policy: str) -> None:
    slots = 10 ** np.arange(1, 13)
    instance = Instance([0.9, 0.5, 0.2, 0.1], [2, 1, 1, 1], 3)
    record = run_many(instance, policy, 10**12, slots, 1, 0, 2, eta=ETA)
    blocks, singles = record.leaps.T
    assert np.all(blocks + singles < 100_000)
    assert np.all(blocks < MOST_BLOCKS)
    assert np.all(np.diff(record.regret.sum(axis=1), axis=1) >= 0)
    assert np.all(record.optimal <= slots)
    # an optimal slot plays the first two arms and neither of the others
    assert np.all(record.played[:, 0, :2] >= record.optimal[:, -1:])
    assert np.all(record.played[:, 0, 2:] <= 10**12 - record.optimal[:, -1:])
    # the reward is that of the slots so far less the regret, up to its deviation
    expected = slots * float(instance.optimal_reward) - record.regret.sum(axis=1)
    assert np.all(np.abs(record.reward - expected) < 3 * 6 * np.sqrt(slots))
    wrong = policy == "mp-se"  # told that every capacity is 1
    assert wrong or np.all(record.optimal[:, -1] > (1 - 1e-6) * 10**12)


# -- how it is asked for -----------------------------------------------------------------


def test_replications_that_leap_say_so_and_are_the_same_wherever_computed(tmp_path) -> None:
    call = {"horizon": 10**9, "runs": 6, "seed": 5, "leap": True}
    whole = replicate(PAPER, "likelihood", **call, chunk=6, store=tmp_path)["likelihood"]
    pieces = replicate(PAPER, "likelihood", **call, chunk=2, jobs=2)["likelihood"]
    assert whole == pieces
    again = replicate(PAPER, "likelihood", **call, store=tmp_path)
    assert again["likelihood"].restored == 6
    assert "leaping (total variation" in str(again)
    (row,) = again.to_json_rows()
    assert row["leap"] is True
    assert 0 < row["tv_error"] == ETA * whole.leaps[:, 0].max() < 1e-9
    assert 0 < row["steps"] < 10**6


def test_leaping_and_slot_by_slot_have_shelves_of_their_own(tmp_path) -> None:
    for leap in (True, False):
        found = replicate(PAPER, "se-kc", 300, 2, store=tmp_path, chunk=2, leap=leap)["se-kc"]
        assert found.restored == 0
        assert found.leap is leap
    (row,) = replicate(PAPER, "se-kc", 300, 2).to_json_rows()
    assert (row["leap"], row["tv_error"], row["steps"]) == (False, 0.0, 300)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policies": "ts-kc"}, "simulate: leap: policy ts-kc: expected a policy that leaps"),
        (
            {"instance": Instance([0.5, 0.4], [1, 1], 1, Beta(Fraction(2)))},
            "simulate: leap: law beta: expected bernoulli or gaussian",
        ),
        (
            {"instance": GAUSSIAN, "options": {"interval": "likelihood"}},
            "simulate: leap: interval likelihood: expected an interval with a width",
        ),
        ({"horizon": "1e31"}, "simulate: horizon: 1e31: expected a whole number from 1 to 1e+30"),
    ],
)
def test_what_cannot_be_leapt_gets_one_line(changes: dict, message: str) -> None:
    call = {"instance": PAPER, "policies": "orch-explore", "horizon": 100, "runs": 1}
    with pytest.raises(InputError) as caught:
        replicate(**(call | changes), leap=True)
    assert str(caught.value).startswith(message)


def test_the_largest_horizon_of_64_bits_is_reached() -> None:
    easy = Instance([1, 0.5, 0.1], [1, 1, 1], 2)
    found = replicate(easy, ["orch-explore", "likelihood"], LARGEST_COUNTED, 1, leap=True)
    for policy in found:
        assert policy.checkpoints[-1] == LARGEST_COUNTED
        assert policy.optimal[0, -1] > LARGEST_COUNTED - 10**9
        assert policy.reward[0, -1] == pytest.approx(1.5 * LARGEST_COUNTED, rel=1e-8)
