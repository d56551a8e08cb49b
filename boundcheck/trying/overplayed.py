"""A proved bound on how often an index policy plays a worse arm more than m times.

After t plays the policy plays an arm of the largest mean + sqrt(s / n), n its plays so far, where
s = s_t does not decrease with t (UCB), or s = s(n) with s(n) / n decreasing (MOSS, told T). Rewards
are independent with variance proxy v (1/4 in [0, 1]). Let arm k, whose gap is d, be played again
when it has n >= m plays, so after t > m plays. Its index is at least that of a best arm, so for
each 0 <= x < d one of two events occurred:

    A  the index of the best arm was below its mean by x or more. It had j plays, one of 1, ..., t,
       and for each the probability is at most exp(-j (x + sqrt(s / j))^2 / (2 v)) (Chernoff);
    B  the mean of n rewards of arm k was above its expectation by y = d - x - sqrt(s / n) or more,
       with s at its largest: probability at most exp(-n y^2 / (2 v)) where y > 0.

Arm k is played again with n plays at one time only, so its plays beyond m are at most

    E (N_k - m)^+  <=  sum over t > m of P(A at t)  +  sum over n >= m of P(B at n),             (1)

and E regret <= sum over k of d_k (E min(N_k, m_k) + (1)). What is simulated on the right lies in
[0, sum of d_k m_k], a range that does not grow like T: an upper confidence limit takes hundreds of
runs where one with the largest possible regret as its range takes as many as T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf
from typing import Any

import numpy as np

from simulation.policies import Policy, Setup
from simulation.policies.classic import alpha_ucb, moss, ucb, ucb1, ucb_asymptotic
from simulation.running.results import PolicyRuns
from simulation.world.instance import Instance

FEW = 200  # plays beyond m are at most m / FEW
SHARES = (0.0, 0.1, 0.25, 0.5)  # x as a share of the gap; the best of these is used
Floats = np.ndarray[Any, np.dtype[np.float64]]
# s_t with scale 1 after t plays, for all t below a horizon, by the policy's `decide`
LEVELS: dict[Any, Callable[[Floats, int], Floats]] = {
    ucb1.decide: lambda t, horizon: np.log(t),
    ucb.decide: lambda t, horizon: np.full(t.shape, np.log(horizon)),
    alpha_ucb.decide: lambda t, horizon: np.log(t + 1),
    ucb_asymptotic.decide: lambda t, horizon: np.log(1 + (t + 1) * np.log(t + 1) ** 2),
}


def _covers(policy: Policy) -> bool:
    """Whether (1) applies to this policy."""
    return policy.decide in LEVELS or (policy.decide is moss.decide and "horizon" in policy.told)


@dataclass(frozen=True)
class Capped:
    """Regret with at most `plays` plays of each arm counted, and a bound on the regret left out."""

    gaps: Floats
    plays: Floats
    most: float  # the largest capped regret of a run
    left_out: float  # bound on the expected regret left out

    @classmethod
    def of(cls, policy: Policy, instance: Instance, horizon: int) -> Capped:
        """Capped if (1) applies to the policy, otherwise the full regret."""
        best = max(instance.means)
        gaps = np.array([float(best - mean) for mean in instance.means])
        whole = cls(gaps, np.full(gaps.size, float(horizon)), horizon * float(gaps.max()), 0.0)
        if not _covers(policy) or horizon < 3:
            return whole
        caps = {gap: _cap(policy, instance, horizon, gap) for gap in {*gaps} - {0.0}}
        plays, left = np.array([caps.get(gap, (horizon, 0.0)) for gap in gaps]).T
        most = float(gaps @ plays)
        if most > whole.most / 2:  # the gain would be small
            return whole
        return cls(gaps, plays, most, float(gaps @ left) * (1 + 1e-9))

    def lost(self, runs: PolicyRuns) -> Floats:
        """The capped regret of each run."""
        counted = np.minimum(runs.played[:, 0], self.plays)
        return np.minimum(counted @ self.gaps, self.most)  # removes rounding errors


def chances(
    policy: Policy, instance: Instance, horizon: int, gap: float, share: float
) -> tuple[Floats, Floats]:
    """Upper bounds on P(A) and P(B), for t and n = 1, ..., T - 1 and x = share gap; P(B) is 1 where
    y <= 0.
    """
    setup = Setup.of(instance, horizon, policy.told)
    scale = policy.arguments(setup, policy.options(None))[0]
    t, x, twice = np.arange(1.0, horizon), share * gap, 2 * float(instance.reward.proxy_variance)
    if policy.decide is moss.decide:
        largest = scale * np.maximum(np.log(horizon / (instance.arms * t)), 0.0)
        below = np.exp(-t * (x + np.sqrt(largest / t)) ** 2 / twice).sum()
    else:
        spent = scale * LEVELS[policy.decide](t, horizon)
        largest = spent[-1]
        # exp(-j (x + sqrt(s / j))^2 / (2 v)) <= exp(-j x^2 / (2 v)) exp(-s / (2 v)), for all j
        once = exp(-(x**2) / twice)
        ever = once / (1 - once) if once < 1 else inf
        below = np.minimum(t, ever) * np.exp(-spent / twice)
    above = np.maximum(gap - x - np.sqrt(largest / t), 0.0)
    return np.minimum(1.0, np.broadcast_to(below, t.shape)), np.exp(-t * above**2 / twice)


def _plays_beyond(
    policy: Policy, instance: Instance, horizon: int, gap: float, share: float
) -> Floats:
    """The bound (1) for m = 1, ..., T - 1."""
    first, second = chances(policy, instance, horizon, gap, share)
    total: Floats = np.cumsum((first + second)[::-1])[::-1] - first  # A from t = m + 1 on
    return total


def _cap(policy: Policy, instance: Instance, horizon: int, gap: float) -> tuple[float, float]:
    """The smallest m beyond which few plays are expected, and how many; T and 0 if there is
    none.
    """
    found = [(float(horizon), 0.0)]
    m = np.arange(1, horizon)
    for share in SHARES:
        further = _plays_beyond(policy, instance, horizon, gap, share)
        enough = np.flatnonzero(further * FEW <= m)[:1]
        found += [(float(m[place]), float(further[place])) for place in enough]
    return min(found)
