"""A lower bound on the regret of any policy in the first slot, before it observes anything.

Arms that a policy cannot distinguish before its first slot may be relabeled. Averaged over
relabelings a play on any of them earns at most the average of their means, so the first action
earns at most what the best action earns where all of them have it, and some labeling loses at least

    f(a*) - f(best action for averaged means)                                                 (1)

in slot 1. A policy that does not know the capacities cannot distinguish any two arms and earns at
most (N/K) sum_k mu_k; one that knows them cannot distinguish arms of equal capacity. Means below 0
count as 0. A policy that ignores its observations loses (1) in every slot. As a counterexample (1)
needs means far above 1, which the Gaussian model allows.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.regret import SHORT, AtHorizon, certain_regret
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement
from boundcheck.search.strategies import instances
from simulation.rewards.laws import Bernoulli, Gaussian, RewardLaw
from simulation.world.instance import Instance

_ANY = Gaussian(Fraction(1))  # a law that admits every mean
LONG = tuple(10**n for n in (22, 30, 100, 300, 3_000))  # for conditions such as T >= exp(49)


def first_loss(instance: Instance, *, told: bool = False) -> Fraction:
    """The loss (1); `told`: the policy knows the capacities."""
    held = instance.capacities if told else (instance.plays,) * instance.arms
    alike: dict[int, list[Fraction]] = {}
    for mean, capacity in zip(instance.means, held, strict=True):
        alike.setdefault(capacity, []).append(max(mean, Fraction(0)))
    averaged = {m: sum(means, Fraction(0)) / len(means) for m, means in alike.items()}
    unseen = Instance([averaged[m] for m in held], held, instance.plays, _ANY)
    return instance.optimal_reward - unseen.optimal_reward


def first_slot(
    card: Claim, case: AtHorizon, context: RunContext, *, told: bool = False
) -> Measured | None:
    """The regret of slot 1 only."""
    return certain_regret(
        card, case, ball(first_loss(case.instance, told=told)), context.theory, slots=1
    )


def every_slot(card: Claim, case: AtHorizon, context: RunContext) -> Measured | None:
    """The regret of all slots, for a policy that ignores its observations."""
    loss = case.horizon * first_loss(case.instance)
    return certain_regret(
        card, case, ball(loss), context.theory, slots=case.parameters()["horizon"]
    )


FIRST_SLOT = Measurement("first slot", first_slot)
FIRST_SLOT_TOLD = Measurement("first slot, capacities known", partial(first_slot, told=True))


@st.composite
def large_means(draw: DrawFn) -> Instance:
    """Gaussian arms with means that may be far above 1."""
    instance = draw(instances(smallest=2, largest=4, laws=("gaussian",), distinct=True))
    factor = draw(st.sampled_from((1, 100, 10**4)))
    return instance.with_(means=[mean * factor for mean in instance.means])


@st.composite
def ordinary(draw: DrawFn) -> Instance:
    """Means from 0.3 to 1, well separated, capacities up to 3: the bounds are informative and need
    no T beyond 10^2200.
    """
    size = draw(st.integers(2, 4))
    plays = draw(st.integers(1, size - 1))
    tenths = draw(st.lists(st.integers(3, 10), min_size=size, max_size=size, unique=True))
    held = draw(st.lists(st.integers(1, plays), min_size=size, max_size=size))
    laws: list[RewardLaw] = [Bernoulli(), Gaussian(Fraction(1, 4))]
    means = [Fraction(x, 10) for x in tenths]
    return Instance(means, held, plays, draw(st.sampled_from(laws)))


def early_horizons(
    unit: bool = False, long: bool = False
) -> Callable[[], SearchStrategy[AtHorizon]]:
    """Few arms; with `unit`, all capacities are 1; with `long`, also horizons too long to
    simulate.
    """

    def cases() -> SearchStrategy[AtHorizon]:
        few = st.one_of(large_means(), ordinary(), instances(largest=4, distinct=True))
        if unit:
            few = few.map(lambda instance: instance.with_(capacities=[1] * instance.arms))
        return st.builds(AtHorizon.at, few, st.sampled_from(SHORT + LONG if long else SHORT))

    return cases
