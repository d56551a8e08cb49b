"""Functions that formulas use, each defined once.

A `Defined` function has a formula in its own parameters. A `Primitive` is computed in each number
domain separately, because no elementary formula covers its limits (0 log 0) or because it solves an
equation. `ByLaw` is a function that differs by reward law. A theory adds its own. A Beta reward of
mean mu and concentration c is Beta(mu c, (1 - mu) c).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Dummy, Expr, Function, Symbol, log, nan
from sympy.core.function import FunctionClass

from boundcheck.claims.card import Range
from boundcheck.claims.symbols import concentration, sigma2
from boundcheck.claims.unevaluated import Max

if TYPE_CHECKING:
    from boundcheck.calculator.numbers.domains import Array, Domain


class Primitive(Function):  # type: ignore[misc]
    """A function that each number domain computes, by default with its method of the same name."""

    latex_form: ClassVar[str]
    rough: ClassVar[Any] = None  # a faster approximation, used to choose free levels

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = self.latex_form.format(*(printer._print(a) for a in self.args))
        return rf"{{{text}}}^{{{exp}}}" if exp else text

    @classmethod
    def compute(cls, domain: Domain, *arguments: Array) -> Array:
        return domain.apply(cls.__name__, *arguments)


class Defined(Primitive):
    """A function with a formula; see `defined`."""

    formula: ClassVar[Callable[..., Expr]]

    @classmethod
    @cache
    def definition(cls) -> tuple[tuple[Symbol, ...], Expr, frozenset[Symbol]]:
        """Its parameters, the expression in them, and the expression's other free symbols."""
        (count,) = cls.nargs
        parameters = tuple(Dummy(f"x{i}") for i in range(count))
        body = cls.formula(*parameters)
        return parameters, body, frozenset(body.free_symbols) - set(parameters)


def defined(latex_form: str) -> Callable[[Callable[..., Expr]], type[Defined]]:
    """Decorator: the SymPy function whose value is the decorated formula."""

    def function(formula: Callable[..., Expr]) -> type[Defined]:
        body = {
            "nargs": formula.__code__.co_argcount,
            "latex_form": latex_form,
            "formula": staticmethod(formula),
            "__module__": formula.__module__,
            "__doc__": formula.__doc__,
        }
        made: type[Defined] = FunctionClass(formula.__name__, (Defined,), body)
        return made

    return function


class ByLaw(Primitive):
    """A function that is defined separately for each reward law."""

    laws: ClassVar[Mapping[str, type[Primitive]]]


def by_law(others: type[Primitive], **known: type[Primitive]) -> Mapping[str, type[Primitive]]:
    """A function for each reward law: the one given for its name, else `others`."""
    names = ("bernoulli", "beta", "empirical", "gaussian", "gaussian-by-arm")
    return {name: known.get(name.replace("-", "_"), others) for name in names}


class AcrossArms(Primitive):
    """A function whose value depends on several arms; the setting computes it."""


class OverArms(AcrossArms):
    """A number shared by all arms of a range: the sum, or the largest, of its argument over
    them.
    """

    over: ClassVar[Range]
    largest: ClassVar[bool] = False


class BesideArms(AcrossArms):
    """For each arm k the sum, over the arms j of a range, of an expression in both.

    `inner` maps the symbols of arm j to the symbols they are copies of; with `worse`, only arms j
    with a smaller mean than arm k are summed.
    """

    nargs = 1
    over: ClassVar[Range]
    inner: ClassVar[Mapping[Symbol, Symbol]]
    worse: ClassVar[bool] = False


class OfAllArms(AcrossArms):
    """For each arm a number that depends on its argument's values for all arms."""

    @classmethod
    def whole(cls, domain: Domain, *arguments: Array) -> Array:
        """Compute it from arrays of shape (points, arms) or (points, 1); the result has the same
        shape.
        """
        raise NotImplementedError


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


@defined(r"\overline{{\log}}\left({0}\right)")
def logbar(x: Symbol) -> Expr:
    return Max(log(x), 1)


@defined(r"\mathrm{{kl_{{Ber}}}}({0},{1})")
def kl_bernoulli(p: Symbol, q: Symbol) -> Expr:
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


@defined(r"\mathrm{{kl_{{Gauss}}}}({0},{1})")
def kl_gaussian(p: Symbol, q: Symbol) -> Expr:
    return (p - q) ** 2 / (2 * sigma2)


@defined(r"\mathrm{{kl_{{Beta}}}}({0},{1})")
def kl_beta(p: Symbol, q: Symbol) -> Expr:
    a, b = p * concentration, (1 - p) * concentration
    other_a, other_b = q * concentration, (1 - q) * concentration
    normalisers = loggamma(other_a) + loggamma(other_b) - loggamma(a) - loggamma(b)
    return normalisers + (a - other_a) * (digamma(a) - digamma(b))


@defined(r"\mathrm{{nan}}({0},{1})")
def no_divergence(p: Symbol, q: Symbol) -> Expr:
    """For a law that is known only by its mean."""
    return nan


class kl(ByLaw):
    """Divergence of a mean p from a mean q, as in the published formulas.

    Gaussian laws of one variance: (p - q)^2 / (2 sigma^2). Laws on [0, 1]: that of two Bernoulli
    laws, whatever the law is.
    """

    nargs = 2
    latex_form = r"\mathrm{{kl}}({0},{1})"
    # with the largest variance where variances differ by arm
    laws = by_law(kl_bernoulli, gaussian=kl_gaussian, gaussian_by_arm=kl_gaussian)


class law_divergence(ByLaw):
    """Divergence of the reward law of mean p from that of mean q, for laws known up to the mean.

    It is `kl` except for Beta rewards, where it is the divergence of the two Beta laws.
    """

    nargs = 2
    latex_form = r"\mathrm{{KL}}(\nu_{{{0}}},\nu_{{{1}}})"
    laws = by_law(no_divergence, gaussian=kl_gaussian, bernoulli=kl_bernoulli, beta=kl_beta)
