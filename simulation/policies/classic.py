"""Textbook policies for an ordinary bandit: one play a slot, and every arm has room for it.

    ucb1            mean + sqrt(2 log t / n)                     Auer, Cesa-Bianchi, Fischer 2002
    alpha-ucb       mean + sqrt(alpha log t / (2 n))             Bubeck, Cesa-Bianchi 2012
    ucb             mean + sqrt(4 log T / n), told T             Lattimore, Szepesvari, chapter 7
    ucb-asymptotic  mean + sqrt(2 log(1 + t log^2 t) / n)        the same, chapter 8
    moss            mean + sqrt(log+(T / (K n)) / n), told T     Audibert, Bubeck 2009
    moss-ls         mean + sqrt(4 log+(T / (K n)) / n), told T   Lattimore, Szepesvari, chapter 9
    moss-anytime    mean + sqrt(1.175 log+(t / (K n)) / n)       Degenne, Perchet 2016
    kl-ucb          largest q with n kl(mean, q) <= log t + 3 log log t     Garivier, Cappe 2011
    kl-ucb-ls       the same with log(1 + t log^2 t)             Lattimore, Szepesvari, chapter 10
    thompson        a mean from the posterior: Beta(1, 1) prior, or flat with normal rewards
    etc             m plays of each arm, then the best mean for good
    exp3            weights exp(-eta estimated loss), eta = sqrt(c log K / (T K)), told T

Here n counts the plays of an arm and log+ is max(log, 0). An index policy plays every arm once, in
their order, and then the arm of the largest index, the first of equal ones (KL-UCB: the one played
last, if it is among them); t is the number of plays before a slot. `kl` is that of two Bernoulli
laws. They are one set of functions, which a rule tells apart: one thing is compiled for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.learning.kl_index import upper_index
from simulation.learning.likelihoods import Model
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import BERNOULLI, GAUSSIAN, kl, standard_normal, unimodal_beta
from simulation.world.elementary import exp, log

LOG_T, LOG_HORIZON, ASYMPTOTIC, MOSS, MOSS_ANYTIME = range(5)  # mean + sqrt(scale level / n)
KL_LOG_LOG, KL_ASYMPTOTIC, THOMPSON, ETC, EXP3 = range(5, 10)
SMALL = 1e-100  # a sum of weights that is scaled up again


class State(NamedTuple):
    """What the arms earned, and the rule by which the next one is chosen."""

    rule: int
    scale: float  # of a squared width; the plays of each arm (etc); the rate (exp3)
    horizon: int  # 0: not told
    model: Model
    counts: np.ndarray
    sums: np.ndarray  # of rewards; the weights (exp3)


def begin(
    gen: Generator, arms: int, plays: int, rule: int, scale: float, horizon: int, model: Model
) -> State:
    first = np.ones(arms) if rule == EXP3 else np.zeros(arms)
    return State(rule, scale, horizon, model, np.zeros(arms, dtype=np.int64), first)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One play, on the arm that the rule chooses."""
    arm = chosen(state, t, gen, action.played[0])
    clear(action, 0)
    put(action, arm, 1)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """One more play of an arm."""
    take_in(state, gen, arm, reward)


@step
def take_in(state: State, gen: Generator, arm: int, reward: float) -> None:
    """To Thompson sampling a reward inside (0, 1) is a success with that probability."""
    rule, law, sums = state.rule, state.model.law, state.sums
    if rule == EXP3:
        loss = (1.0 - reward) * total_of(sums) / sums[arm]
        sums[arm] *= exp(-state.scale * loss)
        return
    if rule == ETC and state.counts[arm] >= state.scale:
        return
    if rule == THOMPSON and law != GAUSSIAN and law != BERNOULLI:
        reward = 1.0 if gen.random() < reward else 0.0
    sums[arm] += reward
    state.counts[arm] += 1


@step
def chosen(state: State, t: int, gen: Generator, last: int) -> int:
    """The arm for slot t."""
    rule, arms = state.rule, state.counts.size
    if rule == THOMPSON:
        return likely(state, gen)
    if rule == EXP3:
        return drawn_by(gen, state.sums)
    if rule == ETC:
        return (t - 1) % arms if t <= arms * state.scale else largest_of(state.sums)
    if t <= arms:
        return t - 1
    if rule in (KL_LOG_LOG, KL_ASYMPTOTIC):
        return farthest(state, t - 1, last)
    return widest(state, t - 1)


@step
def level(state: State, t: int, count: int) -> float:
    """What stands above the count in an index, for a scale of 1."""
    rule = state.rule
    if rule == LOG_T:
        return log(float(t))
    if rule == LOG_HORIZON:
        return log(float(state.horizon))
    if rule in (ASYMPTOTIC, KL_ASYMPTOTIC):
        return log(1.0 + t * log(float(t)) * log(float(t)))
    if rule == KL_LOG_LOG:
        return log(float(t)) + 3.0 * log(max(log(float(t)), 1.0))
    slots = state.horizon if rule == MOSS else t
    return max(log(slots / (state.counts.size * count)), 0.0)


@step
def widest(state: State, t: int) -> int:
    """The arm of the largest mean + sqrt(scale level / n) after t plays."""
    counts, sums, scale, own = state.counts, state.sums, state.scale, state.rule >= MOSS
    best, largest, spend = 0, -math.inf, 0.0
    for k in range(counts.size):
        if own or k == 0:  # the same for all arms but with MOSS
            spend = scale * level(state, t, counts[k])
        index = sums[k] / counts[k] + math.sqrt(spend / counts[k])
        if index > largest:
            best, largest = k, index
    return best


