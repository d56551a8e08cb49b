"""The likelihood interval: its set by another route, its level, and OrchExplore with it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.orch_explore import Learner, Settings
from twins.sources import Drawn

from simulation.errors import InputError
from simulation.learning.capacity import Confidence, Sums, is_likely, likelihood_bar, likely_bounds
from simulation.rewards.laws import Beta, Gaussian
from simulation.running.estimation import estimate
from simulation.running.runs import run_many
from simulation.world.draws import stream
from simulation.world.instance import Instance

HALF = Gaussian(Fraction(1, 2))


def predictive(z: np.ndarray, first: float, variance: float) -> float:
    """log density of normal samples whose mean has the prior N(first, variance), one by one."""
    value, centre, weight = 0.0, first, 1
    for each in z:
        spread = variance * (1 + 1 / weight)
        value -= (each - centre) ** 2 / (2 * spread) + math.log(2 * math.pi * spread) / 2
        centre, weight = (weight * centre + each) / (weight + 1), weight + 1
    return value


def mixture(x: np.ndarray, y: np.ndarray, variance: float, plays: int) -> float:
    """log density of all but the first sample, over all capacities alike and that prior."""
    mixed = [
        predictive(np.concatenate([x[1:], y / c]), x[0], variance) - y.size * math.log(c)
        for c in range(1, plays + 1)
    ]
    return float(np.logaddexp.reduce(mixed)) - math.log(plays)


def likely_set(
    x: np.ndarray, y: np.ndarray, variance: float, plays: int, delta: float
) -> list[int]:
    """The set as it is defined: best likelihood at least delta times that of the mixture."""
    best = []
    for c in range(1, plays + 1):
        z = np.concatenate([x[1:], y / c])
        density = -((z - z.mean()) ** 2) / (2 * variance) - math.log(2 * math.pi * variance) / 2
        best.append(density.sum() - y.size * math.log(c))
    bar = mixture(x, y, variance, plays) + math.log(delta)
    return [c for c in range(1, plays + 1) if best[c - 1] >= bar]


def summed(x: np.ndarray, y: np.ndarray) -> Sums:
    return Sums(
        float(x[0]), x.size, x.sum(), (x * x).sum(), y.size, float(y.sum()), float((y * y).sum())
    )


@given(
    seed=st.integers(0, 10**6),
    tau=st.integers(1, 60),
    iota=st.integers(1, 60),
    plays=st.integers(1, 9),
    variance=st.sampled_from([0.5, 0.01]),
    delta=st.sampled_from([0.5, 0.05, 1e-4]),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_set_is_that_of_the_sequential_mixture(
    seed: int, tau: int, iota: int, plays: int, variance: float, delta: float
) -> None:
    gen = np.random.default_rng(seed)
    x = 0.8 + math.sqrt(variance) * gen.standard_normal(tau)
    y = (1 + seed % plays) * (0.8 + math.sqrt(variance) * gen.standard_normal(iota))
    confidence, seen = Confidence(3, 1.0, delta, variance), summed(x, y)
    bar = likelihood_bar(confidence, seen, plays)
    expected = likely_set(x, y, variance, plays, delta)
    assert [c for c in range(1, plays + 1) if is_likely(confidence, seen, c, bar)] == expected
    ends = (expected[0], expected[-1]) if expected else (plays + 1, 0)
    assert likely_bounds(confidence, seen, plays) == ends


def test_without_both_kinds_of_samples_nothing_is_known() -> None:
    confidence = Confidence(3, 1.0, 0.1, 0.5)
    assert likely_bounds(confidence, Sums(0.0, 0, 0.0, 0.0, 9, 9.0, 9.0), 5) == (1, 5)
    assert likely_bounds(confidence, Sums(1.0, 9, 9.0, 9.0, 0, 0.0, 0.0), 5) == (1, 5)


def test_a_bernoulli_success_at_full_load_decides() -> None:
    confidence = Confidence.of(Instance.load("paper"), 100, "likelihood")
    assert likely_bounds(confidence, Sums(0.0, 3, 1.0, 1.0, 5, 0.0, 0.0), 7) == (1, 7)
    assert likely_bounds(confidence, Sums(0.0, 3, 1.0, 1.0, 5, 8.0, 32.0), 7) == (4, 4)


def test_a_law_on_the_unit_interval_without_atoms_is_refused() -> None:
    instance = Instance([0.9, 0.5, 0.4], [1, 2, 1], 2, Beta(Fraction(4)))
    with pytest.raises(InputError) as caught:
        estimate(instance, 1, interval="likelihood")
    assert str(caught.value) == (
        "options: interval: law beta: expected a Bernoulli or Gaussian law "
        "for the likelihood interval"
    )


# -- the level


@pytest.mark.parametrize("schedule", ["lockstep", "individual-first", "united-first"])
def test_the_set_holds_the_capacity_at_all_times(schedule: str) -> None:
    # delta = 0.2 and 1500 runs: a true rate above 0.2 would have to stay 4.8 standard errors
    # below itself to pass 0.15, less than once in 1e6
    arms = Instance([0.9, 0.5, 0.4, 0.3, 0.2], [2, 1, 1, 1, 1], 4, HALF)
    found = estimate(
        arms, 1, samples=200, runs=1500, delta=0.2, interval="likelihood", schedule=schedule, jobs=1
    )
    assert found.ever_excluded <= 0.15
    assert found.failure <= found.ever_excluded


def test_it_decides_several_times_sooner_than_the_joint_interval() -> None:
    # medians 40 and 170 with standard errors of some percent
    arms = Instance.load("paper-gaussian")
    ours, joint = (
        estimate(arms, 1, samples=400, runs=300, interval=interval, width="scaled", jobs=1)
        for interval in ("likelihood", "joint")
    )
    assert ours.stopping_time() < joint.stopping_time() / 3


@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_excluding_the_truth_is_as_rare_as_promised(delta: float) -> None:
    """Paths from the mixture, stopped when m = 2 leaves the set, weighted by the likelihood ratio.

    A stopped path has weight L(m, mu) / mixture: at most delta, or the set excludes too early.
    """
    m, mu, variance, plays, steps = 2, 0.9, 0.5, 4, 100
    rng = np.random.default_rng(7)
    weights = np.zeros(1200)
    confidence = Confidence(3, 1.0, delta, variance)
    for path in range(weights.size):
        first = mu + math.sqrt(variance) * rng.standard_normal()
        c, mean = rng.integers(1, plays + 1), first + math.sqrt(variance) * rng.standard_normal()
        x = np.append(first, mean + math.sqrt(variance) * rng.standard_normal(steps))
        y = c * (mean + math.sqrt(variance) * rng.standard_normal(steps))
        parts = [np.cumsum(part) for part in (x, x * x, y, y * y)]
        for n in range(1, steps + 1):
            a, b, d, e = parts[0][n - 1], parts[1][n - 1], parts[2][n - 1], parts[3][n - 1]
            seen = Sums(first, n, a, b, n, d, e)
            bar = likelihood_bar(confidence, seen, plays)
            if not is_likely(confidence, seen, m, bar):
                z = np.concatenate([x[1:n], y[:n] / m])
                constant = z.size * math.log(2 * math.pi * variance) / 2
                truth = -((z - mu) ** 2).sum() / (2 * variance) - constant - n * math.log(m)
                weights[path] = math.exp(truth - mixture(x[:n], y[:n], variance, plays))
                break
    assert weights.max() <= delta
    assert np.count_nonzero(weights) > 400  # nearly all paths from other capacities
    # the union over means and capacities costs something: a hundredth to a half of delta is used
    assert delta / 100 < weights.mean() < delta / 2


# -- OrchExplore


class LikelyLearner(Learner):
    """Algorithm 1 with the set in place of the interval."""

    def update_bounds(self) -> None:
        variance = float(self.instance.reward.parameter)
        for k in range(self.K):
            x, y = (np.diff(sums[k], prepend=0.0) for sums in (self.individual, self.united))
            if x.size == 0 or y.size == 0:
                continue
            if variance:
                likely = likely_set(x, y, variance, self.N, self.settings.delta)
            else:
                shown = {round(value) for value in y if value > 0.5}
                likely = sorted(shown) if shown else list(range(1, self.N + 1))
            if likely:
                low, high = max(likely[0], self.lower[k]), min(likely[-1], self.upper[k])
                if low <= high:
                    self.lower[k], self.upper[k] = low, high


@pytest.mark.parametrize(
    "instance",
    [
        Instance([0.9, 0.6, 0.5, 0.2], [1, 2, 2, 1], 3, HALF),
        Instance([0.9, 0.6, 0.5, 0.2], [3, 2, 2, 1], 3, Gaussian(Fraction(1, 100))),
        Instance([0.9, 0.6, 0.5, 0.2, 0.1], [2, 2, 2, 1, 1], 4),
    ],
    ids=["noisy", "quiet", "bernoulli"],
)
@pytest.mark.parametrize("seed", range(3))
def test_orch_explore_follows_its_twin(instance: Instance, seed: int) -> None:
    # noisy, seed 2: at slot 186, while exploiting, an arm of unknown capacity enters S_t
    horizon = 250
    learner = LikelyLearner(instance, Drawn(instance, stream(seed, 0)), Settings(2 / horizon))
    slots = learner.run(horizon)
    every, options = np.arange(1, horizon + 1), {"interval": "likelihood"}
    record = run_many(instance, "orch-explore", horizon, every, seed, 0, 1, options)
    assert record.reward[0].tolist() == np.cumsum([slot.reward for slot in slots]).tolist()
    assert tuple(record.lower[0]) == slots[-1].lower
    assert tuple(record.upper[0]) == slots[-1].upper
    assert record.learned.any()


def test_orch_explore_loses_less_with_sharper_intervals() -> None:
    # seen: 3731, 2148 and 944, with standard errors of 2 to 6 percent
    arms, last = Instance.load("paper-gaussian"), np.array([20_000])
    lost = [
        run_many(
            arms, "orch-explore", 20_000, last, 1, 0, 10, {"interval": name, "width": "scaled"}
        )
        for name in ("uniform", "joint", "likelihood")
    ]
    means = [record.regret.sum(axis=1).mean() for record in lost]
    assert means[2] < 0.8 * means[1] < 0.8 * means[0]


@pytest.mark.parametrize("policy", ["mp-se-sa", "etc-ucb"])
def test_the_other_policies_take_it_too(policy: str) -> None:
    arms = Instance([0.9, 0.6, 0.5, 0.2], [1, 2, 2, 1], 3, Gaussian(Fraction(1, 100)))
    record = run_many(arms, policy, 5000, np.array([5000]), 1, 0, 5, {"interval": "likelihood"})
    assert np.all(record.lower <= [1, 2, 2, 1])
    assert np.all(record.upper >= [1, 2, 2, 1])
