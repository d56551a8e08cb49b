"""Mutants are caught or shown to be still true, and one that is neither makes the command fail."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import log, sqrt

import pytest
import sympy
from paper import misassumed, misprinted, of_claim, recorded_slacks, steps
from reference import BY_ARM, IN_ALL, World, assumed, phi
from typer.testing import CliRunner

from boundcheck import bounds, catalogue, find
from boundcheck.claims.functions import Defined, kl
from boundcheck.cli import app
from boundcheck.selftest import checks, structure
from boundcheck.selftest.cards import mutants
from boundcheck.selftest.evidence import Evidence
from boundcheck.selftest.numbers import places
from boundcheck.selftest.outcome import Outcome, Result
from boundcheck.selftest.run import EFFORT, slacks_found
from boundcheck.selftest.structure import borders_of, changed, structural
from boundcheck.terminal import run_selftest as command
from boundcheck.theories.shareable_arms import THEORY, selftest_cases
from boundcheck.theories.shareable_arms.functions import KL
from boundcheck.theories.shareable_arms.question import Question
from boundcheck.theories.shareable_arms.selftest_cases import growing, reference
from simulation.world.instance import Instance

# -- numbers of a card ----------------------------------------------------------------------------


def test_every_number_of_a_card_has_a_place():
    card = find("thm-5.3b")  # 49 m^2 log(2/delta) / (mu^2 (m - d + 1)^2)
    assert sorted(place.number for place in places(card)) == [-2, -2, 1, 2, 2, 49]
    assert [place.number for place in places(card) if place.factor] == [49]


def test_another_number_stands_in_its_place_alone():
    card = find("thm-5.3a")
    (expression,) = (term.expression for term in card.quantities[0].terms)
    for place in places(card):
        assert place.with_number(card, place.number) == card
        (changed,) = (
            term.expression
            for term in place.with_number(card, sympy.Integer(7)).quantities[0].terms
        )
        assert changed != expression
        assert changed.has(sympy.Integer(7))


def test_the_numbers_of_a_width_are_those_of_the_function_it_calls():
    card = find("lem-J.1")  # rho(tau) + rho(iota), rho(x) = sqrt(log(2/delta)/(2 x))
    inside = [place for place in places(card) if place.function is not None]
    assert {place.function.__name__ for place in inside} == {"rho"}
    (two,) = (place for place in inside if "in 2/" in place.words(sympy.Integer(1)))
    calls = two.with_number(card, sympy.Integer(5)).formula.atoms(Defined)
    assert [str(call.func.definition()[1]).count("5/_x1") for call in calls] == [1, 1]


def test_a_card_without_growth_has_none():
    flat = find("thm-H.1")
    flat = replace(
        flat, quantities=(replace(flat.quantities[0], terms=flat.quantities[0].terms[3:]),)
    )
    assert [term.expression for term in growing(flat).quantities[0].terms] == [0]


# -- mutants of cards -----------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["lem-E.1", "lem-C.3", "cor-G.2"])
def test_every_mutant_of_a_card_is_caught_or_still_true(claim):
    outcomes = of_claim(claim)
    assert len(outcomes) >= len([*places(find(claim))])
    assert [o.mutation for o in outcomes if o.failed] == []
    assert all(o.by for o in outcomes)


def test_the_49_is_caught_by_certified_evidence_and_its_slack_is_recorded():
    outcomes = of_claim("thm-5.3a")
    assert not any(o.failed for o in outcomes)
    (factor,) = (o for o in outcomes if o.term is not None)
    assert factor.caught
    assert "49 ->" in factor.mutation
    assert "certified" in factor.by[0]
    assert 1 <= factor.slack < 10
    assert slacks_found(outcomes)["thm-5.3a"] == recorded_slacks()["thm-5.3a"]


def test_a_number_that_no_case_and_no_reference_feels_is_undecided(monkeypatch):
    card = find("lem-E.1")
    evidence = Evidence.of(THEORY, card, THEORY.context(EFFORT))
    evidence.trials.clear()
    monkeypatch.setattr(Evidence, "searched", lambda self, mutant: False)
    assert {o.by for o in mutants(card, evidence)} == {("reference value",)}
    monkeypatch.setattr(selftest_cases, "reference", list)
    assert {o.result for o in mutants(card, evidence)} == {Result.UNDECIDED}


@pytest.mark.parametrize("known", reference(), ids=lambda known: known["instance"]["name"])
def test_reference_values_are_those_of_the_second_formulas(known):
    instance, question = Instance.from_table(known["instance"]), Question(**known["question"])
    world = World.of(instance, question)
    for claim, values in known.get("values", {}).items():
        card = catalogue()[claim]
        assert values.keys() == {q.name for q in card.quantities} or list(values) == ["formula"]
        assert misprinted(known, card) == []
        for name, due in values.items():
            (*_, bound) = bounds(instance, question, [claim]) if card.quantities else (None,)
            there = world.at(bound) if bound and bound.levels else world
            terms = second_formula(claim, name, there, due)
            assert float(sum(terms)) == pytest.approx(float(due["value"]), rel=1e-8)


def second_formula(claim, name, world, due):
    if (claim, name) in IN_ALL:
        return IN_ALL[claim, name](world)
    if (claim, name) in BY_ARM:
        return BY_ARM[claim, name][1](world, world.arms.index(due["arm"]))
    at = {symbol: float(Fraction(value)) for symbol, value in due["at"].items()}
    return FORMULAS[claim](**{symbol.replace("-", "_"): value for symbol, value in at.items()})


def uniform(tau, iota, delta):
    return [phi(tau, delta), phi(iota, delta)]


def hoeffding(tau, iota, delta):
    return [sqrt(log(2 / delta) / (2 * n)) for n in (tau, iota)]


def joint(tau, iota, delta, sigma2):
    spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
    return [sqrt(2 * sigma2 * spread * log(sqrt((tau + 1) * (iota + 1)) / delta))]


FORMULAS = {
    "lem-5.1": uniform,
    "lem-5.2": uniform,
    "lem-J.1": hoeffding,
    "lem-J.2": hoeffding,
    "sharp-5.1": joint,
    "lem-D.1": lambda t, delta, sigma2: [
        sqrt(2 * sigma2 * (1 + 1 / t) * log(sqrt(t + 1) / delta) / t)
    ],
    "lem-G.4": lambda t, T, delta, b_a: [sqrt(2 * b_a**2 / t * log(4 * T / (delta * t)))],
    "lem-E.1": lambda c, epsilon: [2 / c * (2 / c + epsilon**-2)],
}


@pytest.mark.parametrize(
    "known",
    [known for known in reference() if "assumed" in known],
    ids=lambda known: known["instance"]["name"],
)
def test_assumptions_hold_where_the_second_formulas_say(known):
    instance, question = Instance.from_table(known["instance"]), Question(**known["question"])
    world = World.of(instance, question)
    for claim, card in catalogue().items():
        due = {
            name: " ".join(f"{arm or ''}{'+' if holds else '-'}" for arm, holds in held.items())
            for name, held in assumed(claim, world).items()
        }
        assert known["assumed"].get(claim, {}) == due, claim
        assert misassumed(known, card) == []


# -- structure ------------------------------------------------------------------------------------


def noticed(claim: str, words: str) -> Outcome:
    """What notices a mutant of a card, without any case."""
    card = find(claim)
    evidence = Evidence(THEORY, selftest_cases, card, THEORY.context(EFFORT))
    (mutant,) = (m for m in structural(card, borders_of(THEORY)) if words in m.words)
    readers = [step for step in steps(claim) if step.reads_card]
    result, by = structure._noticed(THEORY, mutant.card, readers, evidence)
    return Outcome("structure", mutant.words, result, (by,), claim)


def test_what_can_be_taken_from_a_formula():
    m, T = sympy.symbols("m T")
    assert {str(tree) for _, tree in changed(2 * m * (T + 1))} == {
        "2*T + 2", "2*m", "2*T*m",
    }  # fmt: skip
    swapped = [tree for words, tree in changed(kl(m, T)) if "other order" in words]
    assert swapped == [kl(T, m)]


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("thm-7.1", "capacities of filled arms: over k <= L"),
        ("thm-7.1", "capacities of filled arms: over k < N"),
        ("thm-7.1", "suboptimal arms: over k >= L"),
        ("thm-7.1", "suboptimal arms: kl in the other order"),
        ("thm-7.1", "epsilon-range: epsilon <= "),
        ("thm-7.1", "without the assumption epsilon-range"),
        ("thm-G.1", "elimination: over k >= L"),
        ("thm-G.1", "elimination: over k > N"),
        ("thm-G.1", "capacities: over k < N"),
        ("thm-G.1", "capacities: over k <= L"),
        ("lem-E.5", "kl in the other order"),
        ("sharp-7.1", "level theta_k for k >= L"),
        ("sharp-law-free", "without the assumption positive-last-mean"),
    ],
)
def test_arms_orders_and_assumptions_are_noticed_without_a_case(claim, words):
    assert noticed(claim, words).caught


def test_a_term_that_vanishes_at_arm_l_may_be_summed_up_to_it():
    """(mu_k - mu_L) is 0 there: the mutant says the same, and this is said."""
    found = noticed("thm-4.3", "capacities of filled arms: over k <= L")
    assert found.result is Result.TRUE
    assert found.by == ("the same numbers on 7 instances, within the same assumptions",)


@pytest.mark.parametrize("claim", ["sharp-5.3b", "sharp-4.3"])
def test_every_structural_mutant_of_a_card_of_ours_turns_a_step(claim):
    card = find(claim)
    evidence = Evidence(THEORY, selftest_cases, card, THEORY.context(EFFORT))
    found = list(structure.structure_outcomes(THEORY, card, evidence))
    assert len(found) > 20
    assert all(o.caught and o.by[0].startswith("step sharp") for o in found)


def test_a_symbol_of_the_setting_that_is_wrong_is_noticed():
    assert [o.mutation for o in structure.changed_setting(THEORY) if not o.caught] == []


# -- weaker checks ---------------------------------------------------------------------------------


def test_every_weaker_check_of_a_proof_is_noticed():
    found = list(checks.check_outcomes(THEORY, "sharp-5.3b"))
    assert {o.mutation for o in found} >= {
        "sharp-5.3b-a: formula 1 dropped",
        "sharp-5.3b-c: half of the cases left out",
    }
    assert all(o.caught for o in found)


def test_a_dropped_formula_is_noticed_by_a_spoilt_constant_or_by_the_record():
    (step,) = (s for s in steps("sharp-5.1") if s.step == "sharp-5.1-d")
    first, second = checks.changes(step, THEORY)
    assert checks._noticed(step, THEORY, first, checks.stated_digest(step, THEORY)) == checks.RECORD
    with checks._weakened(first):
        weak = checks.stated_digest(step, THEORY)
    assert checks._noticed(step, THEORY, first, weak) is None  # a record that agrees sees nothing
    assert weak != checks.stated_digest(step, THEORY)
    assert second.words == "formula 2 dropped"


def test_strict_relations_and_regions_are_weakened():
    (step,) = (s for s in steps("sharp-7.1") if s.step == "sharp-7.1-p2")
    words = [change.words for change in checks.changes(step, THEORY)]
    assert words == [
        *("formula 1 dropped", "formula 1: < becomes <=", "formula 1: region halved"),
        "half of the cases left out",
    ]
    assert all(checks._noticed(step, THEORY, c, None) for c in checks.changes(step, THEORY))


def test_the_record_holds_what_steps_state_now():
    """`python -m boundcheck.selftest.checks boundcheck/shareable_arms/stated.json` renews it."""
    assert checks.written_down(THEORY) == selftest_cases.stated()


def test_a_changed_number_differs_from_the_reference():
    card = find("cor-G.2")
    for place in places(card):
        assert misprinted(reference()[0], place.with_number(card, place.number * 2)), place


# -- the command ----------------------------------------------------------------------------------


def outcome(result: Result) -> Outcome:
    return Outcome("kernel", "0.5 -> 1.5", result, ("by this",))


@pytest.mark.parametrize(
    ("result", "options", "code"),
    [
        (Result.CAUGHT, ["--strict"], 0),
        (Result.TRUE, ["--strict"], 0),
        (Result.UNDECIDED, [], 0),
        (Result.UNDECIDED, ["--strict"], 1),
        (Result.UNCAUGHT, [], 1),
    ],
)
def test_an_uncaught_mutant_fails_the_command(monkeypatch, result, options, code):
    monkeypatch.setattr(command, "all_mutants", lambda theory, progress: [outcome(result)])
    done = CliRunner().invoke(app, ["selftest", "--json", *options])
    assert done.exit_code == code
    found = json.loads(done.stdout)
    assert found["parameters"][str(result).replace(" ", "_")] == 1
    assert found["rows"][0]["result"] == str(result)


def test_the_slack_of_each_term_is_written_and_quoted(monkeypatch, tmp_path):
    one = Outcome("card", "49 -> 4.9", Result.CAUGHT, ("x",), "thm-5.3a", "explorations", 1.78)
    monkeypatch.setattr(command, "all_mutants", lambda theory, progress: [one])
    file = tmp_path / "slack.json"
    assert CliRunner().invoke(app, ["selftest", "-o", str(file)]).exit_code == 0
    assert json.loads(file.read_text()) == {"thm-5.3a": {"explorations": 1.78}}
    (row,) = bounds(Instance.load("paper"), Question(threshold=2), ["cor-7.2"])
    kept = {term["name"]: term["slack"] for term in row.to_json()["terms"]}
    assert kept == recorded_slacks()["cor-7.2"] | {"last arm": kept["last arm"]}


def test_recorded_slacks_are_of_terms_that_exist():
    for claim, terms in recorded_slacks().items():
        labels = {place.label for place in places(catalogue()[claim]) if place.factor}
        assert terms.keys() <= labels
        assert all(1 <= slack <= 10**6 for slack in terms.values())


def test_a_number_that_no_call_feels_is_idle_and_no_other() -> None:
    """KL(m, m + 1) has (b - a)^2 = 1, whatever the exponent; 4.1's other numbers matter."""
    card = find("sharp-4.1")
    idle = [place for place in places(card) if place.idle(card, place.number * 2)]
    assert [(place.exponent, place.function) for place in idle] == [(True, KL)]
