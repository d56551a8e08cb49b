"""Lemmas D.1, 5.1 and 5.2, theorem 5.3."""

from __future__ import annotations

from boundcheck.proofs.step import Step

STEPS: tuple[Step, ...] = ()
