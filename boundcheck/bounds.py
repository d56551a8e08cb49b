"""Every bound of the catalogue for one instance, certified, with the state of its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb

from boundcheck import balls
from boundcheck import symbols as s
from boundcheck.claim import Arms, Assumption, Claim, Quantity, Term, Trivial
from boundcheck.claims import catalogue, find
from boundcheck.evaluate import BALLS, EXACT, FLOATS, Array, Domain, Irrational
from boundcheck.question import Question
from boundcheck.setting import Setting, exact_setting
from simulation.errors import InputError
from simulation.instance import Instance
from simulation.numbers import decimal, exact

_MOST_BITS = 20_000


@dataclass(frozen=True)
class Condition:
    """An assumption on this instance: both sides, and whether it holds."""

    name: str
    arm: int | None
    holds: bool
    lhs: str | None
    rhs: str | None
    assumption: Assumption
    implicit: bool = False
    witness: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "arm": self.arm,
            "holds": self.holds,
            "lhs": self.lhs,
            "rhs": self.rhs,
        }

    @property
    def margin(self) -> str | None:
        """How far it holds (or, negative, falls short): the difference of the two sides."""
        relation = self.assumption.relation
        if relation is None or self.lhs is None or self.rhs is None:
            return None
        lhs, rhs = Decimal(self.lhs), Decimal(self.rhs)
        with localcontext(prec=30, Emax=MAX_EMAX, Emin=MIN_EMIN) as context:
            context.traps[InvalidOperation] = False
            excess = lhs - rhs if relation.rel_op in (">=", ">") else rhs - lhs
            excess = -abs(excess) if relation.rel_op == "==" else excess
        return None if excess.is_nan() else str(excess.normalize())


@dataclass(frozen=True)
class Bound:
    """One number that a claim gives for an instance (for one arm, or in all)."""

    claim: str
    quantity: str
    arm: int | None
    unit: str
    value: str | None
    lower: str | None
    upper: str | None
    terms: tuple[tuple[str, str | None], ...]
    assumptions: tuple[Condition, ...]
    implicit: tuple[Condition, ...]
    vacuous: bool | None
    nonvacuous_from: str | None
    epsilon: str | None
    ball: arb | None = field(repr=False, compare=False, default=None)

    @property
    def applies(self) -> bool:
        return self.value is not None and all(c.holds for c in self.assumptions)

    def to_json(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "quantity": self.quantity,
            "arm": self.arm,
            "value": self.value,
            "lower": self.lower,
            "upper": self.upper,
            "unit": self.unit,
            "applies": self.applies,
            "vacuous": self.vacuous,
            "nonvacuous_from": self.nonvacuous_from,
            "epsilon": self.epsilon,
            "terms": [{"name": name, "value": value} for name, value in self.terms],
            "assumptions": [condition.to_json() for condition in self.assumptions],
            "implicit_assumptions": [condition.to_json() for condition in self.implicit],
        }


def bounds(
    instance: Instance, question: Question | None = None, claims: Iterable[str] | None = None
) -> list[Bound]:
    """All bounds (or those of some claims) for an instance.

    >>> paper = Instance.load("paper")
    >>> [b.value for b in bounds(paper, Question(horizon="1e5", digits=6), ["cor-7.2"])]
    ['5787.64']
    """
    question = question or Question()
    cards = list(catalogue().values()) if claims is None else [find(name) for name in claims]
    setting = exact_setting(instance, question)
    if question.epsilon is not None:
        _require_admissible(instance, question.epsilon, setting)
    states = _States(instance, question.digits)
    out: list[Bound] = []
    for card in cards:
        for quantity in card.quantities:
            out.extend(_of_quantity(card, quantity, states, question, setting))
    return out


def _require_admissible(instance: Instance, epsilon: Fraction, setting: Setting) -> None:
    limit = setting.values[s.smallest_gap].item() / 2
    if epsilon >= limit:
        pairs = instance.equal_means
        expected = (
            f"none: arms {', '.join(map(str, pairs[0]))} have equal means"
            if pairs
            else f"a number below {decimal(limit, 12)}, half the smallest gap between means"
        )
        raise InputError("--epsilon", "epsilon", decimal(epsilon, 12), expected)


def _of_quantity(
    card: Claim, quantity: Quantity, states: _States, question: Question, setting: Setting
) -> Iterator[Bound]:
    instance, epsilon = states.instance, None
    if s.epsilon in quantity.symbols:
        epsilon = question.epsilon
        if epsilon is None:
            epsilon = best_epsilon(quantity, setting)
        if epsilon is not None:
            setting = setting.given({s.epsilon: np.array([[epsilon]], dtype=object)})
    rows = _rows(quantity, instance, question, setting)
    solvable = epsilon is not None or s.epsilon not in quantity.symbols
    enclosures = certified_rows(quantity, setting, rows, question.digits) if solvable else None
    stated = [states.of(a, setting) for a in (*card.assumptions, *quantity.assumptions)]
    silent = [states.of(a, setting, implicit=True) for a in card.implicit]
    since = nonvacuous_from(quantity, setting) if solvable else None
    for position, rank in enumerate(rows if rows is not None else [None]):
        arm = None if rank is None else instance.order[rank - 1] + 1
        terms, total = ([], arb.nan()) if enclosures is None else enclosures[position]
        yield Bound(
            claim=card.id,
            quantity=quantity.name,
            arm=arm,
            unit=quantity.unit,
            value=balls.midpoint(total, question.digits),
            lower=balls.lower(total, question.digits),
            upper=balls.upper(total, question.digits),
            terms=tuple(
                (term.name, balls.midpoint(value, question.digits))
                for term, value in zip(quantity.terms, terms, strict=False)
            ),
            assumptions=_relevant(stated, quantity, arm),
            implicit=_relevant(silent, quantity, arm),
            vacuous=_vacuous(quantity, total, setting),
            nonvacuous_from=since,
            epsilon=None if epsilon is None else decimal(epsilon, question.digits),
            ball=total,
        )


_ByArm = dict[int | None, "Condition"]


@dataclass
class _States:
    """The assumptions on an instance, each decided once though many claims share them."""

    instance: Instance
    digits: int
    _known: dict[tuple[Assumption, bool, Fraction | None], _ByArm] = field(default_factory=dict)

    def of(self, assumption: Assumption, setting: Setting, *, implicit: bool = False) -> _ByArm:
        epsilon = setting.values[s.epsilon].item() if s.epsilon in setting.values else None
        key = (assumption, implicit, epsilon)
        if key not in self._known:
            found = conditions(assumption, self.instance, setting, self.digits, implicit)
            self._known[key] = {condition.arm: condition for condition in found}
        return self._known[key]


def _relevant(groups: list[_ByArm], quantity: Quantity, arm: int | None) -> tuple[Condition, ...]:
    """All conditions, or for a row of one arm those that speak of it."""
    if quantity.rows is None:
        return tuple(condition for group in groups for condition in group.values())
    return tuple(group[key] for group in groups for key in (None, arm) if key in group)


def _rows(
    quantity: Quantity, instance: Instance, question: Question, setting: Setting
) -> list[int] | None:
    """Ranks of the arms that get a row; None if the quantity is one number in all."""
    if quantity.rows is None:
        return None
    if s.d in quantity.symbols and question.threshold is None:
        return [instance.L]  # the default threshold concerns the last optimal arm alone
    ranks = setting.ranks[0][setting.mask(quantity.rows)[0]]
    by_arm = sorted(ranks.tolist(), key=lambda rank: instance.order[rank - 1])
    return [int(rank) for rank in by_arm]


# -- values ------------------------------------------------------------------------------


def term_values(
    term: Term, setting: Setting, domain: Domain, rows: list[int] | None = None
) -> Array:
    """A term at each point: summed over its arms, or one value for each rank in `rows`."""
    zero = domain.constant(Fraction(0))
    live = _live(term.when, setting)
    if not live.any():
        return np.broadcast_to(zero, (len(live), 1 if rows is None else len(rows)))
    if rows is not None:
        value = setting.evaluator(domain, np.asarray(rows) - 1)(term.expression)
        value = np.broadcast_to(value, (len(value), len(rows)))
    elif term.over is None:
        value = setting.evaluator(domain)(term.expression)
    else:
        mask = setting.mask(term.over)
        used = np.asarray(mask.any(axis=0))
        if not used.any():
            return np.broadcast_to(zero, (len(mask), 1))
        value = setting.evaluator(domain, used)(term.expression)
        shape = np.broadcast_shapes(value.shape, mask[:, used].shape)
        value = np.where(mask[:, used], np.broadcast_to(value, shape), zero)
        value = value.sum(axis=1, keepdims=True)
    return value if live.all() else np.where(live, value, zero)


def _live(when: sympy.Rel | None, setting: Setting) -> Array:
    """Where a term's condition (between whole numbers) holds."""
    if when is None:
        return np.ones((1, 1), dtype=bool)
    values = setting.evaluator(FLOATS)
    return np.asarray(_compare(when, values(when.lhs), values(when.rhs)), dtype=bool)


