"""One claim over a grid of parameter values, in floats: for plots, tables and what-if questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from boundcheck.calculator.conditions import foreign_law, laws_with
from boundcheck.calculator.numbers.evaluate import FLOATS, Array
from boundcheck.calculator.optimise import best_epsilons, many_levels
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import shortened
from boundcheck.calculator.setting import (
    OF_INSTANCE,
    Setting,
    default_arms,
    derived,
    given_parameters,
    served,
)
from boundcheck.calculator.stretching import stretched
from boundcheck.calculator.values import TRIVIAL_UPPER, compare_values, term_values
from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Claim, Quantity
from simulation.errors import InputError, shown
from simulation.numbers import decimal, entered, exact
from simulation.policies import Policy
from simulation.tables import Table, Tabular
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

_LARGEST = 10**308
_MOST_POINTS = 5_000_000


@dataclass(frozen=True, eq=False)
class Sweep(Tabular):
    """The table that `sweep` returns: columns for the varied parameters, arm, value and terms.

    >>> from boundcheck import sweep
    >>> table = sweep(Instance.load("paper"), "cor-7.2", {"plays": [2, 3]})
    >>> table.cells()["plays"], table.columns["applies"].tolist()
    ([2, 3], [False, False])
    >>> table.summary().headings[:2]
    ['plays', 'value']
    """

    claim: str
    quantity: str
    columns: dict[str, Array]

    def __len__(self) -> int:
        return len(self.columns["value"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sweep):
            return NotImplemented
        mine, theirs = ((x.claim, x.quantity, list(x.columns)) for x in (self, other))
        return mine == theirs and all(
            np.array_equal(column, other.columns[name]) for name, column in self.columns.items()
        )

    def cells(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: column.tolist() for name, column in self.columns.items()}

    def summary(self) -> Table:
        """The printed table, with all columns."""
        title = f"{self.claim}, {self.quantity}: {len(self)} rows"
        return shortened(title, self.cells(), list(self.columns))


def sweep(
    instance: Instance,
    claim: str | Claim | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    question: Question | None = None,
    quantity: int = 0,
    *,
    simulate: str | Policy | None = None,
    runs: int = 50,
    theory: Theory,
    **given: Any,
) -> Sweep:
    """The `quantity`-th number of a claim at every combination of the given values."""
    varied, plain = _told_apart(vary or {}, given)
    question = theory.question.asked(question, plain)
    card = theory.find(claim or theory.main or next(iter(theory.cards)))
    if not card.quantities:
        raise InputError("--claim", "id", card.id, "a claim that is a number for an instance")
    if (fact := foreign_law(card, instance)) is not None:
        expected = f"a claim that needs no law, or rewards {' or '.join(laws_with(fact))}"
        raise InputError("--claim", card.id, f"{instance.reward.name} rewards", expected)
    chosen = card.quantities[quantity]
    chosen = replace(chosen, rows=default_arms(chosen.symbols, question, varied) or chosen.rows)
    points = _grid(varied)
    setting, order = _setting(instance, question, points, theory)
    if s.epsilon in chosen.symbols and s.epsilon not in setting.values:
        setting = setting.given({s.epsilon: best_epsilons(chosen, setting)})
    if chosen.levels:
        setting = setting.given(many_levels(chosen, setting))
    if simulate is not None:
        from boundcheck.calculator.beside import simulated_columns

        beside = simulated_columns(instance, question, points, theory.policy(simulate), runs)
    else:
        beside = {}
    shown = {name: x.astype(int) if name in _whole(question) else x for name, x in points.items()}
    return _table(card, chosen, setting, order, shown, beside)


def _whole(question: Question) -> list[str]:
    """The parameters that are whole numbers."""
    return ["plays", *(name for name, x in question.parameters().items() if x.whole)]


def _told_apart(
    vary: Mapping[str, Sequence[Any]], given: Mapping[str, Any]
) -> tuple[dict[str, Sequence[Any]], dict[str, Any]]:
    """Separate the varied parameters from those with one value."""
    several = {name: x for name, x in given.items() if np.ndim(x)}
    renamed = {re.sub(r"^(mean|capacity)_", r"\1.", name): x for name, x in several.items()}
    if twice := renamed.keys() & vary.keys():
        raise InputError("--vary", min(twice), "given twice", "each parameter once")
    plain = {name: x for name, x in given.items() if name not in several}
    return {**vary, **renamed}, plain


def _axis(name: str, column: Sequence[Any]) -> Array:
    try:
        found = [float(entered(x)) for x in np.asarray(column, dtype=object).ravel()]
    except ValueError as error:
        raise InputError("--vary", name, str(error), "numbers such as 0.5 or '1/3'") from None
    return np.array(found)


def _grid(vary: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
    """Every combination of the given values, as one column for each name."""
    axes = {name: _axis(name, column) for name, column in vary.items()}
    size = prod(len(axis) for axis in axes.values())
    if not 1 <= size <= _MOST_POINTS:
        raise InputError("--vary", "points", str(size), f"from 1 to {_MOST_POINTS} in all")
    columns = np.meshgrid(*axes.values(), indexing="ij")
    return {name: column.reshape(-1, 1) for name, column in zip(axes, columns, strict=True)}


def _setting(
    instance: Instance, question: Question, points: dict[str, Array], theory: Theory
) -> tuple[Setting, Array]:
    """The float setting of all points, and the arm (from 1) at each rank."""
    given: dict[sympy.Symbol, Array] = {}
    symbols = OF_INSTANCE | {name: x.symbol for name, x in question.parameters().items()}
    names = {symbol: name for name, symbol in symbols.items()}
    for symbol, value in given_parameters(instance, question).items():
        if value > _LARGEST:
            name = names.get(symbol, str(symbol))
            expected = "at most 1e308: a sweep counts in floats"
            raise InputError(f"--{name}", name, decimal(value, 6), expected)
        given[symbol] = np.array([[float(value)]])
    size = max((len(column) for column in points.values()), default=1)
    of_arms = {
        "mean": np.array([instance.means], dtype=float),
        "capacity": np.array([instance.capacities], dtype=float),
    }
    for name, column in points.items():
        base, _, arm = name.partition(".")
        if arm and base in of_arms:
            position = _arm(instance, name, arm)
            if len(of_arms[base]) < size:
                of_arms[base] = np.repeat(of_arms[base], size, axis=0)
            of_arms[base][:, [position]] = column
        elif name == "gap":
            of_arms["mean"] = stretched(instance, of_arms["mean"], column)
        elif name in symbols:
            given[symbols[name]] = column
        else:
            expected = f"one of {', '.join(symbols)}, gap, mean.ARM, capacity.ARM"
            raise InputError("--vary", shown(name), "unknown parameter", expected)
    _require_legal(instance, question, points, given)
    means, capacities = np.broadcast_arrays(*of_arms.values())
    order = np.argsort(-means, axis=1, kind="stable")
    means, capacities = (np.take_along_axis(x, order, 1) for x in (means, capacities))
    if np.any((means < 0) & (served(capacities, given[s.N]) > 0)):
        raise InputError("--vary", "mean", "out of range", "0 or more among the best arms")
    values = derived(means, capacities, given, theory.derive)
    return Setting(values, instance.reward.name), order + 1


def _require_legal(
    instance: Instance,
    question: Question,
    points: dict[str, Array],
    given: dict[sympy.Symbol, Array],
) -> None:
    """Check the smallest and the largest value of each parameter by the rules of `Instance` and
    `Question`.
    """
    law = instance.reward
    if "variance" in points and law.name != "gaussian":
        raise InputError("--vary", "variance", law.name, "an instance with Gaussian rewards")
    for name, column in points.items():
        base = name.partition(".")[0]
        if base in (*_whole(question), "capacity") and np.any(column != np.floor(column)):
            raise InputError("--vary", name, "not whole", "whole numbers")
        for value in (float(column.min()), float(column.max())):
            _require_legal_value(instance, question, name, base, value)
    if np.any(given[s.N] >= instance.arms):
        raise InputError("--vary", "plays", "too many", "fewer plays than arms")


def _require_legal_value(
    instance: Instance, question: Question, name: str, base: str, value: float
) -> None:
    law = instance.reward
    if base == "mean":
        good, expected = np.isfinite(value) and law.admits(Fraction(value)), law.mean_range
    elif base in ("plays", "capacity"):
        good, expected = 1 <= value < 2**31, "whole numbers of 1 or more"
    elif base in ("variance", "gap"):
        good, expected = 0 < value < np.inf, "numbers above 0"
    else:
        asked: dict[str, Any] = {base: value}
        replace(question, **asked)  # raises if the value is out of range
        return
    if not good:
        raise InputError("--vary", name, shown(value), expected)


def _arm(instance: Instance, name: str, arm: str) -> int:
    if not arm.isdigit() or not 1 <= int(arm) <= instance.arms:
        expected = f"an arm from 1 to {instance.arms}, as in mean.1"
        raise InputError("--vary", shown(name), "no such arm", expected)
    return int(arm) - 1


def _table(
    card: Claim,
    quantity: Quantity,
    setting: Setting,
    order: Array,
    points: dict[str, Array],
    beside: dict[str, Array],
) -> Sweep:
    """The table: at each point a row for each arm in the quantity's range there, or one row. All
    columns are broadcast to (points, arms) before arms outside the range are left out, so that
    the cells of a row belong to one point and one arm. `order` has the arm at each rank.
    """
    rows = None if quantity.rows is None else setting.ranks_in(quantity.rows)
    shape = (setting.points, 1 if rows is None else len(rows))
    columns = dict(points)
    with np.errstate(all="ignore"):
        terms = [term_values(term, setting, FLOATS, rows) for term in quantity.terms]
        if rows is not None:
            columns["arm"] = order[:, np.array(rows, dtype=int) - 1]
        columns["value"] = sum(terms[1:], terms[0])
        if len(terms) > 1:
            names = (term.name for term in quantity.terms)
            columns |= dict(zip(names, terms, strict=True))
        if s.epsilon in quantity.symbols:
            columns["epsilon"] = setting.values[s.epsilon]
        columns["applies"] = _applies(card, quantity, setting, rows)
        if quantity.trivial in TRIVIAL_UPPER:
            trivial = setting.evaluator(FLOATS)(TRIVIAL_UPPER[quantity.trivial])
            columns["informative"] = columns["value"] < trivial
    columns |= beside
    kept: Array = np.ones((1, 1), dtype=bool)
    if rows is not None and quantity.rows is not None:
        kept = setting.mask(quantity.rows)[:, np.array(rows, dtype=int) - 1]
    kept = np.broadcast_to(kept, shape)
    flat = {name: np.broadcast_to(column, shape)[kept] for name, column in columns.items()}
    return Sweep(card.id, quantity.name, flat)


def _applies(card: Claim, quantity: Quantity, setting: Setting, rows: list[int] | None) -> Array:
    """Whether all stated assumptions hold at each point, and for each arm of `rows`.

    It is what `Bound.applies` says at one point, in floats: there ties are not certified. Without
    rows, an assumption on arms must hold for every arm that it is about.
    """
    good: Array = np.ones((1, 1), dtype=bool)
    for assumption in (*card.assumptions, *quantity.assumptions):
        relation = assumption.relation
        if relation is None:
            good = good & (setting.law in laws_with(str(assumption.fact)))
            continue
        columns = slice(None) if rows is None else np.array(rows) - 1
        evaluate = setting.evaluator(FLOATS, columns)
        holds: Array = np.asarray(
            compare_values(relation, evaluate(relation.lhs), evaluate(relation.rhs))
        )
        if rows is None and setting.per_arm(relation):
            mask = setting.mask(assumption.over or EVERY_ARM)
            holds = np.asarray(np.where(mask, holds, True).all(axis=1, keepdims=True))
        good = good & holds
    return good


def sweep_values(text: str, name: str) -> list[float]:
    """Parse the values of `--vary`: `2:8`, `0.01:0.5:20`, `1e3:1e9:100:log` or `1,2,5`.

    >>> sweep_values("2:5", "plays"), sweep_values("0:1:3", "variance")
    ([2.0, 3.0, 4.0, 5.0], [0.0, 0.5, 1.0])
    """
    expected = "a:b (whole numbers), a:b:count, a:b:count:log, or values a,b,c"
    parts = text.split(":")
    try:
        if len(parts) == 1:
            return [float(exact(part)) for part in text.split(",")]
        low, high = float(exact(parts[0])), float(exact(parts[1]))
        if len(parts) == 2 and low == int(low) and high == int(high) and 0 <= high - low <= 10**6:
            return [float(x) for x in range(int(low), int(high) + 1)]
        if len(parts) in (3, 4) and parts[2].isdigit() and 2 <= int(parts[2]) <= 10**6:
            if len(parts) == 3:
                return list(map(float, np.linspace(low, high, int(parts[2]))))
            if parts[3] == "log" and 0 < low <= high:
                return list(map(float, np.geomspace(low, high, int(parts[2]))))
    except (ValueError, OverflowError):
        pass
    raise InputError("--vary", name, shown(text), expected)
