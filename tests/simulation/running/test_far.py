"""Leaping beyond the slots that 64 bits count: the clock, the sampler, and runs of up to 10^30."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from simulation.errors import InputError
from simulation.parameters import ETA, LARGEST_COUNTED, LARGEST_LEAPT
from simulation.rewards.laws import Gaussian
from simulation.running import checkpoints, runs
from simulation.running.blocks import PEAK, likeliest_beyond, log_ratio, successes
from simulation.running.replicate import replicate
from simulation.running.results import RECORDED
from simulation.running.runs import run_many
from simulation.world.draws import stream
from simulation.world.instance import Instance
from simulation.world.slots import (
    _far_after,
    _far_last_before,
    _far_room,
    _far_told,
    _far_within,
    odd_slot,
)

FALSE_ALARM = 1e-6  # how often, over all seeds, each test of fit fails a right simulator
PAPER = Instance.load("paper")
EASY = Instance([0.9, 0.5, 0.2, 0.1], [2, 1, 1, 1], 3)
POLICIES = ("orch-explore", "orch-explore-hfd", "orch-explore-kc", "kl-ucb-kc", "mp-se-sa", "se-kc")


# -- the clock -----------------------------------------------------------------------------


def walk() -> list[tuple[int, tuple[float, float], float]]:
    """Slots from 1 to 10^30 by steps of any size, as they are and as pairs, and the last step."""
    gen, slot, pair, found = np.random.default_rng(0), 1, (1.0, 0.0), []
    while slot < LARGEST_LEAPT:
        most = min(slot, 10.0 ** gen.uniform(0, 30))
        length = 1.0 if gen.random() < 0.3 else max(float(math.floor(most)), 1.0)
        slot, pair = slot + int(length), _far_after(pair, length)
        found.append((slot, pair, length))
    return found


def test_no_slot_up_to_10_to_the_30_is_lost() -> None:
    found = walk()
    assert len(found) > 100
    for slot, (high, low), _ in found:
        assert int(high) + int(low) == slot
        assert high == float(slot)
        told = _far_told((high, low))
        assert odd_slot(told) is (slot % 2 == 1)
        assert abs(Fraction(told) - slot) <= Fraction(slot, 2**51)
        last = _far_last_before((high, low))
        assert last in (0.0, float(slot - 1))
        assert (last == 0.0) is (int(float(slot - 1)) != slot - 1)


def test_blocks_end_at_checkpoints_and_never_pass_them() -> None:
    for slot, pair, _ in walk():
        for end in (1e22, 1e25, 1e30):
            assert _far_within(pair, end) is (slot <= int(end))
            if slot <= int(end):
                room = _far_room(pair, end)
                exact = int(end) - slot + 1
                assert 1 <= room <= exact
                assert room >= exact * (1 - 1e-15)
                assert room == exact or exact > 2**50


# -- the sampler -----------------------------------------------------------------------------

SIZES = (1e19, 123456789e16, 1e24, 1e30)
CHANCES = (0.5, 0.4999, 0.3, 1e-3, 1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("p", CHANCES)
def test_the_likeliest_value_is_exact_and_the_law_falls_off_from_it_as_computed(n, p) -> None:
    first, rest, excess = likeliest_beyond(n, p)
    m = int(first) + int(rest)
    assert m == math.floor((int(n) + 1) * Fraction(p))
    assert abs(int(n) * Fraction(p) - m - Fraction(excess)) < 1e-12
    sigma = math.sqrt(n * p * (1 - p))
    with mpmath.workdps(80):
        chance, slots = mpmath.mpf(p), mpmath.mpf(int(n))

        def log_chance(k: int) -> mpmath.mpf:
            ways = sum(
                sign * mpmath.loggamma(x + 1) for sign, x in ((1, slots), (-1, k), (-1, slots - k))
            )
            return ways + k * mpmath.log(chance) + (slots - k) * mpmath.log(1 - chance)

        assert mpmath.exp(log_chance(m)) * sigma > PEAK
        for deviations in (-8, -2, -0.3, 0.7, 3, 8):
            d = int(deviations * sigma)
            found = log_ratio(n, p, first + rest, excess, d)
            error = abs(found - (log_chance(m + d) - log_chance(m)))
            assert math.exp(found) * error < 5e-15
            assert error < 1e-13


@pytest.mark.parametrize(("n", "p"), [(1e19, 0.3), (1e22, 0.9), (1e26, 0.5), (1e22, 1e-15)])
def test_successes_follow_the_normal_law_they_are_close_to(n, p) -> None:
    gen = stream(2, 0)
    drawn = np.array([successes(gen, n, p) for _ in range(20_000)])
    scaled = (drawn - n * p) / math.sqrt(n * p * (1 - p))
    assert stats.kstest(scaled, "norm").pvalue > FALSE_ALARM
    assert stats.kstest(scaled + 0.05, "norm").pvalue < FALSE_ALARM, "no power"


def test_few_successes_of_very_many_slots_follow_the_poisson_law_they_are_close_to() -> None:
    gen = stream(3, 0)
    drawn = np.array([successes(gen, 1e22, 1e-21) for _ in range(20_000)]).astype(int)
    observed = np.append(np.bincount(drawn, minlength=20)[:20], (drawn >= 20).sum())
    expected = stats.poisson(10).pmf(np.arange(20)) * drawn.size
    expected = np.append(expected, drawn.size - expected.sum())
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_certain_and_impossible_successes() -> None:
    assert {successes(stream(0, 0), 1e22, p) for p in (0.0, 1.0)} == {0.0, 1e22}


# -- runs ------------------------------------------------------------------------------------


def counted_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run counts as those beyond 64 bits do."""
    for module in (runs, checkpoints):
        monkeypatch.setattr(module, "LARGEST_COUNTED", 0)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("instance", [EASY, PAPER], ids=["easy", "paper"])
