"""Export a step's formulas as a Coq file, with a proof that follows the one found here.

Equations are proved by algebra after splitting logarithms; constants by `interval`; signs by
coefficients after shifting ranges to [0, oo), with ranges as hypotheses; arguments by calculus with
the same derivatives, proved by Coquelicot; boxes by `interval` with bisection. A step that stands
is exported as far as it consists of formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

import sympy

from boundcheck.proof_steps import calculus
from boundcheck.proof_steps import coq_terms as coq
from boundcheck.proof_steps.calculus import Argument, Monotone, nonnegative
from boundcheck.proof_steps.coq_terms import NotExported, digest, term
from boundcheck.proof_steps.ledger import Entry
from boundcheck.proof_steps.relations import Goal, Ranges
from simulation.numbers import exact


@dataclass(frozen=True)
class Certificate:
    """A step's formulas as a Coq file. `whole`: the step has no other parts."""

    step: str
    goals: tuple[Goal, ...]
    text: str
    whole: bool

    @property
    def file(self) -> str:
        """The file name, which Coq requires to be a module name."""
        return f"step_{re.sub(r'[^A-Za-z0-9]+', '_', self.step)}.v"

    @property
    def digest(self) -> str:
        return digest(self.goals)


def exported(entries: Iterable[Entry]) -> tuple[list[Certificate], dict[str, str]]:
    """The files, and for every other step the reason why there is none."""
    found, left = [], {}
    for entry in entries:
        step, goals = entry.step, entry.checked.formulas
        try:
            if not entry.checked.stands:
                raise NotExported(f"it is {entry.verdict}")
            if not goals:
                raise NotExported(f"no formula: {entry.checked.method}")
            text = file(f"{step.step}: {step.statement}", goals)
            found.append(Certificate(step.step, goals, text, entry.checked.formal))
        except NotExported as why:
            left[step.step] = str(why)
    return found, left


def file(title: str, goals: Sequence[Goal]) -> str:
    """A Coq file that compiles if every goal is true and its proof is found."""
    prelude = resources.files(__package__).joinpath("prelude.v").read_text(encoding="utf-8")
    comment = title.replace("*)", "* )").replace("(*", "( *").replace('"', "'")
    parts = [f"(* {comment} *)", prelude, *coq.definitions_of(goals)]
    for place, goal in enumerate(goals, 1):
        parts += _theorem(f"goal_{place}", goal)
    return "\n".join(parts) + "\n"


def _theorem(label: str, goal: Goal) -> Iterator[str]:
    coq.require_a_point(goal)
    unfolded = list(coq.definitions(goal.lhs, goal.rhs))
    start = f"intros. unfold {', '.join(reversed(unfolded))}." if unfolded else "intros."
    hints = _hints(goal.lhs, goal.rhs, goal.gap)
    if goal.equation:
        yield _proved("Theorem", label, coq.statement(goal), f"{start} {hints}same.")
        return
    argument = nonnegative(goal.gap, goal.domain, strict=goal.strict)
    if argument is None:
        cuts = "".join(f"i_bisect {coq.name(s)}, " for s in goal.domain)
        proof = f"{start} first [ interval with ({cuts}i_prec 60) | nra ]."
    else:
        yield from _lemmas(f"{label}_gap", argument, coq.sign_hypotheses(goal, goal.domain))
        gap = "gap_lt" if goal.strict else "gap_le"
        proof = f"{start} apply {gap}. {_replaced(goal.gap, hints)} apply {label}_gap; side."
    yield _proved("Theorem", label, coq.statement(goal), proof)


def _proved(word: str, label: str, claimed: str, proof: str) -> str:
    return f"\n{word} {label} :\n  {claimed}.\nProof.\n  {proof}\nQed."


def _replaced(by: sympy.Expr, hints: str = "") -> str:
    """A tactic that replaces the right-hand side of a goal by an expression equal to it."""
    return f"match goal with |- _ ?whole => replace whole with {term(by)} by ({hints}same) end."


def _lemmas(label: str, argument: Argument, given: Sequence[str] = ()) -> Iterator[str]:
    """The lemmas of an argument, dependencies first; `given`: conditions under which it is
    defined.
    """
    e, found = argument.expression, argument.monotone
    met = {s: ends for s, ends in argument.domain.items() if s in e.free_symbols}
    claimed = f"0 {'<' if argument.strict else '<='} {term(e)}"
    if found is not None:
        if found.end is sympy.oo:
            raise NotExported("an argument by the limit at infinity")
        yield from _lemmas(f"{label}_end", found.at_end)
        yield from _lemmas(f"{label}_slope", found.slope)
        others = {s: ends for s, ends in met.items() if s != found.symbol}
        there = f"{coq.name(found.symbol)} = {coq.coq_number(found.end)}"
        at_end = coq.quantified(met, [*coq.range_hypotheses(others), there], claimed)
        yield _proved("Lemma", f"{label}_at", at_end, _at_end(label, e, found))
    stated = coq.quantified(met, [*coq.range_hypotheses(met), *given], claimed)
    yield _proved("Lemma", label, stated, f"intros. {_script(label, argument, met)}")


