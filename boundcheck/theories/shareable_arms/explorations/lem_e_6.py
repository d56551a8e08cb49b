"""Lemma E.6: the first part of 5.3 at delta = 2/T."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.explorations.enough import sufficient_sizes
from boundcheck.theories.shareable_arms.explorations.learning import LEARNT
from boundcheck.theories.shareable_arms.explorations.thresholds import sharp_thresholds

AT_HORIZON = replace(
    LEARNT,
    text=LEARNT.text.replace("delta", "2/T"),
    strategy=partial(sufficient_sizes, at_horizon=True),
    known_cases=lambda: [replace(case, horizon=2 / case.delta) for case in LEARNT.known_cases()],
    explanations={
        verdict: words.replace("delta =", "2/T =") for verdict, words in LEARNT.explanations.items()
    },
)

STATEMENTS = {"lem-E.6": (AT_HORIZON,)}

THRESHOLDS = {
    ("lem-E.6", given.HORIZON.name): partial(
        sharp_thresholds, "lem-E.6", given.HORIZON, "sharp-5.3a"
    )
}
