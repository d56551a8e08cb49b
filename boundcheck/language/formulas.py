"""Convert a parsed formula to a SymPy expression, with limits that make hostile input harmless.

Nothing is evaluated: SymPy is given exact numbers, powers with small exponents and named functions.
A constant that is not a real number of ordinary size is refused where it occurs, so that SymPy
never computes with thousands of digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from boundcheck.claims.card import EVERY_ARM, Level, Range, Term
from boundcheck.claims.unevaluated import log
from boundcheck.language import names
from boundcheck.language.grammar import column_of, error_at, unknown
from simulation.errors import shown

if TYPE_CHECKING:
    from lark import Token, Tree

DEEPEST = 40  # nesting of brackets and signs
MOST_POWER = 100
LARGEST = sympy.Integer(10) ** 300  # the largest constant
BEYOND = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I)
# nodes in which a smaller part gives a smaller bound
ADDED = {"sum", "product", "gathered", "infimum"}
_SUPERSCRIPTS = {"²": 2, "³": 3}


@dataclass
class Reader:
    """Builds expressions from trees. `where` names the text in errors; `own` are a theory's
    names.
    """

    where: str
    own: Mapping[str, sympy.Expr] = field(default_factory=dict)
    by_arm: frozenset[sympy.Symbol] = frozenset()  # symbols that differ from arm to arm
    one_arm: bool = False  # the formula is about one arm, as for coverage
    unknowns: int = 0
    levels: list[Level] = field(default_factory=list)
    _scope: list[tuple[str, sympy.Symbol]] = field(default_factory=list)
    _ranges: list[Range] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)  # names of the enclosing tree nodes

    def __call__(self, tree: Tree[Token] | Token) -> sympy.Expr:
        self._path.append(str(tree.data))  # type: ignore[union-attr]
        if len(self._path) > DEEPEST:
            expected = f"at most {DEEPEST} brackets or signs within each other"
            raise error_at(self.where, column_of(tree), "a deeper formula", expected)
        made = getattr(self, f"_{tree.data}")(tree, *tree.children)  # type: ignore[union-attr]
        self._path.pop()
        return self._real(made, tree)

    def _real(self, made: sympy.Expr, tree: Any) -> sympy.Expr:
        """Check that an expression is real and that its constants have ordinary size."""
        if made.has(*BEYOND):
            raise error_at(self.where, column_of(tree), "no real number", "a finite real number")
        numbers = made.atoms(sympy.Rational) if made.free_symbols else {made.evalf(15)}
        if any(max(abs(x), 1 / abs(x)) > LARGEST for x in numbers if x.is_comparable and x != 0):
            expected = "constants between 1e-300 and 1e300"
            raise error_at(self.where, column_of(tree), "a number too large or small", expected)
        return made

    def _sum(self, tree: Any, first: Any, *rest: Any) -> sympy.Expr:
        total = self(first)
        for sign, each in zip(rest[::2], rest[1::2], strict=True):
            total = total + self(each) if sign == "+" else total - self._inverted(each)
        return total

    def _product(self, tree: Any, first: Any, *rest: Any) -> sympy.Expr:
        total = self(first)
        for sign, each in zip(rest[::2], rest[1::2], strict=True):
            total = total / self._inverted(each) if sign == "/" else total * self(each)
        return total

    def _inverted(self, tree: Any) -> sympy.Expr:
        """A part in which the bound is decreasing."""
        self._path.append("inverted")
        made = self(tree)
        self._path.pop()
        return made

    def _signed(self, tree: Any, sign: Any, operand: Any) -> sympy.Expr:
        return self(operand) if sign == "+" else -self(operand)

    def _raised(self, tree: Any, base: Any, *power: Any) -> sympy.Expr:
        below = self(base)
        if power[0] in _SUPERSCRIPTS:
            return self._power(tree, below, sympy.Integer(_SUPERSCRIPTS[power[0]]))
        return self._power(tree, below, self(power[1]))

    def _power(self, tree: Any, base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        if not exponent.is_Rational:
            return sympy.exp(exponent if base is sympy.E else exponent * log(base))
        if base.is_Pow and base.exp.is_Rational and abs(base.exp) > 1 and abs(exponent) > 1:
            expected = "a product of the two exponents in one power"
            raise error_at(self.where, column_of(tree), "a power of a power", expected)
        if abs(exponent) > MOST_POWER or exponent.q > MOST_POWER:
            expected = f"an exponent of at most {MOST_POWER}"
            raise error_at(self.where, column_of(tree), shown(f"a power of {exponent}"), expected)
        return base**exponent

    def _root(self, tree: Any, sign: Any, body: Any) -> sympy.Expr:
        return sympy.sqrt(self(body))

    def _number(self, tree: Any, token: Token) -> sympy.Expr:
        return sympy.Rational(str(Fraction(str(token))))

    def _unknown(self, tree: Any, token: Token) -> sympy.Expr:
        self.unknowns += 1
        if self.unknowns > 1:
            raise error_at(self.where, column_of(token), "a second ?", "one unknown constant")
        return names.UNKNOWN

    def _name(self, tree: Any, token: Token) -> sympy.Expr:
        name = str(token)
        local = next((symbol for known, symbol in reversed(self._scope) if known == name), None)
        found = local if local is not None else names.expression_named(name, self.own)
        if found is None:
            known = [*names.NAMES, *self.own, *(known for known, _ in self._scope)]
            if name in names.FUNCTIONS:
                raise error_at(self.where, column_of(token), name, f"arguments: {name}(...)")
            raise unknown(self.where, column_of(token), name, "name", known)
        per_arm = not found.atoms(names.OfArms) and found.free_symbols & self.by_arm
        if per_arm and not self._ranges and not self.one_arm:
            expected = f"it inside a sum, such as sum({name}, worse), or largest({name})"
            raise error_at(self.where, column_of(token), f"{name} of which arm?", expected)
        return found

    def _call(self, tree: Any, token: Token, *arguments: Any) -> sympy.Expr:
        name = str(token)
        if name not in names.FUNCTIONS:
            known = [*names.FUNCTIONS, "sum", "largest", "inf"]
            raise unknown(self.where, column_of(token), name, "function", known)
        counts, function, _ = names.FUNCTIONS[name]
        if len(arguments) not in counts:
            many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} or more"
            over = ", or largest(..., worse) over arms" if name in ("min", "max") else ""
            expected = f"{many} for {name}{over}"
            raise error_at(self.where, column_of(token), f"{len(arguments)} arguments", expected)
        return function(*map(self, arguments))

    def _range(self, arms: Any) -> Range:
        if arms is None:
            return EVERY_ARM
        if arms.data == "comparison":
            left, relation, right = arms.children
            self._ranges.append(EVERY_ARM)
            found = Range(names.relation(str(relation)), self(right), self(left))
            self._ranges.pop()
            return found
        if arms.data == "name" and str(arms.children[0]) in names.RANGES:
            return names.RANGES[str(arms.children[0])]
        expected = "all, worse, best or a condition such as gap > 0.1"
        raise error_at(self.where, column_of(arms), "no range of arms", expected)

    def _gathered(self, tree: Any, sign: Token, body: Any, arms: Any = None) -> sympy.Expr:
        """sum(...) or largest(...)."""
        if self._ranges:
            expected = "one sum over arms at a time"
            raise error_at(self.where, column_of(sign), "a sum within a sum", expected)
        over = self._range(arms)
        self._ranges.append(over)
        inside = self(body)
        self._ranges.pop()
        return (names.ArmLargest if sign == "largest" else names.ArmSum).of(inside, over)

    def _infimum(self, tree: Any, token: Token, low: Any, high: Any, body: Any) -> sympy.Expr:
        name = str(token)
        if names.expression_named(name, self.own) is not None:
            raise error_at(self.where, column_of(token), f"{name} has a meaning", "a new name")
        if not {*self._path} <= ADDED:
            expected = "it alone, or in a sum that is added to the bound"
            raise error_at(self.where, column_of(token), "inf inside of something else", expected)
        ends = self(low), self(high)
        for tree_of, end in zip((low, high), ends, strict=True):
            local = end.free_symbols & {level.symbol for level in self.levels}
            if local or end.atoms(sympy.NumberSymbol) or not end.is_rational_function():
                expected = "names, numbers, + - * / (no function, no pi, no other inf)"
                raise error_at(
                    self.where, column_of(tree_of), f"an end {shown(str(end))}", expected
                )
        symbol = sympy.Symbol(name + "'" * len(self.levels), positive=True)
        over = self._ranges[-1] if self._ranges else None
        self.levels.append(Level(symbol, *ends, over=over))
        self._scope.append((name, symbol))
        made = self(body)
        self._scope.pop()
        return made

    def terms(self, tree: Any) -> tuple[Term, ...]:
        """A bound as terms; a multiple of a sum over arms becomes a term that is summed over
        them.
        """
        total = self(tree)
        found = tuple(map(_term, sympy.Add.make_args(total)))
        for level in self.levels:
            holding = [t for t in found if level.symbol in t.expression.free_symbols]
            if any(term.over != level.over for term in holding):
                expected = "a multiple of a sum that is added to the bound"
                raise error_at(
                    self.where, column_of(tree), "inf inside of something else", expected
                )
        return found


def _term(summand: sympy.Expr) -> Term:
    """A summand as a term; a number times one sum over arms becomes a sum of products."""
    sums = [factor for factor in sympy.Mul.make_args(summand) if isinstance(factor, names.ArmSum)]
    if len(sums) != 1:
        return Term(str(summand), summand)
    (total,) = sums
    rest = summand / total
    return Term(str(summand), rest * total.args[0], total.over)
