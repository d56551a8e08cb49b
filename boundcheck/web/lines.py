"""A typed bound on the page: its formula, its curve, and simulated regret to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log10
from typing import Any

import numpy as np

from boundcheck.calculator.question import Question
from boundcheck.calculator.sweeps import sweep
from boundcheck.claims.card import Claim, Kind
from boundcheck.language.names import UNKNOWN
from boundcheck.language.reading import read, subject
from boundcheck.pages.mathml import formula
from boundcheck.theory import Theory
from boundcheck.web.answers import instance_of
from boundcheck.web.curves import finite
from simulation.errors import InputError, shown
from simulation.policies import CLASSIC
from simulation.world.instance import Instance

HORIZONS = (10, 32, 100, 316, 1_000, 3_162, 10_000)  # run separately: some policies are told T
RUNS = 40
POINTS = 61
COINS = Instance(["0.9", "0.8", "0.7", "0.6", "0.5"], [1] * 5, 1, name="five coins, 0.9 to 0.5")


def line(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    """The formula of a line, and its bound as a function of T; errors are those of `try`."""
    text = request.get("line")
    if not isinstance(text, str):
        raise InputError("try", "line", shown(text), "a bound as text")
    found = read(text, theory)
    card = found.card
    given = [assumption.statement for assumption in card.assumptions]
    levels = [level.words for quantity in card.quantities for level in quantity.levels]
    instance = _beside(request, card.policy_name)
    return {
        "subject": subject(card),
        "formula": formula(card.latex),
        "notes": [*(f"for {each}" for each in given), *(f"smallest for {each}" for each in levels)],
        "asks": found.asks,
        "policy": card.policy_name,
        "instance": instance.name,
        "curve": _curve(card, instance, theory),
    }


def regret(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    """Simulated regret of a policy on the instance on which its line is shown."""
    from simulation.running.replicate import replicate

    name = request.get("policy")
    if not isinstance(name, str):
        raise InputError("try", "policy", shown(name), "the name of a policy")
    policy = theory.policy(read(f"regret({name}) <= T", theory).card.policy or "")
    instance = _beside(request, policy.name)
    means, errors = [], []
    for horizon in HORIZONS:
        runs = replicate(instance, [policy], horizon, RUNS, seed=0, checkpoints=[horizon])
        means.append(float(runs[policy.name].mean[-1]))
        errors.append(float(runs[policy.name].standard_error[-1]))
    return {"slots": list(HORIZONS), "mean": means, "standard_error": errors, "runs": RUNS}


def _beside(request: Mapping[str, Any], policy: str | None) -> Instance:
    """The page's instance, or five coins where a textbook policy cannot play it."""
    if policy is None or policy.partition("(")[0] in CLASSIC:
        try:
            own = instance_of(request.get("table"))
        except InputError:
            return COINS
        return own if own.plays == 1 else COINS
    return instance_of(request.get("table"))


def _curve(card: Claim, instance: Instance, theory: Theory) -> dict[str, Any] | None:
    """The bound as a function of T, with 1 for a `?`; growth rates are multiplied by log T."""
    if card.kind is Kind.COVERAGE:
        return None
    (quantity,) = card.quantities
    terms = [replace(t, expression=t.expression.subs(UNKNOWN, 1)) for t in quantity.terms]
    known = replace(card, quantities=(replace(quantity, terms=tuple(terms)),))
    slots = np.logspace(log10(HORIZONS[0]), log10(HORIZONS[-1]), POINTS)
    grid = {"horizon": slots.tolist()}
    try:
        found = sweep(instance, known, grid, Question(), theory=theory.with_cards([known])).columns
    except InputError as error:
        return {"error": error.on_command_line}
    values = np.broadcast_to(found["value"], slots.shape)
    return {
        "slots": slots.tolist(),
        "values": finite(values * np.log(slots) if quantity.unit.endswith("per log T") else values),
        "most": finite(float(instance.largest_regret) * slots),
        "lower": card.kind is Kind.LOWER_BOUND,
    }
