"""Steps that are what a claim of this theory states."""

from functools import partial

from boundcheck.proof_steps import parts
from boundcheck.theories.shareable_arms import THEORY

same = partial(parts.same, THEORY)
