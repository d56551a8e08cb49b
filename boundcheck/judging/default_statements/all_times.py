"""Statements about the mean of rewards at every n up to T at once.

A card of kind `coverage` with `every_n` claims: with probability 1 - delta the mean of the first n
rewards is within the card's width of mu, for every n up to T at once. For Bernoulli rewards this is
computed: step by step, the probability of having left the width by n, and of each number of
successes without having left it. All numbers are added or multiplied and above 0, so the relative
error is a few roundings per step. For other laws, paths are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.evaluate import FLOATS
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.evidence import paths
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.one_mean import MOST_ARMS, Rewards
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import confidences
from simulation.numbers import decimal
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

SUMMED, DRAWN = 2_000, 1_000  # the largest T that is computed, or simulated
TINY = 1e-300  # larger than the sum of all underflows
_TIE = 1e-9  # a deviation this close to the width may be on either side of it


@dataclass(frozen=True)
class UpTo(Rewards):
    """The rewards of one arm, at every n up to `count`."""

    def parameters(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"arm": self.arm, "mean": decimal(self.mean, 6)}
        return shown | {"every_n_up_to": self.count, "delta": decimal(self.question.delta, 6)}

    @classmethod
    def at(cls, instance: Instance, delta: Fraction, arm: int, count: int) -> Self:
        question = Question(delta=delta, horizon=Fraction(count), digits=20)
        return cls(instance, question, arm=arm, count=count)

    def simpler(self) -> Iterator[Self]:
        for case in super().simpler():
            if case.count is not None and case.count >= 2:
                yield replace(case, question=replace(case.question, horizon=Fraction(case.count)))


def _reach(instance: Instance, arm: int) -> int:
    return SUMMED if isinstance(instance.reward.of_arm(arm), Bernoulli) else DRAWN


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[UpTo]:
    """The best arms, at the delta asked for and at 1/10, which is easier to refute."""
    for arm, delta in product(instance.order[:MOST_ARMS], (question.delta, Fraction(1, 10))):
        yield UpTo.at(instance, delta, arm + 1, _reach(instance, arm))


@st.composite
def _drawn(draw: DrawFn, theory: Theory) -> UpTo:
    """A random arm, with ten or a hundred rewards or as many as can be computed."""
    instance = draw(theory.instances())
    arm = draw(st.integers(1, instance.arms))
    count = draw(st.sampled_from((10, 100, _reach(instance, arm - 1))))
    return UpTo.at(instance, draw(confidences(Fraction(1, 2))), arm, count)


def widths_up_to(card: Claim, case: UpTo, theory: Theory) -> FloatArray:
    """The width at n = 1, ..., count."""
    setting = exact_setting(case.instance, case.question, theory.derive).in_floats()
    counts = np.arange(1.0, (case.count or 0) + 1)[:, None]
    at = setting.given({s.n: counts})
    found = at.evaluator(FLOATS, np.array([case.rank - 1]))(card.formula)
    return np.broadcast_to(found, counts.shape)[:, 0]


def left_by(mean: Fraction, width: FloatArray, side: str) -> tuple[float, float]:
    """Lower and upper bound on P(the mean of Bernoulli rewards leaves the width at some n)."""
    off = 8.0 * (width.size + 1) * float(np.finfo(float).eps)
    least, most = _left(mean, width + _TIE, side), _left(mean, width - _TIE, side)
    return least * (1.0 - off), min(most * (1.0 + off) + TINY, 1.0)


def _left(exact: Fraction, width: FloatArray, side: str) -> float:
    """That probability in floats."""
    within, gone, mean, other = np.ones(1), 0.0, float(exact), float(1 - exact)
    for n in range(1, width.size + 1):
        grown = np.zeros(n + 1)
        grown[1:] = within * mean
        grown[:-1] += within * other
        away = np.arange(n + 1) / n - mean
        out = {"both": np.abs(away), "above": away, "below": -away}[side] > width[n - 1]
        gone += float(grown[out].sum())
        within = np.where(out, 0.0, grown)
    return gone


def _summed(card: Claim, case: UpTo, context: RunContext) -> Measured | None:
    """The probability that the mean of Bernoulli rewards leaves the width, enclosed."""
    if not isinstance(case.law, Bernoulli) or (case.count or 0) > SUMMED:
        return None
    low, high = left_by(case.mean, widths_up_to(card, case, context.theory), card.side)
    return Enclosed(arb(low), arb(high), {"every_n_up_to": case.count})


def _counted(card: Claim, case: UpTo, context: RunContext) -> Measured | None:
    """Simulated paths that leave the width at some n."""
    if not isinstance(case.law, Gaussian) or case.count is None:
        return None
    rng = context.generator(f"{card.id} all n {case.arm} {case.count} {case.question.delta}")
    sign = {"both": np.abs, "above": np.positive, "below": np.negative}[card.side]
    counts, width = np.arange(1, case.count + 1), widths_up_to(card, case, context.theory)
    trials = min(context.effort.trials, 10**8 // case.count)
    hits = sum(
        paths.crossing_paths(case.law, float(case.mean), counts, width, batch, rng, sign)
        for batch in [2_000] * (trials // 2_000)
    )
    return Counted(hits, trials // 2_000 * 2_000, {"every_n_up_to": case.count})


def at_all_times(card: Claim, theory: Theory) -> Statement:
    """The statement: with probability 1 - delta, the mean is within the width at every n up to
    T.
    """
    return Statement(
        role=Role.INTENDED,
        text="P(at some n up to T the mean deviates by more than claimed) <= delta; "
        f"{card.reading}",
        actual=(Measurement("summed", _summed), Measurement("counted", _counted, sampled=True)),
        claimed=lambda card, case: case.question.delta,
        cases=_on_instance,
        strategy=partial(_drawn, theory),
        inapplicable_reason="the claim does not cover this law",
        explanations={
            Verdict.REFUTED: "at some n up to {every_n_up_to} the mean deviates by more with "
            "probability {actual}, above delta = {claimed}",
            Verdict.HOLDS: "true in every case; in the closest one the probability is {actual}, "
            "delta = {claimed}",
        },
    )
