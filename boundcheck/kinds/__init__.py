"""Statements that a card's kind and policy make by themselves; here those on regret up to T.

An upper bound on regret says: the expected regret of the policy up to T is at most the card's
number. Policies are told T (delta = 2/T), so a bound at T is about runs made for T: each horizon
of the ladder 10^3, 10^4, ... has runs of its own, and fewer runs go ten times as far as the
effort's horizon, leaping if they can. A bound that says nothing up to there is set beside runs that
leap at the first decade at which it says something, if they reach that (`decades`). Regret is
non-negative, so the betting e-process decides "mean regret <= bound" with no range. A bound that is
no less than T times the most one slot can lose says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, Self, SupportsFloat

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator import Bound, bounds_of
from boundcheck.claim import Claim, Kind
from boundcheck.finding import Role, Verdict
from boundcheck.kinds.decades import FURTHEST, leapt
from boundcheck.kinds.whole import Whole
from boundcheck.lab import FURTHER, Lab, Options
from boundcheck.measured import Enclosed, Measured, Number, Observed, Relation, legible
from boundcheck.question import Question
from boundcheck.statement import Measurement, Statement
from boundcheck.symbols import T
from boundcheck.theory import Theory, default
from simulation.instance import Instance
from simulation.numbers import decimal

if TYPE_CHECKING:
    from simulation.results import PolicyRuns

SHORTEST = 1_000
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
            yield from (self.at(self.instance, t) for t in SHORT if self.horizon > t)
        yield from super().simpler()


def ladder(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Upto]:
    """The horizons that get runs of their own: powers of ten, the effort's, ten times that.

    And the first beyond at which a bound that is vacuous there says something, if runs leap so far.
    """
    horizon, last = SHORTEST, lab.effort.horizon
    while horizon < last:
        yield Upto.at(instance, horizon)
        horizon *= 10
    for horizon in (last, FURTHER * last):
        yield Upto.at(instance, horizon)
    last_bound = bound(card, Upto.at(instance, horizon), lab.theory, since=True)
    since = as_float(last_bound.nonvacuous_from)
    if card.policy is not None and horizon < since <= FURTHEST:
        telling = (r.horizon for r in leapt(lab, instance, card.policy) if r.horizon >= since)
        yield from (Upto.at(instance, horizon) for horizon in islice(telling, 1))


def small(theory: Theory | None = None) -> SearchStrategy[Upto]:
    """Instances of the theory, few slots."""
    return st.builds(Upto.at, (theory or default()).instances(), st.sampled_from(SHORT))


# -- the card's number -------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _first_bound(
    card: Claim, instance: Instance, question: Question, theory: Theory, since: bool
) -> Bound:
    (found, *_) = bounds_of([card], instance, question, theory, since=since)
    return found


def bound(card: Claim, case: Whole, theory: Theory | None = None, *, since: bool = False) -> Bound:
    """The card's first number; for an epsilon that is free, at the one that makes it smallest."""
    return _first_bound(card, case.instance, case.question, theory or default(), since)


def number(card: Claim, case: Whole, theory: Theory | None = None) -> Number:
    found = bound(card, case, theory).ball
    return arb.nan() if found is None else found


def says_nothing(card: Claim, case: Whole, lab: Lab) -> str | None:
    """Why a bound is no better than none."""
    found = bound(card, case, lab.theory)
    if found.ball is None or not found.ball.is_finite():
        return "the bound is not a finite number on this instance"
    if not found.vacuous:
        return None
    if card.kind is Kind.LOWER_BOUND:
        return f"it claims at least {_told(found.value)}, which is true anyway"
    since = bound(card, case, lab.theory, since=True).nonvacuous_from
    later = "at no T up to 10^300" if since is None else f"from T = {since} on"
    most = _told(case.question.horizon * case.instance.largest_regret)
    claimed = f"the bound {_told(found.value)}"
    return f"{claimed} is no less than {most}, all there is to lose (it is less {later})"


def _told(value: Fraction | Decimal | None) -> str:
    return "nan" if value is None else str(legible(decimal(Fraction(value), 4)))


def as_float(value: SupportsFloat | None) -> float:
    return float("nan") if value is None else float(value)


def about(card: Claim, case: Upto, theory: Theory | None = None) -> dict[str, Any]:
    """What every finding about a regret bound tells of it."""
    found = bound(card, case, theory)
    shown: dict[str, Any] = {"policy": card.policy_name, "bound": as_float(found.value)}
    shown["trivial_bound"] = case.horizon * case.instance.largest_regret
    return shown if found.epsilon is None else shown | {"epsilon": found.epsilon}


# -- what is measured --------------------------------------------------------------------------


