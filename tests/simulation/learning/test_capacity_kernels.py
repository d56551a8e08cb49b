"""Capacity intervals: reference values, resolutions, and certificates that never lie."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulation.errors import InputError
from simulation.learning.capacity import Confidence, narrowed, phi, psi, rho, width
from simulation.learning.certificates import bounds_hold
from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "upper.json").read_text())
CLOSE = {"rel": 1e-14, "abs": 0}


@pytest.mark.parametrize("row", REFERENCE["phi"], ids=lambda row: f"{row['x']},{row['delta']}")
def test_phi_and_rho_have_their_reference_values(row: dict[str, Any]) -> None:
    x, delta = row["x"], float(row["delta"])
    assert phi(x, delta) == pytest.approx(float(row["phi"]), **CLOSE)
    assert rho(x, delta) == pytest.approx(float(row["rho"]), **CLOSE)
    scaled = Confidence(0, 2 * math.sqrt(0.5), delta)
    both = 2 * float(row["phi_sigma2_half"])
    assert width(scaled, x, x) == pytest.approx(both, **CLOSE)


@pytest.mark.parametrize("row", REFERENCE["psi_joint"], ids=lambda row: f"{row['tau']}")
def test_psi_has_its_reference_values(row: dict[str, Any]) -> None:
    tau, iota, delta = row["tau"], row["iota"], float(row["delta"])
    sigma = math.sqrt(float(row["sigma2"]))
    assert psi(tau, iota, delta, sigma) == pytest.approx(float(row["psi"]), **CLOSE)
    joint = Confidence(2, 2 * sigma, delta)
    assert width(joint, tau, iota) == psi(tau, iota, delta, sigma)
    uniform = Confidence(0, 1.0, delta)
    assert width(uniform, tau, iota) == pytest.approx(float(row["phi_sum"]), **CLOSE)


@pytest.mark.parametrize(
    "row", REFERENCE["capacity_bounds"], ids=lambda row: f"{row['muhat']},{row['tau']}"
)
def test_bounds_have_their_reference_values(row: dict[str, Any]) -> None:
    s = width(Confidence(0, 1.0, float(row["delta"])), row["tau"], row["iota"])
    assert s == pytest.approx(float(row["width"]), **CLOSE)
    found = narrowed(1, row["N"], float(row["muhat"]), float(row["nuhat"]), s, row["N"])
    assert found == (row["ml"], row["mu"])


@pytest.mark.parametrize("interval", [0, 1, 2])
def test_without_both_kinds_of_samples_nothing_is_known(interval: int) -> None:
    for tau, iota in ((0, 0), (0, 9), (9, 0)):
        s = width(Confidence(interval, 1.0, 0.1), tau, iota)
        assert s == math.inf
        assert narrowed(1, 7, 0.9, 1.8, s, 7) == (1, 7)


@pytest.mark.parametrize(
    ("muhat", "nuhat", "s", "expected"),
    [
        (0.5, 1.5, 0.6, (2, 6)),  # muhat - s <= 0 says nothing about the top
        (-0.5, 1.5, 0.3, (1, 6)),  # muhat + s <= 0 says nothing at all
        (0.5, 9.0, 0.01, (6, 6)),  # clipped to N
        (0.5, -3.0, 0.01, (1, 1)),  # clipped to 1
        (0.5, 1.0, 0.5, (1, 6)),  # muhat = s: no division by zero
        (1e-300, 1.0, 1e-301, (6, 6)),  # an end of 1e300 is still clipped
    ],
)
def test_the_interval_is_read_as_documented(
    muhat: float, nuhat: float, s: float, expected: tuple[int, int]
) -> None:
    assert narrowed(1, 6, muhat, nuhat, s, 6) == expected


def test_what_was_excluded_stays_excluded_and_contradictions_are_ignored() -> None:
    assert narrowed(2, 4, 0.5, 1.5, 0.3, 6) == (2, 4)
    assert narrowed(4, 6, 0.5, 1.0, 0.01, 6) == (4, 6)  # the interval says 2
    assert narrowed(3, 3, 0.5, 1.0, 0.01, 6) == (3, 3)


def test_confidence_is_two_over_the_horizon_and_hoeffding_pays_for_every_slot() -> None:
    paper = Instance.load("paper")
    assert Confidence.of(paper, 1000) == Confidence(0, 1.0, 0.002)
    assert Confidence.of(paper, 1000, "hoeffding") == Confidence(1, 1.0, 0.002 / 1000)
    assert Confidence.of(paper, 1000, "joint", delta=0.1) == Confidence(2, 1.0, 0.1)


def test_the_scaled_width_is_two_sigma_and_changes_nothing_on_the_unit_interval() -> None:
    gaussian = Instance([0.5, 0.4], [1, 1], 1, Gaussian(Fraction(1, 2)))
    assert Confidence.of(gaussian, 10, width="scaled").scale == pytest.approx(math.sqrt(2))
    assert Confidence.of(gaussian, 10).scale == 1.0
    beta = gaussian.with_(reward=Beta(Fraction(4)))
    assert Confidence.of(beta, 10, width="scaled") == Confidence.of(beta, 10)


@pytest.mark.parametrize("delta", [0, 1, -0.5, 2.0, math.nan])
def test_delta_outside_its_range_is_refused(delta: float) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        Confidence.of(Instance.load("paper"), 10, delta=delta)


@given(
    interval=st.integers(0, 2),
    delta=st.sampled_from([2.0, 0.9, 0.01, 1e-6]),
    tau=st.integers(1, 10**6),
    more=st.floats(0, 3),
    iota=st.integers(1, 10**4),
    muhat=st.floats(-1, 2),
    moved=st.floats(-0.2, 0.2),
    capacity=st.floats(0.5, 8),
)
@settings(max_examples=1000, deadline=None, derandomize=True)
def test_bounds_never_change_under_their_certificate(
    interval: int,
    delta: float,
    tau: int,
    more: float,
    iota: int,
    muhat: float,
    moved: float,
    capacity: float,
) -> None:
    confidence, nuhat = Confidence(interval, 1.0, delta), muhat * capacity
    s = width(confidence, tau, iota)
    lower, upper = narrowed(1, 7, muhat, nuhat, s, 7)
    above, below, until = bounds_hold(lower, upper, tau, muhat, nuhat, s)
    assert until >= tau
    later_tau = min(tau + int(tau * more), until)
    for later in (muhat, muhat + moved, above, below):
        if above <= later <= below:
            wider = width(confidence, later_tau, iota)
            assert narrowed(lower, upper, later, nuhat, wider, 7) == (lower, upper)
