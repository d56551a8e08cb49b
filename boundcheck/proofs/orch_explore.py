"""Appendix E: theorem 7.1."""

from __future__ import annotations

from boundcheck.proofs.step import Step

STEPS: tuple[Step, ...] = ()
