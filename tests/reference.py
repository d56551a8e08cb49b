"""The formulas of the paper and of our notes a second time: plain sums over plain numbers.

Written from the statements, with mpmath at 80 digits (the two-point error, an integral, in
doubles) and nothing of `boundcheck`. A formula is
registered under (claim, quantity): `in_all` gives the list of its terms, `by_arm` the list of terms
for one arm (by rank, from 0). x/0 is infinite and 0/0 is not a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, hyp1f1, ndtr

mp = mpmath.mp.clone()
mp.dps = 80
log, sqrt, exp, inf, nan = mp.log, mp.sqrt, mp.exp, mp.inf, mp.nan


def number(value: Any) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def over(x: Any, y: Any) -> Any:
    if y != 0:
        return x / y
    return nan if x == 0 or mp.isnan(x) else mp.sign(x) * inf


@dataclass(frozen=True)
class World:
    """An instance and the parameters of a question, arms sorted by mean."""

    means: list[Any]
    capacities: list[int]
    arms: list[int]
    N: int
    law: str
    s2: Any
    T: Any
    delta: Any
    epsilon: Any
    gamma: Any
    xi: Any
    d: int
    every_arm_has_d: bool
    n: int = field(default=10)
    concentration: Any = None
    levels: dict[tuple[str, int | None], Any] = field(default_factory=dict)

    def at(self, bound: Any) -> World:
        """With the free levels that a bound was computed at, by rank."""
        rank = {arm: k for k, arm in enumerate(self.arms)} | {None: None}
        return replace(self, levels={(x, rank[arm]): number(v) for x, arm, v in bound.levels})

    @classmethod
    def of(cls, instance: Any, question: Any) -> World:
        means, capacities = list(instance.means), list(instance.capacities)
        ranked = sorted(range(len(means)), key=lambda k: -means[k])
        variance = getattr(instance.reward, "variance", None)
        world = cls(
            means=[number(means[k]) for k in ranked],
            capacities=[capacities[k] for k in ranked],
            arms=[k + 1 for k in ranked],
            N=instance.plays,
            law=instance.reward.name,
            s2=mp.mpf(1) / 4 if variance is None else number(variance),
            T=number(question.horizon),
            delta=number(question.delta),
            epsilon=None if question.epsilon is None else number(question.epsilon),
            gamma=number(question.gamma),
            xi=number(question.xi),
            d=question.threshold or 0,
            every_arm_has_d=question.threshold is not None,
            n=question.samples,
            concentration=number(instance.reward.parameter),
        )
        if question.threshold is None:
            object.__setattr__(world, "d", world.mbar)
        return world

    @property
    def K(self) -> int:
        return len(self.means)

    @cached_property
    def L(self) -> int:
        """How many of the best arms are needed to seat all plays."""
        return next(n for n in range(1, self.K + 1) if sum(self.capacities[:n]) >= self.N)

    @property
    def mbar(self) -> int:
        return self.N - sum(self.capacities[: self.L - 1])

    @property
    def mu_L(self) -> Any:
        return self.means[self.L - 1]

    @property
    def m_L(self) -> int:
        return self.capacities[self.L - 1]

    @property
    def suboptimal(self) -> range:
        return range(self.L, self.K)

    @property
    def filled(self) -> range:
        return range(self.L - 1)

    @property
    def f_star(self) -> Any:
        full = sum(self.capacities[k] * self.means[k] for k in self.filled)
        return full + self.mbar * self.mu_L

    @property
    def h(self) -> Any:
        return self.f_star - min(m * mu for m, mu in zip(self.capacities, self.means, strict=True))

    def w(self, k: int) -> Any:
        return self.f_star - self.capacities[k] * self.means[k] + self.means[0]

    def square_ratio(self, k: int) -> Any:
        """m_k^2 / mu_k^2."""
        return over(mp.mpf(self.capacities[k] ** 2), self.means[k] ** 2)

    def kl(self, p: Any, q: Any) -> Any:
        if self.law == "gaussian":
            return (p - q) ** 2 / (2 * self.s2)
        return bernoulli_kl(p, q)

    def law_divergence(self, p: Any, q: Any) -> Any:
        return beta_kl(p, q, self.concentration) if self.law == "beta" else self.kl(p, q)

    def capacity_information(self, k: int) -> Any:
        """KL(N(m mu, m^2 s2) || N((m+1) mu, (m+1)^2 s2)) from the two densities' parameters."""
        m, mu = mp.mpf(self.capacities[k]), self.means[k]
        v0, v1 = m**2 * self.s2, (m + 1) ** 2 * self.s2
        return (log(v1 / v0) + v0 / v1 - 1 + mu**2 / v1) / 2


def bernoulli_kl(p: Any, q: Any) -> Any:
    total = mp.mpf(0)
    for x, y in ((p, q), (1 - p, 1 - q)):
        if x != 0:
            total += inf if y == 0 else x * log(x / y)
    return total


def beta_kl(p: Any, q: Any, c: Any) -> Any:
    """The usual formula for Beta(a, b) and Beta(s, t); here a + b = s + t = c."""
    a, b, s, t = p * c, (1 - p) * c, q * c, (1 - q) * c
    normalisers = log(mp.beta(s, t)) - log(mp.beta(a, b))
    return normalisers + (a - s) * mp.psi(0, a) + (b - t) * mp.psi(0, b)


def beta_capacity_information(m: int, mu: Any, c: Any) -> Any:
    """Divergence of m X from (m + 1) X for X Beta(mu c, (1 - mu) c), densities written out."""
    a, b, r = mu * c, (1 - mu) * c, mp.mpf(m) / (m + 1)
    shorter = mp.psi(0, b) - mp.psi(0, c)  # E log(1 - X)
    longer = -r * mu * mp.hyp3f2(1, 1, a + 1, 2, c + 1, r)  # E log(1 - r X)
    return -a * log(r) + (b - 1) * (shorter - longer)


def beta_divergence_by_quadrature(p: float, q: float, r: float, c: float) -> float:
    """Divergence of r X from Y, means p and q, r <= 1, from the densities alone, in doubles.

    The trapezoidal rule in the logit u of X, fine enough for the peak and wide enough for the
    tails of its density.
    """
    a, b, s, t = p * c, (1 - p) * c, q * c, (1 - q) * c
    peak, spread = np.log(a / b), np.sqrt(1 / a + 1 / b)
    left, right = peak - 9 * spread - 45 / a, peak + 9 * spread + 45 / b
    step = min(spread, 1.0) / 10
    u = np.arange(left, right, step)
    log_x, log_rest = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    log_scaled = np.log(r) + log_x
    # 1 - r x = (1 - x) + (1 - r) x
    log_gap = log_rest if r == 1 else np.logaddexp(log_rest, np.log1p(-r) + log_x)
    own = (a - 1) * log_x + (b - 1) * log_rest - betaln(a, b) - np.log(r)
    other = (s - 1) * log_scaled + (t - 1) * log_gap - betaln(s, t)
    density = np.exp(a * log_x + b * log_rest - betaln(a, b))
    return float((density * (own - other)).sum() * step)


def logbar(x: Any) -> Any:
    return mp.mpf(1) if x < mp.e else log(x)


def phi(x: Any, delta: Any) -> Any:
    return sqrt((1 + mp.mpf(1) / x) * log(2 * sqrt(mp.mpf(x) + 1) / delta) / (2 * mp.mpf(x)))


def first_below(scale: Any, delta: Any, target: Any) -> Any:
    """The smallest integer x >= 1 with scale phi(x, delta) < target."""
    if target <= 0:
        return inf
    low, high = 0, 1
    while scale * phi(high, delta) >= target:
        low, high = high, 4 * high
    while high - low > 1:
        middle = (low + high) // 2
        if scale * phi(middle, delta) < target:
            high = middle
        else:
            low = middle
    return mp.mpf(high)


Terms = list[Any]
IN_ALL: dict[tuple[str, str], Callable[[World], Terms]] = {}
BY_ARM: dict[tuple[str, str], tuple[str, Callable[[World, int], Terms]]] = {}


