"""Lemma E.4: how many slots of the three kinds of E.3 there are. e = epsilon^-2.

A PUE slot sees other estimates than the PIE slot before it (see `proof_e_3`), so badness does not
pass from one to the other, as two steps assume.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Rational, oo

from boundcheck.proof_steps.parts import at_most, cases, definition, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.counting.cards import c
from boundcheck.theories.shareable_arms.models import Loads, believed, oracle_loads, played
from boundcheck.theories.shareable_arms.proofs.proof_e_1 import (
    E_1,
    LOW_SLOTS,
    e,
    in_e,
    is_bad,
    no_worse_rule,
)
from boundcheck.theories.shareable_arms.proofs.proof_e_3 import OracleView, Rule, outside_b
from boundcheck.theories.shareable_arms.symbols import K, N

offered = sympy.Symbol("|E_t|", positive=True)
r = sympy.Symbol("r", nonnegative=True)
_SIZES = {K: (2, 50), N: (1, 49), e: (4, 1000)}
EACH_B, EACH_D = 4 * (4 + e), 4 * K**2 * (4 + e)  # slots of one arm and one kind of round
ALL_B, ALL_C, ALL_D = 8 * K * (4 + e), 30 * N, 8 * K**2 * N * (4 + e)
BAD = in_e(find("lem-E.4").quantities[0].terms[0].expression)
BOUND = Proof("lem-E.4")
_ONCE_MORE = StepRepair(
    "Apply E.1 to the PUE slots themselves: the count after a slot is n for 1/c slots too",
    lambda: [no_worse_rule("1/2", "1/6", after=True)],
)

# -- B: bad estimates of arms played -------------------------------------------------------


@BOUND.step("a", "E.4, B, 1st display")
def kinds_of_b() -> Parts:
    """Names for the PIE and PUE slots of B_k."""
    yield definition()


@BOUND.step("b", "E.4, B, inline: E|B_k^IE|", "E.1-a", chance=Rational(2, 3), bound=2 * (2 + e))
def coin_keeps(chance: Expr = Rational(1, 2), bound: Expr = EACH_B) -> Parts:
    """An arm of S keeps a play with probability 1/2 or more, and E.1 at c = 1/2 is 4(4 + e)."""

    def true(loads: Loads) -> bool:
        """A deliberate exploration, by a fair coin, takes one play from the last arm."""
        last = max(played(loads))
        return all(1 + (loads[k] > (k == last)) >= 2 * chance for k in played(loads))

    yield equal(E_1.subs(c, chance), bound).on({e: (1, 100)})
    loads = [x for n in (1, 2, 3) for x in product(range(4), repeat=n) if sum(x)]
    yield cases(true, {"loads": loads}, complete=False)


@BOUND.step(
    "c",
    "E.4, B, inline: |B_k^UE| <= |B_k^IE|",
    true_with={"rewards": 0},
    repair=_ONCE_MORE,
    consequence="E|B_k^UE| has the same bound 4(4 + e)",
)
def bad_before(rewards: int = 1) -> Parts:
    """The PIE slot before a slot of B_k^UE is in B_k^IE."""
    # a Bernoulli arm of mean 1/2; `rewards`: how many the PIE slot adds to the estimate
    off = Fraction(1, 10)

    def true(seen: tuple[int, int], reward: int) -> bool:
        plays, successes = seen
        bad_now = is_bad(plays + rewards, successes + rewards * reward, off)
        return not bad_now or is_bad(plays, successes, off)

    seen = [(n, i) for n in range(1, 5) for i in range(n + 1)]
    yield cases(
        true,
        {"(plays, successes)": seen, "reward": (0, 1)},
        complete=False,
        words="mean 0.5, epsilon = 0.1: a good estimate may turn bad in the PIE slot itself",
    )


@BOUND.step("d", "E.4, B, inline: E|B|", "b, c", total=K * EACH_B)
def all_of_b(total: Expr = ALL_B) -> Parts:
    """K arms, two kinds of slots, 4(4 + e) each: 8K(4 + e) (one index misprinted)."""
    yield equal(2 * K * EACH_B, total).on(_SIZES)


# -- C: low indices ------------------------------------------------------------------------


@BOUND.step(
    "e",
    "E.4, C, inline: C_k = {u > mu}",
    repair=StepRepair("C_k = {u_k < mu_k}, which E.2 bounds", {"relation": operator.lt}),
    consequence="a misprint",
)
def _low_index(relation: Callable[[int, int], bool] = operator.gt) -> Parts:
    """A slot of C lies in some C_k as printed, {u_k > mu_k}."""
    low = {"u - mu": (0, 1, -1)}
    yield cases(lambda index: index >= 0 or relation(index, 0), low, complete=True)


@BOUND.step("f", "E.4, C, display, 1st <=", fewer=1)
def first_arms(fewer: int = 0) -> Parts:
    """S* lies within the first N arms."""

    def true(case: tuple[int, Loads]) -> bool:
        plays, lower = case
        return max(played(oracle_loads(lower, plays))) < plays - fewer

    yield cases(true, {"(N, m^l)": believed(5)}, complete=False)


@BOUND.step("g", "E.4, C, display, 2nd <=", "E.2-c", total=15 * N)
def all_of_c(total: Expr = ALL_C) -> Parts:
    """N arms, 30 slots each."""
    yield equal(N * LOW_SLOTS, total).on(_SIZES)


# -- D: bad estimates of arms left out -----------------------------------------------------


@BOUND.step("h", "E.4, D, 1st display")
def kinds_of_d() -> Parts:
    """Names for the PIE and PUE slots of D_k."""
    yield definition()


def beyond_all(slot: OracleView) -> bool:
    """max S is beyond max S*."""
    return max(slot.used) > max(slot.due)


def beyond_left_out(slot: OracleView) -> bool:
    """max S is beyond every arm of S* that is not in S."""
    return max(slot.used) > max(slot.due - slot.used)


@BOUND.step(
    "i",
    "E.4, D, inline: L_t beyond k*",
    "E.3-b",
    repair=StepRepair(
        "max S is beyond the arm k of D_k itself: u_k >= mu_k > muhat of L_t directly",
        {"rule": beyond_left_out},
    ),
    consequence="arm k is in E_t all the same; the repair was checked on the same cases",
)
def _last_arm(rule: Rule = beyond_all) -> Parts:
    """Outside B and C, where actions differ, max S is beyond k* = max S*."""
    yield outside_b(rule, "S may be a part of S* and share it")


@BOUND.step("j", "E.4, D, inline: P(a_k > 0) >= 1/(2K)", "i", chance=1 / K)
def _drawn(chance: Expr = 1 / (2 * K)) -> Parts:
    """Chance 1/2, then one of |E_t| <= K = |E_t| + r arms."""
    ranges = {offered: (1, oo), r: (0, oo)}
    yield at_most(chance.subs(K, offered + r), 1 / (2 * offered)).on(ranges)


@BOUND.step("k", "E.4, D, inline: E|D_k^IE|, 1st <=", "E.1-a, j", bound=2 * K * (2 * K + e))
def each_of_d(bound: Expr = 4 * K * (4 * K + e)) -> Parts:
    """E.1 at c = 1/(2K) is 4K(4K + e)."""
    yield equal(E_1.subs(c, 1 / (2 * K)), bound).on(_SIZES)


@BOUND.step("l", "E.4, D, inline: E|D_k^IE|, 2nd <=", "k", bound=4 * K**2 * (2 + e))
def rounded(bound: Expr = EACH_D) -> Parts:
    """4K(4K + e) <= 4K^2(4 + e)."""
    yield at_most(4 * K * (4 * K + e), bound).on({K: (1, oo), e: (0, oo)})


@BOUND.step(
    "m",
    "E.4, D, inline: |D_k^UE| <= |D_k^IE|",
    true_with={"rewards": 0},
    repair=_ONCE_MORE,
    consequence="E|D_k^UE| has the same bound 4K^2(4 + e)",
)
def left_out_before(rewards: int = 1) -> Parts:
    """The PIE slot before a slot of D_k^UE is in D_k^IE."""
    yield from bad_before(rewards)


@BOUND.step("n", "E.4, D, inline: E|D|", "l, m", total=N * EACH_D)
def all_of_d(total: Expr = ALL_D) -> Parts:
    """N arms, two kinds of slots: 8 K^2 N (4 + e)."""
    yield equal(2 * N * EACH_D, total).on(_SIZES)


@BOUND.step(
    "o",
    "E.4, statement: the sum",
    "d, g, n",
    true_with={"total": 14 * K**2 * N * (4 + e)},
    repair=StepRepair(
        "For N = 1 there are no PUE slots: halve the parts", lambda: _smallest(BAD, 2)
    ),
    consequence="nowhere else; with N = 1 every part halves, and the halves fit",
)
def sum_of_parts(total: Expr = BAD) -> Parts:
    """8K(4 + e) + 30N + 8 K^2 N (4 + e) <= 12 K^2 N (4 + e)."""
    yield at_most(ALL_B + ALL_C + ALL_D, total).on({K: (3, oo), N: (1, oo), e: (0, oo)})
    yield from _smallest(total)


def _smallest(total: Expr, shared: int = 1) -> Parts:
    """The case that K >= 3 leaves out."""
    over = ((ALL_B + ALL_C + ALL_D) / shared - total).subs({K: 2, N: 1})
    words = f"there the parts minus the total make {sympy.expand(over)}"
    yield at_most(over, 0).on({e: (0, oo)}).told(words, "(K, N) = (2, 1)")


STEPS = tuple(BOUND)
