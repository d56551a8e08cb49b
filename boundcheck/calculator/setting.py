"""The values of all symbols for an instance and a question, as arrays of points by arms.

Symbols that every theory has are computed here, by operations that work both on exact fractions
(one instance) and on floats (a sweep over many points); a theory adds its own symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from typing import Any

import flint
import numpy as np
import sympy

from boundcheck.calculator.numbers.evaluate import EXACT, FLOATS, Array, Domain, Evaluator
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind, Range
from boundcheck.claims.functions import AcrossArms, BesideArms, OfAllArms, OverArms
from simulation.rewards.laws import Beta
from simulation.world.instance import Instance

Values = dict[sympy.Symbol, Array]
Derive = Callable[[Values], Values]  # computes a theory's own symbols from those of `common`

# parameters that belong to the instance, by the names that users know
OF_INSTANCE = {"plays": s.N, "variance": s.sigma2}
# a longer horizon is cut to this: best epsilon and levels depend on log T only
_LONGEST_IN_FLOATS = Fraction(10**300)


@dataclass(frozen=True)
class Setting:
    """Symbol values of shape (points, arms), (points, 1), (1, arms) or (1, 1)."""

    values: Values
    law: str
    # cache of values shared by arms, by domain, bits and formula: terms of a bound share them
    _together: dict[tuple[Domain, int, AcrossArms], Array] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def ranks(self) -> Array:
        return np.arange(1, self.values[s.mu].shape[1] + 1)[None, :]

    @property
    def points(self) -> int:
        return max(len(value) for value in self.values.values())

    def ranks_in(self, arms: Range) -> list[int]:
        """Ranks of the arms that are in a range at any of the points."""
        return [int(place) + 1 for place in np.flatnonzero(self.mask(arms).any(axis=0))]

    @cached_property
    def denominator_bits(self) -> int:
        """The bits of the largest denominator: extra precision that differences like 1 - delta
        need.
        """
        exact_values = (v for v in self.values.values() if v.dtype == object)
        return max(int(x.denominator.bit_length()) for value in exact_values for x in value.flat)

    def mask(self, arms: Range) -> Array:
        if arms.subject is not None:
            values = self.evaluator(FLOATS)
            end = values(sympy.sympify(arms.border))
            return np.asarray(arms.of(values(arms.subject), end), dtype=bool)
        border = self.values[arms.border] if isinstance(arms.border, sympy.Symbol) else arms.border
        found = arms.of(self.ranks, np.asarray(border, dtype=float))
        return np.asarray(found, dtype=bool)

    def per_arm(self, expression: sympy.Basic) -> bool:
        """Whether the expression differs from arm to arm."""
        known = (self.values.get(symbol) for symbol in expression.free_symbols)
        return any(value is not None and value.shape[1] > 1 for value in known)

    def given(self, values: Values) -> Setting:
        return replace(self, values=self.values | values)

    def at_points(self, change: Callable[[Array], Array]) -> Setting:
        """The setting with `change` applied to every value that differs between points."""
        values = self.values.items()
        return replace(self, values={x: v if len(v) == 1 else change(v) for x, v in values})

    def evaluator(self, domain: Domain, columns: Array | slice = slice(None)) -> Evaluator:
        """An evaluator of expressions in `domain`, for all or some of the arms."""
        values = _Lifted(self.values, domain, columns)
        return Evaluator(domain, values, self.law, partial(self._across_arms, domain, columns))

    def _across_arms(self, domain: Domain, columns: Array | slice, expression: AcrossArms) -> Array:
        if isinstance(expression, BesideArms):
            return self._beside_arms(domain, columns, expression)
        key = domain, flint.ctx.prec, expression
        if key not in self._together:
            whole = isinstance(expression, OfAllArms)
            self._together[key] = (self._of_all_arms if whole else self._all_arms)(
                domain, expression
            )
        found = self._together[key]
        return found[:, columns] if found.shape[1] > 1 else found

    def _of_all_arms(self, domain: Domain, expression: OfAllArms) -> Array:
        each = self.evaluator(domain)
        return expression.whole(domain, *map(each, expression.args))

    def _beside_arms(self, domain: Domain, columns: Array | slice, expression: BesideArms) -> Array:
        """Evaluate over pairs of arms (columns: for each k all j), then sum over j."""
        mask = self.mask(expression.over)
        used = np.flatnonzero(mask.any(axis=0))
        arms = len(self.ranks[0, columns])
        zero = domain.constant(Fraction(0))
        if not len(used) or not arms:
            return zero
        values = _Pairs(self.values, domain, columns, (arms, used), expression.inner)
        each = Evaluator(domain, values, self.law)(expression.args[0])
        shape = (len(each), arms, len(used))
        each = np.broadcast_to(each, (len(each), arms * len(used))).reshape(shape)
        counted = mask[:, None, used]
        if expression.worse:
            means = self.values[s.mu]
            worse = means[:, None, used] < means[:, columns][:, :, None]
            counted = counted & np.asarray(worse, dtype=bool)
        return np.asarray(np.where(counted, each, zero[:, :, None]).sum(axis=2))

    def _all_arms(self, domain: Domain, expression: OverArms) -> Array:
        """The sum or largest value over the arms of a range; 0 if there are none."""
        mask = self.mask(expression.over)
        used = np.flatnonzero(mask.any(axis=0))
        each = self.evaluator(domain, used)(expression.args[0])
        zero = domain.constant(Fraction(0))
        inside = np.repeat(zero, max(len(mask), len(each)), axis=0).repeat(mask.shape[1], axis=1)
        inside[:, used] = np.where(mask[:, used], each, zero)
        if not expression.largest:
            return np.asarray(inside.sum(axis=1, keepdims=True))
        columns = np.split(inside, mask.shape[1], axis=1)
        return reduce(lambda x, y: domain.apply("max", x, y), columns)

    def in_floats(self) -> Setting:
        """The setting in floats, for a search that evaluates it many times."""
        values, horizon = dict(self.values), self.values[s.T]
        if horizon.dtype == object:
            values[s.T] = np.minimum(horizon, EXACT.constant(_LONGEST_IN_FLOATS))
        with np.errstate(over="ignore"):
            return replace(self, values={x: FLOATS.lift(v) for x, v in values.items()})


class _Lifted(dict[sympy.Symbol, Array]):
    """Values converted to a domain on first use: a formula uses few of the symbols."""

    def __init__(self, values: Values, domain: Domain, columns: Array | slice) -> None:
        self._values, self._domain, self._columns = values, domain, columns

    def __missing__(self, symbol: sympy.Symbol) -> Array:
        value = self._values[symbol]
        return self._domain.lift(value[:, self._columns] if value.shape[1] > 1 else value)


class _Pairs(dict[sympy.Symbol, Array]):
    """Values for pairs of arms: symbols of the first arm, and of the second under names of its
    own.
    """

    def __init__(
        self,
        values: Values,
        domain: Domain,
        columns: Array | slice,
        sizes: tuple[int, Array],
        inner: Mapping[sympy.Symbol, sympy.Symbol],
    ) -> None:
        self._arms, self._used = sizes
        self._one, self._other = (_Lifted(values, domain, x) for x in (columns, self._used))
        self._inner = inner

    def __missing__(self, symbol: sympy.Symbol) -> Array:
        if symbol in self._inner:
            found = self._other[self._inner[symbol]]
            return np.tile(found, (1, self._arms)) if found.shape[1] > 1 else found
        found = self._one[symbol]
        return np.repeat(found, len(self._used), axis=1) if found.shape[1] > 1 else found


def parameters(card: Claim, question: Question) -> tuple[str, ...]:
    """The names of the question's parameters on which a claim depends."""
    assumed = (a.relation for a in card.stated if a.relation is not None)
    bare = card.formula is not None and not card.quantities
    formulas = (*assumed, *([card.formula] if bare else []))
    used = {symbol for formula in formulas for symbol in formula.free_symbols}
    used |= {symbol for quantity in card.quantities for symbol in quantity.symbols}
    if card.policy is not None and card.kind in (Kind.UPPER_BOUND, Kind.LOWER_BOUND):
        used.add(s.T)  # the regret depends on it even if the bound does not
    return tuple(name for name, x in question.parameters().items() if x.symbol in used)


