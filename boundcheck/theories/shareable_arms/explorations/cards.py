"""Theorem 5.3, E.6, J.3 and ours: how many explorations make the estimator's bounds meet."""

from functools import partial

from sympy import Expr, Ge, Rel

from boundcheck.claims.card import Assumption, Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.unevaluated import log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.functions import smallest_count
from boundcheck.theories.shareable_arms.interval.cards import (
    HOEFFDING_WIDTH,
    UNCOVERED,
    UNIFORM_WIDTH,
)
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import T, d, delta, m, mu

A = 49 * m**2 / mu**2
SIZE = A * log(2 / delta)
NARROW = Repair(UNCOVERED, "The widths must be multiplied by 2 sigma, and the size by 4 sigma^2.")


def _each(
    size: Expr,
    name: str = "explorations of each kind",
    when: Rel | None = None,
    needs: tuple[Assumption, ...] = (),
    trivial: Trivial = Trivial.NONE,
) -> Quantity:
    term = Term("explorations", size, when=when)
    return Quantity(name, "explorations", (term,), Arms.ALL, trivial, assumptions=needs)


_sizes = partial(
    Claim,
    kind=Kind.UPPER_BOUND,
    checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
    formula=UNIFORM_WIDTH,
)
LEARNING = _sizes(
    id="thm-5.3a",
    title="Explorations that suffice to learn a capacity",
    source="Theorem 5.3, first part (cor:m_sample_complexity)",
    part_of="Theorem 5.3",
    statement="With this many individual and this many united explorations the estimator is "
    "right with probability at least 1 - delta.",
    reading="unconditional: the bounds meet at the capacity unless the interval failed",
    assumptions=(given.VARIANCE, given.POSITIVE, given.CONFIDENCE),
    implicit=(given.SUB_GAUSSIAN, given.MEAN_WITHIN_CAPACITY),
    quantities=(_each(SIZE),),
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

C = (4 * m + 3) ** 2 / mu**2
ell = log(2 / delta)
LEARN_CLOSED = C / 2 * (ell + log(C * (ell + log(C))) / 2)

CLAIMS = (
    LEARNING,
    _sizes(
        id="thm-5.3b",
        title="Explorations to see that a capacity reaches d",
        source="Theorem 5.3, second part (cor:m_sample_complexity)",
        part_of="Theorem 5.3",
        statement="With this many explorations of each kind the lower confidence bound of a "
        "capacity of at least d reaches d with probability at least 1 - delta.",
        reading="unconditional, for m_k >= d",
        assumptions=(
            given.VARIANCE,
            given.POSITIVE,
            given.THRESHOLD_2,
            given.CAPACITY_REACHES,
            given.CONFIDENCE_THRESHOLD,
        ),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(_each(SIZE / (m - d + 1) ** 2),),
        repairs=(
            Repair(
                "The factor 49 is larger than needed.",
                "It may be 16, as in the sharp size.",
                "sharp-5.3b",
            ),
        ),
    ),
    _sizes(
        id="lem-E.6",
        title="United explorations that suffice at delta = 2/T",
        source="Lemma E.6 (lma:ue_sample_size)",
        statement="With this many explorations of each kind the estimated capacity is right with "
        "probability at least 1 - 2/T.",
        reading="Theorem 5.3a at delta = 2/T",
        checked_by="failure probability at the size, as thm-5.3a",
        assumptions=(given.VARIANCE, given.POSITIVE, given.HORIZON),
        implicit=LEARNING.implicit,
        quantities=(_each(SIZE.xreplace({delta: 2 / T}), trivial=Trivial.SLOTS),),
        repairs=(
            Repair(
                "Only astronomic horizons meet its condition.",
                "The sharp size needs no such condition.",
                "sharp-5.3a",
            ),
            NARROW,
        ),
    ),
    _sizes(
        id="cor-J.3",
        title="Explorations that suffice with Hoeffding's width",
        source="Corollary J.3",
        statement="With this many explorations of each kind the Hoeffding estimator is right with "
        "probability at least 1 - delta at that one time.",
        reading="one fixed pair of counts",
        assumptions=(given.VARIANCE, given.POSITIVE),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(_each(SIZE / 2),),
        formula=HOEFFDING_WIDTH,
        repairs=(NARROW,),
    ),
    _sizes(
        id="sharp-5.3a",
        title="Explorations that suffice to learn a capacity, any delta",
        source="in place of Theorem 5.3, first part",
        statement="With this many explorations of each kind the uniform interval holds one "
        "integer, the capacity, with probability at least 1 - delta; then a closed form, and the "
        "typical stopping size when both kinds grow in step.",
        reading="sub-Gaussian rewards with sigma at most 1/2",
        assumptions=(given.SUB_GAUSSIAN, given.POSITIVE),
        quantities=(
            _each(smallest_count(4 * m + 3, delta, mu)),
            _each(LEARN_CLOSED, "closed form", needs=(given.LARGE_SCALE,)),
            _each(smallest_count(2 * (m + 1), delta, mu), "typical stopping size"),
        ),
        ours=True,
    ),
    _sizes(
        id="sharp-5.3b",
        title="Explorations to see that a capacity reaches d, any delta",
        source="in place of Theorem 5.3, second part",
        statement="With this many explorations of each kind the lower bound of a capacity of at "
        "least d reaches d with probability at least 1 - delta; d = 1 costs nothing.",
        reading="sub-Gaussian rewards with sigma at most 1/2",
        assumptions=(given.SUB_GAUSSIAN, given.POSITIVE, given.CAPACITY_REACHES),
        quantities=(
            _each(smallest_count(m + 3 * d - 3, delta, (m - d + 1) * mu), when=Ge(d, 2)),
            _each(
                smallest_count(2 * (d - 1), delta, (m - d + 1) * mu),
                "typical stopping size",
                Ge(d, 2),
            ),
        ),
        ours=True,
    ),
)
