"""Lemmas E.5 and E.6: deliberate explorations of a suboptimal arm, united ones of an optimal arm.

e = epsilon^-2, t_0 = (log T + 4 log log T)/kl(mu_k + epsilon, mu_L - epsilon); m^l and m^u bound
the capacities, Y are the arms of S but its last one whose bounds still differ.
"""

from __future__ import annotations

from itertools import product

import sympy

from boundcheck.claims.lem_e import c
from boundcheck.claims.thm_5_3 import SIZE, A
from boundcheck.proofs import models
from boundcheck.proofs.methods import exhaustive, identity, sign
from boundcheck.proofs.models import at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.slot_counts import E_1, e
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import T, delta, m, mu

oo = sympy.oo
x, y, z, r, gap = sympy.symbols("x y z r gap", positive=True)
s2 = sympy.Symbol("sigma2", positive=True)
t_0 = sympy.Symbol("t_0", positive=True)
KL_BERNOULLI = x * sympy.log(x / y) + (1 - x) * sympy.log((1 - x) / (1 - y))
KL_GAUSSIAN = (x - y) ** 2 / (2 * s2)
UNIT = {x: ("0.01", "0.99"), y: ("0.01", "0.99")}
_ANY = {x: (0, 9), y: (0, 9), s2: ("0.1", "0.5")}
_ARM = {m: (1, 9), mu: ("0.1", "0.9"), T: (3, 10**6)}


def _known_capacities(case: tuple[int, tuple[int, ...], tuple[int, ...]]) -> bool:
    """Bounds m^l <= m <= m^u that agree on S without its last arm: the true order is optimal."""
    plays, held, lower = case
    order = range(len(held))
    action = models.filled(order, lower, plays)
    used = models.played(action)
    settled = all(lower[k] == held[k] for k in used - {max(used)})
    return not settled or action == models.filled(order, held, plays)


def _bounded() -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    found = []
    for plays, held in models.believed(4):
        for lower in product(*(range(1, h + 1) for h in held)):
            found.append((plays, held, lower))
    return found


def _increasing() -> Part:
    """y -> kl(x, y) increases beyond x: x = y z with z <= 1."""
    return combined(
        identity(sympy.diff(KL_BERNOULLI, y), (y - x) / (y * (1 - y)), UNIT),
        identity(sympy.diff(KL_GAUSSIAN, y), (y - x) / s2, _ANY),
        sign(at_most(sympy.Integer(0), (1 - z) / (1 - y)), {y: (0, 1), z: (0, 1)}),
    )


def _decreasing() -> Part:
    """x -> kl(x, y) decreases up to y: its slope is the log of x(1-y)/(y(1-x)) <= 1."""
    return combined(
        identity(
            sympy.diff(KL_BERNOULLI, x), sympy.log(x / y) - sympy.log((1 - x) / (1 - y)), UNIT
        ),
        identity(sympy.diff(KL_GAUSSIAN, x), (x - y) / s2, _ANY),
        sign(at_most(y * z * (1 - y), y * (1 - y * z)), {y: (0, 1), z: (0, 1)}),
    )


def _count_before(explored: tuple[bool, ...]) -> bool:
    """Slots of G_k up to and including t, beside the observations that muhat has at t."""
    return all(sum(explored[: t + 1]) <= sum(explored[:t]) for t, now in enumerate(explored) if now)


def _few_explorations(explored: tuple[bool, ...], limit: int) -> bool:
    early = sum(now and sum(explored[: t + 1]) <= limit for t, now in enumerate(explored))
    return early <= limit


_RUNS = [run for n in range(1, 7) for run in product((True, False), repeat=n)]

