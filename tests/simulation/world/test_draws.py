"""Random streams, the samplers of the reward laws, and the divergence."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from twins.sources import Drawn

from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.world.draws import (
    beta,
    coin,
    exploration_level,
    kl,
    pick,
    rewards,
    shuffled,
    stream,
)
from simulation.world.instance import Instance

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "upper.json").read_text())
# Every goodness-of-fit test is seeded; over all seeds it would fail a right sampler this often.
FALSE_ALARM = 1e-6
LAWS = [
    (Bernoulli(), 0.3),
    (Bernoulli(), 0.02),
    (Gaussian(Fraction(1, 2)), 0.9),
    (Gaussian(Fraction(1, 100)), -2.5),
    (Beta(Fraction(4)), 0.7),
    (Beta(Fraction(1, 2)), 0.1),
    (Beta(Fraction(40)), 0.5),
    (Beta(Fraction(3)), 0.9),  # one shape above 1, one below
    (Beta(Fraction(2)), 0.5),
]


def sample(law: RewardLaw, mean: float, count: int, run: int = 0) -> np.ndarray:
    return rewards(stream(5, run), law.code, float(law.parameter), mean, count)


def fit(law: RewardLaw, mean: float, values: np.ndarray) -> float:
    """The p-value of the sample under the law."""
    if isinstance(law, Bernoulli):
        assert set(np.unique(values)) <= {0.0, 1.0}
        return float(stats.binomtest(int(values.sum()), values.size, mean).pvalue)
    if isinstance(law, Gaussian):
        expected = stats.norm(mean, math.sqrt(law.variance))
    else:
        c = float(law.concentration)
        expected = stats.beta(mean * c, (1 - mean) * c)
    return float(stats.kstest(values, expected.cdf).pvalue)


@pytest.mark.parametrize(("law", "mean"), LAWS, ids=str)
def test_a_sampler_follows_its_law(law: RewardLaw, mean: float) -> None:
    assert fit(law, mean, sample(law, mean, 500_000)) > FALSE_ALARM


@pytest.mark.parametrize(("law", "mean"), LAWS, ids=str)
def test_a_sampler_off_by_a_little_would_be_caught(law: RewardLaw, mean: float) -> None:
    assert fit(law, mean + 0.01, sample(law, mean, 500_000)) < FALSE_ALARM


@pytest.mark.parametrize(("law", "mean"), LAWS[:4], ids=str)
def test_kernels_and_plain_numpy_draw_the_same_values(law: RewardLaw, mean: float) -> None:
    numpy = Drawn(Instance([max(mean, 0), mean], [1, 1], 1, law), stream(5, 1))
    assert sample(law, mean, 2000, run=1).tolist() == [numpy.reward(1) for _ in range(2000)]


def test_normal_values_are_those_of_numpy_out_to_the_tails() -> None:
    # where numpy takes log(1 + x) from the C library a last digit may differ
    mine, numpys = sample(Gaussian(Fraction(1)), 0.0, 10**6), stream(5, 0).standard_normal(10**6)
    assert np.abs(mine).max() > 4.5
    np.testing.assert_allclose(mine, numpys, rtol=4e-16, atol=0)


@pytest.mark.parametrize("shape", [5e-324, 1e-300, 1e-20, 1e-3, 1.0, 1e6, 1e300])
@pytest.mark.parametrize("other", [1e-300, 1e-3, 1.0, 3.0, 1e300])
def test_a_beta_value_of_any_shapes_is_a_number_from_0_to_1(shape: float, other: float) -> None:
    gen = stream(7, 0)
    values = np.array([beta(gen, *shapes) for shapes in ((shape, other), (other, shape)) * 50])
    assert ((values >= 0) & (values <= 1)).all()
    mean = shape / (shape + other)
    assert abs(values[::2].mean() - mean) < 0.35  # 50 values: 4.9 deviations of 1/2
    assert abs(values[1::2].mean() - (1 - mean)) < 0.35


def test_a_stream_depends_on_seed_and_run_alone() -> None:
    first = {(s, r): stream(s, r).random(4).tolist() for s in (0, 1, 2**70) for r in (0, 1, 10**6)}
    again = {key: stream(*key).random(4).tolist() for key in reversed(first)}
    assert first == again
    assert len({tuple(values) for values in first.values()}) == len(first)


def test_streams_of_neighbouring_runs_are_independent() -> None:
    # 500 runs x 200 draws: correlations of neighbours have standard error 1 / sqrt(99800)
    rows = np.array([stream(3, run).random(200) for run in range(500)]) - 0.5
    for a, b in ((rows[1:], rows[:-1]), (rows[:, 1:], rows[:, :-1])):
        correlation = (a * b).mean() * 12
        assert abs(correlation) < stats.norm.isf(FALSE_ALARM / 2) / math.sqrt(a.size)


def test_ties_are_broken_by_any_order_equally_likely() -> None:
    gen = stream(8, 0)
    seen = Counter(tuple(shuffled(gen, 4).tolist()) for _ in range(24_000))
    assert len(seen) == 24
    assert stats.chisquare(list(seen.values())).pvalue > FALSE_ALARM


def test_coins_are_fair_and_picks_uniform() -> None:
    gen = stream(9, 0)
    heads = sum(coin(gen) for _ in range(20_000))
    assert stats.binomtest(heads, 20_000).pvalue > FALSE_ALARM
    picks = Counter(pick(gen, 7) for _ in range(21_000))
    assert sorted(picks) == list(range(7))
    assert stats.chisquare(list(picks.values())).pvalue > FALSE_ALARM


@pytest.mark.parametrize("row", REFERENCE["kl"], ids=lambda row: f"{row['p']},{row['q']}")
def test_kl_has_its_reference_values(row: dict[str, str]) -> None:
    p, q = float(row["p"]), float(row["q"])
    assert kl(0, 0.0, p, q) == pytest.approx(float(row["bernoulli"]), rel=1e-13)
    assert kl(2, 4.0, p, q) == kl(0, 0.0, p, q)
    assert kl(1, 0.5, p, q) == pytest.approx(float(row["gauss_half"]), rel=1e-13)


def test_kl_is_infinite_exactly_where_it_is() -> None:
    assert kl(0, 0.0, 0.0, 1.0) == kl(0, 0.0, 1.0, 0.0) == math.inf
    assert kl(0, 0.0, 0.5, 0.0) == kl(0, 0.0, 0.5, 1.0) == math.inf
    assert kl(0, 0.0, 0.0, 0.0) == kl(0, 0.0, 1.0, 1.0) == kl(0, 0.0, 0.3, 0.3) == 0.0
    assert kl(0, 0.0, 0.0, 0.5) == kl(0, 0.0, 1.0, 0.5) == math.log(2)
    assert 690 < kl(0, 0.0, 1.0, 1e-300) < math.inf  # beyond any clipping


def test_exploration_level_is_zero_at_first_and_then_the_formula() -> None:
    assert [exploration_level(t) for t in (1, 2)] == [0.0, 0.0]
    assert exploration_level(3) == math.log(3) + 4 * math.log(math.log(3))
    assert exploration_level(10**6) == pytest.approx(24.31868, abs=1e-5)
