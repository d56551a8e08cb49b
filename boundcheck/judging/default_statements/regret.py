"""Statements about regret up to T, for a card with a policy.

An upper bound claims: the policy's expected regret up to T is at most the card's number. Policies
know T (delta = 2/T), so a bound at T is about runs made for T. It is judged at the horizon asked
for, and at others where a decision is cheap: powers of ten up to the effort's horizon, and the
first power of ten at which it is informative. Runs are drawn until the e-process against the bound,
or the one against its opposite, decides; the number of slots is limited. Long horizons leap where
the policy can (`decades`). A bound of at least T times the largest loss of one slot is no better
than the trivial bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from math import inf, log
from typing import TYPE_CHECKING, Any, Self, SupportsFloat

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.bounds import Bound, bounds_of
from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.evaluate import FLOATS
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.comparison import Measured, Number, Relation, legible
from boundcheck.judging.decide import NOT_FINITE
from boundcheck.judging.default_statements.decades import FURTHEST, runs_by_decade
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Observed
from boundcheck.judging.run_context import Options, RunContext
from boundcheck.judging.statement import Measurement, Statement
from simulation.numbers import decimal
from simulation.parameters import LARGEST_LEAPT
from simulation.policies import refused
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory
    from simulation.policies import Policy
    from simulation.running.results import PolicyRuns

BARE = Question()
SHORTEST = 1_000
FIRST_RUNS, LEAST_RUNS = 16, 8
STEP_COST = 10  # cost of a leap in slots
MANY_ARMS = 10  # a slot with this many arms costs twice as much
SHORT = (100, 1_000, 10_000)  # horizons in searches, where many runs take little time
SAMPLES = (10, 1, 3, 30)  # values of `samples` in searches, for a policy with options
DIGITS = 15


# -- cases -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtHorizon(InstanceCase):
    """An instance, and the horizon that the policy is given."""

    @classmethod
    def at(
        cls,
        instance: Instance,
        horizon: int | Fraction,
        fixed: bool = False,
        question: Question = BARE,
    ) -> Self:
        return cls(instance, replace(question, horizon=Fraction(horizon), digits=DIGITS), fixed)

    @property
    def horizon(self) -> int:
        return int(self.question.horizon)

    def parameters(self) -> dict[str, Any]:
        return {"horizon": decimal(self.question.horizon, 6)}

    def simpler(self) -> Iterator[Self]:
        if not self.fixed:
            shorter = (t for t in SHORT if self.horizon > t)
            yield from (self.at(self.instance, t, question=self.question) for t in shorter)
        yield from super().simpler()


def ladder(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[AtHorizon]:
    """The horizon asked for, and others where a decision is cheap."""
    at = partial(AtHorizon.at, instance, question=question)
    asked = at(question.horizon)
    horizons = {context.effort.horizon, *_powers_of_ten(SHORTEST, context.effort.horizon)}
    since = bound(card, asked, context.theory, since=True).informative_from
    if since is not None and max(horizons) < since <= FURTHEST:
        first = next(t for t in _powers_of_ten(SHORTEST, 10 * FURTHEST) if t >= since)
        if batches(card, at(first), context) is not None:
            horizons.add(first)
    yield from (at(t) for t in sorted(horizons - {question.horizon}))
    yield asked


def _powers_of_ten(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 10


def small(theory: Theory, samples: Iterable[int] = ()) -> SearchStrategy[AtHorizon]:
    """Random instances of the theory with short horizons, and with other values of `samples`."""
    parts = theory.instances(), st.sampled_from(SHORT)
    asked = [replace(BARE, samples=n) for n in samples]
    return st.builds(
        AtHorizon.at, *parts, question=st.sampled_from(asked) if asked else st.just(BARE)
    )


# -- the card's number -------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _first_bound(
    card: Claim, instance: Instance, question: Question, theory: Theory, since: bool
) -> Bound:
    (found, *_) = bounds_of([card], instance, question, theory, since=since)
    return found


def bound(card: Claim, case: InstanceCase, theory: Theory, *, since: bool = False) -> Bound:
    """The card's first number; a free epsilon is chosen to make it smallest."""
    return _first_bound(card, case.instance, case.question, theory, since)