def simulated(card: Claim, case: Upto, lab: Lab, options: Options = None) -> PolicyRuns | None:
    """Runs made for this horizon; None where that is too far."""
    effort, instance, horizon = lab.effort, case.instance, case.horizon
    if card.policy is None:
        return None
    if horizon <= effort.horizon:
        return lab.simulated(instance, card.policy, horizon, effort.runs, options)
    if horizon > FURTHER * effort.horizon:
        decades = leapt(lab, instance, card.policy, options)
        return next((runs for runs in decades if runs.horizon == horizon), None)
    leap = lab.leaps(instance, card.policy, options)
    return lab.simulated(instance, card.policy, horizon, effort.further_runs, options, leap=leap)


def regret(
    card: Claim, case: Upto, lab: Lab, options: Options = None, *, from_below: bool = False
) -> Measured | None:
    """Regret of simulated runs. A bound from below needs to know the most there is to lose."""
    runs, found = simulated(card, case, lab, options), bound(card, case, lab.theory)
    most = case.horizon * float(case.instance.largest_regret) if from_below else inf
    if runs is None or not 0 < as_float(found.lower if from_below else found.upper) < most:
        return None
    more = about(card, case, lab.theory)
    if runs.leap:  # how far the law of all runs may be from slot by slot
        more |= {"leap": True, "tv_error": runs.tv_error * runs.runs}
    return Observed(runs.total[:, -1], more, most=most if from_below else None)


def lost(card: Claim, case: Upto, least: arb, **more: Any) -> Enclosed:
    """Regret that is certainly at least this."""
    return Enclosed.at_least(least, **about(card, case), **more)


# -- statements --------------------------------------------------------------------------------

Cases = Callable[[Claim, Instance, Question, Lab], Iterable[Any]]


def upper_regret(
    how: str,
    *certified: Measurement,
    role: Role = Role.INTENDED,
    options: Options = None,
    cases: Cases = ladder,
    drawn: Callable[[], SearchStrategy[Any]] | None = small,
    hard: Callable[[], Iterable[Any]] = tuple,
    nowhere: str = "no horizon of it can be simulated",
    theory: Theory | None = None,
) -> Statement:
    """The expected regret of the card's policy (run with these options) is at most its number.

    `certified` are ways to know the regret without running anything.
    """
    runs = Measurement("simulated runs", partial(regret, options=options), sampled=True)
    return Statement(
        role,
        f"E regret up to T <= the bound; {how}",
        (*certified, runs),
        partial(number, theory=theory),
        cases,
        (lambda: small(theory)) if drawn is small else drawn,
        hard=hard,
        vacuous=says_nothing,
        nowhere=nowhere,
        seen={
            Verdict.REFUTED: "the regret of {policy} up to T = {horizon} is {actual}, "
            "the bound only {bound}",
            Verdict.CONSISTENT: "the mean regret of {policy} is {mean} in {runs} runs of "
            "{horizon} slots, the bound {bound}",
        },
    )


def lower_regret(how: str, theory: Theory) -> Statement:
    """The expected regret of the card's policy is at least its number."""
    return Statement(
        Role.INTENDED,
        f"E regret up to T >= the bound; {how}",
        (Measurement("simulated runs", partial(regret, from_below=True), sampled=True),),
        partial(number, theory=theory),
        ladder,
        partial(small, theory),
        relation=Relation.AT_LEAST,
        vacuous=says_nothing,
        nowhere="no horizon of it can be simulated",
        seen={
            Verdict.REFUTED: "the regret of {policy} up to T = {horizon} is {actual}, "
            "claimed at least {bound}"
        },
    )


def of_kind(card: Claim, theory: Theory) -> tuple[Statement, ...]:
    """What a card says by its kind alone; nothing if that takes more than the card has."""
    from boundcheck.kinds.growth import least_growth, upper_growth
    from boundcheck.kinds.one_mean import deviation

    if card.kind in (Kind.COVERAGE, Kind.SAMPLE_SIZE):
        sized = card.kind is Kind.SAMPLE_SIZE
        says = card.formula is not None and (card.quantities or not sized)
        return (deviation(card, theory, sized=sized),) if says else ()
    if not card.quantities:
        return ()
    if card.policy is None:
        first = card.quantities[0]
        says = card.kind is Kind.LOWER_BOUND and first.rows is None and T not in first.symbols
        return (least_growth(card.reading, theory),) if says else ()
    if card.kind is Kind.UPPER_BOUND:
        return (upper_regret(card.reading, theory=theory),)
    if card.kind is Kind.LOWER_BOUND:
        return (lower_regret(card.reading, theory),)
    if card.kind is Kind.ASYMPTOTIC:
        return (upper_growth(card.reading, claimed=partial(number, theory=theory)),)
    return ()