def test_up_to_2_to_the_53_slots_the_bits_are_those_of_64_bits(
    policy: str, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    horizon, slots = 10**15, 10 ** np.arange(1, 16)
    if (policy, instance) == ("mp-se-sa", PAPER):
        horizon, slots = 10**5, 10 ** np.arange(1, 6)
    whole = run_many(instance, policy, horizon, slots, 3, 0, 2, eta=ETA)
    counted_in_floats(monkeypatch)
    floats = run_many(instance, policy, horizon, slots, 3, 0, 2, eta=ETA)
    assert floats.optimal.dtype == np.float64
    assert whole.optimal.dtype == np.int64
    for name in RECORDED:
        assert np.array_equal(getattr(floats, name), getattr(whole, name)), name


@pytest.mark.parametrize("law", [None, Gaussian(Fraction(1, 4))], ids=["bernoulli", "gaussian"])
def test_beyond_2_to_the_53_slots_the_law_is_that_of_64_bits(
    law: Gaussian | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = Instance([0.95, 0.7, 0.1, 0.05], [2, 2, 1, 1], 3, law)
    slots = np.array([10**17, 10**18])
    whole = run_many(instance, "orch-explore", 10**18, slots, 1, 0, 300, eta=1e-6)
    counted_in_floats(monkeypatch)
    floats = run_many(instance, "orch-explore", 10**18, slots, 2, 0, 300, eta=1e-6)
    regret = [record.regret.sum(axis=1) for record in (whole, floats)]
    lost = [
        record.reward - slots * float(instance.optimal_reward) + sums
        for record, sums in zip((whole, floats), regret, strict=True)
    ]
    pairs = [
        *((regret[0][:, i], regret[1][:, i]) for i in range(2)),
        *((lost[0][:, i], lost[1][:, i]) for i in range(2)),
        *((whole.played[:, 0, k], floats.played[:, 0, k]) for k in (2, 3)),
        *((whole.learned[:, k], floats.learned[:, k]) for k in range(2)),
    ]
    least = min(float(stats.ks_2samp(*pair, method="asymp").pvalue) for pair in pairs)
    assert least * len(pairs) > FALSE_ALARM


@pytest.mark.parametrize("policy", POLICIES)
def test_runs_of_10_to_the_30_slots_take_few_steps_with_every_checkpoint(policy: str) -> None:
    slots = [10**k for k in range(1, 31)]
    record = run_many(EASY, policy, LARGEST_LEAPT, slots, 1, 0, 2, eta=ETA)
    assert np.all(record.leaps.sum(axis=1) < 10**6)
    assert np.all(np.diff(record.regret.sum(axis=1), axis=1) >= 0)
    grid = np.array(slots, dtype=float)
    rounded = record.leaps.sum(axis=1, keepdims=True) * 2.0**-53
    for counts in (record.optimal, record.played[:, 0, :2]):
        assert np.all(np.abs(counts / grid[-1 if counts.shape[1] == 2 else slice(None)]) < 1.0001)
    assert np.all(np.abs(record.optimal[:, -1:] / grid[-1] - 1) < 1e-15 + rounded)
    expected = grid * float(EASY.optimal_reward) - record.regret.sum(axis=1)
    allowed = 18 * np.sqrt(grid) + 3 * rounded * grid
    assert np.all(np.abs(record.reward - expected) < allowed)


@pytest.mark.parametrize("scale", [Fraction(2) ** 30, Fraction(1, 2**30)], ids=["huge", "tiny"])
def test_runs_of_kl_ucb_do_not_depend_on_the_unit_of_rewards(scale: Fraction) -> None:
    """What is told apart is relative: an absolute margin would stop explorations, or never end."""
    means = [Fraction(k, 16) for k in (14, 8, 3, 2)]
    found = [
        run_many(
            Instance([unit * mean for mean in means], [2, 1, 1, 1], 3, Gaussian(unit**2 / 4)),
            *("kl-ucb-kc", 10**24, [10**21, 10**24], 1, 0, 3),
            eta=1e-6,
        )
        for unit in (Fraction(1), scale)
    ]
    one, other = (record.played[:, 0, 2:4] for record in found)
    assert np.all(one > 100)
    assert np.all(np.abs(other / one - 1) < 0.5)
    assert np.all(found[1].leaps.sum(axis=1) < 10**6)


def test_bits_do_not_depend_on_who_computes_them(tmp_path) -> None:
    call = {"horizon": "1e22", "runs": 6, "seed": 5, "leap": True}
    whole = replicate(PAPER, "orch-explore", **call, chunk=6)["orch-explore"]
    pieces = replicate(PAPER, "orch-explore", **call, chunk=2, jobs=2)["orch-explore"]
    assert whole == pieces
    # a call that ended after four of the runs, and one that goes on
    replicate(PAPER, "orch-explore", **(call | {"runs": 4}), chunk=2, store=tmp_path)
    again = replicate(PAPER, "orch-explore", **call, store=tmp_path)["orch-explore"]
    assert again.restored == 4
    assert again == whole
    row = again.to_json()
    assert row["checkpoints"][-1] == 1e22
    assert 0 < row["tv_error"] < 1e-9
    assert row["steps"] == whole.leaps.sum(axis=1).mean()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"horizon": "1.1e30"},
            "simulate: horizon: 1.1e30: expected a whole number from 1 to 1e+30",
        ),
        ({"policies": "law-free"}, "simulate: leap: policy law-free: expected up to 9e+18 slots"),
        ({"policies": "likelihood"}, "simulate: leap: policy likelihood: expected up to 9e+18"),
    ],
)
def test_what_cannot_be_leapt_so_far_gets_one_line(changes: dict, message: str) -> None:
    call = {"instance": PAPER, "policies": "orch-explore", "horizon": "1e22", "runs": 1}
    with pytest.raises(InputError) as caught:
        replicate(**(call | changes), leap=True)
    assert str(caught.value).startswith(message)


def test_runs_just_above_64_bits_are_like_those_just_below() -> None:
    easy = Instance([1, 0.5, 0.1], [1, 1, 1], 2)
    for horizon in (LARGEST_COUNTED, LARGEST_COUNTED + 10**18):
        found = replicate(easy, "orch-explore", horizon, 2, leap=True)["orch-explore"]
        assert found.checkpoints[-1] == horizon
        assert np.all(found.optimal[:, -1] > 0.999_999 * horizon)
        assert np.all(found.leaps.sum(axis=1) < 10**5)
