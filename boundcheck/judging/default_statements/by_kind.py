"""The statements that follow from a card's kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boundcheck.claims.card import Claim, Kind
from boundcheck.claims.symbols import T
from boundcheck.judging.default_statements.all_times import at_all_times
from boundcheck.judging.default_statements.growth import least_growth_statement, upper_growth
from boundcheck.judging.default_statements.instances import for_every_policy, over_instances
from boundcheck.judging.default_statements.one_mean import deviation_statement
from boundcheck.judging.default_statements.regret import (
    SAMPLES,
    claimed_number,
    lower_regret,
    small,
    upper_regret,
)
from boundcheck.judging.default_statements.stopping import stopping
from boundcheck.judging.statement import Statement

if TYPE_CHECKING:
    from boundcheck.theory import Theory

STOPPING = (Kind.ERROR, Kind.STOPPING, Kind.EXPECTED_STOPPING, Kind.LEAST_STOPPING)


def of_kind(card: Claim, theory: Theory) -> tuple[Statement, ...]:
    """The statements of a card by its kind; empty if the card lacks what its kind needs."""
    if card.kind in (Kind.COVERAGE, Kind.SAMPLE_SIZE):
        return _of_a_mean(card, theory)
    if not card.quantities:
        return ()
    if card.policy is None:
        return _of_every_policy(card, theory)
    if card.kind in STOPPING:
        return (stopping(card, theory),)
    if card.kind is Kind.UPPER_BOUND and card.over == "instances":
        return (over_instances(card, theory),)
    if card.kind is Kind.UPPER_BOUND:
        drawn = partial(small, theory, SAMPLES if card.options else ())
        return (upper_regret(card.reading, theory=theory, strategy=drawn),)
    if card.kind is Kind.LOWER_BOUND:
        return (lower_regret(card.reading, theory),)
    if card.kind is Kind.ASYMPTOTIC:
        return (upper_growth(card.reading, claimed=partial(claimed_number, theory=theory)),)
    return ()


def _of_a_mean(card: Claim, theory: Theory) -> tuple[Statement, ...]:
    sized = card.kind is Kind.SAMPLE_SIZE
    if card.formula is None or (sized and not card.quantities):
        return ()
    if card.every_n and not sized:
        return (at_all_times(card, theory),)
    return (deviation_statement(card, theory, sized=sized),)


def _of_every_policy(card: Claim, theory: Theory) -> tuple[Statement, ...]:
    first = card.quantities[0]
    if card.kind is not Kind.LOWER_BOUND:
        return ()
    if card.over == "instances":
        return (for_every_policy(card, theory),)
    says = first.rows is None and T not in first.symbols
    return (least_growth_statement(card.reading, theory),) if says else ()
