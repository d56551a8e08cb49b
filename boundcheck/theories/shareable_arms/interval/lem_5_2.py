"""Lemma 5.2: the estimator is right when the bounds of the uniform interval meet."""

from __future__ import annotations

from boundcheck.theories.shareable_arms.interval.meeting import AT_ANY_TIME, GIVEN_MEETING

STATEMENTS = {"lem-5.2": (AT_ANY_TIME, GIVEN_MEETING)}
