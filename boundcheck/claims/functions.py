"""Functions that formulas are built from, each defined once.

A `Defined` function carries its formula as an expression in its own parameters; a `Primitive` is
computed in each domain of numbers by itself, because no elementary formula covers its limits (0 log
0) or because it solves an equation; `ByLaw` stands for a function of each reward law. A theory adds
its own. A Beta reward of mean mu and concentration c is Beta(mu c, (1 - mu) c).
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
    """Computed by each domain of numbers, by the name of the function unless it says otherwise."""

    latex_form: ClassVar[str]
    rough: ClassVar[Any] = None  # a function about as large and quicker, to choose levels by

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
        """Parameters, the expression in them, and the symbols it takes from around it."""
        (count,) = cls.nargs
        parameters = tuple(Dummy(f"x{i}") for i in range(count))
        body = cls.formula(*parameters)
        return parameters, body, frozenset(body.free_symbols) - set(parameters)


def defined(latex_form: str) -> Callable[[Callable[..., Expr]], type[Defined]]:
    """The function of a formula, as SymPy knows functions."""

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
    """Another function for each law of rewards."""

    laws: ClassVar[Mapping[str, type[Primitive]]]


def by_law(others: type[Primitive], **known: type[Primitive]) -> Mapping[str, type[Primitive]]:
    """What the laws have that are named, and what the others have."""
    names = ("bernoulli", "beta", "empirical", "gaussian", "gaussian-by-arm")
    return {name: known.get(name.replace("-", "_"), others) for name in names}


class AcrossArms(Primitive):
    """What takes values of other arms: a setting computes it, which has them all."""


class OverArms(AcrossArms):
    """A number that all arms of a range share: the sum, or the largest, of what it is given."""

    over: ClassVar[Range]
    largest: ClassVar[bool] = False


class BesideArms(AcrossArms):
    """For each arm k the sum, over the arms j of a range, of what depends on both.

    `inner` has the symbols of arm j and those of any arm that they stand for; with `worse` only
    arms j of a smaller mean than that of k count.
    """

    nargs = 1
    over: ClassVar[Range]
    inner: ClassVar[Mapping[Symbol, Symbol]]
    worse: ClassVar[bool] = False


class OfAllArms(AcrossArms):
    """For each arm a number that takes what it is given of all arms."""

    @classmethod
    def whole(cls, domain: Domain, *arguments: Array) -> Array:
        """Of arrays of points by arms, or by one: the same for the result."""
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
    """Of a law that is not known but for its mean."""
    return nan


class kl(ByLaw):
    """Divergence of a mean p from a mean q as the published formulas have it.

    Gaussian laws of one variance: (p - q)^2 / (2 sigma^2). Laws on [0, 1]: that of two Bernoulli
    laws, whatever the law itself.
    """

    nargs = 2
    latex_form = r"\mathrm{{kl}}({0},{1})"
    # of the largest variance where each arm has its own
    laws = by_law(kl_bernoulli, gaussian=kl_gaussian, gaussian_by_arm=kl_gaussian)


class law_divergence(ByLaw):
    """Divergence of the reward law of mean p from that of mean q, known but for the mean.

    It is `kl` except for Beta rewards, where it is that of the two Beta laws.
    """

    nargs = 2
    latex_form = r"\mathrm{{KL}}(\nu_{{{0}}},\nu_{{{1}}})"
    laws = by_law(no_divergence, gaussian=kl_gaussian, bernoulli=kl_bernoulli, beta=kl_beta)
