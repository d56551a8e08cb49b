"""Lemma D.1: a two-sided time-uniform width for the mean of sub-Gaussian variables.

Gaussian walks are tested by importance sampling.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.claims.card import Claim
from boundcheck.evidence.rare import coverage_failure
from boundcheck.judging.comparison import Measured
from boundcheck.judging.measured import Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.shareable_arms.interval.failure import NO_ARM
from boundcheck.theories.shareable_arms.interval.walks import Walk, walks_on_instance, within_width
from simulation.rewards.laws import Gaussian


def rare_crossing(card: Claim, case: Walk, context: RunContext) -> Measured | None:
    """For Gaussian rewards: importance weights of walks that cross."""
    if not isinstance(case.law, Gaussian):
        return None
    rng, sd = context.generator(f"{card.id} rare {case.delta}"), sqrt(case.law.variance)

    def allowed(t: FloatArray) -> FloatArray:
        return np.maximum(case.widths(card, t), 1e-9 * sd)  # a width of 0 is crossed immediately

    values = coverage_failure(allowed, case.last, context.effort.trials // 10, rng, sd=sd)
    return Observed(values, partial=f"crossings after {case.last:,} rewards are not observed")


UNIFORM = within_width(
    "P(at some time the mean of sigma-sub-Gaussian variables deviates by its width) <= delta",
    abs,
    Measurement("importance sampling", rare_crossing, sampled=True),
    cases=walks_on_instance,
    inapplicable_reason=NO_ARM,
)

STATEMENTS = {"lem-D.1": (UNIFORM,)}
