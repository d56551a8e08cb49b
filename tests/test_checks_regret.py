"""Checks of regret bounds: true ones stand, planted mistakes are seen, assumptions are named."""

from __future__ import annotations

import numpy as np
import pytest
from boundcheck.checks.growth import mp_se_sa, orch_explore
from boundcheck.checks.regret import (
    ladder,
    near_tie,
    one_arm_too_many,
    shared_arms,
    unit_capacities,
    upper_bound,
)
from small_runs import TEXTBOOK, found, scaled_bounds, small_run

from boundcheck.calculator import bounds
from boundcheck.checks import registered
from boundcheck.claims import find
from boundcheck.crossvalidate import crossvalidate
from boundcheck.evidence import Verdict
from boundcheck.lab import EFFORTS, Effort
from boundcheck.question import Question
from simulation.instance import Instance

CLAIMS = ("thm-7.1", "sharp-7.1", "thm-G.1", "thm-G.5", "thm-H.1")
UNIT = Instance(["0.9", "0.5", "0.2"], [1, 1, 1], 2, name="unit")


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_true_bound_is_not_refuted(claim: str) -> None:
    findings = found(upper_bound, claim, small_run(TEXTBOOK))
    assert {f.verdict for f in findings} <= {
        Verdict.CONSISTENT,
        Verdict.VACUOUS,
        Verdict.NOT_APPLICABLE,
    }
    for finding in findings:
        fields = {"T", "bound", "simulated", "standard_error", "ratio"}
        assert fields <= finding.evidence.keys()
        assert finding.evidence["ratio"] > 1


def test_a_bound_divided_by_a_thousand_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run(TEXTBOOK)
    (true,) = found(upper_bound, "thm-G.5", run)
    assert true.verdict is Verdict.CONSISTENT
    assert true.evidence["detectable"] > true.evidence["bound"]
    scaled_bounds(monkeypatch, 1e-3)
    run = small_run(TEXTBOOK)
    (false,) = found(upper_bound, "thm-G.5", run)
    assert false.verdict is Verdict.REFUTED
    assert false.evidence["log10_e_value_max"] >= -np.log10(false.evidence["level"])
    (entry,) = run.budget.entries
    assert (entry.check, entry.verdict) == ("thm-G.5 as stated", Verdict.REFUTED)


def test_a_failing_assumption_is_named_with_its_margin_and_the_bound_checked_without_it() -> None:
    stated, without = found(upper_bound, "thm-7.1", small_run(TEXTBOOK))
    assert stated.verdict is Verdict.NOT_APPLICABLE
    assert {row["name"] for row in stated.evidence["unmet"]} == {"horizon"}
    assert all(float(row["margin"]) < 0 for row in stated.evidence["unmet"])
    assert without.reading.endswith("without its assumption: horizon")
    assert without.verdict is Verdict.VACUOUS
    assert without.evidence["bound"] >= without.evidence["trivial_bound"]


def test_a_vacuous_bound_spends_none_of_the_budget() -> None:
    run = small_run(TEXTBOOK)
    found(upper_bound, "thm-7.1", run)
    assert run.budget.entries == ()


def test_a_bound_that_is_no_number_is_not_applicable_and_nothing_else() -> None:
    equal = Instance(["0.9", "0.5", "0.5"], [1, 1, 1], 1, name="equal")
    (finding,) = found(upper_bound, "thm-7.1", small_run(equal, Effort("", 10, 4, 1_000)))
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert "distinct-means" in {row["name"] for row in finding.evidence["unmet"]}


def test_terms_and_phases_add_up_to_the_bound_and_the_regret() -> None:
    _, finding = found(upper_bound, "thm-7.1", small_run(TEXTBOOK))
    phases = finding.evidence["phases"]
    assert sum(row["claimed"] for row in phases) == pytest.approx(finding.evidence["bound"])
    assert sum(row["simulated"] for row in phases) == pytest.approx(finding.evidence["simulated"])


def test_every_horizon_has_runs_of_its_own() -> None:
    run = small_run(TEXTBOOK)
    assert ladder(run) == [1_000, 2_000]
    (finding,) = found(upper_bound, "thm-G.5", run)
    rows = finding.evidence["horizons"]
    assert [row["T"] for row in rows] == [1_000, 2_000, 20_000]
    short = run.simulated("se-kc", horizon=1_000)
    assert rows[0]["simulated"] == pytest.approx(short.total[:, -1].mean())


