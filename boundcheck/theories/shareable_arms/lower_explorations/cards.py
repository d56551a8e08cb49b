"""Theorem 4.1, Remark 4.2 and ours: how many explorations any estimator of a capacity needs."""

from functools import partial

from sympy import Expr

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.unevaluated import log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.functions import KL, two_point_error
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import d, delta, m, mu, n, sigma2

scale = sigma2 * m**2 / mu**2
confidence = log(1 / (4 * delta))
EXPLORATIONS = scale * confidence
AT_ONE_CAPACITY = "The error is stated for one capacity, where a constant answer is never wrong."


def _needed(size: Expr, kind: str = "explorations") -> Quantity:
    term = Term("explorations", size)
    return Quantity(kind, "explorations", (term,), Arms.ALL, Trivial.ONE_EXPLORATION)


_lower = partial(Claim, kind=Kind.LOWER_BOUND)
_by_minimax_error = partial(
    _lower, checked_by="exact minimax error of the two-point problem (noncentral chi-square)"
)
NEIGHBOUR = KL(m, m + 1, mu**2 / sigma2)
# kl of Bernoulli(delta) from Bernoulli(1 - delta), without the cancellation of 1 - (1 - delta)
OPPOSITE = (1 - 2 * delta) * log((1 - delta) / delta)

CLAIMS = (
    _by_minimax_error(
        id="thm-4.1a",
        title="Explorations needed to learn a capacity",
        source="Theorem 4.1, first part (thm:sample_lower_bound)",
        part_of="Theorem 4.1",
        statement="With fewer explorations of the arm than this, at any loads, no estimator tells "
        "its capacity with error probability below delta.",
        reading="two-point minimax: the larger of the errors at m_k and at a neighbour of it",
        assumptions=(given.GAUSSIAN, given.POSITIVE, given.SIGNAL_TO_NOISE),
        quantities=(_needed(EXPLORATIONS),),
        repairs=(
            Repair(
                AT_ONE_CAPACITY, "What is meant is the larger of the errors at the two capacities."
            ),
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
    ),
    _by_minimax_error(
        id="thm-4.1b",
        title="Explorations needed to learn if a capacity reaches d",
        source="Theorem 4.1, second part (thm:sample_lower_bound)",
        part_of="Theorem 4.1",
        statement="With fewer explorations than this, no test tells whether the capacity is at "
        "least d with error probability below delta.",
        reading="minimax over all capacities, those below d against the others: the pair "
        "{d - 1, d}",
        assumptions=(
            given.GAUSSIAN,
            given.POSITIVE,
            given.THRESHOLD_2,
            given.THRESHOLD_WITHIN_PLAYS,
            given.SIGNAL_TO_NOISE_THRESHOLD,
        ),
        quantities=(_needed(scale / (m - d + 1) ** 2 * confidence),),
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
    ),
    _by_minimax_error(
        id="rem-4.2",
        title="Only loads above the capacity count",
        source="Remark 4.2 (rmk:lower-bound-key-remark)",
        statement="The bound of 4.1 holds for the number of explorations whose load exceeds the "
        "capacity, each of which costs regret.",
        reading="two-point minimax over {m_k, m_k + 1}; in expectation where loads are adaptive",
        assumptions=(given.GAUSSIAN, given.POSITIVE, given.SIGNAL_TO_NOISE, given.BELOW_PLAYS),
        quantities=(_needed(EXPLORATIONS, "explorations above the capacity"),),
        repairs=(
            Repair(
                "Its second half is applied to arm L, too.",
                "There the optimal load itself tells the capacity, and costs nothing.",
                "sharp-4.3",
            ),
        ),
    ),
    _lower(
        id="sharp-4.1",
        title="Explorations needed to learn a capacity, no condition",
        source="in place of Theorem 4.1",
        statement="Telling m_k from m_k + 1 with error delta takes this many explorations above "
        "the capacity: fixed in number (Le Cam), or in expectation if chosen as one goes.",
        reading="two-point minimax over {m_k, m_k + 1}, common known variance",
        checked_by="exact minimax error of the two-point problem",
        assumptions=(given.GAUSSIAN, given.BELOW_PLAYS, given.BELOW_EVEN_ODDS),
        quantities=(
            _needed(confidence / NEIGHBOUR, "explorations above the capacity, fixed number"),
            _needed(OPPOSITE / NEIGHBOUR, "explorations above the capacity, expected number"),
        ),
        ours=True,
    ),
    _lower(
        id="sharp-4.1-test",
        title="Exact error of the best test of m_k against m_k + 1",
        source="in place of Theorem 4.1",
        statement="After n explorations above both capacities, no estimator has both errors below "
        "this, and one test has exactly this.",
        reading="two-point minimax over {m_k, m_k + 1}, common known variance",
        checked_by="certified evaluation of noncentral chi-square laws",
        assumptions=(given.GAUSSIAN, given.BELOW_PLAYS),
        quantities=(
            Quantity(
                "minimax error",
                "probability",
                (Term("error", two_point_error(m, m + 1, mu**2 / sigma2, n)),),
                Arms.ALL,
                Trivial.ZERO,
            ),
        ),
        ours=True,
    ),
)