def claimed_number(card: Claim, case: InstanceCase, theory: Theory) -> Number:
    found = bound(card, case, theory).ball
    return arb.nan() if found is None else found


def says_nothing(card: Claim, case: InstanceCase, context: RunContext) -> str | None:
    """Why a bound is no better than the trivial one; None if it is better."""
    found = bound(card, case, context.theory)
    if found.ball is None or not found.ball.is_finite():
        return f"the bound {NOT_FINITE} on this instance"
    if found.informative is not False:
        return None
    claimed = f"the bound {_told(found.value)} is no better than the trivial bound"
    if card.kind is Kind.LOWER_BOUND:
        return claimed
    most = _told(case.question.horizon * case.instance.largest_regret)
    since = bound(card, case, context.theory, since=True).informative_from
    later = "at no T up to 10^300" if since is None else f"from T = {_told(Decimal(str(since)))} on"
    return f"{claimed}, the largest possible regret {most} (it is better {later})"


def _told(value: Fraction | Decimal | None) -> str:
    return "nan" if value is None else str(legible(decimal(Fraction(value), 4)))


def as_float(value: SupportsFloat | None) -> float:
    return float("nan") if value is None else float(value)


def regret_facts(card: Claim, case: AtHorizon, theory: Theory) -> dict[str, Any]:
    """The evidence common to all findings about a regret bound."""
    found = bound(card, case, theory)
    shown: dict[str, Any] = {"policy": card.policy_name, "bound": as_float(found.value)}
    shown["trivial_bound"] = case.horizon * case.instance.largest_regret
    if card.options:
        shown["options"] = options_of(card, case, theory)
    return shown if found.epsilon is None else shown | {"epsilon": found.epsilon}


# -- what is measured --------------------------------------------------------------------------


def options_of(card: Claim, case: InstanceCase, theory: Theory) -> dict[str, float]:
    """The options of the card's policy, evaluated with the same values as its formulas."""
    if not card.options:
        return {}
    values = exact_setting(case.instance, case.question, theory.derive).evaluator(FLOATS)
    return {name: float(values(expression).item()) for name, expression in card.options}


@dataclass(frozen=True)
class Batches:
    """How to draw runs for one horizon: `draw(n)` gives the first n, at most `limit`."""

    draw: Callable[[int], PolicyRuns]
    limit: int


