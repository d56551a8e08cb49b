"""A theory of one's own in a file: five results on ordinary bandits, and two planted errors.

    boundcheck --plugin examples/own_theory.py claims
    boundcheck --plugin examples/own_theory.py verify examples/coins.toml --effort quick
    boundcheck --plugin examples/own_theory.py falsify ucb1-tenth

The shipped theory of well-known results (boundcheck/theories/classic) has more of them. Planted:
UCB1 with 0.1 in the place of its 8, and twice the constant of Lai and Robbins. Both look real;
neither is true.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st
from sympy import Eq, Rational, log, pi, sqrt

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
from boundcheck.claims.symbols import N, T, best, delta, gap, mu, n
from boundcheck.search.strategies import fractions_of_one
from boundcheck.theory import Theory, by_id
from simulation.world.instance import Instance

WORSE = Range(">", 0, gap)  # arms below the best
ONE_PLAY = Assumption("one-play", "one arm is played in each slot", Eq(N, 1, evaluate=False))
BOUNDED = Assumption("rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]")
BERNOULLI = Assumption("bernoulli-rewards", "rewards are 0 or 1", fact="bernoulli")


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Two to four coins: where a search looks."""
    means = draw(st.lists(fractions_of_one(2), min_size=2, max_size=4, unique=True))
    return Instance(means, [1] * len(means), 1)


AUER = Claim(
    id="ucb1",
    title="Finite-time regret of UCB1",
    source="Auer, Cesa-Bianchi and Fischer 2002, Theorem 1",
    kind=Kind.UPPER_BOUND,
    policy="ucb1",  # shipped; a `Policy` of your own may stand here
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
KL_UCB = replace(
    LAI_ROBBINS,
    id="kl-ucb",
    title="KL-UCB attains the least growth of regret",
    source="Garivier and Cappé 2011, Theorem 1",
    kind=Kind.ASYMPTOTIC,
    policy="kl-ucb-kc",  # shipped; with one play it is KL-UCB
    statement="The regret of KL-UCB grows at most like this times log T.",
    reading="Bernoulli laws, as T grows",
    checked_by="growth of simulated regret",
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
ENOUGH = replace(
    HOEFFDING,
    id="enough-rewards",
    title="Rewards after which a mean is known",
    source="from Hoeffding's inequality",
    kind=Kind.SAMPLE_SIZE,
    statement="After so many rewards their mean is within 1/10 with probability 1 - delta.",
    reading="any laws on [0, 1]",
    quantities=(
        Quantity("rewards", "rewards", (Term("rewards", 50 * log(2 / delta)),), EVERY_ARM),
    ),
    formula=Rational(1, 10),
)


def planted(card: Claim, name: str, factor: Rational) -> Claim:
    """The card with its first term multiplied: no premise, whatever the card was."""
    (quantity,) = card.quantities
    first, *others = quantity.terms
    terms = (replace(first, expression=factor * first.expression), *others)
    changed = (replace(quantity, terms=terms),)
    title = f"{card.title} (planted: times {factor})"
    return replace(card, id=name, title=title, source="planted", quantities=changed, premise=False)


TENTH = planted(AUER, "ucb1-tenth", Rational(1, 80))
TWICE = planted(LAI_ROBBINS, "lai-robbins-twice", Rational(2))

THEORY = Theory(
    name="my bandits",
    cards=by_id((AUER, LAI_ROBBINS, KL_UCB, HOEFFDING, ENOUGH, TENTH, TWICE)),
    model=(ONE_PLAY,),
    instances=instances,
    main="ucb1",
    audited=(str(Path(__file__).with_name("coins.toml")),),
)
