"""The last steps of our proofs read the card: whatever is changed in it turns a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import pytest
import sympy
from flint import arb
from paper import steps

from boundcheck import find, ledger
from boundcheck.calculator.setting import Values
from boundcheck.claims.card import EVERY_ARM, Assumption, Claim, Range, Term
from boundcheck.claims.functions import kl
from boundcheck.language.names import WORSE, ArmSum
from boundcheck.proof_steps.derivation import is_assumed, is_expression, is_term, is_whole
from boundcheck.proof_steps.step import Step
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.exact import learning
from boundcheck.theories.shareable_arms.exact.law_free_scale import ScaleSlots
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots
from boundcheck.theories.shareable_arms.law_free import functions as free
from boundcheck.theories.shareable_arms.proofs import sharp_7_1_pairs
from boundcheck.theory import Theory

OURS = [claim for claim in THEORY.proofs if THEORY.cards[claim].ours]
x, y = sympy.symbols("x y", positive=True)


def turned(theory: Theory, claim: str) -> list[str]:
    return [e.step.step for e in ledger(claim, theory=theory) if e.step.reads_card and e.refuted]


def step_of(name: str) -> Step:
    return next(step for step in steps() if step.step == name)


def with_terms(card: Claim, **expressions: sympy.Expr) -> Theory:
    """The theory with some terms of the first quantity of a card changed."""
    (first, *others) = card.quantities
    terms = tuple(
        replace(t, expression=expressions.get(t.name.replace(" ", "_"), t.expression))
        for t in first.terms
    )
    assert terms != first.terms
    return THEORY.with_card(replace(card, quantities=(replace(first, terms=terms), *others)))


# -- law-free -------------------------------------------------------------------------------------

GAP, MISSED = s.mu_L - s.mu, s.m * (s.mu - s.mu_L)
WRONG_TERMS = {
    "good arms stuck without bad ones in their place": (
        "9e",
        {"good_arm_stuck_below_its_mean": MISSED},
    ),
    "bad arms tried at half the price": (
        "8c",
        {"worse_arms_tried": GAP / 2 * free.tried_alone(*free.WORLD)},
    ),
    "better arms that miss one play": (
        "8b",
        {"better_arms_short_of_plays": MISSED / s.m * free.short(*free.WORLD)},
    ),
}


@pytest.mark.parametrize(("label", "wrong"), WRONG_TERMS.values(), ids=WRONG_TERMS)
def test_a_term_of_law_free_that_no_step_makes_is_refuted(
    label: str, wrong: dict[str, sympy.Expr]
) -> None:
    other = with_terms(find("sharp-law-free"), **wrong)
    found = step_of(f"law-free-{label}").check(other)
    assert found.verdict == "refuted"
    assert step_of(f"law-free-{label}").check(THEORY).verdict == "holds"


def test_law_free_needs_its_conditions_on_means() -> None:
    card = find("sharp-law-free")
    last = step_of("law-free-9h")
    for dropped in ("last-mean-above-others", "last-mean-below-filled", "positive-last-mean"):
        kept = tuple(a for a in card.assumptions if a.name != dropped)
        assert len(kept) == len(card.assumptions) - 1
        found = last.check(THEORY.with_card(replace(card, assumptions=kept)))
        assert (found.verdict, found.region) == ("refuted", f"assumption = {dropped}")


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("5g", "still"),
        ("6d", "outside"),
        ("7b", "own_lost"),
        ("7d", "late"),
        ("8b", "short_of"),
        ("8c", "tried_alone"),
        ("9b", "direct"),
        ("9c", "worse_loads"),
        ("9f", "climbing_lost"),
    ],
)
def test_what_the_calculator_counts_for_law_free_is_looked_at(
    label: str, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = getattr(Slots, number)
    monkeypatch.setattr(Slots, number, lambda *given: counted(*given) * 99 / 100)
    assert step_of(f"law-free-{label}").check(THEORY).verdict == "refuted"


@pytest.mark.parametrize(
    ("label", "term", "wrong"),
    [
        ("7a", "capacity_of_a_good_arm_taken_for_a_smaller_one", s.m - 1),
        ("7b", "good_arm_stuck_below_its_mean", MISSED),
        ("5e", "worse_arms_tried", GAP / 2 * free.tried_alone(*free.SCALE_WORLD)),
        ("6c", "larger_loads_tried,_worse_arms", free.moved_worse(*free.WORLD)),
        ("2b", "capacity_taken_for_a_larger_one", 4 * sympy.log(1 + s.T / 4) * s.largest_regret),
    ],
)
def test_a_term_of_the_scale_bound_that_no_step_makes_is_refuted(
    label: str, term: str, wrong: sympy.Expr
) -> None:
    other = with_terms(find("sharp-law-free-scale"), **{term: wrong})
    step = step_of(f"law-free-scale-{label}")
    assert (step.check(other).verdict, step.check(THEORY).verdict) == ("refuted", "holds")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        *(("3d", "tests"), ("4a", "outside"), ("5c", "late"), ("5e", "longest"), ("6b", "looks")),
        *(("6c", "loss_of"), ("6c", "erring"), ("7c", "climbing_lost")),
    ],
)
def test_what_the_calculator_counts_for_a_scale_is_looked_at(
    label: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = getattr(ScaleSlots, name)
    less: object = lambda *given: counted(*given) * 99 / 100  # noqa: E731
    if isinstance(counted, cached_property):
        less = property(lambda slots: counted.func(slots) * 99 / 100)
    monkeypatch.setattr(ScaleSlots, name, less)
    assert step_of(f"law-free-scale-{label}").check(THEORY).verdict == "refuted"


# -- sample sizes and OrchExplore ---------------------------------------------------------------


def test_4m_plus_2_is_not_what_the_steps_of_5_3a_come_to() -> None:
    smaller = fn.smallest_count(4 * s.m + 2, s.delta, s.mu)
    assert turned(with_terms(find("sharp-5.3a"), explorations=smaller), "sharp-5.3a") == [
        "sharp-5.3a-d"
    ]


@pytest.mark.parametrize("symbol", [s.wait, s.wait_L, s.wait_in, s.second, s.mu_less, s.c_J])
def test_what_the_setting_says_that_slots_lose_is_looked_at(symbol: sympy.Symbol) -> None:
    def more(values: Values) -> Values:
        found = THEORY.derive(values)
        return found | {symbol: found[symbol] * 101 / 100}

    found = step_of("sharp-7.1-d2").check(replace(THEORY, derive=more))
    assert found.verdict == "refuted"
    assert found.region.startswith(f"symbol = {symbol},")


@pytest.mark.parametrize(
    ("label", "wrong"),
    [
        ("p2", {"missing": lambda slot: [*range(slot.last + 1)]}),
        ("p3", {"moved": lambda slot: slot.loads}),
        ("q1", {"missing": lambda slot: []}),
        ("q4", {"left": lambda slot: 1}),
    ],
)
def test_what_is_said_of_slots_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, label: str, wrong: dict[str, Callable[..., object]]
) -> None:
    assert step_of(f"sharp-7.1-{label}").check(THEORY).verdict == "holds"
    for name, other in wrong.items():
        changed = other if name == "moved" else property(other)
        monkeypatch.setattr(sharp_7_1_pairs.IndividualSlot, name, changed)
    sharp_7_1_pairs.pairs.cache_clear()
    assert step_of(f"sharp-7.1-{label}").check(THEORY).verdict == "refuted"
    sharp_7_1_pairs.pairs.cache_clear()


def test_what_the_calculator_sums_for_a_capacity_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning._World, "short", lambda *given: arb(0))
    assert step_of("sharp-7.1-f4").check(THEORY).verdict == "refuted"


# -- every proof of ours --------------------------------------------------------------------------


@pytest.mark.parametrize("claim", OURS)
def test_the_last_step_of_every_proof_of_ours_reads_its_card(claim: str) -> None:
    last = list(steps(claim))[-1]
    assert last.reads_card
    card = THEORY.cards[claim]
    unknown = Assumption("never-used", "nothing", sympy.Gt(s.mu, 0, evaluate=False))
    more = replace(card, assumptions=(*card.assumptions, unknown))
    assert last.check(THEORY.with_card(more)).region == "assumption = never-used"
    for assumption in card.assumptions:
        kept = tuple(a for a in card.assumptions if a != assumption)
        fewer = THEORY.with_card(replace(card, assumptions=kept))
        assert last.check(fewer).verdict == "refuted", assumption.name


def test_an_assumption_that_no_step_names_is_refuted() -> None:
    card = find("sharp-4.1-test")
    every = list(steps(card.id))
    assert is_assumed(card, card.assumptions, every).verdict == "holds"
    nobody = [replace(step, premises=()) for step in every]
    assert is_assumed(card, card.assumptions, nobody).verdict == "refuted"
    wider = [a.on(Range("<", s.L)) for a in card.assumptions]
    assert is_assumed(card, wider, every).verdict == "refuted"


def test_arms_conditions_and_levels_are_those_of_the_card() -> None:
    card = find("sharp-7.1")
    (regret,) = card.quantities
    written = next(term for term in regret.terms if term.name == "united, overtaking")
    assert is_term(card, written).verdict == "holds"
    for other in (
        replace(written, over=Range("<", s.L)),
        replace(written, when=None),
        replace(written, name="united, nobody overtakes"),
        replace(written, expression=2 * written.expression),
    ):
        assert is_term(card, other).verdict == "refuted"
    assert is_whole(card, {"regret": regret}).verdict == "holds"
    turned_level = replace(regret.levels[0], low=regret.levels[0].high)
    for wrong in (
        replace(regret, terms=regret.terms[1:]),
        replace(regret, rows=Range(">", s.L)),
        replace(regret, levels=(turned_level, *regret.levels[1:])),
    ):
        assert is_whole(card, {"regret": wrong}).verdict == "refuted"
    assert is_whole(card, {}).verdict == "refuted"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((x + 1) ** 2 / x, x + 2 + 1 / x, "holds"),
        (sympy.log(2 * (x + 1)) / (2 * x + 2), sympy.log(2 * x + 2) / (x + 1) / 2, "holds"),
        (sympy.Max(x, y, evaluate=False), sympy.Max(y, x, evaluate=False), "holds"),
        (kl(x, y), kl(y, x), "refuted"),
        (ArmSum.of(x + x, EVERY_ARM), ArmSum.of(2 * x, EVERY_ARM), "holds"),
        (ArmSum.of(x, EVERY_ARM), ArmSum.of(x, WORSE), "refuted"),
        (fn.geometric(x), sympy.exp(-x) / (1 - sympy.exp(-x)), "holds"),
        (sympy.log(x), sympy.log(x) + sympy.Rational(1, 10**30), "refuted"),
    ],
)
def test_expressions_are_compared_as_functions(
    one: sympy.Expr, other: sympy.Expr, verdict: str
) -> None:
    assert is_expression(one, other).verdict == verdict


def test_a_step_that_reads_no_card_is_the_same_for_every_theory() -> None:
    step = step_of("sharp-7.1-a1")
    assert not step.reads_card
    assert step.check(replace(THEORY, cards={})) == step.check(THEORY)
    assert "theory" not in step_of("sharp-7.1-i1").constants


def test_a_term_that_the_card_does_not_have_is_told() -> None:
    found = is_term(find("sharp-4.3"), Term("last arm", s.mu_L))
    assert found.region == "the card has no term 'last arm'"
