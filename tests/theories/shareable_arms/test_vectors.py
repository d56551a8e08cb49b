"""The independent 30-digit reference values: reproduced to 25 digits, and enclosed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

from boundcheck import bounds
from boundcheck.calculator.bounds import Bound
from boundcheck.calculator.numbers.balls import ball, lower, precision, upper
from boundcheck.calculator.numbers.evaluate import BALLS, Digits, Evaluator
from boundcheck.claims.functions import Defined, kl
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.models import base_cost
from boundcheck.theories.shareable_arms.question import Question
from simulation import Bernoulli, Gaussian, Instance
from simulation.numbers import exact


def agrees(found: str, reference: str) -> bool:
    """To 25 significant digits."""
    a, b = exact(found), exact(reference)
    return abs(a - b) <= abs(b) * Fraction(1, 10**25)


def assert_reproduced(bound: Bound, reference: str) -> None:
    if reference == "inf":
        assert bound.value == bound.lower == bound.upper == float("inf")
        return
    assert bound.value is not None
    assert bound.lower is not None
    assert bound.upper is not None
    assert agrees(bound.value, reference), (bound.claim, bound.value, reference)
    low, high, truth = exact(bound.lower), exact(bound.upper), exact(reference)
    # the reference itself is rounded in its 30th digit
    slack = abs(truth) * Fraction(1, 10**29)
    assert low - slack <= truth <= high + slack
    assert high - low <= abs(truth) * Fraction(1, 10**20)


def one_arm(case: dict) -> Instance:
    """The reference's arm as arm 1 of an instance with as many plays as it names."""
    others = case["N"]
    means = [case["mu"], *(Fraction(k, 10**6) for k in range(1, others + 1))]
    return Instance(means, [case["m"]] + [1] * others, case["N"], Gaussian(exact(case["sigma2"])))


def test_sample_complexity_lower_bounds(lower_vectors):
    for case in lower_vectors["sample_complexity"]:
        instance = one_arm(case)
        question = Question(delta=case["delta"], threshold=case["d"])
        rows = {(b.claim, b.quantity): b for b in bounds(instance, question) if b.arm in (None, 1)}
        part1 = rows["thm-4.1a", "explorations"]
        assert_reproduced(part1, case["part1_bound"])
        snr = next(c for c in part1.assumptions if c.name == "signal-to-noise")
        assert agrees(snr.lhs, case["R"])
        assert snr.holds == case["part1_condition_R_ge_2"]
        part2 = rows["thm-4.1b", "explorations"]
        assert_reproduced(part2, case["part2_bound"])
        threshold = next(c for c in part2.assumptions if c.name == "threshold-signal-to-noise")
        assert exact(threshold.lhs) == exact(case["Rd"]) or agrees(threshold.lhs, case["Rd"])
        assert agrees(threshold.rhs, case["part2_condition_rhs"])
        assert threshold.holds == case["part2_condition_holds"]
        sharp = "explorations above the capacity, "
        assert_reproduced(rows["sharp-4.1", sharp + "fixed number"], case["sharp_LeCam_m_mp1"])
        assert_reproduced(
            rows["sharp-4.1", sharp + "expected number"], case["sharp_sequential_m_mp1"]
        )


def test_regret_lower_bounds(lower_vectors):
    for case in lower_vectors["regret"]:
        law = Gaussian(exact(case["sigma2"]))
        instance = Instance(case["mu"], case["m"], case["N"], law)
        assert (instance.L, instance.remaining_plays) == (case["L"], case["mbar"])
        published, sharp = bounds(instance, Question(), ["thm-4.3", "sharp-4.3"])
        for (_, value), name in zip(published.terms, ("T1", "T2", "T3"), strict=True):
            assert agrees(value, case[f"paper_{name}"])
        assert_reproduced(published, case["paper_total"])
        assert published.applies == case["assumptions_hold"]
        for (_, value), name in zip(sharp.terms, ("T1", "T2"), strict=True):
            assert agrees(value, case[f"GL_{name}"])
        assert_reproduced(sharp, case["GL_total"])


def test_two_point_errors(lower_vectors):
    for case in lower_vectors["two_point"]:
        arguments = [
            Fraction(case["a"]),
            Fraction(case["b"]),
            exact(case["mu"]) ** 2 / exact(case["sigma2"]),
            Fraction(case["n"]),
        ]
        with precision(170):
            error = fn.two_point_error.compute(BALLS, *map(BALLS.constant, arguments)).item()
            low, high = lower(error, 30), upper(error, 30)
        truth = exact(case["e_star"])
        slack = truth / 10**29
        assert exact(low) - slack <= truth <= exact(high) + slack
        assert exact(high) - exact(low) <= truth / 10**20
        domain = Digits(30)
        by_digits = fn.two_point_error.compute(domain, *map(domain.constant, arguments)).item()
        assert agrees(domain.context.nstr(by_digits, 32), case["e_star"])


