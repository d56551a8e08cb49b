"""The functions in our bound on the regret of OrchExplore, each defined once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Rational, Symbol, erfc, pi, sqrt

from boundcheck.claims import functions as fn
from boundcheck.claims.card import Range
from boundcheck.claims.functions import BesideArms, ByLaw, OfAllArms, Primitive, by_law, defined
from boundcheck.claims.unevaluated import exp
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.functions import geometric
from boundcheck.theories.shareable_arms.ranks import Arms

if TYPE_CHECKING:
    from boundcheck.calculator.numbers.domains import Array, Domain

OTHER = {s.mu_j: s.mu, s.m_j: s.m, s.fall_j: s.below_last}


class binomial_above(Primitive):
    """The chances P(B >= n z), B binomial (n, mu), for all n up to a limit, and Chernoff's
    beyond it: arguments z, mu and the limit; see `exact.tail_sums`."""

    nargs = 3
    latex_form = r"\sum_n P(B_n\ge n\,{0}),\,B_n\sim\mathrm{{Bin}}(n,{1})"

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.tail_sums import BINOMIAL

        return domain.own(BINOMIAL, *arguments)


class convex_above(Primitive):
    """The same with E(B - t)_+/(n z - t), an upper bound for every law on [0, 1] with mean mu."""

    nargs = 3
    latex_form = r"\sum_n\min_t E(B_n-t)_+/(n\,{0}-t),\,B_n\sim\mathrm{{Bin}}(n,{1})"

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.tail_sums import CONVEX

        return domain.own(CONVEX, *arguments)


@defined(r"h\left({0}\right)")
def normal_sum(x: Symbol) -> Expr:
    """An upper bound on the sum over n >= 1 of P(a standard normal variable >= sqrt(2 n x)): the
    integral from 1/2 on, since the terms are convex in n.
    """
    beyond = erfc(sqrt(x / 2)) / 2
    return sqrt(x) * exp(-x / 2) / (2 * x * sqrt(2 * pi)) + beyond / (2 * x) - beyond / 2


@defined(r"U({0};{1})")
def above_bernoulli(z: Symbol, mu: Symbol) -> Expr:
    return binomial_above(z, mu, s.summed)


@defined(r"V({0};{1})")
def below_bernoulli(z: Symbol, mu: Symbol) -> Expr:
    return binomial_above(1 - z, 1 - mu, s.summed)


@defined(r"U({0};{1})")
def above_bounded(z: Symbol, mu: Symbol) -> Expr:
    return convex_above(z, mu, s.summed)


@defined(r"V({0};{1})")
def below_bounded(z: Symbol, mu: Symbol) -> Expr:
    return convex_above(1 - z, 1 - mu, s.summed)


@defined(r"h(\mathrm{{kl}}({0},{1}))")
def beyond_gaussian(z: Symbol, mu: Symbol) -> Expr:
    return normal_sum(fn.kl_gaussian.formula(z, mu))


@defined(r"h(\mathrm{{kl}}({0},{1}))")
def nearly_bernoulli(z: Symbol, mu: Symbol) -> Expr:
    """An approximation that is fast to compute, for choosing levels."""
    return normal_sum(fn.kl_bernoulli.formula(z, mu))


@defined(r"g(\mathrm{{kl}}({0},{1}))")
def nearly_bounded(z: Symbol, mu: Symbol) -> Expr:
    return Rational(3, 5) * geometric(fn.kl_bernoulli.formula(z, mu))


_GAUSSIAN = {"gaussian": beyond_gaussian, "gaussian_by_arm": beyond_gaussian}


class nearly(ByLaw):
    """Approximations of `above` and `below`."""

    nargs = 2
    latex_form = r"\approx U({0};{1})"
    laws = by_law(nearly_bounded, bernoulli=nearly_bernoulli, **_GAUSSIAN)


class above(ByLaw):
    """The expected number of counts n >= 1 at which a mean of n rewards is at least z > mu."""

    nargs = 2
    latex_form = r"U({0};{1})"
    laws = by_law(above_bounded, bernoulli=above_bernoulli, **_GAUSSIAN)
    rough = nearly


class below(ByLaw):
    """The expected number of counts n >= 1 at which a mean of n rewards is at most z < mu."""

    nargs = 2
    latex_form = r"V({0};{1})"
    laws = by_law(below_bounded, bernoulli=below_bernoulli, **_GAUSSIAN)
    rough = nearly


class sum_beyond(BesideArms):
    latex_form = r"\sum_{{j>L}}\left({0}\right)"
    over, inner = Arms.SUBOPTIMAL, OTHER


class sum_far_beyond(BesideArms):
    latex_form = r"\sum_{{j>L+1}}\left({0}\right)"
    over, inner = Range(">", s.L + 1, s.rank), OTHER


class sum_worse(BesideArms):
    latex_form = r"\sum_{{j:\,\mu_j<\mu_k}}\left({0}\right)"
    over, inner, worse = Arms.ALL, OTHER, True


class learning(OfAllArms):
    """The regret of slots that learn the capacity of an arm before L: see `exact.learning`.

    Arguments mu, m, N, L, mbar, f*, T, sigma2.
    """

    nargs = 8
    latex_form = r"\mathrm{{Cap}}_k"

    @classmethod
    def whole(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.learning import plays_filled

        return plays_filled(domain, *arguments)


class learning_last(OfAllArms):
    """The same for arm L, while l_L < mbar."""

    nargs = 8
    latex_form = r"\mathrm{{Cap}}_L"

    @classmethod
    def whole(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.learning import last

        return last(domain, *arguments)
