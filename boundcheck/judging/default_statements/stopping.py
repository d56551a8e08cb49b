"""Statements about policies that stop and name an arm: is it the best one, and after how long?

A policy says in its `report` that it has stopped (`simulation.policies`). Runs end at a cap on
slots; those that have not stopped by then are censored, and every finding gives their number. A
censored run may still name a wrong arm later, so it never counts as right, and counts as wrong only
where that cannot refute. The stopping time has no upper limit, so runs can refute an upper bound on
its expectation and support a lower bound, but never the reverse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.comparison import Compared, Measured, Number, Relation
from boundcheck.judging.default_statements.regret import (
    AtHorizon,
    as_float,
    bound,
    claimed_number,
    options_of,
)
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder
from boundcheck.search.strategies import confidences
from simulation.numbers import decimal
from simulation.policies import refused
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

CAP = 10_000  # slots after which a run is censored (or the effort's horizon if shorter)
FIRST_RUNS = 64


@dataclass(frozen=True)
class UntilStopped(AtHorizon):
    """An instance and a confidence; the question's horizon is the cap."""

    def parameters(self) -> dict[str, Any]:
        return {"delta": decimal(self.question.delta, 6), "cap": self.horizon}

    def simpler(self) -> Iterator[Self]:
        for delta in rounder(self.question.delta):
            if 0 < delta < 1:
                yield replace(self, question=replace(self.question, delta=delta))
        for case in super(AtHorizon, self).simpler():
            yield replace(self, instance=case.instance)


class Ended(NamedTuple):
    """For each run: the slot in which it stopped (or the cap), whether it named a wrong arm, and
    whether it was censored.
    """

    slots: FloatArray
    wrong: np.ndarray
    censored: np.ndarray


def serves(card: Claim, case: UntilStopped, context: RunContext) -> bool:
    """Whether the policy can run on the instance of the case."""
    policy, options = (
        context.theory.policy(card.policy or ""),
        options_of(card, case, context.theory),
    )
    return refused(policy, case.instance, case.horizon, options) is None


def ended(card: Claim, case: UntilStopped, context: RunContext, runs: int) -> Ended:
    assert card.policy is not None
    options = options_of(card, case, context.theory)
    found = context.simulated(case.instance, card.policy, case.horizon, runs, options).learned
    stopped, arm = found.max(axis=1), found.argmax(axis=1)
    best = max(case.instance.means)
    worse = np.array([mean < best for mean in case.instance.means])
    slots = np.where(stopped > 0, stopped, case.horizon).astype(np.float64)
    return Ended(slots, (stopped > 0) & worse[arm], stopped == 0)


