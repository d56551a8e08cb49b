"""Theorem 7.1 where it applies: beyond 10^21 slots, decided by the proved bound of sharp-7.1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flint import arb

from boundcheck import find
from boundcheck.calculator.question import Question
from boundcheck.judging.decide import decide
from boundcheck.judging.default_statements.regret import AtHorizon
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Verdict
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.orch_explore.thm_7_1 import INTENDED
from simulation.world.instance import Instance

CARD, CERTAIN = find("thm-7.1"), Instance.load("certain")
INSIDE = AtHorizon.at(CERTAIN, 10**22, question=Question())


def judged(card, context):
    """Without runs: they cannot decide at such a horizon, and are drawn by other tests."""
    exact = replace(INTENDED, actual=tuple(way for way in INTENDED.actual if not way.sampled))
    return decide(card, exact, [INSIDE], context)


def test_it_holds_inside_its_domain_because_a_smaller_bound_is_proved():
    finding = judged(CARD, THEORY.context(EFFORTS["quick"]))
    assert finding.verdict is Verdict.HOLDS
    assert "sharp-7.1" in finding.rests_on


def test_a_claim_below_the_proved_bound_is_not_decided():
    (quantity,) = CARD.quantities
    terms = tuple(replace(term, expression=term.expression / 1000) for term in quantity.terms)
    smaller = replace(CARD, quantities=(replace(quantity, terms=terms),))
    assert judged(smaller, THEORY.context(EFFORTS["quick"])).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("horizon", [10**6, 10**31])
def test_other_horizons_are_not_decided_by_it(horizon):
    (way,) = (way for way in INTENDED.actual if "proved" in way.name)
    case, context = AtHorizon.at(CERTAIN, horizon), THEORY.context(EFFORTS["quick"])
    assert way.of(CARD, case, context) is None
    found = way.of(CARD, INSIDE, context)
    assert found is not None
    assert arb(70) < found.upper < arb(90)
