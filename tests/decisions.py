"""Decisions small enough for tests; what is simulated is shared between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from paper import RunContext
from sympy import Rational

from boundcheck import find
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Finding
from boundcheck.judging.verification import verified
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY
from simulation.world.instance import Instance

SMALL = Effort("small", trials=2_000, runs=10, horizon=10_000)
_SIMULATED: dict[int, dict[tuple[Any, ...], Any]] = {}


def context(effort: Effort = SMALL, seed: int = 0) -> RunContext:
    """Levels as planned for the whole theory, over runs that earlier tests may have made."""
    shared = _SIMULATED.setdefault(seed, {})
    return THEORY.context(effort, seed=seed, _simulated=shared)


def verify(
    instance: Instance, claim: str | Claim, effort: Effort = SMALL, seed: int = 0
) -> dict[str, Finding]:
    """Findings about a claim (or about a card that was changed) at the effort's horizon, by
    statement; what was found at another point is "STATEMENT elsewhere"."""
    card = THEORY.cards[claim] if isinstance(claim, str) else claim
    with_it, question = THEORY.with_card(card), Question(horizon=effort.horizon, digits=15)
    by_statement: dict[str, Finding] = {}
    for finding in verified(with_it, card, instance, question, context(effort, seed)):
        again = finding.statement in by_statement
        by_statement[finding.statement + " elsewhere" * again] = finding
    return by_statement


def further(found: dict[str, Finding], statement: str = "intended") -> Finding:
    """What was found of a statement at another point, if that says more, else at the question."""
    return found.get(f"{statement} elsewhere", found[statement])


def scaled(claim: str, factor: str) -> Claim:
    """The card with its first number multiplied: a planted mistake."""
    card = find(claim)
    first, *others = card.quantities
    terms = tuple(replace(t, expression=Rational(factor) * t.expression) for t in first.terms)
    return replace(card, quantities=(replace(first, terms=terms), *others))


def search(claim: str, statement: str = "intended", examples: int = 300, seed: int = 0) -> Finding:
    """The search that `falsify` makes against one statement, a derived one too."""
    from boundcheck.judging.searching import search as search_for

    stated = THEORY.statement(claim, statement)
    limit = SearchLimit(examples, 60.0, seed)
    return search_for(THEORY.cards[claim], stated, context(), limit, THEORY.model)