STEPS = (
    Step(
        "lem-E.5",
        "E.5-a",
        "E.5, before the proof",
        "where Y is empty and the order is right, a^IE is the optimal action",
        ("m^l <= m <= m^u",),
        lambda: exhaustive(_known_capacities, {"(N, m, m^l)": _bounded()}, complete=False),
    ),
    Step(
        "lem-E.5",
        "E.5-b",
        "E.5, 1st display",
        "names for t_0 and the two parts of G_k",
        (),
        models.definition,
    ),
    Step(
        "lem-E.5",
        "E.5-c",
        "E.5, inline chain to muhat_k < mu_L - epsilon < u_k",
        "mu_k + epsilon <= mu_L - epsilon, with epsilon = r (mu_L - mu_k)/2, r <= 1",
        ("epsilon below half the smallest gap", "k in E_t"),
        lambda: sign(at_most(r * gap / 2, gap - r * gap / 2), {gap: (0, oo), r: (0, 1)}),
    ),
    Step(
        "lem-E.5",
        "E.5-d",
        "E.5, inline: the number of explorations",
        "the slots of G_k up to and including t number at most the observations of arm k at t",
        (),
        lambda: exhaustive(
            _count_before,
            {"slots explored": _RUNS},
            complete=False,
            words="the exploration of slot t itself is not yet in muhat_{k,t}",
        ),
        repair="at most the observations plus 1, so t_0 + 1 in place of t_0",
        consequence="E.1 gives 1 + e or less for the other part, so the extra 1 fits into 2(2 + e)",
    ),
    Step(
        "lem-E.5",
        "E.5-e",
        "E.5, 2nd display, 1st <=",
        "t_0 kl <= tau kl for t_0 <= tau = t_0 + r",
        ("E.5-d",),
        lambda: sign(at_most(t_0 * x, (t_0 + r) * x), {t_0: (0, oo), r: (0, oo), x: (0, oo)}),
    ),
    Step(
        "lem-E.5",
        "E.5-f",
        "E.5, 2nd display, 2nd <=",
        "kl(muhat, mu_L - epsilon) <= kl(muhat, u): y -> kl(x, y) increases for y >= x",
        ("E.5-c",),
        _increasing,
    ),
    Step(
        "lem-E.5",
        "E.5-g",
        "E.5, 2nd display, 3rd <=",
        "tau kl(muhat, u) <= f(t) <= f(T): x + 4 log x increases in x = log t",
        ("definition of the index",),
        lambda: sign(
            at_most(sympy.Integer(0), r + 4 * sympy.log(x + r) - 4 * sympy.log(x)),
            {x: (1, oo), r: (0, oo)},
        ),
    ),
    Step(
        "lem-E.5",
        "E.5-h",
        "E.5, inline: back to muhat_k",
        "kl(muhat, y) <= kl(mu_k + epsilon, y) forces muhat >= mu_k + epsilon: decreasing in x",
        ("E.5-e", "E.5-f", "E.5-g"),
        _decreasing,
    ),
    Step(
        "lem-E.5",
        "E.5-i",
        "E.5, inline: E|G_{k,1}|",
        "E.1 at c = 1 is 2(2 + e)",
        ("E.1-a",),
        lambda: identity(E_1.subs(c, 1), 2 * (2 + e), {e: (1, 100)}),
    ),
    Step(
        "lem-E.5",
        "E.5-j",
        "E.5, inline: |G_{k,2}|",
        "at most t_0 slots are among the first t_0",
        (),
        lambda: exhaustive(
            _few_explorations, {"slots explored": _RUNS, "t_0": range(4)}, complete=False
        ),
    ),
    Step(
        "lem-E.5",
        "E.5-k",
        "E.5, last display (the statement)",
        "t_0 + 1 + (1 + 2e) <= t_0 + 2(2 + e): the repaired parts fit, sigma^2 <= 1/2",
        ("E.5-d", "E.5-i", "E.5-j"),
        lambda: sign(at_most(t_0 + 1 + 1 + 2 * e, t_0 + 2 * (2 + e)), {t_0: (0, oo), e: (0, oo)}),
    ),
    Step(
        "lem-E.6",
        "E.6-a",
        "E.6, display",
        "the size 49 m^2/mu^2 log(2/delta) at delta = 2/T is the one printed",
        ("thm-5.3a",),
        lambda: identity(SIZE.subs(delta, 2 / T), A * sympy.log(T), _ARM),
    ),
    Step(
        "lem-E.6",
        "E.6-b",
        "E.6, condition on T",
        "2/T <= 2 exp(-49 m^2/mu^2) at T = exp(49 m^2/mu^2), with equality",
        ("thm-5.3a",),
        lambda: identity(2 / sympy.exp(A), 2 * sympy.exp(-A), {m: (1, 3), mu: (1, 3)}),
        consequence="exact, and astronomic: T >= 49 m^2/mu^2 is enough",
    ),
)
