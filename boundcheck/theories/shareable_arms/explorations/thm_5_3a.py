"""Theorem 5.3, first part: explorations that suffice to learn a capacity."""

from __future__ import annotations

from functools import partial

from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.explorations.learning import LEARNT
from boundcheck.theories.shareable_arms.explorations.thresholds import sharp_thresholds

STATEMENTS = {"thm-5.3a": (LEARNT,)}

THRESHOLDS = {
    ("thm-5.3a", given.CONFIDENCE.name): partial(
        sharp_thresholds, "thm-5.3a", given.CONFIDENCE, "sharp-5.3a"
    )
}
