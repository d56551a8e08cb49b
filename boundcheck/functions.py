"""Functions that formulas are built from, each defined once.

A `Defined` function carries its formula as an expression in its own parameters; a `Primitive` is
computed by the evaluator itself, because no elementary formula covers its limits (0 log 0) or
because it is the solution of an equation, or stands for a function of each reward law (`BY_LAW`).
Notation: F(x) = log x + 1/x - 1; phi is the uniform width, rho Hoeffding's, psi the joint width;
KL(a, b) is the divergence of a X from b X for a Gaussian X with signal-to-noise
theta2 = mu^2 / sigma^2; a Beta reward of mean mu and concentration c is Beta(mu c, (1 - mu) c).
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from sympy import Dummy, Expr, Function, Integer, Max, Min, Symbol, exp, log, nan, oo, pi, sqrt

from boundcheck.claim import Range
from boundcheck.ranks import Arms
from boundcheck.symbols import concentration, sigma2


class Primitive(Function):  # type: ignore[misc]
    """Evaluated by each numeric domain on its own."""

    latex_form: ClassVar[str]

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = self.latex_form.format(*(printer._print(a) for a in self.args))
        return rf"{{{text}}}^{{{exp}}}" if exp else text


class Defined(Primitive):
    """A function with a formula."""

    @classmethod
    def formula(cls, *parameters: Symbol) -> Expr:
        raise TypeError(f"{cls.__name__} has no formula")  # every subclass gives its own

    @classmethod
    @cache
    def definition(cls) -> tuple[tuple[Symbol, ...], Expr, frozenset[Symbol]]:
        """Parameters, the expression in them, and the symbols it takes from around it."""
        (count,) = cls.nargs
        parameters = tuple(Dummy(f"x{i}") for i in range(count))
        body = cls.formula(*parameters)
        return parameters, body, frozenset(body.free_symbols) - set(parameters)


class rel_entr(Primitive):
    """p log(p/q) with 0 log(0/q) = 0 and p log(p/0) = infinity."""

    nargs = 2
    latex_form = r"{0}\log\frac{{{0}}}{{{1}}}"


class loggamma(Primitive):
    nargs = 1
    latex_form = r"\log\Gamma({0})"


class digamma(Primitive):
    nargs = 1
    latex_form = r"\digamma({0})"


class mean_log(Primitive):
    """E log(1 - X m/(m + 1)) for X of the law Beta(a, b): arguments a, b, m (see `beta_law`)."""

    nargs = 3
    latex_form = r"\mathbb{{E}}_{{{0},{1}}}\log\left(1-\tfrac{{{2}}}{{{2}+1}}X\right)"


class kl(Primitive):
    """Divergence of a mean p from a mean q as the published formulas have it.

    Gaussian laws of one variance: (p - q)^2 / (2 sigma^2). Laws on [0, 1]: that of two Bernoulli
    laws, whatever the law itself.
    """

    nargs = 2
    latex_form = r"\mathrm{{kl}}({0},{1})"


class kl_bernoulli(Defined):
    nargs = 2
    latex_form = r"\mathrm{{kl_{{Ber}}}}({0},{1})"

    @classmethod
    def formula(cls, p: Symbol, q: Symbol) -> Expr:
        return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


class kl_gaussian(Defined):
    nargs = 2
    latex_form = r"\mathrm{{kl_{{Gauss}}}}({0},{1})"

    @classmethod
    def formula(cls, p: Symbol, q: Symbol) -> Expr:
        return (p - q) ** 2 / (2 * sigma2)


class law_divergence(Primitive):
    """Divergence of the reward law of mean p from that of mean q, known but for the mean.

    It is `kl` except for Beta rewards, where it is that of the two Beta laws.
    """

    nargs = 2
    latex_form = r"\mathrm{{KL}}(\nu_{{{0}}},\nu_{{{1}}})"


class kl_beta(Defined):
    nargs = 2
    latex_form = r"\mathrm{{kl_{{Beta}}}}({0},{1})"

    @classmethod
    def formula(cls, p: Symbol, q: Symbol) -> Expr:
        a, b = p * concentration, (1 - p) * concentration
        other_a, other_b = q * concentration, (1 - q) * concentration
        normalisers = loggamma(other_a) + loggamma(other_b) - loggamma(a) - loggamma(b)
        return normalisers + (a - other_a) * (digamma(a) - digamma(b))


class F(Defined):
    nargs = 1
    latex_form = r"F\left({0}\right)"

    @classmethod
    def formula(cls, x: Symbol) -> Expr:
        return log(x) + 1 / x - 1


class KL(Defined):
    """Divergence of a X from b X, X Gaussian with mu^2 / sigma^2 = theta2."""

    nargs = 3
    latex_form = r"\mathrm{{KL}}\left({0}\,\Vert\,{1}\right)"

    @classmethod
    def formula(cls, a: Symbol, b: Symbol, theta2: Symbol) -> Expr:
        return F((b / a) ** 2) / 2 + (b - a) ** 2 * theta2 / (2 * b**2)


class capacity_divergence(Primitive):
    """What one surplus play on an arm of capacity m and mean mu tells against capacity m + 1.

    That is the divergence of m X from (m + 1) X in the reward law at hand.
    """

    nargs = 2
    latex_form = r"D({0},{1})"


class capacity_divergence_gaussian(Defined):
    nargs = 2
    latex_form = r"D_{{Gauss}}({0},{1})"

    @classmethod
    def formula(cls, m: Symbol, mu: Symbol) -> Expr:
        return KL(m, m + 1, mu**2 / sigma2)


class capacity_divergence_bernoulli(Defined):
    """One success decides."""

    nargs = 2
    latex_form = r"D_{{Ber}}({0},{1})"

    @classmethod
    def formula(cls, m: Symbol, mu: Symbol) -> Expr:
        return oo


class capacity_divergence_beta(Defined):
    nargs = 2
    latex_form = r"D_{{Beta}}({0},{1})"

    @classmethod
    def formula(cls, m: Symbol, mu: Symbol) -> Expr:
        a, b = mu * concentration, (1 - mu) * concentration
        return a * log(1 + 1 / m) + (b - 1) * (
            digamma(b) - digamma(concentration) - mean_log(a, b, m)
        )


class no_divergence(Defined):
    """Of a law that is not known but for its mean."""

    nargs = 2
    latex_form = r"\mathrm{{nan}}({0},{1})"

    @classmethod
    def formula(cls, p: Symbol, q: Symbol) -> Expr:
        return nan


BY_LAW: dict[type[Primitive], dict[str, type[Defined]]] = {
    kl: {
        "gaussian": kl_gaussian,
        "gaussian-by-arm": kl_gaussian,  # of the largest variance
        "bernoulli": kl_bernoulli,
        "beta": kl_bernoulli,
        "empirical": kl_bernoulli,
    },
    law_divergence: {
        "gaussian": kl_gaussian,
        "gaussian-by-arm": no_divergence,
        "bernoulli": kl_bernoulli,
        "beta": kl_beta,
        "empirical": no_divergence,
    },
    capacity_divergence: {
        "gaussian": capacity_divergence_gaussian,
        "gaussian-by-arm": no_divergence,
        "bernoulli": capacity_divergence_bernoulli,
        "beta": capacity_divergence_beta,
        "empirical": no_divergence,
    },
}


class logbar(Defined):
    nargs = 1
    latex_form = r"\overline{{\log}}\left({0}\right)"

    @classmethod
    def formula(cls, x: Symbol) -> Expr:
        return Max(log(x), 1, evaluate=False)


class geometric(Defined):
    """The sum of exp(-n x) over n >= 1: 0 for x infinite."""

    nargs = 1
    latex_form = r"g\left({0}\right)"

    @classmethod
    def formula(cls, x: Symbol) -> Expr:
        return exp(-x) / (1 - exp(-x))


class phi(Defined):
    nargs = 2
    latex_form = r"\phi({0},{1})"

    @classmethod
    def formula(cls, x: Symbol, delta: Symbol) -> Expr:
        return sqrt((1 + 1 / x) * log(2 * sqrt(x + 1) / delta) / (2 * x))


class rho(Defined):
    nargs = 2
    latex_form = r"\rho({0},{1})"

    @classmethod
    def formula(cls, x: Symbol, delta: Symbol) -> Expr:
        return sqrt(log(2 / delta) / (2 * x))


class psi(Defined):
    """The joint width for tau individual and iota united explorations, scale sigma."""

    nargs = 4
    latex_form = r"\psi({0},{1},{2})"

    @classmethod
    def formula(cls, tau: Symbol, iota: Symbol, delta: Symbol, variance: Symbol) -> Expr:
        spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
        return sqrt(2 * variance * spread * log(sqrt((tau + 1) * (iota + 1)) / delta))


class U(Defined):
    """Deviation allowed to an empirical gap after tau explorations."""

    nargs = 2
    latex_form = r"U({0},{1})"

    @classmethod
    def formula(cls, tau: Symbol, T: Symbol) -> Expr:
        return 2 * sqrt(2 * logbar(T / tau) / tau)


class smallest_count(Primitive):
    """Smallest x = 1, 2, ... with c phi(x, delta) < r: arguments c, delta, r.

    phi decreases to 0 in x, so the set of such x is everything from the smallest one on, and is
    empty exactly if r <= 0.
    """

    nargs = 3
    latex_form = r"\min\{{x\in\mathbb{{N}}:{0}\,\phi(x,{1})<{2}\}}"


class two_point_error(Primitive):
    """Minimax error of telling capacity a from b after n plays at load b or more.

    Arguments a, b, theta2, n: see `boundcheck.two_point`.
    """

    nargs = 4
    latex_form = r"e^*_{{{3}}}({0},{1})"


class OverArms(Primitive):
    """A number that all arms of a range share: the sum, or the largest, of what it is given."""

    over: ClassVar[Range]
    largest: ClassVar[bool] = False


class sum_optimal(OverArms):
    nargs = 1
    latex_form = r"\sum_{{j\le L}}\left({0}\right)_{{k=j}}"
    over = Arms.OPTIMAL


class sum_suboptimal(OverArms):
    nargs = 1
    latex_form = r"\sum_{{j>L}}\left({0}\right)_{{k=j}}"
    over = Arms.SUBOPTIMAL


class largest_optimal(OverArms):
    nargs = 1
    latex_form = r"\max_{{j\le L}}\left({0}\right)_{{k=j}}"
    over, largest = Arms.OPTIMAL, True


class most_plays(Defined):
    """More than any n with n d <= l + r(n), r(n) = log(pi (n + 1/2)) / 2: arguments d, l.

    By the tangent of r at 3 l/(2 d), for 3 l + d > 1. A d above 100 counts as 100.
    """

    nargs = 2
    latex_form = r"Q\left({0},{1}\right)"

    @classmethod
    def formula(cls, d: Symbol, level: Symbol) -> Expr:
        d = Min(d, Integer(100))
        price = log(pi * (3 * level / (2 * d) + Integer(1) / 2)) / 2
        slope = d * (3 * level + d - 1)
        return ((3 * level + d) * (level + price) - 3 * level / 2) / slope


class chance_above(Primitive):
    """A chance that X > b/(b + 1) surely has, if X has the mean mu: arguments b, mu."""

    nargs = 2
    latex_form = r"p_{{{0}}}({1})"


class chance_above_bernoulli(Defined):
    nargs = 2
    latex_form = r"p_{{{0}}}({1})"

    @classmethod
    def formula(cls, b: Symbol, mu: Symbol) -> Expr:
        return mu


class chance_above_bounded(Defined):
    """mu <= b/(b + 1) + P(X > b/(b + 1))/(b + 1) for every X in [0, 1]."""

    nargs = 2
    latex_form = r"p_{{{0}}}({1})"

    @classmethod
    def formula(cls, b: Symbol, mu: Symbol) -> Expr:
        return Max((b + 1) * mu - b, 0)


class no_chance(Defined):
    """Of a law without bounds."""

    nargs = 2
    latex_form = r"0({0},{1})"

    @classmethod
    def formula(cls, b: Symbol, mu: Symbol) -> Expr:
        return Integer(0)


BY_LAW[chance_above] = {
    "bernoulli": chance_above_bernoulli,
    "beta": chance_above_bounded,
    "empirical": chance_above_bounded,
    "gaussian": no_chance,
    "gaussian-by-arm": no_chance,
}
