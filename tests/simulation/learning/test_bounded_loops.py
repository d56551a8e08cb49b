"""Every loop of a kernel ends, with the right answer, on numbers of any size."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from simulation.learning import kl_index
from simulation.learning.capacity import Confidence
from simulation.learning.kl_index import reach, upper_index
from simulation.learning.likelihoods import beta_mean
from simulation.learning.procedures import assembled
from simulation.policies import WHERE
from simulation.policies.mp_se_sa import elimination
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.running.runs import run_many
from simulation.world.draws import stream
from simulation.world.instance import Instance

BELOW_1 = math.nextafter(1.0, 0.0)
ESTIMATES = [0.0, 5e-324, 1e-310, 1e-300, 1e-20, 1e-5, 0.14, 0.5, 0.78, 0.98]
ESTIMATES += [math.nextafter(0.98, 1.0), 1 - 1e-5, 1 - 1e-10, 1 - 2e-15, 1 - 1e-15, BELOW_1, 1.0]
COUNTS = [1, 7, 10**4, 10**9, 10**12]
LEVELS = [1e-300, 1e-100, 1e-20, 1e-8, 0.01, 1.0, 7.5, 40.0, 1e3, 1e6]


def exact_reach(p: float, spend: float) -> mpmath.mpf:
    """The d with kl(p, p + d) = spend, by halving with 60 digits."""
    mean, low, high = mpmath.mpf(p), mpmath.mpf(0), 1 - mpmath.mpf(p)
    for _ in range(150):
        d = (low + high) / 2
        success = mean * mpmath.log(mean / (mean + d)) if p > 0 else mpmath.mpf(0)
        failure = (1 - mean) * mpmath.log((1 - mean) / (1 - mean - d))
        low, high = (d, high) if success + failure <= spend else (low, d)
    return low


def ends(function: Callable[..., object], *arguments: object) -> bool:
    """Whether a call returns: in a thread, since nothing can interrupt a kernel that does not."""
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    thread.join(60.0)
    return not thread.is_alive()


def test_the_index_is_found_for_estimates_counts_and_levels_of_any_size() -> None:
    upper_index(0.5, 1, 1.0, 0, 0.0)  # compiled now, not in the thread
    assert ends(lambda: [upper_index(*case, 0, 0.0) for case in product(ESTIMATES, COUNTS, LEVELS)])


@pytest.mark.parametrize("muhat", ESTIMATES)
def test_the_index_found_is_the_root(muhat: float) -> None:
    with mpmath.workdps(60):
        for count, level in product(COUNTS, LEVELS):
            spend = level / count
            root = muhat + exact_reach(muhat, spend) if muhat < 1 and spend > 0 else muhat
            for law in (0, 2):
                found = upper_index(muhat, count, level, law, 4.0)
                assert abs(found - root) < 2.8e-15, (count, level)  # it is 1 where that is so near
            gaussian = muhat + math.sqrt(2 * spend * 0.5)
            assert upper_index(muhat, count, level, 1, 0.5) == pytest.approx(gaussian, rel=1e-15)


def test_halving_finds_the_root_that_newton_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kl_index, "STEPS", 0)
    with mpmath.workdps(60):
        for p, spend in product((0.0, 1e-20, 0.3, 0.98, 1 - 1e-9), (1e-12, 1e-3, 1.0)):
            assert abs(reach.py_func(p, spend, 1 - p) - exact_reach(p, spend)) < 1e-15


NINE = ["0.14", "0.2", "0.78", "0.98", "0.94", "0.04", "0.16", "0.66", "0.44"]
FAR = ["1e20", "0.9999999999999999e20", "-1e20", "3"]
ORDINARY = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 2)
EXTREME = {
    "near one": Instance(NINE, [1] * 9, 1, Beta(Fraction(4))),
    "mostly 0 or 1": Instance(["0.98", "0.5"], [1, 1], 1, Beta(Fraction(1, 2))),
    "at the ends": Instance(
        ["1e-300", "0.9999999999999999", "0.5"], [2, 1, 1], 2, Beta(Fraction(9))
    ),
    "almost coins": Instance(
        ["1e-9", "0.999999999", "0.5"], [2, 1, 1], 2, Beta(Fraction(1, 10**200))
    ),
    "certain": Instance(["0", "1", "1"], [1, 2, 1], 2, Bernoulli()),
    "far apart": Instance(FAR, [1, 2, 1, 1], 2, Gaussian(Fraction(1))),
    "without end": Instance(["8e99", "-8e99", "7e99"], [2, 1, 1], 2, Gaussian(Fraction(1))),
    "close": Instance(["1e-300", "2e-300", "0"], [2, 1, 1], 2, Gaussian(Fraction(1, 10**300))),
}


@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("policy", WHERE)
def test_every_policy_ends_on_extreme_instances(policy: str, name: str) -> None:
    slots = np.array([2000])
    run_many(ORDINARY, policy, 1, np.array([1]), 1, 0, 1)  # compiled now, not in the thread
    assert ends(run_many, EXTREME[name], policy, 2000, slots, 1, 0, 5)


def test_elimination_keeps_enough_arms_where_the_width_vanishes_beside_the_means() -> None:
    ones = np.ones(4, dtype=np.int64)
    told = (ones, ones, Confidence(0, 1.0, 0.5), False, 1.0, 1000)
    state = assembled(stream(1, 0), 2, *told)
    state.arms["muhat"], state.arms["individual"] = 1e20, 5
    assert elimination(state, 4, 2) == 2


DIFFERENCES = [-690.0, -300.0, -36.7, -5.0, -1e-9, 0.0, 0.3, 4.0, 36.7, 39.0]
CONCENTRATIONS = [1e-100, 1e-3, 0.5, 4.0, 40.0, 1e6, 1e12]


@pytest.mark.parametrize("concentration", CONCENTRATIONS)
def test_the_likeliest_mean_of_beta_rewards_is_found_from_anywhere(concentration: float) -> None:
    for difference, start in product(DIFFERENCES, (1e-150, 1e-8, 0.5, 1 - 2.0**-53)):
        mean = beta_mean(difference, concentration, start)
        assert 1e-300 <= mean <= 1 - 2.0**-53
        with mpmath.workdps(30):
            one, other = concentration * mpmath.mpf(mean), concentration * (1 - mpmath.mpf(mean))
            found = mpmath.digamma(one) - mpmath.digamma(other) - difference
            slope = one * (1 - mean) * (mpmath.psi(1, one) + mpmath.psi(1, other))
        if 1e-300 < mean < 1 - 2.0**-52:
            # in logit mean; near 1 the float itself has no more digits than this
            assert abs(found / slope) < 1e-9 + 2.0**-52 / (1 - mean), (difference, start)


def test_a_mean_no_likelihood_can_tell_is_one_half() -> None:
    assert [beta_mean(d, 1e-300, 0.5) for d in (-690.0, 0.0, 39.0)] == [0.5, 0.5, 0.5]
