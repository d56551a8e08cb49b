"""OrchExplore: the kernel against its slow twin, against exact enumeration, and its invariants."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from twins.arena import slots_played
from twins.instances import small_instances
from twins.orch_explore import Learner, Settings, Slot
from twins.sources import Drawn, Source, every_outcome

from simulation.errors import InputError
from simulation.learning.arms import ARM
from simulation.learning.certificates import no_candidate
from simulation.learning.likelihoods import Model
from simulation.policies import find
from simulation.policies.orch_explore import PHASES
from simulation.running.runs import Record, run_many
from simulation.world.draws import exploration_level, kl, stream
from simulation.world.instance import Instance

OPTIONS = st.fixed_dictionaries(
    {
        "interval": st.sampled_from(["uniform", "hoeffding", "joint"]),
        "width": st.sampled_from(["paper", "scaled"]),
        "delta": st.sampled_from([None, 0.9, 0.1]),
        "reading": st.sampled_from(["resolved", "resolved", "literal"]),
    }
)


def twin_settings(instance: Instance, horizon: int, options: dict[str, Any]) -> Settings:
    """The options of the policy, worked out by hand."""
    delta = 2 / horizon if options["delta"] is None else options["delta"]
    if options["interval"] == "hoeffding":
        delta /= horizon
    sigma = float(instance.reward.proxy_variance) ** 0.5 if options["width"] == "scaled" else 0.5
    strict = options["reading"] == "literal"
    return Settings(delta, options["interval"], 2 * sigma, strict)


def run_both(
    instance: Instance, policy: str, horizon: int, seed: int, options: dict[str, Any]
) -> tuple[list[Slot], Record]:
    """The twin's slots and the kernel's record, with a checkpoint at every slot."""
    if policy == "orch-explore-kc":
        given_options, rules = {}, Settings(1.0, told=instance.capacities)
    else:
        given_options, rules = options, twin_settings(instance, horizon, options)
    slots = Learner(instance, Drawn(instance, stream(seed, 0)), rules).run(horizon)
    every = np.arange(1, horizon + 1)
    return slots, run_many(instance, policy, horizon, every, seed, 0, 1, given_options)


def assert_same(instance: Instance, slots: list[Slot], record: Record) -> None:
    """Same phases, actions' regret, rewards, bounds and times, slot by slot."""
    regret = np.diff(record.regret[0], axis=1, prepend=0.0)
    expected = np.zeros_like(regret)
    for t, slot in enumerate(slots):
        expected[PHASES.index(slot.phase), t] = float(slot.regret)
    # the kernel adds up floats, the twin has exact numbers: they differ by rounding only
    np.testing.assert_allclose(regret, expected, rtol=0, atol=1e-9)
    assert record.optimal[0].tolist() == np.cumsum([s.regret == 0 for s in slots]).tolist()
    # the rewards show every random number and every load, to the bit
    assert record.reward[0].tolist() == np.cumsum([s.reward for s in slots]).tolist()
    assert record.played[0].tolist() == slots_played(instance, [s.action for s in slots])
    assert tuple(record.lower[0]) == slots[-1].lower
    assert tuple(record.upper[0]) == slots[-1].upper


def learned_times(slots: list[Slot], started_known: bool) -> list[int]:
    times = []
    for k in range(len(slots[0].lower)):
        known = (t for t, s in enumerate(slots, 1) if s.lower[k] == s.upper[k])
        times.append(0 if started_known else next(known, 0))
    return times


@given(
    instance=small_instances(),
    policy=st.sampled_from(["orch-explore", "orch-explore", "orch-explore-kc"]),
    horizon=st.sampled_from([1, 2, 3, 60, 400]),
    seed=st.integers(0, 10**6),
    options=OPTIONS,
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    instance: Instance, policy: str, horizon: int, seed: int, options: dict[str, Any]
) -> None:
    slots, record = run_both(instance, policy, horizon, seed, options)
    assert_same(instance, slots, record)
    known = policy == "orch-explore-kc" or instance.plays == 1
    assert record.learned[0].tolist() == learned_times(slots, known)
    for earlier, later in pairwise(slots):
        assert all(a <= b for a, b in zip(earlier.lower, later.lower, strict=True))
        assert all(a >= b for a, b in zip(earlier.upper, later.upper, strict=True))
        assert all(a <= b for a, b in zip(later.lower, later.upper, strict=True))


