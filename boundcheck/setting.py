"""The values of all symbols for an instance and a question, as arrays of points by arms.

Everything a formula may use about an instance is derived here, once, by operations that work alike
on exact fractions (one instance) and on floats (a sweep over many).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy

from boundcheck import symbols as s
from boundcheck.claim import Arms
from boundcheck.evaluate import FLOATS, Array, Domain, Evaluator
from boundcheck.question import Question
from simulation.instance import Instance
from simulation.rewards import Beta


@dataclass(frozen=True)
class Setting:
    """Symbol values of shape (points, arms), (points, 1), (1, arms) or (1, 1)."""

    values: dict[sympy.Symbol, Array]
    law: str

    @property
    def ranks(self) -> Array:
        return np.arange(1, self.values[s.mu].shape[1] + 1)[None, :]

    @cached_property
    def denominator_bits(self) -> int:
        """How many bits exact differences such as 1 - (1 - delta) can cost."""
        exact_values = (v for v in self.values.values() if v.dtype == object)
        return max(int(x.denominator.bit_length()) for value in exact_values for x in value.flat)

    def mask(self, arms: Arms) -> Array:
        last, plays = (np.asarray(self.values[x], dtype=float) for x in (s.L, s.N))
        return np.asarray(arms.of(self.ranks, last, plays), dtype=bool)

    def given(self, values: dict[sympy.Symbol, Array]) -> Setting:
        return replace(self, values=self.values | values)

    def evaluator(self, domain: Domain, columns: Array | slice = slice(None)) -> Evaluator:
        """Symbols as numbers of `domain`, for some of the arms."""
        return Evaluator(domain, _Lifted(self.values, domain, columns), self.law)

    def in_floats(self) -> Setting:
        """The same in floats, for a search that evaluates it many times."""
        with np.errstate(over="ignore"):
            return replace(self, values={x: FLOATS.lift(v) for x, v in self.values.items()})


@dataclass(frozen=True)
class _Lifted(Mapping[sympy.Symbol, Array]):
    """Values as numbers of a domain, made when asked for: a formula uses few of the symbols."""

    values_: Mapping[sympy.Symbol, Array]
    domain: Domain
    columns: Array | slice

    def __getitem__(self, symbol: sympy.Symbol) -> Array:
        value = self.values_[symbol]
        return self.domain.lift(value[:, self.columns] if symbol in (s.mu, s.m) else value)

    def __iter__(self) -> Iterator[sympy.Symbol]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)


@lru_cache(maxsize=128)  # decisions ask for the same one case after case
def exact_setting(instance: Instance, question: Question) -> Setting:
    """One instance, exactly."""
    order = list(instance.order)
    means = np.array([[instance.means[k] for k in order]], dtype=object)
    capacities = np.array([[Fraction(instance.capacities[k]) for k in order]], dtype=object)
    single = _single(
        {
            s.N: Fraction(instance.plays),
            s.sigma2: instance.reward.proxy_variance,
            s.T: question.horizon,
            s.delta: question.delta,
            s.gamma: question.gamma,
            s.xi: question.xi,
            s.n: Fraction(question.samples),
        }
    )
    if isinstance(instance.reward, Beta):
        single |= _single({s.concentration: instance.reward.concentration})
    values = derive(means, capacities, single)
    threshold = question.threshold or instance.remaining_plays
    values |= _single({s.d: Fraction(threshold)})
    if question.epsilon is not None:
        values |= _single({s.epsilon: question.epsilon})
    return Setting(values, instance.reward.name)


def _single(values: dict[sympy.Symbol, Fraction]) -> dict[sympy.Symbol, Array]:
    return {symbol: np.array([[value]], dtype=object) for symbol, value in values.items()}


def derive(
    means: Array, capacities: Array, given: dict[sympy.Symbol, Array]
) -> dict[sympy.Symbol, Array]:
    """What the optimal action makes of means (sorted, best first), capacities and plays."""
    plays = given[s.N]
    ranks = np.arange(1, means.shape[1] + 1)[None, :]
    room = np.cumsum(capacities, axis=1)
    last = np.argmax(np.asarray(room >= plays, dtype=bool), axis=1)[:, None]  # from 0

    def at(array: Array, index: Array) -> Array:
        rows = np.broadcast_to(array, (len(index), array.shape[1]))
        return np.take_along_axis(rows, np.clip(index, 0, array.shape[1] - 1), axis=1)

    def whole(index: Array) -> Array:
        return index if means.dtype != object else np.vectorize(Fraction, otypes=[object])(index)

    def total(mask: Array, array: Array) -> Array:
        zero: Any = Fraction(0) if array.dtype == object else 0.0
        return np.asarray(np.where(mask, array, zero).sum(axis=1, keepdims=True))

    last_play = np.asarray(plays, dtype=float).astype(int) - 1
    last_play = np.broadcast_to(last_play, (max(len(last), len(last_play)), 1))
    m_last, mu_last = at(capacities, last), at(means, last)
    remaining = plays - (at(room, last) - m_last)
    full = capacities * means
    best = total(ranks - 1 < last, full) + remaining * mu_last
    return given | {
        s.mu: means,
        s.m: capacities,
        s.K: whole(np.array([[means.shape[1]]])),
        s.L: whole(last + 1),
        s.mu_1: means[:, :1],
        s.mu_before: at(means, last - 1),
        s.mu_L: mu_last,
        s.mu_after: at(means, last + 1),
        s.mu_N: at(means, last_play),
        s.mu_N_before: at(means, last_play - 1),
        s.m_L: m_last,
        s.mbar: remaining,
        s.f_star: best,
        s.largest_regret: best - _least_reward(means, capacities, plays),
        s.full_min: full.min(axis=1, keepdims=True),
        s.top_means: total(np.asarray(ranks <= plays, dtype=bool), means),
        s.smallest_gap: (means[:, :-1] - means[:, 1:]).min(axis=1, keepdims=True),
    }


def _least_reward(means: Array, capacities: Array, plays: Array) -> Array:
    """The smallest f(a): negative means filled, or one arm (see `Instance.largest_regret`)."""
    zero = 0 * plays
    worst, room = means[:, ::-1], capacities[:, ::-1]
    before = np.cumsum(room, axis=1) - room
    loads = np.minimum(np.maximum(plays - before, zero), room)
    filled = (loads * np.minimum(worst, zero)).sum(axis=1, keepdims=True)
    alone = (np.minimum(capacities, plays) * means).min(axis=1, keepdims=True)
    return np.asarray(np.where(means[:, -1:] < zero, filled, alone))
