"""What the page plots: bounds on the regret against T, sample sizes against a capacity."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, log10
from typing import Any

import numpy as np

from boundcheck.calculator.sweeps import sweep
from boundcheck.claim import Claim, Kind, Trivial
from boundcheck.question import Question
from boundcheck.theory import Theory
from simulation.instance import Instance

POINTS = 61
FIRST, LAST = 2.0, 300.0  # powers of ten that T takes
BESIDE = 1.4  # how far beyond the exponent of the chosen T a plot looks
MOST_CAPACITIES = 64


def regret_curves(
    instance: Instance, question: Question, theory: Theory, until: float | None = None
) -> dict[str, Any]:
    """Every bound on the regret as a function of T, up to `until` or beyond the chosen T."""
    chosen = log10(float(question.horizon))
    last = until if until is not None else min(max(8.0, BESIDE * chosen), LAST)
    exponents = np.linspace(min(FIRST, chosen, last - 1.0), last, POINTS)
    slots = 10.0**exponents
    lines = [
        _line(instance, question, theory, card, position, slots)
        for card, position in _regrets(theory)
    ]
    with np.errstate(over="ignore"):
        most = float(instance.largest_regret) * slots
    return {"slots": slots.tolist(), "lines": lines, "most": _finite(most)}


def _regrets(theory: Theory) -> Iterator[tuple[Claim, int]]:
    for card in theory.cards.values():
        for position, quantity in enumerate(card.quantities):
            if quantity.rows is None and quantity.name.startswith("regret"):
                yield card, position


def _line(
    instance: Instance,
    question: Question,
    theory: Theory,
    card: Claim,
    position: int,
    slots: np.ndarray,
) -> dict[str, Any]:
    """A growth per log T is drawn as that much times log T."""
    found = sweep(
        instance, card, {"horizon": slots.tolist()}, question, position, theory=theory
    ).columns
    growth = card.quantities[position].unit.endswith("per log T")
    values = found["value"] * np.log(slots) if growth else found["value"]
    return {
        "claim": card.id,
        "lower": card.quantities[position].trivial is Trivial.ZERO,
        "growth": growth,
        "policy": card.policy_name,
        "values": _finite(values),
        "applies": np.broadcast_to(found["applies"], slots.shape).tolist(),
    }


def size_curves(
    instance: Instance, question: Question, theory: Theory, arm: object = None
) -> dict[str, Any] | None:
    """How often to explore an arm (the best one unless asked), were its capacity another."""
    if not theory.sizes:
        return None
    chosen = instance.order[0] + 1 if arm is None else arm
    if not isinstance(chosen, int) or not 1 <= chosen <= instance.arms:
        chosen = instance.order[0] + 1
    now = instance.capacities[chosen - 1]
    most = max(8, instance.plays, now + now // 2)
    spread = np.unique(np.geomspace(1, most, MOST_CAPACITIES).round())
    capacities = [float(m) for m in (range(1, most + 1) if most <= MOST_CAPACITIES else spread)]
    lines = []
    for claim in theory.sizes:
        found = sweep(
            instance, claim, {f"capacity.{chosen}": capacities}, question, theory=theory
        ).columns
        own = found["arm"] == chosen
        lines.append(
            {
                "claim": claim,
                "lower": theory.find(claim).kind is Kind.LOWER_BOUND,
                "capacities": found[f"capacity.{chosen}"][own].tolist(),
                "values": _finite(found["value"][own]),
                "applies": found["applies"][own].tolist(),
            }
        )
    return {"arm": chosen, "capacity": now, "lines": lines}


def _finite(values: np.ndarray) -> list[float | None]:
    return [x if isfinite(x) else None for x in values.tolist()]
