"""Appendix G."""

from __future__ import annotations

from boundcheck.proofs.step import Step

STEPS: tuple[Step, ...] = ()