def default_arms(
    symbols: Iterable[sympy.Symbol], question: Question, given: Container[str] = ()
) -> Range | None:
    """The arms for which what contains these symbols is computed by default: those of a parameter
    that is left open and not `given` otherwise; None if there is no such parameter.
    """
    left_open = (
        x
        for name, x in question.parameters().items()
        if getattr(question, name) is None and name not in given
    )
    found = (x.default_arms for x in left_open if x.symbol in set(symbols))
    return next((arms for arms in found if arms is not None), None)


@lru_cache(maxsize=128)  # the same settings are needed again for case after case
def exact_setting(instance: Instance, question: Question, derive: Derive) -> Setting:
    """The setting of one instance in exact fractions, with the symbols of the theory."""
    order = list(instance.order)
    means = np.array([[instance.means[k] for k in order]], dtype=object)
    capacities = np.array([[Fraction(instance.capacities[k]) for k in order]], dtype=object)
    given = {
        symbol: EXACT.constant(x) for symbol, x in given_parameters(instance, question).items()
    }
    return Setting(derived(means, capacities, given, derive), instance.reward.name)


def given_parameters(instance: Instance, question: Question) -> dict[sympy.Symbol, Fraction]:
    """The parameters that have a value, by symbol."""
    values: dict[Any, Any] = {s.N: instance.plays, s.sigma2: instance.reward.proxy_variance}
    values |= {x.symbol: getattr(question, name) for name, x in question.parameters().items()}
    if isinstance(instance.reward, Beta):
        values[s.concentration] = instance.reward.concentration
    return {symbol: Fraction(value) for symbol, value in values.items() if value is not None}


