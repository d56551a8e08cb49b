"""What is said of single results of the paper: no more than what was shown, and by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from decisions import search

from boundcheck.collected import ProofState, Standing, collected
from boundcheck.finding import Severity, Verdict
from boundcheck.proofs import Entry, ledger
from boundcheck.proofs.step import Part, Proof, Repair
from boundcheck.theory import default

FALSE = Part("exact number", Verdict.REFUTED, "x = 1")


@cache
def standing(claim: str) -> Standing:
    """By its proof alone."""
    theory, every = default(), ledger()
    return next(s for s in collected(theory, [], every) if s.card.id == claim)


def names(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.step.step for entry in entries]


# -- repairs by what is decided elsewhere -------------------------------------------------------


def repaired_by(*decided: str) -> Entry:
    proof = Proof("lem-5.1")

    def wrong():  # type: ignore[no-untyped-def]
        """1 = 2."""
        yield FALSE

    proof.step("z", "here", repair=Repair("See there", stands_in=decided))(wrong)
    (step,) = proof
    return step.entry()


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
