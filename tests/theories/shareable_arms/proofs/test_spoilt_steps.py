"""Every step of the ledger would come out otherwise if it were false (or, if it fails, true)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
import sympy
from flint import arb
from paper import THEORY, decided, same, steps

from boundcheck.calculator.numbers.balls import precision
from boundcheck.judging.finding import Leaning, Verdict
from boundcheck.proof_steps.parts import at_most, below, certified_number, definition, equal
from boundcheck.proof_steps.step import Part, Parts, Proof, Step, StepRepair, Trust

WRITTEN = list(steps())
x = sympy.Symbol("x", positive=True)

# -- each step as it stands in the ledger ---------------------------------------------------


def otherwise(step: Step) -> Mapping[str, object]:
    """Constants with which a step that fails would not."""
    by = step.repair.by if step.repair else None
    return step.true_with or (by if isinstance(by, Mapping) else {})


@pytest.mark.parametrize("step", WRITTEN, ids=lambda step: step.step)
def test_a_step_comes_out_otherwise_with_other_constants(step):
    found = step.check(THEORY)
    if set(found.method.split(" + ")) <= {"definition", "statement"}:
        return
    if found.verdict is Verdict.REFUTED:
        assert otherwise(step), "neither mend nor a repair by constants"
        assert step.check(THEORY, **otherwise(step)).verdict is not Verdict.REFUTED
        return
    assert step.constants, "nothing printed that could be spoilt"
    assert set(step.false_with) == set(step.constants), "a constant without a spoilt value"
    for name, value in step.false_with.items():
        assert step.check(THEORY, **{name: value}).verdict is Verdict.REFUTED, name


@pytest.mark.parametrize(
    "step", [step for step in WRITTEN if step.repair and step.repair.by], ids=lambda s: s.step
)
def test_a_repair_that_is_decided_stands(step):
    assert step.repaired(THEORY).stands


# -- the form of a step ---------------------------------------------------------------------


def squares(factor: sympy.Expr = 2) -> Parts:
    """x <= 2 x."""
    yield at_most(x, factor * x).on({x: (0, sympy.oo)})


def test_the_docstring_is_the_statement_and_the_defaults_are_the_constants():
    proof = Proof("lem-5.1")
    proof.step("a", "here", factor=0)(squares)
    (step,) = proof
    assert (step.step, step.statement, step.constants) == ("5.1-a", "x <= 2 x", {"factor": 2})
    assert step.check(THEORY).verdict == "holds"
    assert step.check(factor=0).verdict == "refuted"


def test_short_labels_belong_to_the_proof_and_long_ones_are_kept():
    proof = Proof("thm-5.3a", "5.3")
    proof.step("a", "")(squares)
    proof.step("C.1-b", "", "a, D.1-c, confidence-range")(squares)
    assert [step.step for step in proof] == ["5.3-a", "C.1-b"]
    assert [step.premises for step in proof] == [(), ("5.3-a", "D.1-c", "confidence-range")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"fator": 0},
        {"true_with": {"fator": 0}},
        {"repair": StepRepair("Another factor", {"fator": 3})},
    ],
)
def test_a_step_that_names_what_is_not_there_is_refused(wrong):
    with pytest.raises(ValueError, match="no constant fator"):
        Proof("lem-5.1").step("a", "", **wrong)(squares)
    with pytest.raises(ValueError, match="no step z"):
        Proof("lem-5.1").step("a", "", "z")(squares)


def test_a_step_without_words_is_refused():
    with pytest.raises(ValueError, match="docstring"):
        Proof("lem-5.1").step("a", "")(lambda: iter(()))


def test_a_repair_by_constants_or_by_another_argument_is_decided():
    proof = Proof("lem-5.1")
    proof.step("a", "", repair=StepRepair("Three", {"factor": 3}))(squares)
    proof.step("b", "", repair=StepRepair("Zero", lambda: squares(0)))(squares)
    proof.step("c", "", repair=StepRepair("Read it so"))(squares)
    assert [decided(step).repaired for step in proof] == [True, False, None]
    assert [decided(step).repair for step in proof] == ["Three", "Zero", "Read it so"]


# -- what decides, and how far one may trust it ------------------------------------------------


def test_a_relation_is_decided_by_the_method_that_can():
    assert at_most(sympy.log(x), x).on({x: (1, sympy.oo)}).method == "calculus"
    assert at_most(sympy.log(x), x).on({x: (1, 9)}).method == "enclosure"
    assert below(1, sympy.log(3)).on({}).verdict == "holds"
    assert at_most(x * (1 - x), sympy.Rational(1, 4)).on({x: (0, 1)}).verdict == "holds"


def test_equality_at_a_point_refutes_a_strict_relation():
    assert below((4 * x + 3) ** 2 / (49 * x**2), 1).on({x: (1, sympy.oo)}).verdict == "refuted"


def test_a_number_is_refuted_only_where_enclosures_are_apart():
    assert certified_number(2, at_most=3, region="r", words="w").verdict == "holds"
    seen = certified_number(2, at_most=3, region="r", words="w", sample=True)
    assert (seen.verdict, seen.agrees) == ("undecided", True)
    assert certified_number(4, at_most=3, region="r", words="w").verdict == "refuted"
    with precision(64):
        third = arb(1) / 3
    assert certified_number(third, at_most=Fraction(1, 3), region="r", words="w").open


@pytest.mark.parametrize(
    ("part", "trust"),
    [
        (equal(x + x, 2 * x).on({x: (1, 9)}), Trust.SYMBOLIC),
        (equal(x + x, 3 * x).on({x: (1, 9)}), Trust.ENCLOSURE),
        (at_most(sympy.log(x), x).on({x: (1, 9)}), Trust.ENCLOSURE),
        (Part("exhaustive", Verdict.HOLDS, "r"), Trust.ENUMERATION),
        (Part("exhaustive", Verdict.UNDECIDED, "r", leans=Leaning.FOR), Trust.SAMPLE),
        (Part("identity + exhaustive", Verdict.HOLDS, "r"), Trust.ENUMERATION),
        (Part("identity + statement", Verdict.UNDECIDED, "r", leans=Leaning.FOR), Trust.STATEMENT),
        (definition(), None),
    ],
)
def test_trust_is_that_of_the_weakest_method(part, trust):
    assert part.trust is trust


def test_a_statement_is_found_by_its_reading():
    verdicts = {
        role: same("lem-5.1", role).verdict for role in ("intended", "charitable", "printed")
    }
    assert verdicts == {"intended": "refuted", "charitable": "holds", "printed": "refuted"}
