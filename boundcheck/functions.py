"""Functions that formulas are built from, each defined once.

A `Defined` function carries its formula as an expression in its own parameters; a `Primitive` is
computed by the evaluator itself, because no elementary formula covers its limits (0 log 0) or
because it is the solution of an equation. Notation: F(x) = log x + 1/x - 1; phi is the uniform
width, rho Hoeffding's, psi the joint width; KL(a, b) is the divergence of a X from b X for a
Gaussian X with signal-to-noise theta2 = mu^2 / sigma^2.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from sympy import Dummy, Expr, Function, Max, Symbol, log, sqrt

from boundcheck.symbols import sigma2


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


class kl(Primitive):
    """Divergence of a mean p from a mean q in the law at hand.

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
    """What one surplus play on an arm of capacity m tells against capacity m + 1.

    Gaussian: KL(m, m + 1). Bernoulli: infinite, one success decides.
    """

    nargs = 2
    latex_form = r"D({0},{1})"


class logbar(Defined):
    nargs = 1
    latex_form = r"\overline{{\log}}\left({0}\right)"

    @classmethod
    def formula(cls, x: Symbol) -> Expr:
        return Max(log(x), 1, evaluate=False)


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