def derived(means: Array, capacities: Array, given: Values, derive: Derive) -> Values:
    """All symbol values: the given ones, those of any theory, and those that `derive` adds."""
    values = given | common(means, capacities, given[s.N])
    return values | derive(values)


def common(means: Array, capacities: Array, plays: Array) -> Values:
    """The symbols of any theory, from means (sorted, best first), capacities and plays."""
    count = np.array([[means.shape[1]]])
    best = (served(capacities, plays) * means).sum(axis=1, keepdims=True)
    exact = means.dtype == object
    ranks = [Fraction(k) if exact else float(k) for k in range(1, means.shape[1] + 1)]
    return {
        s.mu: means,
        s.gap: means[:, :1] - means,
        s.best: means[:, :1],
        s.rank: np.array([ranks], dtype=means.dtype),
        s.m: capacities,
        s.K: count if not exact else np.array([[Fraction(means.shape[1])]]),
        s.f_star: best,
        s.largest_regret: best - _least_reward(means, capacities, plays),
        s.smallest_gap: (means[:, :-1] - means[:, 1:]).min(axis=1, keepdims=True),
    }


def served(room: Array, plays: Array) -> Array:
    """How many plays each arm takes if arms of this capacity are filled in order."""
    zero = 0 * plays
    before = np.cumsum(room, axis=1) - room
    return np.asarray(np.minimum(np.maximum(plays - before, zero), room))


def _least_reward(means: Array, capacities: Array, plays: Array) -> Array:
    """The smallest f(a): arms with negative means filled, or all plays on one arm (see
    `Instance.largest_regret`).
    """
    zero = 0 * plays
    worst, loads = means[:, ::-1], served(capacities[:, ::-1], plays)
    filled = (loads * np.minimum(worst, zero)).sum(axis=1, keepdims=True)
    alone = (np.minimum(capacities, plays) * means).min(axis=1, keepdims=True)
    return np.asarray(np.where(means[:, -1:] < zero, filled, alone))
