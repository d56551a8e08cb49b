"""Theorem 5.3, and sharp-5.3: explorations that suffice to learn m, or to see that it reaches d.

With w the width of one mean after n explorations of each kind, both parts follow from

    learn m:  (4m + 3) w(n) < mu,       reach d:  (m + 3d - 3) w(n) < (m - d + 1) mu,         (1)

which make the bounds right whenever both means lie within their widths. The sharp cards ask for the
smallest such n. The published n = A log(2/delta), A = 49 m^2/mu^2, has (1) under its condition on
delta if A >= 49, so for rewards on [0, 1]; for Gaussian means of 6 or 8 capacities it has not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck import symbols as s
from boundcheck.claim import Assumption, Claim
from boundcheck.decision import BITS
from boundcheck.falsification import Falsification, Kind, compared
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Exact, Measured, Number
from boundcheck.numbers.balls import ball, precision
from boundcheck.numbers.evaluate import BALLS, Evaluator
from boundcheck.question import Question
from boundcheck.search.hunt import bisected
from boundcheck.shareable_arms import assumptions as given
from boundcheck.shareable_arms.explorations.enough import (
    KINDS,
    Enough,
    confidence_of,
    drawn,
    failing,
    failures,
    on_instance,
)
from boundcheck.shareable_arms.interval.cards import iota, tau
from boundcheck.statement import Measurement, Statement
from boundcheck.theory import find
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.rewards import Gaussian

_QUARTER = Gaussian(Fraction(1, 4))

FAR_ABOVE = (  # Gaussian means at which the published n has not (1)
    Enough(Fraction(6), 1, 2, _QUARTER, Fraction("0.461")),
    Enough(Fraction(8), 1, 2, _QUARTER, Fraction("0.6")),
)
AT_THE_EDGE = tuple(  # of the published condition, for means that are as large as capacities
    Enough(Fraction(m), m, m + 1, law, Fraction(1, 10**21), ahead=kind)
    for law in (Gaussian(Fraction(1, 2)), _QUARTER)
    for m in (1, 2)
    for kind in KINDS
)


def few(card: Claim, case: Enough, lab: Lab) -> Measured | None:
    """The smallest n with (1)."""
    return Exact(Fraction(case.explorations(card)))


def closed_form(card: Claim, case: Enough) -> Number:
    return case.size(card, place=1)


def balanced(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Enough]:
    yield from (case for case in on_instance(card, instance, question, lab) if not case.ahead)


@st.composite
def any_confidence(draw: DrawFn) -> Enough:
    m = draw(st.integers(1, 100))
    mean = m * Fraction(1, draw(st.sampled_from((2, 10))) ** draw(st.integers(0, 12)))
    delta = Fraction(draw(st.integers(1, 99)), 10 ** draw(st.integers(2, 300)))
    return Enough(mean, m, m, _QUARTER, delta)


LEARNT = Statement(
    Role.INTENDED,
    "P(the bounds do not meet at m) <= delta, after this many explorations of each kind or more",
    (
        Measurement("one look", failing),
        Measurement("drawn sums", failures, sampled=True),
    ),
    confidence_of,
    on_instance,
    drawn,
    hard=lambda: AT_THE_EDGE + FAR_ABOVE,
    nowhere="no capacity to learn: one play, or no arm that earns and can be filled",
    seen={
        Verdict.REFUTED: "after {individual} individual and {united} united explorations the "
        "bounds do not meet at m with probability {actual}, above delta = {claimed}",
        Verdict.HOLDS: "true in every case; in the closest one, after {individual} individual and "
        "{united} united explorations, the probability is {actual}, delta = {claimed}",
        Verdict.CONSISTENT: "the bounds did not meet at m with frequency {actual}, "
        "delta = {claimed}",
    },
)
REACHED = replace(
    LEARNT,
    words="P(the lower bound is below d) <= delta, after this many explorations of each kind or "
    "more, for d <= m",
    drawn=partial(drawn, reaching=True),
    hard=tuple,
    nowhere="no arm that earns has a capacity from 2 to N",
    seen={
        verdict: words.replace("bounds do not meet at m", "lower bound is below d").replace(
            "bounds did not meet at m", "lower bound was below d"
        )
        for verdict, words in LEARNT.seen.items()
    },
)
CLOSED_FORM = Statement(
    Role.FURTHER,
    "the smallest size is at most the closed form, where (4m + 3)^2/mu^2 >= 49",
    (Measurement("certified sizes", few),),
    closed_form,
    balanced,
    any_confidence,
    assumes=find("sharp-5.3a").stated,
    nowhere=LEARNT.nowhere,
    name="closed-form",
    seen={Verdict.REFUTED: "{actual} explorations are needed, above the closed form {claimed}"},
)
STATEMENTS = {
    "thm-5.3a": (LEARNT,),
    "sharp-5.3a": (LEARNT, CLOSED_FORM),
    "thm-5.3b": (REACHED,),
    "sharp-5.3b": (REACHED,),
}


# -- how far the condition on delta could be weakened ----------------------------------------


def sharp_thresholds(claim: str, dropped: Assumption, sharper: str) -> Iterator[Falsification]:
    """The largest delta (smallest T) from which on (1) holds at the published n, not rounded."""
    card = find(claim)
    reaching = s.d in card.quantities[0].symbols
    for m in (2, 3, 5) if reaching else (1, 2, 3, 5):
        for mean in (Fraction(1), Fraction(1, 2), Fraction(1, 10)):
            shown: dict[str, Any] = {"mean": decimal(mean), "capacity": m}
            arm = {s.mu: mean, s.m: Fraction(m)}
            if reaching:
                shown["threshold"], arm[s.d] = m, Fraction(m)
            yield _threshold(card, dropped, find(sharper), arm, shown)


def _threshold(
    card: Claim,
    dropped: Assumption,
    sharper: Claim,
    arm: dict[sympy.Symbol, Fraction],
    shown: dict[str, Any],
) -> Falsification:
    assert dropped.relation is not None
    with precision(BITS):
        known = {symbol: ball(value) for symbol, value in arm.items()}
        published = _value(dropped.relation.rhs, known)
        grown = _least_exponent(card, sharper, known).exp()
        at_horizon = dropped.relation.lhs == s.T
        sharp = grown if at_horizon else 2 / grown
        words = "T at least this is enough" if at_horizon else "delta up to this is enough"
        if not at_horizon and sharp >= 1:
            words = "every delta below 1 is enough"
        numbers = compared(published, sharp)
    return Falsification(
        card.id,
        "the inequality of the proof at the published size, not rounded: it holds from here on",
        Kind.THRESHOLD,
        0,
        words,
        dropped.name,
        parameters=shown,
        published=numbers["published"],
        actual=numbers["actual"],
        ratio=numbers["ratio"],
    )


def _least_exponent(card: Claim, sharper: Claim, arm: dict[sympy.Symbol, arb]) -> arb:
    """The l = log(2/delta) or log T from which on (1) holds; its sides are the sharper card's."""
    (published,), (smallest,) = (c.quantities[0].terms for c in (card, sharper))
    factor, _, share = smallest.expression.args  # the smallest n with factor w(n) < share

    def enough(exponent: Fraction) -> bool:
        grown = ball(exponent).exp()
        known = arm | {s.delta: 2 / grown, s.T: grown}
        n = _value(published.expression, known)
        width = _value(card.formula, known | {tau: n, iota: n}) / 2
        return bool(_value(factor, arm) * width < _value(share, arm))

    low, high = bisected(enough, Fraction(1, 1000), Fraction(1000))
    return ball(low).union(ball(high))


def _value(expression: sympy.Expr, known: dict[sympy.Symbol, arb]) -> arb:
    arrays = {symbol: np.array([[value]], dtype=object) for symbol, value in known.items()}
    return Evaluator(BALLS, arrays)(expression).item()


THRESHOLDS = {
    (claim, dropped.name): partial(sharp_thresholds, claim, dropped, sharper)
    for claim, dropped, sharper in (
        ("thm-5.3a", given.CONFIDENCE, "sharp-5.3a"),
        ("thm-5.3b", given.CONFIDENCE_THRESHOLD, "sharp-5.3b"),
    )
}