@step
def farthest(state: State, t: int, last: int) -> int:
    """The arm of the largest q with n kl(mean, q) <= level; q is computed only for an arm that
    passes the best so far."""
    counts, sums, budget = state.counts, state.sums, level(state, t, 1)
    best = last
    index = upper_index(sums[best] / counts[best], counts[best], budget, BERNOULLI, 1.0)
    for k in range(counts.size):
        mean = sums[k] / counts[k]
        if k == best or (index > mean and counts[k] * kl(BERNOULLI, 1.0, mean, index) >= budget):
            continue
        reached = upper_index(mean, counts[k], budget, BERNOULLI, 1.0)
        if reached > index:
            best, index = k, reached
    return best


@step
def likely(state: State, gen: Generator) -> int:
    """The arm of the largest mean drawn from the posteriors."""
    best, largest = 0, -math.inf
    for k in range(state.counts.size):
        count, total = state.counts[k], state.sums[k]
        if state.model.law != GAUSSIAN:
            theta = unimodal_beta(gen, 1.0 + total, 1.0 + count - total)
        elif count == 0:
            return k
        else:
            width = math.sqrt(state.model.parameter / count)
            theta = total / count + width * standard_normal(gen)
        if theta > largest:
            best, largest = k, theta
    return best


@step
def largest_of(sums: np.ndarray) -> int:
    """The arm that earned most, the first of equal ones."""
    best = 0
    for k in range(sums.size):
        if sums[k] > sums[best]:
            best = k
    return best


@step
def total_of(weights: np.ndarray) -> float:
    total = 0.0
    for k in range(weights.size):
        total += weights[k]
    return total


@step
def drawn_by(gen: Generator, weights: np.ndarray) -> int:
    """An arm, with probability weight / total; one of weight 0 never."""
    total = total_of(weights)
    if total < SMALL:
        for k in range(weights.size):
            weights[k] /= total
        total = 1.0
    left, chosen = gen.random() * total, 0
    for k in range(weights.size):
        if weights[k] > 0.0:
            chosen = k
            left -= weights[k]
            if left < 0.0:
                break
    return chosen


# -- who may be asked ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """What `begin` is told of a policy; called with a setup and options it gives just that.

    It serves rewards in [0, 1] (`spread` None), or also others of at most that variance proxy.
    """

    name: str
    rule: int
    scale: float = 1.0  # times the option, if there is one
    spread: float | None = None

    def __call__(self, setup: Setup, options: Options) -> tuple[Any, ...]:
        if setup.plays != 1:
            expected = "1: one arm is played in a slot"
            raise InputError(self.name, "plays", shown(setup.plays), expected)
        law, most = setup.reward, self.spread
        if most is None and not law.bounded:
            raise InputError(self.name, "reward", law.name, "rewards in [0, 1]")
        if most is not None and not law.bounded and law.proxy_variance > most:
            raise InputError(self.name, "reward", law.words(), f"a variance of at most {most:g}")
        scale = self.scale
        for option in options:
            scale *= self._number(option, options[option])
        horizon = setup.horizon or 0
        if self.rule == EXP3:
            scale = math.sqrt(scale * log(float(setup.arms)) / (horizon * setup.arms))
        return self.rule, scale, horizon, Model.bare(setup)

    def _number(self, option: str, value: Any) -> float:
        try:
            found = float(value)
        except (TypeError, ValueError):
            found = math.nan
        if not 0.0 < found < 1e9:
            raise InputError(self.name, option, shown(value), "a number above 0, up to 1e9")
        if self.rule == ETC and found != int(found):
            raise InputError(self.name, option, shown(value), "a whole number of 1 or more")
        return found


def _policy(arguments: Told, title: str, **more: Any) -> Policy:
    parts: dict[str, Any] = {"begin": begin, "decide": decide, "learn": learn}
    return Policy(arguments.name, title, arguments=arguments, **parts, **more)


POLICIES = (
    _policy(Told("ucb1", LOG_T, 2.0), "UCB1"),
    _policy(Told("alpha-ucb", LOG_T, 0.5), "UCB with a factor alpha", defaults={"alpha": 3.0}),
    _policy(
        Told("ucb", LOG_HORIZON, 4.0, 1.0), "UCB for subgaussian rewards, told T", told="horizon"
    ),
    _policy(Told("ucb-asymptotic", ASYMPTOTIC, 2.0, 1.0), "asymptotically optimal UCB"),
    _policy(Told("moss", MOSS), "MOSS, told T", told="horizon"),
    _policy(
        Told("moss-ls", MOSS, 4.0, 1.0), "MOSS for subgaussian rewards, told T", told="horizon"
    ),
    _policy(Told("moss-anytime", MOSS_ANYTIME, 1.175, 0.25), "MOSS, not told T"),
    _policy(Told("kl-ucb", KL_LOG_LOG), "KL-UCB"),
    _policy(Told("kl-ucb-ls", KL_ASYMPTOTIC), "KL-UCB with a larger budget"),
    _policy(Told("thompson", THOMPSON, spread=math.inf), "Thompson sampling", told="scale"),
    _policy(Told("etc", ETC, spread=1.0), "explore, then commit", defaults={"m": 10}),
    _policy(Told("exp3", EXP3), "EXP3, told T", defaults={"c": 1.0}, told="horizon"),
)
