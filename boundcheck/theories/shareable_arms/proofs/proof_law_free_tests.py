"""`sharp-law-free`, second part: tests end, and what is counted while an arm is in the wrong place.

Sections 5 and 6 of docs/theorems/law-free.md. h is the number of plays of the high group, n that of
the low one, q_i the multiples of h at which a test is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, diff, exp, log, pi

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import BALLS
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import BITS
from boundcheck.proof_steps.step import Part, Parts
from boundcheck.theories.shareable_arms.exact.law_free_counts import Numbers
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots
from boundcheck.theories.shareable_arms.proofs.law_free_plain import Plain
from boundcheck.theories.shareable_arms.proofs.proof_law_free_evidence import (
    GROUPS,
    PROOF,
    RATIO,
    A,
    B,
    high,
    kl,
    mu,
    n,
)

b, c, d, h, p, q, t, u, x = sympy.symbols("b c d h p q t u x", positive=True)
HORIZON = 10_000
# means in twentieths, capacities, plays: no arm and some arms before L, spare room and none of it
INSTANCES = (
    ((18, 15, 9, 2), (2, 2, 3, 1), 3),
    ((18, 15, 9, 2), (1, 1, 2, 3), 3),
    ((19, 14, 11, 9, 4), (2, 1, 3, 2, 4), 4),
    ((16, 8, 3), (1, 1, 1), 1),
)
_SHARES = {"at": 5, "below": 7, "heard": 11, "passed": 6, "x": 7, "w": 5, "x'": 10, "y": 8, "z": 9}
Worlds = Callable[..., Iterator[tuple[Plain, Slots]]]
_NAMED = {**_SHARES, "v": 5}  # in sixteenths, for the arms one after another a bit more


def twentieths(means: Sequence[int]) -> list[arb]:
    return [balls.ball(Fraction(x, 20)) for x in means]


def shares_of(held: Sequence[int]) -> Mapping[str, list[arb]]:
    """A level of each name for each arm."""
    return {
        name: [balls.ball(Fraction(x, 16) + Fraction(k, 50)) for k in range(len(held))]
        for name, x in _NAMED.items()
    }


def worlds(**constants: Any) -> Iterator[tuple[Plain, Slots]]:
    """Each instance by definition and as the calculator has it, with two kinds of rewards."""
    for means, held, plays in INSTANCES:
        numbers, shares = twentieths(means), shares_of(held)
        for bernoulli in (True, False):
            plain = Plain(numbers, held, plays, HORIZON, bernoulli, shares, **constants)
            levels = {name: np.array(share, dtype=object) for name, share in shares.items()}
            ways = 1 if bernoulli else 2
            table, horizon = np.array(numbers, dtype=object), Numbers(BALLS, arb(HORIZON))
            zero = balls.ball(Fraction(0))
            yield plain, Slots(horizon, table, held, plays, plain.last, ways, zero, levels)


def same_numbers(*names: str, among: Worlds = worlds, **constants: Any) -> Part:
    """What the calculator has under these names is what the definitions come to."""
    found: dict[tuple[Any, ...], tuple[arb, arb]] = {}
    with balls.precision(BITS), np.errstate(all="ignore"):
        for place, (plain, slots) in enumerate(among(**constants)):
            for name in names:
                for k, pair in _pairs(name, plain, slots):
                    found[place, name, k] = pair

    def same(case: tuple[Any, ...]) -> bool:
        one, other = found[case]
        infinite = one == other == arb.pos_inf()
        sharp = bool(other.rel_accuracy_bits() > 40 or other == 0)
        return infinite or (one.is_finite() and bool(one.overlaps(other)) and sharp)

    return cases(same, {"instance, number, arm": found}, complete=True)


def _pairs(name: str, plain: Plain, slots: Slots) -> Iterator[tuple[Any, tuple[arb, arb]]]:
    if name in ("tests", "played", "still"):
        yield from _counts(name, plain, slots)
    elif name == "outside":
        for i in plain.good:
            v = (plain.means[plain.last] + plain.means[-1]) / 2
            yield i, (plain.outside(i, v), slots.outside(i, np.array([v]))[0])
    elif name == "worse_loads":
        yield 0, (plain.worse_loads(), slots.worse_loads())
    elif name == "by_order":
        for j in plain.bad:
            if plain.tests(j):
                yield j, (plain.by_order(j), slots.by_order(j, np.array([plain.x(j, "v")]))[0])
    else:
        arms = {"short_of": range(plain.last), "tried_alone": plain.bad, "own_lost": plain.bad}
        for k in arms.get(name, plain.good):
            yield k, (getattr(plain, name)(k), getattr(slots, name)(k))


def _counts(name: str, plain: Plain, slots: Slots) -> Iterator[tuple[Any, tuple[arb, arb]]]:
    known = list(zip(*slots.pairs, strict=True))
    if name == "tests":
        for pair, found in zip(known, slots.tests, strict=True):
            yield pair, (plain.counts[pair][0], found)
        return
    climbing = [pair for pair, chosen in zip(known, slots.climbing, strict=True) if chosen]
    for after in (0, 3, 40) if name == "still" else (0,):
        found = slots.still(np.array([float(after)]))[0] if name == "still" else slots.played
        for pair, each in zip(climbing, found, strict=True):
            _, played, tail = plain.counts[pair]
            yield (pair, after), (tail(after) if name == "still" else played, each)


# -- one h stands for all larger ones -------------------------------------------------------------


@PROOF.step("5a", "5: GLR in the counts", "4b", degree=2)
def _homogeneous(degree: int = 1) -> Parts:
    """GLR(A, tn; B, tn') = t GLR(A, n; B, n'), and it grows in each count, by kl of its average."""
    longer = RATIO.subs({n: t * n, high: t * high}, simultaneous=True)
    yield equal(longer, t**degree * RATIO).on({**GROUPS, t: UP9})
    centre = (n * A + high * B) / (n + high)
    yield equal(diff(RATIO, n), kl(A, centre)).on(GROUPS)
    yield equal(diff(RATIO, high), kl(B, centre)).on(GROUPS)


@PROOF.step("5b", "5: the smallest h", "5a", sign=-1, shift=Rational(1, 9))
def _one_is_enough(sign: int = 1, shift: Expr = Rational(1, 2)) -> Parts:
    """h GLR_i - l - r(q h) - r(h) is convex in h, and below 0 at h = 0: it is above 0 from some h
    on. r grows, so between h q_i and h q_(i+1) GLR at the one end and r at the other decide."""
    price = log(pi * (q * h + shift)) / 2
    bend = q**2 / (2 * (q * h + shift) ** 2)
    yield equal(diff(-sign * price, h, 2), bend).on({q: UP9, h: UP9})
    yield below(0, log(pi * shift)).on({})
    yield equal(diff(price, h), q / (2 * (q * h + shift))).on({q: UP9, h: UP9})
    yield at_most(0, q / (2 * (q * h + shift))).on({q: ANY, h: SURELY})


@PROOF.step("5c", "5: levels of averages", "4b, positive-last-mean", width=0)
def _levels(width: int = 1) -> Parts:
    """Off by less than mu/(2b + 1), by a share 1/(1 + u) of it: for b = m, b X+/(b + 1) stays below
    A; for b < m, (b + 1) X+/b stays above it, as does what is less than 1 (1/1024 of the way)."""
    off = mu / (2 * b + width) / (1 + u)
    at = (mu - off) - b * (mu + off) / (b + 1)
    under = (b + 1) * (mu - off) / b - (mu + off)
    for gap in (at, under):
        yield below(0, sympy.cancel(sympy.together(gap)) / mu * mu).on(
            {b: UP, mu: (Fraction(1, 100), 1), u: SURELY}
        )
    yield below(x, (1023 * 1 + x) / 1024).on({x: (0, Rational(999, 1000))})


@PROOF.step("5d", "5: silent plays", "4c", start=0)
def _silent(start: int = 1) -> Parts:
    """For b < m a test is open after h high plays only if all were silent: (1 - p)^h, which sums to
    1/p over h >= 0, to (1 - p)^(q + 1)/p over h > q: what is summed from q on falls by its first
    term."""
    rest = exp((x + start) * log(1 - p)) / p
    first = exp((x + 1) * log(1 - p))
    yield equal(rest - rest.subs(x, x + 1), first).on({x: UP9, p: UNIT})
    yield equal(rest.subs(x, -1), 1 / p).on({p: UNIT})


@PROOF.step("5e", "5: a chance that the mean guarantees", room=b)
def _guaranteed(room: Expr = b + 1) -> Parts:
    """X <= b/(b + 1) + 1{X > b/(b + 1)}/(b + 1) on [0, 1], so p_b >= (b + 1) mu - b."""
    yield equal(b / (b + 1) + 1 / room, 1 + 0 * b).on({b: UP9})


@PROOF.step("5f", "5: chances that fall like e^(-n d)", "2c", rest=2)
def _tails(rest: int = 1) -> Parts:
    """The sum over n >= a is e^(-a d)/(1 - e^(-d)): it falls by its first term. Up to any n each
    may be counted as 1: no choice of that n makes the sum of min(1, M e^(-n d)) larger."""
    whole = exp(-x * d) / (1 - exp(-d)) * rest
    yield equal(whole - whole.subs(x, x + 1), exp(-x * d)).on({x: UP9, d: UP9})


@PROOF.step("5g", "5: h, c and the tails of h", "5b, 5c, 5d, 5e, 5f", width=2, prices=0)
def _ends(width: int = 1, prices: int = 1) -> Parts:
    """A test is tried h_{j,b} times at most in expectation, c_{j,b} slots have the low group for
    the smaller one: the least of single values and averages. Those of the calculator."""
    yield same_numbers("tests", "played", "still", width=width, prices=prices)


# -- waiting --------------------------------------------------------------------------------------


@PROOF.step("6a", "6: waiting for a coin", chance=Rational(1, 3))
def _waiting(chance: Expr = Rational(1, 2)) -> Parts:
    """If what is waited for can happen k times and does so with probability 1/2 in each of certain
    slots, there are 2 k of these in expectation: E_k = 1 + E_(k-1)/2 + E_k/2 for E_k = 2 k."""
    yield equal(1 + chance * 2 * (n - 1) + (1 - chance) * 2 * n, 2 * n).on({n: UP9})


@PROOF.step("6b", "6: which count an estimate has", "6a", grown=2)
def _estimates(grown: int = 1) -> Parts:
    """A play of the slot, at l_i or less, is one of the group at l_i and one of all: each count
    occurs once among slots with such a play, and n = 0 at b = 1 only."""
    low, others = n, h
    yield equal(low + 1, low + grown).on({n: UP9})
    yield equal(low + 1 + others, low + others + grown).on({n: UP9, h: UP9})


@PROOF.step("6c", "6: a promising test", haste=3)
def _trials(haste: int = 4) -> Parts:
    """n' plays count as floor(n'/4): with a count of at most c it has at most 4 c + 3 plays, and so
    at most 4 (c + 1) trials."""
    # n' = 4 floor(n'/4) + u with u <= 3, and c = floor(n'/4) + h
    yield at_most(4 * n + u, haste * (n + h) + 3).on({n: ANY, h: ANY, u: (0, 3)})


@PROOF.step(
    "6d", "6: a good arm outside", "2c, 5f, 5g, 6a, 6b, 6c", coin=1, haste=3, groups=0, own=0
)
def _outside(coin: int = 2, haste: int = 4, groups: int = 1, own: int = 1) -> Parts:
    """While a good arm i is outside with an estimate below x, all trials are of counts up to c_i:
    K (c_i + 1) of arms outside, min(h, 4 (c_i + 1)) of each larger load, or by the order of arms
    for bad ones; slots are twice as many."""
    yield same_numbers("outside", coin=coin, haste=haste, groups=groups, own=own)


@PROOF.step("6e", "6: a good arm that climbs", "5g, 6a, 6c", coin=1, haste=3, own=0)
def _climbs(coin: int = 2, haste: int = 4, own: int = 1) -> Parts:
    """While l_i = b < m_i is not closed, either counts up to C_{i,b} are tried or g is played with
    n < n'; what that costs, with n < n' and a trial of another arm: the calculator's number."""
    yield same_numbers("climbing_lost", coin=coin, haste=haste, own=own)
