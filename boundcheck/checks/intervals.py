"""What the checks of intervals and estimators share: confidences, arms, counts and widths."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise
from boundcheck.evidence import Finding
from boundcheck.tails import Arm, arms
from boundcheck.widths import enclosed
from simulation.numbers import decimal

Counts = tuple[int, int]  # tau, iota
AHEAD = 1_000_000  # the count of the kind that is far ahead


def deltas(run: Run) -> list[Fraction]:
    """The question's confidence, a large one, and that of the algorithms."""
    question = run.question
    return [*dict.fromkeys([question.delta, Fraction(1, 5), 2 / question.horizon])]


def unlearnable(card: Claim, run: Run) -> Finding | None:
    """One play is served by any capacity: there is none to learn, and no bound to meet wrongly."""
    if run.instance.plays > 1:
        return None
    return cannot_arise(card, card.reading, "one play: every capacity serves it alike", N=1)


def exposed(run: Run) -> Arm:
    """The arm whose rewards spread most; among equals the one with the strongest signal."""
    return max(arms(run.instance), key=lambda arm: (arm.variance, arm.mean))


def widths(
    formula: sympy.Expr, run: Run, counts: Sequence[Counts], delta: Fraction
) -> list[tuple[Counts, arb]]:
    """Pairs of counts with s, enclosed, where the formula gives a width."""
    taus, iotas = zip(*counts, strict=True)
    spread = run.instance.reward.proxy_variance
    found = enclosed(formula, {"tau": taus, "iota": iotas, "delta": delta, "sigma2": spread})
    return [(pair, s) for pair, s in zip(counts, found, strict=True) if s.is_finite()]


def case(arm: Arm, counts: Counts | None = None) -> dict[str, Any]:
    """What a reader needs to check a number by hand."""
    named = {"arm": arm.number, "mean": decimal(arm.mean, 6), "capacity": arm.capacity}
    return named if counts is None else named | {"tau": counts[0], "iota": counts[1]}
