"""The statement common to 5.1, its sharper form and J.1: how often the interval misses the
capacity.
"""

from __future__ import annotations

from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.failure import capacity_missed
from boundcheck.theories.shareable_arms.one_arm import confidence_of

MISSES = "the interval misses with probability {actual}, above delta = {claimed}"

AT_ANY_TIME = Statement(
    role=Role.INTENDED,
    text="P(there is a time with muhat > s and m outside the interval) <= delta",
    actual=(
        Measurement("one look", capacity_missed),
        Measurement("paths", failure.misses, sampled=True),
    ),
    claimed=confidence_of,
    cases=failure.all_looks,
    strategy=failure.exploration_cases,
    inapplicable_reason=failure.NO_ARM,
    explanations={
        Verdict.REFUTED: MISSES,
        Verdict.UNDECIDED: "the share of paths on which the interval misses m is {actual}, "
        "delta = {claimed}",
    },
)
