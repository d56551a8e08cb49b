"""Lemma E.6, theorem 5.3 at delta = 2/T, and corollary J.3, the same with Hoeffding's width.

J.3 speaks of one pair of counts and has no condition on delta. The union bound of its proof gives
2 delta; the statement is decided here by itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from boundcheck.shareable_arms import assumptions as given
from boundcheck.shareable_arms.explorations.enough import drawn
from boundcheck.shareable_arms.explorations.thm_5_3 import LEARNT, sharp_thresholds

AT_HORIZON = replace(
    LEARNT,
    words="P(the bounds do not meet at m) <= 2/T, after this many explorations of each kind or "
    "more",
    drawn=partial(drawn, at_horizon=True),
    hard=lambda: [replace(case, horizon=2 / case.delta) for case in LEARNT.hard()],
    seen={verdict: words.replace("delta =", "2/T =") for verdict, words in LEARNT.seen.items()},
)
HOEFFDING = replace(LEARNT, hard=tuple)
STATEMENTS = {"lem-E.6": (AT_HORIZON,), "cor-J.3": (HOEFFDING,)}
THRESHOLDS = {
    ("lem-E.6", given.HORIZON.name): partial(
        sharp_thresholds, "lem-E.6", given.HORIZON, "sharp-5.3a"
    )
}
