"""The capacity estimator by itself, against a plain twin, exact sums and what the theory says."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from simulation import Beta, Gaussian, Instance
from simulation.errors import InputError
from simulation.running import estimation
from simulation.running.estimates import Estimation
from simulation.running.estimation import estimate
from simulation.world.draws import beta, stream

PAPER = Instance.load("paper")
WORLDS = {
    "bernoulli": PAPER,
    "gaussian": Instance([3, 1, 0.8, 0.4], [2, 2, 1, 1], 3, Gaussian(Fraction(1, 2))),
    "beta": Instance([0.9, 0.5, 0.4, 0.3], [3, 1, 1, 1], 3, Beta(4)),
}


# -- a plain twin ------------------------------------------------------------------------


def twin_width(kind: str, tau: int, iota: int, delta: float, sigma: float) -> float:
    if kind == "joint":
        spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
        return sigma * math.sqrt(2 * spread * math.log(math.sqrt((tau + 1) * (iota + 1)) / delta))

    def half(x: int) -> float:
        if kind == "hoeffding":
            return math.sqrt(math.log(2 / delta) / (2 * x))
        return math.sqrt((1 + 1 / x) * math.log(2 * math.sqrt(x + 1) / delta) / (2 * x))

    return 2 * sigma * (half(tau) + half(iota))


def twin_draws(world: Instance, arm: int, gen: np.random.Generator, count: int) -> list[float]:
    mean, law = float(world.means[arm - 1]), world.reward
    if law.name == "bernoulli":
        return [float(gen.random() < mean) for _ in range(count)]
    parameter = float(law.parameter)
    if law.name == "gaussian":
        return [mean + math.sqrt(parameter) * gen.standard_normal() for _ in range(count)]
    return [beta(gen, mean * parameter, (1 - mean) * parameter) for _ in range(count)]


def twin_run(
    world: Instance, arm: int, run: int, *, samples: int, delta: float, interval: str,
    width: str, schedule: str, head_start: int, loads: tuple[int, int], seed: int,
) -> dict[str, Any]:  # fmt: skip
    """One run by lists of samples: nothing incremental, every mean taken anew."""
    gen = stream(seed, run)
    m, plays = world.capacities[arm - 1], world.plays
    sigma = math.sqrt(world.reward.proxy_variance) if width == "scaled" else 0.5
    served = [min(load, m) for load in loads]
    per_load: list[float] = []
    full_load: list[float] = []

    def explore(kind: int, count: int) -> None:
        seen = [served[kind] * x for x in twin_draws(world, arm, gen, count)]
        (per_load, full_load)[kind].extend(seen)

    if schedule == "individual-first":
        explore(0, head_start)
    if schedule == "united-first":
        explore(1, head_start)
    stopped = missed = 0
    lower, upper = 1, plays
    for n in range(1, samples + 1):
        if schedule != "individual-first":
            explore(0, 1)
        if schedule != "united-first":
            explore(1, 1)
        muhat = sum(per_load) / (len(per_load) * loads[0])
        nuhat = sum(full_load) / len(full_load)
        s = twin_width(interval, len(per_load), len(full_load), delta, sigma)
        low = nuhat / (muhat + s) if muhat + s > 0 else -math.inf
        high = nuhat / (muhat - s) if muhat - s > 0 else math.inf
        if not low <= m <= high and missed == 0:
            missed = n
        new_lower = max(lower, min(plays, math.ceil(low))) if low > 1 else lower
        new_upper = min(upper, max(1, math.floor(high))) if high < plays else upper
        if new_lower <= new_upper:
            lower, upper = new_lower, new_upper
        if lower == upper and stopped == 0:
            stopped = n
    return {"stopped": stopped, "missed": missed, "lower": lower, "upper": upper}


@pytest.mark.parametrize("law", WORLDS)
@pytest.mark.parametrize("schedule", ["lockstep", "individual-first", "united-first"])
@pytest.mark.parametrize("interval", ["uniform", "hoeffding", "joint"])
@pytest.mark.parametrize("width", ["paper", "scaled"])
def test_every_run_agrees_with_a_plain_twin(
    law: str, schedule: str, interval: str, width: str
) -> None:
    world = WORLDS[law]
    settings: dict[str, Any] = {
        "samples": 60,
        "delta": 0.4,
        "interval": interval,
        "width": width,
        "schedule": schedule,
        "head_start": 200,
        "loads": (1, world.plays),
        "seed": 11,
    }
    outcomes = estimate(world, 1, runs=6, jobs=1, **settings).outcomes
    for run in range(6):
        expected = twin_run(world, 1, run, **settings)
        assert {name: getattr(outcomes, name)[run] for name in expected} == expected


@pytest.mark.parametrize("loads", [(2, 2), (2, 7), (4, 3), (7, 1)])
def test_any_loads_may_be_given_and_serve_at_most_the_capacity(loads: tuple[int, int]) -> None:
    settings: dict[str, Any] = {"samples": 80, "delta": 0.3, "loads": loads, "seed": 2}
    outcomes = estimate(PAPER, 3, runs=5, **settings).outcomes
    for run in range(5):
        twin = twin_run(
            PAPER, 3, run, interval="uniform", width="paper", schedule="lockstep",
            head_start=1, **settings,
        )  # fmt: skip
        assert outcomes.stopped[run] == twin["stopped"]
        assert outcomes.missed[run] == twin["missed"]


# -- exact probabilities -----------------------------------------------------------------


def exact_shares(n: int, delta: float, arm: int) -> tuple[float, float]:
    """P(interval at step n covers m) and P(rounding is wrong), summed over both binomials."""
    mean, m = float(PAPER.means[arm - 1]), PAPER.capacities[arm - 1]
    s = twin_width("uniform", n, n, delta, 0.5)
    weights = binom.pmf(np.arange(n + 1), n, mean)
    covered = wrong = 0.0
    for i, p in enumerate(weights):
        muhat = i / n
        for j, q in enumerate(weights):
            nuhat = m * j / n
            low = nuhat / (muhat + s)
            high = nuhat / (muhat - s) if muhat > s else math.inf
            covered += p * q * (low <= m <= high)
            nearest = math.floor(nuhat / muhat + 0.5) if i else 0
            wrong += p * q * (min(max(nearest, 1), PAPER.plays) != m if i else True)
    return covered, wrong


@pytest.mark.parametrize("n", [5, 10, 40])
def test_frequencies_agree_with_exact_sums_over_binomials(n: int) -> None:
    """Two-sided at 1e-7 each, six checks: a false alarm in less than one seed of a million."""
    runs, delta = 20_000, 0.9
    found = estimate(PAPER, 6, samples=n, runs=runs, delta=delta, seed=3)
    for share, probability in zip(
        (found.coverage[-1], found.rounding_wrong[-1]), exact_shares(n, delta, 6), strict=True
    ):
        count = round(share * runs)
        assert binom.cdf(count, runs, probability) > 5e-8
        assert binom.sf(count - 1, runs, probability) > 5e-8


# -- what the theory says ----------------------------------------------------------------


def surely_above(count: int, runs: int, level: float) -> bool:
    """So many events in so many runs would have probability below 1e-9 at this level."""
    return bool(binom.sf(count - 1, runs, level) < 1e-9)


def misses(law: Gaussian, schedule: str, width: str, **settings: Any) -> tuple[int, int]:
    world = Instance([5, 1, 0.5, 0.4, 0.3], [2, 1, 1, 1, 1], 4, law)
    found = estimate(
        world, 1, samples=400, runs=1500, schedule=schedule, head_start=5000, width=width,
        seed=1, **settings,
    )  # fmt: skip
    return int((found.outcomes.missed > 0).sum()), found.runs


@pytest.mark.parametrize("schedule", ["lockstep", "individual-first", "united-first"])
@pytest.mark.parametrize("variance", ["1/4", "1/2"])
def test_the_scaled_width_covers_uniformly_in_time(schedule: str, variance: str) -> None:
    """A wrong width would be noticed: the next test. False alarm below 1e-9 (one-sided)."""
    count, runs = misses(Gaussian(Fraction(variance)), schedule, "scaled")
    assert not surely_above(count, runs, 0.05)


@pytest.mark.parametrize("schedule", ["individual-first", "united-first"])
def test_the_published_width_fails_at_variance_one_half_when_counts_are_unbalanced(
    schedule: str,
) -> None:
    count, runs = misses(Gaussian(Fraction(1, 2)), schedule, "paper")
    assert surely_above(count, runs, 0.05)


def test_the_published_width_survives_in_lockstep() -> None:
    count, runs = misses(Gaussian(Fraction(1, 2)), "lockstep", "paper")
    assert not surely_above(count, runs, 0.05)


def test_hoeffding_covers_at_each_step_but_not_at_all_of_them() -> None:
    world = Instance([5, 1, 0.5], [2, 1, 1], 2, Gaussian(Fraction(1, 4)))
    found = estimate(
        world, 1, samples=3000, runs=1500, interval="hoeffding", schedule="individual-first",
        head_start=30_000, delta=0.2, seed=4,
    )  # fmt: skip
    for covered in found.outcomes.covered:
        assert not surely_above(found.runs - int(covered), found.runs, 0.2)
    assert surely_above(int((found.outcomes.missed > 0).sum()), found.runs, 0.2)


def test_the_typical_stopping_size_is_met() -> None:
    """Smallest n with 2 (m + 1) phi(n, delta) < mu is 535 for arm 2 of the paper."""
    found = estimate(PAPER, 2, samples=1500, runs=400, seed=5)
    assert found.stopping_time() == pytest.approx(535, rel=0.08)
    assert found.stopping_time(0) < found.stopping_time(0.5) < found.stopping_time(1)
    assert found.failure <= found.ever_excluded


def test_a_run_that_never_stops_has_an_infinite_stopping_time() -> None:
    found = estimate(PAPER, 9, samples=5, runs=20)
    assert found.undecided.tolist() == [1.0] * len(found.samples)
    assert found.stopping_time() == math.inf
    assert found.facts()["stopping_time"]["0.5"] is None


def test_a_capacity_beyond_the_plays_is_estimated_as_the_plays() -> None:
    wide = Instance([0.9, 0.5, 0.4], [9, 1, 1], 2)
    found = estimate(wide, 1, samples=400, runs=50)
    assert found.capacity == 2
    assert found.right[-1] == 1.0


# -- the result --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Estimation:
    return estimate(PAPER, 1, samples=300, runs=500, delta=0.5, schedule="united-first", seed=6)


def test_jobs_and_blocks_do_not_change_a_bit(
    found: Estimation, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"samples": 300, "runs": 500, "delta": 0.5, "seed": 6}
    for jobs, draws in ((1, 10**9), (2, 10**5), (5, 1)):
        monkeypatch.setattr(estimation, "DRAWS_PER_BLOCK", draws)
        again = estimate(PAPER, 1, schedule="united-first", jobs=jobs, **settings)
        assert again == found
    assert estimate(PAPER, 1, schedule="united-first", **(settings | {"seed": 7})) != found


def test_a_run_is_right_wrong_or_undecided(found: Estimation) -> None:
    assert found.right + found.wrong + found.undecided == pytest.approx(np.ones(len(found.samples)))
    assert (np.diff(found.right) >= 0).all()
    assert (np.diff(found.wrong) >= 0).all()
    assert (np.diff(found.uniform_coverage) <= 0).all()
    assert (found.uniform_coverage <= found.coverage).all()
    final = found.outcomes
    assert found.wrong[-1] == ((final.lower == final.upper) & (final.lower != 2)).mean()


def test_rows_csv_text_and_page_say_the_same(found: Estimation, tmp_path: Path) -> None:
    rows = json.loads(json.dumps(found.to_json_rows(), allow_nan=False))
    assert rows[-1]["samples"] == 300
    assert rows[-1]["individual"] == 300
    assert rows[-1]["united"] == 3000
    assert [row["wrong"] for row in rows] == found.wrong.tolist()
    found.to_csv(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [{k: float(v) for k, v in line.items()} for line in lines] == rows
    cells = found.summary().rows[-1]
    assert str(found).splitlines()[-1].split() == list(cells)
    assert all(f"<td>{cell}</td>" in found._repr_html_() for cell in cells)
    assert [str([*column.cells][-1]) for column in found.__rich__().columns] == list(cells)


def test_the_plot_shows_the_probabilities(found: Estimation) -> None:
    from matplotlib.figure import Figure

    lines = found.plot(Figure().subplots()).get_lines()
    assert [line.get_label() for line in lines] == ["wrong", "undecided", "rounding wrong", "delta"]
    assert lines[0].get_ydata().tolist() == found.wrong.tolist()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"arm": 0}, "arm: 0: expected a whole number from 1 to 9"),
    ({"arm": 10}, "arm: 10: expected"),
    ({"samples": 0}, "samples: 0: expected"),
    ({"runs": 0}, "runs: 0: expected"),
    ({"seed": -1}, "seed: -1: expected"),
    ({"delta": 0}, "delta: 0: expected a number strictly between 0 and 1"),
    ({"delta": 1}, "delta: 1: expected"),
    ({"delta": "1e-400"}, "delta: 1e-400: expected"),
    ({"delta": math.nan}, "delta: nan: expected"),
    ({"interval": "exact"}, "interval: exact: expected one of uniform, hoeffding, joint"),
    ({"width": "narrow"}, "width: narrow: expected one of paper, scaled"),
    ({"schedule": "never"}, "schedule: never: expected one of lockstep"),
    ({"head_start": 0}, "head_start: 0: expected"),
    ({"loads": (0, 7)}, "individual load: 0: expected a whole number from 1 to 7"),
    ({"loads": (1, 8)}, "united load: 8: expected"),
    ({"jobs": 0}, "jobs: 0: expected"),
]


@pytest.mark.parametrize(("wrong", "line"), WRONG, ids=[line[:20] for _, line in WRONG])
def test_bad_input_is_one_clear_line(wrong: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError, match=line) as caught:
        estimate(PAPER, **({"arm": 1, "samples": 10, "runs": 2} | wrong))
    assert "\n" not in str(caught.value)
