"""Lemma E.4: how many slots of the three kinds of E.3 there are. e = epsilon^-2.

A PUE slot sees other estimates than the PIE slot before it (see `slot_cover`), so badness does not
pass from one to the other, as two steps assume.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy

from boundcheck.claims.lem_e import c
from boundcheck.finding import Verdict
from boundcheck.proofs import models
from boundcheck.proofs.methods import exhaustive, identity, sign
from boundcheck.proofs.models import apart, at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.slot_counts import E_1, coins, e, is_bad, worst_rule
from boundcheck.proofs.slot_cover import Slot, slots
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import K, N

offered = sympy.Symbol("|E_t|", positive=True)
r = sympy.Symbol("r", nonnegative=True)
oo = sympy.oo
SIZES = {K: (2, 50), N: (1, 49), e: (4, 1000)}


def _coin_keeps(loads: tuple[int, ...]) -> bool:
    """A deliberate exploration, by a fair coin, takes one play from the last arm."""
    last = max(models.played(loads))
    moved = [load - (arm == last) for arm, load in enumerate(loads)]
    chances = (Fraction((loads[k] > 0) + (moved[k] > 0), 2) for k in models.played(loads))
    return min(chances) >= Fraction(1, 2)


def _bad_after_means_bad_before(seen: tuple[int, int], reward: int) -> bool:
    """Bernoulli arm of mean 1/2, epsilon = 1/10: the PIE slot before a PUE slot."""
    off = Fraction(1, 10)
    plays, successes = seen
    after = is_bad(plays + 1, successes + reward, off)
    return not after or is_bad(plays, successes, off)


def _injective() -> Part:
    cases = [(n, i) for n in range(1, 5) for i in range(n + 1)]
    printed = exhaustive(
        _bad_after_means_bad_before,
        {"(plays, successes)": cases, "reward": (0, 1)},
        complete=False,
        words="mean 0.5, epsilon = 0.1: a good estimate turns bad in the PIE slot itself",
    )
    repaired = exhaustive(
        lambda chance, off: worst_rule(chance, off, after=True) <= coins(chance, off),
        {"c": [Fraction(1, 2), Fraction(1, 6)], "epsilon": [Fraction(1, 10), Fraction(3, 10)]},
        complete=False,
    )
    return apart(printed, repaired)


def _ordered_last(slot: Slot) -> bool:
    """max S is beyond max S* wherever the actions differ outside B."""
    return not slot.concerned or max(slot.used) > max(models.played(slot.wanted))


def _beyond_left_out(slot: Slot) -> bool:
    """The repair: max S is beyond every arm of S* that is not in S."""
    return not slot.concerned or max(slot.used) > max(slot.left_out)


BAD_B = 8 * K * (4 + e)
BAD_C = 30 * N
BAD_D = 8 * K**2 * N * (4 + e)
BAD = 12 * K**2 * N * (4 + e)


def _parts_fit() -> Part:
    """K >= 3 in one go; K = 2 leaves (2, 1) alone, where PUE slots do not exist."""
    parts = BAD_B + BAD_C + BAD_D
    smallest = {K: sympy.Integer(2), N: sympy.Integer(1)}
    few, limit = parts.subs(smallest), BAD.subs(smallest)
    rest = sign(at_most(parts, BAD), {K: (3, oo), N: (1, oo), e: (0, oo)})
    never = sign(sympy.Gt(few, limit, evaluate=False), {e: (0, oo)})
    halved = sign(at_most(few / 2, limit), {e: (0, oo)})
    if any(part.verdict is not Verdict.HOLDS for part in (rest, never, halved)):
        return combined(rest, sign(at_most(few, limit), {e: (0, oo)}))
    return Part(
        "calculus",
        Verdict.REFUTED,
        "(K, N) = (2, 1), for every epsilon; nowhere else",
        f"there the parts exceed the total by {sympy.expand(few - limit)}; with N = 1 there are no "
        "PUE slots, every part halves, and the halves fit",
    )


_ONCE_MORE = "apply E.1 to the PUE slots themselves: the count after a slot is n for 1/c slots too"

STEPS = (
    Step(
        "lem-E.4",
        "E.4-a",
        "E.4, B, 1st display",
        "names for the PIE and PUE slots of B_k",
        (),
        models.definition,
    ),
    Step(
        "lem-E.4",
        "E.4-b",
        "E.4, B, inline: E|B_k^IE|",
        "an arm of S keeps a play with probability 1/2 or more, and E.1 at c = 1/2 is 4(4 + e)",
        ("E.1-a",),
        lambda: combined(
            identity(E_1.subs(c, sympy.Rational(1, 2)), 4 * (4 + e), {e: (1, 100)}),
            exhaustive(
                _coin_keeps,
                {"loads": [x for n in (1, 2, 3) for x in product(range(4), repeat=n) if sum(x)]},
                complete=False,
            ),
        ),
    ),
    Step(
        "lem-E.4",
        "E.4-c",
        "E.4, B, inline: |B_k^UE| <= |B_k^IE|",
        "the PIE slot before a slot of B_k^UE is in B_k^IE",
        (),
        _injective,
        repair=_ONCE_MORE,
        consequence="E|B_k^UE| has the same bound 4(4 + e)",
    ),
    Step(
        "lem-E.4",
        "E.4-d",
        "E.4, B, inline: E|B|",
        "K arms, two kinds of slots, 4(4 + e) each: 8K(4 + e) (one index misprinted)",
        ("E.4-b", "E.4-c"),
        lambda: identity(2 * K * 4 * (4 + e), BAD_B, SIZES),
    ),
    Step(
        "lem-E.4",
        "E.4-e",
        "E.4, C, inline: C_k = {u > mu}",
        "a slot of C lies in some C_k as printed, {u_k > mu_k}",
        (),
        lambda: exhaustive(
            lambda index: not index < 0 or index > 0, {"u - mu": (0, 1, -1)}, complete=True
        ),
        repair="C_k = {u_k < mu_k}, which E.2 bounds",
        consequence="a misprint",
    ),
    Step(
        "lem-E.4",
        "E.4-f",
        "E.4, C, display, 1st <=",
        "S* lies within the first N arms",
        (),
        lambda: exhaustive(
            lambda case: (
                max(models.played(models.filled(range(len(case[1])), case[1], case[0]))) < case[0]
            ),
            {"(N, m^l)": list(models.believed(5))},
            complete=False,
        ),
    ),
    Step(
        "lem-E.4",
        "E.4-g",
        "E.4, C, display, 2nd <=",
        "N arms, 30 slots each",
        ("E.2-c",),
        lambda: identity(N * 30, BAD_C, SIZES),
    ),
    Step(
        "lem-E.4",
        "E.4-h",
        "E.4, D, 1st display",
        "names for the PIE and PUE slots of D_k",
        (),
        models.definition,
    ),
    Step(
        "lem-E.4",
        "E.4-i",
        "E.4, D, inline: L_t beyond k*",
        "outside B and C, where actions differ, max S is beyond k* = max S*",
        ("E.3-b",),
        lambda: apart(
            exhaustive(
                _ordered_last, slots(), complete=False, words="S may be a part of S* and share it"
            ),
            exhaustive(_beyond_left_out, slots(), complete=False),
        ),
        repair="max S is beyond the arm k of D_k itself: u_k >= mu_k > muhat of L_t directly",
        consequence="arm k is in E_t all the same; the repair was checked on the same cases",
    ),
    Step(
        "lem-E.4",
        "E.4-j",
        "E.4, D, inline: P(a_k > 0) >= 1/(2K)",
        "chance 1/2, then one of |E_t| <= K = |E_t| + r arms",
        ("E.4-i",),
        lambda: sign(
            at_most(1 / (2 * (offered + r)), 1 / (2 * offered)), {offered: (1, oo), r: (0, oo)}
        ),
    ),
    Step(
        "lem-E.4",
        "E.4-k",
        "E.4, D, inline: E|D_k^IE|, 1st <=",
        "E.1 at c = 1/(2K) is 4K(4K + e)",
        ("E.1-a", "E.4-j"),
        lambda: identity(E_1.subs(c, 1 / (2 * K)), 4 * K * (4 * K + e), SIZES),
    ),
    Step(
        "lem-E.4",
        "E.4-l",
        "E.4, D, inline: E|D_k^IE|, 2nd <=",
        "4K(4K + e) <= 4K^2(4 + e)",
        ("E.4-k",),
        lambda: sign(at_most(4 * K * (4 * K + e), 4 * K**2 * (4 + e)), {K: (1, oo), e: (0, oo)}),
    ),
    Step(
        "lem-E.4",
        "E.4-m",
        "E.4, D, inline: |D_k^UE| <= |D_k^IE|",
        "the PIE slot before a slot of D_k^UE is in D_k^IE",
        (),
        _injective,
        repair=_ONCE_MORE,
        consequence="E|D_k^UE| has the same bound 4K^2(4 + e)",
    ),
    Step(
        "lem-E.4",
        "E.4-n",
        "E.4, D, inline: E|D|",
        "N arms, two kinds of slots: 8 K^2 N (4 + e)",
        ("E.4-l", "E.4-m"),
        lambda: identity(2 * N * 4 * K**2 * (4 + e), BAD_D, SIZES),
    ),
    Step(
        "lem-E.4",
        "E.4-o",
        "E.4, statement: the sum",
        "8K(4 + e) + 30N + 8 K^2 N (4 + e) <= 12 K^2 N (4 + e)",
        ("E.4-d", "E.4-g", "E.4-n"),
        _parts_fit,
        repair="for N = 1 there are no PUE slots: halve the parts",
    ),
)
