"""Lemmas E.5 and E.6: deliberate explorations of a suboptimal arm, united ones of an optimal arm.

e = epsilon^-2, t_0 = (log T + 4 log log T)/kl(mu_k + epsilon, mu_L - epsilon); m^l and m^u bound
the capacities, Y are the arms of S but its last one whose bounds still differ.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, exp, log, oo

from boundcheck.proof_steps.parts import at_most, cases, definition, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.counting.cards import c
from boundcheck.theories.shareable_arms.explorations.cards import SIZE, A
from boundcheck.theories.shareable_arms.models import Loads, believed, oracle_loads, played
from boundcheck.theories.shareable_arms.orch_explore.cards import INDEX
from boundcheck.theories.shareable_arms.proofs.proof_e_1 import E_1, e, in_e
from boundcheck.theories.shareable_arms.proofs.proof_e_3 import far_apart
from boundcheck.theories.shareable_arms.symbols import T, delta, m, mu, sigma2

x, y, z, r, t_0 = sympy.symbols("x y z r t_0", positive=True)
KL_BERNOULLI = x * log(x / y) + (1 - x) * log((1 - x) / (1 - y))
KL_GAUSSIAN = (x - y) ** 2 / (2 * sigma2)
UNIT = dict.fromkeys((x, y), ("0.01", "0.99"))
_NORMAL = {x: (0, 9), y: (0, 9), sigma2: ("0.1", "0.5")}
LONG_ENOUGH = exp(A)
BAD_MEANS = in_e(find("lem-E.5").quantities[0].terms[1].expression)
_RUNS = [run for n in range(1, 7) for run in product((True, False), repeat=n)]
EXPLORED, UNITED = Proof("lem-E.5"), Proof("lem-E.6")


@EXPLORED.step("a", "E.5, before the proof", "m^l <= m <= m^u", unsettled=2)
def known_capacities(unsettled: int = 1) -> Parts:
    """Where Y is empty and the order is right, a^IE is the optimal action."""

    def true(case: tuple[int, Loads, Loads]) -> bool:
        """The bounds of S agree, but for its last arm."""
        plays, held, lower = case
        action = oracle_loads(lower, plays)
        settled = all(lower[k] == held[k] for k in sorted(played(action))[:-unsettled])
        return not settled or action == oracle_loads(held, plays)

    every = [
        (plays, held, lower)
        for plays, held in believed(4)
        for lower in product(*(range(1, h + 1) for h in held))
    ]
    yield cases(true, {"(N, m, m^l)": every}, complete=False)


@EXPLORED.step("b", "E.5, 1st display")
def two_parts() -> Parts:
    """Names for t_0 and the two parts of G_k."""
    yield definition()


@EXPLORED.step(
    "c",
    "E.5, inline chain to muhat_k < mu_L - epsilon < u_k",
    "epsilon below half the smallest gap, k in E_t",
    halves=1,
)
def below_the_last_arm(halves: int = 2) -> Parts:
    """mu_k + epsilon <= mu_L - epsilon, with epsilon = r (mu_L - mu_k)/2, r <= 1."""
    yield from far_apart(halves)


@EXPLORED.step(
    "d",
    "E.5, inline: the number of explorations",
    "definition of tau: the individual explorations up to and including t",
    itself=0,
    consequence="the index that lets slot t explore counts the slots before it; by that count one "
    "exploration more is made, t_0 + 1, which fits as well (E.5-k)",
)
def observations(itself: int = 1) -> Parts:
    """The slots of G_k up to and including t number at most tau_{k,t}, as section 5 defines it:
    each of them is an individual exploration of arm k, and there may be others."""

    def true(slots: tuple[int, ...]) -> bool:
        ends = (t for t, kind in enumerate(slots) if kind == 2)
        return all(slots[: t + 1].count(2) <= sum(map(bool, slots[: t + itself])) for t in ends)

    kinds = "slots: 0 no individual exploration of k, 1 one outside G_k, 2 one of G_k"
    yield cases(true, {kinds: list(product(range(3), repeat=5))}, complete=False)


@EXPLORED.step("e", "E.5, 2nd display, 1st <=", "d", fewest=t_0 - 1)
def many_observations(fewest: Expr = t_0) -> Parts:
    """t_0 kl <= tau kl for t_0 <= tau = t_0 + r."""
    yield at_most(t_0 * x, (fewest + r) * x).on(dict.fromkeys((t_0, r, x), (0, oo)))


@EXPLORED.step("f", "E.5, 2nd display, 2nd <=", "c", lower=y * (1 + z))
def increases(lower: Expr = y * z) -> Parts:
    """kl(muhat, mu_L - epsilon) <= kl(muhat, u): y -> kl(x, y) increases for y >= x."""
    yield equal(sympy.diff(KL_BERNOULLI, y) * y * (1 - y), y - x).on(UNIT)
    yield equal(sympy.diff(KL_GAUSSIAN, y) * sigma2, y - x).on(_NORMAL)
    yield at_most(lower, y).on({y: (0, oo), z: (0, 1)})


@EXPLORED.step("g", "E.5, 2nd display, 3rd <=", "definition of the index", level=log(T))
def rising_level(level: Expr = INDEX) -> Parts:
    """tau kl(muhat, u) <= f(t) <= f(T): x + 4 log x increases in x = log t."""
    now = INDEX.subs(log(T), x)
    yield at_most(now, level.subs(log(T), x + r)).on({x: (1, oo), r: (0, oo)})


@EXPLORED.step("h", "E.5, inline: back to muhat_k", "e, f, g", lower=y * (1 + z))
def decreases(lower: Expr = y * z) -> Parts:
    """kl(muhat, y) <= kl(mu_k + epsilon, y) forces muhat >= mu_k + epsilon: decreasing in x."""
    slope = log(x / y) - log((1 - x) / (1 - y))  # the log of a ratio that is at most 1
    yield equal(sympy.diff(KL_BERNOULLI, x), slope).on(UNIT)
    yield at_most(lower * (1 - y), y * (1 - lower)).on({y: (0, 1), z: (0, 1)})
    yield equal(sympy.diff(KL_GAUSSIAN, x) * sigma2, x - y).on(_NORMAL)
    yield at_most(lower, y).on({y: (0, oo), z: (0, 1)})


@EXPLORED.step("i", "E.5, inline: E|G_{k,1}|", "E.1-a", bound=2 * (1 + e))
def bad_means(bound: Expr = BAD_MEANS) -> Parts:
    """E.1 at c = 1 is 2(2 + e)."""
    yield equal(E_1.subs(c, 1), bound).on({e: (1, 100)})


@EXPLORED.step("j", "E.5, inline: |G_{k,2}|", itself=0)
def first_explorations(itself: int = 1) -> Parts:
    """At most t_0 slots t of G_k have at most t_0 such slots up to and including t."""

    def true(explored: tuple[bool, ...], limit: Fraction) -> bool:
        counts = (sum(explored[: t + itself]) for t, now in enumerate(explored) if now)
        return sum(count <= limit for count in counts) <= limit

    limits = [Fraction(halves, 2) for halves in range(8)]
    yield cases(true, {"slots explored": _RUNS, "t_0": limits}, complete=False)


@EXPLORED.step("k", "E.5, last display (the statement)", "d, i, j", bound=2 + e)
def _explorations(bound: Expr = BAD_MEANS) -> Parts:
    """t_0 + 1 + (1 + 2e) <= t_0 + 2(2 + e): the repaired parts fit, sigma^2 <= 1/2."""
    yield at_most(t_0 + 1 + 1 + 2 * e, t_0 + bound).on({t_0: (0, oo), e: (0, oo)})


@UNITED.step("a", "E.6, display", "thm-5.3a", level=1 / T)
def size_at_the_horizon(level: Expr = 2 / T) -> Parts:
    """The size 49 m^2/mu^2 log(2/delta) at delta = 2/T is the one printed."""
    arm = {m: (1, 3), mu: ("0.1", "0.9"), T: (3, 10**6)}
    yield equal(SIZE.subs(delta, level), A * log(T)).on(arm)


@UNITED.step(
    "b",
    "E.6, condition on T",
    "thm-5.3a",
    horizon=exp(A / 2),
    consequence="exact, and astronomic: T >= 49 m^2/mu^2 is enough",
)
def horizon_condition(horizon: Expr = LONG_ENOUGH) -> Parts:
    """2/T <= 2 exp(-49 m^2/mu^2) at T = exp(49 m^2/mu^2), with equality."""
    yield equal(2 / horizon, 2 * exp(-A)).on({m: (1, 3), mu: (1, 3)})


STEPS = (*EXPLORED, *UNITED)
