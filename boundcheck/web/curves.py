"""The plots of the page: bounds on the regret against T, sample sizes against a capacity."""

from __future__ import annotations

from math import isfinite, log10
from typing import Any

import numpy as np

from boundcheck.calculator.question import Question
from boundcheck.calculator.sweeps import sweep
from boundcheck.claims.card import Kind, Trivial
from boundcheck.pages.colours import name_of
from boundcheck.pages.palette import bound_hues
from boundcheck.theory import Theory
from simulation.world.instance import Instance

POINTS = 61
FIRST, LAST = 2.0, 300.0  # range of T in plots, as powers of ten
BESIDE = 1.4  # a plot's last exponent of T, as a multiple of the chosen one
MOST_CAPACITIES = 64
MOST_LINES = 5  # besides the largest possible regret; more are hard to tell apart


def bound_curves(
    instance: Instance, question: Question, theory: Theory, until: float | None = None
) -> dict[str, Any]:
    """Every bound on the regret as a function of T, up to `until` or beyond the chosen T."""
    chosen = log10(float(question.horizon))
    last = until if until is not None else min(max(8.0, BESIDE * chosen), LAST)
    exponents = np.linspace(min(FIRST, chosen, last - 1.0), last, POINTS)
    slots = 10.0**exponents
    lines: list[dict[str, Any]] = []
    asked = [name for topic in theory.questions for name in topic.claims]
    cards = [card for card in theory.cards.values() if not theory.refutes(card, False)]
    for card in sorted(cards, key=lambda card: card.id not in asked):
        if len(lines) == MOST_LINES:
            break
        for position, quantity in enumerate(card.quantities):
            if quantity.rows is not None or not quantity.name.startswith("regret"):
                continue
            grid = {"horizon": slots.tolist()}
            found = sweep(instance, card, grid, question, position, theory=theory).columns
            growth = quantity.unit.endswith("per log T")  # drawn as that much times log T
            values = found["value"] * np.log(slots) if growth else found["value"]
            lines.append(
                {
                    "claim": card.id,
                    "lower": quantity.trivial is Trivial.ZERO,
                    "growth": growth,
                    "policy": card.policy_name,
                    "values": finite(values),
                    "applies": np.broadcast_to(found["applies"], slots.shape).tolist(),
                }
            )
    with np.errstate(over="ignore"):
        most = float(instance.largest_regret) * slots
    return {"slots": slots.tolist(), "lines": _coloured(lines), "most": finite(most)}


def size_curves(
    instance: Instance, question: Question, theory: Theory, arm: object = None
) -> dict[str, Any] | None:
    """Explorations of an arm (by default the best one) as a function of its capacity."""
    if not theory.sizes:
        return None
    chosen = instance.order[0] + 1
    if isinstance(arm, int) and 1 <= arm <= instance.arms:
        chosen = arm
    now = instance.capacities[chosen - 1]
    most = max(8, instance.plays, now + now // 2)
    spread = np.unique(np.geomspace(1, most, MOST_CAPACITIES).round())
    capacities = [float(m) for m in (range(1, most + 1) if most <= MOST_CAPACITIES else spread)]
    lines = []
    for claim in theory.sizes:
        varied = f"capacity.{chosen}"
        found = sweep(instance, claim, {varied: capacities}, question, theory=theory).columns
        own = found["arm"] == chosen
        lines.append(
            {
                "claim": claim,
                "lower": theory.find(claim).kind is Kind.LOWER_BOUND,
                "capacities": found[varied][own].tolist(),
                "values": finite(found["value"][own]),
                "applies": found["applies"][own].tolist(),
            }
        )
    return {"arm": chosen, "capacity": now, "lines": _coloured(lines)}


def _coloured(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines, each with the name of its colour."""
    hues = bound_hues([line["lower"] for line in lines])
    return [line | {"hue": name_of(hue)} for line, hue in zip(lines, hues, strict=True)]


def finite(values: np.ndarray) -> list[float | None]:
    return [x if isfinite(x) else None for x in values.tolist()]
