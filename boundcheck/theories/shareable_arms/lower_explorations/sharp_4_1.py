"""Ours in place of 4.1: explorations too few to tell m from m + 1, without a condition.

Fixed in number, or on average where one may stop early. What holds on average holds for a fixed
number too.
"""

from __future__ import annotations

from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import too_few

FIXED = too_few(
    "with so few explorations above m_k, fixed in number, the larger of the errors at m_k and "
    "m_k + 1 is at least delta",
    telling.one_above,
    telling.ABOVE,
)

ON_AVERAGE = too_few(
    "with a fixed number of explorations above m_k that is too small for an average, the larger of "
    "the errors at m_k and m_k + 1 is at least delta",
    telling.one_above,
    telling.ABOVE,
    place=1,
    name="expected",
)

STATEMENTS = {"sharp-4.1": (FIXED, ON_AVERAGE)}
