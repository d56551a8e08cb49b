"""A card holds what a result says: its assumptions and its bound, term by term.

A formula is written once, as a SymPy expression; LaTeX, floats, digits and certified enclosures are
all computed from it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import sympy

from boundcheck.claims.symbols import LATEX

if TYPE_CHECKING:
    from simulation.policies import Policy


@dataclass(frozen=True)
class Range:
    """The arms over which a term is summed or for which an assumption is required: those whose rank
    (1 is the best), or another number of theirs (`subject`), is in a relation to a border, such as
    k <= N.

    >>> Range(">", sympy.Symbol("N")).words, EVERY_ARM.words
    ('k > N', 'all k')
    """

    relation: str
    border: sympy.Expr | int
    subject: sympy.Expr | None = None

    def of(self, ranks: Any, border: Any) -> Any:
        """Boolean mask of the ranks in the range, given the border's value."""
        return _RELATIONS[self.relation][0](ranks, border)

    @property
    def words(self) -> str:
        relation = self.relation.replace("==", "=")
        subject = "k" if self.subject is None else self.subject
        return "all k" if self == EVERY_ARM else f"{subject} {relation} {self.border}"

    @property
    def limits(self) -> str:
        """The limits of a LaTeX sum."""
        if self.subject is not None:
            relation = {"<=": r"\le", ">=": r"\ge", "==": "="}.get(self.relation, self.relation)
            border = to_latex(sympy.sympify(self.border))
            return rf"k:\,{to_latex(self.subject)} {relation} {border}"
        return _RELATIONS[self.relation][1].format(to_latex(sympy.sympify(self.border)))


_RELATIONS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    ">": (operator.gt, "k={}+1}}^{{K"),
    ">=": (operator.ge, "k={}}}^{{K"),
    "<": (operator.lt, "k=1}}^{{{}-1"),
    "<=": (operator.le, "k=1}}^{{{}"),
    "==": (operator.eq, "k={0}}}^{{{0}"),
}
EVERY_ARM = Range(">=", 1)


class Kind(Enum):
    LOWER_BOUND = "lower bound"
    UPPER_BOUND = "upper bound"
    COVERAGE = "coverage"
    ALGEBRA = "algebra"
    ASYMPTOTIC = "asymptotic"
    SAMPLE_SIZE = "sample size"
    ERROR = "error probability"  # probability that a policy stops with the wrong arm
    STOPPING = "samples until it stops"  # an upper bound that holds with probability 1 - delta
    EXPECTED_STOPPING = "expected samples until it stops"  # at most so many
    LEAST_STOPPING = "least expected samples"  # a lower bound on the expectation


class Trivial(Enum):
    """What is true without the theorem; a bound that is no better is not informative."""

    NONE = "nothing"
    REGRET = "the largest regret possible in T slots"
    SLOTS = "T"
    ONE_EXPLORATION = "1 exploration"
    ZERO = "0"


@dataclass(frozen=True)
class Term:
    """A summand of a bound; with `over`, itself a sum over arms."""

    name: str
    expression: sympy.Expr
    over: Range | None = None
    when: sympy.Rel | None = None  # the term is 0 where this fails

    @property
    def latex(self) -> str:
        body = to_latex(self.expression)
        total = rf"\sum_{{{self.over.limits}}} {body}" if self.over else body
        if self.when is None:
            return total
        return rf"\mathbb{{1}}\{{{to_latex(self.when)}\}}\,{total}"


@dataclass(frozen=True)
class Level:
    """A free number between two ends, one for each arm of a range or one in all: the bound is true
    for every choice, and the calculator chooses the one that makes it smallest.
    """

    symbol: sympy.Symbol
    low: sympy.Expr
    high: sympy.Expr
    over: Range | None = None
    when: sympy.Rel | None = None  # it is in use where this holds

    @property
    def words(self) -> str:
        each = f" ({self.over.words})" if self.over else ""
        where = f" if {self.when}" if self.when is not None else ""
        return f"{self.symbol} between {self.low} and {self.high}{each}{where}"


@dataclass(frozen=True)
class Quantity:
    """A number that a claim gives for an instance: one in all, or one for each arm in `rows`."""

    name: str
    unit: str
    terms: tuple[Term, ...]
    rows: Range | None = None
    trivial: Trivial = Trivial.NONE
    optimise_epsilon: bool = False
    assumptions: tuple[Assumption, ...] = ()  # beyond those of the claim
    levels: tuple[Level, ...] = ()
    search: Callable[[Any], Any] | None = None  # of a setting in floats: shares, by level's symbol
    on_demand: sympy.Rel | None = None  # where this holds it takes long: only computed if named

    @property
    def latex(self) -> str:
        return " + ".join(term.latex for term in self.terms)

    @property
    def symbols(self) -> frozenset[sympy.Symbol]:
        return frozenset().union(*(term.expression.free_symbols for term in self.terms))