def in_all(claim: str, quantity: str) -> Callable[[Any], Any]:
    def register(formula: Any) -> Any:
        IN_ALL[claim, quantity] = formula
        return formula

    return register


def by_arm(claim: str, quantity: str, arms: str = "all") -> Callable[[Any], Any]:
    """`arms`: all, suboptimal, or threshold (all if a threshold is asked about, else arm L)."""

    def register(formula: Any) -> Any:
        BY_ARM[claim, quantity] = (arms, formula)
        return formula

    return register


def ranks(world: World, arms: str) -> list[int]:
    if arms == "suboptimal":
        return list(world.suboptimal)
    if arms == "threshold" and not world.every_arm_has_d:
        return [world.L - 1]
    return list(range(world.K))


# -- Section 4 ---------------------------------------------------------------------------


@by_arm("thm-4.1a", "explorations")
@by_arm("rem-4.2", "explorations above the capacity")
def _(w: World, k: int) -> Terms:
    return [w.s2 * w.square_ratio(k) * log(1 / (4 * w.delta))]


@by_arm("thm-4.1b", "explorations", "threshold")
def _(w: World, k: int) -> Terms:
    steps = mp.mpf(w.capacities[k] - w.d + 1)
    return [over(w.s2 * w.square_ratio(k), steps**2) * log(1 / (4 * w.delta))]


def distinguishing(w: World, kl: Callable[[Any, Any], Any] | None = None) -> Any:
    divergence_of = kl or w.kl
    gaps = ((w.mu_L - w.means[k], divergence_of(w.means[k], w.mu_L)) for k in w.suboptimal)
    return sum((over(gap, divergence) for gap, divergence in gaps), mp.mpf(0))


@in_all("thm-4.3", "regret per log T")
def _(w: World) -> Terms:
    filled = [(w.means[k] - w.mu_L) * w.s2 * w.square_ratio(k) for k in w.filled]
    last = w.mu_L - w.means[w.L]
    scale = w.s2 * w.square_ratio(w.L - 1) / (w.m_L - w.mbar + 1) ** 2
    return [distinguishing(w), sum(filled, mp.mpf(0)), last * scale]


# -- Section 5 and appendix J ------------------------------------------------------------


@by_arm("thm-5.3a", "explorations of each kind")
def _(w: World, k: int) -> Terms:
    return [49 * w.square_ratio(k) * log(2 / w.delta)]


@by_arm("thm-5.3b", "explorations of each kind", "threshold")
def _(w: World, k: int) -> Terms:
    steps = mp.mpf(w.capacities[k] - w.d + 1)
    return [over(49 * w.square_ratio(k), steps**2) * log(2 / w.delta)]


@by_arm("cor-J.3", "explorations of each kind")
def _(w: World, k: int) -> Terms:
    return [49 * w.square_ratio(k) / 2 * log(2 / w.delta)]


@by_arm("lem-E.6", "explorations of each kind")
def _(w: World, k: int) -> Terms:
    return [49 * w.square_ratio(k) * log(w.T)]


# -- Section 7 and appendix E ------------------------------------------------------------


def pulls(w: World, k: int) -> Any:
    index = log(w.T) + 4 * log(log(w.T))
    return over(index, w.kl(w.means[k] + w.epsilon, w.mu_L - w.epsilon))


def learning(w: World, k: int) -> Any:
    return 49 * w.w(k) * w.square_ratio(k)


def learning_last(w: World) -> Any:
    return learning(w, w.L - 1) / (w.m_L - w.mbar + 1) ** 2


@in_all("thm-7.1", "regret")
def _(w: World) -> Terms:
    suboptimal = sum(((w.mu_L - w.means[k]) * pulls(w, k) for k in w.suboptimal), mp.mpf(0))
    filled = sum((learning(w, k) * log(w.T) for k in w.filled), mp.mpf(0))
    constant = 13 * w.K**2 * w.N**2 * (4 + 1 / w.epsilon**2)
    return [suboptimal, filled, learning_last(w) * log(w.T), constant]


@in_all("cor-7.2", "regret per log T")
@in_all("rem-8.1", "log T coefficient of OrchExplore")
def _(w: World) -> Terms:
    filled = sum((learning(w, k) for k in w.filled), mp.mpf(0))
    return [distinguishing(w), filled, learning_last(w)]


@by_arm("lem-C.3", "slots per log T", "suboptimal")
def _(w: World, k: int) -> Terms:
    return [over(mp.mpf(1), w.law_divergence(w.means[k], w.mu_L))]


@by_arm("lem-E.2", "slots")
def _(w: World, k: int) -> Terms:
    return [mp.mpf(30)]


@in_all("lem-E.4", "slots")
def _(w: World) -> Terms:
    return [12 * w.K**2 * w.N * (4 + 1 / w.epsilon**2)]


@by_arm("lem-E.5", "explorations", "suboptimal")
def _(w: World, k: int) -> Terms:
    return [pulls(w, k), 2 * (2 + 1 / w.epsilon**2)]


# -- appendices G and H ------------------------------------------------------------------


def elimination(w: World, reference: Any, k: int) -> Any:
    """Without the capacity and the logarithm: 342 gamma^2 g / Delta."""
    gap = reference - w.means[k]
    return over(342 * w.gamma**2 * (w.means[0] - w.means[k]), gap**2)


def elimination_log(w: World, reference: Any, k: int) -> Any:
    return logbar(w.T * (reference - w.means[k]) ** 2 / (18 * w.gamma**2))


def known_capacity_terms(w: World) -> Terms:
    eliminating = sum(
        (
            w.capacities[k] * elimination(w, w.mu_L, k) * elimination_log(w, w.mu_L, k)
            for k in w.suboptimal
        ),
        mp.mpf(0),
    )
    if w.L == 1:
        return [eliminating, mp.mpf(0)]
    return [eliminating, over(4 * (w.L - 1) * w.h, (w.means[w.L - 2] - w.mu_L) ** 2)]


@in_all("thm-G.1", "regret")
def _(w: World) -> Terms:
    capacities = sum((learning(w, k) * logbar(w.T / w.xi) for k in range(w.N)), mp.mpf(0))
    return [*known_capacity_terms(w), capacities, 2 * w.xi * w.K * w.h]


@in_all("thm-G.5", "regret")
def _(w: World) -> Terms:
    return known_capacity_terms(w)


@in_all("cor-G.2", "order per log T")
def _(w: World) -> Terms:
    eliminating = sum(
        (w.capacities[k] * elimination(w, w.mu_L, k) for k in w.suboptimal), mp.mpf(0)
    )
    capacities = sum((w.w(k) ** 2 * w.square_ratio(k) for k in range(w.N)), mp.mpf(0))
    return [eliminating / (342 * w.gamma**2), capacities]


@in_all("thm-G.3", "regret")
def _(w: World) -> Terms:
    mu_N = w.means[w.N - 1]
    eliminating = sum(
        (elimination(w, mu_N, k) * elimination_log(w, mu_N, k) for k in range(w.N, w.K)), mp.mpf(0)
    )
    if w.N == 1:
        return [eliminating, mp.mpf(0)]
    return [eliminating, over(2 * (w.N - 1) * w.h, (w.means[w.N - 2] - mu_N) ** 2)]


@in_all("rem-8.1", "log T coefficient of MP-SE-SA")
def _(w: World) -> Terms:
    eliminating = sum(
        (w.capacities[k] * elimination(w, w.mu_L, k) for k in w.suboptimal), mp.mpf(0)
    )
    return [eliminating, sum((learning(w, k) for k in range(w.N)), mp.mpf(0))]


def etc_slopes(w: World) -> Terms:
    top = w.means[0]
    suboptimal = sum(
        (
            over(8 * (top - w.means[k]) * w.capacities[k], (w.mu_L - w.means[k]) ** 2)
            for k in w.suboptimal
        ),
        mp.mpf(0),
    )
    last = mp.mpf(0)
    if w.L >= 2:
        last = over(8 * (top - w.mu_L) * w.m_L, (w.means[w.L - 2] - w.mu_L) ** 2)
    return [suboptimal, last, sum((learning(w, k) for k in range(w.K)), mp.mpf(0))]


