"""Lemma E.2: slots in which an arm's index lies below its mean.

With f(t) = log t + b log log t (0 where that is negative, b = 4) the index after n observations is
below the mean at slot t iff n kl(muhat_n, mu) > f(t) and muhat_n < mu. Whichever rule decides when
the arm is played, this needs some n < t that does so, which by Garivier and Cappe (2011, theorem
10) has probability at most e ceil(f(t) log t) exp(-f(t)) where f(t) > 1. With u = log H the sum
over t > H is at most e times the integral of (v^2 + b v log v + 1) v^-b over v > u. An index
computed in a slot of individual exploration may serve the next slot as well: twice the sum.

From below: f(2) = 0, so that after one play slot 2 is low iff that reward was below the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import arb
from sympy import Symbol, log

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.evaluate import FLOATS, Evaluator
from boundcheck.calculator.numbers.widths import enclosed, in_floats
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.claims.functions import kl
from boundcheck.evidence.paths import sums
from boundcheck.evidence.tails import arms_of
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.one_arm import Rewarded
from boundcheck.theories.shareable_arms.orch_explore.cards import INDEX
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

CERTIFIED_SLOTS = 2_000  # summed one by one; an integral bounds the others
OBSERVED_SLOTS = 2_000
_BITS = 64


def under_any_rule(card: Claim, case: Rewarded, context: RunContext) -> Measured | None:
    """At least slot 2 of an arm played in slot 1; at most the bound for any rule."""
    most = 2 * low_index_slots(CERTIFIED_SLOTS)
    at_slot_2 = balls.ball(_below_its_mean(case))
    return Enclosed(at_slot_2.lower(), most.upper(), {"summed_to": CERTIFIED_SLOTS})


def _below_its_mean(case: Rewarded) -> Fraction:
    """P(X < mu), or 0 if it has no simple form."""
    if isinstance(case.law, Gaussian):
        return Fraction(1, 2)
    return 1 - case.mean if isinstance(case.law, Bernoulli) and case.mean > 0 else Fraction(0)


@cache
def low_index_slots(horizon: int) -> arb:
    """A ball whose upper end bounds the sum over all t of P(index below mean)."""
    with balls.precision(_BITS):
        times = [Fraction(t) for t in range(3, horizon + 1)]
        total = arb(2)  # f = 0 at the first two slots
        for t, level in zip(times, enclosed(INDEX, {"T": times}), strict=True):
            total += crossing_chance(t, level).min(arb(1)) if level > 1 else 1
        return total + _later(arb(horizon).log())


def crossing_chance(t: Fraction, level: arb) -> arb:
    """e ceil(f log t) exp(-f), the level being f(t)."""
    grid = int(float((level * balls.ball(t).log()).upper())) + 1
    return arb(1).exp() * grid * (-level).exp()


def _later(u: arb) -> arb:
    """e times the integral of (v^2 + b v log v + 1) v^-b over v > u, for b > 3."""
    b = int(INDEX.coeff(log(log(s.T))))
    middle = b * (u.log() / (b - 2) + arb(1) / (b - 2) ** 2) * u ** (2 - b)
    return arb(1).exp() * (u ** (3 - b) / (b - 3) + middle + u ** (1 - b) / (b - 1))


def when_always_played(card: Claim, case: Rewarded, context: RunContext) -> Measured | None:
    """Slots with a low index for an arm that is played in every slot."""
    rng = context.generator(f"{card.id} low indices {case.number}")
    slots = np.arange(2, OBSERVED_SLOTS + 2)
    estimates = sums(case.law, float(case.mean), slots - 1, context.effort.runs, rng) / (slots - 1)
    counted = low_slots(case, slots, estimates)
    return Observed(counted, partial=f"slots after the first {OBSERVED_SLOTS:,} go uncounted")


def low_slots(case: Rewarded, slots: Any, estimates: FloatArray) -> FloatArray:
    """For each run the number of slots t whose index is below the mean after t - 1 observations."""
    p, q = Symbol("p"), Symbol("q")
    values = {p: estimates, q: np.array([[float(case.mean)]])}
    values |= {s.sigma2: np.array([[float(case.law.proxy_variance)]])}
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 log 0
        against = (slots - 1) * Evaluator(FLOATS, values, case.law.name)(kl(p, q))
    level = np.maximum(in_floats(INDEX, {"T": slots.astype(np.float64)}), 0.0)
    low = (estimates < float(case.mean)) & (against > level)
    return np.asarray(low.sum(axis=1), dtype=np.float64)


def every_arm(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Rewarded]:
    for arm in arms_of(instance):
        yield Rewarded.of(instance, arm, question.delta)


INTENDED = Statement(
    role=Role.INTENDED,
    text="the number of slots, of both kinds of rounds, in which an arm's index lies below its "
    "mean, for any rule",
    actual=(
        Measurement("any rule", under_any_rule),
        Measurement("played in every slot", when_always_played, sampled=True),
    ),
    claimed=lambda card, case: case.given_by(card),
    cases=every_arm,
    complete=True,
    explanations={
        Verdict.REFUTED: "{actual} slots have a low index, claimed are at most {claimed}",
        Verdict.HOLDS: "under the worst rule {actual} slots have a low index, claimed are at most "
        "{claimed}",
    },
)
STATEMENTS = {"lem-E.2": (INTENDED,)}
