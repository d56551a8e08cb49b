"""What cards may say beside regret: errors, samples until a policy stops, coverage at every n, what
a policy is told, one number for all instances. Each with a planted false claim that is caught.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, sqrt
from math import log as ln
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, exp, log
from sympy import sqrt as root

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Assumption, Claim, Kind, Quantity, Range, Term, Trivial
from boundcheck.judging.comparison import Relation
from boundcheck.judging.default_statements.all_times import UpTo, left_by, widths_up_to
from boundcheck.judging.default_statements.instances import spread_out
from boundcheck.judging.default_statements.one_mean import Rewards, deviation_enclosed
from boundcheck.judging.default_statements.regret import AtHorizon, batches, options_of
from boundcheck.judging.default_statements.stopping import Errors, UntilStopped, ended
from boundcheck.judging.effort import Effort
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Finding, Leaning, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.verification import verified
from boundcheck.theory import Theory, by_id
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

TINY = Effort("tiny", trials=4_000, runs=40, horizon=1_000, slots=4 * 10**6)
COINS = Instance(["0.6", "0.4"], [1, 1], 1)
NORMAL = Gaussian(Fraction(1))
PAIR = Instance(["0.5", "0"], [1, 1], 1, NORMAL)
BOUNDED = Assumption("rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]")
WORSE = Range(">", 1)


def card(kind: Kind, expression: Expr | int | None = None, **more: Any) -> Claim:
    numbers = ()
    if expression is not None:
        term = Term("number", expression + Integer(0))
        trivial = Trivial.REGRET if kind is Kind.UPPER_BOUND else Trivial.NONE
        numbers = (Quantity("number", "1", (term,), trivial=trivial),)
    words = {"title": "t", "source": "s", "statement": "s", "reading": "r", "checked_by": "c"}
    return Claim(id="claim", kind=kind, quantities=numbers, **words, **more)


def theory_of(claim: Claim, *instances: Instance, more: tuple[Claim, ...] = ()) -> Theory:
    return Theory("one card", by_id((claim, *more)), instances=lambda: st.sampled_from(instances))


def found(claim: Claim, instance: Instance, more: tuple[Claim, ...] = (), **asked: Any) -> Finding:
    theory = theory_of(claim, instance, more=more)
    question = Question(**{"horizon": TINY.horizon, "digits": 15, **asked})
    return next(iter(verified(theory, claim, instance, question, theory.context(TINY))))


# -- outcomes other than regret ------------------------------------------------------------------


def stopping(kind: Kind, expression: Expr | int, scale: str = "1") -> Claim:
    options = (("delta", s.delta), ("scale", Rational(scale)))
    return card(kind, expression, policy="gaussian-stop", options=options)


def test_a_stopping_rule_that_errs_too_often_is_refuted() -> None:
    close = Instance(["0.1", "0"], [1, 1], 1, NORMAL)
    wrong = found(stopping(Kind.ERROR, s.delta, "0.25"), close, delta="0.1")
    assert wrong.verdict is Verdict.REFUTED
    assert wrong.compared is not None
    assert float(wrong.compared.actual) > 0.3  # 0.1 is claimed
    right = found(stopping(Kind.ERROR, s.delta), PAIR, delta="0.1")
    assert right.verdict is Verdict.SUPPORTED
    assert right.evidence["censored"] == 0


def test_a_sample_complexity_that_is_forty_times_too_small_is_refuted() -> None:
    slots = 8 * log(1 / s.delta) / Rational(1, 4)  # about what it takes, for a gap of 1/2
    assert found(stopping(Kind.EXPECTED_STOPPING, slots / 40), PAIR).verdict is Verdict.REFUTED
    assert found(stopping(Kind.STOPPING, slots / 40), PAIR).verdict is Verdict.REFUTED
    late = found(stopping(Kind.STOPPING, 8 * slots), PAIR)
    assert late.verdict is Verdict.SUPPORTED
    large = found(stopping(Kind.EXPECTED_STOPPING, 8 * slots), PAIR)
    assert large.verdict is Verdict.UNDECIDED
    assert large.leans is Leaning.FOR
    assert "cut at the cap" in large.explanation
    least = found(stopping(Kind.LEAST_STOPPING, slots / 40), PAIR)
    assert least.verdict is Verdict.SUPPORTED
    most = found(stopping(Kind.LEAST_STOPPING, 40 * slots), PAIR)
    assert most.verdict is Verdict.UNDECIDED  # what comes after the cap goes unseen


def test_runs_that_do_not_stop_are_reported_and_never_support() -> None:
    close = Instance(["0", "0.05"], [1, 1], 1, NORMAL)
    claim = stopping(Kind.ERROR, s.delta)
    context = theory_of(claim, close).context(TINY)
    case = UntilStopped.at(close, 1_000)
    runs = ended(claim, case, context, 100)
    assert runs.censored.sum() > 20
    assert np.all(runs.slots[runs.censored] == 1_000)
    assert not np.any(runs.wrong & runs.censored)
    open_ = found(claim, close)
    assert open_.verdict is Verdict.UNDECIDED
    assert "did not stop" in open_.explanation
    few = Errors(0, 1, 4_000, {}).compare(Relation.AT_MOST, Fraction(1, 20), 1e-6)
    assert few.supported  # even if every censored run were an error
    assert not Errors(0, 1_000, 4_000, {}).compare(Relation.AT_MOST, Fraction(1, 20), 0.1).supported


# -- coverage ------------------------------------------------------------------------------------

HOEFFDING = root(log(2 / s.delta) / (2 * s.n))
MAURER = root(2 * s.sample_variance * log(2 / s.delta) / s.n) + 7 * log(2 / s.delta) / (
    3 * (s.n - 1)
)


def test_hoeffdings_width_at_all_times_is_refuted() -> None:
    claim = card(Kind.COVERAGE, formula=HOEFFDING, every_n=True)
    wrong = found(claim, Instance(["0.5", "0.5"], [1, 1], 1), delta="0.1")
    assert wrong.verdict is Verdict.REFUTED
    low, _ = wrong.evidence["actual"]
    assert 0.2 < float(low) < 0.3  # 0.1 is claimed
    (row,) = falsify(claim, examples=50, theory=theory_of(claim, COINS))
    assert row.found
    assert row.instance is not None
    union = root(log(4 * s.n**2 / s.delta) / (2 * s.n))  # sum of 1/(2 n^2) is below 1
    true = found(card(Kind.COVERAGE, formula=union, every_n=True), COINS)
    assert true.verdict is Verdict.HOLDS
    normal = root(2 * log(2 / s.delta) / s.n)
    assert found(card(Kind.COVERAGE, formula=normal, every_n=True), PAIR).verdict is Verdict.REFUTED


def test_paths_are_summed_as_all_of_them() -> None:
    """Beside every sequence of ten coins."""
    claim = card(Kind.COVERAGE, formula=HOEFFDING, every_n=True)
    case = UpTo.at(COINS, Fraction(1, 2), 1, 10)
    width = widths_up_to(claim, case, theory_of(claim, COINS))
    assert width == pytest.approx([sqrt(ln(4) / (2 * n)) for n in range(1, 11)])
    for side in ("both", "above", "below"):
        total = 0.0
        for coins in product((0, 1), repeat=10):
            away = np.cumsum(coins) / np.arange(1, 11) - 0.6
            away = {"both": np.abs(away), "above": away, "below": -away}[side]
            total += 0.6 ** sum(coins) * 0.4 ** (10 - sum(coins)) * bool(np.any(away > width))
        low, high = left_by(Fraction(3, 5), width, side)
        assert low <= total <= high
        assert high - low < 1e-12


def test_one_sided_widths_and_widths_of_the_sample() -> None:
    one_sided = root(log(1 / s.delta) / (2 * s.n))
    for side in ("below", "above"):
        claim = card(Kind.COVERAGE, formula=one_sided, side=side)
        assert found(claim, COINS).verdict is Verdict.HOLDS
        planted = replace(claim, formula=root(log(1 / (3 * s.delta)) / (2 * s.n)))
        assert found(planted, COINS, delta="0.3").verdict is Verdict.REFUTED
    claim = card(Kind.COVERAGE, formula=MAURER, side="below")
    assert found(claim, COINS).verdict in (
        Verdict.HOLDS,
        Verdict.UNDECIDED,
    )  # n = 1 has no variance
    small = Instance(["0.02", "0.01"], [1, 1], 1)
    narrow = root(2 * s.sample_variance * log(2 / s.delta) / s.n)  # without its second term
    planted = card(Kind.COVERAGE, formula=narrow, side="below")
    assert found(planted, small).verdict is Verdict.REFUTED


@pytest.mark.parametrize("count", [5, 12, 30, 80])
def test_the_chance_of_a_width_of_the_sample_is_that_of_a_sum(count: int) -> None:
    width = root(s.sample_variance * log(2 / s.delta) / s.n)
    claim = card(Kind.COVERAGE, formula=width, side="below")
    case = Rewards.of(COINS, Fraction(1, 2), 1, count)
    with precision(128):
        measured = deviation_enclosed(claim, case, theory_of(claim, COINS).context(TINY))
    total = 0.0
    for k in range(count + 1):
        variance = k * (count - k) / (count * (count - 1))
        away = 0.6 - k / count - sqrt(variance * ln(4) / count)
        total += comb(count, k) * 0.6**k * 0.4 ** (count - k) * (away > 0)
    assert float(measured.lower) == pytest.approx(total)  # type: ignore[union-attr]
    assert total > 0


@pytest.mark.parametrize(("factor", "chance"), [("0.49", 1.0), ("0.51", 0.25)])
def test_a_variance_is_divided_by_one_less_than_the_rewards(factor: str, chance: float) -> None:
    """Three fair coins, one or two of them heads: the variance is 1/3, the deviation 1/6."""
    fair = Instance(["0.5", "0.5"], [1, 1], 1)
    claim = card(Kind.COVERAGE, formula=Rational(factor) * s.sample_variance)
    case = Rewards.of(fair, Fraction(1, 2), 1, 3)
    with precision(128):
        found = deviation_enclosed(claim, case, theory_of(claim, fair).context(TINY))
    assert float(found.upper) == pytest.approx(chance)  # type: ignore[union-attr]


# -- what a policy is told -----------------------------------------------------------------------


def etc(divisor: str) -> Claim:
    """Explore-then-commit with m plays each: m is the n of the card."""
    rest = s.T - s.n * s.K
    terms = (
        Term("exploring", s.n * s.gap, WORSE),
        Term("wrong", rest * s.gap * exp(-s.n * s.gap**2 / Rational(divisor)), WORSE),
    )
    made = card(Kind.UPPER_BOUND, 0, policy="etc", options=(("m", s.n),))
    return replace(made, quantities=(replace(made.quantities[0], terms=terms),))


def test_a_policy_is_told_the_number_of_the_card() -> None:
    claim = etc("4")
    theory = theory_of(claim, PAIR)
    for samples in (3, 25):
        case = AtHorizon.at(PAIR, 1_000, question=Question(samples=samples))
        assert options_of(claim, case, theory) == {"m": samples}
        drawn = batches(claim, case, theory.context(TINY))
        assert drawn is not None
        assert drawn.draw(5).options["m"] == samples
    assert found(claim, PAIR, samples=20).verdict is Verdict.SUPPORTED
    # judged as if it had made 40 plays of each arm, but told to make four
    wrong = replace(claim, options=(("m", s.n / 10),))
    assert found(wrong, PAIR, samples=40).verdict is Verdict.REFUTED


# -- one number for all instances ----------------------------------------------------------------


def moss(factor: str) -> Claim:
    number = Rational(factor) * root(s.K * s.T)
    more = {"policy": "moss", "over": "instances", "assumptions": (BOUNDED,)}
    return card(Kind.UPPER_BOUND, number, **more)


def test_too_small_a_number_for_all_instances_is_refuted_on_a_harmless_one() -> None:
    harmless = Instance(["0.9", "0.1"], [1, 1], 1)
    wrong = found(moss("0.4"), harmless)
    assert wrong.verdict is Verdict.REFUTED
    assert wrong.case is not None
    gaps = {max(wrong.case.instance.means) - mean for mean in wrong.case.instance.means}
    assert gaps != {Fraction(0), Fraction(4, 5)}
    assert found(replace(moss("0.4"), over="instance"), harmless).verdict is not Verdict.REFUTED
    assert found(moss("2"), harmless).verdict is Verdict.SUPPORTED


def test_the_search_finds_gaps_for_the_horizon() -> None:
    claim = moss("0.4")
    (row, *_) = falsify(claim, examples=150, seconds=60, theory=theory_of(claim, COINS))
    assert row.found
    assert row.instance is not None
    assert spread_out(Bernoulli(), 2, 100, Fraction(100)) is None


def test_a_lower_bound_for_all_policies_is_refuted_by_an_arm_at_random() -> None:
    number = root(s.K * s.T) / 20
    claim = card(Kind.LOWER_BOUND, number, over="instances")
    (row,) = falsify(claim, examples=500, theory=theory_of(claim, COINS))
    assert row.found
    assert row.instance is not None
    arms, horizon = row.instance.arms, int(row.parameters["horizon"])
    assert sqrt(arms * horizon) / 20 > horizon * (1 - 1 / arms)
    enough = Assumption("enough", "T >= K", s.T >= s.K)
    repaired = replace(claim, assumptions=(enough,))
    (row,) = falsify(repaired, examples=200, theory=theory_of(repaired, COINS))
    assert not row.found
    known = replace(moss("0.5"), id="known", premise=True)
    larger = card(Kind.LOWER_BOUND, root(s.K * s.T), over="instances")
    contradicted = found(larger, COINS, more=(known,))
    assert contradicted.verdict is Verdict.REFUTED
    assert contradicted.rests_on == ("known",)


def test_a_refutation_by_little_shows_the_digits_that_differ() -> None:
    loses, claimed = Fraction(797, 399), Fraction("1.99749843554382")
    found = Enclosed.at_most(ball(loses)).compare(Relation.AT_LEAST, claimed)
    assert found.refutes
    assert found.legible() == {"actual": "at most 1.997494", "claimed": "1.997498"}
    found = Enclosed.at_most(ball(loses)).compare(Relation.AT_LEAST, Fraction(3))
    assert found.legible() == {"actual": "at most 1.9975", "claimed": "3"}
