"""What the proof of `sharp-7.1` says of single slots, asserted slot by slot on random paths.

The policy is the second implementation of tests/twins. Widths are narrowed so that capacities are
learnt on short paths; a path counts as long as the bounds hold the capacities, as on the good event
of the proof. Names are those of docs/theorems/orch-explore.md, P1 to P3, Q1 to Q3 and F.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest
from twins.orch_explore import Learner, Settings
from twins.sources import Drawn

from simulation.rewards.laws import Bernoulli, Beta
from simulation.world.draws import stream
from simulation.world.instance import Instance

PATHS, SLOTS = 220, 220


@dataclass
class View:
    """What is known before a slot: ranking, bounds, estimates and how many plays they are of."""

    order: list[int]
    lower: list[int]
    upper: list[int]
    muhat: list[float]
    unknown: list[int]
    counts: list[int]

    @classmethod
    def of(cls, learner: Learner) -> View:
        order = sorted(range(learner.K), key=lambda k: (-learner.muhat(k), learner.earlier[k]))
        unknown = [k for k in order if k in learner.Y]
        muhat = [learner.muhat(k) for k in range(learner.K)]
        counts = [len(x) for x in learner.individual]
        return cls(order, [*learner.lower], [*learner.upper], muhat, unknown, counts)


class Path:
    """One path, and what was seen on it. Arms are numbered from 0 by mean: `last` is arm L."""

    def __init__(self, instance: Instance, learner: Learner, seen: Counter[str]) -> None:
        self.instance, self.learner, self.seen = instance, learner, seen
        self.mu, self.held, self.N = instance.means, instance.capacities, instance.plays
        self.last = next(k for k in range(instance.arms) if sum(self.held[: k + 1]) >= self.N)
        self.left = self.N - sum(self.held[: self.last])
        self.learning: Counter[int] = Counter()
        self.fresh: Counter[int] = Counter()
        self.switches = 0

    def kappa(self, lower: dict[int, int]) -> Fraction:
        """What these arms with these l lose at most: the plays they lack are on the worst arms."""
        mu, last = self.mu, self.last
        lacking = {k: (self.held[k] if k < last else self.left) - low for k, low in lower.items()}
        plays = sum(lacking.values())
        cost = sum(x * (mu[k] - mu[last]) for k, x in lacking.items())
        for j in range(len(mu) - 1, last, -1):
            here = min(plays, self.held[j])
            cost, plays = cost + here * (mu[last] - mu[j]), plays - here
        return Fraction(cost)

    def kap(self, k: int) -> Fraction:
        most = self.held[k] if k < self.last else self.left
        return (most - 1) * (self.mu[k] - self.mu[-1])

    def individual(self, view: View) -> tuple[dict[int, int], list[int], list[int]]:
        """Loads before a draw, missing and short arms; P1 to P3."""
        last, held, mu = self.last, self.held, self.mu
        loads, room = {}, self.N
        for k in view.order:
            if room:
                loads[k] = min(view.lower[k], room)
                room -= loads[k]
        front = [*loads][:-1]
        missing = [k for k in range(last) if k not in front]
        if last not in front and any(k > last for k in loads):
            missing.append(last)
        most = [*held[:last], self.left]
        short = [k for k in range(last + 1) if k in front and view.lower[k] < most[k]]
        action = [loads.get(k, 0) for k in range(len(held))]
        # P1
        drop = sum((held[k] - action[k]) * (mu[k] - mu[last]) for k in range(last))
        drop += sum(action[k] * (mu[last] - mu[k]) for k in range(last, len(held)))
        assert drop == self.instance.regret(action)
        # P2
        place = {k: i for i, k in enumerate(view.order)}
        for i in missing:
            assert any(r >= last and r != i and place[r] < place[i] for r in loads)
            assert all(place[r] < place[i] for r in loads if r != i)
        # P3: missing arms get m plays, the others keep l
        wanted = [held[k] if k in missing else view.lower[k] for k in range(last + 1)]
        moved = [*wanted[:-1], min(wanted[-1], self.N - sum(wanted[:-1]))] + [0] * (
            len(held) - last - 1
        )
        room = self.N - sum(moved)
        assert room >= 0
        for k in loads:
            if k > last:
                moved[k] = min(loads[k], room)
                room -= moved[k]
        assert room == 0
        lost = self.instance.regret(moved)
        assert (lost > 0) == bool(short)
        kappa = self.kappa({k: view.lower[k] for k in short})
        assert lost <= kappa <= sum(self.kap(k) for k in short)
        for k, (one, other) in enumerate(zip(action, moved, strict=True)):
            if other > one:
                assert k in missing
                assert other == held[k] or k == last
                assert other - one <= (held[k] if k < last else min(held[last], self.N - last))
            elif other < one:
                assert k in loads
                assert k >= last
                assert one - other <= (held[k] if k > last else held[last] - self.left)
                self.seen["a sink"] += 1
                self.seen["L as a sink"] += k == last
        # P5: no arm is short, but the last one is worse than L
        if not short and [*loads][-1] > last:
            assert any(i not in loads for i in missing)
            self.seen["a worse arm last"] += 1
        self.seen["missing"] += bool(missing)
        self.seen["short"] += bool(short)
        return loads, missing, short

    def waiting(self, t: int, view: View, loads: dict[int, int], missing: list[int]) -> None:
        """P4: an arm outside is worth exploring, unless its index is low; how many wait."""
        final = view.muhat[[*loads][-1]]
        outside = [k for k in range(len(self.held)) if k not in loads]
        explored = [k for k in outside if self.learner.index_reaches(k, final, t)]
        for i in missing:
            if i in loads:
                continue
            others = sorted((m for k, m in enumerate(self.held) if k != i), reverse=True)
            few = next(n for n in range(1, 99) if sum(others[:n]) >= self.N)
            assert len(explored) <= len(self.held) - few
            if final < self.mu[i] and i not in explored:
                tau = len(self.learner.individual[i])
                spent = tau * self.learner.kl(view.muhat[i], float(self.mu[i]))
                assert spent > math.log(t) + 4 * math.log(math.log(t)) if t > 2 else spent > 0
                self.seen["index low"] += 1
            self.seen["waiting"] += 1
            if not any(k > self.last for k in loads):
                assert self.held[i] <= self.held[self.last] - self.left
                self.seen["no room"] += 1

    def settled(self, lower: list[int]) -> bool:
        """C."""
        full = all(lower[k] == self.held[k] for k in range(self.last))
        return full and lower[self.last] >= self.left

    def odd(self, view: View, loads: dict[int, int], missing: list[int], short: list[int]) -> None:
        """Q2 and Q3, for the odd slot that was just played."""
        after, last = View.of(self.learner), self.last
        done = [k for k in range(last) if after.lower[k] == after.upper[k] == self.held[k]]
        done += [last] * (after.lower[last] >= self.left)
        fresh = [k for k in short if k in done]
        self.fresh.update(fresh)
        self.switches += self.settled(after.lower) and not self.settled(view.lower)
        assert max(self.fresh.values(), default=0) <= 1
        assert self.switches <= 1
        cost, paid = self.kappa({k: view.lower[k] for k in short}), sum(map(self.kap, fresh))
        if not after.unknown:
            assert set(short) == set(fresh)
            assert cost <= paid
            return
        assert all(after.counts[k] == view.counts[k] + 1 for k in after.unknown)
        first, *others = after.unknown
        learns = first < last or (first == last and after.lower[last] < self.left)
        for k in set(short) - set(fresh):
            overtaken = k in others and self.mu[k] > self.mu[first]
            assert overtaken or (learns and (k == first or self.mu[k] <= self.mu[first]))
            self.seen["overtaken"] += overtaken
            paid += overtaken * self.kap(k)
        if learns:
            self.learning[first] += 1
            beside = [k for k in range(first + 1, last + 1) if self.mu[k] <= self.mu[first]]
            beside += [k for k in range(first) if self.mu[k] == self.mu[first]]
            paid += self.kappa(dict.fromkeys(beside, 1) | {first: view.lower[first]})
            self.seen["paid by a capacity"] += cost > 0
        assert cost <= paid
        behind = any(k < last for k in missing)
        if not learns:
            l_behind = last in missing or last in others
            reasons = {
                "a filled arm missing": behind,
                "a filled arm overtaken": any(k < last for k in others),
                "switch": self.settled(after.lower) and not self.settled(view.lower),
                "L behind": self.left > 1 and first > last and l_behind,
            }
            assert any(reasons.values())
            self.seen[next(name for name, so in reasons.items() if so)] += 1
        ranked = set(after.order[:last]) == set(range(last))
        if first < last and not behind and ranked and self.left == 1 and last >= 2:
            known = view.lower[first] == self.held[first] and not [k for k in fresh if k < last]
            if known or any(k < last for k in others):
                queue = after.unknown + [k for k in after.order if k not in after.unknown]
                assert queue[1] < last
                self.seen["second arm"] += 1

    def walk(self, horizon: int) -> int:
        """How many slots were looked at, until a bound excludes a capacity."""
        learner, before = self.learner, None
        while (t := len(learner.slots) + 1) <= horizon:
            view = View.of(learner)
            if t % 2 == 1 or not learner.Y:
                loads, missing, short = self.individual(view)
                self.waiting(t, view, loads, missing)
                if t % 2 == 0:  # Q1
                    assert before is not None
                    assert all(k in before for k in short)
                    self.seen["short at an even slot"] += bool(short)
                before = missing
                learner.play(t)
                if not self.sound():
                    return t - 1
                if t % 2 == 1:
                    self.odd(view, loads, missing, short)
            else:
                first = view.unknown[0]
                room, loads = self.N - view.upper[first], {}
                learner.play(t)
                assert len(learner.united[first]) >= self.learning[first]  # F
                assert len(learner.individual[first]) >= self.learning[first]
                action = learner.slots[-1].action
                loads = {k: a for k, a in enumerate(action) if a and k != first}
                cost = self.instance.optimal_reward - self.held[first] * self.mu[first]
                least = min(
                    min(room, m) * x
                    for k, (m, x) in enumerate(zip(self.held, self.mu, strict=True))
                    if k != first
                )
                assert learner.slots[-1].regret <= cost - least
                assert bool(loads) == bool(room)
                if not self.sound():
                    return t - 1
        return horizon

    def sound(self) -> bool:
        learner = self.learner
        bounds = zip(learner.lower, self.held, learner.upper, strict=True)
        return all(low <= m <= high for low, m, high in bounds)


def drawn(random: Random) -> Instance:
    """Means that fall, that of arm L different from all others."""
    while True:
        arms = random.randint(2, 8)
        plays = random.randint(1, min(arms - 1, 6))
        means = sorted((Fraction(random.randint(1, 19), 20) for _ in range(arms)), reverse=True)
        held = [random.randint(1, plays) for _ in range(arms)]
        law = random.choice((Bernoulli(), Beta(Fraction(3))))
        last = next(k for k in range(arms) if sum(held[: k + 1]) >= plays)
        if means.count(means[last]) == 1:
            return Instance(means, held, plays, law)


@pytest.fixture(scope="module")
def seen() -> Counter[str]:
    random, found = Random(71), Counter[str]()
    for seed in range(PATHS):
        instance = drawn(random)
        scale = random.choice((0.02, 0.1, 0.3))
        settings = Settings(2 / SLOTS, scale=scale)
        learner = Learner(instance, Drawn(instance, stream(seed, 0)), settings)
        found["slots"] += Path(instance, learner, found).walk(SLOTS)
    return found


def test_every_lemma_on_single_slots_holds_on_random_paths(seen: Counter[str]) -> None:
    assert seen["slots"] > 10_000


@pytest.mark.parametrize(
    "case",
    [
        *("missing", "short", "a sink", "L as a sink", "waiting", "no room"),
        *("overtaken", "short at an even slot", "second arm"),
        *("a worse arm last", "paid by a capacity"),
        *("a filled arm missing", "a filled arm overtaken", "switch", "L behind"),
    ],
)
def test_every_case_occurs(seen: Counter[str], case: str) -> None:
    assert seen[case] >= 1
