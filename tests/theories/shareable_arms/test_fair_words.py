"""What is said of single results of the paper: no more than what was shown, and by name."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import sympy
from decisions import search
from paper import decided as entry
from paper import whole_ledger
from sympy import Rational

from boundcheck import bounds
from boundcheck.cli import main
from boundcheck.judging.finding import Finding, Severity, Verdict
from boundcheck.judging.severity import ProofState, Standing, standings
from boundcheck.pages.audit import Audit, write_page
from boundcheck.proof_steps.ledger import Entry
from boundcheck.proof_steps.step import Part, Proof, StepRepair
from boundcheck.theories import default
from boundcheck.theories.shareable_arms.exact.gaussian import normal_divergence
from boundcheck.theories.shareable_arms.pages.explained import EXPLAINED
from boundcheck.theories.shareable_arms.pages.paper import RIVALS, told
from simulation.rewards.laws import Gaussian
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

FALSE = Part("exact number", Verdict.REFUTED, "x = 1")


@cache
def standing(claim: str) -> Standing:
    """By its proof alone."""
    return next(s for s in standings(default(), [], whole_ledger()) if s.card.id == claim)


def names(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.step.step for entry in entries]


# -- repairs by what is decided elsewhere -------------------------------------------------------


def repaired_by(*decided: str) -> Entry:
    proof = Proof("lem-5.1")

    def wrong():  # type: ignore[no-untyped-def]
        """1 = 2."""
        yield FALSE

    proof.step("z", "here", repair=StepRepair("See there", stands_in=decided))(wrong)
    (step,) = proof
    return entry(step)


def test_a_step_is_repaired_by_a_step_only_if_that_one_holds() -> None:
    assert repaired_by("sharp-4.1-d").repaired is True
    assert repaired_by("sharp-4.1-d", "E.5-d").repaired is None  # some cases of many
    assert repaired_by("7.1-a").repaired is None  # refuted
    with pytest.raises(ValueError, match="no-such-step, which is no step of the ledger"):
        _ = repaired_by("no-such-step").repaired


def test_a_claim_whose_only_failing_step_is_decided_elsewhere_is_repaired_by_that() -> None:
    found = Standing(default().find("lem-5.1"), (), (repaired_by("sharp-4.1-d"),))
    assert (found.proof, found.repaired_by) == (ProofState.REPAIRED, ("sharp-4.1-d",))
    other = Standing(default().find("lem-5.1"), (), (repaired_by("7.1-a"),))
    assert (other.proof, other.repaired_by) == (ProofState.FAILS, ())


def test_remark_4_2_fails_in_its_use_for_arm_l_alone() -> None:
    found = standing("rem-4.2")
    assert names(found.unrepaired) == ["4.2-d"]
    assert "sharp-4.1-d" in found.repaired_by


def test_lemma_e_5_stands_by_the_count_of_section_5_and_falls_short_by_one_otherwise() -> None:
    found = standing("lem-E.5")
    assert (found.proof, found.unrepaired) == (ProofState.STANDS, ())
    (step,) = (entry.step for entry in found.steps if entry.step.step == "E.5-d")
    assert step.check(itself=0).verdict is Verdict.REFUTED  # slot t left out of tau


def test_corollary_7_2_rests_on_a_proof_that_fails() -> None:
    found = standing("cor-7.2")
    assert found.unrepaired == ()  # the slip of the appendix is repaired by 7.2-a
    assert sorted(names(found.inherited)) == ["7.1-a", "7.1-i"]
    assert found.proof is ProofState.FAILS
    alone = replace(found, cited=())
    assert alone.proof is ProofState.REPAIRED


# -- assumptions added ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "printed", "added", "steps"),
    [
        ("thm-7.1", 4, 3, 9),
        ("thm-G.3", 14, 13, 42),
        ("thm-G.5", 4, 4, 10),
        ("thm-H.1", 5, 3, 18),
        ("lem-5.1", 4, 3, 14),
        ("lem-J.1", 3, 2, 7),
    ],
)
def test_steps_that_fail_with_the_silent_assumptions_added(
    claim: str, printed: int, added: int, steps: int
) -> None:
    found = standing(claim)
    assert len(found.steps) == steps
    assert sum(entry.refuted for entry in found.steps) == printed
    assert len(found.failing_when_added) == added
    bare = replace(found, card=replace(found.card, implicit=()))
    assert len(bare.failing_when_added) == printed
    assert not found.true_when_added


def test_true_is_said_only_of_what_is_proved_with_what_it_cites() -> None:
    assert standing("sharp-7.1").true_when_added
    cited = standing("lem-E.6")  # its own steps hold, but it cites thm-5.3a
    assert all(entry.verdict is Verdict.HOLDS for entry in cited.steps)
    assert not cited.true_when_added
    assert replace(cited, cited=()).true_when_added


def test_a_severity_has_a_phrase() -> None:
    assert {str(s): s.phrase for s in Severity} == {
        "substance": "false",
        "constant": "true with another constant",
        "scope": "false without an added assumption",
        "pseudo-code": "only the literal algorithm fails",
        "wording": "false only as printed",
        "proof": "the proof has a gap",
    }
    assert "true" not in Severity.SCOPE.meaning


# -- G.2 -----------------------------------------------------------------------------------------


def test_corollary_g_2_is_judged_by_what_it_prints() -> None:
    found = search("cor-G.2")
    assert found.verdict is Verdict.REFUTED
    # 342 (1/0.4 + ...) + 49 (0.9^2 4/0.81 + 2.2^2/0.25), with w_k^2
    assert "2,854" in found.explanation


# -- the audit and its pages ---------------------------------------------------------------------


def open_finding(claim: str) -> Finding:
    return Finding(claim, "in words", Verdict.UNDECIDED, explanation="not looked at here")


@cache
def audited() -> Audit:
    """What searches against the claims that are false in substance come to, beside all proofs."""
    found = [search(claim) for claim in ("thm-4.3", "thm-G.1", "cor-G.2", "thm-7.1")]
    found.append(search("thm-7.1", "charitable"))
    found += [open_finding(claim) for claim in ("cor-7.2", "lem-E.5")]
    return Audit(tuple(standings(default(), found, whole_ledger())), "quick", 0, default())


def test_numbered_results_are_counted_whatever_number_of_cards_they_have() -> None:
    assert audited().numbered == (
        "26 numbered results of the paper, judged as 28 claims: Theorem 4.1 (2 parts), "
        "Theorem 5.3 (2 parts)"
    )


def test_two_ideas_fail_in_substance_not_three() -> None:
    assert audited().ideas == (
        "3 claims are false, for 2 reasons: cor-G.2 has the defect of thm-G.1."
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The audit with its pages, and two policies played for its last table."""
    out = tmp_path_factory.mktemp("audit")
    played = replicate(Instance.load("textbook"), RIVALS, 200, 2, 0)
    looked_at = tuple(standing for standing in audited().standings if standing.findings)
    write_page(replace(audited(), standings=looked_at, played=(played,)), out)
    return out