@dataclass(frozen=True)
class Assumption:
    """A named predicate lhs (relation) rhs, for one arm or for each arm of a range.

    With `fact` it is a plain property of the instance instead (`law`, `distinct`, ...).
    """

    name: str
    statement: str
    relation: sympy.Rel | None = None
    over: Range | None = None
    fact: str | None = None

    @property
    def latex(self) -> str:
        return rf"\text{{{self.statement}}}" if self.relation is None else to_latex(self.relation)

    def on(self, over: Range) -> Assumption:
        """The same assumption for another range of arms."""
        return replace(self, over=over)

    def implies(self, other: Assumption) -> bool:
        """Whether both are upper limits on the same quantity and this one is at least as strict."""
        mine, others = self.relation, other.relation
        if mine is None or others is None or mine.lhs != others.lhs:
            return False
        return mine.rel_op == others.rel_op == "<=" and bool(mine.rhs <= others.rhs)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: rebuilt without evaluation, since SymPy would reduce a relation like T >
        0.
        """
        r = self.relation
        sides = None if r is None else (r.func, r.lhs, r.rhs)
        return _unpickled, (self.name, self.statement, sides, self.over, self.fact)


def _unpickled(name: str, statement: str, sides: Any, over: Range | None, fact: str) -> Assumption:
    relation = None if sides is None else sides[0](*sides[1:], evaluate=False)
    return Assumption(name, statement, relation, over, fact)


@dataclass(frozen=True)
class Repair:
    """What is wrong with a result as printed, and the correct version: two sentences.

    >>> Repair("It is printed 'for all x'.", "It holds for x > 0.", "sharp-1").sentence
    "It is printed 'for all x'. It holds for x > 0. See sharp-1."
    """

    what: str
    instead: str
    claim: str | None = None  # the id of the card that carries the better version

    @property
    def sentence(self) -> str:
        better = f" See {self.claim}." if self.claim else ""
        return f"{self.what} {self.instead}{better}"


@dataclass(frozen=True)
class Claim:
    """The card of a numbered result of a paper, or of one of ours: statement, assumptions and
    bound.

    docs/extending.md explains how to write one.

    >>> from boundcheck import find
    >>> card = find("thm-7.1")
    >>> card.policy_name == card.policy, [assumption.name for assumption in card.stated][-2:]
    (True, ['horizon', 'epsilon-range'])
    >>> "frac" in card.latex
    True
    """

    id: str
    title: str
    source: str
    kind: Kind
    statement: str
    reading: str
    checked_by: str
    assumptions: tuple[Assumption, ...] = ()
    implicit: tuple[Assumption, ...] = ()  # used by the proof but not stated
    quantities: tuple[Quantity, ...] = ()
    # for a result without a number for an instance, such as a width
    formula: sympy.Basic | None = None
    policy: str | Policy | None = None  # whose regret it bounds
    repairs: tuple[Repair, ...] = ()
    ours: bool = False
    premise: bool = False  # taken as proved: verdicts that rest on it say so
    every_law: bool = False  # a lower bound only for policies that are consistent for every law
    part_of: str | None = None  # the numbered result of which this card is a part
    options: tuple[tuple[str, sympy.Expr], ...] = ()  # options of the policy and their values
    over: str = "instance"  # "instances": one number for all instances with K arms
    side: str = "both"  # side on which a mean deviates: "below", "above" or "both"
    every_n: bool = False  # the mean stays within its width at every n up to T
    checked_against: str | None = None  # the public text that its formula was compared with

    @property
    def stated(self) -> tuple[Assumption, ...]:
        """Its assumptions, followed by those of its quantities."""
        return self.assumptions + tuple(a for q in self.quantities for a in q.assumptions)

    @property
    def instead(self) -> str | None:
        """The id of the claim with a better version of it.

        >>> from boundcheck import find
        >>> find("thm-4.3").instead, find("sharp-4.3").instead
        ('sharp-4.3', None)
        """
        return next((repair.claim for repair in self.repairs if repair.claim), None)

    @property
    def latex(self) -> str:
        """LaTeX of its first quantity, or of its formula if it has no quantities."""
        return self.quantities[0].latex if self.quantities else to_latex(self.formula)

    @property
    def policy_name(self) -> str | None:
        """The name of the policy whose regret it bounds."""
        policy = self.policy
        return policy if policy is None or isinstance(policy, str) else policy.name

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"

    def _repr_html_(self) -> str:
        from boundcheck.claims.card_text import card_html

        return card_html(self)

    def __str__(self) -> str:
        return f"{self.id}: {self.title}"


def to_latex(expression: sympy.Basic | None) -> str:
    """LaTeX of an expression, with the theory's names for symbols."""
    if expression is None:
        return ""
    return str(sympy.latex(expression, symbol_names=LATEX, ln_notation=False))
