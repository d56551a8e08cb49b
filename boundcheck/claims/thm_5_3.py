"""Theorem 5.3: how many explorations make the estimator's bounds meet."""

from sympy import log

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Term
from boundcheck.claims.lem_5 import UNIFORM_WIDTH
from boundcheck.ranks import Arms
from boundcheck.symbols import d, delta, m, mu

A = 49 * m**2 / mu**2
SIZE = A * log(2 / delta)

NARROW = Repair(
    "Gaussian variances above 1/4 are not covered.",
    "The widths must be multiplied by 2 sigma, and the size by 4 sigma^2.",
)

LEARNING = Claim(
    id="thm-5.3a",
    title="Explorations that suffice to learn a capacity",
    source="Theorem 5.3, first part (cor:m_sample_complexity)",
    kind=Kind.UPPER_BOUND,
    statement="With this many individual and this many united explorations the estimator is "
    "right with probability at least 1 - delta.",
    reading="unconditional: the bounds meet at the capacity unless the interval failed",
    checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
    assumptions=(given.VARIANCE, given.POSITIVE, given.CONFIDENCE),
    implicit=(given.SUB_GAUSSIAN, given.MEAN_WITHIN_CAPACITY),
    quantities=(
        Quantity(
            "explorations of each kind", "explorations", (Term("explorations", SIZE),), Arms.ALL
        ),
    ),
    formula=UNIFORM_WIDTH,
    repairs=(
        Repair(
            "Only astronomically small delta meet its condition.",
            "It is enough that delta <= 2 mu^2/(49 m^2), where 49 m^2/mu^2 >= 49.",
            "sharp-5.3a",
        ),
        NARROW,
        Repair(
            "The proof fails for some Gaussian arms with mu/m of about 6 to 14.",
            "It needs mu <= m, or the sharp size.",
        ),
    ),
)

CLAIMS = (
    LEARNING,
    Claim(
        id="thm-5.3b",
        title="Explorations to see that a capacity reaches d",
        source="Theorem 5.3, second part (cor:m_sample_complexity)",
        kind=Kind.UPPER_BOUND,
        statement="With this many explorations of each kind the lower confidence bound of a "
        "capacity of at least d reaches d with probability at least 1 - delta.",
        reading="unconditional, for m_k >= d",
        checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
        assumptions=(
            given.VARIANCE,
            given.POSITIVE,
            given.THRESHOLD_2,
            given.CAPACITY_REACHES,
            given.CONFIDENCE_THRESHOLD,
        ),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(
            Quantity(
                "explorations of each kind",
                "explorations",
                (Term("explorations", SIZE / (m - d + 1) ** 2),),
                Arms.ALL,
            ),
        ),
        formula=UNIFORM_WIDTH,
        repairs=(
            Repair(
                "The factor 49 is larger than needed.",
                "It may be 16, as in the sharp size.",
                "sharp-5.3b",
            ),
        ),
    ),
)
