"""What every slot of `law-free` loses is charged to an event that the theorem counts.

Sections 7 to 9 of docs/theorems/law-free.md and section 5 of law-free-scale.md, slot by slot, on
paths of the twin that is written from the pseudo-code. The levels are drawn anew for each instance:
the charging holds for all.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from twins.arena import Arena, filled
from twins.law_free import NONE, LawFree

from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.world.instance import Instance

SLOTS = 200
TINY = 1e-9


def drawn(chance: np.random.Generator) -> Instance:
    """2 to 6 arms, best first, no two of a mean; capacities up to N."""
    plays = int(chance.integers(1, 5))
    arms = int(chance.integers(plays + 1, 7))
    means = sorted(chance.choice(np.arange(1, 20), arms, replace=False).tolist(), reverse=True)
    law = (Bernoulli(), Beta(Fraction(1, 2)), Beta(Fraction(4)))[chance.integers(3)]
    held = chance.integers(1, plays + 1, arms).tolist()
    return Instance([Fraction(int(x), 20) for x in means], held, plays, law)


def drawn_with_a_scale(chance: np.random.Generator) -> Instance:
    """The same with Gaussian rewards; means of bad arms may be negative."""
    instance = drawn(chance)
    lower = int(chance.integers(0, 15))
    means = [
        x - Fraction(lower, 20) * (x < instance.means[instance.last_arm]) for x in instance.means
    ]
    return instance.with_(means=means, reward=Gaussian(Fraction(1, int(chance.integers(2, 20)))))


class Charged(LawFree):
    """The twin, with what the theorem charges for each slot."""

    def __init__(self, arena: Arena, chance: np.random.Generator) -> None:
        super().__init__(arena)
        world = arena.instance
        self.mu, self.m = [float(x) for x in world.means], list(world.capacities)
        self.L = world.last_arm
        self.nu, self.chance = self.mu[self.L], chance
        self.spare = sum(self.m[: self.L + 1]) - self.N
        self.x = {k: self.between(k, self.L) for k in self.bad}
        self.x_tried = {k: self.between(k, self.L) for k in self.bad}
        self.w = {
            k: self.mu[k] + chance.random() * (self.x_tried[k] - self.mu[k]) for k in self.bad
        }
        self.y = {i: self.between(self.L, i) for i in range(self.L)}
        self.tried: Counter[int] = Counter()
        self.met: Counter[str] = Counter()

    @property
    def bad(self) -> range:
        return range(self.L + 1, self.K)

    def between(self, low: int, high: int) -> float:
        return self.mu[low] + self.chance.random() * (self.mu[high] - self.mu[low])

    def lost(self, plays: int, arms: list[int]) -> float:
        """W."""
        total = 0.0
        for k in sorted(arms, reverse=True):
            here = min(plays, self.m[k])
            total, plays = total + here * (self.nu - self.mu[k]), plays - here
        return total

    def missing(self, i: int, plays: int) -> int:
        return max(plays - self.spare, 0) if i == self.relieved else plays

    @property
    def relieved(self) -> int:
        return self.L

    def slot(self, t: int) -> None:
        self.now = self.level(t)
        self.found = [self.capacity(k, self.now) for k in range(self.K)]
        found = [self.estimate(k, *self.found[k]) for k in range(self.K)]
        self.n, self.muhat = ([each[i] for each in found] for i in (0, 1))
        order = sorted(range(self.K), key=lambda k: (-self.muhat[k], self.rank(k)))
        self.g = filled(order, [b for b, _ in self.found], self.N)
        self.last = list(self.g)[-1]
        super().slot(t)
        played = self.arena.slots[-1]
        charged = self.charges(played.phase, played.action)
        assert float(played.regret) <= charged + TINY, (t, played, self.found, self.muhat)

    # -- events

    def larger(self, k: int) -> bool:
        """M."""
        return self.found[k][0] > self.m[k]

    def smaller(self, k: int) -> bool:
        """F."""
        bound, closed = self.found[k]
        return closed and bound < self.m[k]

    def stuck(self, i: int) -> bool:
        n, muhat = self.n[i], self.muhat[i]
        needed = self.now + self.r(n)
        return muhat < self.mu[i] and self.against(n, muhat, self.mu[i]) > needed

    def open_(self, i: int) -> bool:
        """O, for an arm outside."""
        n, muhat, other = self.n[i], self.muhat[i], self.muhat[self.last]
        if n == 0:
            return True
        seen = self.n[self.last] > 0
        return seen and (muhat >= other or self.against(n, muhat, other) <= self.now + self.r(n))

    # -- what is charged

    def charges(self, phase: str, action: tuple[int, ...]) -> float:
        if any(self.larger(k) for k in range(self.K)):
            self.met["larger"] += 1
            return float(self.arena.instance.largest_regret)
        total = self.filled_charges() + sum(self.short_charges(i) for i in range(self.L))
        self.met["smaller"] += any(self.smaller(k) for k in range(self.K))
        errs = any(self.smaller(k) for k in range(self.L, self.K))
        ahead = sum(self.m[i] * (self.mu[i] - self.nu) for i in range(self.L))
        total += ahead if errs else 0.0
        moved = [k for k in range(self.K) if action[k] > self.g.get(k, 0)]
        if phase == "means":
            (k,) = moved
            if k in self.bad:
                self.look_at_trial(k)
                total += self.nu - self.mu[k]
            self.tried[k] += 1
        for j in moved if phase == "capacities" else []:
            plays, b = action[j] - self.g[j], self.found[j][0]
            beyond = plays if j in self.bad else max(b + plays - self.m[j], 0)
            best = [self.mu[i] - self.nu for i in range(self.L) for _ in range(self.m[i])]
            total += beyond * self.loss_of(j) + sum(best[:plays])
            self.met["moved"] += 1
        return total

    def loss_of(self, j: int) -> float:
        """The most that a play loses that moves to an arm."""
        return self.nu

    def filled_charges(self) -> float:
        """Bad arms in g: by themselves, or in plays that good arms miss."""
        total, late = 0.0, []
        for k in self.bad:
            if k not in self.g:
                continue
            if self.smaller(k) or self.muhat[k] >= self.x[k]:
                self.met["own"] += 1
                total += self.found[k][0] * (self.nu - self.mu[k])
            else:
                late.append(k)
        if late:
            self.met["late"] += 1
            total += sum(self.late_charges(i, late) for i in range(self.L + 1))
        return total

    def late_charges(self, i: int, late: list[int]) -> float:
        """What of the loss on late bad arms is charged to a good arm that misses plays."""
        bound, missed = self.found[i][0], self.m[i] - self.g.get(i, 0)
        if missed <= 0:
            return 0.0
        if i in self.g and i != self.last:
            assert bound < self.m[i]
            assert missed == self.m[i] - bound
            return self.lost(self.missing(i, missed), list(self.bad))
        under = [k for k in self.bad if self.x[k] > self.muhat[i]]
        assert set(late) <= set(under)
        if i == self.last:
            assert missed <= self.m[i] - 1
            return self.lost(self.missing(i, self.m[i] - 1), under)
        if self.open_(i):
            self.met["outside"] += 1
            return self.lost(self.missing(i, self.m[i]), under)
        assert self.stuck(i)
        self.met["stuck"] += 1
        return self.lost(self.missing(i, self.m[i]), list(self.bad))

    def short_charges(self, i: int) -> float:
        """A better arm that misses plays, or may lose one in a trial."""
        if i in self.g and i != self.last:
            missed = self.m[i] - self.g[i]
            assert missed == self.m[i] - self.found[i][0]
            return missed * (self.mu[i] - self.nu)
        before = list(self.g) if i not in self.g else list(self.g)[:-1]
        passing = [k for k in before if k >= self.L]
        assert passing
        whole = self.m[i] * (self.mu[i] - self.nu)
        if self.muhat[i] >= self.y[i] or (i != self.last and self.muhat[self.last] > self.mu[i]):
            assert all(self.muhat[k] >= self.y[i] for k in passing)
            # where one of these has its bound taken for its capacity, `ahead` is charged
            return 0.0 if any(self.smaller(k) for k in passing) else whole
        if i != self.last:
            assert self.open_(i) or self.stuck(i)
            self.met["better outside"] += 1
        return whole

    def look_at_trial(self, k: int) -> None:
        """More than Q trials of a bad arm have a reason that is counted."""
        n = self.tried[k]
        worth = n == 0 or self.against(n, self.w[k], self.x_tried[k]) <= self.now + self.r(n)
        if worth or self.smaller(k) or self.muhat[k] >= self.w[k]:
            return
        self.met["tried late"] += 1
        x = self.x_tried[k]
        assert self.muhat[self.last] < x
        if self.last in self.bad:
            assert any(self.held_back(i, k, x) for i in range(self.L + 1))

    def held_back(self, i: int, k: int, x: float) -> bool:
        if i in self.g:
            return self.g[i] < self.m[i]
        return self.stuck(i) or (self.open_(i) and self.n[k] <= self.n[i] and self.muhat[i] < x)


class ChargedWithAScale(Charged):
    """The same for the rule that is told a scale."""

    @property
    def relieved(self) -> int:
        return max(range(self.L + 1), key=lambda i: (self.m[i], i))

    def loss_of(self, j: int) -> float:
        return max(self.nu, self.nu - self.mu[j]) if j in self.bad else self.nu

    def late_charges(self, i: int, late: list[int]) -> float:
        if not self.smaller(i):
            return super().late_charges(i, late)
        self.met["good one taken for smaller"] += 1
        return self.lost(self.missing(i, self.m[i]), list(self.bad))

    def short_charges(self, i: int) -> float:
        if self.smaller(i):
            return self.m[i] * (self.mu[i] - self.nu)
        return super().short_charges(i)

    def held_back(self, i: int, k: int, x: float) -> bool:
        return self.smaller(i) or super().held_back(i, k, x)

    def slot(self, t: int) -> None:
        super().slot(t)
        for k in range(self.K):
            self.look_at_evidence(k)
            if not (self.larger(k) or self.smaller(k)) and self.n[k]:
                self.look_at_estimate(k)

    def values(self, k: int) -> list[tuple[int, float]]:
        """Loads and rewards X of an arm, which the policy does not see, before this slot."""
        made = self.seen[k][: len(self.seen[k]) - (self.arena.slots[-1].action[k] > 0)]
        return [(a, y / min(a, self.m[k])) for a, y in made]

    def look_at_estimate(self, k: int) -> None:
        """It is the average of X over a group that is counted."""
        bound, closed = self.found[k]
        group = [x for a, x in self.values(k) if closed or a <= bound]
        assert len(group) == self.n[k]
        assert np.mean(group) == pytest.approx(self.muhat[k], abs=TINY)

    def look_at_evidence(self, k: int) -> None:
        """What speaks for a wrong capacity is no more than what two averages of X say."""
        values = [(a, y / min(a, self.m[k])) for a, y in self.seen[k]]
        for b in range(1, min(self.m[k], self.N - 1) + 1):
            low, high = ([x for a, x in values if (a <= b) is side] for side in (True, False))
            if not low or not high:
                continue
            apart = self.differ(np.mean(low), len(low), np.mean(high), len(high), b)
            found = self.more(k, b) - 2 if b == self.m[k] else self.fewer(k, b) - 3
            assert found <= apart + TINY
            self.met["evidence"] += found > NONE


def met_with_a_scale() -> Counter[str]:
    chance, met = np.random.default_rng(6), Counter[str]()
    for seed in range(60):
        twin = ChargedWithAScale(Arena(drawn_with_a_scale(chance), SLOTS, seed), chance)
        twin.run()
        met += twin.met
    return met


def test_what_a_slot_loses_with_a_scale_is_charged() -> None:
    met = met_with_a_scale()
    rare = {"larger", "stuck", "tried late"}
    usual = {"own", "late", "outside", "moved", "better outside", "evidence"}
    assert usual | {"good one taken for smaller"} <= met.keys() | rare, met


@pytest.mark.parametrize("name", ["late_charges", "short_charges", "smaller"])
def test_a_charge_with_a_scale_that_is_left_out_is_missed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChargedWithAScale, name, lambda *given: 0.0)
    with pytest.raises(AssertionError):
        met_with_a_scale()


def test_what_a_slot_loses_is_charged() -> None:
    chance, met = np.random.default_rng(5), Counter[str]()
    for seed in range(60):
        twin = Charged(Arena(drawn(chance), SLOTS, seed), chance)
        twin.run()
        met += twin.met
    rare = {"larger", "stuck", "tried late"}
    assert {"own", "late", "outside", "moved", "better outside"} <= met.keys() | rare, met


def test_a_charge_that_is_left_out_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("late_charges", "short_charges"):
        with monkeypatch.context() as patch:
            patch.setattr(Charged, name, lambda *given: 0.0)
            with pytest.raises(AssertionError):
                test_what_a_slot_loses_is_charged()
