"""The functions in the paper's formulas, and in ours, each defined once.

Notation: F(x) = log x + 1/x - 1; the widths phi, rho, psi and U are those of widths.py; KL(a, b) is
the divergence of a X from b X for a Gaussian X with signal-to-noise theta2 = mu^2 / sigma^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Symbol, exp, log, oo

from boundcheck.claims import functions as fn
from boundcheck.claims.functions import ByLaw, Primitive, by_law, defined, digamma
from boundcheck.claims.unevaluated import Min
from boundcheck.theories.shareable_arms.symbols import concentration, sigma2
from boundcheck.theories.shareable_arms.widths import U as U
from boundcheck.theories.shareable_arms.widths import phi as phi
from boundcheck.theories.shareable_arms.widths import psi as psi
from boundcheck.theories.shareable_arms.widths import rho as rho

if TYPE_CHECKING:
    from boundcheck.calculator.numbers.domains import Array, Domain


@defined(r"F\left({0}\right)")
def F(x: Symbol) -> Expr:
    return log(x) + 1 / x - 1


@defined(r"\mathrm{{KL}}\left({0}\,\Vert\,{1}\right)")
def KL(a: Symbol, b: Symbol, theta2: Symbol) -> Expr:
    """Divergence of a X from b X, X Gaussian with mu^2 / sigma^2 = theta2."""
    return F((b / a) ** 2) / 2 + (b - a) ** 2 * theta2 / (2 * b**2)


# -- sizes and errors --------------------------------------------------------------------


class smallest_count(Primitive):
    """Smallest x = 1, 2, ... with c phi(x, delta) < r: arguments c, delta, r.

    phi decreases to 0 in x, so the set of such x is everything from the smallest one on, and is
    empty exactly if r <= 0.
    """

    nargs = 3
    latex_form = r"\min\{{x\in\mathbb{{N}}:\left({0}\right)\,\phi(x,{1})<{2}\}}"

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.first_count import counts

        return counts(domain, *arguments)


class two_point_error(Primitive):
    """Minimax error of distinguishing capacity a from b after n plays at load b or more.

    Arguments a, b, theta2, n: see `exact.two_point`.
    """

    nargs = 4
    latex_form = r"e^*_{{{3}}}({0},{1})"

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.two_point import ERROR

        return domain.own(ERROR, *arguments)


# -- information of a surplus play on a capacity -----------------------------------------


class mean_log(Primitive):
    """E log(1 - X m/(m + 1)) for X of the law Beta(a, b): arguments a, b, m."""

    nargs = 3
    latex_form = r"\mathbb{{E}}_{{{0},{1}}}\log\left(1-\tfrac{{{2}}}{{{2}+1}}X\right)"

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        from boundcheck.theories.shareable_arms.exact.beta_law import MEAN_LOG

        return domain.own(MEAN_LOG, *arguments)


@defined(r"D_{{Gauss}}({0},{1})")
def capacity_divergence_gaussian(m: Symbol, mu: Symbol) -> Expr:
    return KL(m, m + 1, mu**2 / sigma2)


@defined(r"D_{{Ber}}({0},{1})")
def capacity_divergence_bernoulli(m: Symbol, mu: Symbol) -> Expr:
    """One success reveals the capacity."""
    return oo


@defined(r"D_{{Beta}}({0},{1})")
def capacity_divergence_beta(m: Symbol, mu: Symbol) -> Expr:
    a, b = mu * concentration, (1 - mu) * concentration
    rest = digamma(b) - digamma(concentration) - mean_log(a, b, m)
    return a * log(1 + 1 / m) + (b - 1) * rest


_TOLD = {
    "gaussian": capacity_divergence_gaussian,
    "bernoulli": capacity_divergence_bernoulli,
    "beta": capacity_divergence_beta,
}


class capacity_divergence(ByLaw):
    """The information of one surplus play, on an arm of capacity m and mean mu, against capacity m
    + 1.

    It is the divergence of m X from (m + 1) X under the reward law.
    """

    nargs = 2
    latex_form = r"D({0},{1})"
    laws = by_law(fn.no_divergence, **_TOLD)


class capacity_divergence_bounded(ByLaw):
    """`capacity_divergence` for rewards in [0, 1]: infinite where it is not known."""

    nargs = 2
    latex_form = r"D({0},{1})"
    laws = by_law(fn.no_divergence, empirical=capacity_divergence_bernoulli, **_TOLD)


# -- series --------------------------------------------------------------------------


@defined(r"g\left({0}\right)")
def geometric(x: Symbol) -> Expr:
    """The sum of exp(-n x) over n >= 1: 0 for x infinite."""
    return exp(-x) / (1 - exp(-x))


# -- where the law is not known ----------------------------------------------------------


@defined(r"\log\tfrac{{1-{0}}}{{1-{1}}}")
def mixed_divergence(p: Symbol, q: Symbol) -> Expr:
    """The divergence of the law from its mixture with a point mass at 1."""
    return log((1 - p) / (1 - q))


@defined(r"\overline{{K}}_{{Beta}}({0},{1})")
def near_divergence_beta(p: Symbol, q: Symbol) -> Expr:
    return Min(fn.kl_beta.formula(p, q), mixed_divergence.formula(p, q))


class near_divergence(ByLaw):
    """A lower bound on the divergence of a law of mean p on [0, 1] from any law of mean q > p."""

    nargs = 2
    latex_form = r"\overline{{K}}_{{\inf}}({0},{1})"
    laws = by_law(
        fn.no_divergence,
        bernoulli=fn.kl_bernoulli,
        beta=near_divergence_beta,
        empirical=mixed_divergence,
        gaussian=fn.kl_gaussian,
    )
