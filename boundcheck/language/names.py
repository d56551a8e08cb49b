"""The names that a claim's text can use: symbols, functions, ranges of arms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import sympy
from sympy.printing.pretty.stringpict import prettyForm

from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Range
from boundcheck.claims.functions import ByLaw, OverArms, Primitive, by_law, defined, kl
from boundcheck.claims.unevaluated import Max, Min, exp, log

UNKNOWN = sympy.Symbol("?", positive=True)  # stands for `?`, the constant to be found
WORSE, BEST = Range(">", 0, s.gap), Range("==", 0, s.gap)
RANGES = {"all": EVERY_ARM, "worse": WORSE, "best": BEST}
_SIGNS = {"≤": "<=", "≥": ">=", "=": "=="}
_RELATIONS = (">", ">=", "<", "<=", "==")


class OfArms(OverArms):
    """Sum or largest value of args[0] over the arms with args[1] (relation number args[3])
    args[2].
    """

    nargs = 4
    sign: ClassVar[str]

    @property
    def over(self) -> Range:  # type: ignore[override]
        subject, border, relation = self.args[1:]
        return Range(_RELATIONS[int(relation)], border, None if subject == s.rank else subject)

    @classmethod
    def of(cls, body: sympy.Expr, over: Range) -> OfArms:
        subject = s.rank if over.subject is None else over.subject
        border = sympy.Integer(over.border) if isinstance(over.border, int) else over.border
        made: OfArms = cls(body, subject, border, _RELATIONS.index(over.relation))
        return made

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"{self.sign}_{{{self.over.limits}}} {printer._print(self.args[0])}"
        return rf"\left({text}\right)^{{{exp}}}" if exp else text

    def _pretty(self, printer: Any) -> prettyForm:
        body = printer._print(self.args[0])
        return drawn_over("∑" if self.sign == r"\sum" else "max", self.over, body, self.args[0])


class ArmSum(OfArms):
    sign = r"\sum"


class ArmLargest(OfArms):
    sign = r"\max"
    largest = True


def drawn_over(sign: str, over: Range, body: prettyForm, expression: sympy.Expr) -> prettyForm:
    """A sum in Unicode art: the sign above the name of the range."""
    named = {arms: name for name, arms in RANGES.items()}
    label = named.get(over) or over.words
    if expression.is_Add:
        body = prettyForm(*body.parens())
    return prettyForm(*prettyForm(*prettyForm(sign).below(label)).right(" ", body))


class floor(Primitive):
    nargs = 1
    latex_form = r"\lfloor {0} \rfloor"


class ceil(Primitive):
    nargs = 1
    latex_form = r"\lceil {0} \rceil"


@defined(r"{0}(1-{0})")
def _of_coin(mean: sympy.Symbol) -> sympy.Expr:
    return mean * (1 - mean)


@defined(r"\sigma^2")
def _of_normal(mean: sympy.Symbol) -> sympy.Expr:
    return s.sigma2


@defined(r"{0}(1-{0})/(1+c)")
def _of_beta(mean: sympy.Symbol) -> sympy.Expr:
    return mean * (1 - mean) / (1 + s.concentration)


@defined(r"\mathrm{{nan}}({0})")
def _not_known(mean: sympy.Symbol) -> sympy.Expr:
    return sympy.nan


class variance_of(ByLaw):
    """The variance of a reward, by reward law."""

    nargs = 1
    latex_form = r"\mathrm{{Var}}({0})"
    laws = by_law(_not_known, bernoulli=_of_coin, gaussian=_of_normal, beta=_of_beta)


Function = Callable[..., sympy.Expr]
# name -> number of arguments, function, description
FUNCTIONS: Mapping[str, tuple[range, Function, str]] = {
    "log": (range(1, 2), log, "natural logarithm"),
    "ln": (range(1, 2), log, "natural logarithm"),
    "exp": (range(1, 2), exp, "exponential"),
    "sqrt": (range(1, 2), sympy.sqrt, "square root"),
    "min": (range(2, 10), Min, "smallest of its arguments"),
    "max": (range(2, 10), Max, "largest of its arguments"),
    "abs": (range(1, 2), lambda x: Max(x, -x), "absolute value"),
    "floor": (range(1, 2), floor, "rounded down"),
    "ceil": (range(1, 2), ceil, "rounded up"),
    "kl": (range(2, 3), kl, "divergence of a mean from a mean, by the law of the rewards"),
}
_inverse_square = s.gap**-2
# name -> expression, description
NAMES: Mapping[str, tuple[sympy.Expr, str]] = {
    "T": (s.T, "number of slots"),
    "K": (s.K, "number of arms"),
    "N": (s.N, "plays in a slot"),
    "n": (s.n, "number of rewards (coverage)"),
    "delta": (s.delta, "probability of failure (coverage)"),
    "mu": (s.mu, "mean of an arm"),
    "gap": (s.gap, "largest mean minus the mean of an arm"),
    "best": (s.best, "largest mean"),
    "k": (s.rank, "rank of an arm by mean, 1 is the best"),
    "sigma2": (s.sigma2, "variance, or for rewards in [0, 1] the proxy 1/4"),
    "sigma": (sympy.sqrt(s.sigma2), "sqrt(sigma2)"),
    "variance": (variance_of(s.mu), "variance of a reward of an arm"),
    "H1": (ArmSum.of(_inverse_square, WORSE), "sum(1/gap^2, worse)"),
    "H2": (ArmLargest.of(s.rank * _inverse_square, WORSE), "largest(k/gap^2, worse)"),
    "pi": (sympy.pi, "3.14159..."),
    "e": (sympy.E, "2.71828..."),
}
_ALIASES = {"Δ": "gap", "Delta": "gap", "μ": "mu", "µ": "mu", "δ": "delta", "π": "pi", "σ": "sigma"}


def relation(sign: str) -> str:
    """A relation in ASCII."""
    return _SIGNS.get(sign, sign)


def expression_named(name: str, more: Mapping[str, sympy.Expr]) -> sympy.Expr | None:
    """The expression for a name; `more` are names that a theory adds."""
    short = name.removesuffix("_k")
    plain = _ALIASES.get(short, short)
    # only the symbols of an arm may have the suffix _k
    if short != name and plain not in ("gap", "mu", "variance"):
        plain = name
    return NAMES[plain][0] if plain in NAMES else more.get(plain)


def of_theory(values: Mapping[sympy.Symbol, Any]) -> dict[str, sympy.Expr]:
    """The names of a theory's own symbols that can be typed in a line."""
    common = {expression for expression, _ in NAMES.values()}
    return {
        str(symbol): symbol
        for symbol in values
        if symbol not in common and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", str(symbol))
    }
