"""Remark 4.2: only explorations above the capacity count."""

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Trivial
from boundcheck.claims.thm_4_1 import EXPLORATIONS
from boundcheck.ranks import Arms

CLAIMS = (
    Claim(
        id="rem-4.2",
        title="Only loads above the capacity count",
        source="Remark 4.2 (rmk:lower-bound-key-remark)",
        kind=Kind.LOWER_BOUND,
        statement="The bound of 4.1 holds for the number of explorations whose load exceeds the "
        "capacity, each of which costs regret.",
        reading="two-point minimax over {m_k, m_k + 1}; in expectation where loads are adaptive",
        checked_by="exact minimax error of the two-point problem (noncentral chi-square)",
        assumptions=(
            given.GAUSSIAN,
            given.POSITIVE,
            given.SIGNAL_TO_NOISE,
            given.BELOW_PLAYS,
        ),
        quantities=(
            Quantity(
                "explorations above the capacity",
                "explorations",
                (EXPLORATIONS,),
                Arms.ALL,
                Trivial.ONE_EXPLORATION,
            ),
        ),
        repairs=(
            Repair(
                "Its second half is applied to arm L, too.",
                "There the optimal load itself tells the capacity, and costs nothing.",
                "sharp-4.3",
            ),
        ),
    ),
)
