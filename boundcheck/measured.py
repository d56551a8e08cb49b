"""The actual number behind a statement, as well as it is known, set beside the claimed one.

    Exact        a fraction
    Enclosed     between two points, certainly; or at least so much, the upper point infinite
    Counted      hits among trials: an exact binomial test
    Observed     values of many runs: a betting e-process for their mean
    Growth       what is seen of a limit, with its interval: it never decides

Each answers `beside(relation, claimed, level)`: true, false or open, and by how much.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import exp, inf, isfinite, log
from typing import Any, Protocol, TypeAlias

from flint import arb

from boundcheck.evidence.betting import mean_at_least, mean_at_most
from boundcheck.evidence.binomial import proportion_at_least, proportion_at_most
from boundcheck.evidence.groups import student
from boundcheck.evidence.inputs import FloatArray
from boundcheck.numbers import balls
from simulation import tables
from simulation.numbers import decimal

Number: TypeAlias = arb | Fraction | int
_WITHOUT_EXPONENT = re.compile(r"(?<![\w.+-])\d+(?:\.\d+)?(?![\w.])")
DIGITS = 6  # of numbers in evidence


class Relation(Enum):
    """How the actual number should lie beside the claimed one."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EQUAL = "="


@dataclass(frozen=True)
class Compared:
    """An actual number beside a claimed one.

    `excess` is log(actual/claimed), or its negative for a claim from below: above 0 where the
    claim fails, and what a search climbs. `detectable` is what an observation would have shown.
    """

    true: bool | None
    excess: float
    actual: str
    claimed: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    detectable: object = None
    certain: str | None = None  # the end of an enclosure that the decision rests on
    more: Mapping[str, Any] = field(default_factory=dict)  # of the evidence: what was computed with

    @property
    def refutes(self) -> bool:
        return self.true is False

    @property
    def ratio(self) -> str:
        """How many times the actual number lies beyond the claimed one."""
        return f"{exp(self.excess):.6g}" if self.excess < 700 else "inf"


class Measured(Protocol):
    """`sampled` numbers are judged at a level, the others without error."""

    @property
    def sampled(self) -> bool: ...

    def beside(self, relation: Relation, claimed: Number, level: float) -> Compared: ...


def as_ball(value: Number) -> arb:
    return value if isinstance(value, arb) else balls.ball(Fraction(value))


def written(value: Number, digits: int = DIGITS) -> str:
    if isinstance(value, arb):
        return balls.midpoint(value, digits) or "nan"
    return decimal(Fraction(value), digits)


