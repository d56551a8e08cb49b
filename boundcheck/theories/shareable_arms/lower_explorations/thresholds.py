"""How far the signal-to-noise conditions of 4.1 and 4.2 could be weakened.

The proofs need KL(a || b) <= R = mu^2/(m^2 sigma^2), or for the threshold b <= (m - d + 1)^2 R.
This holds from some R on; that sharp threshold is found by bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.claims.card import Assumption
from boundcheck.judging.falsification import Falsification, RowKind, published_and_actual
from boundcheck.search.hunt import bisected
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import Hypotheses

_LARGEST_CAPACITY = 10  # in the table of thresholds

_BITS = 128


def smallest_ratios(claim: str, *hypotheses: Hypotheses) -> Iterator[Falsification]:
    """The smallest R with KL <= R, for each capacity and each pair."""
    for kind in hypotheses:
        for m in range(1 if kind is Hypotheses.ABOVE else 2, _LARGEST_CAPACITY + 1):
            yield _threshold(claim, given.SIGNAL_TO_NOISE, m, kind)


def reaching_thresholds() -> Iterator[Falsification]:
    """The smallest (m - d + 1)^2 R with KL(d - 1 || m) <= it; the published one at N = m."""
    for m in range(2, 6):
        for d in range(2, m + 1):
            yield _threshold("thm-4.1b", given.SIGNAL_TO_NOISE_THRESHOLD, m, Hypotheses.NAMED, d)


def _threshold(
    claim: str, condition: Assumption, m: int, kind: Hypotheses, d: int | None = None
) -> Falsification:
    """Where the divergence of the pair becomes at most the left side of the condition."""
    a, b = kind.pair(m, d)

    def enough(ratio: Fraction) -> bool:
        theta2 = ratio * Fraction(m, b - a) ** 2  # b - a is m - d + 1, or 1 for neighbours
        return bool(telling.divergence(a, b, theta2) <= ball(ratio))

    assert condition.relation is not None
    with precision(_BITS):
        low, high = bisected(enough, Fraction(0), Fraction(16))
        (published,) = enclosed(condition.relation.rhs, {"N": m, "d": d or 0})
        numbers: dict[str, Any] = {**published_and_actual(published, ball(low).union(ball(high)))}
    numbers["parameters"] = {"m": m, "pair": [a, b]} | ({} if d is None else {"d": d})
    reading = f"{{{a}, {b}}}: divergence at most {condition.relation.lhs}"
    words = "from this number on the divergence of the pair is as small as the proof needs"
    return Falsification(claim, reading, RowKind.THRESHOLD, 0, words, condition.name, **numbers)