def test_wasted_plays_refute_mp_se_and_used_ones_do_not() -> None:
    instance = one_arm_too_many("literal").instance
    assert instance.arms == instance.plays + 1
    stated, used, wasted = found(unit_capacities, "thm-G.3", small_run(TEXTBOOK))
    assert stated.verdict is Verdict.NOT_APPLICABLE
    assert "unit-capacities" in {row["name"] for row in stated.evidence["unmet"]}
    assert used.verdict is Verdict.CONSISTENT
    assert wasted.verdict is Verdict.REFUTED
    assert wasted.reading.startswith("literal")
    assert wasted.evidence["simulated"] > 2 * wasted.evidence["bound"]


def test_a_near_tie_of_two_arms_that_the_bound_of_mp_se_sa_forgets_refutes_it() -> None:
    trial = near_tie()
    (bound,) = bounds(trial.instance, Question(horizon=trial.horizon), ["thm-G.1"])
    assert bound.applies
    assert not bound.vacuous
    finding = found(shared_arms, "thm-G.1", small_run(TEXTBOOK))[-1]
    assert finding.verdict is Verdict.REFUTED
    assert finding.evidence["simulated"] > 3 * finding.evidence["bound"]
    # with the two arms far apart the same bound stands
    apart = trial.instance.with_(means=["0.9", "0.5", "0.1"])
    stated = found(shared_arms, "thm-G.1", small_run(apart, Effort("", 10, 20, 10_000)))[0]
    assert stated.verdict is Verdict.CONSISTENT


def test_mp_se_is_checked_on_an_instance_of_unit_capacities() -> None:
    run = small_run(UNIT, Effort("", 10, 20, 1_000))
    stated = next(iter(unit_capacities(find("thm-G.3"), run)))
    assert stated.verdict in (Verdict.CONSISTENT, Verdict.VACUOUS)
    assert stated.evidence["policy"] == "mp-se"


# -- asymptotic statements and lower bounds --------------------------------------------------


@pytest.mark.parametrize(("check", "claim"), [(orch_explore, "cor-7.2"), (mp_se_sa, "cor-G.2")])
def test_a_limit_is_consistent_at_best(
    check: object, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = found(check, claim, small_run(TEXTBOOK))[0]  # type: ignore[arg-type]
    assert finding.verdict is Verdict.CONSISTENT
    assert finding.evidence["mean"] < finding.evidence["detectable"]
    within = finding.evidence["growth"]["within_runs"]
    assert within["slope"] >= within["sure_lower"] >= 0
    scaled_bounds(monkeypatch, 1e-6)
    finding = found(check, claim, small_run(TEXTBOOK))[0]  # type: ignore[arg-type]
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "longer" in finding.explanation


def test_slope_between_horizons_is_the_difference_of_mean_regrets() -> None:
    run = small_run(TEXTBOOK)
    growth = found(orch_explore, "cor-7.2", run)[0].evidence["growth"]["between_horizons"]
    short, long = (run.simulated("orch-explore", horizon=T).mean[-1] for T in (1_000, 2_000))
    assert growth["slope"] == pytest.approx((long - short) / np.log(2))


def test_first_terms_of_upper_and_lower_bound_are_one_expression() -> None:
    finding = found(orch_explore, "cor-7.2", small_run(TEXTBOOK))[1]
    assert finding.verdict is Verdict.HOLDS
    assert finding.evidence["difference"] == "0"


# -- in the frame ------------------------------------------------------------------------


def test_every_regret_claim_has_a_verdict_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFORTS, "quick", Effort("quick", trials=1_000, runs=10, horizon=1_000))
    claims = [
        "thm-7.1",
        "sharp-7.1",
        "thm-G.5",
        "thm-H.1",
        "cor-7.2",
        "cor-G.2",
    ]
    assert set(claims) <= registered().keys()
    table = crossvalidate(TEXTBOOK, "quick", claims=claims, jobs=1)
    assert {finding.claim for finding in table.findings} == set(claims)
    assert not table.refuted
    assert table.budget.spent <= 1e-6
    assert all(entry.verdict is not None for entry in table.budget.entries)
