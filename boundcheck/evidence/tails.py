"""Certified probabilities for an arm with tau and iota explorations, for every reward law.

A = muhat - mu and B = nuhat/m - mu are independent means of tau and iota centred rewards. Each
failure of section 5 at one time is a union of half planes {a A + b B >= x}:

    m below the interval   B - A > s               (its lower end exceeds m)
    m above the interval   A - B > s               (its upper end is below m)
    m + 1 in it as well    m B - (m+1) A >= mu - (m+1) s
    m - 1 in it as well    (m-1) A - m B >= mu - (m-1) s
    no signal, muhat <= s  -A >= mu - s

Gaussian rewards: a normal tail, enclosed. Rewards on [0, 1]: E exp(c X) is at most that of a
Bernoulli variable of the same mean (convexity), so Chernoff's bound with Bernoulli generating
functions holds, at any c, and the chance is at most that. It also differs from the normal tail of
the same variance by at most 0.56 sum E|Y|^3 / (sum E Y^2)^(3/2), Y the centred summands
(Berry-Esseen; the constant is Shevtsova's), and |Y| is at most its factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from simulation.rewards.laws import Gaussian, RewardLaw
from simulation.world.instance import Instance

_BERRY_ESSEEN = Fraction(56, 100)  # for independent summands of any laws
Enclosure = tuple[arb, arb]  # lower and upper bound on a probability


@dataclass(frozen=True)
class Arm:
    """One arm, numbered from 1, and the law of its rewards."""

    number: int
    mean: Fraction
    capacity: int
    law: RewardLaw
    left_out: int = 0  # number of further arms that were left out in its favour

    @property
    def variance(self) -> Fraction:
        return self.law.spread(self.mean)


def arms_of(instance: Instance) -> list[Arm]:
    pairs = zip(instance.means, instance.capacities, strict=True)
    law = instance.reward
    return [Arm(k, mean, m, law.of_arm(k - 1)) for k, (mean, m) in enumerate(pairs, 1)]


@dataclass(frozen=True)
class Explored:
    """An arm after tau individual and iota united explorations."""

    arm: Arm
    individual: int
    united: int

    def tail(self, a: int, b: int, x: arb) -> arb:
        """P(a A + b B >= x)."""
        if self.arm.variance == 0:
            return arb(1) if x <= 0 else arb(0) if x > 0 else arb(0).union(arb(1))
        spread = ball(self.arm.variance * self._powers(a, b, 2))
        normal = (x / (2 * spread).sqrt()).erfc() / 2
        if isinstance(self.arm.law, Gaussian):
            return normal
        thirds = ball(self.arm.variance * self._powers(a, b, 3))
        off = ball(_BERRY_ESSEEN) * thirds / (spread * spread.sqrt())
        low, high = (normal - off).lower().max(arb(0)), (normal + off).upper().min(arb(1))
        if x > 0:
            tried = (self._chernoff(a, b, x, v) for v in {self.arm.variance, Fraction(1, 4)})
            high = reduce(arb.min, (bound.upper() for bound in tried), high)
        return low.union(high)

    def _powers(self, a: int, b: int, power: int) -> Fraction:
        """Sum of |factor|^power over the summands: a/tau tau times, b/iota iota times."""
        pairs = ((abs(a), self.individual), (abs(b), self.united))
        return sum((Fraction(x**power, n ** (power - 1)) for x, n in pairs), Fraction(0))

    def _chernoff(self, a: int, b: int, x: arb, variance: Fraction) -> arb:
        """exp(-c x) E exp(c (a A + b B)) with the c that is best for a normal law."""
        c = x / ball(variance * self._powers(a, b, 2))
        mean = ball(self.arm.mean)
        exponent = -c * (x + (a + b) * mean)
        for factor, count in ((a, self.individual), (b, self.united)):
            exponent += count * (1 + mean * (c * factor / count).expm1()).log()
        return exponent.exp()

    def missed(self, s: arb, *, signal: bool) -> Enclosure:
        """P(m is outside the interval), whose upper end is infinite if muhat <= s.

        With `signal`, P(m is outside and muhat > s). {A - B > s} implies muhat > s unless B <= -mu.
        """
        mean = ball(self.arm.mean)
        above, below = self.tail(-1, 1, s), self.tail(1, -1, s)
        sure_below = below - self.tail(0, -1, mean)
        if signal:
            at_least = (above + below - self.tail(-1, 0, mean - s)).max(sure_below)
        else:
            at_least = above + sure_below - self.tail(-1, 0, mean + s)
        return _between(at_least, above + below)

    def unlearned(self, s: arb, plays: int | None = None) -> Enclosure:
        """P(the bounds do not meet at m), with N plays; None: N is above m.

        They do not meet if m is outside, if m - 1 or (for m < N) m + 1 is inside, or if muhat <= s.
        Each of these suffices, and m is outside on one side only. If muhat <= s, m + 1 is inside or
        m is above, so for m < N that case adds nothing.
        """
        m, mean = self.arm.capacity, ball(self.arm.mean)
        parts = [self.tail(-1, 1, s) + self.tail(1, -1, s)]
        parts.append(self.tail(-1, 0, mean - s) if m == plays else self.open_above(m, s))
        if m >= 2:
            parts.append(self.tail(m - 1, -m, mean - (m - 1) * s))
        at_least = reduce(arb.max, (part.lower() for part in parts))
        return _between(at_least, sum(parts[1:], parts[0]))

    def unreached(self, d: int, s: arb) -> Enclosure:
        """P(the lower end is at most d - 1), for d <= m."""
        m, mean = self.arm.capacity, ball(self.arm.mean)
        short = self.tail(d - 1, -m, (m - d + 1) * mean - (d - 1) * s)
        undefined = self.tail(-1, 0, mean + s)
        return _between(short - undefined, short + undefined)

    def wrong(self, s: arb, plays: int) -> Enclosure:
        """P(muhat > s and both bounds are the same integer, not m).

        Upper bound: m is outside. Lower bound: m is outside, its neighbour inside, the next one
        outside. {B - A > s} and m + 1 above the interval imply A > (2m+1) s - mu; {A - B > s} and m
        - 1 below it imply A > (2m-1) s - mu.
        """
        m, mean = self.arm.capacity, ball(self.arm.mean)
        above, below = self.tail(-1, 1, s), self.tail(1, -1, s)
        met = arb(0)
        if m < plays:
            empty = self.tail(1, 0, (2 * m + 1) * s - mean)
            met += (above - empty - self.open_above(m + 1, s)).lower().max(arb(0))
        if m > 1:
            empty = self.tail(1, 0, (2 * m - 1) * s - mean)
            second = self.tail(m - 2, -m, 2 * mean - (m - 2) * s)
            met += (below - empty - second).lower().max(arb(0))
        return _between(met - self.tail(-1, 0, mean - s), above + below)

    def open_above(self, v: int, s: arb) -> arb:
        """P(v + 1 lies below the upper end), for v >= m."""
        m, mean = self.arm.capacity, ball(self.arm.mean)
        return self.tail(-(v + 1), m, (v + 1 - m) * mean - (v + 1) * s)


def _between(at_least: arb, at_most: arb) -> Enclosure:
    return at_least.lower().max(arb(0)), at_most.upper().min(arb(1))