def legible(value: Any) -> Any:
    """Numbers as people read them: few digits, thousands apart. Evidence has all digits.

    >>> legible(2404000000), legible("at least 24520.53751"), legible("[0.5, 1.5e-1310]")
    ('2,404,000,000', 'at least 24,520.5', '[0.5, 1.5e-1310]')
    >>> legible(14479.63), legible("inf")
    ('14,480', 'infinitely many')
    """
    if isinstance(value, float):
        return tables.number(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return "infinitely many" if value == "inf" else _WITHOUT_EXPONENT.sub(_rounded, str(value))


def _rounded(number: re.Match[str]) -> str:
    whole, point, _ = number[0].partition(".")
    if not point or len(whole) > 6:
        return f"{round(Fraction(number[0])):,}"
    return f"{float(number[0]):,.6g}"


def log_ratio(actual: arb, claimed: arb, relation: Relation) -> float:
    """How far the claim fails, in logarithms; minus infinity where it could not hold better."""
    upper, lower = (actual, claimed) if relation is Relation.AT_MOST else (claimed, actual)
    if not upper > 0:
        return -inf
    if not lower > 0:
        return inf
    ratio = (upper / lower).log().mid()
    return float(ratio) if ratio.is_finite() else -inf


@dataclass(frozen=True)
class Enclosed:
    """A number that certainly lies between two points."""

    lower: arb
    upper: arb
    more: Mapping[str, Any] = field(default_factory=dict)
    method: str = "certified enclosure"
    detectable: object = None  # what would have been refuted, where no more can be said
    digits: int = DIGITS
    sampled = False

    @classmethod
    def of(cls, value: arb, **more: Any) -> Enclosed:
        return cls(value.lower(), value.upper(), more)

    @classmethod
    def at_least(cls, value: arb, **more: Any) -> Enclosed:
        """A number of which only a lower bound is known."""
        return cls(value.lower(), arb.pos_inf(), more, method="certified lower bound")

    @classmethod
    def at_most(cls, value: arb, **more: Any) -> Enclosed:
        """A number of which only an upper bound is known: it refutes what is claimed above it."""
        seen = f"a claim above {balls.upper(value, DIGITS)}"
        return cls(arb.neg_inf(), value.upper(), more, "certified upper bound", seen)

    def beside(self, relation: Relation, claimed: Number, level: float = 0.0) -> Compared:
        bound = as_ball(claimed)
        below = relation is Relation.AT_MOST
        if relation is Relation.EQUAL:
            good = self.lower == self.upper == bound
            bad = not self.lower.union(self.upper).overlaps(bound)
        elif below:
            good, bad = self.upper <= bound, self.lower > bound
        else:
            good, bad = self.lower >= bound, self.upper < bound
        # what is certain counts: the near end if it refutes, else the far one, if there is one
        near, far = (self.lower, self.upper) if below else (self.upper, self.lower)
        end = near if bad or not far.is_finite() else far
        low, high = balls.lower(self.lower, self.digits), balls.upper(self.upper, self.digits)
        evidence = {"method": self.method, **self.more, "actual": [low, high]}
        evidence["claimed"] = written(claimed, self.digits)
        return Compared(
            True if good else False if bad else None,
            log_ratio(end, bound, relation),
            self._shown(low, high),
            written(claimed, 15),
            evidence,
            None if good or bad else self.detectable,
            certain=(balls.lower if end is self.lower else balls.upper)(end, 15),
            more=self.more,
        )

    def _shown(self, low: str | None, high: str | None) -> str:
        if not self.upper.is_finite():
            return f"at least {low}"
        if not self.lower.is_finite():
            return f"at most {high}"
        return f"[{low}, {high}]" if low != high else str(low)


def Exact(value: Fraction, **more: Any) -> Enclosed:
    """A number known without error."""
    point = balls.ball(value)
    return Enclosed(point.lower(), point.upper(), more, method="exact")


@dataclass(frozen=True)
class Counted:
    """Hits among independent trials, for a claimed probability."""

    hits: int
    trials: int
    more: Mapping[str, Any] = field(default_factory=dict)
    sampled = True

    def beside(self, relation: Relation, claimed: Number, level: float) -> Compared:
        bound = min(max(float(as_ball(claimed).mid()), 0.0), 1.0)
        test = proportion_at_most if relation is Relation.AT_MOST else proportion_at_least
        check = test(self.hits, self.trials, bound, level)
        estimate = balls.ball(Fraction(self.hits, self.trials))
        return Compared(
            False if check.refuted else None,
            log_ratio(estimate, as_ball(claimed), relation),
            written(estimate),
            written(claimed, 15),
            {**self.more, **check.evidence},
            check.detectable,
        )


@dataclass(frozen=True, eq=False)
class Observed:
    """Non-negative values of independent runs, for a claimed bound on their mean.

    `inflated` values may exceed what the claim is about: they agree with it or say nothing.
    `most` is the largest value possible: without it nothing can be said of a bound from below.
    """

    values: FloatArray
    more: Mapping[str, Any] = field(default_factory=dict)
    inflated: bool = False
    most: float | None = None
    sampled = True

    def beside(self, relation: Relation, claimed: Number, level: float) -> Compared:
        if relation is Relation.AT_MOST:
            bound = float(as_ball(claimed).upper())
            check = mean_at_most(self.values, bound, level)
        elif self.most is not None:
            bound = float(as_ball(claimed).lower())
            check = mean_at_least(self.values, bound, self.most, level)
        else:
            raise ValueError("values without an upper range say nothing of a bound from below")
        mean = check.evidence["mean"]
        above = log(mean / bound) if mean > 0 else -inf
        return Compared(
            False if check.refuted and not self.inflated else None,
            above if relation is Relation.AT_MOST else -above,
            f"{mean:.{DIGITS}g}",
            written(claimed, 15),
            {**self.more, **check.evidence},
            None if check.refuted else check.detectable,
        )


@dataclass(frozen=True)
class Growth:
    """What finitely many slots show of a limit: within it or not, but never a decision.

    With degrees of freedom its interval is Student's at the level, else two standard errors.
    """

    seen: float
    error: float  # standard error
    more: Mapping[str, Any] = field(default_factory=dict)
    freedom: float | None = None

    @property
    def sampled(self) -> bool:
        return self.freedom is not None

    def beside(self, relation: Relation, claimed: Number, level: float = 0.0) -> Compared:
        bound = float(as_ball(claimed).mid())
        off = (self.seen - bound) * (1 if relation is Relation.AT_MOST else -1)
        evidence = {"method": "growth seen so far", **self.more, "seen": self.seen}
        evidence |= {"standard_error": self.error, "claimed": bound}
        reach, actual = 2 * self.error, f"{self.seen:.4g} +- {self.error:.2g}"
        if self.freedom is not None:
            reach = self.error * student(self.freedom, level) if self.error > 0 else 0.0
            low, high = self.seen - reach, self.seen + reach
            evidence |= {"interval": [low, high], "level": level}
            actual += f" ({low:.4g} to {high:.4g} at level {level:.1g})"
        visible = bound + (reach if relation is Relation.AT_MOST else -reach)
        agrees = off <= reach and isfinite(visible)
        seen = f"a growth {relation.value} {visible:.4g} per log T would look like this"
        excess = off / max(abs(bound), 1e-12)
        detectable = seen if agrees else None
        return Compared(None, excess, actual, written(claimed, 15), evidence, detectable)