def at(function: type[Defined], *arguments: Fraction, law: str = "gaussian", sigma2="0.5") -> str:
    with precision(170):
        known = {fn.sigma2: BALLS.constant(exact(sigma2))}
        evaluator = Evaluator(BALLS, known, law)
        symbols = sympy.symbols(f"x:{len(arguments)}", positive=True)
        values = dict(zip(symbols, (BALLS.constant(a) for a in arguments), strict=True))
        inner = Evaluator(BALLS, known | values, law)
        assert evaluator is not inner
        return lower(inner(function(*symbols)).item(), 30)


def test_widths(upper_vectors):
    for case in upper_vectors["phi"]:
        x, delta = Fraction(case["x"]), exact(case["delta"])
        assert agrees(at(fn.phi, x, delta), case["phi"])
        assert agrees(at(fn.rho, x, delta), case["rho"])
    for case in upper_vectors["psi_joint"]:
        arguments = [exact(str(case[name])) for name in ("tau", "iota", "delta", "sigma2")]
        assert agrees(at(fn.psi, *arguments), case["psi"])
    for case in upper_vectors["U"]:
        assert agrees(at(fn.U, Fraction(case["tau"]), Fraction(case["T"])), case["U"])


def test_divergences(upper_vectors):
    for case in upper_vectors["kl"]:
        p, q = exact(case["p"]), exact(case["q"])
        assert agrees(at(kl, p, q, law="bernoulli"), case["bernoulli"])
        assert agrees(at(kl, p, q, law="gaussian"), case["gauss_half"])


TERMWISE = {"thm-7.1": "orch", "thm-G.1": "mpsesa", "thm-H.1": "etc"}


@pytest.mark.parametrize("position", range(4))
def test_upper_bounds(upper_vectors, position):
    case = upper_vectors["instances"][position]
    instance = Instance(case["mu"], case["m"], case["N"], Bernoulli())
    question = Question(
        horizon=case["T"],
        epsilon=case["eps"],
        gamma=case["gamma"],
        xi=case["xi"],
        delta=case["samples"]["delta"],
    )
    found = bounds(instance, question)
    total = {b.claim: b for b in found if b.arm is None and b.claim != "rem-8.1"}
    for claim, key in TERMWISE.items():
        assert_reproduced(total[claim], case[key]["total"])
        for number, (_, value) in enumerate(total[claim].terms, 1):
            assert agrees(value, str(case[key][f"term{number}"])) or exact(value) == 0
    asymptotic = case["asymptotic"]
    assert_reproduced(total["cor-7.2"], asymptotic["total_paper"])
    horizon = [c for c in total["thm-7.1"].assumptions if c.name == "horizon"]
    largest = max(exact(c.rhs) for c in horizon)
    log10 = ball_log10(largest)
    assert abs(log10 - float(case["horizon"]["log10_T_min_paper"])) < 1e-9

    samples = case["samples"]
    by_arm = {(b.claim, b.quantity, b.arm): b for b in found}
    best = [k + 1 for k in instance.order[: instance.L]]
    each = "explorations of each kind"
    closed = "closed form"
    for place, arm in enumerate(best):
        assert_reproduced(by_arm["thm-5.3a", each, arm], samples["part1_paper"][place])
        assert_reproduced(by_arm["sharp-5.3a", closed, arm], samples["part1_closed_form"][place])
        assert_reproduced(
            by_arm["thm-4.1a", "explorations", arm], samples["lower_sigma2_quarter"][place]
        )
        sharp = by_arm["sharp-5.3a", each, arm].value
        assert sharp == samples["part1_sharp_int"][place]
        typical = by_arm["sharp-5.3a", "typical stopping size", arm].value
        assert typical == samples["part1_fluid_int"][place]
    assert_reproduced(by_arm["thm-5.3b", each, best[-1]], samples["part2_paper"])
    assert by_arm["sharp-5.3b", each, best[-1]].value == samples["part2_sharp_int"]


def ball_log10(value: Fraction) -> float:
    with precision(200):
        return float(ball(value).log() / ball(Fraction(10)).log())


def test_a_reference_that_is_off_in_the_24th_digit_is_noticed(upper_vectors):
    reference = upper_vectors["instances"][0]["orch"]["total"]
    off = exact(reference) * (1 + Fraction(1, 10**24))
    assert not agrees(reference, str(off))


def test_derived_quantities_of_the_theory(upper_vectors):
    from paper import exact_setting

    from boundcheck.calculator.numbers.evaluate import EXACT
    from boundcheck.theories.shareable_arms import symbols as s

    for case in upper_vectors["instances"]:
        instance = Instance(case["mu"], case["m"], case["N"], Bernoulli())
        evaluate = exact_setting(instance, Question()).evaluator(EXACT)
        assert evaluate(s.h).item() == exact(case["h"])
        assert [*map(exact, case["w"])] == np.ravel(evaluate(s.w)).tolist()
        assert base_cost(instance) == exact(case["pie_base_cost"])
        assert instance.optimal_reward == exact(case["f_star"])
