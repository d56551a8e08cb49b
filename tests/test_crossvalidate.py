"""The frame of cross-validation: no silence, no verdict without evidence, one error budget."""

from __future__ import annotations

import json

import pytest

from boundcheck.checks import registered
from boundcheck.checks.samples import minimax_error, simulated_errors
from boundcheck.claims import catalogue
from boundcheck.cli import main
from boundcheck.crossvalidate import Run, crossvalidate
from boundcheck.evidence import Budget, Verdict
from boundcheck.lab import EFFORTS
from boundcheck.shareable_arms import THEORY
from simulation import Gaussian, InputError, Instance

TEXTBOOK = Instance.load("textbook")
EXPLORATIONS = ["thm-4.1a", "thm-4.1b", "rem-4.2", "sharp-4.1", "sharp-4.1-test"]


def run_on(instance: Instance) -> Run:
    return Run(instance, EFFORTS["quick"], Budget(1e-6))


def test_every_claim_has_a_check():
    assert {*registered(), *THEORY.modules} == set(catalogue())


def test_without_their_checks_all_claims_are_inconclusive():
    found = crossvalidate(TEXTBOOK, "quick", checks={})
    assert [f.claim for f in found.findings] == list(catalogue())
    assert {f.verdict for f in found.findings} == {Verdict.INCONCLUSIVE}
    assert all(f.explanation for f in found.findings)


def test_a_check_that_finds_nothing_is_not_taken_for_a_success():
    found = crossvalidate(
        TEXTBOOK, "quick", claims=["thm-4.1a"], checks={"thm-4.1a": lambda card, run: iter(())}
    )
    assert [f.verdict for f in found.findings] == [Verdict.INCONCLUSIVE]


def test_exploration_bounds_on_the_textbook_instance():
    found = crossvalidate(TEXTBOOK, "quick", claims=EXPLORATIONS)
    verdict = {(f.claim, f.reading): f.verdict for f in found.findings}
    assert verdict["thm-4.1a", catalogue()["thm-4.1a"].reading] is Verdict.HOLDS
    literal = "as displayed: P(estimate != m_k) >= delta for the one true capacity"
    assert verdict["thm-4.1a", literal] is Verdict.REFUTED
    second = "second half: validating arm L's capacity needs loads that cost regret"
    assert verdict["rem-4.2", second] is Verdict.REFUTED
    assert {v for (claim, _), v in verdict.items() if claim == "sharp-4.1"} == {Verdict.HOLDS}
    # false alarm: each count is tested at its share of 1e-6
    assert {v for (claim, _), v in verdict.items() if claim == "sharp-4.1-test"} == {
        Verdict.CONSISTENT
    }
    assert found.budget.spent <= 1e-6


def test_an_exploration_bound_ten_times_too_large_is_refuted(monkeypatch):
    """sharp-4.1 is within a factor of about 2.5 of the truth: ten times it must be false."""
    from dataclasses import replace

    cards = catalogue()
    card = cards["sharp-4.1"]
    wrong = tuple(
        replace(q, terms=tuple(replace(t, expression=10 * t.expression) for t in q.terms))
        for q in card.quantities
    )
    monkeypatch.setitem(cards, card.id, replace(card, quantities=wrong))
    (finding,) = crossvalidate(TEXTBOOK, "quick", claims=["sharp-4.1"]).findings
    assert finding.verdict is Verdict.REFUTED
    case = finding.evidence["counterexample"]
    assert float(case["error_upper"]) < float(case["delta"])


def test_no_simulated_estimator_beats_the_exact_error():
    """False alarm below 1e-9: six standard errors of a count of 20,000."""
    run = run_on(TEXTBOOK)
    exact = float(minimax_error(run, 5, (1, 2), 1))
    wrong = simulated_errors(run, 5, (1, 2), 1, 20_000)
    slack = 6 * (exact * (1 - exact) / 20_000) ** 0.5
    assert all(max(hits) / 20_000 > exact - slack for hits in wrong.values())
    assert max(wrong["likelihood ratio"]) / 20_000 < exact + slack


def test_claims_for_gaussian_rewards_do_not_apply_to_others():
    found = crossvalidate(Instance.load("paper"), "quick", claims=["thm-4.1a", "sharp-4.1"])
    assert {f.verdict for f in found.findings} == {Verdict.NOT_APPLICABLE}
    assert found.findings[0].evidence["unmet"][0]["name"] == "gaussian-rewards"


def test_the_same_seed_gives_the_same_findings():
    instance = Instance([1, "0.4", "0.3"], [1, 1, 1], 2, Gaussian("0.1"))
    first, second = (
        crossvalidate(instance, "quick", claims=["sharp-4.1-test"], seed=3) for _ in range(2)
    )
    assert first.to_json_rows() == second.to_json_rows()


def test_an_unknown_effort_is_one_line():
    with pytest.raises(InputError, match="one of quick, standard, thorough"):
        crossvalidate(TEXTBOOK, "enormous")


def test_the_verify_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main(
            ["verify", "textbook", "--effort", "quick", "--claim", "rem-4.2", "--json", "--strict"]
        )
    assert stop.value.code == 1  # its second half is refuted
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "verify"
    row = document["rows"][0]
    assert set(row) >= {"claim", "reading", "verdict", "evidence", "explanation"}
    assert row["verdict"] in {str(v) for v in Verdict}
