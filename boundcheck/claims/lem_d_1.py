"""Lemma D.1: the time-uniform deviation of an empirical mean (Bourel et al., Lemma 5)."""

from sympy import Symbol, log, sqrt

from boundcheck.claim import Claim, Kind, Repair
from boundcheck.symbols import delta, sigma2

t = Symbol("t", positive=True)

CLAIMS = (
    Claim(
        id="lem-D.1",
        title="Time-uniform deviation of a mean",
        source="Lemma D.1 (lma:uci_basic), from Bourel, Maillard and Talebi (2020), Lemma 5",
        kind=Kind.COVERAGE,
        statement="With probability at least 1 - delta, at no time does the empirical mean of "
        "sigma-sub-Gaussian variables deviate by this much.",
        reading="t ranges over the positive integers",
        checked_by="Monte-Carlo and importance sampling of the crossing probability",
        formula=sqrt(sigma2) * sqrt((1 + 1 / t) * 2 * log(sqrt(t + 1) / delta) / t),
        repairs=(
            Repair(
                "It is printed 'for all sigma in (0,1)'.", "It should say 'for all delta in (0,1)'."
            ),
        ),
    ),
)
