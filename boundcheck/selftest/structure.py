"""Mutants of a card's structure: summands, factors, ranges, orders, assumptions.

Unlike a changed number, such a change has no size: it is caught by a proof step that reads the
card, by a case that refutes it, or by a reference value. Otherwise it is still true if every case
that agreed with the card agrees with it; the outcome names a case that it affects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy

from boundcheck.calculator.setting import Derive, Values, exact_setting
from boundcheck.claims.card import Assumption, Claim, Quantity, Range, Term
from boundcheck.claims.functions import ByLaw, Defined
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps.ledger import steps
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Step
from boundcheck.selftest.cases import cases_of
from boundcheck.selftest.evidence import REFERENCE, Evidence, misprinted
from boundcheck.selftest.numbers import at_path, replaced
from boundcheck.selftest.outcome import Outcome, Result
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

KIND = "structure"
_WIDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "<="}
_NOT_STRICT = {sympy.StrictLessThan: sympy.Le, sympy.StrictGreaterThan: sympy.Ge}
Path = tuple[int, ...]


@dataclass(frozen=True)
class Mutant:
    """A changed card, and a description of the change."""

    words: str
    card: Claim


def structural(card: Claim, borders: Iterable[sympy.Symbol]) -> Iterator[Mutant]:
    """Every structural change of a card; `borders` are the symbols that bound ranges of arms."""
    found = [*_terms(card, list(borders)), *_assumptions(card)]
    if not card.quantities and isinstance(card.formula, sympy.Expr):
        found += [
            Mutant(f"formula: {words}", replace(card, formula=tree))
            for words, tree in changed(unfolded(card.formula))
        ]
    for mutant in found:
        if mutant.card != card:
            yield replace(mutant, words=f"{card.id}, {mutant.words}")


def changed(tree: sympy.Expr) -> Iterator[tuple[str, sympy.Expr]]:
    """A formula with a summand deleted, a factor dropped, or two arguments swapped."""
    for path in _paths(tree):
        node = at_path(tree, path)
        for words, other in _without_one(node):
            yield words, replaced(tree, path, other)


def _without_one(node: sympy.Basic) -> Iterator[tuple[str, sympy.Basic]]:
    if node.is_Add or node.is_Mul:
        kind = "summand" if node.is_Add else "factor"
        for i, part in enumerate(node.args):
            if not (node.is_Mul and part.is_Number):  # numbers have mutants of their own
                rest = node.func(*node.args[:i], *node.args[i + 1 :])
                yield f"without the {kind} {_short(part)}", rest
    elif isinstance(node, ByLaw | Defined) and len(node.args) == 2:
        one, other = node.args
        yield f"{node.func.__name__} in the other order", node.func(other, one)


def _paths(tree: sympy.Basic, path: Path = ()) -> Iterator[Path]:
    if isinstance(tree, sympy.Add | sympy.Mul | ByLaw | Defined):
        yield path
    for i, part in enumerate(tree.args):
        yield from _paths(part, (*path, i))


def _terms(card: Claim, borders: list[sympy.Symbol]) -> Iterator[Mutant]:
    for i, quantity in enumerate(card.quantities):
        label = f"{quantity.name}: " if len(card.quantities) > 1 else ""
        for j, term in enumerate(quantity.terms):
            name = f"{label}{term.name}"
            others = quantity.terms[:j] + quantity.terms[j + 1 :]
            if others:
                yield Mutant(f"without the term {name}", _with(card, i, others))
            for words, other in _changed_term(term, borders):
                kept = (*quantity.terms[:j], other, *quantity.terms[j + 1 :])
                yield Mutant(f"{name}: {words}", _with(card, i, kept))
        for words, levels in _changed_levels(quantity, borders):
            changed_one = replace(quantity, levels=levels)
            yield Mutant(f"{label}{words}", _replaced_quantity(card, i, changed_one))


def _changed_term(term: Term, borders: list[sympy.Symbol]) -> Iterator[tuple[str, Term]]:
    for words, tree in changed(term.expression):
        yield words, replace(term, expression=tree)
    for over in _ranges(term.over, borders):
        yield f"over {over.words}", replace(term, over=over)
    if term.when is not None:
        yield f"without its condition {term.when}", replace(term, when=None)


def _changed_levels(quantity: Quantity, borders: list[sympy.Symbol]) -> Iterator[tuple[str, Any]]:
    for k, level in enumerate(quantity.levels):
        others = quantity.levels[:k], quantity.levels[k + 1 :]
        for over in _ranges(level.over, borders):
            wider = replace(level, over=over)
            yield f"level {level.symbol} for {over.words}", (*others[0], wider, *others[1])
        turned = replace(level, low=level.high, high=level.low)
        yield f"level {level.symbol}: ends exchanged", (*others[0], turned, *others[1])


def _ranges(over: Range | None, borders: list[sympy.Symbol]) -> Iterator[Range]:
    """One arm more or fewer, or another border."""
    if over is not None:
        yield replace(over, relation=_WIDER[over.relation])
        yield from (replace(over, border=x) for x in borders if x != over.border)


def _assumptions(card: Claim) -> Iterator[Mutant]:
    for k, assumption in enumerate(card.assumptions):
        others = card.assumptions[:k], card.assumptions[k + 1 :]
        rest = replace(card, assumptions=others[0] + others[1])
        yield Mutant(f"without the assumption {assumption.name}", rest)
        weaker = _weaker(assumption)
        if weaker is not None:
            words = f"{assumption.name}: {weaker.relation}"
            yield Mutant(words, replace(card, assumptions=(*others[0], weaker, *others[1])))
    for i, quantity in enumerate(card.quantities):
        for assumption in quantity.assumptions:
            kept = tuple(a for a in quantity.assumptions if a != assumption)
            rest = _replaced_quantity(card, i, replace(quantity, assumptions=kept))
            yield Mutant(f"{quantity.name}: without the assumption {assumption.name}", rest)


def _weaker(assumption: Assumption) -> Assumption | None:
    relation = assumption.relation
    if relation is None or relation.func not in _NOT_STRICT:
        return None
    weak = _NOT_STRICT[relation.func](relation.lhs, relation.rhs, evaluate=False)
    return replace(assumption, relation=weak)


def _with(card: Claim, place: int, terms: tuple[Term, ...]) -> Claim:
    return _replaced_quantity(card, place, replace(card.quantities[place], terms=terms))


def _replaced_quantity(card: Claim, place: int, quantity: Quantity) -> Claim:
    quantities = (*card.quantities[:place], quantity, *card.quantities[place + 1 :])
    return replace(card, quantities=quantities)


def _short(part: sympy.Basic) -> str:
    text = str(part)
    return text if len(text) <= 40 else f"{text[:37]}..."


# -- what notices ------------------------------------------------------------------------------


def structure_outcomes(theory: Theory, card: Claim, evidence: Evidence) -> Iterator[Outcome]:
    readers = [step for step in _proof(theory, card.id) if step.reads_card]
    for mutant in structural(card, borders_of(theory)):
        result, by = _noticed(theory, mutant.card, readers, evidence)
        yield Outcome(KIND, mutant.words, result, (by,), card.id)


def borders_of(theory: Theory) -> list[sympy.Symbol]:
    """The symbols that bound ranges of arms."""
    terms = (term for card in theory.cards.values() for q in card.quantities for term in q.terms)
    found = {term.over.border for term in terms if term.over is not None}
    return sorted((x for x in found if isinstance(x, sympy.Symbol)), key=str)


def _proof(theory: Theory, claim: str) -> list[Step]:
    return list(steps(claim, theory)) if claim in theory.proofs else []


def _noticed(
    theory: Theory, mutant: Claim, readers: list[Step], evidence: Evidence
) -> tuple[Result, str]:
    spoken = theory.with_card(mutant)
    for step in reversed(readers):  # the last step checks most
        if step.check(spoken).verdict is Verdict.REFUTED:
            return Result.CAUGHT, f"step {step.step}"
    try:
        trial = evidence.against(mutant)
    except (
        ArithmeticError,
        IndexError,
        TypeError,
        ValueError,
    ) as error:  # for example, a size that is not a number
        return Result.CAUGHT, f"a case ends with {type(error).__name__}"
    if trial is not None:
        return Result.CAUGHT, trial.words
    if evidence.misprinted(mutant):
        return Result.CAUGHT, REFERENCE
    alike, lost = evidence.beside_the_card(mutant)
    if lost is not None:
        return Result.CAUGHT, f"it has no number on {lost}"
    if alike:
        return Result.TRUE, f"the same numbers on {alike} instances, within the same assumptions"
    seen = evidence.narrowest(mutant)
    if seen is not None:
        by = f"{seen[0].words}: {seen[1].actual}, claimed {seen[1].claimed}"
        return Result.TRUE, by
    return Result.UNDECIDED, "no evidence decides it"


# -- the setting --------------------------------------------------------------------------------


def changed_setting(theory: Theory) -> Iterator[Outcome]:
    """Each symbol that the theory derives, doubled, or 1 where it was 0."""
    readers = [step for step in steps(None, theory) if step.reads_card and _asks(step, theory)]
    known = cases_of(theory).reference()
    for symbol in sorted(_derived(theory), key=str):
        other = replace(theory, derive=_doubling(theory.derive, symbol))
        turned = (s.step for s in readers if s.check(other).verdict is Verdict.REFUTED)
        by = next((f"step {step}" for step in turned), None) or _misprinted(other, known)
        result = Result.UNCAUGHT if by is None else Result.CAUGHT
        words = f"the setting: {symbol} is twice as large"
        yield Outcome(KIND, words, result, () if by is None else (by,))


def _asks(step: Step, theory: Theory) -> bool:
    """Whether a step uses the symbols that the theory derives."""
    asked = []

    def telling(values: Values) -> Values:
        asked.append(True)
        return theory.derive(values)

    step.check(replace(theory, derive=telling))
    return bool(asked)


def _derived(theory: Theory) -> set[sympy.Symbol]:
    """The symbols that it adds to those of any theory, as far as cards use them."""
    used = {x for card in theory.cards.values() for q in card.quantities for x in q.symbols}
    small = Instance(["0.9", "0.5", "0.2"], [1, 1, 1], 2)
    asked = theory.question()
    without = exact_setting(small, asked, lambda values: {}).values
    return (set(exact_setting(small, asked, theory.derive).values) - set(without)) & used


def _doubling(derive: Derive, symbol: sympy.Symbol) -> Derive:
    def changed_one(values: Values) -> Values:
        found = derive(values)
        return found | {symbol: 2 * found[symbol] + (found[symbol] == 0)}

    return changed_one


def _misprinted(theory: Theory, known: list[dict[str, Any]]) -> str | None:
    for one in known:
        for claim in one.get("values", {}):
            if misprinted(one, theory.cards[claim], theory):
                return REFERENCE
    return None