def _enough_bits(setting: Setting, digits: int) -> int:
    return int(digits * 3.33) + 64 + setting.denominator_bits


def certified_rows(
    quantity: Quantity, setting: Setting, rows: list[int] | None, digits: int
) -> list[tuple[list[arb], arb]]:
    """Enclosures of all terms and of their sum, for each row, sharp to `digits` digits."""
    bits, before = _enough_bits(setting, digits), None
    while True:
        with balls.precision(bits):
            columns = [
                term_values(term, setting, BALLS, rows)[0].tolist() for term in quantity.terms
            ]
            found = [(list(row), sum(row[1:], row[0])) for row in zip(*columns, strict=True)]
        unsharp = [total for _, total in found if not balls.accurate(total, digits)]
        sharpness = min((total.rel_accuracy_bits() for total in unsharp), default=0)
        # an enclosure that more bits do not sharpen is left as wide as it is
        if not unsharp or bits > _MOST_BITS or sharpness == before:
            return found
        before, bits = sharpness, 2 * bits


# -- assumptions -------------------------------------------------------------------------


def conditions(
    assumption: Assumption,
    instance: Instance,
    setting: Setting,
    digits: int,
    implicit: bool = False,
) -> list[Condition]:
    """The assumption for each arm it speaks of (or once), decided exactly or by enclosures."""

    def condition(arm: int | None, holds: bool, lhs: str | None, rhs: str | None) -> Condition:
        witness = None
        if assumption.name == "distinct-means" and instance.equal_means:
            groups = (" = ".join(map(str, group)) for group in instance.equal_means)
            witness = "equal means: arms " + ", ".join(groups)
        return Condition(assumption.name, arm, holds, lhs, rhs, assumption, implicit, witness)

    if assumption.fact is not None:
        allowed = {"gaussian": ("gaussian",), "atomic": ("gaussian", "bernoulli")}[assumption.fact]
        return [condition(None, setting.law in allowed, setting.law, " or ".join(allowed))]
    relation = assumption.relation
    assert relation is not None
    if s.epsilon in relation.free_symbols and s.epsilon not in setting.values:
        limit = setting.values[s.smallest_gap].item() / 2
        return [condition(None, limit > 0, None, decimal(limit, digits))]
    per_arm = relation.free_symbols & {s.mu, s.m}
    if not per_arm:
        (result,) = _decided(relation, setting, None, digits)
        return [condition(None, *result)]
    mask = setting.mask(assumption.over or Arms.ALL)[0]
    ranks = [int(rank) for rank in setting.ranks[0][mask]]
    results = _decided(relation, setting, ranks, digits) if ranks else []
    found = [
        condition(instance.order[rank - 1] + 1, *result)
        for rank, result in zip(ranks, results, strict=True)
    ]
    return sorted(found, key=lambda c: c.arm or 0)


