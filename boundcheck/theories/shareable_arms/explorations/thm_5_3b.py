"""Theorem 5.3, second part: explorations that suffice to see that a capacity reaches d."""

from __future__ import annotations

from functools import partial

from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.explorations.learning import REACHED
from boundcheck.theories.shareable_arms.explorations.thresholds import sharp_thresholds

STATEMENTS = {"thm-5.3b": (REACHED,)}

THRESHOLDS = {
    ("thm-5.3b", given.CONFIDENCE_THRESHOLD.name): partial(
        sharp_thresholds, "thm-5.3b", given.CONFIDENCE_THRESHOLD, "sharp-5.3b"
    )
}