def batches(
    card: Claim, case: AtHorizon, context: RunContext, options: Options = None
) -> Batches | None:
    """The batches for a case; None where the horizon is too long for the effort."""
    if card.policy is None or case.question.horizon > LARGEST_LEAPT:
        return None
    instance, horizon, slots = case.instance, case.horizon, context.effort.slots
    policy, options = card.policy, {**options_of(card, case, context.theory), **(options or {})}
    if refused(context.theory.policy(policy), instance, horizon, options) is not None:
        return None
    slots = slots // max(1, instance.arms // MANY_ARMS)
    if horizon > context.effort.horizon and context.leaps(instance, policy, options, horizon):
        steps = _steps(context, instance, policy, horizon, options)
        if steps is not None:

            def leap(runs: int) -> PolicyRuns:
                return context.simulated(instance, policy, horizon, runs, options, leap=True)

            return Batches(leap, max(LEAST_RUNS, int(slots / (STEP_COST * max(steps, 1)))))
    if LEAST_RUNS * horizon > slots:
        return None

    def step(runs: int) -> PolicyRuns:
        return context.simulated(instance, policy, horizon, runs, options)

    return Batches(step, slots // horizon)


def _steps(
    context: RunContext, instance: Instance, policy: str | Policy, horizon: int, options: Options
) -> float | None:
    """About how many steps a leaping run to this horizon takes; None if that is too many."""
    for runs in runs_by_decade(context, instance, policy, options):
        if 10 * runs.horizon >= horizon or 10 * runs.horizon > FURTHEST:
            further = log(horizon) / log(10 * runs.horizon)  # steps grow like (log T)^2
            return 2.0 * runs.steps * max(1.0, further**2)
    return None


def _shown_runs(limit: int) -> int:
    """Runs for display: a tenth of those that deciding a bound may take."""
    return max(LEAST_RUNS, limit // 10)


def simulated(
    card: Claim, case: AtHorizon, context: RunContext, options: Options = None
) -> PolicyRuns | None:
    """Runs for this horizon, as many as the effort names; None where it is too long."""
    found = batches(card, case, context, options)
    return None if found is None else found.draw(min(context.effort.runs, _shown_runs(found.limit)))


def _regret(
    card: Claim,
    case: AtHorizon,
    context: RunContext,
    options: Options = None,
    *,
    from_below: bool = False,
) -> Measured | None:
    """Simulated regret, which lies between 0 and the largest possible."""
    runs, found = batches(card, case, context, options), bound(card, case, context.theory)
    if runs is None:
        return None
    most = float(case.horizon * case.instance.largest_regret)
    claimed = as_float(found.lower if from_below else found.upper)
    if not 0 < claimed < (most if from_below else inf):
        return None
    more = regret_facts(card, case, context.theory)
    first = runs.draw(min(FIRST_RUNS, runs.limit))
    if first.leap:  # how far in total variation all runs may be from runs slot by slot
        more |= {"leap": True, "tv_error": first.tv_error * runs.limit}

    def values(count: int) -> FloatArray:
        # removes rounding above the largest possible
        return np.minimum(runs.draw(count).total[:, -1], most)

    return Observed(values(first.runs), more, most=most, further=values, limit=runs.limit)


def certain_regret(
    card: Claim, case: AtHorizon, least: arb, theory: Theory, **more: Any
) -> Enclosed:
    """Regret that is certainly at least this."""
    return Enclosed.at_least(least, **regret_facts(card, case, theory), **more)


# -- statements --------------------------------------------------------------------------------

Cases = Callable[[Claim, Instance, Question, RunContext], Iterable[Any]]


def upper_regret(
    reading: str,
    *certified: Measurement,
    role: Role = Role.INTENDED,
    options: Options = None,
    cases: Cases = ladder,
    strategy: Callable[[], SearchStrategy[Any]] | None = None,
    known_cases: Callable[[], Iterable[Any]] = tuple,
    inapplicable_reason: str = "no horizon of it can be simulated",
    theory: Theory,
) -> Statement:
    """The statement: the policy's expected regret is at most the card's number.

    `certified` are measurements that need no runs; `options` are passed to the policy.
    """
    runs = Measurement("simulated runs", partial(_regret, options=options), sampled=True)
    return Statement(
        role=role,
        text=f"E regret up to T <= the bound; {reading}",
        actual=(*certified, runs),
        claimed=partial(claimed_number, theory=theory),
        cases=cases,
        strategy=strategy,
        known_cases=known_cases,
        uninformative=says_nothing,
        inapplicable_reason=inapplicable_reason,
        explanations={
            Verdict.REFUTED: "the regret of {policy} up to T = {horizon} is {actual}, "
            "the bound only {bound}",
            Verdict.SUPPORTED: "the mean regret of {policy} is {mean} in {runs} runs of "
            "{horizon} slots, the bound {bound}",
            Verdict.UNDECIDED: "the mean regret of {policy} up to T = {horizon} is {actual}, the "
            "bound {bound}",
        },
    )


def lower_regret(reading: str, theory: Theory) -> Statement:
    """The statement: the policy's expected regret is at least the card's number."""
    return Statement(
        role=Role.INTENDED,
        text=f"E regret up to T >= the bound; {reading}",
        actual=(Measurement("simulated runs", partial(_regret, from_below=True), sampled=True),),
        claimed=partial(claimed_number, theory=theory),
        cases=ladder,
        strategy=partial(small, theory),
        relation=Relation.AT_LEAST,
        uninformative=says_nothing,
        inapplicable_reason="no horizon of it can be simulated",
        explanations={
            Verdict.REFUTED: "the regret of {policy} up to T = {horizon} is {actual}, "
            "claimed at least {bound}",
            Verdict.SUPPORTED: "the mean regret of {policy} is {mean} in {runs} runs of "
            "{horizon} slots, claimed at least {bound}",
        },
    )
