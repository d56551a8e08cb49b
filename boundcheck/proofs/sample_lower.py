"""Theorem 4.1, appendices C.1 and C.2, remark 4.2."""

from __future__ import annotations

from boundcheck.proofs.step import Step

STEPS: tuple[Step, ...] = ()