def _at_end(label: str, e: sympy.Expr, found: Monotone) -> str:
    """The proof for the value at an end; arguments of logarithms and exponentials are replaced
    first.
    """
    there = sympy.Rational(exact(found.end))
    steps = ""
    for atom in sorted(e.atoms(sympy.log, sympy.exp), key=str):
        if found.symbol in atom.free_symbols:
            inside = term(atom.args[0].subs(found.symbol, there))
            new = f"({coq.FUNCTIONS[atom.func]} {inside})"
            steps += f"\n  try (replace {term(atom)} with {new} by (f_equal; subst; same))."
    at_end = found.at_end.expression
    equals = _replaced(at_end, _hints(at_end))
    return f"intros.{steps}\n  subst. {equals} apply {label}_end; side."


def _script(label: str, argument: Argument, met: Ranges) -> str:
    e, sign = argument.expression, "positive" if argument.strict else "nonnegative"
    if argument.monotone is not None:
        return _by_slope(label, argument, argument.monotone)
    if argument.kind == calculus.VALUE:
        return "first [ lra | interval with (i_prec 60) ]."
    if argument.kind == calculus.EQUALITY:
        return f"apply Req_le; symmetry; {_hints(e)}same."
    if argument.kind == calculus.COEFFICIENTS:
        return f"replace {term(e)} with {_ratio(e, met)} by same. {sign}."
    if argument.kind in (calculus.FORM, calculus.FACTORS):
        factored = f"replace {term(e)} with {term(sympy.factor(e))} by same; {sign}"
        return f"first [ {sign} | {factored} ]."
    raise NotExported(argument.kind)


def _by_slope(label: str, argument: Argument, found: Monotone) -> str:
    x, there = coq.name(found.symbol), coq.coq_number(found.end)
    slope = found.slope.expression if found.rising else -found.slope.expression
    lemma, ends = ("rises", f"{there} {x}") if found.rising else ("falls", f"{x} {there}")
    f, df = (f"(fun {x} => {term(e)})" for e in (argument.expression, slope))
    through = "Rlt_le_trans" if argument.strict else "Rle_trans"
    return f"""apply {through} with ({f} {there}); cbv beta.
  - apply {label}_at; side.
  - apply ({lemma} {f} {df} {ends}); [ lra | intros; derivative | intros; cbv beta ].
    {"" if found.rising else _replaced(found.slope.expression)} apply {label}_slope; side."""


def _ratio(e: sympy.Expr, domain: Ranges) -> str:
    """Numerator over denominator, in terms of distances from the ends of the ranges.

    Both are sums of products of numbers above 0, so Coq sees that the quotient is positive. If the
    coefficients of each have one sign, which calculus has checked, it is |e| at every point.

    On [a, b] the shifted symbol is (x - a)/(b - x); powers of b - x clear the denominators.
    """
    parts, before = calculus.shifted(e, domain)
    polynomials = [sympy.Poly(part, *before) for part in parts]
    degrees = [[poly.degree(t) for t in before] for poly in polynomials]
    sums = []
    for poly, own, other in zip(polynomials, degrees, reversed(degrees), strict=True):
        reach = [max(pair) for pair in zip(own, other, strict=True)]
        products = []
        for powers, coefficient in poly.terms():
            factors = [term(abs(coefficient))]
            for symbol, low, all_in in zip(before.values(), powers, reach, strict=True):
                factors += _distances(symbol, domain, low, all_in - low)
            products.append(" * ".join(factors))
        sums.append(f"({' + '.join(products)})")
    return f"({sums[0]} / {sums[1]})"


def _distances(symbol: sympy.Symbol, domain: Ranges, low: int, high: int) -> Iterator[str]:
    a, b = domain[symbol]
    x = coq.name(symbol)
    if low:
        yield f"{x if exact(a) == 0 else f'({x} - {coq.coq_number(a)})'} ^ {low}"
    if high and b is not sympy.oo:
        yield f"({coq.coq_number(b)} - {x}) ^ {high}"


def _hints(*expressions: sympy.Expr) -> str:
    """Tactics that factor sums under logarithms where possible."""
    found = {}
    for e in expressions:
        for logarithm in sorted(e.atoms(sympy.log), key=str):
            inside = logarithm.args[0]
            if inside.is_Add and not (product := sympy.factor(inside)).is_Add:
                found[term(inside)] = term(product)
    return "".join(
        f"try (replace (ln {old}) with (ln {new}) by (f_equal; same)); "
        for old, new in found.items()
    )