@in_all("thm-H.1", "regret")
def _(w: World) -> Terms:
    return [*(slope * log(w.T) for slope in etc_slopes(w)), mp.mpf(6 * w.K * w.N)]


@in_all("rem-8.1", "log T coefficient of ETC-UCB")
def _(w: World) -> Terms:
    return etc_slopes(w)


# -- ours --------------------------------------------------------------------------------


@by_arm("sharp-4.1", "explorations above the capacity, fixed number")
def _(w: World, k: int) -> Terms:
    return [log(1 / (4 * w.delta)) / w.capacity_information(k)]


@by_arm("sharp-4.1", "explorations above the capacity, expected number")
def _(w: World, k: int) -> Terms:
    return [(1 - 2 * w.delta) * log((1 - w.delta) / w.delta) / w.capacity_information(k)]


@by_arm("sharp-4.1-test", "minimax error")
def _(w: World, k: int) -> Terms:
    m, theta = w.capacities[k], w.means[k] / sqrt(w.s2)
    return [mp.mpf(two_point(m, m + 1, float(theta), w.n))]


def two_point(a: int, b: int, theta: float, n: int) -> float:
    """Equal errors of the threshold test on sum (Y_i/sigma - theta ab/(a+b))^2, in doubles."""
    shift = theta * a * b / (a + b)

    def errors(threshold: float) -> tuple[float, float]:
        under_a = ball_probability(np.array(threshold), a, theta * a - shift, n)
        return 1 - float(under_a), float(ball_probability(np.array(threshold), b, shift * b / a, n))

    def imbalance(threshold: float) -> float:
        above, below = errors(threshold)
        return above - below

    top = 1.0
    while imbalance(top) > 0:
        top *= 2
    return sum(errors(brentq(imbalance, top / 1e4, top, xtol=1e-15, rtol=1e-15))) / 2


NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


def ball_probability(threshold: Any, scale: float, offset: float, n: int) -> Any:
    """P(sum of n squares < threshold), each of a normal with mean `offset` and sd `scale`.

    One square by the normal law; each further one by integrating over it.
    """
    radius = np.sqrt(threshold)
    if n == 1:
        return ndtr((radius - offset) / scale) - ndtr((-radius - offset) / scale)
    angle = NODES * np.pi / 2  # the first coordinate is radius sin(angle)
    y = radius[..., None] * np.sin(angle)
    density = np.exp(-(((y - offset) / scale) ** 2) / 2) / (scale * np.sqrt(2 * np.pi))
    rest = ball_probability(threshold[..., None] - y**2, scale, offset, n - 1)
    step = radius[..., None] * np.cos(angle) * np.pi / 2
    return (WEIGHTS * density * rest * step).sum(axis=-1)


@in_all("sharp-4.3", "regret per log T")
def _(w: World) -> Terms:
    suboptimal = distinguishing(w, w.law_divergence)
    if w.law == "bernoulli":
        return [suboptimal, mp.mpf(0)]
    if w.law == "beta":
        told = [
            beta_capacity_information(w.capacities[k], w.means[k], w.concentration)
            for k in w.filled
        ]
    else:
        told = [w.capacity_information(k) for k in w.filled]
    return [suboptimal, sum((w.mu_L / each for each in told), mp.mpf(0))]


@in_all("sharp-4.3-law-free", "regret per log T")
def _(w: World) -> Terms:
    def nearest(p: Any, q: Any) -> Any:
        if w.law != "beta":
            return w.kl(p, q)
        return min(beta_kl(p, q, w.concentration), log((1 - p) / (1 - q)))

    suboptimal = distinguishing(w, nearest)
    if w.law == "bernoulli":
        return [suboptimal, mp.mpf(0)]
    if w.law == "gaussian":
        told = [w.capacity_information(k) for k in w.filled]
    else:
        held = zip(w.capacities, w.means, strict=True)
        told = [beta_capacity_information(m, mu, w.concentration) for m, mu in held][: w.L - 1]
    return [suboptimal, sum((over(w.mu_L, each) for each in told), mp.mpf(0))]


@by_arm("sharp-5.3a", "explorations of each kind")
def _(w: World, k: int) -> Terms:
    return [first_below(4 * w.capacities[k] + 3, w.delta, w.means[k])]


@by_arm("sharp-5.3a", "closed form")
def _(w: World, k: int) -> Terms:
    scale = over(mp.mpf(4 * w.capacities[k] + 3) ** 2, w.means[k] ** 2)
    confidence = log(2 / w.delta)
    if mp.isinf(scale):
        return [inf]
    inner = scale * (confidence + log(scale))
    return [nan if inner <= 0 else scale / 2 * (confidence + log(inner) / 2)]


@by_arm("sharp-5.3a", "typical stopping size")
def _(w: World, k: int) -> Terms:
    return [first_below(2 * (w.capacities[k] + 1), w.delta, w.means[k])]


def reaching(m: int, mu: Any, d: int, delta: Any) -> Any:
    return mp.mpf(0) if d == 1 else first_below(m + 3 * d - 3, delta, (m - d + 1) * mu)


@by_arm("sharp-5.3b", "explorations of each kind", "threshold")
def _(w: World, k: int) -> Terms:
    return [reaching(w.capacities[k], w.means[k], w.d, w.delta)]


@by_arm("sharp-5.3b", "typical stopping size", "threshold")
def _(w: World, k: int) -> Terms:
    # with exact means m mu/(mu + 2 phi) > d - 1
    steps = w.capacities[k] - w.d + 1
    return [mp.mpf(0) if w.d == 1 else first_below(2 * (w.d - 1), w.delta, steps * w.means[k])]


def after(first: Any, rate: Any) -> Any:
    """exp(-n rate) over n = first, first + 1, ..."""
    return mp.mpf(0) if mp.isinf(rate) else over(exp(-first * rate), 1 - exp(-rate))


# -- sharp-7.1 ------------------------------------------------------------------------------------

_BITS = 320  # chances as whole multiples of 2^-320


