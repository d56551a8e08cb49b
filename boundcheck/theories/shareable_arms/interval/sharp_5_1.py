"""sharp-5.1, ours in place of 5.1: the uniform confidence interval for rewards of any spread."""

from __future__ import annotations

from boundcheck.theories.shareable_arms.interval.coverage import AT_ANY_TIME

STATEMENTS = {"sharp-5.1": (AT_ANY_TIME,)}
