"""Exact facts about arms with means and capacities, and N plays in each slot: the best action, its
expected reward, and the regret of other actions.

Notation: mu_k mean, m_k capacity, N plays, a* the optimal action, L the number of arms it uses,
mbar the plays left for the last of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from simulation.errors import InputError, shown


class ArmsAndPlays:
    """Arms in the order that the user gave; `order` sorts them by mean, best first."""

    means: tuple[Fraction, ...]
    capacities: tuple[int, ...]
    plays: int

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return len(self.means)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Arm positions by mean, best first; equal means keep the user's order."""
        return tuple(sorted(range(self.arms), key=lambda k: (-self.means[k], k)))

    @cached_property
    def L(self) -> int:
        """How many arms the optimal action uses."""
        room = 0
        for count, k in enumerate(self.order, 1):
            room += self.capacities[k]
            if room >= self.plays:
                return count
        raise AssertionError("unreachable: every capacity is at least 1 and K > N")

    @cached_property
    def optimal_action(self) -> tuple[int, ...]:
        """Plays on each arm, in the user's order: fill the best arms first."""
        action, left = [0] * self.arms, self.plays
        for k in self.order[: self.L]:
            action[k] = min(left, self.capacities[k])
            left -= action[k]
        return tuple(action)

    @property
    def last_arm(self) -> int:
        """Position of the worst arm in the optimal action, the L-th best."""
        return self.order[self.L - 1]

    @property
    def remaining_plays(self) -> int:
        """mbar: the plays the optimal action has left for its last arm."""
        return self.optimal_action[self.last_arm]

    @property
    def optimal_reward(self) -> Fraction:
        """f(a*), the largest expected reward of one slot."""
        return self.expected_reward(self.optimal_action)

    def expected_reward(self, action: Sequence[int]) -> Fraction:
        """f(a): the sum over arms of min(a_k, m_k) mu_k."""
        if len(action) != self.arms or sum(action) != self.plays or min(action) < 0:
            expected = f"{self.arms} loads of 0 or more that add up to {self.plays}"
            raise InputError("action", "loads", shown(list(action)), expected)
        loads = zip(action, self.capacities, self.means, strict=True)
        return sum((min(a, m) * mu for a, m, mu in loads), Fraction(0))

    def regret(self, action: Sequence[int]) -> Fraction:
        """f(a*) - f(a), the regret of one slot with this action."""
        return self.optimal_reward - self.expected_reward(action)

    @cached_property
    def largest_regret(self) -> Fraction:
        """The largest possible regret of one slot: f(a*) minus the smallest f(a).

        Arms with negative means are filled, the worst first, and surplus plays are wasted on them.
        If there are none, all plays on one arm earn least, since each arm's reward is concave in
        its load.
        """
        negative = [k for k in reversed(self.order) if self.means[k] < 0]
        if not negative:
            served = zip(self.capacities, self.means, strict=True)
            return self.optimal_reward - min(min(self.plays, m) * mu for m, mu in served)
        least, left = Fraction(0), self.plays
        for k in negative:
            least += min(left, self.capacities[k]) * self.means[k]
            left -= min(left, self.capacities[k])
        return self.optimal_reward - least

    def gap(self, better: int, worse: int) -> Fraction:
        """Delta_{i,j} = mu_i - mu_j; arms are numbered from 1 in the user's order."""
        return self.means[better - 1] - self.means[worse - 1]

    @cached_property
    def equal_means(self) -> tuple[tuple[int, ...], ...]:
        """Groups of arms (numbered from 1) that share a mean."""
        groups: dict[Fraction, list[int]] = {}
        for k, mean in enumerate(self.means, 1):
            groups.setdefault(mean, []).append(k)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)
