"""`sharp-7.1`: the regret of OrchExplore at any horizon, in place of Theorem 7.1.

A theorem, proved in docs/theorems/orch-explore.md: c_acc, c_J, c_L, c_far and c_near are what slots
lose, s is the least number of arms that hold all plays.
"""

from sympy import Expr, Rational

from boundcheck.claim import Claim, Kind, Level, Quantity, Term, Trivial
from boundcheck.functions import kl
from boundcheck.shareable_arms import assumptions as given
from boundcheck.shareable_arms.functions import geometric, smallest_count
from boundcheck.shareable_arms.orch_explore.cards import INDEX
from boundcheck.shareable_arms.ranks import L_AT_LEAST_2, Arms
from boundcheck.symbols import (
    K,
    L,
    T,
    b_after,
    b_between,
    b_L,
    c_acc,
    c_far,
    c_J,
    c_k,
    c_L,
    c_near,
    e_k,
    f_star,
    few,
    kept,
    largest_regret,
    m,
    m_L,
    mbar,
    mu,
    mu_after,
    mu_before,
    mu_L,
    wait,
    y_k,
    y_L,
    z_J,
    z_L,
)
from boundcheck.unevaluated import Ge, Max, exp

SHARED = Ge(mbar, 2)
MIDDLE = (mu + mu_L) / 2
LOW_INDEX = Rational(37, 10)  # slots in which an index is below its mean, for each arm


def _seldom(level: Expr, mean: Expr) -> Expr:
    """How often an estimate is on the wrong side of a level, in expectation."""
    return geometric(kl(level, mean))


# united explorations after which the interval of a capacity is narrow, and those that miss it
LEARN = smallest_count(2 * (m + 1), 2 / T, mu - (2 * m + 1) * y_k)
LEARN_MISSED = 4 * exp(-2 * (LEARN - 1) * y_k**2) * geometric(2 * y_k**2)
REACH = smallest_count(2 * (mbar - 1), 2 / T, (m_L - mbar + 1) * mu_L - (m_L + mbar - 1) * y_L)
REACH_MISSED = 2 * exp(-2 * (REACH - 1) * y_L**2) * geometric(2 * y_L**2)

TERMS = (
    Term("failures", 2 * K * largest_regret),
    Term(
        "suboptimal arms",
        (mu_L - mu)
        * (INDEX / kl(c_k, e_k) + 1 + _seldom(c_k, mu) + kept * (1 + _seldom(e_k, mu_L))),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "capacities of filled arms", (f_star - m * mu + c_acc) * (LEARN + LEARN_MISSED), Arms.FILLED
    ),
    Term("last arm", (f_star - m_L * mu_L + c_acc) * (REACH + REACH_MISSED), when=SHARED),
    Term("switch", Max(c_J, c_L) + c_acc),
    Term("overtaking", (f_star - m * mu + c_acc) * _seldom(z_J, mu), Arms.SUBOPTIMAL),
    Term("overtaken", (c_J + c_acc) * _seldom(z_J, mu), Arms.OPTIMAL),
    Term("overtaken by arm L", (c_L + c_acc) * _seldom(z_L, mu), Arms.OPTIMAL, L_AT_LEAST_2),
    Term(
        "filled arm behind, others high",
        2 * c_far * _seldom(b_between, mu),
        Arms.SUBOPTIMAL,
        L_AT_LEAST_2,
    ),
    Term(
        "filled arm behind, low",
        c_far * (2 * (K - few) * (1 + _seldom(b_between, mu)) + LOW_INDEX),
        Arms.FILLED,
    ),
    Term(
        "filled arm behind arm L, which is high", 2 * c_far * _seldom(b_L, mu_L), when=L_AT_LEAST_2
    ),
    Term("filled arm behind arm L, low", c_far * wait * (1 + _seldom(b_L, mu)), Arms.FILLED),
    Term("arm L behind, others high", 2 * c_near * _seldom(b_after, mu), Arms.SUBOPTIMAL),
    Term("arm L behind, low", c_near * (2 * (K - L) * (1 + _seldom(b_after, mu_L)) + LOW_INDEX)),
)

LEVELS = (
    Level(c_k, mu, MIDDLE, Arms.SUBOPTIMAL),
    Level(e_k, MIDDLE, mu_L, Arms.SUBOPTIMAL),
    Level(y_k, 0 * mu, mu / (2 * m + 1), Arms.FILLED),
    Level(y_L, 0 * mu_L, (m_L - mbar + 1) * mu_L / (m_L + mbar - 1), when=SHARED),
    Level(z_J, mu_after, mu_L),
    Level(z_L, mu_L, mu_before, when=L_AT_LEAST_2),
    Level(b_L, mu_L, mu_before, when=L_AT_LEAST_2),
    Level(b_between, mu_after, mu_before, when=L_AT_LEAST_2),
    Level(b_after, mu_after, mu_L),
)

SHARP_7_1 = Claim(
    id="sharp-7.1",
    title="Regret of OrchExplore at any horizon",
    source="in place of Theorem 7.1",
    kind=Kind.UPPER_BOUND,
    statement="The expected regret of OrchExplore up to T is at most this, for every choice of the "
    "free levels.",
    reading="delta = 2/T; pseudo-code as resolved in the documentation; sub-Gaussian rewards with "
    "sigma at most 1/2 (such as those on [0, 1]), independent over arms and slots",
    checked_by="its proof, step by step (docs/theorems/orch-explore.md), and simulated regret of "
    "orch-explore (e-process)",
    assumptions=(
        given.SUB_GAUSSIAN,
        given.NON_NEGATIVE,
        given.LAST_ABOVE_OTHERS,
        given.LAST_BELOW_FILLED,
        given.WITHIN_PLAYS,
        given.HORIZON_3,
    ),
    quantities=(Quantity("regret", "reward", TERMS, trivial=Trivial.REGRET, levels=LEVELS),),
    policy="orch-explore",
    ours=True,
)

CLAIMS = (SHARP_7_1,)
