"""How far the conditions of 5.3 and E.6 could be weakened until (1) of learning.py fails."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb
from sympy import Symbol, exp, sympify

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.decide import BITS
from boundcheck.judging.falsification import Falsification, RowKind, published_and_actual
from boundcheck.search.hunt import bisected
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.interval.cards import iota, tau
from simulation.numbers import decimal

Arm = dict[str, Fraction | int]  # symbol values for formulas about one arm


def sharp_thresholds(claim: str, dropped: Assumption, sharper: str) -> Iterator[Falsification]:
    """The largest delta (smallest T) from which on (1) holds at the published n, not rounded."""
    card = find(claim)
    reaching = s.d in card.quantities[0].symbols
    means = (Fraction(1), Fraction(1, 2), Fraction(1, 10))
    for m, mean in product((2, 3, 5) if reaching else (1, 2, 3, 5), means):
        arm: Arm = {s.mu.name: mean, s.m.name: m, s.d.name: m}
        shown = {"mean": decimal(mean), "capacity": m} | ({"threshold": m} if reaching else {})
        yield _threshold(card, dropped, find(sharper), arm, shown)


def _threshold(
    card: Claim, dropped: Assumption, sharper: Claim, arm: Arm, shown: dict[str, Any]
) -> Falsification:
    assert dropped.relation is not None
    at_horizon = dropped.relation.lhs == s.T
    words = "T at least this is enough" if at_horizon else "delta up to this is enough"
    with precision(BITS):
        (published,) = enclosed(dropped.relation.rhs, arm)
        grown = _least_exponent(card, sharper, arm).exp()
        sharp = grown if at_horizon else 2 / grown
        if not at_horizon and sharp >= 1:
            words = "every delta below 1 is enough"
        numbers: dict[str, Any] = {"parameters": shown, **published_and_actual(published, sharp)}
    reading = "the inequality of the proof holds at the published size, not rounded"
    return Falsification(card.id, reading, RowKind.THRESHOLD, 0, words, dropped.name, **numbers)


def _least_exponent(card: Claim, sharper: Claim, arm: Arm) -> arb:
    """The l = log(2/delta) or log T from which on (1) holds, with the sharper card's two sides."""
    n, smallest = (c.quantities[0].terms[0].expression for c in (card, sharper))
    factor, _, share = smallest.args  # the smallest n with factor w(n) < share
    ell, width = Symbol("l", positive=True), sympify(card.formula)
    gap = share - factor * width.xreplace({tau: n, iota: n}) / 2
    gap = gap.xreplace({s.delta: 2 * exp(-ell), s.T: exp(ell)})

    def enough(exponent: Fraction) -> bool:
        return bool(enclosed(gap, {**arm, ell.name: exponent})[0] > 0)

    low, high = bisected(enough, Fraction(1, 1000), Fraction(1000))
    return ball(low).union(ball(high))
