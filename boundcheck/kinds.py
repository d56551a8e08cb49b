"""Statements that a card's kind and policy make by themselves: regret up to T, and its growth.

An upper bound on regret says: the expected regret of the policy up to T is at most the card's
number. Policies are told T (delta = 2/T), so a bound at T is about runs made for T: each horizon
of the ladder 10^3, 10^4, ... has runs of its own, and fewer runs go ten times as far as the
effort's horizon. Regret is non-negative, so the betting e-process decides "mean regret <= bound"
with no range. A bound that is no less than T times the most one slot can lose says nothing.

An asymptotic card says: regret per log T is at most its number in the limit. No finite T decides
that: what is seen agrees with it or leaves it open. Policies are told T, so there are two slopes:
that of mean regret between two horizons with runs of their own (what a limit is about), and that
within the runs made for the last horizon (where what delta costs has been paid for good).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import hypot, log
from typing import TYPE_CHECKING, Any, Self, SupportsFloat

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator import Bound, bounds
from boundcheck.claim import Claim, Kind
from boundcheck.evidence.slope import log_slope
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Growth, Measured, Number, Observed
from boundcheck.question import Question
from boundcheck.statement import Measurement, Statement
from boundcheck.strategies import instances
from boundcheck.whole import Whole
from simulation.instance import Instance
from simulation.numbers import decimal

if TYPE_CHECKING:
    from simulation.results import PolicyRuns

SHORTEST = 1_000
FURTHER, FURTHER_RUNS = 10, 20
SHORT = (100, 1_000, 10_000)  # horizons of drawn cases: many runs of them take little time
DIGITS = 15


# -- cases -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Upto(Whole):
    """An instance, and the horizon that a policy is told."""

    @classmethod
    def at(cls, instance: Instance, horizon: int, fixed: bool = False) -> Self:
        return cls(instance, Question(horizon=Fraction(horizon), digits=DIGITS), fixed)

    @property
    def horizon(self) -> int:
        return int(self.question.horizon)

    def told(self) -> dict[str, Any]:
        return {"horizon": decimal(self.question.horizon, 6)}

    def simpler(self) -> Iterator[Self]:
        if not self.fixed:
            yield from (self.at(self.instance, T) for T in SHORT if self.horizon > T)
        yield from super().simpler()


@dataclass(frozen=True)
class Limit(Whole):
    """An instance as T grows; what is seen of that ends at a horizon, if anything is."""

    seen_until: int | None = None

    def told(self) -> dict[str, Any]:
        return {} if self.seen_until is None else {"horizon": self.seen_until}


def ladder(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Upto]:
    """The horizons that get runs of their own: powers of ten, the effort's, ten times that."""
    horizon, last = SHORTEST, lab.effort.horizon
    while horizon < last:
        yield Upto.at(instance, horizon)
        horizon *= 10
    for horizon in (last, FURTHER * last):
        yield Upto.at(instance, horizon)


def limit(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Limit]:
    yield Limit(instance, seen_until=lab.effort.horizon)


def small() -> SearchStrategy[Upto]:
    """Few arms of any law, few slots."""
    return st.builds(Upto.at, instances(largest=4, distinct=True), st.sampled_from(SHORT))


# -- the card's number -------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _first_bound(card: Claim, instance: Instance, question: Question) -> Bound:
    (found, *_) = bounds(instance, question, [card])
    return found


def bound(card: Claim, case: Whole) -> Bound:
    """The card's first number; for an epsilon that is free, at the one that makes it smallest."""
    return _first_bound(card, case.instance, case.question)


def number(card: Claim, case: Whole) -> Number:
    found = bound(card, case).ball
    return arb.nan() if found is None else found


def says_nothing(card: Claim, case: Whole, lab: Lab) -> str | None:
    """Why a bound is no better than none."""
    found = bound(card, case)
    if found.ball is None or not found.ball.is_finite():
        return "the bound is not a finite number on this instance"
    if not found.vacuous:
        return None
    since = found.nonvacuous_from
    later = "at no T up to 10^300" if since is None else f"from T = {since} on"
    most = decimal(case.question.horizon * case.instance.largest_regret, 4)
    claimed = f"the bound {as_float(found.value):.4g}"
    return f"{claimed} is no less than {most}, all there is to lose (it is less {later})"


def as_float(value: SupportsFloat | None) -> float:
    return float("nan") if value is None else float(value)


def about(card: Claim, case: Upto) -> dict[str, Any]:
    """What every finding about a regret bound tells of it."""
    found = bound(card, case)
    shown: dict[str, Any] = {"policy": card.policy, "bound": as_float(found.value)}
    shown["trivial_bound"] = case.horizon * case.instance.largest_regret
    return shown if found.epsilon is None else shown | {"epsilon": found.epsilon}


# -- what is measured --------------------------------------------------------------------------


