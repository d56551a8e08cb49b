"""The statements common to 5.3, its sharper forms, E.6 and J.3: enough explorations.

With w the width of one mean after n explorations of each kind, both parts follow from

    learn m:  (4m + 3) w(n) < mu,       reach d:  (m + 3d - 3) w(n) < (m - d + 1) mu,         (1)

which make the bounds right whenever both means are within their widths. The sharp cards require the
smallest such n. The published n = A log(2/delta), A = 49 m^2/mu^2, satisfies (1) under its
condition on delta if A >= 49, so for rewards on [0, 1], but not for Gaussian means of 6 or 8
capacities.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.explorations.enough import (
    KINDS,
    SufficientSize,
    failure_chance,
    failures_drawn,
    sizes_on_instance,
    sufficient_sizes,
)
from boundcheck.theories.shareable_arms.one_arm import confidence_of
from simulation.rewards.laws import Gaussian

QUARTER = Gaussian(Fraction(1, 4))

FAR_ABOVE = (  # Gaussian means at which the published n does not satisfy (1)
    SufficientSize(Fraction(6), 1, 2, QUARTER, Fraction("0.461")),
    SufficientSize(Fraction(8), 1, 2, QUARTER, Fraction("0.6")),
)

AT_THE_EDGE = tuple(  # at the edge of the published condition, with means as large as capacities
    SufficientSize(Fraction(m), m, m + 1, law, Fraction(1, 10**21), ahead=kind)
    for law, m, kind in product((Gaussian(Fraction(1, 2)), QUARTER), (1, 2), KINDS)
)

LEARNT = Statement(
    role=Role.INTENDED,
    text="P(the bounds do not meet at m) <= delta, after this many explorations of each kind or "
    "more",
    actual=(
        Measurement("one look", failure_chance),
        Measurement("drawn sums", failures_drawn, sampled=True),
    ),
    claimed=confidence_of,
    cases=sizes_on_instance,
    strategy=sufficient_sizes,
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
    strategy=partial(sufficient_sizes, reaching=True),
    known_cases=tuple,
    inapplicable_reason="no arm that earns has a capacity from 2 to N",
    explanations={
        verdict: words.replace("bounds do not meet at m", "lower bound is below d").replace(
            "bounds did not meet at m", "lower bound was below d"
        )
        for verdict, words in LEARNT.explanations.items()
    },
)