@pytest.mark.parametrize(
    ("name", "delta"), [("paper", None), ("paper-gaussian", 0.5), ("5g-4g", 0.5)]
)
def test_the_shortcuts_of_long_runs_change_nothing(name: str, delta: float | None) -> None:
    options = {"interval": "uniform", "width": "paper", "delta": delta, "reading": "resolved"}
    instance = Instance.load(name)
    slots, record = run_both(instance, "orch-explore", 8000, 3, options)
    assert_same(instance, slots, record)


def test_long_exploitation_follows_the_twin_to_the_end() -> None:
    # two arms learnt early, a third near the last one: thousands of slots without a candidate,
    # broken by single explorations
    instance = Instance([0.95, 0.9, 0.6, 0.5], [2, 3, 3, 1], 3)
    options = {"interval": "joint", "width": "paper", "delta": 0.9, "reading": "resolved"}
    slots, record = run_both(instance, "orch-explore", 15000, 5, options)
    assert_same(instance, slots, record)
    phases = [slot.phase for slot in slots]
    assert phases.count("exploitation") > 10000
    assert phases[10000:].count("deliberate") > 0


@given(
    level=st.integers(3, 10**6),
    x=st.floats(0.05, 0.95),
    counts=st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
    below=st.lists(st.floats(0.001, 0.9), min_size=4, max_size=4),
    law=st.sampled_from([(0, 0.0), (1, 0.5), (2, 4.0)]),
    dip=st.floats(0, 1),
)
@settings(max_examples=500, deadline=None, derandomize=True)
def test_no_arm_becomes_a_candidate_under_the_certificate(
    level: int, x: float, counts: list[int], below: list[float], law: tuple[int, float], dip: float
) -> None:
    t = level
    arms = np.zeros(len(counts) + 1, dtype=ARM)
    arms["muhat"], arms["individual"] = x, 1
    for k, (tau, share) in enumerate(zip(counts, below, strict=False), 1):
        arms[k]["muhat"], arms[k]["individual"] = x * (1 - share), tau

    def is_candidate(k: int, x: float, t: int) -> bool:
        muhat, tau = arms[k]["muhat"], arms[k]["individual"]
        return bool(muhat >= x or tau * kl(*law, muhat, x) <= exploration_level(t))

    others = range(1, arms.size)
    assume(not any(is_candidate(k, x, t) for k in others))
    floor, until = no_candidate(arms, np.arange(arms.size), 1, Model(*law), t)
    assert t <= until <= 2**62
    assert floor <= x
    for later_x in (floor, floor + dip * (x - floor), x, x + 0.04):
        assert not any(is_candidate(k, later_x, until) for k in others)


# -- exact expectation


def expected_regret(instance: Instance, horizon: int, rules: Settings) -> np.ndarray:
    """E[regret] of each slot by phase, over every reward, coin and tie, in rational numbers."""

    def begin(source: Source) -> Learner:
        return Learner(instance, source, rules)

    states: dict[Any, tuple[Fraction, Learner]] = {}
    for chance, learner in every_outcome(instance, begin):
        states[learner.state()] = (chance, learner)
    total = np.full((len(PHASES), horizon), Fraction(0))
    for t in range(1, horizon + 1):
        after: dict[Any, tuple[Fraction, Learner]] = {}
        for weight, learner in states.values():

            def one_slot(source: Source, learner: Learner = learner, t: int = t) -> Learner:
                copy = learner.copy(source)
                copy.play(t)
                return copy

            for chance, outcome in every_outcome(instance, one_slot):
                slot = outcome.slots.pop()
                total[PHASES.index(slot.phase), t - 1] += weight * chance * slot.regret
                seen, _ = after.get(outcome.state(), (Fraction(0), outcome))
                after[outcome.state()] = (seen + weight * chance, outcome)
        states = after
        assert sum(weight for weight, _ in states.values()) == 1
    return total.astype(float)