def simulated(
    card: Claim, case: Upto, lab: Lab, options: Mapping[str, object] | None = None
) -> PolicyRuns | None:
    """Runs made for this horizon; None where that is too far."""
    effort = lab.effort
    if card.policy is None or case.horizon > FURTHER * effort.horizon:
        return None
    runs = effort.runs
    if case.horizon > effort.horizon:
        runs = max(runs // FURTHER, min(runs, FURTHER_RUNS))
    return lab.simulated(case.instance, card.policy, int(case.horizon), runs, options)


def regret(
    card: Claim, case: Upto, lab: Lab, options: Mapping[str, object] | None = None
) -> Measured | None:
    """Regret of simulated runs."""
    runs = simulated(card, case, lab, options)
    if runs is None or not 0 < as_float(bound(card, case).upper) < np.inf:
        return None
    return Observed(runs.total[:, -1], about(card, case))


def lost(card: Claim, case: Upto, least: arb, **more: Any) -> Enclosed:
    """Regret that is certainly at least this."""
    return Enclosed.at_least(least, **about(card, case), **more)


def growth(card: Claim, case: Limit, lab: Lab) -> Measured | None:
    """Regret per log T at the last horizon; how it came there, and both slopes, beside it."""
    if case.seen_until is None:
        return None
    rungs = ladder(card, case.instance, case.question, lab)
    every = [simulated(card, rung, lab) for rung in rungs if rung.horizon <= case.seen_until]
    found = [runs for runs in every if runs is not None]
    last = found[-1]
    seen: dict[str, Any] = {
        "policy": card.policy,
        "per_log_T": [
            {"T": runs.horizon, "regret_per_log_T": float(runs.mean[-1]) / log(runs.horizon)}
            for runs in found
        ],
        "within_runs": log_slope(last.checkpoints.astype(np.float64), last.total).evidence(),
    }
    if len(found) > 1:
        slope, error = slope_between(*found[-2:])
        ends = {"from": found[-2].horizon, "to": last.horizon}
        seen["between_horizons"] = {**ends, "slope": slope, "standard_error": error}
    size = log(last.horizon)
    return Growth(float(last.mean[-1]) / size, float(last.standard_error[-1]) / size, seen)


def slope_between(before: PolicyRuns, last: PolicyRuns) -> tuple[float, float]:
    """Regret per log T between two horizons, and its standard error as for independent runs."""
    step = log(last.horizon / before.horizon)
    error = hypot(last.standard_error[-1], before.standard_error[-1])
    return float(last.mean[-1] - before.mean[-1]) / step, error / step


# -- statements --------------------------------------------------------------------------------

Cases = Callable[[Claim, Instance, Question, Lab], Iterable[Any]]


def upper_regret(
    how: str,
    *certified: Measurement,
    role: Role = Role.INTENDED,
    options: Mapping[str, object] | None = None,
    cases: Cases = ladder,
    drawn: Callable[[], SearchStrategy[Any]] | None = small,
    hard: Callable[[], Iterable[Any]] = tuple,
    nowhere: str = "no horizon of it can be simulated",
) -> Statement:
    """The expected regret of the card's policy (run with these options) is at most its number.

    `certified` are ways to know the regret without running anything.
    """
    runs = Measurement("simulated runs", partial(regret, options=options), sampled=True)
    return Statement(
        role,
        f"E regret up to T <= the bound; {how}",
        (*certified, runs),
        number,
        cases,
        drawn,
        hard=hard,
        vacuous=says_nothing,
        nowhere=nowhere,
        seen={
            Verdict.REFUTED: "the regret of {policy} up to T = {horizon} is {actual}, "
            "the bound {bound:.6g}",
            Verdict.CONSISTENT: "mean regret {mean:.4g} of {policy} in {runs} runs of {horizon} "
            "slots, bound {bound:.4g}",
        },
    )


def upper_growth(
    how: str,
    *certified: Measurement,
    claimed: Callable[[Claim, Any], Number] = number,
    drawn: Callable[[], SearchStrategy[Any]] | None = None,
    hard: Callable[[], Iterable[Any]] = tuple,
    rests_on: tuple[str, ...] = (),
) -> Statement:
    """The regret of the card's policy per log T is at most its number, as T grows."""
    return Statement(
        Role.INTENDED,
        f"regret per log T, as T grows, <= the constant; {how}",
        (*certified, Measurement("growth seen so far", growth)),
        claimed,
        limit,
        drawn,
        hard=hard,
        vacuous=says_nothing,
        rests_on=rests_on,
        seen={
            Verdict.REFUTED: "regret per log T is {actual} in the limit, claimed at most {claimed}",
            Verdict.CONSISTENT: "regret per log T is {actual} after {horizon} slots, the claimed "
            "limit is at most {claimed}; no finite T decides it",
            Verdict.INCONCLUSIVE: "regret per log T is {actual}, claimed is a limit of at most "
            "{claimed}: a limit is not decided so early, longer runs",
        },
    )


def of_kind(card: Claim) -> tuple[Statement, ...]:
    """What a card says by its kind alone: of the regret of its policy, or of its growth."""
    if card.policy is None or not card.quantities:
        return ()
    if card.kind is Kind.UPPER_BOUND:
        return (upper_regret(card.reading),)
    return (upper_growth(card.reading),) if card.kind is Kind.ASYMPTOTIC else ()
