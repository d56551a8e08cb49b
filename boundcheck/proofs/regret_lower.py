"""Theorem 4.3 and appendix C.3."""

from __future__ import annotations

from boundcheck.proofs.step import Step

STEPS: tuple[Step, ...] = ()
