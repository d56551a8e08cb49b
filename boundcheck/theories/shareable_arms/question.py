"""The parameters of the paper's formulas in addition to those of every theory."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from boundcheck.calculator import question as common
from boundcheck.calculator.question import ABOVE_0, parameter
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.ranks import Arms


@dataclass(frozen=True)
class Question(common.Question):
    """The parameters of a computation, stored as exact numbers.

    delta, horizon   confidence parameter and number of slots T
    epsilon          free parameter of some bounds (None: the value that makes the bound smallest)
    samples          number of explorations in confidence intervals
    digits           digits to compute
    threshold        the d of "the capacity is at least d" (None: the plays left for the last
                     optimal arm, for that arm alone)
    gamma, xi        parameters of MP-SE-SA and ETC-UCB

    >>> Question(gamma="1/10").to_json()["gamma"]
    '0.1'
    >>> Question(horizon="1e5", threshold=2).threshold, Question(gamma="1/10").gamma
    (2, Fraction(1, 10))
    """

    threshold: int | None = field(
        default=None,
        metadata=parameter(
            "a whole number of 1 or more (below 2^31)",
            lambda x: 1 <= x < 2**31,
            s.d,
            whole=True,
            default_arms=Arms.LAST,
        ),
    )
    gamma: Fraction = field(default=Fraction(1), metadata=parameter(*ABOVE_0, s.gamma))
    xi: Fraction = field(default=Fraction(1), metadata=parameter(*ABOVE_0, s.xi))
