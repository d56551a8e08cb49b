"""The ledger: its methods can refute, its verdicts come from computation, its docs are current."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import smt
import sympy
from hypothesis import given
from hypothesis import strategies as st
from paper import proved, whole_ledger
from sympy import exp, log, oo, sqrt

import boundcheck
from boundcheck import catalogue
from boundcheck.judging.finding import Leaning, Verdict
from boundcheck.proof_steps.calculus import nonnegative
from boundcheck.proof_steps.ledger import by_trust
from boundcheck.proof_steps.methods import on_box, sign
from boundcheck.proof_steps.parts import cases, contradicted, equal, examples
from boundcheck.proof_steps.relations import Goal, sample
from boundcheck.proof_steps.step import Part, Trust, combined
from boundcheck.terminal.run_proofs import BEGIN, END, ledger_markdown
from simulation.errors import InputError

DOCS = Path(__file__).parents[2] / "docs" / "proofs.md"
ROW_KEYS = {
    "claim", "step", "display", "method", "verdict", "trust", "ours", "region", "repair",
    "survives", "explanation",
}  # fmt: skip
x, y = sympy.symbols("x y", positive=True)


def at_most(lhs, rhs, ranges):
    return Goal(lhs, "<=", rhs, ranges)


def below(lhs, rhs, ranges):
    return Goal(lhs, "<", rhs, ranges)


# -- methods -----------------------------------------------------------------------------


def test_an_identity_holds_after_simplification():
    assert equal(log(x * y), log(x) + log(y)).on({x: (1, 9), y: (1, 9)}).verdict == "holds"


def test_a_wrong_identity_is_refuted_at_a_simple_point():
    found = equal((x + 1) ** 2, x**2 + 2 * x + 2).on({x: (1, 9)})
    assert found.verdict == "refuted"
    assert found.region == "at x = 1"


def test_sides_that_differ_by_a_hair_are_refuted():
    assert equal(x, x + sympy.Rational(1, 10**40)).on({x: (1, 9)}).verdict == "refuted"


def test_an_identity_that_nobody_simplifies_is_left_open():
    denested = equal(sqrt(x + 2 * sqrt(x - 1)), 1 + sqrt(x - 1)).on({x: (2, 9)})
    assert denested.verdict == "undecided"


def test_calculus_reaches_to_infinity():
    assert sign(at_most(log(x), x - 1, {x: (1, oo)})).verdict == "holds"
    assert sign(at_most(exp(-x), 1 + 0 * x, {x: (0, oo)})).verdict == "holds"


def test_calculus_refutes_where_it_fails():
    found = sign(at_most(log(x), x / 3, {x: (1, oo)}))
    assert found.verdict == "refuted"
    assert found.region == "at x = 2"


def test_equality_at_an_end_satisfies_at_most_but_not_below():
    assert sign(at_most(x**2, x, {x: (0, 1)})).verdict == "holds"
    assert sign(below(x**2, x, {x: (0, 1)})).verdict == "refuted"
    assert on_box(at_most(log(x), log(4), {x: (1, 4)})).verdict == "holds"
    assert on_box(below(log(x), log(4), {x: (1, 4)}), boxes=300).verdict != "holds"


def test_strictness_is_lost_where_a_corner_touches_zero():
    corner = {x: (0, 1), y: (0, 1)}
    assert nonnegative(1 - x + y, corner) is not None
    assert nonnegative(1 - x + y, corner, strict=True) is None
    assert nonnegative(2 - x + y, corner, strict=True) is not None


def test_a_box_is_certified_or_a_round_point_in_it_is_returned():
    assert on_box(at_most(x * log(x), x**2, {x: (1, 9)})).verdict == "holds"
    found = on_box(at_most(x * y, 10 + 0 * x, {x: (0, 4), y: (0, 4)}))
    assert found.verdict == "refuted"
    values = [Fraction(text) for text in re.findall(r"= ([\d.]+)", found.region)]
    assert values[0] * values[1] > 10
    assert all(value.denominator <= 10 for value in values)


def test_a_box_that_stays_undecided_says_where():
    found = on_box(at_most(2 * x, x**2 + 1, {x: (0, 3)}), boxes=100)
    assert found.verdict == "undecided"
    low, high = map(Fraction, re.findall(r"[\d.]+", found.region.split("in")[1])[:2])
    assert low <= 1 <= high


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5))
def test_verdicts_on_parabolas_are_true(a, b, c):
    """a x^2 + b x + c >= 0 on [0, oo): the least value is at 0, at the vertex, or at infinity."""
    found = sign(at_most(0 * x, a * x**2 + b * x + c + 0 * x, {x: (0, oo)}))
    vertex = Fraction(-b, 2 * a) if a > 0 and b < 0 else Fraction(0)
    true = a * vertex**2 + b * vertex + c >= 0 and (a > 0 or (a == 0 and b >= 0))
    assert found.verdict != ("refuted" if true else "holds")


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-20, 20))
def test_verdicts_on_planes_are_true_and_final(a, b, c):
    found = on_box(at_most(a * x + b * y, c + 0 * x, {x: (0, 1), y: (0, 1)}))
    assert found.verdict == ("holds" if max(a, 0) + max(b, 0) <= c else "refuted")


def test_exhaustion_names_the_first_case_that_fails():
    found = cases(lambda a, b: a * b < 20, {"a": range(6), "b": range(6)}, complete=True)
    assert (found.verdict, found.region) == (Verdict.REFUTED, "a = 4, b = 5")


def test_exhaustion_of_a_part_leaves_the_rest_undecided():
    whole, part = (
        cases(lambda a: a >= 0, {"a": range(6)}, complete=complete) for complete in (True, False)
    )
    assert whole.verdict == "holds"
    assert (part.verdict, part.leans, part.open) == ("undecided", "for", False)


def test_a_search_shrinks_and_counts():
    assert examples(lambda n: n < 57, st.integers(0, 1000), "integers").region == "57"
    found = examples(lambda n: n >= 0, st.integers(0, 1000), "integers", examples=40)
    assert (found.verdict, found.leans) == ("undecided", "for")
    assert "40 examples" in found.detail


def test_a_search_repeats():
    def look() -> Part:
        return examples(lambda pair: sum(pair) < 60, st.tuples(st.integers(0), st.integers(0)), "")

    with pytest.raises(ValueError, match="how it was computed and where"):
        examples(lambda n: True, st.integers(), "")
    assert look() == look()


def test_the_most_severe_part_decides():
    good = Part("identity", Verdict.HOLDS, "everywhere")
    seen = Part("search", Verdict.UNDECIDED, "examples", leans=Leaning.FOR)
    bad = Part("exhaustive", Verdict.REFUTED, "at 3")
    assert (combined(good, seen).verdict, combined(good, seen).agrees) == ("undecided", True)
    assert combined(good, bad, seen) == Part(
        "identity + exhaustive + search", Verdict.REFUTED, "at 3", goals=(None,) * 3
    )


def test_only_a_shown_opposite_refutes():
    shown = Part("calculus", Verdict.HOLDS, "everywhere")
    assert contradicted(shown, "x > 1", "").verdict == "refuted"
    for verdict in set(Verdict) - {Verdict.HOLDS}:
        other = Part("calculus", verdict, "somewhere")
        assert contradicted(other, "x > 1", "").verdict == "undecided"


def test_points_of_a_box_lie_in_it_and_respect_whole_numbers():
    whole = sympy.Symbol("k", integer=True, positive=True)
    for point in sample({x: (Fraction(1, 3), Fraction(2, 3)), whole: (Fraction(2), Fraction(5))}):
        assert Fraction(1, 3) <= point[x] <= Fraction(2, 3)
        assert point[whole] in (2, 3, 4, 5)


# -- the ledger --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def entries():
    return whole_ledger()


def test_every_proof_has_steps_and_every_step_its_own_name(entries):
    assert {entry.step.claim for entry in entries} == set(proved())
    names = [entry.step.step for entry in entries]
    assert len(set(names)) == len(names)
    assert set(proved()) <= set(catalogue())


def test_rows_have_the_agreed_keys_and_a_verdict(entries):
    for entry in entries:
        row = entry.to_json()
        assert set(row) == ROW_KEYS
        # a definition asserts nothing, nor does a step whose condition is never met
        nothing = row["method"] == "definition" or row["step"] == "C.2-k"
        assert row["verdict"] is None if nothing else row["verdict"] in set(Verdict)
        assert row["method"]
        assert row["region"]
        assert row["survives"] in (True, False, None)


def test_what_fails_says_what_becomes_of_the_claim(entries):
    for entry in entries:
        if entry.refuted:
            assert entry.step.repair or entry.step.consequence, entry.step.step


def test_nothing_is_left_open(entries):
    assert [e.step.step for e in entries if e.checked.open] == []


def test_coq_certified_a_hundred_steps_as_they_are_now(entries):
    """`make certify` renews the record where formulas changed."""
    certified = [entry for entry in entries if entry.trust is Trust.PROOF_ASSISTANT]
    assert len(certified) >= 100
    assert all(entry.verdict is Verdict.HOLDS and entry.checked.formal for entry in certified)
    assert by_trust(entries)["proof assistant"] == len(certified)


def test_z3_finds_no_point_against_a_step_that_stands(entries):
    """Of all rational formulas; those it cannot decide are few."""
    standing = [
        smt.judged(goal)
        for entry in entries
        if entry.checked.stands
        for goal in entry.checked.formulas
        if smt.rational(goal)
    ]
    assert False not in standing
    assert standing.count(True) >= max(150, 0.97 * len(standing))


def test_z3_refutes_rational_steps_that_are_spoilt(entries):
    found = []
    for entry in entries:
        if entry.verdict is Verdict.HOLDS and entry.checked.formal:
            for name, value in entry.step.false_with.items():
                spoilt = entry.step.check(entry.theory, **{name: value}).formulas
                if all(map(smt.rational, spoilt)):
                    found.append(any(smt.judged(goal) is False for goal in spoilt))
        if len(found) >= 40:
            break
    assert len(found) >= 40
    assert all(found)


def test_premises_are_steps_of_the_ledger(entries):
    names = {entry.step.step for entry in entries}
    written = re.compile(r"[A-Z\d]\.\d-[a-z\d]+")
    for entry in entries:
        for premise in entry.step.premises:
            assert not written.fullmatch(premise) or premise in names, entry.step.step
            assert premise != entry.step.step


def test_the_docs_hold_the_current_table(entries):
    """`boundcheck proofs --markdown` writes it."""
    text = DOCS.read_text(encoding="utf-8")
    between = text.partition(BEGIN)[2].partition(END)[0]
    assert between == f"\n{ledger_markdown(entries)}"


REFUTED = {
    "4.1-m", "C.1-a", "C.1-e", "C.1-h", "C.2-j", "4.2-b", "4.2-d", "4.3-g", "4.3-h", "4.3-k",
    "4.3-o", "4.3-p", "5.1-b", "5.1-h", "5.1-l", "5.1-n", "5.2-c", "5.3-a", "5.3-i", "5.3-n",
    "J.1-c", "J.1-f", "J.1-g", "J.2-b", "J.3-b", "J.3-c",
}  # fmt: skip


def test_what_the_theory_notes_lead_one_to_expect_is_refuted(entries):
    chapters = ("4.", "C.", "D.", "5.", "J.")
    found = {e.step.step for e in entries if e.refuted and e.step.step.startswith(chapters)}
    assert found == REFUTED


@pytest.mark.parametrize(("ratio", "fails"), [(5.886, 0), (5.887, 1), (6.353, 1), (6.355, 0)])
def test_two_explorations_are_too_few_in_5_3_i_between_these_means(ratio, fails):
    """m = 1, log(2/delta) = 2/A, which has to be A or more."""
    scale = 49 / ratio**2
    width = 1.5 * (2 / scale + math.log(3) / 2) / 4  # phi(2)^2
    assert (2 / scale >= scale and width > 1 / scale) == fails


# -- the command -------------------------------------------------------------------------


def test_one_proof_as_json(run):
    code, out, _ = run("proofs", "thm-4.1b", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["command"] == "proofs"
    assert document["parameters"]["claim"] == "thm-4.1b"
    counted = Counter(row["trust"] for row in document["rows"] if row["trust"])
    assert document["parameters"]["trust"] == counted
    assert {row["claim"] for row in document["rows"]} == {"thm-4.1b"}
    assert all(set(row) == ROW_KEYS for row in document["rows"])


def test_strict_exits_with_1_where_a_step_is_refuted(run):
    assert run("proofs", "thm-4.1b", "--strict")[0] == 1
    assert run("proofs", "thm-4.1b")[0] == 0
    assert run("proofs", "lem-D.1", "--strict")[0] == 0


def test_an_unknown_proof_is_one_line_with_the_ids_and_exit_code_2(run):
    code, out, err = run("proofs", "sharp-9.9")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert all(name in err for name in proved())
    with pytest.raises(InputError):
        boundcheck.ledger("thm-99")


def test_the_table_fits_80_columns_and_tells_the_failures(run):
    code, out, _ = run("proofs", "THM-4.1B")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "C.2-j refuted" in out
    assert "claim survives: yes" in out  # by what the audit found of its intended statement
