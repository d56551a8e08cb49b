"""A second theory: the bandit with one play, its textbook results, and two planted errors.

    boundcheck --plugin examples/classic_bandits.py claims
    boundcheck --plugin examples/classic_bandits.py verify examples/coins.toml --effort quick
    boundcheck --plugin examples/classic_bandits.py falsify ucb1-tenth

Results: UCB1's finite-time bound (Auer, Cesa-Bianchi and Fischer 2002, Theorem 1), the lower bound
of Lai and Robbins (1985), the asymptotic optimality of KL-UCB (Garivier and Cappé 2011), the
interval of Hoeffding and the number of rewards after which a mean is known. Planted: UCB1 with 0.1
in the place of its 8, twice the constant of Lai and Robbins. Both look real; neither is true.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator
from sympy import Eq, Rational, Symbol, log, pi, sqrt

from boundcheck.calculator.setting import Values
from boundcheck.claims.card import (
    EVERY_ARM,
    Assumption,
    Claim,
    Kind,
    Quantity,
    Range,
    Term,
    Trivial,
)
from boundcheck.claims.functions import law_divergence
from boundcheck.claims.symbols import N, T, delta, mu, n
from boundcheck.search.strategies import fractions_of_one
from boundcheck.theory import Theory, by_id
from simulation.errors import InputError
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.policies import Options, Policy, Setup
from simulation.world.elementary import log as logarithm
from simulation.world.instance import Instance

# -- UCB1 --------------------------------------------------------------------------------------


class State(NamedTuple):
    """What each arm earned, in how many plays."""

    rewards: np.ndarray
    counts: np.ndarray


def begin(gen: Generator, arms: int, plays: int) -> State:
    return State(np.zeros(arms), np.zeros(arms, dtype=np.int64))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Every arm once, then the largest mean plus sqrt(2 log t / n)."""
    clear(action, 0)
    put(action, chosen(t, state.rewards, state.counts), 1)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """One more play of an arm."""
    state.rewards[arm] += reward
    state.counts[arm] += 1


@step
def chosen(t: int, rewards: np.ndarray, counts: np.ndarray) -> int:
    """The arm of the largest index; one that was never played comes first."""
    best, largest, level = 0, -1.0, 2.0 * logarithm(float(t))
    for k in range(counts.size):
        if counts[k] == 0:
            return k
        index = rewards[k] / counts[k] + math.sqrt(level / counts[k])
        if index > largest:
            best, largest = k, index
    return best


def one_play(setup: Setup, options: Options) -> tuple[()]:
    """What `begin` takes besides arms and plays: nothing. More than one play is refused."""
    if setup.plays > 1:
        raise InputError("ucb1", "plays", str(setup.plays), "one play")
    return ()


UCB1 = Policy("ucb1", "UCB1", arguments=one_play, begin=begin, decide=decide, learn=learn)

# -- symbols, ranges of arms, the model --------------------------------------------------------

gap = Symbol("Delta_k", real=True)  # mu_* - mu_k
best = Symbol("mu_*", real=True)
ties = Symbol("B", positive=True)  # arms with the best mean; ranks go by mean
WORSE = Range(">", ties)


def derive(values: Values) -> Values:
    """This theory's symbols: means come best first."""
    means = values[mu]
    gaps = means[:, :1] - means
    return {gap: gaps, best: means[:, :1], ties: (gaps == 0).sum(axis=1, keepdims=True)}


