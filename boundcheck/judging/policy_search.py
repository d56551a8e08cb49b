"""Search for a reward law under which a policy does not learn.

A policy with logarithmic regret has a share of about log 2 / log T of its regret in the second half
of the slots. The search looks for arms and a law such that this share is a quarter or more,
although it is not when rewards have the same means and the law that the policy is given (Bernoulli
if it is given none). A reported case was confirmed by fresh runs at a stated level and simplified
as far as the effect persists. The evidence ends at a horizon: no run proves what comes later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.evidence.betting import lower_limit
from boundcheck.judging.falsification import Falsification, RowKind, published_and_actual
from boundcheck.judging.other_laws import as_told, late_share, other_laws
from boundcheck.search.hunt import SearchLimit, hunt, simplest
from boundcheck.search.simplify import simpler_instances
from boundcheck.search.strategies import one_capacity
from simulation.policies import Policy, refused
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from simulation.running.results import PolicyRuns

SHARE = Fraction(1, 4)  # share of regret in the second half; it is 1/2 if regret is linear
LEVEL = 1e-6
FIRST, AGAIN = (2_000, 8), (20_000, 30)  # horizon and runs to find candidates, and to confirm them
BELIEFS: tuple[RewardLaw, ...] = (  # laws that a policy may be given, simplest first
    Gaussian(Fraction(1, 4)),
    Beta(Fraction(4)),
    Gaussian(Fraction(1, 100)),
    Beta(Fraction(1, 2)),
    Bernoulli(),
)
LAWS = ("two-point", "bernoulli", "0, the mean or 1", "beta 4", "beta 0.5", "beta 50", "uniform")


@dataclass(frozen=True)
class Misled:
    """Arms, the name of their reward law, and the law that the policy is given (None: none)."""

    arms: Instance  # with Bernoulli rewards
    law: str
    told: RewardLaw | None

    @property
    def world(self) -> Instance | None:
        """The arms with that law; None if the law does not admit their means."""
        return self.arms if self.law == "bernoulli" else other_laws(self.arms).get(self.law)

    @property
    def believed(self) -> Instance:
        return self.arms if self.told is None else self.arms.with_(reward=self.told)

    def simpler(self) -> Iterator[Misled]:
        for arms in simpler_instances(self.arms):
            yield replace(self, arms=arms)
        for law in LAWS[: LAWS.index(self.law)]:
            yield replace(self, law=law)
        for told in BELIEFS[: BELIEFS.index(self.told)] if self.told in BELIEFS else ():
            yield replace(self, told=told)


@dataclass(frozen=True)
class OtherLawTrial:
    """Runs of a policy on arms with the law it was given, and with another one."""

    policy: Policy
    seed: int
    # cases in which it learns under the law given
    telling: list[Misled] = field(default_factory=list)

    def shares(self, case: Misled, horizon: int, runs: int) -> np.ndarray | None:
        """The late share of regret of each run; None if the runs are impossible, or if the policy
        does not learn even with the law that it was given.
        """
        found = self.seen(case, horizon, runs)
        if found is None:
            return None
        world, believed = map(late_share, found)
        if believed.mean() > float(SHARE) / 2:
            return None
        self.telling.append(case)
        return world

    def seen(self, case: Misled, horizon: int, runs: int) -> tuple[PolicyRuns, PolicyRuns] | None:
        """Runs with the actual law and with the given one; None if either is impossible."""
        from simulation.running.replicate import replicate

        places = [x for x in (case.world, case.believed) if x is not None and x.largest_regret]
        told = {} if case.told is None else {"law": as_told(case.told) or ""}
        if len(places) < 2 or any(refused(self.policy, x, horizon, told) for x in places):
            return None
        how: dict[str, Any] = {"jobs": 1, "options": told, "checkpoints": (horizon // 2,)}
        first, second = (
            replicate(x, self.policy, horizon, runs, self.seed, **how)[self.policy.name]
            for x in places
        )
        return first, second

    def score(self, case: Misled) -> float:
        found = self.shares(case, *FIRST)
        return -1.0 if found is None else float(found.mean()) - float(SHARE)

    def sure(self, case: Misled) -> bool:
        found = replace(self, seed=self.seed + 1).shares(case, *AGAIN)
        return found is not None and lower_limit(found, LEVEL) > float(SHARE)

    def fails(self, case: Misled) -> bool:
        return self.score(case) > 0 and self.sure(case)


@st.composite
def _cases(draw: DrawFn, told: bool) -> Misled:
    """Two to four arms with means that are multiples of 1/10."""
    count = draw(st.integers(2, 4))
    plays = draw(st.integers(1, count - 1))
    tenths = st.integers(1, 9).map(lambda n: Fraction(n, 10))
    means = draw(st.lists(tenths, min_size=count, max_size=count, unique=True))
    held = draw(st.lists(one_capacity(plays), min_size=count, max_size=count))
    belief = draw(st.sampled_from(BELIEFS)) if told else None
    return Misled(Instance(means, held, plays), draw(st.sampled_from(LAWS)), belief)


def policy_row(policy: Policy, limit: SearchLimit) -> Falsification:
    """The result of the search for one policy."""
    trial = OtherLawTrial(policy, limit.seed)
    found = hunt(_cases("law" in policy.defaults), trial.score, trial.sure, limit)
    example, examples = found
    reading = (
        "regret is logarithmic whatever the law of rewards in [0, 1] with these means: of that of "
        f"{AGAIN[0]:,} slots less than {SHARE} falls into the second half"
    )
    if example is None:
        words = (
            f"no law was found under which it looks linear: in {len(set(trial.telling))} of the "
            f"examples it had learnt within {FIRST[0]:,} slots with rewards as told, and with the "
            "others too"
        )
        return Falsification(f"policy {policy.name}", reading, RowKind.NOTHING, examples, words)
    case = simplest(example, Misled.simpler, trial.fails, limit)
    seen = replace(trial, seed=trial.seed + 1).seen(case, *AGAIN)
    assert seen is not None
    wrong, right = seen
    share = late_share(wrong)
    belief = "no law" if case.told is None else as_told(case.told)
    words = (
        f"rewards {case.law}, the policy told {belief}: {share.mean():.2f} of a regret of "
        f"{wrong.mean[-1]:.4g} falls into the second half, more than {SHARE} in the mean at level "
        f"{LEVEL:g}; with rewards as told it loses {right.mean[-1]:.4g} in all"
    )
    least = Fraction(f"{lower_limit(share, LEVEL):.6f}")
    return Falsification(
        f"policy {policy.name}",
        reading,
        RowKind.COUNTEREXAMPLE,
        examples,
        words,
        instance=case.world,
        parameters={"told": belief, "horizon": AGAIN[0], "runs": AGAIN[1], "level": LEVEL},
        **published_and_actual(SHARE, least),
    )
