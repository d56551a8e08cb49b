"""The likelihood policy from its description: every observation kept, everything computed anew."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from twins.arena import Arena, filled


def bernoulli_log_likelihood(seen: list[tuple[int, float]], c: int, mu: float) -> float:
    value = 0.0
    for load, y in seen:
        if y not in (0.0, min(load, c)):
            return -math.inf
        chance = mu if y else 1 - mu
        value += math.log(chance) if chance > 0 else -math.inf
    return value


def gaussian_log_likelihood(
    seen: list[tuple[int, float]], c: int, mu: float, variance: float
) -> float:
    """Without the normalising constant, which all capacities share."""
    return -math.fsum(
        math.log(min(load, c)) + (y / min(load, c) - mu) ** 2 / (2 * variance) for load, y in seen
    )


def beta_statistics(seen: list[tuple[int, float]], c: int) -> tuple[float, float] | None:
    """The averages of log z and of log(1 - z); none if c is impossible."""
    left = right = 0.0
    for load, y in seen:
        if y > min(load, c):
            return None
        left += math.log(max(y, 1e-300) / min(load, c))
        right += math.log(max(1 - max(y, 1e-300) / min(load, c), 2**-53))
    return left / len(seen), right / len(seen)


class Arm:
    """The observations of an arm, as pairs of load and y, and what they say."""

    def __init__(self, law: str, parameter: float, plays: int) -> None:
        self.law, self.parameter, self.N = law, parameter, plays
        self.seen: list[tuple[int, float]] = []
        self.mean, self.gap, self.capacity = [0.0] * plays, [0.0] * plays, 1

    def see(self, load: int, y: float) -> None:
        self.seen.append((load, y))
        # capacities from the largest load on cannot be told apart
        top = max(load for load, _ in self.seen)
        found = [self.profile(c) for c in range(1, top + 1)]
        found += [found[-1]] * (self.N - top)
        values = [value for _, value in found]
        self.mean = [mean for mean, _ in found]
        self.gap = [max(values) - value for value in values]
        self.capacity = self.gap.index(0.0) + 1

    @property
    def muhat(self) -> float:
        return self.mean[self.capacity - 1]

    def profile(self, c: int) -> tuple[float, float]:
        """The likeliest mean under capacity c, and the log-likelihood it has."""
        n = len(self.seen)
        if self.law == "bernoulli":
            mean = sum(y > 0 for _, y in self.seen) / n
        elif self.law == "gaussian":
            mean = math.fsum(y / min(load, c) for load, y in self.seen) / n
        else:
            statistics = beta_statistics(self.seen, c)
            if statistics is None:
                return 0.5, -math.inf
            mean = self.beta_root(statistics[0] - statistics[1])
        return mean, self.log_likelihood(c, mean)

    def beta_root(self, difference: float) -> float:
        def excess(logit: float) -> float:
            one, other = (self.parameter / (1 + math.exp(sign * logit)) for sign in (-1, 1))
            return float(digamma(one) - digamma(other)) - difference

        return 1 / (1 + math.exp(-brentq(excess, -60, 60, xtol=1e-14, rtol=1e-14)))

    def log_likelihood(self, c: int, mean: float) -> float:
        if self.law == "bernoulli":
            return bernoulli_log_likelihood(self.seen, c, mean)
        if self.law == "gaussian":
            return gaussian_log_likelihood(self.seen, c, mean, self.parameter)
        statistics = beta_statistics(self.seen, c)
        assert statistics is not None
        one, other = self.parameter * mean, self.parameter * (1 - mean)
        each = (one - 1) * statistics[0] + (other - 1) * statistics[1] - gammaln(one)
        jacobian = math.fsum(math.log(min(load, c)) for load, _ in self.seen)
        return float(len(self.seen) * (each - gammaln(other)) - jacobian)

    def distance(self, x: float) -> float:
        """The least cost, over all capacities, of a mean of x or more."""
        if not self.seen:
            return 0.0
        if self.law == "bernoulli":  # in one formula, whose ties with log t are no accident
            p, n = self.muhat, len(self.seen)
            terms = [
                a * math.log(a / b) if b else math.inf for a, b in ((p, x), (1 - p, 1 - x)) if a
            ]
            return n * sum(terms) if p < x else 0.0
        costs = []
        for c in range(1, self.N + 1):
            gap, mean = self.gap[c - 1], self.mean[c - 1]
            if gap < math.inf and mean < x:
                gap += self.log_likelihood(c, mean) - self.log_likelihood(c, x)
            costs.append(gap)
        return min(costs)

    def mixture(self) -> float:
        """log Q of Gaussian observations, by what each of them is expected to be."""
        each = []
        for c in range(1, self.N + 1):
            value, total = 0.0, 0.0
            for past, (load, y) in enumerate(self.seen, 1):
                z, widened = y / min(load, c), 1 + 1 / past
                value -= (z - total / past) ** 2 / (2 * self.parameter * widened)
                value -= math.log(widened) / 2 + math.log(min(load, c))
                total += z
            each.append(value)
        return max(each) + math.log(sum(math.exp(v - max(each)) for v in each) / self.N)

    def excluded(self, x: float, level: float, margin: float, mixture: bool) -> bool:
        """Whether the mean is surely below x."""
        if self.law != "gaussian" or not mixture or not self.seen:
            return self.distance(x) > level
        log_q = self.mixture()
        for c in range(1, self.N + 1):
            held = self.log_likelihood(c, max(self.mean[c - 1], x))
            cost = self.log_likelihood(c, self.mean[c - 1]) - held
            if cost <= level and log_q - held <= level + margin:
                return False
        return True

    def plausible(self, level: float) -> list[int]:
        return [c for c in range(1, self.N + 1) if self.gap[c - 1] <= level]


class Likelihood:
    def __init__(self, arena: Arena, mixture: bool = True) -> None:
        self.arena, self.mixture = arena, mixture
        law, parameter = arena.source.law, arena.source.parameter
        self.arms = [Arm(law, parameter, arena.N) for _ in range(arena.K)]
        self.earlier = {k: i for i, k in enumerate(arena.source.permutation(arena.K))}
        self.learned = [0] * arena.K

    def run(self) -> None:
        while self.arena.t < self.arena.horizon:
            self.slot(self.arena.t + 1)

    def repeats(self, t: int, order: list[int], loads: dict[int, int]) -> int:
        """For how many slots from t on the action is played when nothing is worth a play."""
        return 1

    def margin(self, t: int) -> float:
        return 2 * math.log(math.log(t)) if t > 2 else 0.0

    def slot(self, t: int) -> None:
        arms, source = self.arms, self.arena.source
        order = sorted(range(self.arena.K), key=lambda k: (-arms[k].muhat, self.earlier[k]))
        loads = filled(order, [arm.capacity for arm in arms], self.arena.N)
        action, last = list(loads), list(loads)[-1]
        outside = order[len(action) :]
        unseen = [k for k in outside if not arms[k].seen] if arms[last].seen else []
        level = math.log(t) + self.margin(t)
        kinds = {
            "means": [
                k
                for k in outside
                if not arms[k].excluded(arms[last].muhat, math.log(t), self.margin(t), self.mixture)
            ],
            "capacities": [
                k
                for k in action[:-1]
                if arms[k].seen and arms[k].plausible(level)[-1] > arms[k].capacity
            ],
        }
        kinds = {name: kind for name, kind in kinds.items() if kind}
        phase, receiver = "exploitation", None
        if unseen:
            phase, receiver = "means", unseen[0]
        elif kinds and source.coin():
            names = list(kinds)
            phase = names[0] if len(names) == 1 or source.coin() else names[1]
            receiver = kinds[phase][source.pick(len(kinds[phase]))]
        if receiver is not None:
            self.explore(loads, action, receiver, self.margin(t))
        repeats = self.repeats(t, order, loads) if not kinds and receiver is None else 1
        for _ in range(repeats):
            self.observe(phase, {k: loads[k] for k in order if loads.get(k, 0) > 0})
        if receiver is not None and len(self.span(receiver, level)) == 1:
            self.learned[receiver] = self.learned[receiver] or t

    def span(self, k: int, level: float) -> range:
        plausible = self.arms[k].plausible(level)
        return range(plausible[0], plausible[-1] + 1)

    def explore(
        self, loads: dict[int, int], action: list[int], receiver: int, margin: float
    ) -> None:
        on_trial: list[int] = []

        def move(k: int, wanted: int) -> None:
            after = action[action.index(k) + 1 :] if k in action else action
            for donor in reversed(after):
                given = 0 if donor in on_trial else min(wanted, loads[donor])
                loads[donor] -= given
                loads[k] = loads.get(k, 0) + given
                wanted -= given
            if loads[k] > self.arms[k].capacity:
                on_trial.append(k)

        move(receiver, max(1, self.reach(loads, receiver, margin)))
        for k in action[:-1]:
            if k != receiver and self.arms[k].seen:
                move(k, self.reach(loads, k, margin))

    def reach(self, loads: dict[int, int], k: int, margin: float) -> int:
        capacity = self.arms[k].capacity
        if loads.get(k, 0) < capacity:
            return 0
        largest = max([capacity, *self.arms[k].plausible(margin)])
        return min(largest, 2 * capacity) - capacity

    def observe(self, phase: str, loads: dict[int, int]) -> None:
        self.arena.play(phase, loads, witness=lambda k, y: self.arms[k].see(loads[k], y))
