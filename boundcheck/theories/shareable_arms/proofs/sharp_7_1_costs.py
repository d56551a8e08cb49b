"""`sharp-7.1`: what the card takes from an instance, beside what the setting derives.

Section 2 of docs/theorems/orch-explore.md defines c_J, c_L, Delta, rho_k and the others. Here every
set of arms and every number of left-over plays is looked at, in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from operator import mul, sub
from typing import Any

import numpy as np
from sympy import Symbol

from boundcheck.calculator.setting import Values, derived
from boundcheck.claims.card import Claim
from boundcheck.proof_steps.parts import cases
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.orch_explore.functions import OTHER
from boundcheck.theories.shareable_arms.proofs import sharp_7_1_slots  # noqa: F401 -- steps p1 to q7
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_chances import PROOF
from boundcheck.theory import Theory

# (arms, plays): all capacities of each, so that every case of every definition occurs
SIZES = ((2, 1), (3, 1), (3, 2), (4, 2), (4, 3))
_MEANS = ((10, 8, 5, 1), (9, 5, 4, 0), (20, 19, 3, 2))  # in twentieths, distinct
# what an instance and a question give, and the other arm of a pair
GIVEN = (s.K, s.T, s.sigma2, s.N, s.m, s.mu, *OTHER)
Small = tuple[tuple[Fraction, ...], tuple[int, ...], int]  # means, capacities, plays


@cache
def _small_instances() -> tuple[Small, ...]:
    return tuple(
        (tuple(Fraction(x, 20) for x in means[:arms]), held, plays)
        for arms, plays in SIZES
        for means in _MEANS
        for held in product(range(1, plays + 1), repeat=arms)
    )


def _actions(most: tuple[int, ...], plays: int) -> Iterator[tuple[int, ...]]:
    """All ways to place plays."""
    for action in product(*(range(x + 1) for x in most)):
        if sum(action) == plays:
            yield action


def _second_arm(means: tuple[Fraction, ...], held: tuple[int, ...], plays: int, L: int) -> Fraction:
    """Delta: what left-over plays may earn less than on an arm before L."""
    found = [Fraction(0)]
    for k in range(L - 1):
        for x in range(plays - held[k] + 1):
            earned = {j: min(x, held[j]) * means[j] for j in range(len(means)) if j != k}
            good = min(earned[i] for i in range(L - 1) if i != k)
            found.append(max(good, min(earned.values())) - min(earned.values()))
    return max(found)


def _waits(held: tuple[int, ...], plays: int, k: int, times: int) -> int:
    """rho_k: twice the arms that can be outside beside k, by all sets that hold all plays."""
    others = [j for j in range(len(held)) if j != k]
    sizes = [
        n
        for n in range(1, len(held))
        if any(sum(held[j] for j in some) >= plays for some in combinations(others, n))
    ]
    return times * max(1, len(held) - min(sizes, default=len(held)))


def by_all_sets(small: Small, times: int) -> dict[Symbol, tuple[Any, ...]]:
    """Every symbol of the card by its definition."""
    means, held, plays = small
    arms = range(len(means))
    L = next(n for n in range(1, len(means)) if sum(held[:n]) >= plays)
    mbar = plays - sum(held[: L - 1])
    best = max(sum(map(mul, action, means)) for action in _actions(held, plays))
    least = min(
        sum(min(a, h) * x for a, h, x in zip(action, held, means, strict=True))
        for action in _actions((plays,) * len(means), plays)
    )
    rho = tuple(_waits(held, plays, k, times) for k in arms)
    single = mbar == 1 and L >= 3
    once = {
        s.f_star: best,
        s.largest_regret: best - least,
        s.L: L,
        s.m_L: held[L - 1],
        s.mbar: mbar,
        s.mu_L: means[L - 1],
        s.mu_after: means[L],
        s.mu_K: means[-1],
        s.c_J: max(best - held[j] * means[j] for j in arms if j >= L),
        s.c_L: best - held[L - 1] * means[L - 1],
        s.second: _second_arm(means, held, plays, L) if single else Fraction(0),
        s.wait_L: rho[L - 1],
    }
    each = {
        s.wait: rho,
        s.wait_in: tuple(
            x if h <= held[L - 1] - mbar else times for x, h in zip(rho, held, strict=True)
        ),
        s.mu_less: tuple(max((y for y in means if y < x), default=x) for x in means),
        s.above_next: tuple(map(sub, means, (*means[1:], means[-1]))),
        s.below_last: tuple(map(sub, (means[0], *means), means)),
    }
    before = {s.mu_before: (means[L - 2],)} if L >= 2 else {}
    return {symbol: (x,) for symbol, x in once.items()} | before | each


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


@PROOF.step("d2", "section 2: what the card takes from an instance", "p1, q3, q7", times=1)
def costs(theory: Theory, times: int = 2) -> Parts:
    """What the terms of the card take from an instance is what the definitions give over all
    actions and sets of arms: for all capacities of up to four arms, where every case of each
    definition occurs."""
    used = sorted(used_symbols(theory.cards[PROOF.claim]), key=str)
    found = {small: by_the_setting(small, theory) for small in _small_instances()}
    due = {small: by_all_sets(small, times) for small in _small_instances()}

    def true(symbol: Symbol, small: Small) -> bool:
        here = found[small].get(symbol)
        if here is None or symbol not in due[small]:
            return bool(symbol == s.mu_before)  # there is no arm before L
        return bool(tuple(here.flat) == due[small][symbol])

    yield cases(true, {"symbol": used, "instance": _small_instances()}, complete=True)