def _decided(
    relation: sympy.Rel, setting: Setting, ranks: list[int] | None, digits: int
) -> list[tuple[bool, str | None, str | None]]:
    columns = slice(None) if ranks is None else np.array(ranks) - 1
    count = 1 if ranks is None else len(ranks)
    try:
        evaluate = setting.evaluator(EXACT, columns)
        sides = [
            np.broadcast_to(evaluate(side), (1, count))[0] for side in (relation.lhs, relation.rhs)
        ]
        return [
            (bool(_compare(relation, a, b)), decimal(a, digits), decimal(b, digits))
            for a, b in zip(*sides, strict=True)
        ]
    except (Irrational, ZeroDivisionError):
        return _decided_by_balls(relation, setting, columns, count, digits)


def _decided_by_balls(
    relation: sympy.Rel, setting: Setting, columns: Any, count: int, digits: int
) -> list[tuple[bool, str | None, str | None]]:
    bits = _enough_bits(setting, digits)
    while True:
        with balls.precision(bits):
            evaluate = setting.evaluator(BALLS, columns)
            left, right = (
                np.broadcast_to(evaluate(side), (1, count))[0].tolist()
                for side in (relation.lhs, relation.rhs)
            )
            decided = all(
                _compare(relation, a, b) or _compare(relation.negated, a, b) or _nan(a, b)
                for a, b in zip(left, right, strict=True)
            )
        if decided or bits > _MOST_BITS:
            return [
                (
                    bool(_compare(relation, a, b)),
                    balls.midpoint(a, digits),
                    balls.midpoint(b, digits),
                )
                for a, b in zip(left, right, strict=True)
            ]
        bits *= 4


