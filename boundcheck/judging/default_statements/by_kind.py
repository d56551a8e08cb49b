"""Which statements a card makes by its kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boundcheck.claims.card import Claim, Kind
from boundcheck.claims.symbols import T
from boundcheck.judging.default_statements.growth import least_growth, upper_growth
from boundcheck.judging.default_statements.one_mean import deviation
from boundcheck.judging.default_statements.regret import lower_regret, number, small, upper_regret
from boundcheck.judging.statement import Statement

if TYPE_CHECKING:
    from boundcheck.theory import Theory


def of_kind(card: Claim, theory: Theory) -> tuple[Statement, ...]:
    """What a card says by its kind alone; nothing if that takes more than the card has."""
    if card.kind in (Kind.COVERAGE, Kind.SAMPLE_SIZE):
        sized = card.kind is Kind.SAMPLE_SIZE
        says = card.formula is not None and (card.quantities or not sized)
        return (deviation(card, theory, sized=sized),) if says else ()
    if not card.quantities:
        return ()
    if card.policy is None:
        first = card.quantities[0]
        says = card.kind is Kind.LOWER_BOUND and first.rows is None and T not in first.symbols
        return (least_growth(card.reading, theory),) if says else ()
    if card.kind is Kind.UPPER_BOUND:
        return (upper_regret(card.reading, strategy=partial(small, theory), theory=theory),)
    if card.kind is Kind.LOWER_BOUND:
        return (lower_regret(card.reading, theory),)
    if card.kind is Kind.ASYMPTOTIC:
        return (upper_growth(card.reading, claimed=partial(number, theory=theory)),)
    return ()
