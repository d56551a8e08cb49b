"""`sharp-5.3a` and `sharp-5.3b`: sample sizes (docs/theory.md).

phi is the uniform width at the larger number of samples that is sure, m and mu those of the arm.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Expr, Ge, Rational, Rel, log, oo

from boundcheck.claims.card import Claim, Quantity, Term
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import d, delta, m, mu
from boundcheck.theory import Theory

u, x = sympy.symbols("u x", positive=True)
ANY, UP, UP9, UNIT = (0, oo), (1, oo), (1, 9), ("0.01", "0.99")

TWO_MEANS = "sharp-7.1-a2, sub-gaussian-half, positive-mean"
SIZES = ("explorations of each kind", "typical stopping size")

LEARN = Proof("sharp-5.3a", "sharp-5.3a")


@LEARN.step("a", "theory, sample sizes: m - 1 and m + 1 are out", TWO_MEANS, times=4 * m)
def excluded(times: Expr = 4 * m + 3) -> Parts:
    """Both means within phi of theirs, and a width of 2 phi: (m + 1)(mu - phi - 2 phi) exceeds
    m (mu + phi), and m (mu - phi) exceeds (m - 1)(mu + phi + 2 phi), if mu > (4m + 3) phi."""
    above = (m + 1) * (mu - 3 * x) - m * (mu + x)
    yield equal(above, mu - times * x).on({m: UP9, mu: UP9, x: UP9})
    under = m * (mu - x) - (m - 1) * (mu + 3 * x)
    yield at_most(mu - times * x, under).on({m: UP, mu: ANY, x: ANY})


@LEARN.step("b", "theory, sample sizes: the typical size", "a", more=m)
def typical(more: Expr = m + 1) -> Parts:
    """With exact means m mu < (m + 1)(mu - 2 phi) exactly if 2 (m + 1) phi < mu, and then m - 1 is
    out as well."""
    yield equal((m + 1) * (mu - 2 * x) - m * mu, mu - 2 * more * x).on({m: UP9, mu: UP9, x: UP9})
    yield at_most(mu - 2 * more * x, m * mu - (m - 1) * (mu + 2 * x)).on({m: UP, mu: ANY, x: ANY})


@LEARN.step(
    "c", "theory, sample sizes: the closed form", "small-mean", least=5, share=Rational(1, 4)
)
def closed(least: int = 49, share: Expr = Rational(2, 5)) -> Parts:
    """C phi(x)^2 < 1 says (1 + 1/x)(l + log(x + 1)/2) < 2x/C = l + log(C u)/2, u = l + log C. As
    log u <= 2u/5 and l + log(C)/2 <= u, x + 1 <= (3/5 + 1/C) C u, and the left side exceeds
    l + log(x + 1)/2 by 2/C at most, which is less than log(1/(3/5 + 1/C))/2."""
    yield at_most(log(u), share * u).on({u: (4, oo)})
    yield at_most(4, log(49) + log(2)).on({})
    # x/(C u) is at most (1 + share/2)/2, and 1/(C u) at most 1/C
    yield equal((1 + share / 2) / 2, Rational(3, 5) + 0 * u).on({u: UP9})
    reach = Rational(3, 5) + 1 / x
    yield below(2 / x, -log(reach) / 2).on({x: (least, oo)})


@LEARN.step("d", "theory, sample sizes: the card", "a, b, c", times=4 * m + 2, more=m)
def learnt(theory: Theory, times: Expr = 4 * m + 3, more: Expr = m + 1) -> Parts:
    """The sizes of the card, for every arm: the least x with (4m + 3) phi(x) < mu, that with
    2 (m + 1) phi(x) < mu, and C/2 times the l + log(C u)/2 of step c, where (4m + 3)^2/mu^2 = C."""
    card = theory.cards[LEARN.claim]
    scale, ell = times**2 / mu**2, log(2 / delta)
    grown = scale / 2 * (ell + log(scale * (ell + log(scale))) / 2)
    sizes = {
        SIZES[0]: fn.smallest_count(times, delta, mu),
        "closed form": grown,
        SIZES[1]: fn.smallest_count(2 * more, delta, mu),
    }
    yield from _sizes(card, sizes, None)
    needs = (given.SUB_GAUSSIAN, given.POSITIVE, given.LARGE_SCALE)
    yield is_assumed(card, needs, LEARN)
    alone = [q.name for q in card.quantities if q.assumptions]
    yield cases(
        lambda name: name in alone, {"needs (4m + 3)^2 >= 49 mu^2": ["closed form"]}, complete=True
    )


def _sizes(card: Claim, sizes: Mapping[str, Expr], when: Rel | None) -> Parts:
    made = {
        name: Quantity(name, "explorations", (Term("explorations", size, None, when),), Arms.ALL)
        for name, size in sizes.items()
    }
    for quantity in made.values():
        yield is_term(card, quantity.terms[0], quantity.name)
    yield is_whole(card, made)


REACH = Proof("sharp-5.3b", "sharp-5.3b")


@REACH.step("a", "theory, sample sizes: d is reached", TWO_MEANS, three=2)
def _reached(three: int = 3) -> Parts:
    """m (mu - phi) > (d - 1)(mu + phi + 2 phi) exactly if (m + 3d - 3) phi < (m - d + 1) mu; d = 1
    asks nothing, as m >= 1."""
    left = m * (mu - x) - (d - 1) * (mu + 3 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - (m + three * d - 3) * x).on(points)


@REACH.step("b", "theory, sample sizes: the typical size", "a, capacity-reaches-threshold", two=1)
def typically_reached(two: int = 2) -> Parts:
    """With exact means m mu > (d - 1)(mu + 2 phi) exactly if 2 (d - 1) phi < (m - d + 1) mu."""
    left = m * mu - (d - 1) * (mu + 2 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - two * (d - 1) * x).on(points)


@REACH.step("c", "theory, sample sizes: the card", "a, b", three=2, two=1)
def _reaches(theory: Theory, three: int = 3, two: int = 2) -> Parts:
    """The sizes of the card, for every arm and d >= 2, are the least x at which a and b hold."""
    card, room = theory.cards[REACH.claim], (m - d + 1) * mu
    sizes = (
        fn.smallest_count(m + three * d - 3, delta, room),
        fn.smallest_count(two * (d - 1), delta, room),
    )
    yield from _sizes(card, dict(zip(SIZES, sizes, strict=True)), Ge(d, 2))
    yield is_assumed(card, (given.SUB_GAUSSIAN, given.POSITIVE, given.CAPACITY_REACHES), REACH)


STEPS = (*LEARN, *REACH)
