"""Theorem G.3 in the order of the paper, and lemma G.4: the steps; their checks are beside."""

from __future__ import annotations

import sympy

from boundcheck.proofs import elimination_events as ev
from boundcheck.proofs.elimination_times import CLOSING, OPENING
from boundcheck.proofs.methods import exhaustive, identity, sign
from boundcheck.proofs.models import at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.step import Part

oo = sympy.oo
p, q, a, b = sympy.symbols("p q a b")
c, gap, width = sympy.symbols("c gap width", positive=True)
r = sympy.Symbol("r", nonnegative=True)
_NUMBERS = {p: (0, 9), q: (0, 9), a: (0, 9), b: (0, 9)}


def same_event() -> Part:
    """(p - a) - (q - b) - (b - a) = p - q: p and q estimates, a and b their means."""
    return identity((p - a) - (q - b) - (b - a), p - q, _NUMBERS)


EVENTS = (
    Step(
        "thm-G.3",
        "G.3-2a",
        "G.3, Step 2, inline: cost of good events",
        "a round of individual explorations loses at most sum_{k>N} (mu_1 - mu_k)",
        (),
        ev.round_of_explorations,
        repair="let left-over plays serve the best arms outside the subset",
        consequence="with the literal pseudo-code G.3 fails for K = N + 1 and many plays",
    ),
    Step(
        "thm-G.3",
        "G.3-3a1",
        "G.3, Step 3a, 1st display, 1st <=",
        "P(some k < N is below arm N) <= (N - 1) P(arm N - 1 is below arm N)",
        (),
        ev.worst_is_next,
        repair="bound each k by Hoeffding with its own gap, which is at least Delta_{N-1,N}",
        consequence="the last line of the display stays; among Bernoulli arms nothing fails",
    ),
    Step(
        "thm-G.3",
        "G.3-3a2",
        "G.3, Step 3a, 1st display, =",
        "one estimate is below the other exactly if the centred difference exceeds the gap",
        (),
        same_event,
    ),
    Step(
        "thm-G.3",
        "G.3-3a3",
        "G.3, Step 3a, 1st display, 2nd <=",
        "P(centred difference > Delta) <= exp(-s Delta^2/2)",
        ("Hoeffding's inequality", "sigma^2 <= 1/2"),
        ev.hoeffding_difference,
    ),
    Step(
        "thm-G.3",
        "G.3-3a4",
        "G.3, Step 3a, 2nd display, 1st <=",
        "sum_{s>=1} exp(-s x) is at most its integral from 0",
        ("G.3-3a3",),
        ev.sum_below_integral,
    ),
    Step(
        "thm-G.3",
        "G.3-3a5",
        "G.3, Step 3a, 2nd display, 2nd <=",
        "the integral of exp(-s Delta^2/2) is 2/Delta^2",
        ("G.3-3a4",),
        lambda: identity(
            sympy.integrate(sympy.exp(-c * gap**2 / 2), (c, 0, oo)), 2 / gap**2, {gap: (1, 9)}
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-3b1",
        "G.3, Step 3b, 1st display",
        "arm N goes first among the top arms, so A_k speaks of arm N alone",
        ("G.3-3a1: no top arm is below arm N",),
        lambda: exhaustive(ev.last_top_first, ev.SEEN, complete=False),
    ),
    Step(
        "thm-G.3",
        "G.3-3b2",
        "G.3, Step 3b, 2nd display, A",
        "A_{k+1} contains A_k: surviving longer implies surviving shorter",
        ("G.3-1b",),
        lambda: exhaustive(
            ev.nested_tops, {"zeta": ev.TIMES, "eliminated": range(1, 6)}, complete=False
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-3b3",
        "G.3, Step 3b, 2nd display, B",
        "B_{k+1} contains B_k",
        ("G.3-1b",),
        ev.worse_nested,
        repair="B_k: every arm i >= k is eliminated before its own zeta_{N,i}",
        consequence="the cover by C_{k+1} without C_k and what follows hold with these B_k",
    ),
    Step(
        "thm-G.3",
        "G.3-3b4",
        "G.3, Step 3b, 3rd display",
        "on C_{k+1} without C_k a slot loses at most g_{N,k} Delta_{N,k} = mu_1 - mu_k",
        (),
        ev.one_bad_arm,
        repair="min(N, K - N) times as much, or h",
        consequence="the constant 342 would grow by that factor; no simulation contradicts G.3",
    ),
    Step(
        "thm-G.3",
        "G.3-3b5",
        "G.3, Step 3b, 4th display",
        "C' without C is (A' without A, in B') or (B' without B, in A')",
        (),
        lambda: exhaustive(ev.set_identity, ev.TRUTHS, complete=True),
    ),
    Step(
        "thm-G.3",
        "G.3-3b6",
        "G.3, eq:split_C",
        "the chance of the union is at most the sum",
        ("G.3-3b5",),
        lambda: exhaustive(ev.union, ev.TRUTHS, complete=True),
    ),
    Step(
        "thm-G.3",
        "G.3-3c1",
        "G.3, Step 3c, 1st display, 1st <=",
        "an arm k > N that stays while all top arms are there has muhat_k > muhat_N - gamma U",
        ("G.3-3a1: no top arm is below arm N",),
        lambda: exhaustive(ev.late, ev.SEEN, complete=False),
    ),
    Step(
        "thm-G.3",
        "G.3-3c2",
        "G.3, Step 3c, 1st display, 2nd <=",
        "Delta - gamma U >= gamma U/2 where Delta = 3/2 gamma U + r",
        ("G.3-1b",),
        lambda: sign(
            at_most(width / 2, sympy.Rational(3, 2) * width + r - width),
            {width: (0, oo), r: (0, oo)},
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-3c3",
        "G.3, Step 3c, 1st display, 3rd <=",
        "exp(-zeta (gamma U/2)^2/2) <= zeta/T",
        ("G.3-3a3", "gamma >= 1"),
        ev.late_chance,
        consequence="not for gamma = 0.1, which the paper's 5G experiment uses",
    ),
    Step(
        "thm-G.3",
        "G.3-3c4",
        "G.3, Step 3c, 2nd display",
        "c p <= c zeta/T, term by term, with zeta/T = p + r",
        ("G.3-3c3",),
        lambda: sign(at_most(c * gap, c * (gap + r)), {c: (0, oo), gap: (0, oo), r: (0, oo)}),
    ),
    Step(
        "thm-G.3",
        "G.3-3d1",
        "G.3, Step 3d, 1st display, 1st <=",
        "if arm N is eliminated, muhat_N < muhat_j - gamma U for some j > N",
        ("G.3-3a1: no top arm is below arm N",),
        lambda: ev.false_elimination(strict=True),
        repair="<= in place of <",
        consequence="the third line of the display has >= and covers it",
    ),
    Step(
        "thm-G.3",
        "G.3-3d2",
        "G.3, Step 3d, 1st display, 1st <=, at equality too",
        "the same with <=",
        ("G.3-3a1: no top arm is below arm N",),
        lambda: ev.false_elimination(strict=False),
    ),
    Step(
        "thm-G.3",
        "G.3-3d3",
        "G.3, Step 3d, 1st display, 2nd <=",
        "a union over j (i stands for N)",
        ("G.3-3d2",),
        lambda: exhaustive(
            lambda one, other: (one or other) <= one + other,
            {"crossed by j": (0, 1), "by j'": (0, 1)},
            complete=True,
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-3d4",
        "G.3, Step 3d, 1st display, 3rd <=",
        "centring adds Delta_{i,j} >= 0 to the difference",
        ("G.3-3d3",),
        lambda: sign(at_most(width, width + gap), {width: (0, oo), gap: (0, oo)}),
    ),
    Step(
        "thm-G.3",
        "G.3-3d5",
        "G.3, Step 3d, 1st display, =",
        "P(crossing at some time in (zeta', zeta]) = Phi(zeta) - Phi(zeta')",
        (),
        ev.crossings,
        repair="sum by parts over k first: weights rise with k, so only P(arm N gone by zeta_k) "
        "<= sum_j Phi(zeta) is needed",
        consequence="that gives the sum of the third display without the two lines between",
    ),
    Step(
        "thm-G.3",
        "G.3-3d6",
        "G.3, Step 3d, before the 2nd display: b - a = 2",
        "the differences of two rewards lie in an interval of length 2",
        (),
        ev.unbounded_difference,
        repair="the sub-Gaussian form of G.4, variance 1 in place of (b - a)^2/4: same proof",
        consequence="for Gaussian rewards with sigma^2 <= 1/2 the bound on Phi is the same",
    ),
    Step(
        "thm-G.3",
        "G.3-3d7",
        "G.3, Step 3d, 2nd display: lemma G.4 applied",
        "with b - a = 2 and delta = 4 zeta/T (printed zeta_{N,k}) the width of G.4 is U(s, T)",
        ("lem-G.4", "G.3-3d6"),
        ev.substituted,
    ),
    Step(
        "thm-G.3",
        "G.3-3d8",
        "G.3, Step 3d, 2nd display",
        "Phi(zeta) <= 4 zeta/T gives Phi(zeta) - Phi(zeta') <= 4 (zeta - zeta')/T",
        ("G.3-3d7",),
        ev.increments,
        repair="not for each k; for the sum with rising weights it does (G.3-3d9)",
        consequence="the third display, a sum with weights mu_1 - mu_k, stands",
    ),
    Step(
        "thm-G.3",
        "G.3-3d9",
        "G.3, Step 3d, 3rd display, <=",
        "sum c_k (Phi(zeta_k) - Phi(zeta_{k+1})) <= (4/T) sum c_k (zeta_k - zeta_{k+1}): by parts, "
        "c Phi <= c (Phi + r) for each difference c = c_k - c_{k-1} >= 0",
        ("G.3-3d7", "G.3-3d10"),
        lambda: sign(at_most(c * gap, c * (gap + r)), {c: (0, oo), gap: (0, oo), r: (0, oo)}),
    ),
)

MAXIMAL = (
    Step(
        "lem-G.4",
        "G.4-a",
        "G.4 (lma:martingale), display",
        "the mean crosses sqrt(2 (b-a)^2/t log(4T/(delta t))) by T with chance at most delta",
        ("Azuma-Hoeffding maximal inequality",),
        ev.peeled,
        consequence="even at most delta^2/12; 'for every S > 0' has no use",
    ),
)

STEPS = (*OPENING, *EVENTS, *CLOSING, *MAXIMAL)