def _nan(a: arb, b: arb) -> bool:
    return bool(a.is_nan() or b.is_nan())


def _compare(relation: sympy.Rel, a: Any, b: Any) -> Any:
    return {
        ">=": lambda: a >= b,
        ">": lambda: a > b,
        "<=": lambda: a <= b,
        "<": lambda: a < b,
        "==": lambda: a == b,
        "!=": lambda: a != b,
    }[relation.rel_op]()


# -- vacuity -----------------------------------------------------------------------------

_UPPER = {Trivial.REGRET: s.T * s.f_star, Trivial.SLOTS: s.T}
_LOWER = {Trivial.ONE_EXPLORATION: sympy.Integer(1), Trivial.ZERO: sympy.Integer(0)}


def _vacuous(quantity: Quantity, value: arb, setting: Setting) -> bool | None:
    """Is the bound no better than what is true anyway? None where nothing is."""
    if value.is_nan() or quantity.trivial is Trivial.NONE:
        return None
    if quantity.trivial in _UPPER:
        known = setting.evaluator(BALLS)(_UPPER[quantity.trivial]).item()
        return bool(value >= known)
    if quantity.trivial is Trivial.ONE_EXPLORATION and setting.values[s.delta].item() >= 0.5:
        return bool(value <= 0)
    return bool(value <= BALLS.constant(Fraction(int(_LOWER[quantity.trivial]))).item())


def nonvacuous_from(quantity: Quantity, setting: Setting) -> str | None:
    """The horizon from which a regret bound is below T f(a*), to four digits, rounded up.

    Bound/T decreases from T = 6 on, so there is one crossing; it is bracketed on a grid of
    exponents and zoomed in on. None: not a function of T alone, or beyond 10^300.
    """
    if quantity.trivial not in _UPPER or quantity.rows is not None:
        return None
    low, high = 1.0, 300.0
    setting = setting.in_floats()
    with np.errstate(all="ignore"):
        for _ in range(4):
            exponents = np.linspace(low, high, 200)
            at = setting.given({s.T: 10.0 ** exponents[:, None]})
            bound = sum(term_values(term, at, FLOATS) for term in quantity.terms)
            trivial = at.evaluator(FLOATS)(_UPPER[quantity.trivial])
            above = np.flatnonzero(~(bound < trivial).ravel())
            if len(above) == 0:
                return decimal(Fraction(10), 1) if low == 1.0 else None
            if above[-1] == len(exponents) - 1:
                return None
            low, high = exponents[above[-1]], exponents[above[-1] + 1]
    return decimal(_round_up(10.0**high), 12)


def _round_up(value: float) -> Fraction:
    digits, _, exponent = f"{value:.3e}".partition("e")
    rounded = exact(f"{digits}e{exponent}")
    return rounded if rounded >= Fraction(value) else rounded + Fraction(10) ** (int(exponent) - 3)


