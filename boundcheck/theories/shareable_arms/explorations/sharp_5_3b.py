"""sharp-5.3b, ours in place of 5.3: explorations to see that a capacity reaches d."""

from __future__ import annotations

from boundcheck.theories.shareable_arms.explorations.learning import REACHED

STATEMENTS = {"sharp-5.3b": (REACHED,)}
