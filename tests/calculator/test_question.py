"""The parameters of questions: those of every theory, and those that a theory adds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import pytest
from small_theory import REGRET
from small_theory import THEORY as SMALL
from sympy import Symbol

from boundcheck.calculator.bounds import bounds
from boundcheck.calculator.question import ABOVE_0, Question, parameter
from boundcheck.calculator.sweeps import sweep
from boundcheck.claims.card import EVERY_ARM, Quantity, Term
from boundcheck.theories import OPTIONS, PACKAGES, shipped_theory
from boundcheck.theories.shareable_arms.question import Question as OfPaper
from simulation.errors import InputError
from simulation.world.instance import Instance

beta = Symbol("beta", positive=True)
ARMS = Instance(["0.9", "0.5"], [1, 1], 1)


@dataclass(frozen=True)
class Scaled(Question):
    beta: Fraction = field(default=Fraction(3), metadata=parameter(*ABOVE_0, beta))


CARD = replace(
    REGRET, id="scaled", quantities=(Quantity("size", "slots", (Term("beta", beta, EVERY_ARM),)),)
)
THEORY = replace(
    SMALL, cards={"scaled": CARD}, audited_cards={}, proofs={}, main=None, question=Scaled
)


def test_a_theory_adds_a_parameter() -> None:
    value = [float(bounds(ARMS, theory=THEORY, **given)[0].value) for given in ({}, {"beta": "7"})]
    assert value == [2 * 3, 2 * 7]  # one for each of two arms
    assert sweep(ARMS, "scaled", {"beta": [1, 2]}, theory=THEORY).columns["value"].tolist() == [
        2,
        4,
    ]
    assert Scaled(beta="1/2").to_json()["beta"] == "0.5"
    with pytest.raises(InputError, match="beta: 0: expected a number above 0"):
        bounds(ARMS, theory=THEORY, beta=0)


def test_what_a_theory_does_not_know_is_refused_with_what_it_knows() -> None:
    known = "one of delta, horizon, epsilon, samples, digits$"
    for asked in ({"beta": 2}, {"question": Scaled(beta=2)}):
        with pytest.raises(InputError, match=f"beta.*{known}"):
            bounds(ARMS, theory=SMALL, **asked)
    with pytest.raises(InputError, match=f"{known[:-1]}, beta"):
        bounds(ARMS, theory=THEORY, gamma=2)


def test_a_question_is_carried_to_another_theory() -> None:
    """Parameters that both have are kept; those that only the first has may stay at defaults."""
    asked = Question.of(OfPaper(horizon="1e5", delta="0.1"))
    assert asked == Question(horizon="1e5", delta="0.1")
    assert OfPaper.of(asked) == OfPaper(horizon="1e5", delta="0.1")


def test_the_command_line_has_an_option_for_each_parameter_of_a_shipped_theory() -> None:
    own = {x for name in PACKAGES for x in shipped_theory(name).question.parameters()}
    assert own - Question.parameters().keys() == OPTIONS.keys()
