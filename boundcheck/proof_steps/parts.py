"""The parts that a step of a proof yields. Each decides something, and can refute the step.

equal     both sides are the same expression (SymPy), and agree at exact points
at_most   an inequality, by calculus on ranges that may be infinite or by enclosures over a box
below     the same, strictly
cases     every case of finitely many, in exact arithmetic
number    one certified number compared with another
examples  hypothesis searches for a counterexample: at best the step is `consistent`
same      the step is a statement of a claim, which is decided elsewhere
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import sympy
from flint import arb
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.numbers import balls
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Verdict
from boundcheck.judging.searching import search
from boundcheck.judging.statement import Case
from boundcheck.proof_steps.methods import decided
from boundcheck.proof_steps.relations import BITS, Goal, Ranges
from boundcheck.proof_steps.step import Part, all_agree
from boundcheck.search.hunt import SearchLimit, no_files_left, same_examples
from simulation.numbers import decimal

if TYPE_CHECKING:
    from boundcheck.theory import Theory

Certified: TypeAlias = arb | Fraction | int
Example = TypeVar("Example")
_SECONDS = 60.0  # time limit for the statement of a claim


class Asserted(Goal):
    """A relation between formulas; `on` decides it on ranges."""

    def on(self, ranges: Ranges) -> Part:
        return decided(Goal(self.lhs, self.relation, self.rhs, ranges))


def equal(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs = rhs wherever both are defined; `on` says where points are taken from.

    >>> x = sympy.Symbol("x", positive=True)
    >>> equal((x + 1) ** 2, x**2 + 2 * x + 1).on({x: (0, 9)}).verdict.value
    'holds'
    """
    return Asserted(sympy.sympify(lhs), "=", sympy.sympify(rhs))


def at_most(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs <= rhs.

    >>> x = sympy.Symbol("x", positive=True)
    >>> at_most(x * (1 - x), sympy.Rational(1, 4)).on({x: (0, 1)}).method
    'calculus'
    >>> at_most(sympy.log(x), 2 * x).on({x: (1, 9)}).method
    'enclosure'
    """
    return Asserted(sympy.sympify(lhs), "<=", sympy.sympify(rhs))


def below(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs < rhs."""
    return Asserted(sympy.sympify(lhs), "<", sympy.sympify(rhs))


def cases(
    predicate: Callable[..., bool],
    ranges: Mapping[str, Iterable[Any]],
    *,
    complete: bool,
    words: str = "",
) -> Part:
    """Check every case in the given order. `complete`: the step is about no other cases."""
    lists = {name: list(values) for name, values in ranges.items()}
    seen = 0
    for case in product(*lists.values()):
        seen += 1
        if not predicate(*case):
            point = ", ".join(f"{name} = {x}" for name, x in zip(lists, case, strict=True))
            return Part("exhaustive", Verdict.REFUTED, point, words or "the first case to fail")
    region = ", ".join(f"{name} in {_ends(values)}" for name, values in lists.items())
    count = f"{seen} cases"
    told = count if complete else f"{count}: others are not covered"
    told = f"{words}; {told}" if words else told
    return all_agree("exhaustive", region, told, sample=not complete)


def _ends(values: list[Any]) -> str:
    if len(values) <= 4:
        return "{" + ", ".join(map(str, values)) + "}"
    return f"{{{values[0]}, {values[1]}, ..., {values[-1]}}}"


def certified_number(
    actual: Certified, *, at_most: Certified, region: str, words: str, sample: bool = False
) -> Part:
    """A number, enclosed or exact, compared with its limit. `sample`: the step is about more than
    this number.

    >>> found = certified_number(Fraction(1, 3), at_most=arb(1) / 3, region="x = 3", words="1/x")
    >>> found.verdict.value
    'undecided'
    """
    enclosed = isinstance(actual, arb) or isinstance(at_most, arb)
    with balls.precision(BITS):
        left, right = _ball(actual), _ball(at_most)
        gap = right - left if enclosed else _ball(at_most - actual)
    told = f"{words}: {_shown(left)} beside {_shown(right)}"
    method = "enclosure" if enclosed else "exact number"
    if gap >= 0:
        return all_agree(method, region, told, sample=sample)
    return Part(method, Verdict.REFUTED if gap < 0 else Verdict.UNDECIDED, region, told)


def _ball(x: Certified) -> arb:
    return x if isinstance(x, arb) else balls.ball(Fraction(x))


def _shown(x: arb) -> str:
    """Six digits, or both ends if they differ."""
    return " to ".join(dict.fromkeys(f"{float(end):.6g}" for end in (x.lower(), x.upper())))


def largest(found: Iterable[arb]) -> arb:
    """Of enclosures to be compared with 1: one that is certainly above it, else the highest."""
    return max(found, key=lambda x: (bool(x > 1), x.upper()))


def examples(
    predicate: Callable[[Example], bool],
    strategy: SearchStrategy[Example],
    region: str,
    examples: int = 300,
    show: Callable[[Example], str] = str,
) -> Part:
    """Search for a counterexample with hypothesis, from a fixed seed; it is shrunk if one is
    found.
    """
    seen = 0

    def fails(example: Example) -> bool:
        nonlocal seen
        seen += 1
        return not predicate(example)

    chosen = settings(
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with no_files_left(), same_examples():
        try:
            smallest = find(strategy, fails, settings=chosen, random=Random(0))
        except NoSuchExample:
            return all_agree("search", region, f"{seen} examples tried", sample=True)
    return Part("search", Verdict.REFUTED, show(smallest), "smallest example found")


@cache
def same(theory: Theory, claim: str, statement: str, examples: int = 120) -> Part:
    """The step is a statement of a claim: `intended`, `charitable`, `printed`, `further:NAME`, ...

    It is decided by the same search as in `boundcheck falsify`.
    """
    limit = SearchLimit(examples, _SECONDS)
    stated, context = theory.statement(claim, statement), theory.context(EFFORTS["quick"])
    seen = search(theory.cards[claim], stated, context, limit, theory.model)
    region = seen.reading if seen.case is None else f"at {_place(seen.case)}"
    return Part("statement", seen.verdict, region, seen.explanation, leans=seen.leans)


def _place(case: Case) -> str:
    """The parameters of a case, or its instance if it has none."""
    if told := case.parameters():
        return ", ".join(f"{name} {value}" for name, value in told.items())
    given = case.instance
    means, held = (
        " ".join(decimal(Fraction(x), 6) for x in values)
        for values in (given.means, given.capacities)
    )
    return f"means {means}, capacities {held}, {given.plays} plays"


def contradicted(opposite: Part, region: str, detail: str) -> Part:
    """A step is refuted if its opposite holds; otherwise it is undecided."""
    shown = opposite.verdict is Verdict.HOLDS
    verdict = Verdict.REFUTED if shown else Verdict.UNDECIDED
    return Part(opposite.method, verdict, region, detail if shown else opposite.detail)


def definition() -> Part:
    """For a display that only introduces notation."""
    return Part("definition", None, "nothing is asserted", goals=())
