"""Exact probabilities about a Bernoulli arm's capacity interval, by summing over a lattice.

After tau individual and iota united explorations of an arm of mean mu = p/q and capacity m there
are i and j successes, muhat = i/tau, nuhat = m j/iota, and the probability of (i, j) is an integer
over q^(tau + iota):

    C(tau, i) p^i (q-p)^(tau-i)  C(iota, j) p^j (q-p)^(iota-j).                               (1)

With a width s every event of section 5 is, for each i, a set of ranges of j whose ends are linear
in s. A width is irrational: it is given as an enclosure, and an end that the enclosure does not
decide raises `Undecided`. Results are Fractions without any rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import Any

Range = tuple[int, int]  # first and last j, inclusive


class Undecided(ArithmeticError):
    """The enclosure of the width is too wide to decide on which side of it a lattice point is."""


@dataclass(frozen=True)
class Lattice:
    """(i, j) successes among (tau, iota) explorations; `width` is an enclosure of s."""

    mean: Fraction
    individual: int
    united: int
    width: tuple[Fraction, Fraction]

    # -- events --------------------------------------------------------------------------

    def signal(self) -> Fraction:
        """P(muhat > s)."""
        return self._chance(lambda i: [(0, self.united)], signal=True)

    def missed(self, *, signal: bool) -> Fraction:
        """P(m is outside the interval), whose upper end is infinite if muhat <= s.

        With `signal`, P(m is outside and muhat > s).
        """
        return self._chance(self._outside, signal=signal)

    def meeting(self, capacity: int, plays: int) -> tuple[Fraction, Fraction]:
        """P(muhat > s and both bounds are m), P(muhat > s and they are another number)."""

        def right(i: int) -> Iterable[Range]:
            return [self._meet(i, capacity, capacity, plays)]

        def wrong(i: int) -> Iterable[Range]:
            others = (v for v in range(1, plays + 1) if v != capacity)
            return [self._meet(i, v, capacity, plays) for v in others]

        return self._chance(right, signal=True), self._chance(wrong, signal=True)

    def unreached(self, threshold: int, capacity: int) -> Fraction:
        """P(the lower end is at most d - 1), with or without a signal."""

        def below(i: int) -> Iterable[Range]:
            return [(0, self._floor(i, 1, (threshold - 1) * self.united, capacity))]

        return self._chance(below, signal=False)

    # -- ranges of j, given i ------------------------------------------------------------

    def _outside(self, i: int) -> Iterable[Range]:
        """|muhat - nuhat/m| > s, the part below only where muhat > s."""
        above = (self._floor(i, 1, self.united) + 1, self.united)  # nuhat/m > muhat + s
        if i <= self._last_without_signal:
            return [above]
        return [above, (0, self._floor(i, -1, self.united))]

    def _meet(self, i: int, value: int, capacity: int, plays: int) -> Range:
        """The range of j with ceil(nuhat/(muhat + s)) = value = floor(nuhat/(muhat - s)), within 1
        and N.

        If the upper end is below 1 then no bound is 1, because the printed m^u is 0.
        """

        def successes(sign: int, v: int) -> int:
            return self._floor(i, sign, v * self.united, capacity)

        last = successes(+1, value)
        first = 0 if value == 1 else successes(+1, value - 1) + 1
        first = max(first, successes(-1, value) + 1)
        if value < plays:
            last = min(last, successes(-1, value + 1))
        return first, last

    @cached_property
    def _last_without_signal(self) -> int:
        return self._floor(0, 1, self.individual)

    def _floor(self, i: int, sign: int, scale: int, divisor: int = 1) -> int:
        """floor(scale/divisor (i/tau + sign s)), the same for all s in the enclosure."""
        ends = set()
        for s in self.width:
            above, below = s.numerator, s.denominator
            top = scale * (i * below + sign * self.individual * above)
            ends.add(top // (divisor * self.individual * below))
        if len(ends) > 1:
            raise Undecided(f"width between {self.width[0]} and {self.width[1]}")
        return ends.pop()

    # -- sums ----------------------------------------------------------------------------

    def _chance(self, ranges: Callable[[int], Iterable[Range]], *, signal: bool) -> Fraction:
        total = 0
        for i, weight in enumerate(_weights(self.mean, self.individual)):
            if not signal or i > self._last_without_signal:
                total += weight * sum(self._between(*part) for part in ranges(i))
        whole: int = self.mean.denominator ** (self.individual + self.united)
        return Fraction(total, whole)

    @cached_property
    def _below(self) -> list[int]:
        """Weight of {fewer than j united successes} for j = 0, ..., iota + 1."""
        return [0, *accumulate(_weights(self.mean, self.united))]

    def _between(self, first: int, last: int) -> int:
        first, last = max(first, 0), min(last, self.united)
        return self._below[last + 1] - self._below[first] if first <= last else 0


def _weights(mean: Fraction, explorations: int) -> list[int]:
    """The numerators of (1) for one kind of exploration."""
    success, failure = mean.numerator, mean.denominator - mean.numerator
    return [
        comb(explorations, i) * success**i * failure ** (explorations - i)
        for i in range(explorations + 1)
    ]


def enclosing(width: Any) -> tuple[Fraction, Fraction]:
    """The ends of a ball as exact fractions."""
    low, high = (end.fmpq() for end in (width.lower(), width.upper()))
    return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
