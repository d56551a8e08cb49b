"""Lemma J.2: the estimator is right when the bounds of Hoeffding's interval meet, at one time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.meeting import (
    AT_ANY_TIME,
    GIVEN_MEETING,
    decidable,
)

AT_ONE_TIME = replace(
    AT_ANY_TIME,
    text="P(the bounds meet at another number than m) <= delta, at one time",
    actual=AT_ANY_TIME.actual[:1],
    cases=partial(failure.single_looks, arms=decidable),
)

STATEMENTS = {"lem-J.2": (AT_ONE_TIME, GIVEN_MEETING)}
