"""Corollary J.3: explorations that suffice to learn a capacity, with Hoeffding's width.

It is about one pair of counts and has no condition on delta. The union bound of its proof gives 2
delta; the statement itself is decided here.
"""

from __future__ import annotations

from dataclasses import replace

from boundcheck.theories.shareable_arms.explorations.learning import LEARNT

STATEMENTS = {"cor-J.3": (replace(LEARNT, known_cases=tuple),)}
