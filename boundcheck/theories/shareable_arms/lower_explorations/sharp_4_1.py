"""sharp-4.1, ours in place of 4.1: explorations needed to distinguish m from m + 1, without
conditions.

The number is fixed, or an expectation if stopping early is allowed. What holds for the expectation
holds for a fixed number, too.
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
