"""The numbers on a card, each with its place, and the card with another number there.

Every number in the terms counts (for a card without terms, in its formula): factors (of a term as a
whole even if 1), summands, exponents. Signs and reciprocals do not count as numbers. A function
with a formula (a width, a divergence) is expanded, and changed wherever the card uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sympy
from sympy.core.function import FunctionClass

from boundcheck.claims.card import Claim, Quantity
from boundcheck.claims.functions import Defined


@dataclass(frozen=True)
class Place:
    """The place of a number: the quantity and term (None: the formula), and a path down the
    tree.
    """

    claim: str
    quantity: int | None
    term: int
    label: str
    expression: sympy.Expr
    path: tuple[int, ...]
    function: type[Defined] | None = None  # the function whose formula the path leads through
    factor: bool = False  # the factor of the whole expression

    @property
    def tree(self) -> sympy.Expr:
        return self.expression if self.function is None else self.function.definition()[1]

    @property
    def number(self) -> sympy.Rational:
        return self.expression.as_coeff_Mul()[0] if self.factor else at_path(self.tree, self.path)

    @property
    def exponent(self) -> bool:
        return bool(self.path) and at_path(self.tree, self.path[:-1]).is_Pow and self.path[-1] == 1

    def with_number(self, card: Claim, value: sympy.Rational) -> Claim:
        """The card with another number here."""
        if self.factor:
            return self._written(card, value * self.expression.as_coeff_Mul()[1])
        tree = replaced(self.tree, self.path, value)
        if self.function is None:
            return self._written(card, tree)
        function: Any = self.function
        changed = _changed(function, tree)

        def redefined(quantity: Quantity) -> Quantity:
            terms = (
                replace(term, expression=term.expression.replace(function, changed))
                for term in quantity.terms
            )
            return replace(quantity, terms=tuple(terms))

        if self.quantity is None:
            return replace(card, formula=self.expression.replace(function, changed))
        return replace(card, quantities=tuple(map(redefined, card.quantities)))

    def idle(self, card: Claim, value: sympy.Rational) -> bool:
        """Whether nothing depends on this number: 1 to any power is 1, also after a call."""
        if self.function is None:
            return self.with_number(card, value) == self.with_number(card, self.number)
        names, body, _ = self.function.definition()
        changed = replaced(body, self.path, value)
        terms = (term.expression for quantity in card.quantities for term in quantity.terms)
        written = [x for x in (*terms, card.formula) if x is not None]
        calls = {call for x in written for call in x.atoms(self.function)}
        given = (dict(zip(names, call.args, strict=True)) for call in calls)
        return all(body.xreplace(known) == changed.xreplace(known) for known in given)

    def _written(self, card: Claim, expression: sympy.Expr) -> Claim:
        if self.quantity is None:
            return replace(card, formula=expression)
        quantities = list(card.quantities)
        quantities[self.quantity] = _with_term(quantities[self.quantity], self.term, expression)
        return replace(card, quantities=tuple(quantities))

    def words(self, value: sympy.Rational) -> str:
        return f"{self.claim}, {self.label}: {self._where} {_short(self.number)} -> {_short(value)}"

    @property
    def _where(self) -> str:
        if self.factor:
            return "factor"
        around = at_path(self.tree, self.path[:-1]) if self.path else self.tree
        inside = "" if self.function is None else f" of {self.function.__name__}"
        if self.exponent:
            return f"exponent of {around.base}{inside}"
        return f"in {around}{inside}"


def places(card: Claim) -> Iterator[Place]:
    """Every number of a card, the factor of each term first; those of a function only once."""
    opened: set[type[Defined]] = set()
    for i, quantity in enumerate(card.quantities):
        several = len(card.quantities) > 1
        for j, term in enumerate(quantity.terms):
            label = f"{quantity.name}: {term.name}" if several else term.name
            yield from _places(card, i, j, label, term.expression, opened)
    if not card.quantities and card.formula is not None and not card.formula.is_Symbol:
        yield from _places(card, None, 0, "formula", card.formula, opened)


def _places(
    card: Claim,
    quantity: int | None,
    term: int,
    label: str,
    written: sympy.Expr,
    opened: set[type[Defined]],
) -> Iterator[Place]:
    expression = sympy.factor_terms(written)
    factor = Place(card.id, quantity, term, label, expression, (), factor=True)
    yield factor
    for path in _numbers(expression):
        if not (expression.is_Mul and len(path) == 1) and path:
            yield replace(factor, path=path, factor=False)
    called = {call.func for call in expression.atoms(Defined)} - opened
    opened |= called
    for function in sorted(called, key=lambda f: f.__name__):
        for path in _numbers(function.definition()[1]):
            yield replace(factor, path=path, function=function, factor=False)


def _numbers(tree: sympy.Basic, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Paths to all numbers, except -1 as a sign or reciprocal; sqrt(2) is one number."""
    if tree.is_Number:
        yield path
    for i, part in enumerate(tree.args):
        sign = part == -1 and (tree.is_Mul or tree.is_Pow)
        root = tree.is_Pow and i == 1 and tree.base.is_Number
        if not (sign or root):
            yield from _numbers(part, (*path, i))


@cache
def _changed(function: Any, tree: sympy.Expr) -> Any:
    """The function with another formula; it remains a function that SymPy can rebuild."""
    names, body, _ = function.definition()
    if tree == body:
        return function
    meaning = names, tree, frozenset(tree.free_symbols) - set(names)
    known = {"nargs": len(names), "definition": classmethod(lambda cls: meaning)}
    return FunctionClass(function.__name__, (function,), known)


def at_path(tree: sympy.Basic, path: tuple[int, ...]) -> sympy.Basic:
    for i in path:
        tree = tree.args[i]
    return tree


def replaced(tree: sympy.Basic, path: tuple[int, ...], value: sympy.Basic) -> sympy.Basic:
    if not path:
        return value
    arguments = list(tree.args)
    arguments[path[0]] = replaced(arguments[path[0]], path[1:], value)
    return tree.func(*arguments)


def _with_term(quantity: Quantity, place: int, expression: sympy.Expr) -> Quantity:
    terms = list(quantity.terms)
    terms[place] = replace(terms[place], expression=expression)
    return replace(quantity, terms=tuple(terms))


def _short(number: sympy.Rational) -> str:
    return str(number) if number.q < 1000 and abs(number.p) < 10**6 else f"{float(number):.3g}"
