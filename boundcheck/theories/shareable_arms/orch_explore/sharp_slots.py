"""`sharp-7.1`, sections C and D of docs/theorems/orch-explore.md: kinds of slots, and who pays.

On the good event l <= m <= u. S_t is what a slot of individual exploration plays, L_t its last arm.
The slot is *right* if every arm before L is in S_t without L_t, arm L is in S_t, and no arm beyond
L comes before it there; C_t says that l = m before L and l_L >= mbar. A slot that is not right is
*near* if every arm before L is in S_t without L_t, else *far*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from sympy import Expr, Rational, oo, symbols

from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, UP, UP9
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.orch_explore.sharp_chances import PROOF
from boundcheck.theories.shareable_arms.orch_explore.sharp_pairs import followings
from boundcheck.theories.shareable_arms.proofs.proof_constant import worth

N, m, mbar, mu, mu_L = sym.N, sym.m, sym.mbar, sym.mu, sym.mu_L
d, p, q, r, s, u, x = symbols("d p q r s u x", positive=True)
_BOTH = (False, True)
_KINDS = ("a", "b", "far", "near")


@PROOF.step("c1", "C1: S_t reaches arm L", "s3", least=0)
def reaches(least: int = 1) -> Parts:
    """The arms before L have room for N - mbar plays at most, fewer than N: S_t has another arm."""
    yield below(N - mbar - r, N).on({mbar: (least, oo), r: ANY, N: UP})


@PROOF.step("c2", "C2: right and C_t", "s3", play=0)
def settled(play: int = 1) -> Parts:
    """If arm L were not the last, N - mbar plays before it, mbar or more on it and one on L_t would
    be more than N. So the action is a*, and a play moved to k loses mu_L - mu_k."""
    yield below(N, (N - mbar) + (mbar + r) + play).on({N: UP, mbar: UP, r: ANY})
    moved = worth(mu_L, mbar, mbar) - worth(mu_L, mbar - 1, mbar - 1) - worth(mu, 1, 1)
    yield equal(moved, mu_L - mu).on(dict.fromkeys((mu, mu_L, mbar), UP9))


@PROOF.step("c3", "C3: right, not C_t", "s3", coin=1)
def accurate(coin: Expr = Rational(1, 2)) -> Parts:
    """A draw has a chance of 1/2 at most and moves a play from L_t, of mean mu_L - p at most, to an
    arm of mean mu_K + q: in expectation (mu_L - mu_K)/2 = d/2 at most. Where plays are placed is
    worst if no better arm could give one to a worse arm: that loses their gap u."""
    yield at_most(coin * (d - p - q), d / 2).on({d: ANY, p: ANY, q: ANY})
    moved = (s + 1) * x + (r - 1) * (x + u)
    yield at_most(moved, s * x + r * (x + u)).on({s: ANY, r: UP, x: ANY, u: ANY})


@PROOF.step("c4", "C4: a united slot", "s3", served=m - 1)
def united(served: Expr = m) -> Parts:
    """Its first arm has load u >= m, so it earns m mu or more, and the slot loses f* - m mu."""
    yield at_most(x - (served * mu + r), x - m * mu).on({x: ANY, m: UP, mu: ANY, r: ANY})


@PROOF.step("c5", "C5: what comes before a united slot", parity=1)
def parity(parity: int = 0) -> Parts:
    """It is even, so the slot before is one of individual exploration, from which Y was made: every
    arm of Y was explored individually there."""

    def true(odd: bool, empty: bool) -> bool:
        is_united = int(odd) == parity and not empty
        return not is_united or not odd

    yield cases(true, {"slot is odd": _BOTH, "Y is empty": _BOTH}, complete=True)


@PROOF.step("c7", "C7: right, and Y empty after it", "c2", room=N - mbar + 1)
def empty_after(room: Expr = N - mbar) -> Parts:
    """Then l = m before L; and l_L >= mbar, since S_t is 1, ..., L if L is its last arm, and the
    others have room for N - mbar plays only."""
    yield at_most(mbar, N - (room - r)).on({N: UP, mbar: UP, r: ANY})


@PROOF.step("c8", "C8: near, and one play left for arm L", "c5", left=2)
def one_play_left(left: int = 1) -> Parts:
    """With mbar = 1 and l = m before L, an arm of S_t beside these and L_t is one play too many: Y
    has arms before L only."""
    yield below(N, (N - left) + 1 + 1).on({N: UP})


CLAIMED = ("before", "L short", "switch", "L overtakes", "overtakes")


@PROOF.step(
    "c9",
    "C9: the first arm of a united slot after a right one",
    "c1, c2, c5",
    claimed=tuple(c for c in CLAIMED if c != "switch"),
)
def claimed(claimed: Collection[str] = CLAIMED) -> Parts:
    """It is before L; or L with l_L < mbar; or C comes true just then (the switch); or L, or an arm
    beyond, with an arm of Y behind it that has a better mean."""

    def true(first: str, short: bool, unknown: bool, before: bool) -> bool:
        """`short`: l_L < mbar; `unknown`: l < m for some arm before L; `before`: C_p."""
        after = not short and not unknown
        if before and (not after or first != "before"):  # C is never lost; then Y is before L (C2)
            return True
        seen = {
            "before": first == "before",
            "L short": first == "L" and short,
            "switch": after and not before,
            "L overtakes": first == "L" and unknown,
            "overtakes": first == "beyond" and (unknown or short),
        }
        return any(seen[name] for name in claimed)

    ranges = {"first": ("before", "L", "beyond"), "l_L < mbar": _BOTH}
    yield cases(true, {**ranges, "l < m before L": _BOTH, "C_p": _BOTH}, complete=True)


# -- who pays -----------------------------------------------------------------------------------

_LOST: Mapping[str, tuple[str, ...]] = {
    "a": (),
    "b": ("c_acc",),
    "far": ("all",),
    "near": ("nearly all",),
    "wrong": (),  # it pays itself
    "united": ("first",),
}
_UNITED = ("before", "L short", "switch", "overtaking", "no other")


_NEXT = (*_UNITED, "a", "b", "wrong")
_SETTLED = ("before", "a", "wrong")  # after (a): Y is before L, and C stays
_NEVER = ("no other", "b")  # after (b), and after a near slot if mbar = 1: C7, C8


def _possible(
    slot: str,
    after: str,
    single: bool,
    settled: tuple[str, ...] = _SETTLED,
    never: tuple[str, ...] = _NEVER,
) -> bool:
    """What may follow an odd slot: a united slot by its first arm, or an individual one."""
    if slot == "a":
        return after in settled
    if slot == "b" or (slot == "near" and single):
        return after not in never
    return True


@PROOF.step(
    "c6",
    "C: what may follow a slot",
    "c2, c5, c7, c8, c9",
    settled=("before", "a"),
    never=("no other",),
)
def following(settled: tuple[str, ...] = _SETTLED, never: tuple[str, ...] = _NEVER) -> Parts:
    """What C2, C7 and C8 leave possible after a slot is what occurs for up to four arms, whatever
    the capacities, the bounds (known or as at first) and the rankings: nothing else, and all of it,
    but l_L < mbar, which mbar = 1 excludes; after other slots nothing is excluded."""
    seen = followings()

    def true(slot: str, after: str, single: bool) -> bool:
        possible = _possible(slot, after, single, settled, never)
        if (slot, after, single) in seen:
            return possible
        open_end = slot == "far" or (slot == "near" and not single)
        return not possible or open_end or (single and after == "L short")

    yield cases(true, {"slot": _KINDS, "next": _NEXT, "mbar = 1": _BOTH}, complete=True)


@PROOF.step("d1", "D1: the charges", "c3, c4, c6, c9", with_first=(), with_far=())
def charges(
    with_first: tuple[str, ...] = ("c_acc",), with_far: tuple[str, ...] = ("the larger",)
) -> Parts:
    """An odd slot and the next lose no more than is charged: for a first arm before L, a short one,
    an overtaking and the switch what a united slot loses and c_acc; for a far slot, and a near one
    unless mbar = 1, the larger of these; kind (b) is followed by a united slot or is the switch."""

    def true(slot: str, after: str, single: bool) -> bool:
        if not _possible(slot, after, single):
            return True
        lost = Counter(_LOST[slot]) + Counter(_LOST["united" if after in _UNITED else after])
        paid = Counter(_LOST[slot] if slot in ("far", "near") else ())
        switch = slot == "b" and after not in _UNITED
        if switch or after in _UNITED[:-1]:
            paid += Counter(("first", *with_first))
        larger = slot == "far" or (slot == "near" and not single)
        return (lost - paid).total() <= (len(with_far) if larger else 0)

    yield cases(true, {"slot": _KINDS, "next": _NEXT, "mbar = 1": _BOTH}, complete=True)
