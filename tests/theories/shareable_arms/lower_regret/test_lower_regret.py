"""The regret lower bound 4.3, lemma C.3 and the exact constant, against the linear program."""

from __future__ import annotations

from fractions import Fraction

import pytest
from decisions import scaled, search, verify

from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Verdict
from boundcheck.theories.shareable_arms.exact.graves_lai import graves_lai
from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance

TEXTBOOK, PAPER = Instance.load("textbook"), Instance.load("paper")
PAPER_GAUSSIAN = Instance.load("paper-gaussian")
# satisfies everything 4.3 assumes, and its published constant is 1.6 times the exact one
ABOVE_EXACT = Instance(["3.8", "0.8", "0.6"], [2, 1, 1], 2, Gaussian("0.01"), "above-exact")
TINY = Effort("tiny", trials=100, runs=40, horizon=2_000)


@pytest.mark.parametrize("statement", ["intended", "further:filled-arms"])
def test_4_3_exceeds_the_value_of_the_linear_program_in_a_small_instance(statement: str) -> None:
    found = search("thm-4.3", statement, examples=150)
    assert found.verdict is Verdict.REFUTED
    assert found.rests_on == ("sharp-4.3",)
    instance = found.case.instance
    assert instance.arms <= 6
    assert len(set(instance.means)) == instance.arms
    program = graves_lai(instance)
    assert float(found.compared.claimed) > program.high * (1 + 1e-6)
    low, high = (float(x) for x in found.evidence["actual"])
    assert low <= program.high
    assert program.low <= high


def test_4_3_on_instances_on_both_sides_of_the_exact_constant() -> None:
    assert verify(TEXTBOOK, "thm-4.3")["intended"].verdict is Verdict.HOLDS
    above = verify(ABOVE_EXACT, "thm-4.3")["intended"]
    assert above.verdict is Verdict.REFUTED
    assert "sharp-4.3" in above.rests_on
    outside = verify(PAPER, "thm-4.3")["intended"]
    assert not outside.applies
    assert {row["name"] for row in outside.evidence["failing"]} >= {"gaussian-rewards"}


def test_a_lower_bound_that_is_a_thousandth_holds_everywhere() -> None:
    assert verify(ABOVE_EXACT, scaled("thm-4.3", "0.001"))["intended"].verdict is Verdict.HOLDS


@pytest.mark.parametrize("factor", ["1.001", "0.999"])
def test_an_exact_constant_off_by_a_thousandth_is_refuted_by_the_program(factor: str) -> None:
    assert verify(TEXTBOOK, "sharp-4.3")["intended"].verdict is Verdict.HOLDS
    found = verify(TEXTBOOK, scaled("sharp-4.3", factor))["intended"]
    assert found.verdict is Verdict.REFUTED


def test_c_3_is_tight_so_a_thousandth_more_is_refuted() -> None:
    for instance in (TEXTBOOK, PAPER, PAPER.with_(reward=Beta(4))):
        assert verify(instance, "lem-C.3")["intended"].verdict is Verdict.HOLDS
        found = verify(instance, scaled("lem-C.3", "1.001"))["intended"]
        assert found.verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim", ["sharp-4.3", "lem-C.3"])
@pytest.mark.parametrize("factor", ["1.000000000001", "0.999999999999"])
def test_what_agrees_within_the_tolerance_is_not_refuted_by_rounding(
    claim: str, factor: str
) -> None:
    """1e-12 is far above the width of the program's enclosure, and below the tolerance."""
    found = verify(TEXTBOOK, scaled(claim, factor))["intended"]
    assert (found.verdict, found.evidence["tolerance"]) == (Verdict.HOLDS, 1e-9)
    low, high = (Fraction(end) for end in found.evidence["actual"])
    assert high - low < low / 10**13


@pytest.mark.parametrize("instance", [PAPER, PAPER_GAUSSIAN, Instance.load("5g-4g")])
def test_the_program_is_enclosed_with_every_arm(instance: Instance) -> None:
    found = verify(instance, "sharp-4.3")["intended"]
    assert found.verdict is Verdict.HOLDS
    assert found.evidence["method"] == "certified enclosure"
    assert "arms_left_out" not in found.evidence
    low, high = (Fraction(x) for x in found.evidence["actual"])
    assert low < high <= low * (1 + Fraction(1, 10**13))


def test_arms_are_left_out_of_the_program_only_where_there_are_too_many() -> None:
    many = Instance([Fraction(k, 100) for k in range(1, 56)], [1] * 55, 20)
    assert verify(many, "sharp-4.3")["intended"].evidence["arms_left_out"] == 5


def test_the_growth_of_regret_is_context_where_the_program_is_too_large() -> None:
    many = Instance([Fraction(k, 100) for k in range(1, 37)], [1] * 36, 35)
    found = verify(many, "sharp-4.3", TINY)["intended"]
    assert found.verdict in (Verdict.SUPPORTED, Verdict.UNDECIDED)
    assert found.evidence["method"] == "growth seen so far"


@pytest.mark.parametrize(
    "instance",
    [
        Instance([1, 1, 0], [1, 1, 1], 1),
        Instance([1, "1/2", "-1/3"], [1, 2, 1], 2, Gaussian("1/4")),
        Instance([0, 0], [1, 1], 1),
        Instance(["0.5", "0.5000000000000000000000000000000000000001"], [1, 1], 1),
    ],
    ids=["ties", "negative mean", "nothing to earn", "gap 1e-40"],
)
def test_every_claim_has_a_verdict(instance: Instance) -> None:
    for claim in ("thm-4.3", "sharp-4.3", "lem-C.3", "rem-8.1"):
        assert verify(instance, claim, TINY)["intended"].verdict is not Verdict.REFUTED
