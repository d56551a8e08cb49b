"""Check that the steps of a proof arrive at its card: the same terms, ranges, levels, assumptions.

A step builds a `Term` from what it counted and compares it with the card's term; the last step
checks that neither side has anything else. Expressions are compared as rational functions: defined
functions are expanded, and every other function (a logarithm, a divergence, a sum over arms) is
replaced by a symbol, the same one for the same arguments.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

import sympy

from boundcheck.claims.card import Assumption, Claim, Level, Quantity, Term
from boundcheck.claims.functions import Defined
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps.parts import cases, equal
from boundcheck.proof_steps.step import Part, Step

Given: TypeAlias = Mapping[sympy.Symbol, sympy.Expr]
NOTHING: Given = {}
_POINTS = (3, 99)  # points at which symbols, and names of functions, are sampled


def is_term(card: Claim, made: Term, quantity: str | None = None) -> Part:
    """Part: the card has this term, over the same arms and under the same condition."""
    terms = {term.name: term for term in _quantity(card, quantity).terms}
    if made.name not in terms:
        return _differs(f"the card has no term '{made.name}'")
    written = terms[made.name]
    if written.over != made.over:
        return _differs(f"{made.name}: the card sums over {_arms(written)}, not {_arms(made)}")
    if written.when != made.when:
        return _differs(f"{made.name}: the card's condition is {written.when}, not {made.when}")
    return is_expression(written.expression, made.expression)


def is_expression(written: sympy.Expr, made: sympy.Expr) -> Part:
    """Part: both are the same rational function of the same functions."""
    names = _Names()
    one, other = (names.rational(side) for side in (written, made))
    symbols = sorted(one.free_symbols | other.free_symbols, key=str)
    if names.polynomial(one) == names.polynomial(other):  # spares SymPy the search for a proof
        one = other
    return equal(one, other).on(dict.fromkeys(symbols, _POINTS))


def is_whole(card: Claim, made: Mapping[str, Quantity]) -> Part:
    """Part: the card has exactly these quantities, with these rows, terms and levels."""

    def same(name: str) -> bool:
        if name not in made or name not in (quantity.name for quantity in card.quantities):
            return False
        mine, written = made[name], _quantity(card, name)
        alike = mine.rows == written.rows and mine.optimise_epsilon == written.optimise_epsilon
        terms = [term.name for term in mine.terms] == [term.name for term in written.terms]
        return alike and terms and _levels(mine.levels) == _levels(written.levels)

    names = dict.fromkeys((*made, *(quantity.name for quantity in card.quantities)))
    words = "the card's quantities with their rows, terms and levels"
    return cases(same, {"quantity": names}, complete=True, words=words)


def is_assumed(card: Claim, assumed: Iterable[Assumption], proof: Iterable[Step]) -> Part:
    """Part: the card has exactly these assumptions, and steps of the proof use each of them."""
    mine = {assumption.name: assumption for assumption in assumed}
    written = {assumption.name: assumption for assumption in card.stated}
    named = {premise for step in proof for premise in step.premises}

    def used(name: str) -> bool:
        return name in named and mine.get(name) == written.get(name)

    names = dict.fromkeys((*mine, *written))
    words = "each assumption of the card is used by a step, and steps use no other"
    return cases(used, {"assumption": names}, complete=True, words=words)


class _Names:
    """Symbols for functions and denominators, by their arguments as polynomials in such symbols."""

    def __init__(self) -> None:
        self.known: dict[Any, sympy.Symbol] = {}

    def _of(self, kind: str, key: Hashable) -> sympy.Symbol:
        if key not in self.known:
            self.known[key] = sympy.Symbol(f"{kind}_{len(self.known)}", positive=True)
        return self.known[key]

    def rational(self, expression: sympy.Expr, given: Given = NOTHING) -> sympy.Expr:
        """The expression with defined functions expanded (`given`: values of their parameters) and
        every other function replaced by its symbol.
        """
        if expression.is_Number or expression.is_Symbol:
            return given.get(expression, expression)
        arguments = expression.args
        if isinstance(expression, sympy.Max | sympy.Min):  # the order of arguments does not matter
            arguments = sorted(arguments, key=sympy.default_sort_key)
        parts = [self.rational(part, given) for part in arguments]
        if expression.is_Add or expression.is_Mul:
            return expression.func(*parts)
        if expression.is_Pow and expression.exp.is_Integer:
            return parts[0] ** expression.exp
        if expression.is_Pow and parts[0].is_Mul:  # valid for positive numbers
            return sympy.prod(self._called(sympy.Pow, (x, parts[1])) for x in parts[0].args)
        function = expression.func
        if issubclass(function, Defined):
            names, body, _ = function.definition()
            return self.rational(body, dict(zip(names, parts, strict=True)))
        return self._called(function, parts)

    def _called(self, function: Any, parts: Iterable[sympy.Expr]) -> sympy.Symbol:
        known = tuple(map(self.polynomial, parts))
        unordered = issubclass(function, sympy.Max | sympy.Min)
        return self._of(function.__name__, (function, frozenset(known) if unordered else known))

    def polynomial(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with denominators replaced by symbols too, and multiplied out."""
        return sympy.expand(self._inverted(expression))

    def _inverted(self, expression: sympy.Expr) -> sympy.Expr:
        if expression.is_Add or expression.is_Mul:
            return expression.func(*map(self._inverted, expression.args))
        if expression.is_Pow and expression.exp.is_negative:
            number, base = self.polynomial(expression.base).as_content_primitive()
            return (self._of("inverse", ("inverse", base)) / number) ** -expression.exp
        return expression


def _levels(levels: tuple[Level, ...]) -> list[Any]:
    """Levels with their ends in normal form, so that equal ones compare as equal."""
    return [(x.symbol, sympy.cancel(x.low), sympy.cancel(x.high), x.over, x.when) for x in levels]


def _quantity(card: Claim, name: str | None) -> Quantity:
    return next((q for q in card.quantities if name in (None, q.name)), Quantity("", "", ()))


def _arms(term: Term) -> str:
    return "no arms" if term.over is None else term.over.words


def _differs(words: str) -> Part:
    return Part("exhaustive", Verdict.REFUTED, words, "the card says something else")