@pytest.mark.parametrize(
    ("instance", "horizon"),
    [
        (Instance([0.7, 0.4], [1, 1], 1), 8),
        (Instance([0.5, 0.9, 0.2], [2, 1, 2], 2), 4),
        (Instance([1, 0.5, 0.25], [2, 1, 2], 2), 6),
        (Instance([0.5, 1, 0.5], [1, 2, 1], 2), 6),
    ],
    ids=["one play", "two plays", "a sure arm", "equal means"],
)
def test_mean_regret_is_the_exact_expectation(instance: Instance, horizon: int) -> None:
    # 4 instances, at most 104 means, each allowed 6 standard errors: one false alarm in 1e6 seeds
    runs, delta = 20_000, 0.9
    exact = expected_regret(instance, horizon, Settings(delta)).cumsum(axis=1)
    every = np.arange(1, horizon + 1)
    record = run_many(instance, "orch-explore", horizon, every, 11, 0, runs, {"delta": delta})
    error = record.regret.std(axis=0, ddof=1) / runs**0.5
    assert np.all(np.abs(record.regret.mean(axis=0) - exact) <= 6 * error + 1e-12)
    assert error.max() < 0.02 * exact.sum(axis=0)[-1]  # a bias of an eighth would be seen
    assert exact.sum() > 0


# -- invariants


def test_equal_means_and_known_capacities_lose_nothing_ever() -> None:
    instance = Instance([0.3] * 5, [2, 1, 3, 1, 1], 4)
    record = run_many(instance, "orch-explore-kc", 2000, np.array([1, 100, 2000]), 2, 0, 20)
    assert np.all(record.regret == 0.0)
    assert np.all(record.optimal == [1, 100, 2000])


def test_with_one_play_there_is_no_capacity_to_learn() -> None:
    instance = Instance([0.2, 0.9, 0.6], [3, 1, 2], 1)
    grid = np.array([10, 3000])
    unknown, known = (
        run_many(instance, name, 3000, grid, 4, 0, 10)
        for name in ("orch-explore", "orch-explore-kc")
    )
    for ours, theirs in zip(unknown, known, strict=True):
        assert np.array_equal(ours, theirs)


@given(small_instances(), st.integers(0, 1000))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_shorter_run_is_the_beginning_of_a_longer_one(instance: Instance, seed: int) -> None:
    grid, options = np.array([7, 50, 300]), {"delta": 0.3}
    long = run_many(instance, "orch-explore", 1000, grid, seed, 0, 2, options)
    short = run_many(instance, "orch-explore", 300, grid, seed, 0, 2, options)
    for field in ("regret", "reward", "optimal"):
        assert np.array_equal(getattr(long, field), getattr(short, field))
    assert np.all(short.lower <= long.lower)
    assert np.all(long.lower <= long.upper)
    assert np.all(long.upper <= short.upper)
    assert np.all(np.diff(long.regret, axis=2) >= 0.0)


def test_the_literal_count_learns_nothing_and_pays_for_ever() -> None:
    instance, grid = Instance.load("paper"), np.array([10_000, 20_000])
    record = run_many(instance, "orch-explore", 20_000, grid, 1, 0, 5, {"reading": "literal"})
    assert np.all(record.learned == 0)
    total = record.regret.sum(axis=1)
    assert np.all(total[:, 1] > 1.9 * total[:, 0])


def test_hoeffding_learns_later_than_the_uniform_interval() -> None:
    instance, grid = Instance.load("paper"), np.array([20_000])
    uniform, hoeffding = (
        run_many(instance, name, 20_000, grid, 1, 0, 10)
        for name in ("orch-explore", "orch-explore-hfd")
    )
    assert np.all(uniform.learned[:, 0] < hoeffding.learned[:, 0])
    told = run_many(instance, "orch-explore", 20_000, grid, 1, 0, 10, {"interval": "hoeffding"})
    assert np.array_equal(hoeffding.regret, told.regret)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reading": "loose"}, "options: reading: loose: expected one of resolved, literal"),
        (
            {"interval": "wald"},
            "options: interval: wald: expected one of uniform, hoeffding, joint",
        ),
        ({"delta": 1.5}, "options: delta: 1.5: expected a number strictly between 0 and 1"),
        ({"colour": 1}, "orch-explore: colour: unknown option: expected one of interval, width"),
    ],
)
def test_a_bad_option_gets_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        run_many(Instance.load("paper"), "orch-explore", 10, np.array([10]), 1, 0, 1, options)
    assert str(caught.value).startswith(message)


def test_known_capacities_take_no_options() -> None:
    assert find("orch-explore-kc").defaults == {}
