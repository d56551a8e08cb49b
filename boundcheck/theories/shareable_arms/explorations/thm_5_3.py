"""Theorem 5.3, and sharp-5.3: explorations that suffice to learn m, or to see that it reaches d.

With w the width of one mean after n explorations of each kind, both parts follow from

    learn m:  (4m + 3) w(n) < mu,       reach d:  (m + 3d - 3) w(n) < (m - d + 1) mu,         (1)

which make the bounds right whenever both means lie within their widths. The sharp cards ask for the
smallest such n. The published n = A log(2/delta), A = 49 m^2/mu^2, has (1) under its condition on
delta if A >= 49, so for rewards on [0, 1]; for Gaussian means of 6 or 8 capacities it has not.

Lemma E.6 is the first part at delta = 2/T, corollary J.3 the same with Hoeffding's width: it speaks
of one pair of counts and has no condition on delta. The union bound of its proof gives 2 delta; the
statement is decided here by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from sympy import Symbol, exp, sympify

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.decide import BITS
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Exact, Measured
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.falsify import Falsification, Kind, compared
from boundcheck.search.hunt import bisected
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.explorations.enough import (
    KINDS,
    SufficientSize,
    drawn,
    failing,
    failures,
    on_instance,
)
from boundcheck.theories.shareable_arms.interval.cards import iota, tau
from boundcheck.theories.shareable_arms.one_arm import confidence_of
from simulation.numbers import decimal
from simulation.world.instance import Instance
from simulation.world.laws import Gaussian

_QUARTER = Gaussian(Fraction(1, 4))
Arm = dict[str, Fraction | int]  # what a formula of one arm is made of

FAR_ABOVE = (  # Gaussian means at which the published n has not (1)
    SufficientSize(Fraction(6), 1, 2, _QUARTER, Fraction("0.461")),
    SufficientSize(Fraction(8), 1, 2, _QUARTER, Fraction("0.6")),
)
AT_THE_EDGE = tuple(  # of the published condition, for means that are as large as capacities
    SufficientSize(Fraction(m), m, m + 1, law, Fraction(1, 10**21), ahead=kind)
    for law, m, kind in product((Gaussian(Fraction(1, 2)), _QUARTER), (1, 2), KINDS)
)


def smallest(card: Claim, case: SufficientSize, context: RunContext) -> Measured | None:
    """The smallest n with (1)."""
    return Exact(Fraction(case.explorations(card)))


def balanced(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[SufficientSize]:
    yield from (case for case in on_instance(card, instance, question, context) if not case.ahead)


@st.composite
def any_confidence(draw: DrawFn) -> SufficientSize:
    m = draw(st.integers(1, 100))
    mean = m * Fraction(1, draw(st.sampled_from((2, 10))) ** draw(st.integers(0, 12)))
    delta = Fraction(draw(st.integers(1, 99)), 10 ** draw(st.integers(2, 300)))
    return SufficientSize(mean, m, m, _QUARTER, delta)


LEARNT = Statement(
    role=Role.INTENDED,
    text="P(the bounds do not meet at m) <= delta, after this many explorations of each kind or "
    "more",
    actual=(Measurement("one look", failing), Measurement("drawn sums", failures, sampled=True)),
    claimed=confidence_of,
    cases=on_instance,
    strategy=drawn,
    known_cases=lambda: AT_THE_EDGE + FAR_ABOVE,
    inapplicable_reason="no capacity to learn: one play, or no arm that earns and can be filled",
    explanations={
        Verdict.REFUTED: "after {individual} individual and {united} united explorations the "
        "bounds do not meet at m with probability {actual}, above delta = {claimed}",
        Verdict.HOLDS: "true in every case; in the closest one, after {individual} individual and "
        "{united} united explorations, the probability is {actual}, delta = {claimed}",
        Verdict.SUPPORTED: "the bounds did not meet at m with frequency {actual}, "
        "delta = {claimed}",
    },
)
REACHED = replace(
    LEARNT,
    text="P(the lower bound is below d) <= delta, after this many explorations of each kind or "
    "more, for d <= m",
    strategy=partial(drawn, reaching=True),
    known_cases=tuple,
    inapplicable_reason="no arm that earns has a capacity from 2 to N",
    explanations={
        verdict: words.replace("bounds do not meet at m", "lower bound is below d").replace(
            "bounds did not meet at m", "lower bound was below d"
        )
        for verdict, words in LEARNT.explanations.items()
    },
)
AT_HORIZON = replace(
    LEARNT,
    text=LEARNT.text.replace("delta", "2/T"),
    strategy=partial(drawn, at_horizon=True),
    known_cases=lambda: [replace(case, horizon=2 / case.delta) for case in LEARNT.known_cases()],
    explanations={
        verdict: words.replace("delta =", "2/T =") for verdict, words in LEARNT.explanations.items()
    },
)
CLOSED_FORM = Statement(
    role=Role.FURTHER,
    text="the smallest size is at most the closed form, where (4m + 3)^2/mu^2 >= 49",
    actual=(Measurement("certified sizes", smallest),),
    claimed=lambda card, case: case.size(card, place=1),
    cases=balanced,
    strategy=any_confidence,
    assumes=find("sharp-5.3a").stated,
    inapplicable_reason=LEARNT.inapplicable_reason,
    name="closed-form",
    explanations={
        Verdict.REFUTED: "{actual} explorations are needed, above the closed form {claimed}"
    },
)
STATEMENTS = {
    "thm-5.3a": (LEARNT,),
    "sharp-5.3a": (LEARNT, CLOSED_FORM),
    "thm-5.3b": (REACHED,),
    "sharp-5.3b": (REACHED,),
    "lem-E.6": (AT_HORIZON,),
    "cor-J.3": (replace(LEARNT, known_cases=tuple),),
}


# -- how far the condition on delta could be weakened ----------------------------------------


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
        numbers: dict[str, Any] = {"parameters": shown, **compared(published, sharp)}
    reading = (
        "the inequality of the proof at the published size, not rounded: it holds from here on"
    )
    return Falsification(card.id, reading, Kind.THRESHOLD, 0, words, dropped.name, **numbers)


def _least_exponent(card: Claim, sharper: Claim, arm: Arm) -> arb:
    """The l = log(2/delta) or log T from which on (1) holds; its sides are the sharper card's."""
    n, smallest = (c.quantities[0].terms[0].expression for c in (card, sharper))
    factor, _, share = smallest.args  # the smallest n with factor w(n) < share
    ell, width = Symbol("l", positive=True), sympify(card.formula)
    gap = share - factor * width.xreplace({tau: n, iota: n}) / 2
    gap = gap.xreplace({s.delta: 2 * exp(-ell), s.T: exp(ell)})

    def enough(exponent: Fraction) -> bool:
        return bool(enclosed(gap, {**arm, ell.name: exponent})[0] > 0)

    low, high = bisected(enough, Fraction(1, 1000), Fraction(1000))
    return ball(low).union(ball(high))


THRESHOLDS = {
    (claim, dropped.name): partial(sharp_thresholds, claim, dropped, sharper)
    for claim, dropped, sharper in (
        ("thm-5.3a", given.CONFIDENCE, "sharp-5.3a"),
        ("thm-5.3b", given.CONFIDENCE_THRESHOLD, "sharp-5.3b"),
        ("lem-E.6", given.HORIZON, "sharp-5.3a"),
    )
}
