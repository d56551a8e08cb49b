"""`sharp-7.1`: what slots lose, by all actions of small instances, beside what the setting derives.

Section 2 of docs/theorems/orch-explore.md defines c_acc, c_J, c_L, c_far, c_near, q, s and rho_k by
the worst of all actions of a kind. Here every action is looked at, in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from sympy import Symbol

from boundcheck.calculator.setting import Values, derived
from boundcheck.claims.card import Claim
from boundcheck.proof_steps.parts import cases
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.orch_explore.sharp_chances import PROOF
from boundcheck.theories.shareable_arms.orch_explore.sharp_slots import N, m, mu
from boundcheck.theory import Theory

# (arms, plays): all capacities of each, so that every case of every definition occurs
SIZES = ((2, 1), (3, 1), (3, 2), (4, 2), (4, 3))
_MEANS = ((10, 8, 5, 1), (9, 5, 4, 0), (20, 19, 3, 2))  # in twentieths, distinct
GIVEN = (s.K, s.T, N, m, mu)  # what an instance and a question give
Small = tuple[tuple[Fraction, ...], tuple[int, ...], int]  # means, capacities, plays


@cache
def small_instances() -> tuple[Small, ...]:
    return tuple(
        (tuple(Fraction(x, 20) for x in means[:arms]), held, plays)
        for arms, plays in SIZES
        for means in _MEANS
        for held in product(range(1, plays + 1), repeat=arms)
    )


def _actions(
    most: tuple[int, ...], least: tuple[int, ...], plays: int
) -> Iterator[tuple[int, ...]]:
    """All actions with loads between these."""
    ranges = (range(low, high + 1) for low, high in zip(least, most, strict=True))
    return (a for a in product(*ranges) if sum(a) == plays)


@cache
def by_all_actions(small: Small, coin: Fraction) -> dict[Symbol, tuple[Any, ...]]:
    """Every symbol by its definition: a number, or one for each arm."""
    means, held, plays = small
    arms = range(len(means))

    def worth(action: tuple[int, ...]) -> Fraction:
        served = (min(load, m) for load, m in zip(action, held, strict=True))
        return sum((load * mu for load, mu in zip(served, means, strict=True)), Fraction(0))

    every = list(_actions((plays,) * len(means), (0,) * len(means), plays))
    best = max(map(worth, every))
    L = next(n for n in range(1, len(means) + 1) if sum(held[:n]) >= plays)
    mbar = plays - sum(held[: L - 1])

    def worst(seen: int) -> Fraction:
        """Of the slots that serve all plays, with one on each of the first arms."""
        least = tuple(int(k < seen) for k in arms)
        return best - min(map(worth, _actions(held, least, plays)))

    c_acc = worst(L) + coin * (means[L - 1] - means[-1])
    c_J = max(best - held[j] * means[j] for j in arms if j >= L)
    c_L = best - held[L - 1] * means[L - 1]
    larger = max(c_J, c_L, c_acc)
    few = next(
        n
        for n in range(1, len(means) + 1)
        if any(sum(held[k] for k in some) >= plays for some in combinations(arms, n))
    )
    waits = (2 if m > held[L - 1] - mbar else 2 * (len(means) - few) for m in held)
    found = {
        s.f_star: best,
        s.largest_regret: best - min(map(worth, every)),
        s.L: L,
        s.m_L: held[L - 1],
        s.mbar: mbar,
        s.mu_L: means[L - 1],
        s.mu_after: means[L],
        s.c_acc: c_acc,
        s.c_J: c_J,
        s.c_L: c_L,
        s.c_far: worst(0) + larger,
        s.c_near: worst(L - 1) + (larger if mbar >= 2 else 0),
        s.few: few,
        s.kept: 1 if mbar == 1 else coin,
    }
    before = {s.mu_before: (means[L - 2],)} if L >= 2 else {}
    return {symbol: (x,) for symbol, x in found.items()} | before | {s.wait: tuple(waits)}


def used_symbols(card: Claim) -> set[Symbol]:
    """What its terms and levels take from the instance."""
    found = {x for quantity in card.quantities for x in quantity.symbols}
    levels = [level for quantity in card.quantities for level in quantity.levels]
    ends = (level.low.free_symbols | level.high.free_symbols for level in levels)
    free = {level.symbol for level in levels}
    return found.union(*ends) - free - set(GIVEN)


def by_the_setting(small: Small, theory: Theory) -> Values:
    means, held, plays = small
    table = np.array([means], dtype=object)
    capacities = np.array([[Fraction(m) for m in held]], dtype=object)
    given = {s.N: np.array([[Fraction(plays)]], dtype=object)}
    return derived(table, capacities, given, theory.derive)


@PROOF.step("d2", "section 2: what slots lose, by all actions", "c3, c4", coin=Fraction(1))
def costs(theory: Theory, coin: Fraction = Fraction(1, 2)) -> Parts:
    """What the terms of the card take from an instance is what the definitions give over all
    actions: for all capacities of up to four arms, where every case of each definition occurs."""
    used = sorted(used_symbols(theory.cards[PROOF.claim]), key=str)
    found = {small: by_the_setting(small, theory) for small in small_instances()}

    def true(symbol: Symbol, small: Small) -> bool:
        due, here = by_all_actions(small, coin), found[small].get(symbol)
        if here is None or symbol not in due:
            return bool(symbol == s.mu_before)  # there is no arm before L
        return bool(tuple(here.flat) == due[symbol])

    yield cases(true, {"symbol": used, "instance": small_instances()}, complete=True)
