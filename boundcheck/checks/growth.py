"""How fast regret grows with log T: corollaries 7.2 and G.2.

A limit is never decided by finitely many slots: what is seen can be consistent with it, or leave
it open, and no more. Policies are told T, so there are two slopes: that of mean regret between two
horizons with runs of their own (what the corollaries speak of), and that within the runs made for
the last horizon (where what delta = 2/T costs has been paid once and for all).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, log
from typing import Any

import numpy as np
import sympy

from boundcheck.checks import checks
from boundcheck.checks.regret import ladder, played
from boundcheck.claim import Claim
from boundcheck.claims.thm_4_3 import SUBOPTIMAL
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evidence import Finding, Verdict, log_slope, mean_at_most


def growth(run: Run, policy: str) -> dict[str, Any]:
    """Regret per log T at every horizon of the ladder, and both slopes of the last step."""
    found = [played(run, policy, horizon) for horizon in ladder(run)]
    last = found[-1]
    evidence: dict[str, Any] = {
        "policy": policy,
        "per_log_T": [
            {"T": runs.horizon, "regret_per_log_T": float(runs.mean[-1]) / log(runs.horizon)}
            for runs in found
        ],
        "within_runs": log_slope(last.checkpoints.astype(np.float64), last.total).evidence(),
    }
    if len(found) > 1:
        before = found[-2]
        step = log(last.horizon / before.horizon)
        error = hypot(last.standard_error[-1], before.standard_error[-1])
        evidence["between_horizons"] = {
            "from": before.horizon,
            "to": last.horizon,
            "slope": float(last.mean[-1] - before.mean[-1]) / step,
            "standard_error": error / step,  # as for independent runs
        }
    return evidence


@checks("cor-7.2")
def orch_explore(card: Claim, run: Run) -> Iterator[Finding]:
    """The constant beside the growth of OrchExplore's regret, and the match of the first terms."""
    (bound,) = run.bounds(card.id)
    yield _asymptotic(card, run, "orch-explore", bound.upper, {"terms": dict(bound.terms)})
    yield _first_terms(card, run)


@checks("cor-G.2")
def mp_se_sa(card: Claim, run: Run) -> Iterator[Finding]:
    """An order of growth has no constant of its own: that of Theorem G.1 is tested in its place."""
    (order,) = run.bounds(card.id)
    coefficient = next(b for b in run.bounds("rem-8.1") if b.quantity.endswith("MP-SE-SA"))
    context = {"order_per_log_T": order.value, "constant_from": "thm-G.1"}
    yield _asymptotic(card, run, "mp-se-sa", coefficient.upper, context)


def _asymptotic(
    card: Claim, run: Run, policy: str, constant: str | None, context: dict[str, Any]
) -> Finding:
    runs = played(run, policy)
    per_log = runs.total[:, -1] / log(runs.horizon)
    context = {"constant": constant, **context, "growth": growth(run, policy)}
    unmet = run.unmet(card.id)
    if unmet:
        return not_applicable(card, unmet, simulated_per_log_T=float(per_log.mean()), **context)
    if constant is None:
        why = "the constant is not a number on this instance"
        return cannot_arise(card, card.reading, why, **context)
    if float(constant) <= 0:
        below = float(constant) < 0
        verdict = Verdict.REFUTED if below else Verdict.INCONCLUSIVE
        words = f"the constant is {constant}: " + (
            "regret is never negative" if below else "no finite T decides a limit of 0"
        )
        return Finding(card.id, card.reading, verdict, context, words)
    level = run.level(card.id)
    check = mean_at_most(per_log, float(constant), level)
    seen = f"regret per log T is {check.mean:.4g} after {runs.horizon} slots"
    if check.refuted:
        verdict = Verdict.INCONCLUSIVE
        words = f"{seen}, above {check.bound:.4g}; a limit is not decided so early: longer runs"
    elif check.detectable is None:
        verdict, words = Verdict.INCONCLUSIVE, "too few runs to see any discrepancy: more runs"
    else:
        verdict = Verdict.CONSISTENT
        words = f"{seen}, the claimed limit is at most {check.bound:.4g}; no finite T decides it"
    run.budget.record(card.id, verdict, check.detectable)
    return Finding(card.id, card.reading, verdict, {**context, **check.evidence()}, words)


def _first_terms(card: Claim, run: Run) -> Finding:
    """The first term of the corollary is that of the lower bound 4.3, for every instance."""
    upper, lower = card.quantities[0].terms[0].expression, SUBOPTIMAL.expression
    difference = sympy.simplify(upper - lower)
    (above,), (below,) = run.bounds(card.id), run.bounds("thm-4.3")
    evidence = {
        "upper": sympy.sstr(upper),
        "lower": sympy.sstr(lower),
        "difference": sympy.sstr(difference),
        "terms_of_the_upper_bound": dict(above.terms),
        "terms_of_the_lower_bound": dict(below.terms),
    }
    same = difference == 0
    return Finding(
        card.id,
        "the first term is the lower bound's",
        Verdict.HOLDS if same else Verdict.REFUTED,
        evidence,
        "the two expressions are " + ("the same" if same else "different"),
    )
