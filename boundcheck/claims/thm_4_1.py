"""Theorem 4.1: how many explorations any estimator of a capacity needs (Gaussian rewards)."""

from sympy import log

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.ranks import Arms
from boundcheck.symbols import d, delta, m, mu, sigma2

scale = sigma2 * m**2 / mu**2
confidence = log(1 / (4 * delta))

EXPLORATIONS = Term("explorations", scale * confidence)

AT_ONE_CAPACITY = "The error is stated for one capacity, where a constant answer is never wrong."

THM_4_1A = Claim(
    id="thm-4.1a",
    title="Explorations needed to learn a capacity",
    source="Theorem 4.1, first part (thm:sample_lower_bound)",
    kind=Kind.LOWER_BOUND,
    statement="With fewer explorations of the arm than this, at any loads, no estimator tells its "
    "capacity with error probability below delta.",
    reading="two-point minimax: the larger of the errors at m_k and at a neighbour of it",
    checked_by="exact minimax error of the two-point problem (noncentral chi-square)",
    assumptions=(given.GAUSSIAN, given.POSITIVE, given.SIGNAL_TO_NOISE),
    quantities=(
        Quantity(
            "explorations", "explorations", (EXPLORATIONS,), Arms.ALL, Trivial.ONE_EXPLORATION
        ),
    ),
    repairs=(
        Repair(AT_ONE_CAPACITY, "What is meant is the larger of the errors at the two capacities."),
        Repair(
            "A factor 1/2 before F is lost in the appendix.",
            "This is harmless, for it only weakens the bound.",
        ),
        Repair(
            "Under its own condition the bound never grows with m.",
            "A sharper bound needs no condition at all.",
            "sharp-4.1",
        ),
    ),
)

THM_4_1B = Claim(
    id="thm-4.1b",
    title="Explorations needed to learn if a capacity reaches d",
    source="Theorem 4.1, second part (thm:sample_lower_bound)",
    kind=Kind.LOWER_BOUND,
    statement="With fewer explorations than this, no test tells whether the capacity is at least d "
    "with error probability below delta.",
    reading="minimax over all capacities, those below d against the others: the pair {d - 1, d}",
    checked_by="exact minimax error of the two-point problem (noncentral chi-square)",
    assumptions=(
        given.GAUSSIAN,
        given.POSITIVE,
        given.THRESHOLD_2,
        given.THRESHOLD_WITHIN_PLAYS,
        given.SIGNAL_TO_NOISE_THRESHOLD,
    ),
    quantities=(
        Quantity(
            "explorations",
            "explorations",
            (Term("explorations", scale / (m - d + 1) ** 2 * confidence),),
            Arms.ALL,
            Trivial.ONE_EXPLORATION,
        ),
    ),
    repairs=(
        Repair(AT_ONE_CAPACITY, "What is meant is the largest error over all capacities."),
        Repair(
            "For m_k <= d - 2 it fails on the pair {m_k, d} of its proof.",
            "The pair {d - 1, d}, which is the hardest to tell apart, serves for every m_k.",
        ),
        Repair(
            "For m_k = d - 1 the bound is infinite.",
            "Its condition excludes this case where d <= N.",
        ),
        Repair(
            "Its condition depends on N, which does not matter.",
            "The condition R_d >= F((m/(d-1))^2) is enough.",
        ),
    ),
)

CLAIMS = (THM_4_1A, THM_4_1B)
