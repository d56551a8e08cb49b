"""Confidence intervals for a mean, at one n or at every n, and one for a regression."""

from __future__ import annotations

from sympy import Basic, Expr, Tuple, sqrt

from boundcheck.claims import symbols as s
from boundcheck.claims.card import Assumption, Claim, Kind, Repair
from boundcheck.claims.unevaluated import exp, log
from boundcheck.theories.classic.policies import AUER, LS
from boundcheck.theories.classic.symbols import BOUNDED, SUBGAUSSIAN, a, df, r, words

ABBASI = "Abbasi-Yadkori, Pal and Szepesvari 2011, Theorem 2, second set"
SUMMED = "summed, or enclosed, probability"


def _interval(
    name: str, title: str, source: str, width: Expr, *given: Assumption, **more: object
) -> Claim:
    side = more.get("side", "both")
    how = {"both": "further than this from its own", "below": "below its own by more than this"}
    when = "at some n up to T" if more.get("every_n") else "at one n"
    about = f"The mean of n rewards is {how[str(side)]} {when} with probability delta at most."
    return Claim(
        id=name,
        title=title,
        source=source,
        kind=Kind.COVERAGE,
        formula=width,
        assumptions=given,
        **words(about, when, SUMMED),
        **more,  # type: ignore[arg-type]
    )


HOEFFDING = _interval(
    "hoeffding",
    "An interval for a mean",
    "Hoeffding 1963, Theorem 2",
    sqrt(log(2 / s.delta) / (2 * s.n)),
    BOUNDED,
)
MAURER_PONTIL = _interval(
    "maurer-pontil",
    "A bound for a mean by the variance of the sample",
    "Maurer and Pontil 2009, Theorem 4",
    sqrt(2 * s.sample_variance * log(2 / s.delta) / s.n) + 7 * log(2 / s.delta) / (3 * (s.n - 1)),
    BOUNDED,
    side="below",
)
MIXTURE = _interval(
    "mixture",
    "An interval for a mean at every n",
    f"{LS}, Theorem 20.4, one dimension, lambda = 1",
    sqrt((1 + s.n) * (2 * log(1 / s.delta) + log(1 + s.n))) / s.n,
    SUBGAUSSIAN,
    every_n=True,
    premise=True,  # proved in the source: `best_arm` rests on it
)


def algebra(
    name: str, title: str, source: str, formula: Basic, about: str, **more: object
) -> Claim:
    """A statement about numbers alone."""
    return Claim(
        id=name,
        title=title,
        source=source,
        kind=Kind.ALGEBRA,
        formula=formula,
        **words(about, "every value of its numbers", "certified enclosure"),
        **more,  # type: ignore[arg-type]
    )


# one regressor of size x in each of t rounds, r = t x^2 / lambda: what the confidence set has in
# the place of a squared radius
SET_PRINTED = algebra(
    "regression-printed",
    "A confidence set for a regression, one dimension (as printed)",
    f"{ABBASI}, as printed",
    log((1 + r) / s.delta),
    "The parameter is outside the set with probability delta at most.",
    repairs=(
        Repair(
            "The set has log(1/delta) where its proof has 2 log(1/delta).",
            "With log((1 + r)/delta^2) it holds.",
            "regression",
        ),
    ),
)
SET = algebra(
    "regression",
    "A confidence set for a regression, one dimension",
    f"{ABBASI}, corrected",
    log((1 + r) / s.delta**2),
    "The parameter is outside the set with probability delta at most.",
)
STUDENT = algebra(
    "student-tail",
    "A tail of Student's law",
    f"{AUER}, Conjecture 1",
    Tuple(a, exp(-(a**2) / 4)),
    "P(X >= a) is at most this for Student's law of nu degrees, a <= sqrt(2 (nu + 1)).",
)
CHI_SQUARE = algebra(
    "chi-square-tail",
    "A tail of the chi-square law",
    f"{AUER}, Conjecture 2",
    Tuple(4 * df, exp(-(df + 1) / 2)),
    "P(X >= 4 nu) is at most this for the chi-square law of nu degrees.",
)
CARDS = (HOEFFDING, MAURER_PONTIL, MIXTURE, SET_PRINTED, SET, STUDENT, CHI_SQUARE)
