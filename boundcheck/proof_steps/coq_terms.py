"""SymPy expressions and goals as Coq text, over the reals.

Coq's functions are total (1/0 = 0, ln 0 = 0), unlike ours: conditions under which a formula is
defined become hypotheses unless they follow from the ranges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from hashlib import sha256

import sympy

from boundcheck.claims import functions as fn
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.calculus import with_assumptions
from boundcheck.proof_steps.relations import Goal, Ranges
from simulation.numbers import exact

FUNCTIONS = {sympy.log: "ln", sympy.exp: "exp", sympy.Abs: "Rabs"}
_FOLDED = {sympy.Max: "Rmax", sympy.Min: "Rmin"}
_RESERVED = {
    *("R", "as", "at", "by", "else", "end", "exists", "exp", "fix", "for", "forall", "fun", "if"),
    *("in", "let", "ln", "match", "mod", "of", "return", "then", "using", "where", "with"),
}


class NotExported(ValueError):
    """Why a goal has no form in Coq."""


def name(symbol: sympy.Symbol) -> str:
    """A symbol as an identifier.

    >>> name(sympy.Symbol("mu_{L-1}")), name(sympy.Symbol("|E_t|"))
    ('mu_L_1', 'E_t')
    """
    plain = re.sub(r"[\W_]+", "_", symbol.name).strip("_")
    return f"{plain}_" if plain in _RESERVED else plain


def term(e: sympy.Expr) -> str:
    """An expression in Coq, with parentheses around every part that may need them.

    >>> x = sympy.Symbol("x")
    >>> term((x + 1) ** 2 / sympy.sqrt(x))
    '(((x + 1) ^ 2) / (sqrt x))'
    """
    if e.is_Symbol:
        return name(e)
    if e.is_Integer:
        return str(e) if e >= 0 else f"({e})"
    if e.is_Rational:
        return f"({e.p} / {e.q})"
    if e is sympy.pi:
        return "PI"
    if isinstance(e, sympy.Add):
        return f"({' + '.join(map(term, e.as_ordered_terms()))})"
    if isinstance(e, sympy.Mul):
        return _product(e)
    if isinstance(e, sympy.Pow):
        return _power(e.base, e.exp)
    if e.func in _FOLDED:
        return reduce(lambda x, y: f"({_FOLDED[e.func]} {x} {y})", map(term, e.args))
    if isinstance(e, fn.Defined | fn.rel_entr) or e.func in FUNCTIONS:
        called = FUNCTIONS.get(e.func, e.func.__name__)
        return f"({' '.join([called, *map(term, e.args), *_around(e.func)])})"
    raise NotExported(f"no term of Coq for {e.func.__name__}")


def _around(function: type[sympy.Function]) -> list[str]:
    """The free symbols of a function of ours, which become parameters."""
    if not issubclass(function, fn.Defined):
        return []
    return sorted(map(name, function.definition()[2]))


def _product(e: sympy.Mul) -> str:
    if e.args[0] == -1:
        return f"(- {term(-e)})"
    over, under = [], []
    for factor in e.args:
        if isinstance(factor, sympy.Pow) and factor.exp.is_Rational and factor.exp < 0:
            under.append(_power(factor.base, -factor.exp))
        else:
            over.append(term(factor))
    if not under:
        return f"({' * '.join(over)})"
    above, below = (f"({' * '.join(x)})" if len(x) > 1 else "".join(x) for x in (over, under))
    return f"({above or 1} / {below})"


def _power(base: sympy.Expr, exponent: sympy.Expr) -> str:
    if base is sympy.E:
        return f"(exp {term(exponent)})"
    if not exponent.is_Rational:
        raise NotExported(f"a power with the exponent {exponent}")
    if exponent < 0:
        return f"(/ {_power(base, -exponent)})"
    if exponent == 1:
        return term(base)
    if exponent.q == 1:
        return f"({term(base)} ^ {exponent.p})"
    if exponent.q == 2:
        root = f"(sqrt {term(base)})"
        return root if exponent.p == 1 else f"({root} ^ {exponent.p})"
    return f"(Rpower {term(base)} {term(exponent)})"


# -- goals ---------------------------------------------------------------------------------


def definitions(*expressions: sympy.Expr) -> dict[str, str]:
    """Coq definitions of our functions in the expressions, by name, dependencies first."""
    found: dict[str, str] = {}
    met = {f.func for e in expressions for f in e.atoms(fn.Defined, fn.rel_entr)}
    for function in sorted(met, key=lambda f: f.__name__):
        if function is fn.rel_entr:
            found["rel_entr"] = "Definition rel_entr (p q : R) : R := p * ln (p / q)."
            continue
        parameters, body, _ = function.definition()
        found |= definitions(body)
        taken = " ".join([*map(name, parameters), *_around(function)])
        head = f"Definition {function.__name__} ({taken} : R) : R"
        found[function.__name__] = f"{head} := {term(body)}."
    return found


def definitions_of(goals: Sequence[Goal]) -> list[str]:
    sides = (side for goal in goals for side in (goal.lhs, goal.rhs))
    return list(definitions(*sides).values())


def digest(goals: Sequence[Goal]) -> str:
    """A digest of the formulas; it does not depend on their proofs."""
    text = "\n".join([*definitions_of(goals), *map(statement, goals)])
    return sha256(text.encode()).hexdigest()[:16]


def range_hypotheses(domain: Ranges) -> list[str]:
    """Ranges as hypotheses."""
    found = []
    for symbol, (low, high) in domain.items():
        most = "" if high is sympy.oo else f" <= {coq_number(high)}"
        found.append(f"{coq_number(low)} <= {name(symbol)}{most}")
    return found


def coq_number(end: object) -> str:
    return term(sympy.Rational(exact(end)))


def _ranges(goal: Goal) -> Ranges:
    return {s: ends for s, ends in goal.ranges.items() if s in goal.symbols}


def sign_hypotheses(goal: Goal, of: Iterable[sympy.Symbol] | None = None) -> list[str]:
    """Conditions under which the goal is defined and that do not follow from the ranges: on
    arguments of logarithms, denominators and radicands. `of`: only conditions in these symbols.
    """
    known = goal.symbols if of is None else set(of)
    return [
        f"0 {sign} {term(e)}" if sign != "<>" else f"{term(e)} <> 0"
        for e, sign in dict.fromkeys(_conditions(goal))
        if e.free_symbols <= known
    ]


def require_a_point(goal: Goal) -> None:
    """Raise unless the hypotheses hold at some sampled point: contradictory ones would prove
    anything.
    """
    conditions = set(_conditions(goal))
    points = rel.sample(rel.box(rel.cut_off(goal.ranges)))
    if not any(all(_true(e, sign, point) for e, sign in conditions) for point in points):
        raise NotExported("its hypotheses hold at none of the points tried")


def _conditions(goal: Goal) -> Iterator[tuple[sympy.Expr, str]]:
    def seen(e: sympy.Expr) -> sympy.Expr:
        return e if goal.equation else with_assumptions(e, _ranges(goal))

    for side in (goal.lhs, goal.rhs, *goal.unfolded):
        for e in sympy.preorder_traversal(side):
            if isinstance(e, sympy.log):
                for factor in sympy.Mul.make_args(e.args[0]):
                    if not seen(factor).is_positive:
                        yield factor.base if isinstance(factor, sympy.Pow) else factor, "<"
            elif isinstance(e, sympy.Pow) and e.exp.is_Rational:
                if e.exp < 0 and not seen(e.base).is_nonzero:
                    yield e.base, "<>"
                if e.exp.q == 2 and not seen(e.base).is_nonnegative:
                    yield e.base, "<="


def _true(e: sympy.Expr, sign: str, point: rel.Point) -> bool:
    found = rel.value_at(rel.unfolded(e), point)
    return bool({"<": found > 0, "<=": found >= 0, "<>": found != 0}[sign])


def statement(goal: Goal) -> str:
    """forall ..., hypotheses -> lhs relation rhs.

    Hypotheses: for an equation the signs of its symbols; for an inequality its ranges; for both
    that the sides are defined.
    """
    ranges = {} if goal.equation else _ranges(goal)
    symbols = sorted(goal.symbols - set(ranges), key=name)
    signs = [f"0 < {name(s)}" for s in symbols if s.is_positive]
    signs += [f"0 <= {name(s)}" for s in symbols if s.is_nonnegative and not s.is_positive]
    conclusion = f"{term(goal.lhs)} {goal.relation} {term(goal.rhs)}"
    return quantified(
        goal.symbols, [*range_hypotheses(ranges), *signs, *sign_hypotheses(goal)], conclusion
    )


def quantified(symbols: Iterable[sympy.Symbol], given: list[str], conclusion: str) -> str:
    names = sorted(map(name, symbols))
    if len(set(names)) < len(names):
        raise NotExported("two symbols of one name")
    everywhere = f"forall {' '.join(names)} : R,\n  " if names else ""
    return everywhere + " ->\n  ".join([*given, conclusion])
