"""How long an action of `law-free` stays: certified states against all that may come of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulation.learning.calm import evidence_stays_below, stays
from simulation.learning.likelihoods import Model
from simulation.learning.splits import ARM, SPLIT, add_block, fewer, more
from simulation.policies.law_free import begin, take_in_waiting
from simulation.world.draws import BERNOULLI, GAUSSIAN, stream

MODELS = {"range": Model(BERNOULLI, 0.25), "scale": Model(GAUSSIAN, 0.25)}


def drawn_split(chance: np.random.Generator, b: int) -> np.ndarray:
    split = np.zeros(1, dtype=SPLIT)
    low, high = int(chance.integers(5, 400)), int(chance.integers(1, 60))
    split["low"], split["high"] = low, high
    split["low_sum"] = low * chance.uniform(0.2, 0.9)
    split["high_sum"] = high * b * chance.uniform(0.1, 1.0)
    split["above"] = chance.integers(0, low)
    return split


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("closed", [False, True])
def test_certified_evidence_stays_below_the_level(kind: str, closed: bool) -> None:
    model, chance = MODELS[kind], np.random.default_rng(4)
    certified, crossed = 0, {"more": 0, "fewer": 0}
    for _ in range(3000):
        b, level, length = int(chance.integers(1, 4)), chance.uniform(1, 8), 50
        split, arm = drawn_split(chance, b), np.zeros(1, dtype=ARM)
        arm["capacity"], arm["closed"], arm["largest"], arm["top"] = b, closed, b, b + 2
        by_load = np.zeros(b + 2)
        by_load[b:] = split["high_sum"] * chance.dirichlet([1, 1])
        fixed = split["high_sum"] / b if closed else 0.0
        fixed_count = split["high"] if closed else 0
        muhat = ((split["low_sum"] + fixed) / (split["low"] + fixed_count))[0]
        arm["least"] = max(muhat - chance.uniform(0, 0.1), 0.01)
        arm["most"] = min(muhat + chance.uniform(0, 0.1), 0.99)
        arm["often"] = min(split["above"][0] / split["low"][0] + chance.uniform(0, 0.1), 1.0)
        surely = evidence_stays_below(model, arm[0], split[0], by_load, level, length)
        certified += surely
        for plays in (0, length // 2, length):
            for estimate in (arm["least"][0], muhat, arm["most"][0]):
                later = split.copy()
                later["low"] += plays
                later["low_sum"] = estimate * (later["low"] + fixed_count) - fixed
                later["above"] = np.floor(arm["often"] * later["low"])
                if not 0 <= later["low_sum"][0] <= later["low"][0] and kind == "range":
                    continue
                found = {"more": more(model, arm[0], later[0], b, level)}
                if not closed:
                    found["fewer"] = fewer(model, arm[0], later[0], by_load, b, level)
                for name, value in found.items():
                    crossed[name] += value > level
                    assert not (surely and value > level), (name, split, arm)
    assert 300 < certified < 2700
    assert crossed["more"] > 100
    assert closed or crossed["fewer"] > 100


@pytest.mark.parametrize(("load", "served"), [(1, 1), (3, 3), (3, 2), (4, 1)])
def test_a_block_is_what_its_plays_one_by_one_are(load: int, served: int) -> None:
    state = begin(stream(2, 0), 2, 4, MODELS["range"])
    x = np.random.default_rng(6).random(90) < 0.4
    add_block(
        state.arms[0], state.splits[0], state.by_load[0], load, served, 90, float(x.sum()), True
    )
    state.arms["load"][1], state.arms["waiting"][1] = load, 90
    state.pending[1, :90] = served * x
    take_in_waiting(state, 1)
    live = slice(served - 1, None)  # the others have a y above b
    for name in ("low", "high", "above"):
        assert np.array_equal(*state.splits[name][:, live]), name
    for name in ("low_sum", "high_sum"):
        assert state.splits[name][0, live] == pytest.approx(state.splits[name][1, live]), name
    for name in ("plays", "largest", "until"):
        assert len(set(state.arms[name])) == 1, name


def test_an_open_arm_before_the_last_one_stays_untried_while_it_has_more_high_plays() -> None:
    state = begin(stream(1, 0), 3, 2, MODELS["range"])
    arms, splits = state.arms, state.splits
    state.order[:] = range(3)
    arms["muhat"], arms["count"], arms["capacity"] = (0.9, 0.6, 0.1), 2000, 1
    arms["until"], arms["clear"] = math.inf, -math.inf
    arms["least"], arms["most"], arms["often"] = (0.85, 0.55, 0.05), (0.95, 0.65, 0.15), 0.01
    splits["low"], splits["low_sum"] = 2000, [[1800.0], [1200.0], [200.0]]
    slots = 10**6  # so few plays prove nothing at its level
    splits["low"][0], splits["low_sum"][0] = 4, 3.6
    splits["high"][0], splits["high_sum"][0] = 8, 8 * 0.9
    assert stays(state, 2, slots, 3)
    assert not stays(state, 2, slots, 4), "then n' <= n, and the test opens"