# -- epsilon -----------------------------------------------------------------------------

_GOLDEN = (5**0.5 - 1) / 2


def best_epsilons(quantity: Quantity, setting: Setting) -> Array:
    """At each point the admissible epsilon that makes the bound smallest; nan if there is none.

    The bound is a sum of convex functions of epsilon: golden-section search. All rows of a
    quantity with one row for each arm share the epsilon that is best for their sum.
    """
    rows = None
    if quantity.rows is not None:
        rows = (np.flatnonzero(setting.mask(quantity.rows).any(axis=0)) + 1).tolist()
    setting = setting.in_floats()
    limit = setting.values[s.smallest_gap] / 2
    terms = [term for term in quantity.terms if s.epsilon in term.expression.free_symbols]

    def total(epsilon: Array) -> Array:
        at = setting.given({s.epsilon: epsilon})
        parts = [term_values(term, at, FLOATS, rows).sum(axis=1, keepdims=True) for term in terms]
        return np.asarray(sum(parts[1:], parts[0]))

    with np.errstate(all="ignore"):
        size = np.broadcast_shapes(*(v.shape[:1] for v in setting.values.values()))[0]
        low = np.broadcast_to(limit * 1e-4, (size, 1))
        high = np.broadcast_to(limit * (1 - 1e-9), (size, 1))
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left, at_right = total(left), total(right)
        for _ in range(32):
            smaller = at_left < at_right
            low, high = np.where(smaller, low, left), np.where(smaller, right, high)
            fresh = np.where(smaller, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
            at_fresh = total(fresh)
            left, right = np.where(smaller, fresh, right), np.where(smaller, left, fresh)
            at_left, at_right = (
                np.where(smaller, at_fresh, at_right),
                np.where(smaller, at_left, at_fresh),
            )
        return np.where(limit > 0, (low + high) / 2, np.nan)


def best_epsilon(quantity: Quantity, setting: Setting) -> Fraction | None:
    """The same for one exact setting, cut to six digits (so it stays admissible)."""
    if setting.values[s.T].item() > 10**300:  # beyond floats; the best value moves with log T only
        setting = setting.given({s.T: np.array([[Fraction(10**300)]], dtype=object)})
    found = best_epsilons(quantity, setting).item()
    if np.isnan(found):
        return None
    digits, _, exponent = f"{found:.9e}".partition("e")
    return exact(f"{digits[:7]}e{exponent}")


# -- all assumptions ---------------------------------------------------------------------


@dataclass(frozen=True)
class CheckedAssumption:
    """An assumption of a claim on this instance."""

    claim: str
    condition: Condition

    def to_json(self) -> dict[str, Any]:
        c = self.condition
        return {
            "claim": self.claim,
            **c.to_json(),
            "margin": c.margin,
            "implicit": c.implicit,
            "statement": c.assumption.statement,
            "witness": c.witness,
        }


def check(
    instance: Instance, question: Question | None = None, claims: Iterable[str] | None = None
) -> list[CheckedAssumption]:
    """The assumptions of all claims (or of some) on an instance.

    >>> [c.condition.arm for c in check(Instance.load("paper-gaussian"), claims=["thm-4.1a"])
    ...  if not c.condition.holds]
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    question = question or Question()
    setting = exact_setting(instance, question)
    if question.epsilon is not None:
        _require_admissible(instance, question.epsilon, setting)
    cards = list(catalogue().values()) if claims is None else [find(name) for name in claims]
    found = []
    for card in cards:
        for assumption in (*card.stated, *card.implicit):
            implicit = assumption in card.implicit
            rows = conditions(assumption, instance, setting, question.digits, implicit)
            if question.threshold is None and _concerns_threshold(assumption):
                rows = [c for c in rows if c.arm in (None, instance.last_arm + 1)]
            found += [CheckedAssumption(card.id, row) for row in rows]
    return found


def _concerns_threshold(assumption: Assumption) -> bool:
    return assumption.relation is not None and s.d in assumption.relation.free_symbols
