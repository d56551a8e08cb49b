"""Regret that is known without a run.

An index policy plays every arm once, in their order, before it compares them: up to T <= K its
regret is the sum of the first T gaps, and later it is at least the sum of all gaps. Explore-then-
commit with two Gaussian arms and m plays of each names the worse one with probability
Phi(-gap sqrt(m / (2 sigma^2))).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.regret import (
    SHORT,
    AtHorizon,
    regret_facts,
    upper_regret,
)
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.theories.classic import THEORY
from boundcheck.theories.classic.symbols import instances
from simulation.rewards.laws import Gaussian

INDEX = (
    *("ucb1", "ucb", "ucb-asymptotic", "kl-ucb", "alpha-ucb"),
    *("alpha-ucb-subgaussian", "alpha-ucb-printed"),
)
PLAYS = (1, 3, 10, 30, 100)


def each_arm_once(card: Claim, case: AtHorizon, context: RunContext) -> Measured | None:
    """The first slots of an index policy."""
    means, slots = case.instance.means, case.horizon
    lost = sum((max(means) - mean for mean in means[:slots]), Fraction(0))
    facts = regret_facts(card, case, context.theory)
    if slots <= case.instance.arms:
        return Enclosed.of(ball(lost), **facts)
    return Enclosed.at_least(ball(lost), **facts)


def two_gaussian_arms(card: Claim, case: AtHorizon, context: RunContext) -> Measured | None:
    """The regret of explore-then-commit."""
    instance, m = case.instance, case.question.samples
    if instance.arms != 2 or not isinstance(instance.reward, Gaussian) or 2 * m > case.horizon:
        return None
    gap = max(instance.means) - min(instance.means)
    wrong = (ball(gap) * (ball(Fraction(m) / instance.reward.variance)).sqrt() / 2).erfc() / 2
    lost: arb = ball(gap) * (m + (case.horizon - 2 * m) * wrong)
    return Enclosed.of(lost, **regret_facts(card, case, context.theory))


def _drawn() -> SearchStrategy[AtHorizon]:
    """Two slots, which are exact for every index policy, or more."""
    return st.builds(AtHorizon.at, instances(), st.sampled_from((2, *SHORT)))


def _with_plays() -> SearchStrategy[AtHorizon]:
    """Some plays of each arm."""
    asked = st.sampled_from([Question(samples=m) for m in PLAYS])
    return st.builds(AtHorizon.at, instances(), st.sampled_from(SHORT), question=asked)


_ONCE = Measurement("each arm once", each_arm_once)
_COMMITTED = Measurement("two Gaussian arms", two_gaussian_arms)
_FIRST = "every index policy plays each arm once"
STATEMENTS = {
    **{name: (upper_regret(_FIRST, _ONCE, strategy=_drawn, theory=THEORY),) for name in INDEX},
    "etc": (upper_regret("given m", _COMMITTED, strategy=_with_plays, theory=THEORY),),
}
