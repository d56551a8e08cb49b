"""`Compared`, the comparison of an actual number with a claimed one; how numbers are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import exp
from typing import Any, Protocol, TypeAlias

from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.judging.finding import Leaning
from simulation.formatting import number
from simulation.numbers import decimal

Number: TypeAlias = arb | Fraction | int


_WITHOUT_EXPONENT = re.compile(r"(?<![\w.+-])\d+(?:\.\d+)?(?![\w.])")


DIGITS = 6  # digits of numbers in evidence


class Relation(Enum):
    """The relation between the actual and the claimed number."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EQUAL = "="


@dataclass(frozen=True)
class Compared:
    """The comparison of an actual number with a claimed one.

    holds       True: certified by computation; False: refuted; None: open
    supported   the data exclude the opposite of the claim
    leans       which way open evidence points; `missing` says what would decide it
    excess      log(actual/claimed), negated for a lower bound: above 0 where the claim
                fails; searches maximise it
    """

    holds: bool | None
    excess: float
    actual: str
    claimed: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    supported: bool = False
    leans: Leaning = Leaning.NONE
    missing: str = ""
    certain: str | None = None  # the endpoint of an enclosure on which the decision rests
    # further evidence: what the number was computed from
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refutes(self) -> bool:
        return self.holds is False

    @property
    def stands(self) -> bool:
        return bool(self.holds) or self.supported

    def legible(self) -> dict[str, Any]:
        """Both numbers for a sentence; with more digits where few would show a refuted claim as
        equal to what refutes it.
        """
        actual, claimed = legible(self.actual), legible(self.claimed)
        parts = [part.strip("[],") for part in str(actual).split()]
        if self.refutes and self.certain is not None and claimed in parts:
            ends = float(self.certain), float(self.claimed)
            for digits in range(DIGITS + 1, 16):
                near, far = (f"{end:.{digits}g}" for end in ends)
                if near != far:
                    return {"actual": actual.replace(claimed, near), "claimed": far}
        return {"actual": actual, "claimed": claimed}

    @property
    def ratio(self) -> str:
        """The factor by which the actual number is beyond the claimed one."""
        return f"{exp(self.excess):.6g}" if self.excess < 700 else "inf"


class Measured(Protocol):
    """A measured number. `sampled` ones are judged at an error level, the others without error."""

    @property
    def sampled(self) -> bool: ...

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared: ...


def as_ball(value: Number) -> arb:
    return value if isinstance(value, arb) else balls.ball(Fraction(value))


def written(value: Number, digits: int = DIGITS) -> str:
    if isinstance(value, arb):
        return balls.midpoint(value, digits) or "nan"
    return decimal(Fraction(value), digits)


def legible(value: Any) -> Any:
    """Numbers for sentences: few digits, thousands separated. Evidence keeps all digits.

    >>> legible(2404000000), legible("at least 24520.53751"), legible("[0.5, 1.5e-1310]")
    ('2,404,000,000', 'at least 24,520.5', '[0.5, 1.5e-1310]')
    >>> legible(14479.63), legible("inf")
    ('14,480', 'infinitely many')
    """
    if isinstance(value, float):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return "infinitely many" if value == "inf" else _WITHOUT_EXPONENT.sub(_rounded, str(value))


def _rounded(number: re.Match[str]) -> str:
    whole, point, _ = number[0].partition(".")
    if not point or len(whole) > 6:
        return f"{round(Fraction(number[0])):,}"
    return f"{float(number[0]):,.6g}"
