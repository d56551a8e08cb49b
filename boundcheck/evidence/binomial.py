"""Claims about a probability, from a count of hits: exact binomial (Clopper-Pearson) statements.

With X ~ Bin(n, p) and 1 <= h <= n, P(X >= h) = I_p(h, n - h + 1), the regularised incomplete beta
function, increasing in p. Everything here is that identity read in one direction or the other:
in p it gives confidence limits and detectable probabilities, in h the count that refutes.
A claim p >= p0 is the claim 1 - p <= 1 - p0 about misses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from scipy.special import betainc

from boundcheck.evidence.incomplete_beta import chance, quantile, upper_quantile
from boundcheck.evidence.inputs import enough, open_unit
from simulation.errors import InputError, shown


def at_least_hits(hits: int, trials: int, probability: float) -> float:
    """P(Bin(trials, probability) >= hits).

    >>> at_least_hits(2, 2, 0.5)
    0.25
    """
    if hits <= 0:
        return 1.0
    if hits > trials:
        return 0.0
    return chance(hits, trials - hits + 1, probability)


def _surprising(hits: int, trials: int, probability: float, level: float) -> bool:
    """P(Bin(trials, probability) >= hits) <= level, in floats: to search with."""
    return hits > trials or (hits > 0 and betainc(hits, trials - hits + 1, probability) <= level)


def lower_limit(hits: int, trials: int, level: float) -> float:
    """The probability below which so many hits have chance at most `level` (one-sided)."""
    _counts(hits, trials)
    return 0.0 if hits == 0 else quantile(hits, trials - hits + 1, level)


def upper_limit(hits: int, trials: int, level: float) -> float:
    """The probability above which so few hits have chance at most `level` (one-sided).

    >>> round(upper_limit(0, 100, 0.05), 4)  # the rule of three
    0.0295
    """
    _counts(hits, trials)
    return 1.0 if hits == trials else upper_quantile(hits + 1, trials - hits, level)


def interval(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Two-sided: each end errs with probability at most level / 2.

    >>> [round(end, 4) for end in interval(1, 10, 0.05)]
    [0.0025, 0.445]
    """
    return lower_limit(hits, trials, level / 2), upper_limit(hits, trials, level / 2)


def refuting_hits(trials: int, bound: float, level: float) -> int:
    """The fewest hits that refute p <= bound at this level; trials + 1 if no count does."""
    below, above = 0, trials + 1
    while above - below > 1:
        middle = (above + below) // 2
        if _surprising(middle, trials, bound, level):
            above = middle
        else:
            below = middle
    return above


def detectable(trials: int, bound: float, level: float, power: float) -> float | None:
    """The smallest true p > bound that `trials` trials refute p <= bound with this power.

    None if no outcome of so few trials is surprising enough.
    """
    hits = refuting_hits(trials, bound, level)
    return None if hits > trials else quantile(hits, trials - hits + 1, power)


def trials_needed(bound: float, truth: float, level: float, power: float) -> int | None:
    """Trials that refute p <= bound with this power when p is really `truth`.

    None if more than 10^12 would be needed.

    >>> trials_needed(0.01, 0.02, level=1e-6, power=0.9)
    5058
    """
    if not 0 <= bound < truth <= 1:
        raise InputError("trials_needed", "truth", shown(truth), "a probability above the bound")
    open_unit("trials_needed", "level", level)
    open_unit("trials_needed", "power", power)

    def suffices(trials: int) -> bool:
        return at_least_hits(refuting_hits(trials, bound, level), trials, truth) >= power

    return enough(suffices)


@dataclass(frozen=True)
class ProportionCheck:
    """A claim `probability <side> bound` beside a count."""

    side: Literal["<=", ">="]
    bound: float
    hits: int
    trials: int
    level: float
    power: float
    p_value: float
    detectable: float | None

    @property
    def refuted(self) -> bool:
        return self.p_value <= self.level

    @property
    def limit(self) -> float:
        """The bound nearest to the claimed one, on the claim's side, that is not refuted."""
        find = lower_limit if self.side == "<=" else upper_limit
        return find(self.hits, self.trials, self.level)

    def evidence(self) -> dict[str, Any]:
        return {
            "method": "exact binomial",
            "statement": f"probability {self.side} {self.bound:g}",
            "hits": self.hits,
            "trials": self.trials,
            "estimate": self.hits / self.trials,
            "interval_95": interval(self.hits, self.trials, 0.05),
            "p_value": self.p_value,
            "level": self.level,
            "limit": self.limit,
            "detectable": self.detectable,
            "power": self.power,
        }


def proportion_at_most(
    hits: int, trials: int, bound: float, level: float, power: float = 0.9
) -> ProportionCheck:
    """Does the count refute P(hit) <= bound?

    >>> proportion_at_most(30, 100, 0.1, level=1e-6).refuted
    True
    """
    _arguments(hits, trials, bound, level, power)
    p_value = at_least_hits(hits, trials, bound)
    seen = detectable(trials, bound, level, power)
    return ProportionCheck("<=", bound, hits, trials, level, power, p_value, seen)


def proportion_at_least(
    hits: int, trials: int, bound: float, level: float, power: float = 0.9
) -> ProportionCheck:
    """Does the count refute P(hit) >= bound?"""
    _arguments(hits, trials, bound, level, power)
    p_value = at_least_hits(trials - hits, trials, 1 - bound)
    seen = detectable(trials, 1 - bound, level, power)
    flipped = None if seen is None else 1 - seen
    return ProportionCheck(">=", bound, hits, trials, level, power, p_value, flipped)


def _arguments(hits: int, trials: int, bound: float, level: float, power: float) -> None:
    _counts(hits, trials)
    open_unit("proportion", "level", level)
    open_unit("proportion", "power", power)
    if not 0 <= bound <= 1:
        raise InputError("proportion", "bound", shown(bound), "a probability")


def _counts(hits: int, trials: int) -> None:
    if trials < 1:
        raise InputError("proportion", "trials", shown(trials), "1 or more")
    if not 0 <= hits <= trials:
        raise InputError("proportion", "hits", shown(hits), f"0 to {trials}")
