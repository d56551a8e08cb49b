"""Binomial lattices: against enumeration of all outcomes, and refusing what they cannot decide."""

from fractions import Fraction
from itertools import product
from math import ceil, floor

import pytest
from flint import arb

from boundcheck.calculator.numbers.balls import precision
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.theories.shareable_arms.exact.lattices import Lattice, Undecided, enclosing
from simulation.rewards.laws import Bernoulli

MEAN = Fraction(2, 7)
WIDTHS = [Fraction(101, 1009), Fraction(307, 1009), Fraction(613, 1009)]


def enumerated(tau, iota, event):
    """P(event(muhat, nuhat/m)) by going through every sequence of successes."""
    total = Fraction(0)
    for outcome in product((0, 1), repeat=tau + iota):
        chance = Fraction(1)
        for success in outcome:
            chance *= MEAN if success else 1 - MEAN
        if event(Fraction(sum(outcome[:tau]), tau), Fraction(sum(outcome[tau:]), iota)):
            total += chance
    return total


def lies_outside(muhat, rate, s, m=3):
    """From the interval itself, not from the identity that the lattice uses."""
    nuhat = m * rate
    return nuhat / (muhat + s) > m or (muhat > s and nuhat / (muhat - s) < m)


@pytest.mark.parametrize("s", WIDTHS)
@pytest.mark.parametrize(("tau", "iota"), [(1, 1), (3, 5), (6, 4)])
def test_miss_and_signal_equal_enumeration(tau, iota, s):
    lattice = Lattice(MEAN, tau, iota, (s, s))
    assert lattice.signal() == enumerated(tau, iota, lambda u, v: u > s)
    outside = enumerated(tau, iota, lambda u, v: lies_outside(u, v, s))
    assert lattice.missed(signal=False) == outside
    both = enumerated(tau, iota, lambda u, v: u > s and lies_outside(u, v, s))
    assert lattice.missed(signal=True) == both


@pytest.mark.parametrize("s", WIDTHS)
@pytest.mark.parametrize(("m", "plays"), [(1, 3), (2, 3), (3, 3), (4, 6)])
def test_meeting_equals_enumeration(m, plays, s):
    tau, iota = 5, 6

    def bounds(u, v):
        lower = max(ceil(m * v / (u + s)), 1)
        return lower, min(floor(m * v / (u - s)), plays)

    def right(u, v):
        return u > s and bounds(u, v) == (m, m)

    def wrong(u, v):
        return u > s and len(set(bounds(u, v))) == 1 and bounds(u, v) != (m, m)

    found = Lattice(MEAN, tau, iota, (s, s)).meeting(m, plays)
    assert found == (enumerated(tau, iota, right), enumerated(tau, iota, wrong))


def test_a_width_that_is_not_known_well_enough_is_refused():
    around_a_half = (Fraction(49, 100), Fraction(51, 100))
    with pytest.raises(Undecided):
        Lattice(MEAN, 4, 4, around_a_half).signal()


def test_enclosing_gives_the_ends_of_a_ball():
    with precision(64):
        low, high = enclosing(arb(2).sqrt())
    assert low**2 < 2 < high**2
    assert high - low < Fraction(1, 2**50)


@pytest.mark.parametrize("counts", [(20, 20), (150, 12), (12, 150)])
@pytest.mark.parametrize("s", WIDTHS)
def test_chernoff_bounds_lie_above_the_exact_probability(counts, s):
    arm = Arm(1, MEAN, 3, Bernoulli())
    exact = Lattice(MEAN, *counts, (s, s))
    with precision(128):
        width = arb(s.numerator) / s.denominator
        low, high = Explored(arm, *counts).missed(width, signal=True)
        _, wrong = Explored(arm, *counts).wrong(width, plays=6)
        _, unlearned = Explored(arm, *counts).unlearned(width)
        missed = exact.missed(signal=True)
        right_exact, wrong_exact = exact.meeting(3, 6)
        assert low <= float(missed) <= high
        assert float(wrong_exact) <= wrong
        assert float(1 - right_exact) <= unlearned