def test_the_audit_says_what_was_shown_of_a_claim_that_lacks_an_assumption(pages: Path) -> None:
    text = (pages / "audit.md").read_text(encoding="utf-8").partition("## All claims")[0]
    (line,) = re.findall(r"^- \*\*false without an added assumption\*\* \[thm-7.1\].*$", text, re.M)
    assert "Nothing refutes it once it is assumed that" in line
    assert "every mean lies in [0, 1]" in line
    assert line.endswith("3 of 9 steps of its proof fail even then")
    (line,) = re.findall(r"^- \*\*the proof has a gap\*\* \[cor-7.2\].*$", text, re.M)
    assert "its proof rests on that of thm-7.1, which fails in steps 7.1-i, 7.1-a" in line
    assert "[lem-E.5](claims" not in text
    assert "nothing decided stands" not in (pages / "claims" / "lem-E.5.md").read_text()


def test_the_table_of_likelihood_says_that_it_is_told_the_law(pages: Path) -> None:
    _, beyond = (pages / "audit.md").read_text(encoding="utf-8").split("## Beyond the paper")
    assert "`likelihood` is told the law of the rewards but for the means" in beyond
    assert "`orch-explore` is told the horizon" in beyond
    assert "told nothing" in told(replace(default(), policies={"likelihood": TOLD_NOTHING}))


TOLD_NOTHING = replace(default().policy("likelihood"), told="")


def values(rows: str) -> list[str]:
    """The last cells of a table."""
    return [line.split("|")[-2].strip() for line in rows.splitlines() if line.startswith("| ")][1:]


def test_theorem_4_3_is_worked_out_term_by_term(pages: Path) -> None:
    text = (pages / "claims" / "thm-4.3.md").read_text(encoding="utf-8")
    _, published = text.split("Published, term by term:")
    published, exact = published.split("The true number is that of `sharp-4.3`")
    assert values(published) == ["0.2", "0.1", "0", "0.1", "0.4"]
    assert values(exact.partition("Computed again")[0]) == ["0.2", "0.1", "0", "0.3"]
    shown = text.split("Each assumption on it:")[1].split("Published")[0]
    for assumption in default().find("thm-4.3").stated:
        assert assumption.name in shown
    assert "| 10 >= 1.386 | yes" in shown
    assert "It survives a common variance that is unknown" in text
    assert "Step sharp-4.3-3b of the ledger, **holds**" in text


def test_what_is_said_of_theorem_4_3_is_so() -> None:
    halved = Instance([1, "0.5", 0], [2, 1, 1], 2, Gaussian(Fraction(1, 40)))
    published, exact = (b.value for b in bounds(halved, claims=["thm-4.3", "sharp-4.3"]))
    assert (float(published), float(exact)) == (0.2, 0.15)
    apart = normal_divergence(
        (2, sympy.sqrt(Rational(1, 10))), (4, 2 * sympy.sqrt(Rational(1, 10)))
    )
    assert round(float(apart), 3) == 5.318


def test_the_commands_of_a_page_compute_its_numbers_again(
    pages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (pages / "claims" / "thm-4.3.md").read_text(encoding="utf-8")
    first, second, third = re.findall(r"^    boundcheck (.*)$", text, re.M)
    monkeypatch.chdir(pages)
    rows = {}
    for command in (first, second):
        with pytest.raises(SystemExit) as left:
            main([*command.split(), "--json"])
        assert left.value.code == 0
        rows[command] = json.loads(capsys.readouterr().out)["rows"]
    assert [float(row["value"]) for row in rows[first]] == [0.4, 0.3]
    assert all(row["holds"] for row in rows[second])
    assert third == "falsify thm-4.3"


def test_an_explanation_is_said_of_its_own_instance_alone() -> None:
    arms = Instance([2, 1, 0], [2, 1, 1], 2, Gaussian(Fraction(1, 10)))
    words = EXPLAINED["thm-4.3"]
    assert words.about(arms.with_(name="whatever it is called"))
    assert not words.about(arms.with_(means=[3, 1, 0]))
