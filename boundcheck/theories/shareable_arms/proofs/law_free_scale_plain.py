"""The numbers of `sharp-law-free-scale` by their definitions, where they differ from those of
`sharp-law-free`. The letters are those of docs/theorems/law-free-scale.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flint import arb

from boundcheck.theories.shareable_arms.exact.first_count import first_whole
from boundcheck.theories.shareable_arms.proofs.law_free_plain import Plain, Tail


def _u(n: arb, rho: arb) -> arb:
    return rho * n**2 / (1 + rho * n)


def _pi(n: arb, rho: arb) -> arb:
    return (1 + rho * n).log() / 2


@dataclass(frozen=True)
class ScalePlain(Plain):
    """One instance, arms by their means from 0, at the horizon T."""

    variance: arb = arb(1) / 2
    off: int = 3  # how far the low average is off, beside 2 kappa + 1 for the high one and
    left: int = 8  # what they surely differ by
    each: int = 1  # capacities that are excluded apart, for each larger one
    larger: int = 2  # added to the evidence that a capacity is larger,
    smaller: int = 3  # and that it is not
    worth: int = 1  # of a play that moves to a bad arm: its gap, if that is more than nu

    @property
    def relieved(self) -> int:
        return max(self.good, key=lambda i: (self.held[i], i))

    def rate(self, k: int, x: arb) -> arb:
        return self.square(x - self.means[k])

    def square(self, x: arb) -> arb:
        return x**2 / (2 * self.variance)

    def ways(self, j: int, b: int) -> Iterable[tuple[arb, arb, Tail]]:
        mean, m, at = self.means[j], self.held[j], b == self.held[j]
        if not mean > 0:
            infinite = arb.pos_inf()
            yield infinite, infinite, lambda q: infinite
            return
        s, B = self.shares["at" if at else "below"][j], m + 1 if at else b
        kappa = arb(m) / B
        parts = self.off * s, (2 * kappa + 1) * s, self.left * (1 - s)
        x0, x1, rest = (mean / B * part / sum(parts, arb(0)) for part in parts)
        h0 = self.ending(b, self.square(rest), at)
        times = self.each * (self.N - m) if at else 1
        yield self.until(h0, (1, self.square(x0)), (times, self.square(x1 / kappa)))

    def ending(self, b: int, d: arb, at: bool) -> int:
        """h_0, on the grid of the multiples of h."""
        shares = arb(1) / (8 * (b + 1) ** 2), arb(2) / (b + 1) ** 2
        times = [1 + arb(2**i - 1) / 64 for i in range(14)]
        needed = self.level - (self.smaller if at else self.larger)

        def over(h: int) -> bool:
            ends = [(h * x).min(arb(self.T)) for x in times[1:]] + [arb(self.T)]
            for x, end in zip(times, ends, strict=True):
                if h * x > self.T:
                    continue
                for one, other in (shares,) if at else (shares, shares[::-1]):
                    weights = _u(h * x, one), _u(arb(h), other)
                    gained = d * weights[0] * weights[1] / (weights[0] + weights[1])
                    if not gained > needed + self.prices * (_pi(end, one) + _pi(arb(h), other)):
                        return False
            return True

        return first_whole(over, self.T + 1)

    def worth_a_play(self, n: int, w: arb, x: arb) -> bool:
        rho = arb(1) / 4
        return bool(_u(arb(n), rho) * self.square(x - w) <= self.level + _pi(arb(n), rho))

    def loss_of(self, j: int) -> arb:
        nu = self.means[self.last]
        return nu.max(self.worth * self.gap(j)) if j > self.last else nu

    def looks(self, j: int, b: int) -> arb:
        return self.means[j] * (1 + arb(1) / (4 * b))

    def erring(self) -> arb:
        price = 4 * arb(self.smaller).exp()
        smaller = price - 4 + price * (arb(self.T + 4) / price).log()
        stuck = self.errors() * sum(self.G(i) for i in self.good)
        return smaller * sum(self.held[i] - 1 for i in self.good) + stuck