ONE_PLAY = Assumption("one-play", "one arm is played in each slot", Eq(N, 1, evaluate=False))
BOUNDED = Assumption("rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]")
BERNOULLI = Assumption("bernoulli-rewards", "rewards are 0 or 1", fact="bernoulli")


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Two to four coins."""
    means = draw(st.lists(fractions_of_one(2), min_size=2, max_size=4, unique=True))
    return Instance(means, [1] * len(means), 1)


# -- the cards ---------------------------------------------------------------------------------

AUER = Claim(
    id="ucb1",
    title="Finite-time regret of UCB1",
    source="Auer, Cesa-Bianchi and Fischer 2002, Theorem 1",
    kind=Kind.UPPER_BOUND,
    policy=UCB1,
    statement="The expected regret of UCB1 after T plays is at most this.",
    reading="any T, any laws on [0, 1]",
    checked_by="simulated regret",
    assumptions=(ONE_PLAY, BOUNDED),
    quantities=(
        Quantity(
            "regret",
            "reward",
            (
                Term("exploration", 8 * log(T) / gap, WORSE),
                Term("once in a while", (1 + pi**2 / 3) * gap, EVERY_ARM),
            ),
            trivial=Trivial.REGRET,
        ),
    ),
)
LEAST = Term("worse arms", gap / law_divergence(mu, best), WORSE)
LAI_ROBBINS = Claim(
    id="lai-robbins",
    title="The least growth of regret",
    source="Lai and Robbins 1985, Theorem 1",
    kind=Kind.LOWER_BOUND,
    statement="The regret of every consistent policy grows at least like this times log T.",
    reading="Bernoulli laws, known but for their means",
    checked_by="what a policy is known to attain",
    premise=True,  # proved in the source: what contradicts it is refuted by it
    assumptions=(ONE_PLAY, BERNOULLI),
    quantities=(Quantity("regret per log T", "reward", (LEAST,), trivial=Trivial.ZERO),),
)
KL_UCB = Claim(
    id="kl-ucb",
    title="KL-UCB attains the least growth of regret",
    source="Garivier and Cappé 2011, Theorem 1",
    kind=Kind.ASYMPTOTIC,
    policy="kl-ucb-kc",  # shipped; with one play it is KL-UCB
    statement="The regret of KL-UCB grows at most like this times log T.",
    reading="Bernoulli laws, as T grows",
    checked_by="growth of simulated regret",
    premise=True,
    assumptions=(ONE_PLAY, BERNOULLI),
    quantities=(Quantity("regret per log T", "reward", (LEAST,)),),
)
HOEFFDING = Claim(
    id="hoeffding",
    title="An interval for a mean",
    source="Hoeffding 1963, Theorem 2",
    kind=Kind.COVERAGE,
    statement="The mean of n rewards is further than this from its own with chance delta at most.",
    reading="any laws on [0, 1], one n",
    checked_by="summed, or enclosed, probability",
    assumptions=(BOUNDED,),
    formula=sqrt(log(2 / delta) / (2 * n)),
)
ENOUGH = Claim(
    id="enough-rewards",
    title="Rewards after which a mean is known",
    source="from Hoeffding's inequality",
    kind=Kind.SAMPLE_SIZE,
    statement="After so many rewards their mean is within 1/10 with probability 1 - delta.",
    reading="any laws on [0, 1]",
    checked_by="summed, or enclosed, probability",
    assumptions=(BOUNDED,),
    quantities=(
        Quantity("rewards", "rewards", (Term("rewards", 50 * log(2 / delta)),), EVERY_ARM),
    ),
    formula=Rational(1, 10),
)


def planted(card: Claim, name: str, factor: Rational, terms: int) -> Claim:
    """The card with its first terms multiplied: no premise, whatever the card was."""
    (quantity,) = card.quantities
    changed = tuple(
        replace(term, expression=factor * term.expression) if place < terms else term
        for place, term in enumerate(quantity.terms)
    )
    title = f"{card.title} (planted: times {factor})"
    numbers = (replace(quantity, terms=changed),)
    said = replace(card, id=name, title=title, source="planted", quantities=numbers)
    return replace(said, premise=False)


TENTH = planted(AUER, "ucb1-tenth", Rational(1, 80), 1)
TWICE = planted(LAI_ROBBINS, "lai-robbins-twice", Rational(2), 1)

THEORY = Theory(
    name="classic bandits",
    cards=by_id((AUER, LAI_ROBBINS, KL_UCB, HOEFFDING, ENOUGH, TENTH, TWICE)),
    derive=derive,
    model=(ONE_PLAY,),
    instances=instances,
    policies={"ucb1": UCB1},
    main="ucb1",
    audited=(str(Path(__file__).with_name("coins.toml")),),
)