def most_runs(case: UntilStopped, context: RunContext) -> int:
    return max(1, min(context.effort.slots // case.horizon, context.effort.trials))


@dataclass(frozen=True)
class Errors:
    """Wrong arms among runs. Censored runs count as right in the test that refutes, and as wrong in
    the test that supports.
    """

    wrong: int
    censored: int
    runs: int
    more: dict[str, Any]
    sampled = True

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared:
        seen = f"{self.censored:,} of {self.runs:,} runs did not stop" if self.censored else ""
        least = Counted(self.wrong, self.runs, self.more, seen).compare(relation, claimed, level)
        if least.refutes or not self.censored:
            return least
        most = Counted(self.wrong + self.censored, self.runs, self.more)
        found = most.compare(relation, claimed, level)
        return found if found.supported else least


def errors(card: Claim, case: UntilStopped, context: RunContext) -> Measured | None:
    """How often a wrong arm is named."""
    if not serves(card, case, context):
        return None
    runs = most_runs(case, context)
    found = ended(card, case, context, runs)
    censored = int(found.censored.sum())
    more = {"policy": card.policy_name, "censored": censored}
    return Errors(int(found.wrong.sum()), censored, runs, more)


def late(card: Claim, case: UntilStopped, context: RunContext) -> Measured | None:
    """How often the policy plays more slots than the card claims; None if the cap is below that."""
    most = as_float(bound(card, case, context.theory).upper)
    if not most < case.horizon or not serves(card, case, context):
        return None
    runs = most_runs(case, context)
    found = ended(card, case, context, runs)
    hits = int(np.sum((found.slots > most) | found.censored))
    more = {"policy": card.policy_name, "bound": most, "censored": int(found.censored.sum())}
    return Counted(hits, runs, more)


def _slots(
    card: Claim, case: UntilStopped, context: RunContext, *, from_below: bool
) -> Measured | None:
    """Slots until a run stops. A censored run counts with the cap, which is a lower bound."""
    limit, claimed = most_runs(case, context), as_float(bound(card, case, context.theory).value)
    if (from_below and not 0 < claimed < case.horizon) or not serves(card, case, context):
        return None
    first = ended(card, case, context, min(FIRST_RUNS, limit))
    more = {
        "policy": card.policy_name,
        "bound": claimed,
        "censored": f"{int(first.censored.sum())} of the first {first.slots.size}",
    }
    return Observed(
        first.slots,
        more,
        inflated=from_below,  # censored runs are cut at the cap, so a lower bound is never refuted
        most=float(case.horizon),
        further=lambda runs: ended(card, case, context, runs).slots,
        limit=limit,
        partial="" if from_below else "runs are cut at the cap, so none supports it",
    )


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext, theory: Theory
) -> Iterator[UntilStopped]:
    """The instance at the confidence asked for. The cap is the effort's, or higher if the card's
    number is beyond it.
    """
    cap = min(CAP, context.effort.horizon)
    case = UntilStopped.at(instance, cap, question=question)
    if card.kind is Kind.STOPPING:
        wanted = as_float(bound(card, case, theory).upper)
        if cap <= wanted < context.effort.slots // FIRST_RUNS:
            case = UntilStopped.at(instance, int(wanted) + 1, question=question)
    yield case


@st.composite
def _drawn(draw: DrawFn, theory: Theory) -> UntilStopped:
    """Random instances of the theory, at confidences that few runs can test."""
    delta = draw(confidences(Fraction(1, 2)).filter(lambda x: x > Fraction(1, 100)))
    return UntilStopped.at(draw(theory.instances()), 1_000, question=Question(delta=delta))


_WORDS = {
    Kind.ERROR: "P(the arm that {} names is not the best) <= the number",
    Kind.STOPPING: "P({} plays more slots than the number before it stops) <= delta",
    Kind.EXPECTED_STOPPING: "E slots until {} stops <= the number",
    Kind.LEAST_STOPPING: "E slots until {} stops >= the number",
}


def stopping(card: Claim, theory: Theory) -> Statement:
    """The statement of a card about a policy that stops."""
    below = card.kind is Kind.LEAST_STOPPING
    ways: dict[Kind, Any] = {
        Kind.ERROR: errors,
        Kind.STOPPING: late,
        Kind.EXPECTED_STOPPING: partial(_slots, from_below=False),
        Kind.LEAST_STOPPING: partial(_slots, from_below=True),
    }
    claimed: Any = partial(claimed_number, theory=theory)
    if card.kind is Kind.STOPPING:
        claimed = lambda card, case: case.question.delta  # noqa: E731
    return Statement(
        role=Role.INTENDED,
        text=f"{_WORDS[card.kind].format(card.policy_name)}; {card.reading}",
        actual=(Measurement("simulated runs", ways[card.kind], sampled=True),),
        claimed=claimed,
        cases=partial(_on_instance, theory=theory),
        strategy=partial(_drawn, theory),
        relation=Relation.AT_LEAST if below else Relation.AT_MOST,
        inapplicable_reason="its policy does not stop within the slots of this effort",
        explanations={
            Verdict.REFUTED: "it is {actual} in runs of {policy} up to {cap} slots, claimed "
            "{relation} {claimed}; censored: {censored}",
            Verdict.SUPPORTED: "it is {actual} in runs of {policy} up to {cap} slots, claimed "
            "{relation} {claimed}; censored: {censored}",
        },
    )
