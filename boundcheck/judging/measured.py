"""Measurements of the actual number in a statement, and their comparison with the claimed one.

    Exact        a fraction
    Enclosed     certainly between two points; one of them may be infinite
    Counted      hits among trials: exact binomial limits on both sides
    Observed     values of many runs: betting e-processes against the claim and its opposite
    Growth       an estimate of a limit with a confidence interval: it never decides

Each answers `compare(relation, claimed, level)`: true, false, supported or open, and by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, inf, isfinite, isinf, log, log10
from typing import Any

from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.evidence.betting import (
    SUPPORT,
    lower_limit,
    mean_at_least,
    mean_at_most,
    upper_limit,
)
from boundcheck.evidence.binomial import proportion_at_least, proportion_at_most
from boundcheck.evidence.groups import student
from boundcheck.evidence.inputs import Check
from boundcheck.judging.comparison import (
    DIGITS,
    Compared,
    Number,
    Relation,
    as_ball,
    legible,
    written,
)
from boundcheck.judging.finding import Leaning
from simulation.formatting import number


def _log_ratio(actual: arb, claimed: arb, relation: Relation) -> float:
    """The logarithm of the factor by which the claim fails; minus infinity if it cannot fail."""
    upper, lower = (actual, claimed) if relation is Relation.AT_MOST else (claimed, actual)
    if not upper > 0:
        return -inf
    if not lower > 0:
        return inf
    ratio = (upper / lower).log().mid()
    return float(ratio) if ratio.is_finite() else -inf


@dataclass(frozen=True)
class Enclosed:
    """A number that certainly lies between two points.

    `tolerance` is for numbers that are equal if the claim is true: if they differ by less than this
    share of the claimed number, they count as equal.
    """

    lower: arb
    upper: arb
    more: Mapping[str, Any] = field(default_factory=dict)
    method: str = "certified enclosure"
    missing: str = ""  # what would decide a claim that is consistent with the enclosure
    digits: int = DIGITS
    tolerance: float = 0.0
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
        """A number of which only an upper bound is known: it refutes claims of more."""
        missing = f"nothing above {balls.upper(value, DIGITS)} can be claimed; a proof would decide"
        return cls(arb.neg_inf(), value.upper(), more, "certified upper bound", missing)

    def compare(self, relation: Relation, claimed: Number, level: float = 0.0) -> Compared:
        bound = as_ball(claimed)
        below = relation is Relation.AT_MOST
        slack = abs(bound) * arb(self.tolerance)
        enough, allowed = self.lower >= bound - slack, self.upper <= bound + slack
        above, under = self.lower > bound + slack, self.upper < bound - slack
        if relation is Relation.EQUAL:
            good = enough and allowed if self.tolerance else self.lower == self.upper == bound
            bad = above or under
        else:
            good, bad = (allowed, above) if below else (enough, under)
        # the comparison uses certain endpoints: the near one if it refutes, else the far one
        near, far = (self.lower, self.upper) if below else (self.upper, self.lower)
        end = near if bad or not far.is_finite() else far
        low, high = balls.lower(self.lower, self.digits), balls.upper(self.upper, self.digits)
        evidence = {"method": self.method, **self.more, "actual": [low, high]}
        evidence["claimed"] = written(claimed, self.digits)
        if self.tolerance:
            evidence["tolerance"] = self.tolerance
        return Compared(
            False if bad else True if good else None,
            _log_ratio(end, bound, relation),
            self._shown(low, high),
            written(claimed, 15),
            evidence,
            leans=Leaning.FOR if self.missing else Leaning.NONE,
            missing=self.missing,
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
class Unproved:
    """A number that only an unproved claim gives: if the two contradict each other, either may be
    false.
    """

    number: Enclosed
    pair: str  # the ids of both claims
    sampled = False

    def compare(self, relation: Relation, claimed: Number, level: float = 0.0) -> Compared:
        found = self.number.compare(relation, claimed)
        words = f"{self.pair} contradict each other; neither is proved, and one of them is false"
        if found.refutes:
            evidence = {**found.evidence, "contradiction": self.pair}
            return replace(found, holds=None, evidence=evidence, leans=Leaning.NONE, missing=words)
        return replace(found, holds=None, leans=Leaning.NONE, missing="")


def _leaning(check: Check) -> Leaning:
    if check.against is None:
        return Leaning.NONE
    return Leaning.AGAINST if check.against else Leaning.FOR


@dataclass(frozen=True)
class Counted:
    """Hits among independent trials, for a claimed probability.

    If hits are `partial`, some events that the claim counts were missed: they can refute, but never
    support.
    """

    hits: int
    trials: int
    more: Mapping[str, Any] = field(default_factory=dict)
    partial: str = ""  # why some events are missed
    sampled = True

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared:
        bound = min(max(float(as_ball(claimed).mid()), 0.0), 1.0)
        test = proportion_at_most if relation is Relation.AT_MOST else proportion_at_least
        check = test(self.hits, self.trials, bound, level)
        estimate = balls.ball(Fraction(self.hits, self.trials))
        return Compared(
            False if check.refuted else None,
            _log_ratio(estimate, as_ball(claimed), relation),
            written(estimate),
            written(claimed, 15),
            {**self.more, **check.evidence},
            supported=check.supported and not self.partial,
            leans=Leaning.FOR if check.supported else _leaning(check),
            missing=self._missing(check),
        )

    def _missing(self, check: Check) -> str:
        if self.partial and not check.against:
            return self.partial
        if check.needed is None or isinf(check.needed):
            return "more trials would tell"
        return f"about {legible(ceil(check.needed))} trials in all would decide"


NEVER = 1e-300  # a level at which nothing is refuted


@dataclass(frozen=True, eq=False)
class Observed:
    """Non-negative values of independent runs, for a claimed bound on their mean.

    values     the values of the runs so far, in the order in which they were drawn
    most       the largest value possible: without it an upper bound is never supported, and
               a lower bound never refuted
    further    further(n) gives the values of the first n runs, at most `limit`
    partial    why the values may miss part of the claimed quantity: they never support it
    inflated   the values may exceed the claimed quantity: they never refute it
    """

    values: FloatArray
    more: Mapping[str, Any] = field(default_factory=dict)
    inflated: bool = False
    most: float | None = None
    further: Callable[[int], FloatArray] | None = None
    limit: int = 0
    partial: str = ""
    sampled = True

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared:
        """Draw more runs until the claim is refuted or supported, or the limit is reached."""
        bound, values = self._bound(relation, claimed), self.values
        # runs that leap have another law than runs slot by slot, by at most this
        level = max(level - self.more.get("tv_error", 0.0), NEVER)
        check = self._check(values, relation, bound, level)
        while self.further is not None and len(values) < self.limit and not self._decided(check):
            wanted = check.needed or 0.0
            runs = int(min(max(2 * len(values), min(1.1 * wanted, 8 * len(values))), self.limit))
            values = self.further(runs)
            check = self._check(values, relation, bound, level)
        # the bound closest to the data that is not refuted
        near = lower_limit(values, level) if relation is Relation.AT_MOST else None
        if near is None and self.most is not None:
            near = upper_limit(values, self.most, level)
        mean = check.evidence["mean"]
        above = log(mean / bound) if mean > 0 else -inf
        refuted = check.refuted and not self.inflated
        supported = check.supported and not self.partial
        leans = Leaning.FOR if check.supported else _leaning(check)
        if self.inflated and (check.refuted or check.against):
            leans = Leaning.NONE  # the excess may be due to what was counted in addition
        return Compared(
            False if refuted else None,
            above if relation is Relation.AT_MOST else -above,
            f"{mean:.{DIGITS}g}",
            written(claimed, 15),
            {**self.more, **check.evidence, "limit": near},
            supported=supported,
            leans=leans,
            missing="" if refuted or supported else self._missing(check, leans, bound),
        )

    def _bound(self, relation: Relation, claimed: Number) -> float:
        ball = as_ball(claimed)
        return float(ball.upper() if relation is Relation.AT_MOST else ball.lower())

    def _check(self, values: FloatArray, relation: Relation, bound: float, level: float) -> Check:
        if relation is Relation.AT_MOST:
            most = self.most if self.most is not None and bound < self.most else None
            return mean_at_most(values, bound, level, most)
        if self.most is None:
            raise ValueError("values without an upper range cannot support a bound from below")
        return mean_at_least(values, bound, self.most, level)

    def _decided(self, check: Check) -> bool:
        return (check.refuted and not self.inflated) or (check.supported and not self.partial)

    def _missing(self, check: Check, leans: Leaning, bound: float) -> str:
        """How much more evidence is needed, and which losses could have been missed."""
        found, runs = check.evidence, check.evidence["runs"]
        told = f"mean {number(found['mean'])}"
        if found["standard_error"] is not None:
            told += f" +- {number(found['standard_error'])}"
        told += f" in {runs:,} runs"
        if leans is Leaning.AGAINST:
            reached, goal = found["log10_e_value"], -log10(found["level"])
        elif self.partial and check.supported:
            return f"{told}; {self.partial}"
        elif found["log10_e_value_for"] is None:
            return f"{told}; no largest value is known, so no number of runs would support it"
        else:
            reached, goal = found["log10_e_value_for"], -log10(SUPPORT)
        told += f"; e-value {number(10.0**reached)} of the {number(10.0**goal)} needed"
        if check.needed is not None:
            further = max(1, ceil(check.needed - runs))
            told += f"; about {legible(further)} more runs would decide"
        if leans is not Leaning.AGAINST and self.most is not None:
            rare = ceil(runs / -log(SUPPORT))
            told += f"; losses of {number(self.most)} in fewer than one run of {rare} "
            told += "would not be noticed"
        return told


@dataclass(frozen=True)
class Growth:
    """An estimate of a limit from finitely many slots: consistent with the claim or not, never
    decisive.

    With degrees of freedom its interval is Student's at the level, else two standard errors.
    """

    seen: float
    error: float  # standard error
    more: Mapping[str, Any] = field(default_factory=dict)
    freedom: float | None = None

    @property
    def sampled(self) -> bool:
        return self.freedom is not None

    def compare(self, relation: Relation, claimed: Number, level: float = 0.0) -> Compared:
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
        agrees = off <= reach and isfinite(bound + reach)
        return Compared(
            None,
            off / max(abs(bound), 1e-12),
            actual,
            written(claimed, 15),
            evidence,
            leans=Leaning.FOR if agrees else Leaning.AGAINST if isfinite(reach) else Leaning.NONE,
            missing="no finite T decides a limit",
        )
