"""The statement common to D.1 and G.4: how often an empirical mean leaves its time-uniform width.

For Bernoulli variables the chance of a crossing by time n is a sum over lattice paths: floats for
many (p, delta) at once, fractions for those that seem to exceed delta. It increases with n, so a
counterexample at time n remains one at later times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self

import numpy as np
from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.widths import enclosed, in_floats
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence import paths
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder
from boundcheck.theories.shareable_arms.interval.failure import confidences_asked, spread_most
from boundcheck.theories.shareable_arms.one_arm import OneArm, confidence_of
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

TIMES = 60  # length of lattice paths

WALK = 500  # length of walks in importance sampling

_BATCH = 1_000  # pairs (p, delta) in one batch

_PER_EXAMPLE = 25

_CLOSEST = 20

Deviation = Callable[[Any], Any]  # abs, or pos for one side
Cases = Callable[[Claim, Instance, Question, RunContext], Iterator["Walk"]]


@dataclass(frozen=True)
class Walk(OneArm):
    """Centred rewards of one arm, up to a last time."""

    last: int = TIMES

    @property
    def _values(self) -> dict[str, Any]:
        known = {"delta": self.delta, "sigma2": self.law.proxy_variance}
        return known | {"T": self.last, "b-a": 1}

    def widths(self, card: Claim, times: FloatArray) -> FloatArray:
        """The card's width at these times, in floats."""
        floats = {name: float(value) for name, value in self._values.items()}
        return in_floats(card.formula, {"t": times, **floats})

    def enclosed_widths(self, card: Claim) -> list[arb]:
        return enclosed(card.formula, {"t": range(1, self.last + 1), **self._values})

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"times": self.last}

    def simpler(self) -> Iterator[Self]:
        if self.inside is None:
            yield from (replace(self, mean=p) for p in rounder(self.mean) if 0 < p < 1)
            yield from (replace(self, delta=d) for d in rounder(self.delta) if 0 < d < 1)


def exact_crossing(
    card: Claim, case: Walk, context: RunContext, *, deviation: Deviation
) -> Measured | None:
    """Bernoulli variables, few times: P(the boundary is reached), without rounding.

    A point that the enclosure of a width does not decide counts as inside.
    """
    if not isinstance(case.law, Bernoulli) or case.last > TIMES:
        return None
    return Exact(chance_of_crossing(case.mean, case.enclosed_widths(card), deviation))


def chance_of_crossing(p: Fraction, widths: Sequence[arb], deviation: Deviation = abs) -> Fraction:
    """P(the mean of Bernoulli(p) variables reaches its width at one of the first times)."""
    inside = {0: Fraction(1)}
    for t, width in enumerate(widths, 1):
        moved: dict[int, Fraction] = {}
        for count, weight in inside.items():
            for step, chance in ((0, 1 - p), (1, p)):
                moved[count + step] = moved.get(count + step, Fraction(0)) + weight * chance
        inside = {
            count: weight
            for count, weight in moved.items()
            if not balls.ball(deviation(Fraction(count, t) - p)) >= width
        }
    return 1 - sum(inside.values(), Fraction(0))


def _crossings(
    card: Claim, case: Walk, context: RunContext, *, deviation: Deviation
) -> Measured | None:
    """Paths on which the boundary is reached at one of the evaluated times."""
    rng, trials = context.generator(f"{card.id} crossings {case.delta}"), context.effort.trials
    counts = paths.look_counts(case.last)
    width = case.widths(card, counts.astype(np.float64))
    hits = paths.crossing_paths(case.law, float(case.mean), counts, width, trials, rng, deviation)
    return Counted(hits, trials, partial=paths.UNSEEN)


def walks_on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Walk]:
    """The arm with the largest variance: few times exactly, more of them simulated."""
    for arm in spread_most(instance):
        for delta in confidences_asked(question):
            if isinstance(arm.law, Bernoulli):
                yield Walk.of(instance, arm, delta)
            last = WALK if isinstance(arm.law, Gaussian) else paths.reach_of_counts(arm.law)[0]
            yield Walk.of(instance, arm, delta, last=last)


def suspects(
    card: Claim, seed: int, examples: int, *, deviation: Deviation
) -> tuple[int, list[Walk]]:
    """Random pairs (p, delta), then pairs around the closest ones so far; returns the closest of
    all.
    """
    rng = np.random.default_rng(seed)
    closest = np.empty((0, 3))  # ratio, p, delta
    batches = max(_PER_EXAMPLE * examples // _BATCH, 1)
    for _ in range(batches):
        p, d = _proposed(rng, closest)
        found = np.column_stack([_crossed(card, p, d, deviation) / d, p, d])
        every = np.concatenate([closest, found])
        closest = every[np.argsort(-every[:, 0])[:_CLOSEST]]
    cases = [
        Walk(Fraction(f"{mean:.4f}"), 1, 1, Bernoulli(), Fraction(f"{delta:.4g}"))
        for _, mean, delta in closest.tolist()
    ]
    return batches * _BATCH, cases


def _proposed(rng: np.random.Generator, closest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Random pairs (delta from 1e-8 to 1), half of them near the closest ones so far."""
    p, d = rng.uniform(0, 1, _BATCH), 10 ** rng.uniform(-8, 0, _BATCH)
    if len(closest):
        around, half = rng.integers(0, len(closest), _BATCH // 2), _BATCH // 2
        p[:half] = closest[around, 1] + rng.normal(0, 0.02, half)
        d[:half] = closest[around, 2] * np.exp(rng.normal(0, 0.1, half))
    return np.clip(p, 1e-4, 1 - 1e-4), np.clip(d, 1e-12, 1 - 1e-4)


def _crossed(
    card: Claim, means: FloatArray, deltas: FloatArray, deviation: Deviation
) -> FloatArray:
    """P(the boundary is reached by TIMES) for many pairs at once, in floats."""
    times = np.arange(1.0, TIMES + 1)
    grid: dict[str, Any] = {"t": np.tile(times, len(deltas)), "delta": np.repeat(deltas, TIMES)}
    grid |= {"sigma2": 0.25, "T": float(TIMES), "b-a": 1.0}
    widths = in_floats(card.formula, grid).reshape(len(deltas), TIMES)
    inside = np.zeros((len(means), TIMES + 1))
    inside[:, 0] = 1.0
    for t in range(1, TIMES + 1):
        up = inside[:, :-1] * means[:, None]
        inside *= 1 - means[:, None]
        inside[:, 1:] += up
        away = deviation(np.arange(TIMES + 1) / t - means[:, None])
        inside[away >= widths[:, t - 1, None]] = 0.0
    return np.asarray(1 - inside.sum(axis=1))


def within_width(
    text: str, deviation: Deviation, *more: Measurement, cases: Cases, inapplicable_reason: str
) -> Statement:
    """The statement P(the mean reaches its width at some time) <= delta; `more` are further
    measurements.
    """
    return Statement(
        role=Role.INTENDED,
        text=text,
        actual=(
            Measurement("lattice paths", partial(exact_crossing, deviation=deviation)),
            *more,
            Measurement("paths", partial(_crossings, deviation=deviation), sampled=True),
        ),
        claimed=confidence_of,
        cases=cases,
        prescreened=partial(suspects, deviation=deviation),
        inapplicable_reason=inapplicable_reason,
        explanations={
            Verdict.REFUTED: "the boundary is reached with probability {actual}, above {claimed}",
            Verdict.UNDECIDED: "the boundary was reached with frequency {actual}, delta is "
            "{claimed}; more time only adds crossings",
        },
    )
