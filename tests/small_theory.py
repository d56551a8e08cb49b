"""A theory of three results with a proof: for tests of the engine, which knows no theory.

One play, arms of capacity 1, rewards in [0, 1]: the interval of Hoeffding, the regret of a policy
that plays the arms in turn, and half of that regret, which is false.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from numpy.random import Generator
from sympy import Rational, Symbol, log, sqrt

from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Claim, Kind, Quantity, Term, Trivial
from boundcheck.proof_steps.parts import at_most, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theory import Theory, by_id
from simulation.jit import folded
from simulation.learning.action import Action, clear, put
from simulation.policies import Policy
from simulation.world.instance import Instance


def begin(gen: Generator, arms: int, plays: int) -> tuple[int]:
    return (plays,)


@folded
def decide(state: tuple[int], slot: int, gen: Generator, action: Action) -> None:
    clear(action, 0)
    put(action, slot % action.loads.size, state[0])


IN_TURN = Policy("in-turn", "All plays on one arm, the arms in turn", begin=begin, decide=decide)
LOSS = s.T / s.K * (s.best - s.mu)
ROUNDED = Term("an unfinished turn", s.best - s.mu, EVERY_ARM)
REGRET = Claim(
    id="thm-4.3",  # the id of a claim of the paper, on purpose: nothing of it may show
    title="Regret of playing in turn",
    source="this file",
    kind=Kind.UPPER_BOUND,
    policy=IN_TURN,
    statement="The expected regret up to T is at most this.",
    reading="any T",
    checked_by="simulated regret",
    quantities=(
        Quantity(
            "regret",
            "reward",
            (Term("whole turns", LOSS, EVERY_ARM), ROUNDED),
            trivial=Trivial.REGRET,
        ),
    ),
    ours=True,
)
HALF = replace(
    REGRET,
    id="half",
    title="Half of that regret",
    quantities=(Quantity("regret", "reward", (Term("half", LOSS / 2, EVERY_ARM),)),),
    ours=False,
)
WIDTH = Claim(
    id="hoeffding",
    title="Hoeffding's interval",
    source="this file",
    kind=Kind.COVERAGE,
    statement="The mean of n rewards deviates by more with probability at most delta.",
    reading="one n",
    checked_by="exact sums",
    formula=sqrt(log(2 / s.delta) / (2 * s.n)),
)

PROOF = Proof("thm-4.3")
_x = Symbol("x", positive=True)


@PROOF.step("a", "turns", rest=Rational(-1, 2))
def turns(rest: Rational = Rational(1)) -> Parts:
    """In T slots an arm is played at most T/K + 1 times."""
    yield at_most(_x, _x + rest).on({_x: (1, 9)})


@PROOF.step("b", "regret", "a", factor=2)
def added(factor: int = 1) -> Parts:
    """Each play of an arm loses best - mu."""
    yield equal(factor * (s.T / s.K) * (s.best - s.mu), LOSS).on(
        {s.T: (2, 9), s.K: (2, 9), s.best: (1, 2), s.mu: (0, 1)}
    )


STEPS = tuple(PROOF)


def instances() -> st.SearchStrategy[Instance]:
    tenths = st.integers(1, 9).map(lambda k: f"0.{k}")
    means = st.lists(tenths, min_size=2, max_size=3, unique=True)
    return means.map(lambda found: Instance(found, [1] * len(found), 1))


THEORY = Theory(
    "small",
    by_id((REGRET, HALF, WIDTH)),
    instances=instances,
    main="thm-4.3",
    audited=("small.toml",),
    proofs={"thm-4.3": __name__},
)
