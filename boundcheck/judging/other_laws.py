"""The same means with other reward laws, and whether regret then looks linear.

A policy may have been given the wrong law; this simulates what happens in that case.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from simulation.numbers import decimal
from simulation.policies import Policy
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, GaussianByArm, RewardLaw
from simulation.rewards.samples import Empirical, Sample
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from simulation.running.results import PolicyRuns

# share of regret in the second half of the slots: 0.5 if linear, log 2 / log T if logarithmic
LINEAR = 0.4
_PARTS = 20  # steps of the grid that replaces a uniform law


def other_laws(instance: Instance) -> dict[str, Instance]:
    """Instances that differ only in the reward law, by the law's name; the own law first.

    >>> [*other_laws(Instance([0.9, 0.5], [1, 1], 1))][:3]
    ['as stated', 'two-point', 'beta 0.5']
    """
    laws = _gaussian_laws(instance) if not instance.reward.bounded else _unit_laws(instance)
    others = {name: law for name, law in laws.items() if law != instance.reward}
    return {"as stated": instance} | {
        name: instance.with_(reward=law)
        for name, law in others.items()
        if all(law.of_arm(k).admits(mean) for k, mean in enumerate(instance.means))
    }


def _unit_laws(instance: Instance) -> dict[str, RewardLaw]:
    betas = (Beta(Fraction(c)) for c in ("0.5", "4", "50"))
    return {
        "bernoulli": Bernoulli(),
        "two-point": Empirical(tuple(map(_two_point, instance.means))),
        **{f"beta {decimal(law.concentration)}": law for law in betas},
        "uniform": Empirical(tuple(map(_uniform, instance.means))),
        "0, the mean or 1": Empirical(tuple(map(_bursts, instance.means))),
    }


def _gaussian_laws(instance: Instance) -> dict[str, RewardLaw]:
    scale = instance.reward.proxy_variance
    by_arm = tuple(scale / (1 if k % 2 else 10) for k in range(instance.arms))
    return {
        "a quarter of the variance": Gaussian(scale / 4),
        "a variance for each arm": GaussianByArm(by_arm),
    }


def _room(mean: Fraction) -> Fraction:
    return min(mean, 1 - mean)


def _two_point(mean: Fraction) -> Sample:
    """Two equally likely values: the mean plus and minus half its distance to the nearer end of [0,
    1].
    """
    half = _room(mean) / 2
    return Sample.of({mean - half: 1, mean + half: 1} if half else {mean: 1})


def _uniform(mean: Fraction) -> Sample:
    """A uniform grid around the mean, as wide as [0, 1] allows."""
    step = 2 * _room(mean) / _PARTS
    return Sample.of({mean + step * (i - _PARTS // 2): 1 for i in range(_PARTS + 1)})


def _bursts(mean: Fraction) -> Sample:
    """The mean with probability 1/2, otherwise 0 or 1."""
    weights = {mean: Fraction(1, 2)}
    for end, weight in ((Fraction(0), (1 - mean) / 2), (Fraction(1), mean / 2)):
        weights[end] = weights.get(end, Fraction(0)) + weight
    return Sample.of(weights)


def as_told(law: RewardLaw) -> str | None:
    """The law in the notation of a policy's option `law`; None if it has none.

    >>> as_told(Beta(Fraction(4))), as_told(Bernoulli())
    ('beta:4', 'bernoulli')
    """
    if not isinstance(law, Bernoulli | Gaussian | Beta):
        return None
    return ":".join((law.name, *map(str, law.fields().values())))


def believing(policy: Policy, law: RewardLaw) -> dict[str, str]:
    """The options that give a policy this law, if it has an option for it."""
    told = as_told(law)
    return {} if told is None or "law" not in policy.defaults else {"law": told}


def late_share(runs: PolicyRuns) -> np.ndarray:
    """For each run, the share of its regret in the second half of the slots; 0 without regret."""
    total = runs.total[:, -1]
    return np.asarray(np.divide(_late(runs), total, out=np.zeros_like(total), where=total > 0))


def looks_linear(runs: PolicyRuns) -> bool:
    """Whether regret in the second half of the slots is a large share of all regret."""
    return bool(_late(runs).mean() > LINEAR * runs.mean[-1] > 0)


def _late(runs: PolicyRuns) -> np.ndarray:
    half = int(np.searchsorted(runs.checkpoints, max(runs.horizon // 2, 1)))
    return np.asarray(runs.total[:, -1] - runs.total[:, half])
