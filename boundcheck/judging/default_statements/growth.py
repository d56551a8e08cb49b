"""Statements about the growth of regret, per log T as T grows.

An asymptotic card claims: regret per log T is at most its number in the limit. No finite T decides
that; runs either agree with it or leave it open. If the policy leaps, runs give the slope of mean
regret over decades up to 10^12 slots (`decades`), otherwise regret per log T at the effort's
horizon. Because policies know T, two slopes are reported with the latter: between two horizons with
separate runs (the one that a limit is about), and within the runs made for the last horizon (by
when the cost of delta has been paid).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import hypot, log
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.claims.symbols import T
from boundcheck.evidence.groups import log_slope
from boundcheck.judging.comparison import Measured, Number, Relation
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.decades import by_decade, final_regret
from boundcheck.judging.default_statements.decades import growth_over_decades as over_decades
from boundcheck.judging.default_statements.regret import (
    bound,
    claimed_number,
    ladder,
    says_nothing,
    simulated,
)
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Growth, Unproved
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory
    from simulation.running.results import PolicyRuns


@dataclass(frozen=True)
class Limit(InstanceCase):
    """An instance as T grows; `seen_until` is the longest simulated horizon, if there is one."""

    seen_until: int | None = None

    def parameters(self) -> dict[str, Any]:
        return {} if self.seen_until is None else {"horizon": self.seen_until}


def limit(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Limit]:
    yield Limit(instance, question, seen_until=context.effort.horizon)


def _growth(card: Claim, case: Limit, context: RunContext) -> Measured | None:
    """Regret per log T, over decades if the policy leaps."""
    if case.seen_until is None or card.policy is None:
        return None
    groups = by_decade(context, case.instance, card.policy)
    if groups is not None:
        return over_decades(groups, policy=card.policy_name)
    return short_growth(card, case, context, case.seen_until)


def short_growth(card: Claim, case: Limit, context: RunContext, until: int) -> Measured | None:
    """Regret per log T at the last horizon, with the earlier horizons and both slopes as evidence;
    None if the policy cannot be run.
    """
    rungs = ladder(card, case.instance, case.question, context)
    every = [simulated(card, rung, context) for rung in rungs if rung.horizon <= until]
    found = [runs for runs in every if runs is not None]
    if not found:
        return None
    last = found[-1]
    seen: dict[str, Any] = {
        "policy": card.policy_name,
        "over": f"after {last.horizon} slots",
        "per_log_T": [
            {"T": runs.horizon, "regret_per_log_T": float(runs.mean[-1]) / log(runs.horizon)}
            for runs in found
        ],
        "within_runs": log_slope(last.checkpoints.astype(np.float64), last.total),
    }
    if len(found) > 1:
        slope, error = slope_between(*found[-2:])
        ends = {"from": found[-2].horizon, "to": last.horizon}
        seen["between_horizons"] = {**ends, "slope": slope, "standard_error": error}
    size = log(last.horizon)
    return Growth(float(last.mean[-1]) / size, float(last.standard_error[-1]) / size, seen)


def slope_between(before: PolicyRuns, last: PolicyRuns) -> tuple[float, float]:
    """Regret per log T between two horizons, and its standard error for independent runs."""
    step = log(last.horizon / before.horizon)
    error = hypot(last.standard_error[-1], before.standard_error[-1])
    return float(last.mean[-1] - before.mean[-1]) / step, error / step


def _known_growth(case: Limit, context: RunContext, kind: Kind) -> dict[str, arb]:
    """By claim: what other cards of a kind state about the growth of regret on this instance."""
    cards = (c for c in context.cards.values() if c.kind is kind and c.quantities)
    about_limits = (c for c in cards if T not in c.quantities[0].symbols)
    return {
        c.id: value
        for c in about_limits
        if (c.policy is None) == (kind is Kind.LOWER_BOUND)
        and c.quantities[0].rows is None
        and not unmet(case, c.assumptions, context.theory.derive)
        and (value := bound(c, case, context.theory).ball) is not None
        and value.is_finite()
    }


def _decides(card: Claim, context: RunContext) -> bool:
    return context.theory.proved(card) and not card.every_law


def by_other_cards(
    card: Claim, case: Limit, context: RunContext, *, kind: Kind, proved: bool
) -> Measured | None:
    """The sharpest bound from other cards of a kind: what a policy attains, or what none can beat.

    A card that is proved, or a declared premise, decides. Two unproved cards that contradict each
    other are reported as a pair; so is a card about fewer policies, those that are consistent for
    every law, as the card's own policy may know the law.
    """
    if not proved and context.theory.proved(card):
        return None  # an unproved card cannot count against a proved one
    known = _known_growth(case, context, kind)
    known.pop(card.id, None)
    chosen = {c: x for c, x in known.items() if _decides(context.cards[c], context) is proved}
    if not chosen:
        return None
    pick = min if kind is Kind.ASYMPTOTIC else max
    other = pick(chosen, key=lambda claim: float(chosen[claim].mid()))
    told: dict[str, Any] = {"premise": other, "attained_by": context.cards[other].policy_name}
    make = Enclosed.at_most if kind is Kind.ASYMPTOTIC else Enclosed.at_least
    found = make(chosen[other], **told)
    return found if proved else Unproved(found, f"{card.id} and {other}")


def _rivals(kind: Kind) -> tuple[Measurement, ...]:
    """The two measurements from other cards; proved cards are asked first."""
    return tuple(
        Measurement(name, partial(by_other_cards, kind=kind, proved=proved))
        for name, proved in (("a proved card", True), ("an unproved card", False))
    )


@dataclass(frozen=True)
class Learner(Limit):
    """An instance as T grows, with the policy that is run on it, and possibly one arm."""

    policy: str = ""

    def parameters(self) -> dict[str, Any]:
        found = {"policy": self.policy}
        return found if self.arm is None else found | {"arm": self.arm}


def slope_over_decades(card: Claim, case: Learner, context: RunContext) -> Measured | None:
    """The slope of the policy's regret, or of the number of plays of the case's arm."""
    k = case.arm
    of = final_regret if k is None else lambda runs: runs.played[:, 0, k - 1]
    groups = by_decade(context, case.instance, case.policy, of)
    return None if groups is None else over_decades(groups)


def upper_growth(
    reading: str,
    *certified: Measurement,
    claimed: Callable[[Claim, Any], Number],
    strategy: Callable[[], SearchStrategy[Any]] | None = None,
    known_cases: Callable[[], Iterable[Any]] = tuple,
    rests_on: tuple[str, ...] = (),
) -> Statement:
    """The statement: the policy's regret per log T is at most the card's number, as T grows."""
    return Statement(
        role=Role.INTENDED,
        text=f"regret per log T, as T grows, <= the constant; {reading}",
        actual=(
            *certified,
            *_rivals(Kind.LOWER_BOUND),
            Measurement("growth seen so far", _growth, sampled=True),
        ),
        claimed=claimed,
        cases=limit,
        strategy=strategy,
        known_cases=known_cases,
        uninformative=says_nothing,
        rests_on=rests_on,
        explanations={
            Verdict.REFUTED: "regret per log T is {actual} in the limit, claimed at most {claimed}",
            Verdict.UNDECIDED: "regret per log T is {actual}, the claimed limit is at most "
            "{claimed}",
        },
    )


def least_growth_statement(reading: str, theory: Theory) -> Statement:
    """The statement: every consistent policy has regret per log T of at least the card's number.

    A smaller regret that is proved for some policy refutes it.
    """
    return Statement(
        role=Role.INTENDED,
        text=f"regret per log T of every consistent policy, as T grows, >= the constant; {reading}",
        actual=_rivals(Kind.ASYMPTOTIC),
        claimed=partial(claimed_number, theory=theory),
        cases=limit,
        strategy=lambda: theory.instances().map(Limit),
        relation=Relation.AT_LEAST,
        uninformative=says_nothing,
        explanations={
            Verdict.REFUTED: "{attained_by} has regret of {actual} per log T, claimed is that none "
            "has less than {claimed}",
            Verdict.UNDECIDED: "claimed {claimed}; {attained_by} has regret of {actual} per log T",
        },
    )
