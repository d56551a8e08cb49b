"""Claims as text: what a line means, what is refused and where, and that no line does harm."""

from __future__ import annotations

import random
import time

import pytest
import sympy

from boundcheck.calculator.bounds import bounds_of
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind
from boundcheck.language.reading import read
from boundcheck.theory import Theory
from simulation.errors import InputError
from simulation.world.instance import Instance

THEORY = Theory("no results", {})
COINS = Instance(["0.9", "0.6", "0.5"], [1, 1, 1], 1)


def value(formula: str, horizon: int = 1000) -> float:
    """Of a regret bound on three coins."""
    card = read(f"regret(ucb1) <= {formula}", THEORY).card
    (bound,) = bounds_of([card], COINS, Question(horizon=horizon, digits=15), THEORY, since=False)
    return float(bound.ball.mid())


LOG = float(sympy.log(1000))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("1/3 + 0.1", 13 / 30),
        ("2^3^2 - 500", 12),
        ("-2^2 + T", 996),
        ("8*sum(log(T)/gap, worse)", 8 * LOG * (1 / 0.3 + 1 / 0.4)),
        ("8·Σ(log(T)/Δ, worse)", 8 * LOG * (1 / 0.3 + 1 / 0.4)),
        ("sum(gap) + sum(mu, best)", 0.7 + 0.9),
        ("ln(T)*sum(Delta_k + Δ_k + mu_k + gap_k - μ)", 3 * 0.7 * LOG),
        ("sigma + σ", 1),
        ("√(K×T) + π^2 − K²", (3000**0.5) + float(sympy.pi) ** 2 - 9),
        ("largest(gap, gap < 0.35)", 0.3),
        ("sum(1, gap >= 0.3)", 2),
        ("sum(k, mu > 0.55)", 3),
        ("H1 - sum(1/gap^2, worse) + 1", 1),
        ("H2", 2 / 0.09),
        ("sum(variance)", 0.09 + 0.24 + 0.25),
        ("min(K, 2) + max(K, 2) + abs(2 - K) + floor(2.5) + ceil(2.5)", 2 + 3 + 1 + 2 + 3),
        ("exp(log(K)) + e^2 + T^(1/3) + K^K", 3 + float(sympy.E) ** 2 + 10 + 27),
        ("sum(gap/kl(mu, best), worse)", 0.3 / 0.3112383 + 0.4 / 0.5108256),
        ("sigma2 + N + best + 1e-2", 0.25 + 1 + 0.9 + 0.01),
    ],
)
def test_a_formula_has_its_value(formula: str, expected: float) -> None:
    assert value(formula) == pytest.approx(expected, rel=2e-5)


def test_an_infimum_is_chosen_for_each_arm() -> None:
    found = value("sum(inf(eps in (0, gap): 1/eps + 1/(gap - eps)), worse)")
    assert found == pytest.approx(4 / 0.3 + 4 / 0.4, rel=1e-4)
    assert value("inf(x in (0, 1): 1/x + 1/(1 - x))") == pytest.approx(4, rel=1e-4)


def test_kinds_policies_and_conditions() -> None:
    line = read("regret(etc(m=20)) <= 20*sum(gap) for T >= 20*K, K <= 5", THEORY)
    assert line.card.kind is Kind.UPPER_BOUND
    assert line.card.policy.defaults["m"] == 20
    assert [a.relation.rel_op for a in line.card.assumptions] == [">=", "<="]
    assert (
        read("growth(kl-ucb) ≤ sum(gap/kl(mu, best), worse)", THEORY).card.kind is Kind.ASYMPTOTIC
    )
    assert read("growth(every) >= sum(1/gap, worse)", THEORY).card.policy is None
    assert read("regret(UCB1) <= T", THEORY).card.policy_name == "ucb1"
    assert read("regret(ucb1) >= log(T)/9", THEORY).card.kind is Kind.LOWER_BOUND
    width = read("|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta", THEORY).card
    assert width.kind is Kind.COVERAGE
    assert width.formula.free_symbols == {s.n, s.delta}
    assert read("regret(moss) <= ?*sqrt(K*T)", THEORY).asks


