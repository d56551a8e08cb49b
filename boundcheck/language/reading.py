"""Convert a line of text to a card, as a theory in Python has them.

regret(ucb1) <= 8*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)
growth(thompson) <= sum(gap/kl(mu, best), worse)
|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy

from boundcheck.claims import symbols as s
from boundcheck.claims import unevaluated
from boundcheck.claims.card import Assumption, Claim, Kind, Quantity, Trivial
from boundcheck.language import names
from boundcheck.language.formulas import Reader
from boundcheck.language.grammar import column_of, error_at, tree_of, unknown
from simulation.numbers import exact

if TYPE_CHECKING:
    from boundcheck.theory import Theory
    from simulation.policies import Policy

EVERY_POLICY = "every"
NOTHING: Mapping[str, sympy.Expr] = {}
BOUNDED = Assumption("rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]")
_SUBJECTS = {
    Kind.UPPER_BOUND: "E regret of {} up to T  ≤",
    Kind.LOWER_BOUND: "E regret of {} up to T  ≥",
    Kind.ASYMPTOTIC: "regret of {} per log T, as T grows,  ≤",
    Kind.COVERAGE: "with probability 1 - δ:  |mean of n rewards - μ|  ≤",
}
_EVERY_GROWTH = "regret of every consistent policy per log T, as T grows,  ≥"
_RELATIONS = {
    "<=": unevaluated.Le,
    ">=": unevaluated.Ge,
    "<": unevaluated.Lt,
    ">": unevaluated.Gt,
    "==": unevaluated.Eq,
}


@dataclass(frozen=True)
class Line:
    """A line and its card."""

    text: str
    card: Claim
    asks: bool = False  # whether it has a `?`, a constant to be found


def read(
    text: str,
    theory: Theory,
    where: str = "try",
    name: str = "line",
    more: Mapping[str, sympy.Expr] = NOTHING,
) -> Line:
    """Parse a line into a card; errors name the column. `more` are names in addition to the
    theory's.

    >>> from boundcheck.theories import default
    >>> line = read("regret(ucb1) <= 8*sum(log(T)/gap, worse) + 2*sum(gap)", default())
    >>> line.card.policy_name, [term.over.words for term in line.card.quantities[0].terms]
    ('ucb1', ['all k', 'Delta_k > 0'])
    """
    parts: list[Any] = [*tree_of(text, "claim", where).children]
    first, *conditions = parts
    assumed = [_condition(tree, theory, where) for tree in conditions if tree is not None]
    reader = _reader(where, theory, more, first.data == "coverage")
    make = _coverage if first.data == "coverage" else _bound
    card = make(first.children, reader, theory, where)
    card = replace(card, id=name, title=text, assumptions=(*card.assumptions, *assumed))
    return Line(text, card, asks=reader.unknowns > 0)


def subject(card: Claim) -> str:
    """What a formula bounds, as the text before it."""
    if card.kind is Kind.LOWER_BOUND and card.policy is None:
        return _EVERY_GROWTH
    return _SUBJECTS[card.kind].format(card.policy_name)


def read_formula(
    text: str, theory: Theory, where: str, more: Mapping[str, sympy.Expr] = NOTHING
) -> sympy.Expr:
    """Parse a formula; it may be about one arm."""
    reader = _reader(where, theory, more, True)
    tree = tree_of(text, "sum", where)
    made = reader(tree)
    if reader.unknowns or reader.levels:
        raise error_at(where, column_of(tree), "? or inf", "an abbreviation without them")
    return made


def condition(text: str, theory: Theory, where: str) -> Assumption:
    """Parse a comparison, such as T >= K, as an assumption."""
    return _condition(tree_of(text, "comparison", where), theory, where)


def own_names(theory: Theory) -> dict[str, sympy.Expr]:
    """The names that a theory adds to those that every line can use."""
    return names.of_theory(theory.small_values)


def _reader(where: str, theory: Theory, more: Mapping[str, sympy.Expr], one_arm: bool) -> Reader:
    by_arm = {x for x, value in theory.small_values.items() if value.shape[1] > 1}
    return Reader(where, {**own_names(theory), **more}, frozenset(by_arm), one_arm)


def listed_names(theory: Theory) -> list[dict[str, str]]:
    """Every name that a line can use, with its meaning."""
    rows = [("name", name, meaning) for name, (_, meaning) in names.NAMES.items()]
    rows += [("function", name, meaning) for name, (*_, meaning) in names.FUNCTIONS.items()]
    rows += [
        ("over arms", "sum(x, arms), largest(x, arms)", "arms: all, worse, best or gap > 0.1"),
        ("function", "inf(x in (a, b): ...)", "smallest value for x between a and b"),
    ]
    rows += [(theory.name, name, "of this theory") for name in sorted(own_names(theory))]
    return [{"name": name, "kind": kind, "meaning": meaning} for kind, name, meaning in rows]


def _condition(tree: Any, theory: Theory, where: str) -> Assumption:
    left, relation, right = tree.children
    reader = _reader(where, theory, NOTHING, True)
    made = _RELATIONS[names.relation(str(relation))](reader(left), reader(right))
    if reader.unknowns or reader.levels:
        raise error_at(where, column_of(tree), "? or inf in a condition", "numbers and names")
    return Assumption(f"{made.lhs} {made.rel_op} {made.rhs}", str(made), made)


def _bound(parts: Any, reader: Reader, theory: Theory, where: str) -> Claim:
    subject, policy, relation, tree = parts
    below = names.relation(str(relation)) == "<="
    acting = _policy(policy, theory, where, every=subject == "growth" and not below)
    if subject == "growth" and not below and acting is not None:
        expected = f"growth({EVERY_POLICY}) >= ..., of every consistent policy, or <="
        raise error_at(where, column_of(relation), f"growth({policy.children[0]}) >=", expected)
    terms = reader.terms(tree)
    used = frozenset().union(*(term.expression.free_symbols for term in terms))
    for symbol, said in ((s.n, "n"), (s.delta, "delta"), (s.T, "T")):
        if symbol in used and (symbol != s.T or subject == "growth"):
            expected = "no T: it is a limit per log T" if said == "T" else "T, the slots, and K"
            raise error_at(where, column_of(tree), f"{said} in a {subject}", expected)
    kind = Kind.UPPER_BOUND if below else Kind.LOWER_BOUND
    if subject == "growth" and below:
        kind = Kind.ASYMPTOTIC
    trivial = Trivial.REGRET if subject == "regret" and below else Trivial.ZERO
    unit = "reward" if subject == "regret" else "reward per log T"
    name = "regret" if subject == "regret" else "regret per log T"
    quantity = Quantity(name, unit, terms, trivial=trivial, levels=tuple(reader.levels))
    return _card(kind, "simulated regret", policy=acting, quantities=(quantity,))


def _coverage(parts: Any, reader: Reader, theory: Theory, where: str) -> Claim:
    relation, tree = parts
    if names.relation(str(relation)) != "<=":
        raise error_at(where, column_of(relation), str(relation), "<=")
    width = reader(tree)
    if s.n not in width.free_symbols:
        raise error_at(
            where, column_of(tree), "a width without n", "the number of rewards, n, in it"
        )
    if s.T in width.free_symbols or reader.levels:
        raise error_at(where, column_of(tree), "T or inf in a width", "n and delta")
    return _card(Kind.COVERAGE, "probability, summed or enclosed", formula=width)


def _card(kind: Kind, checked_by: str, **more: Any) -> Claim:
    return Claim("line", "", "typed", kind, "", "as typed", checked_by, **more)


def _policy(tree: Any, theory: Theory, where: str, *, every: bool) -> str | Policy | None:
    """The name of a policy, or the policy with the options given in brackets."""
    token, *given = tree.children
    name, known = str(token), theory.known_policies
    if name == EVERY_POLICY and every:
        return None
    if name not in known and name.lower() in known:
        name = name.lower()
    if name not in known:
        raise unknown(where, column_of(token), name, "policy", known, ", or one by --plugin")
    options = {str(o.children[0]): str(o.children[1]) for o in given if o is not None}
    if not options:
        return name
    policy = known[name]
    for option in options:
        if option not in policy.defaults:
            raise unknown(where, column_of(token), option, f"option of {name}", policy.defaults)
    numbers = {option: float(exact(value)) for option, value in options.items()}
    return with_options(policy, numbers)


def with_options(policy: Policy, options: dict[str, Any], name: str | None = None) -> Policy:
    """A policy with these options as defaults."""
    told = ", ".join(f"{option}={value:g}" for option, value in options.items())
    named = name or f"{policy.name}({told})"
    return replace(policy, name=named, defaults={**policy.defaults, **options})
