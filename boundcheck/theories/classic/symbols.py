"""What the cards share: symbols, assumptions, ranges of arms, and where a search looks.

One arm is played in each slot. Arms are ranked by mean, best first; mu_* is the largest mean and
Delta_k = mu_* - mu_k. The proxy variance is that of a Gaussian law, 1/4 for laws on [0, 1].
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, Symbol

from boundcheck.calculator.setting import Values
from boundcheck.claims import symbols as s
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
from boundcheck.claims.unevaluated import Eq, Ge, Le
from boundcheck.search.strategies import decimals, fractions_of_one
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

WORSE = Range(">", 0, s.gap)
alpha = Symbol("alpha", positive=True)  # the option of UCB with a factor
c, d = Symbol("c", positive=True), Symbol("d_min", positive=True)  # options of epsilon_n-greedy
df, a, r = (Symbol(name, positive=True) for name in ("nu", "a", "r"))  # of tails and one regressor
ALPHA, C = Fraction(3), Fraction(6)

ONE_PLAY = Assumption("one-play", "one arm is played in each slot", Eq(s.N, 1))
BOUNDED = Assumption("rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]")
BERNOULLI = Assumption("bernoulli-rewards", "rewards are 0 or 1", fact="bernoulli")
NORMAL = Assumption("gaussian-rewards", "rewards are Gaussian", fact="gaussian")
SUBGAUSSIAN = Assumption(
    "subgaussian-rewards", "rewards are 1-subgaussian", Le(s.sigma2, Integer(1))
)
UNIT_VARIANCE = Assumption("unit-variance", "rewards have variance 1", Eq(s.sigma2, Integer(1)))
TWO_ARMS = Assumption("two-arms", "there are two arms", Eq(s.K, Integer(2)))
EXPLORES_WITHIN_T = Assumption("exploration-within-horizon", "m K <= T", Le(s.n * s.K, s.T))
AT_LEAST_K = Assumption("horizon-at-least-arms", "T >= K", Ge(s.T, s.K))
AT_MOST_HALF = Assumption("delta-at-most-half", "delta <= 1/2", Le(s.delta, Rational(1, 2)))


def derive(values: Values) -> Values:
    """Default values of the options of policies."""
    like = 0 * values[s.T]
    gaps = values[s.gap]
    low = gaps.copy()
    low[gaps == 0] = gaps.max() or 1  # ties are no gaps
    return {alpha: like + ALPHA, c: like + C, d: low.min(axis=1, keepdims=True)}


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Two to four coins, or two to four Gaussian arms, close together or far apart."""
    size = draw(st.integers(2, 4))
    if draw(st.booleans()):
        means = draw(st.lists(fractions_of_one(2), min_size=size, max_size=size, unique=True))
        return Instance(means, [1] * size, 1)
    far = st.one_of(decimals(0, 1, 2), decimals(0, 10, 1), decimals(0, 1000, 0))
    means = draw(st.lists(far, min_size=size, max_size=size, unique=True))
    return Instance(means, [1] * size, 1, Gaussian(Fraction(1)))


def words(about: str, reading: str, checked: str) -> dict[str, Any]:
    """The three texts of a card."""
    return {"statement": about, "reading": reading, "checked_by": checked}


def summed(name: str, expression: Expr) -> Term:
    """A sum over the arms that are worse than the best."""
    return Term(name, expression, WORSE)


def every(name: str, expression: Expr) -> Term:
    return Term(name, expression, EVERY_ARM)


def regret(
    name: str,
    policy: str,
    source: str,
    title: str,
    terms: tuple[Term, ...],
    assumptions: tuple[Assumption, ...],
    reading: str,
    **more: Any,
) -> Claim:
    """An upper bound on the regret of a policy up to T."""
    levels = more.pop("levels", ())
    quantity = Quantity("regret", "reward", terms, trivial=Trivial.REGRET, levels=levels)
    return Claim(
        id=name,
        title=title,
        source=source,
        kind=Kind.UPPER_BOUND,
        policy=policy,
        assumptions=(ONE_PLAY, *assumptions),
        quantities=(quantity,),
        **words("The expected regret up to T is at most this.", reading, "simulated regret"),
        **more,
    )


def as_printed(name: str) -> str:
    """What the title of a statement that is false as it was printed ends in.

    >>> as_printed("ucb1"), as_printed("best-arm-printed")
    ('', ' (as printed)')
    """
    return " (as printed)" if name.endswith("-printed") else ""


def growth(
    name: str, policy: str | None, source: str, title: str, term: Term, *given: Assumption
) -> Claim:
    """The growth of regret per log T: of a policy at most, or of every consistent one at least."""
    own = policy is not None
    about = "The regret grows at most like this times log T."
    least = "The regret of every consistent policy grows at least like this times log T."
    reading, checked = "as T grows", "simulated growth" if own else "what a policy attains"
    trivial = Trivial.NONE if own else Trivial.ZERO
    return Claim(
        id=name,
        title=title,
        source=source,
        kind=Kind.ASYMPTOTIC if own else Kind.LOWER_BOUND,
        policy=policy,
        premise=True,  # proved in the source: what contradicts it is refuted by it
        assumptions=(ONE_PLAY, *given),
        quantities=(Quantity("regret per log T", "reward", (term,), trivial=trivial),),
        **words(about if own else least, reading, checked),
    )