def test_a_theory_adds_its_names() -> None:
    from boundcheck.theories import default

    assert read("regret(ucb1) <= L*T", default()).card.quantities[0].symbols
    with pytest.raises(InputError, match="unknown name L"):
        read("regret(ucb1) <= L*T", THEORY)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("regret(ucb1) <= sum(gapp)", r"column 21: unknown name gapp: .*did you mean 'gap'"),
        ("regret(ucb9) <= T", r"column 8: unknown policy ucb9: .*did you mean 'ucb"),
        ("regret(ucb1) <= lgo(T)", r"column 17: unknown function lgo: .*'log'"),
        ("regret(etc(q=1)) <= T", r"column 8: unknown option of etc q: .*'m'|one of m"),
        ("regret(ucb1) <= T +", r"column 20: the line ends: expected a number, a name or \("),
        ("regret(ucb1) <= T)", r"column 18: \): expected the end of the line"),
        ("regre(ucb1) <= T", r"column 1: regre.*: expected regret\(POLICY\)"),
        ("regret <= 3*T", r"column 8: <=: expected a policy in brackets, such as \(ucb1\)"),
        ("regret(zzz) <= T", r"one of orch-explore.*gaussian-stop\), or one by --plugin"),
        ("regret(ucb1) <= T_k", r"unknown name T_k"),
        ("regret(ucb1) <= 1/min(gap)", r"2 or more for min, or largest\(..., worse\) over arms"),
        ("regret(ucb1) <= gap", r"column 17: gap of which arm\?"),
        ("regret(ucb1) <= sum(sum(gap))", r"column 21: a sum within a sum"),
        ("regret(ucb1) <= sum(gap, worst)", r"column 26: no range of arms"),
        ("regret(ucb1) <= log(T, 2)", r"column 17: 2 arguments: expected 1 for log"),
        ("regret(ucb1) <= 9^9^9^9", r"an exponent of at most 100"),
        ("regret(ucb1) <= ((T^90)^90)^90", r"a power of a power"),
        ("regret(ucb1) <= 1/0", r"no real number"),
        ("regret(ucb1) <= sqrt(0 - 1)", r"no real number"),
        ("regret(ucb1) <= exp(exp(exp(9)))", r"too large or small"),
        ("regret(ucb1) <= ?*T + ?", r"column 23: a second \?"),
        ("regret(ucb1) <= delta*T", r"delta in a regret"),
        ("growth(ucb1) <= log(T)", r"T in a growth"),
        ("growth(ucb1) >= 1", r"growth\(every\)"),
        ("|mean - mu| <= delta with probability 1 - delta", r"a width without n"),
        ("regret(ucb1) <= sqrt(inf(x in (0, 1): T/x))", r"inf inside of something else"),
        ("regret(ucb1) <= inf(T in (0, 1): T)", r"T has a meaning"),
        ("regret(ucb1) <= __import__('os').system('id')", r"column 17"),
        ("regret(ucb1) <= " + "(" * 90 + "T" + ")" * 90 + "-" * 60 + "T", r"at most 40"),
        ("T" * 1_000_000, r"1,000,000 characters: expected at most 2,000"),
    ],
)
def test_what_is_wrong_is_said_with_its_column(line: str, message: str) -> None:
    started = time.process_time()
    with pytest.raises(InputError, match=message) as refused:
        read(line, THEORY)
    assert time.process_time() - started < 5
    assert "\n" not in str(refused.value)


SOUP = """
regret( growth( |mean ucb1 moss etc(m=2) ) <= >= ( ) + - * / ^ ** , : ? = < > | √ Σ( ² ³
sum( largest( inf( x in eps log( exp( sqrt( floor( max( kl( T K gap mu best e pi 1 2
0.5 1e300 1e-300 9^ 99999999 worse all delta n with probability 1 - for Δ μ ∑ é
__class__ lambda import ' " ; {} %s
"""
PIECES = [*SOUP.split(), "\n", "\t", "\x00", "\\", "\u202e"]
LINES = (
    "regret(ucb1) <= 8*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)",
    "|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta",
    "regret(ucb) <= sum(inf(x in (0, gap): gap*(1 + 5/x^2)), worse)",
)


def hostile(rng: random.Random) -> str:
    """Soup of tokens, a good line with some of it replaced, or deep nesting."""
    kind = rng.randrange(4)
    if kind == 0:
        return "".join(rng.choices(PIECES, k=rng.randrange(1, 40)))
    if kind == 1:
        return "regret(ucb1) <= " + " ".join(rng.choices(PIECES[15:], k=rng.randrange(1, 12)))
    if kind == 2:
        opening = rng.choice(["(", "exp(", "2^", "-", "sqrt(", "1e300*", "T^9^", "floor(9^"])
        return "regret(ucb1) <= " + opening * rng.randrange(1, 200) + "T"
    line = list(rng.choice(LINES))
    for _ in range(rng.randrange(1, 6)):
        line[rng.randrange(len(line))] = rng.choice(PIECES)
    return "".join(line)


def outcome(line: str) -> Claim | InputError:
    try:
        return read(line, THEORY).card
    except InputError as error:
        return error


def test_ten_thousand_hostile_lines_are_read_or_refused_in_one_line() -> None:
    rng, read_well, started = random.Random(0), 0, time.process_time()
    for _ in range(10_000):
        line = hostile(rng)
        found = outcome(line)
        if isinstance(found, InputError):
            assert "\n" not in str(found)
            assert "column" in str(found)
        else:
            read_well += 1
            assert found.quantities or found.formula is not None
    assert read_well > 100
    assert time.process_time() - started < 120  # about 10 s