def binomial_sum(z: Any, mu: Any, most: Any, convex: bool) -> Any:
    """P(B >= n z) over n, B binomial (n, mu), or E(B - t)_+/(n z - t): for n up to a limit, by the
    chances of B < k and B = k; and Chernoff's beyond it."""
    if mu == 0 or z >= 1:
        return mp.mpf(0)
    rate = z * log(z / mu) + (1 - z) * log((1 - z) / (1 - mu))
    end, one = int(min(6 / float(rate), float(most))), 1 << _BITS
    p, level = (int(mp.nint(x * one)) for x in (mu, z))
    odds = (p << _BITS) // (one - p)
    k, low, mass, found = 0, 0, one, 0

    def excess(n: int, t: int, low: int, mass: int) -> int:
        """E(B - t)_+ = n mu P(one reward fewer has t or more) - t P(B > t)."""
        more = one - low - mass
        return (n * p * (more + mass * (n - t) // n) >> _BITS) - t * more

    def moved(n: int) -> tuple[int, int]:
        """B < k + 1 and B = k + 1."""
        return low + mass, (mass * odds >> _BITS) * (n - k) // (k + 1)

    for n in range(1, end + 1):
        if k:
            less = (mass << _BITS) // odds * k // (n - k)  # of k - 1, one reward fewer
            low -= p * less >> _BITS
        mass = (mass * (one - p) >> _BITS) * n // (n - k)
        while (k + convex) * one < n * level - (n << _BITS - 200):
            if convex:
                here = excess(n, k, low, mass) * (n * level - (k + 1) * one)
                if excess(n, k + 1, *moved(n)) * (n * level - k * one) >= here:
                    break
            low, mass = moved(n)
            k += 1
        if convex:
            found += (excess(n, k, low, mass) << _BITS) // (n * level - k * one)
        else:
            found += one - low
    return mp.mpf(found) / one + exp(-rate * end) / (exp(rate) - 1)


def normal_tail(x: Any) -> Any:
    return mp.erfc(x / sqrt(2)) / 2


def beyond(w: World, z: Any, mu: Any) -> Any:
    """At how many counts a mean is at z or beyond."""
    if w.law.startswith("gaussian"):
        x = (z - mu) ** 2 / (2 * w.s2)
        density = exp(-x / 2) / sqrt(2 * mp.pi)
        return (sqrt(x) * density + normal_tail(sqrt(x))) / (2 * x) - normal_tail(sqrt(x)) / 2
    most = min(mp.mpf(400_000) / (w.K * w.L), 20_000)
    ends = (z, mu) if z > mu else (1 - z, 1 - mu)
    return binomial_sum(*ends, most, w.law != "bernoulli")


def cost_of_learning(w: World, k: int) -> Any:
    """Cap_k, for k before L or L itself: the first k-slot and the others, by what bounds may
    hold."""
    m, N, mean, last = w.capacities[k], w.N, w.means[k], w.mu_L
    filled = k < w.L - 1
    if mean <= 0:
        return inf
    top = m if filled else w.mbar
    first, d = w.f_star - m * mean, (w.means[w.L] - w.means[-1]) / 2

    def phi_(n: int) -> Any:
        return sqrt((1 + mp.mpf(1) / n) * log(w.T * sqrt(mp.mpf(n + 1))) / (2 * n))

    def chance(c: int, n: int) -> Any:
        """That capacity c is not excluded after n k-slots."""
        room, width = abs(c - m) * mean, phi_(n)
        if (m + 3 * c) * width < room:
            return mp.mpf(0)
        e = room - 2 * c * width
        if e <= 0:
            return mp.mpf(1)
        rate, size = n / (2 * w.s2), mp.mpf(m * m + c * c)
        q = e * sqrt(rate / size)
        alone = m**2 * exp(-rate * e**2 / m**2) + c**2 * exp(-rate * e**2 / mp.mpf(c) ** 2)
        erfs = mp.erf(q * m / c) + mp.erf(q * c / m)
        return min(mp.mpf(1), (alone + sqrt(mp.pi) * m * c * q * exp(-(q**2)) * erfs) / size)

    def earned(x: int, arms: Any) -> Any:
        return min(min(x, w.capacities[j]) * w.means[j] for j in arms if j != k)

    def lam(x: int) -> Any:
        return earned(x, range(w.K))

    def good(x: int) -> Any:
        single = w.mbar == 1 and w.L >= 3
        return max(lam(x), earned(x, range(w.L - 1))) if single else lam(x)

    def kappa(bound: int) -> Any:
        short = {w.L - 1: top - bound}
        if filled:
            others = (i for i in range(w.L - 1) if i != k and w.means[i] <= mean)
            short = {i: w.capacities[i] - 1 for i in others}
            short |= {k: m - bound, w.L - 1: w.mbar - 1}
        lost, plays = mp.mpf(0), sum(short.values())
        for j in reversed(range(w.L, w.K)):
            load = min(plays, w.capacities[j])
            lost, plays = lost + load * (last - w.means[j]), plays - load
        return lost + sum(x * (w.means[i] - last) for i, x in short.items())

    hardest = m + 1 if filled else top - 1
    end = first_below(m + 3 * hardest, 2 / w.T, abs(hardest - m) * mean)
    kappas = [None, *(kappa(v) for v in range(1, top + 1))]
    total, n = first + d + kappas[1], 1
    losses = []
    if filled:
        for f in (lam, good):
            steps = {v: f(N - v + 1) - f(N - v) for v in range(m + 2, N + 1)}
            losses.append((first - f(N - m - 1), steps))
        gap = max(good(x) - lam(x) for x in range(N - m + 1))
    while n < end:
        after_n = min(n + max(n // 48, 1), int(end))
        possible = {c: chance(c, n) for c in range(1, min(m, N if filled else top))}
        for c in range(m + 1, (N if filled else 0) + 1):
            powers = (2**i for i in range(3, 40))
            looked_at = c - m <= 8 or c - m in powers
            possible[c] = chance(c, n) if looked_at else possible[c - 1]
        low = possible[top - 1] if top > 1 else mp.mpf(0)
        alive = min(mp.mpf(1), possible[m + 1] + low) if filled else low
        low = min(low, alive)
        lost = kappas[top] * alive
        for v in range(2, top + 1):
            lost += (kappas[v - 1] - kappas[v]) * min(possible[v - 1], alive)
        if filled:
            lost += d * (alive if kappas[m] > 0 else low)
            plain, better = (
                base * alive + sum(step * possible[v] for v, step in steps.items())
                for base, steps in losses
            )
            lost += min(plain, better + gap * low)
        else:
            lost += (first + d) * alive
        total, n = total + (after_n - n) * lost, after_n
    return total


@in_all("sharp-7.1", "regret")
def _(w: World) -> Terms:
    def total(found: Any) -> Any:
        return sum(found, mp.mpf(0))

    mu, held, L, K, N = w.means, w.capacities, w.L, w.K, w.N
    several, shared = L >= 2, w.mbar >= 2
    filled, far, last = list(w.filled), w.suboptimal, L - 1
    worst, d, low_index = mu[-1], (mu[L] - mu[-1]) / 2, mp.mpf(37) / 10
    theta = {name: value for (name, k), value in w.levels.items() if k is None}

    def first(k: int) -> Any:
        return w.f_star - held[k] * mu[k]

    def level(i: int, r: int, name: str = "theta_b") -> Any:
        """Between the means of r and of i, the better one."""
        return mu[r] + theta[name] * (mu[i] - mu[r])

    def high(r: int, z: Any) -> Any:
        return beyond(w, z, mu[r])

    def ever_low(i: int, z: Any) -> Any:
        return 1 + beyond(w, z, mu[i])

    def needed(k: int) -> int:
        others = sorted((held[j] for j in range(K) if j != k), reverse=True)
        enough = (n for n in range(1, K) if sum(others[:n]) >= N)
        return next(enough, K)

    rho = [2 * max(1, K - needed(k)) for k in range(K)]
    c_J, c_L, second = max(first(j) for j in far), first(last), mp.mpf(0)
    if w.mbar == 1 and L >= 3:
        for k in filled:
            for x in range(N - held[k] + 1):
                left = [min(x, held[j]) * mu[j] for j in range(K) if j != k]
                best = [min(x, held[j]) * mu[j] for j in filled if j != k]
                second = max(second, min(best) - min(left))
    w_1, w_2, begins = max(c_J, c_L, second), max(c_L, second), max(c_J, c_L)
    short = {k: (held[k] - 1) * (mu[k] - worst) + (d if held[k] > 1 else 0) for k in filled}
    short_last, lacking = (w.mbar - 1) * (mu[last] - worst) + d, min(held[last], N - L + 1)
    half = mp.mpf(1) / 2
    pairs = [(i, j) for i in filled for j in far]
    e = {k: level(last, k, "theta_e") for k in far}
    low_draws = {(i, k): (mu[k - 1] - mu[k]) * ever_low(i, e[k]) for i in range(L) for k in far}

    def drawn(k: int) -> Any:
        c = mu[k] + w.levels["theta_k", k] * (e[k] - mu[k])
        return over(log(w.T) + 4 * log(log(w.T)), w.kl(c, e[k])) + 1 + high(k, c)

    def short_even(k: int) -> Any:
        y = level(k, last, "theta_y")
        return 2 * short[k] * (ever_low(k, y) + total(high(r, y) for r in range(last, K)))

    def overtaken(k: int) -> Any:
        worse = [r for r in range(K) if mu[r] < mu[k]]
        z = level(k, worse[0], "theta_z")
        return short[k] * (beyond(w, z, mu[k]) + total(high(r, z) for r in worse))

    def if_(condition: bool, value: Callable[[], Any]) -> Any:
        return value() if condition else mp.mpf(0)

    return [
        2 * K * w.h,
        total(
            2 * (held[last] - w.mbar + half) * (mu[i] - mu[i + 1]) * high(last, level(i, last))
            for i in filled
        ),
        total(rho[i] * held[i] * (mu[i] - mu[last]) * ever_low(i, level(i, last)) for i in filled),
        total(
            2 * (held[j] + (half if several else 0)) * (mu[last] - mu[j]) * high(j, level(last, j))
            for j in far
        ),
        total(
            rho[last] * lacking * (mu[j - 1] - mu[j]) * ever_low(last, level(last, j)) for j in far
        ),
        total(2 * (held[j] + half) * (mu[i] - mu[i + 1]) * high(j, level(i, j)) for i, j in pairs),
        total(rho[i] * held[i] * (mu[j - 1] - mu[j]) * ever_low(i, level(i, j)) for i, j in pairs),
        total(low_index * (held[i] * (mu[i] - worst) + d) for i in filled),
        low_index * (lacking * (mu[last] - worst) + d),
        total((mu[last] - mu[k]) * drawn(k) for k in far),
        total(low_draws.values()),
        total(rho[i] / mp.mpf(2) * x for (i, k), x in low_draws.items() if k > L),
        total(cost_of_learning(w, k) for k in filled),
        if_(shared, lambda: cost_of_learning(w, last)),
        total(short[k] + (second if held[k] > 1 else 0) for k in filled),
        if_(shared, lambda: short_last),
        begins,
        total(short_even(k) for k in filled),
        total(overtaken(k) for k in filled),
        if_(shared, lambda: 3 * short_last * total(high(j, theta["y_L"]) for j in far)),
        if_(shared, lambda: short_last * (3 * ever_low(last, theta["y_L"]) - 1)),
        if_(several, lambda: 2 * w_1 * total(high(j, theta["x_1"]) for j in far)),
        total(w_1 * (rho[i] * ever_low(i, theta["x_1"]) + low_index) for i in filled),
        if_(several, lambda: 2 * w_2 * high(last, theta["x_2"])),
        total(
            w_2 * (rho[i] if held[i] <= held[last] - w.mbar else 2) * ever_low(i, theta["x_2"])
            for i in filled
        ),
        if_(several, lambda: total(first(r) * high(r, theta["x_3"]) for r in range(last, K))),
        total(begins * beyond(w, theta["x_3"], mu[i]) for i in filled),
        if_(several, lambda: total(3 * second * high(r, theta["x_4"]) for r in range(last, K))),
        total(second * beyond(w, theta["x_4"], mu[i]) for i in filled),
        if_(shared, lambda: 2 * total(first(j) * high(j, theta["x_5"]) for j in far)),
        if_(
            shared, lambda: c_J * ((2 * (K - L) + 1) * ever_low(last, theta["x_5"]) - 1 + low_index)
        ),
    ]


def smaller(x: Any, y: Any) -> Any:
    return nan if mp.isnan(x) or mp.isnan(y) else min(x, y)


@dataclass(frozen=True)
class LawFree:
    """The bound of `law-free`, with the names of its proof (docs/theorems/law-free.md)."""

    w: World

    @cached_property
    def m(self) -> list[int]:
        return [min(c, self.w.N) for c in self.w.capacities]

    @property
    def good(self) -> range:
        return range(self.w.L)

    @cached_property
    def level(self) -> Any:
        return log(1 + self.w.T / 4)

    @cached_property
    def errors(self) -> Any:
        return 4 * log(1 + self.w.T * 2 / 9)

    @property
    def phi(self) -> int:
        return 1 if self.w.law == "bernoulli" else 2

    def share(self, name: str, k: int) -> Any:
        return self.w.levels["share_" + name, k]

    def gap(self, k: int) -> Any:
        return abs(self.w.means[k] - self.w.mu_L)

    def G(self, k: int) -> int:
        return self.m[k] + (1 if self.m[k] < self.w.N else 0)

    def rate(self, k: int, x: Any) -> Any:
        """I_k."""
        mu, c = self.w.means[k], self.w.concentration
        if self.w.law == "beta" and c <= 64 and 0 < mu < 1 and 0 < x < 1:
            return beta_rate(mu, c, x) if x > mu else beta_rate(1 - mu, c, 1 - x)
        return bernoulli_kl(x, mu)

    def p(self, k: int, b: int) -> Any:
        mu, c = self.w.means[k], self.w.concentration
        if self.w.law == "bernoulli":
            return mu
        if self.w.law == "beta":
            found = mp.betainc(mu * c, (1 - mu) * c, mp.mpf(b) / (b + 1), 1, regularized=True)
            return min(found, 1 - mp.mpf(2) ** -40)
        return max(mp.mpf(0), (b + 1) * mu - b)

    # sums over counts

    def tail(self, d: Any, start: Any) -> Any:
        """e^(-n d) over n >= start."""
        return inf if d == 0 else exp(-start * d) / -mp.expm1(-d)

    def S(self, pairs: list[tuple[int, Any]], after: int = 0) -> Any:
        """min(1, sum M e^(-n d)) over n > after."""
        if any(d == 0 for _, d in pairs):
            return inf
        last = highest(lambda n: sum(M * exp(-n * d) for M, d in pairs) > 1, after)
        return last - after + sum(M * self.tail(d, last + 1) for M, d in pairs)

    def r(self, n: Any) -> Any:
        return log(mp.pi * (n + mp.mpf(1) / 2)) / 2

    def Q(self, w: Any, x: Any) -> int:
        return highest(lambda n: n * bernoulli_kl(w, x) <= self.level + self.r(n), 0)

    def glr(self, A: Any, n: Any, B: Any, other: Any) -> Any:
        x = (n * A + other * B) / (n + other)
        return n * bernoulli_kl(A, x) + other * bernoulli_kl(B, x)

    # tests of larger loads

    def end(self, ratio: Callable[[Any], Any], prices: int) -> int:
        """The smallest h that is enough on the grid h q_0, h q_1, ..., T."""
        grid = [1 + mp.mpf(2**i - 1) / 64 for i in range(14)]
        ratios = [ratio(q) for q in grid]

        def not_yet(h: int) -> bool:
            for i, q in enumerate(grid):
                far = min(h * grid[i + 1], self.w.T) if i < 13 else self.w.T
                needed = self.level + self.r(far) + prices * self.r(h)
                if h * q <= self.w.T and not h * ratios[i] > needed:
                    return True
            return False

        return highest(not_yet, 0) + 1

    @cached_property
    def counts(self) -> dict[tuple[int, int], tuple[Any, Any, Callable[[int], Any]]]:
        """h, c and the tail of h, by arm and b."""
        loads = [range(1, min(m, self.w.N - 1) + 1) for m in self.m]
        return {(j, b): self.count(j, b) for j in range(self.w.K) for b in loads[j]}

    def count(self, j: int, b: int) -> tuple[Any, Any, Callable[[int], Any]]:
        mu, at, p = self.w.means[j], b == self.m[j], self.p(j, b)
        off = self.share("averages" if at else "averages_below", j) * min(mu / (2 * b + 1), 1 - mu)
        found: list[tuple[Any, Any, Callable[[int], Any]]] = [(inf, inf, lambda q: inf)]
        if off > 0:
            A = mu - off if at else mu + off
            cap = (A + 1023) / 1024
            B = b * (mu + off) / (b + 1) if at else min((b + 1) * (mu - off) / b, cap)
            both = (self.rate(j, mu - off), self.rate(j, mu + off))

            def ratio(q: Any) -> Any:
                many = self.glr(A, q, B, 1)
                return many if at else min(many, self.glr(A, 1, B, q))

            found.append(self.averaged(self.end(ratio, 1), both))
        if not at and p > 0:
            found.append((1 / p, (1 - p) / p, lambda q: (1 - p) ** (q + 1) / p))
        if at and p > 0:
            z = self.share("heard", j) * p
            h = self.end(lambda q: self.glr(z, q, mp.mpf(0), 1), 0)
            found.append(self.averaged(h, (bernoulli_kl(z, p),)))
        return min(found, key=lambda each: each[0])

    def averaged(self, h: int, rates: tuple[Any, ...]) -> tuple[Any, Any, Callable[[int], Any]]:
        def beyond(q: int) -> Any:
            start = max(h, q + 1)
            return start - q - 1 + sum(self.tail(d, start) for d in rates)

        return beyond(-1), beyond(-1), beyond

    def tried(self, j: int, count: Any) -> Any:
        return sum(min(h, 4 * count) for (k, _), (h, _, _) in self.counts.items() if k == j)

    def climbing(self, i: int) -> list[int]:
        return [b for k, b in self.counts if k == i and b < self.m[i]]

    # slots

    def cbar(self, i: int, x: Any) -> Any:
        return 1 + self.S([(self.G(i), self.rate(i, x))])

    def No(self, i: int, x: Any) -> Any:
        w, count = self.w, self.cbar(i, x)
        total = w.K * count
        for j in range(w.K):
            if j == i:
                continue
            trials = self.tried(j, count)
            if j >= w.L:
                v = w.means[j] + self.share("passed", j) * (w.means[i] - w.means[j])
                high = self.m[j] * self.tail(self.rate(j, v), 1)
                loads = 4 * min(self.m[j], w.N - 1)
                trials = min(trials, 1 + high + loads * self.cbar(i, v)) if trials else trials
            total += trials
        return 2 * total

    def Cl(self, i: int, b: int) -> Any:
        h, c, _ = self.counts[i, b]
        others = sum(self.tried(j, h) for j in range(self.w.K) if j != i)
        return 2 * (self.w.K * h + others) + 2 * c

    def W(self, plays: int, arms: list[int] | None = None) -> Any:
        lost = mp.mpf(0)
        for k in sorted(self.w.suboptimal if arms is None else arms, reverse=True):
            here = min(plays, self.m[k])
            lost, plays = lost + here * self.gap(k), plays - here
        return lost

    def missing(self, i: int, plays: int) -> int:
        spare = sum(self.m[k] for k in self.good) - self.w.N
        return max(plays - spare, 0) if i == self.relieved else plays

    @property
    def relieved(self) -> int:
        return self.w.L - 1

    def climbing_lost(self, i: int) -> Any:
        total = mp.mpf(0)
        for b in self.climbing(i):
            short = self.m[i] - b
            total += self.Cl(i, b) * (self.W(self.missing(i, short)) + short * self.gap(i))
            total += self.counts[i, b][1] * self.gap(self.w.K - 1)
        return total

    def x(self, k: int, name: str = "x") -> Any:
        return self.w.means[k] + self.share(name, k) * self.gap(k)

    def A1(self, k: int) -> Any:
        m = self.m[k]
        times = m * (m + 1) // 2 + (m if m < self.w.N else 0)
        return 2 * self.gap(k) * (1 + times * self.tail(self.rate(k, self.x(k)), 1))

    def A2(self, i: int) -> Any:
        ranked = sorted(self.w.suboptimal, key=self.x, reverse=True)
        total = mp.mpf(0)
        for q, k in enumerate(ranked):
            slots = self.No(i, self.x(k)), self.last(i, self.x(k))
            for each, room in zip(slots, (self.m[i], self.m[i] - 1), strict=True):
                s = self.missing(i, room)
                step = self.W(s, ranked[: q + 1]) - self.W(s, ranked[:q])
                total += step * each if step else 0
        return total

    def last(self, i: int, x: Any) -> Any:
        return 2 * self.G(i) * self.tail(self.rate(i, x), 1)

    def above(self, arms: Any, y: Any) -> Any:
        return sum(2 * (1 + self.G(k) * self.tail(self.rate(k, y), 1)) for k in arms)

    def B(self, i: int) -> Any:
        w = self.w
        y = w.mu_L + self.share("y", i) * self.gap(i)
        z = w.means[w.L] + self.share("z", i) * (y - w.means[w.L])
        outside = self.No(i, y)
        if sum(self.m[j] for j in self.good if j != i) < w.N:
            outside = min(outside, self.above(w.suboptimal, z) + self.No(i, z))
        return self.above([w.L - 1, *w.suboptimal], y) + self.last(i, y) + outside

    def D1(self, k: int) -> Any:
        x, mu = self.x(k, "x'"), self.w.means[k]
        w = mu + self.share("w", k) * (x - mu)
        q = self.Q(w, x)
        total = q + 1 + self.S([(self.G(k), self.rate(k, w))], q)
        total += sum(self.G(i) * self.tail(self.rate(i, x), 1) for i in self.good)
        total += self.S([(self.G(i), self.rate(i, x)) for i in self.good], q)
        return total + sum(self.counts[i, b][2](q) for i in self.good for b in self.climbing(i))

    def cost(self, j: int, b: int, s: int) -> Any:
        surplus = max(b + s - self.m[j], 0) if j in self.good else s
        best = [self.gap(i) for i in self.w.filled for _ in range(self.m[i])]
        return surplus * self.w.mu_L + sum(best[:s])

    def looks(self, mu: Any, b: int) -> Any:
        return min(mu * (1 + mp.mpf(1) / (4 * b)), (1 + mu) / 2)

    def direct(self, j: int) -> Any:
        total, mu = mp.mpf(0), self.w.means[j]
        for (k, b), (h, _, _) in self.counts.items():
            if k != j:
                continue
            many = h
            if b == self.m[j]:
                z = self.looks(mu, b)
                low = z * b / (b + mp.mpf(1) / 2)
                many = min(h, 1 + sum(self.tail(self.rate(j, v), 1) for v in (z, low)))
            one, whole = self.cost(j, b, 1), self.cost(j, b, b)
            total += h * one + (many * (whole - one) if whole != one else 0)
        return total

    def ordered(self, j: int) -> Any:
        v, tests = self.x(j, "v"), [(b, c[0]) for (k, b), c in self.counts.items() if k == j]
        if not tests:
            return mp.mpf(0)
        costs = [self.cost(j, b, b) for b, _ in tests]
        rates = [(self.G(i), self.rate(i, v)) for i in self.good]
        total = costs[0] + sum(costs) * self.tail(self.rate(j, v), 1)
        total += 4 * (1 + self.S(rates)) * sum(costs)
        total += costs[-1] * sum(M * self.tail(d, 1) for M, d in rates)
        for i in self.good:
            for b in self.climbing(i):
                h = self.counts[i, b][0]
                total += sum(min(t, 4 * h) * c for (_, t), c in zip(tests, costs, strict=True))
        return total

    def erring(self) -> Any:
        return self.errors * sum(self.phi * (self.m[i] - 1) + self.G(i) for i in self.good)

    def worse_loads(self) -> Any:
        bad = self.w.suboptimal
        tops = [min(self.m[j], self.w.N - 1) for j in bad]
        largest = max(self.cost(j, b, b) for j, b in zip(bad, tops, strict=True))
        c = sum(self.counts[i, b][1] for i in self.good for b in self.climbing(i))
        shared = largest * (self.erring() / 2 + c) if largest else mp.mpf(0)
        each = sum(min(self.direct(j), self.ordered(j)) for j in bad)
        return min(sum(self.direct(j) for j in bad), shared + each)


def u(n: Any, rho: Any) -> Any:
    return rho * mp.mpf(n) ** 2 / (1 + rho * n)


def pi(n: Any, rho: Any) -> Any:
    return log(1 + rho * n) / 2


def kept_from(c: int, T: Any) -> Any:
    """Lam_c: the sum of min(1, e^(c - l_t)), e^-l_t = 4/(4 + t), by its integral from 0 to T."""
    start = 4 * exp(c) - 4
    return start + 4 * exp(c) * log((T + 4) / (4 * exp(c)))


@dataclass(frozen=True)
class ScaleLawFree(LawFree):
    """The same told a scale (docs/theorems/law-free-scale.md)."""

    def rate(self, k: int, x: Any) -> Any:
        return (x - self.w.means[k]) ** 2 / (2 * self.w.s2)

    @property
    def relieved(self) -> int:
        largest = max(self.m[i] for i in self.good)
        return max(i for i in self.good if self.m[i] == largest)

    def Q(self, w: Any, x: Any) -> int:
        rho, d = mp.mpf(1) / 4, (x - w) ** 2 / (2 * self.w.s2)
        return highest(lambda n: u(n, rho) * d <= self.level + pi(n, rho), 0)

    def count(self, j: int, b: int) -> tuple[Any, Any, Callable[[int], Any]]:
        mu, m, s2 = self.w.means[j], self.m[j], self.w.s2
        if mu <= 0 or self.level < 4:
            return inf, inf, lambda q: inf
        at = b == m
        B, s = (m + 1, self.share("averages", j)) if at else (b, self.share("averages_below", j))
        kappa = mp.mpf(m) / B
        parts = [3 * s, (2 * kappa + 1) * s, 8 * (1 - s)]
        x0, x1, rest = (mu / B * part / sum(parts) for part in parts)
        d0, d1 = x0**2 / (2 * s2), x1**2 / (2 * s2 * kappa**2)
        M = self.w.N - m if at else 1
        h = self.until(rest**2 / (2 * s2), b, at)

        def beyond(q: int) -> Any:
            start = max(h, q + 1)
            return start - q - 1 + self.tail(d0, start) + M * self.tail(d1, start)

        return beyond(-1), beyond(-1), beyond

    def until(self, d: Any, b: int, at: bool) -> int:
        rho, rho_ = mp.mpf(1) / (8 * (b + 1) ** 2), mp.mpf(2) / (b + 1) ** 2
        grid = [1 + mp.mpf(2**i - 1) / 64 for i in range(14)]
        pairs = [(rho, rho_)] if at else [(rho, rho_), (rho_, rho)]

        def not_yet(h: int) -> bool:
            for i, q in enumerate(grid):
                far = min(h * grid[i + 1], self.w.T) if i < 13 else self.w.T
                for one, other in pairs:  # rho of the group that is larger, and of that of h plays
                    weights = u(h * q, one), u(h, other)
                    found = d * weights[0] * weights[1] / sum(weights)
                    found += (3 if at else 2) - pi(far, one) - pi(h, other)
                    if h * q <= self.w.T and not found > self.level:
                        return True
            return False

        return highest(not_yet, 0) + 1

    def cost(self, j: int, b: int, s: int) -> Any:
        if j in self.good:
            return super().cost(j, b, s)
        best = [self.gap(i) for i in self.w.filled for _ in range(self.m[i])]
        return s * max(self.w.mu_L, self.gap(j)) + sum(best[:s])

    def looks(self, mu: Any, b: int) -> Any:
        return mu * (1 + mp.mpf(1) / (4 * b))

    def erring(self) -> Any:
        smaller = sum(self.m[i] - 1 for i in self.good)
        return smaller * kept_from(3, self.w.T) + self.errors * sum(map(self.G, self.good))


def highest(holds: Callable[[int], bool], least: int) -> int:
    """The last whole number, from `least` on, up to which this holds."""
    step = 1
    while holds(least + step):
        step *= 2
    low, high = least + step // 2 if step > 1 else least, least + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def beta_rate(mu: Any, c: Any, x: Any) -> Any:
    """sup over 0 <= s <= 600 of s x - log E e^(s X): the slope by bisection, then by Newton."""
    a = mu * c

    def moments(s: Any) -> tuple[Any, Any]:
        whole = mp.hyp1f1(a, c, s)
        one = a / c * mp.hyp1f1(a + 1, c + 1, s) / whole
        two = a * (a + 1) / (c * (c + 1)) * mp.hyp1f1(a + 2, c + 2, s) / whole
        return one, two - one**2

    def slope(s: float) -> float:
        return float(a / c) * hyp1f1(float(a + 1), float(c + 1), s) / hyp1f1(
            float(a), float(c), s
        ) - float(x)

    s = mp.mpf(600)
    if moments(s)[0] > x:
        s = mp.mpf(brentq(slope, 0.0, 600.0, xtol=1e-9) if slope(0.0) < 0 else 0.0)
        for _ in range(6):
            one, square = moments(s)
            s += (x - one) / square
    return s * x - log(mp.hyp1f1(a, c, s))


def total(values: Any) -> Any:
    return sum(values, mp.mpf(0))


def stuck_or_in_the_wrong_place(bound: LawFree) -> Terms:
    """The terms that are the same with a range and with a scale."""
    w, m, gap = bound.w, bound.w.capacities, bound.gap

    def stuck(i: int) -> Any:
        G = m[i] + min(1, w.N - m[i])
        lost = bound.W(bound.missing(i, m[i])) + m[i] * gap(i) + gap(w.K - 1) / 2
        return bound.errors * G * lost

    return [
        total(map(stuck, bound.good)),
        total(map(bound.climbing_lost, bound.good)),
        total(map(bound.A1, w.suboptimal)),
        total(map(bound.A2, bound.good)),
        total(m[i] * gap(i) * bound.B(i) for i in w.filled),
        total(gap(k) * bound.D1(k) for k in w.suboptimal),
        total(map(bound.direct, bound.good)),
        bound.worse_loads(),
    ]


@in_all("sharp-law-free", "regret")
def _(w: World) -> Terms:
    bound, m, good, phi = LawFree(w), w.capacities, range(w.L), 1 if w.law == "bernoulli" else 2
    errors, gap, worst = bound.errors, bound.gap, bound.gap(w.K - 1)
    ahead = sum((m[i] * gap(i) for i in w.filled), mp.mpf(0))

    def smaller_worse(k: int) -> Any:
        return phi * errors * sum((b + mp.mpf(1) / 2) * gap(k) + ahead for b in range(1, m[k]))

    def smaller_good(i: int) -> Any:
        lost = sum(bound.W(bound.missing(i, b)) for b in range(1, min(m[i], w.N)))
        return phi * errors * (lost + sum(b * gap(i) + worst / 2 for b in range(1, m[i])))

    return [
        errors * w.h * sum(min(1, w.N - c) for c in m),
        total(map(smaller_worse, w.suboptimal)),
        total(map(smaller_good, good)),
        phi * errors * (w.m_L - 1) * ahead,
        *stuck_or_in_the_wrong_place(bound),
    ]


@in_all("sharp-law-free-scale", "regret")
def _(w: World) -> Terms:
    bound, m = ScaleLawFree(w), w.capacities
    gap, worst, smaller = bound.gap, bound.gap(w.K - 1), kept_from(3, w.T)
    ahead = sum((m[i] * gap(i) for i in w.filled), mp.mpf(0))

    def smaller_worse(k: int) -> Any:
        return smaller * sum((b + mp.mpf(1) / 2) * gap(k) + ahead for b in range(1, m[k]))

    def smaller_good(i: int) -> Any:
        lost = bound.W(bound.missing(i, m[i])) + m[i] * gap(i) + worst / 2
        return smaller * (m[i] - 1) * lost

    return [
        kept_from(2, w.T) * w.h * sum(min(1, w.N - c) for c in m),
        total(map(smaller_worse, w.suboptimal)),
        total(map(smaller_good, bound.good)),
        smaller * (w.m_L - 1) * ahead,
        *stuck_or_in_the_wrong_place(bound),
    ]


# -- assumptions, as each result states them ----------------------------------------------------

Held = dict[int | None, bool]  # by arm, or for all at once


def all_at_once(holds: Callable[[World], Any]) -> Callable[[World], Held]:
    return lambda w: {None: bool(holds(w))}


def of_arms(holds: Callable[[World, int], Any], arms: str = "all") -> Callable[[World], Held]:
    """`arms`: all, filled, last, optimal, suboptimal, or first: the first N."""

    def found(w: World) -> Held:
        ranges = {
            "all": range(w.K),
            "filled": w.filled,
            "last": range(w.L - 1, w.L),
            "optimal": range(w.L),
            "suboptimal": w.suboptimal,
            "first": range(w.N),
        }
        return {w.arms[k]: bool(holds(w, k)) for k in ranges[arms]}

    return found


def strength(w: World, k: int, less: int = 1) -> Any:
    """mu^2/(m^2 sigma^2), or with a threshold (m - d + 1)^2 mu^2/(m^2 sigma^2)."""
    m = w.capacities[k]
    return (w.means[k] if less == 1 else (m - less + 1) * w.means[k]) ** 2 / (m**2 * w.s2)


def told_threshold(w: World, k: int, d: int) -> bool:
    return strength(w, k, d) >= 2 * (inf if d == 1 else log(mp.mpf(w.N) / (d - 1)))


def smallest_gap(w: World) -> Any:
    return min(a - b for a, b in zip(w.means, w.means[1:], strict=False))


def exponent(w: World, k: int, steps: Any = 1) -> Any:
    return exp(over(49 * w.square_ratio(k), mp.mpf(steps) ** 2))


UNIT_LAWS = ("bernoulli", "beta", "empirical")
ASSUMPTIONS: dict[str, Callable[[World], Held]] = {
    "gaussian-rewards": all_at_once(lambda w: w.law == "gaussian"),
    "known-law": all_at_once(lambda w: w.law in ("gaussian", "bernoulli", "beta")),
    "rewards-in-unit-interval": all_at_once(lambda w: w.law in UNIT_LAWS),
    "rewards-of-a-scale": all_at_once(lambda w: w.law.startswith("gaussian")),
    "horizon-at-least-216": all_at_once(lambda w: w.T >= 216),
    "variance-at-most-half": all_at_once(lambda w: w.s2 <= mp.mpf(1) / 2),
    "sub-gaussian-half": all_at_once(lambda w: w.s2 <= mp.mpf(1) / 4),
    "distinct-means": all_at_once(lambda w: len(set(w.means)) == w.K),
    "last-mean-above-others": of_arms(lambda w, k: w.means[k] < w.mu_L, "suboptimal"),
    "last-mean-below-filled": of_arms(lambda w, k: w.means[k] > w.mu_L, "filled"),
    "non-negative-means": of_arms(lambda w, k: w.means[k] >= 0),
    "positive-mean": of_arms(lambda w, k: w.means[k] > 0),
    "positive-last-mean": all_at_once(lambda w: w.mu_L > 0),
    "capacity-within-plays": of_arms(lambda w, k: w.capacities[k] <= w.N),
    "capacity-below-plays": of_arms(lambda w, k: w.capacities[k] < w.N),
    "unit-capacities": of_arms(lambda w, k: w.capacities[k] == 1),
    "signal-to-noise": of_arms(lambda w, k: strength(w, k) >= 2),
    "threshold-signal-to-noise": of_arms(lambda w, k: told_threshold(w, k, w.d)),
    "last-arm-signal-to-noise": of_arms(lambda w, k: told_threshold(w, k, w.mbar), "last"),
    "last-arm-shared": all_at_once(lambda w: w.mbar >= 2),
    "threshold-at-least-2": all_at_once(lambda w: w.d >= 2),
    "threshold-within-plays": all_at_once(lambda w: w.d <= w.N),
    "capacity-reaches-threshold": of_arms(lambda w, k: w.capacities[k] >= w.d),
    "confidence-below-even-odds": all_at_once(lambda w: w.delta <= mp.mpf(1) / 2),
    "confidence-range": of_arms(lambda w, k: w.delta * exponent(w, k) <= 2),
    "threshold-confidence-range": of_arms(
        lambda w, k: w.delta * exponent(w, k, w.capacities[k] - w.d + 1) <= 2
    ),
    "horizon": of_arms(lambda w, k: exponent(w, k) <= w.T),
    "elimination-horizon": of_arms(
        lambda w, k: w.xi * exp(over(mp.mpf(1), (8 * w.capacities[k] * w.means[k]) ** 2)) <= w.T,
        "first",
    ),
    "horizon-at-least-3": all_at_once(lambda w: w.T >= 3),
    "epsilon-range": all_at_once(lambda w: w.epsilon < smallest_gap(w) / 2),
    "gamma-at-least-1": all_at_once(lambda w: w.gamma >= 1),
    "xi-positive": all_at_once(lambda w: w.xi > 0),
    "small-mean": of_arms(lambda w, k: (4 * w.capacities[k] + 3) ** 2 >= 49 * w.means[k] ** 2),
}
_MODEL = "variance-at-most-half distinct-means positive-last-mean capacity-within-plays"
_GAUSSIAN = "gaussian-rewards positive-mean"
STATED = {
    "thm-4.1a": f"{_GAUSSIAN} signal-to-noise",
    "thm-4.1b": f"{_GAUSSIAN} threshold-at-least-2 threshold-within-plays "
    "threshold-signal-to-noise",
    "rem-4.2": f"{_GAUSSIAN} signal-to-noise capacity-below-plays",
    "thm-4.3": f"gaussian-rewards {_MODEL} last-arm-shared signal-to-noise:filled "
    "last-arm-signal-to-noise",
    **dict.fromkeys(("lem-5.1", "lem-5.2", "lem-J.1", "lem-J.2"), "variance-at-most-half"),
    **dict.fromkeys(("lem-E.1", "lem-E.2"), "variance-at-most-half"),
    "thm-5.3a": "variance-at-most-half positive-mean confidence-range",
    "thm-5.3b": "variance-at-most-half positive-mean threshold-at-least-2 "
    "capacity-reaches-threshold threshold-confidence-range",
    "thm-7.1": f"{_MODEL} horizon:optimal epsilon-range",
    "cor-7.2": _MODEL,
    "lem-C.3": "known-law distinct-means",
    "lem-E.3": "distinct-means epsilon-range",
    "lem-E.4": "variance-at-most-half distinct-means epsilon-range",
    "lem-E.5": "variance-at-most-half distinct-means epsilon-range",
    "lem-E.6": "variance-at-most-half positive-mean horizon",
    "thm-G.1": f"{_MODEL} gamma-at-least-1 xi-positive elimination-horizon",
    "cor-G.2": "distinct-means positive-last-mean",
    "rem-8.1": f"{_MODEL} gamma-at-least-1",
    "thm-G.3": "variance-at-most-half distinct-means unit-capacities gamma-at-least-1",
    "thm-G.5": f"{_MODEL} gamma-at-least-1",
    "thm-H.1": _MODEL,
    "cor-J.3": "variance-at-most-half positive-mean",
    "sharp-4.1": "gaussian-rewards capacity-below-plays confidence-below-even-odds",
    "sharp-4.1-test": "gaussian-rewards capacity-below-plays",
    "sharp-4.3": "known-law last-mean-above-others last-mean-below-filled positive-last-mean",
    "sharp-4.3-law-free": "rewards-in-unit-interval last-mean-above-others last-mean-below-filled "
    "positive-last-mean",
    "sharp-5.3a": "sub-gaussian-half positive-mean small-mean",
    "sharp-5.3b": "sub-gaussian-half positive-mean capacity-reaches-threshold",
    "sharp-7.1": "sub-gaussian-half non-negative-means last-mean-above-others "
    "last-mean-below-filled capacity-within-plays horizon-at-least-3",
    "sharp-law-free": "rewards-in-unit-interval last-mean-above-others last-mean-below-filled "
    "positive-last-mean capacity-within-plays",
    "sharp-law-free-scale": "rewards-of-a-scale last-mean-above-others last-mean-below-filled "
    "positive-last-mean capacity-within-plays horizon-at-least-216",
}


def assumed(claim: str, world: World) -> dict[str, Held]:
    """What a result assumes, and where it holds."""
    found = {}
    for word in STATED.get(claim, "").split():
        name, _, arms = word.partition(":")
        held = ASSUMPTIONS[name](world)
        keep = {"filled": world.filled, "optimal": range(world.L)}.get(arms, range(world.K))
        wanted = {None, *(world.arms[k] for k in keep)}
        found[name] = {arm: holds for arm, holds in held.items() if arm in wanted}
    return found
