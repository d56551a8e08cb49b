"""Theorem 7.1, Corollary 7.2 and ours in place of 7.1: the regret of OrchExplore.

Ours is a theorem, proved in docs/theorems/orch-explore.md: c_acc, c_J, c_L, c_far and c_near are
what slots lose, s is the least number of arms that hold all plays.
"""

from sympy import Expr, Rational

from boundcheck.claims.card import Claim, Kind, Level, Quantity, Repair, Term, Trivial
from boundcheck.claims.functions import kl
from boundcheck.claims.growth import per_log
from boundcheck.claims.unevaluated import Ge, Max, exp, log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.explorations.cards import A
from boundcheck.theories.shareable_arms.functions import geometric, smallest_count
from boundcheck.theories.shareable_arms.ranks import L_AT_LEAST_2, Arms
from boundcheck.theories.shareable_arms.symbols import (
    K,
    L,
    N,
    T,
    epsilon,
    f_star,
    m,
    m_L,
    mbar,
    mu,
    mu_L,
)

INDEX = log(T) + 4 * log(log(T))
PULLS = INDEX / kl(mu + epsilon, mu_L - epsilon)

TERMS = (
    Term("suboptimal arms", (mu_L - mu) * PULLS, Arms.SUBOPTIMAL),
    Term("capacities of filled arms", s.w * A * log(T), Arms.FILLED),
    Term("last arm", s.w_L * A.xreplace({mu: mu_L, m: m_L}) / (m_L - mbar + 1) ** 2 * log(T)),
    Term("constant", 13 * K**2 * N**2 * (4 + epsilon**-2)),
)

MEANS_UP_TO_1 = Repair(
    "Where means are far above 1, a slot can lose more than the N that the proof allows for.",
    "All means must lie in [0, 1].",
)

THM_7_1 = Claim(
    id="thm-7.1",
    title="Regret upper bound of OrchExplore",
    source="Theorem 7.1 (thm:oe_regret_upper_bound)",
    kind=Kind.UPPER_BOUND,
    statement="The expected regret of OrchExplore up to T is at most this, for every admissible "
    "epsilon.",
    reading="delta = 2/T; pseudo-code as resolved in the documentation",
    checked_by="simulated regret of orch-explore (e-process), phase by phase",
    assumptions=(*given.MODEL, given.HORIZON.on(Arms.OPTIMAL), given.EPSILON),
    implicit=(given.SUB_GAUSSIAN, given.BOUNDED_MEANS, given.NOT_TWO_ARMS),
    quantities=(
        Quantity("regret", "reward", TERMS, trivial=Trivial.REGRET, optimise_epsilon=True),
    ),
    policy="orch-explore",
    repairs=(
        MEANS_UP_TO_1,
        Repair(
            "Only astronomic horizons meet its condition.",
            "No condition on T is needed.",
            "sharp-7.1",
        ),
        Repair(
            "Individual rounds cost, too, as long as the capacities are not known.",
            "The weights of united explorations must account for them.",
            "sharp-7.1",
        ),
        Repair("The last display sums arm L twice.", "It should be summed once."),
        Repair("The failure events must cover all K arms.", "K should stand in place of L."),
    ),
)

COR_7_2 = Claim(
    id="cor-7.2",
    title="Asymptotic regret of OrchExplore",
    source="Corollary 7.2",
    kind=Kind.ASYMPTOTIC,
    statement="The regret of OrchExplore divided by log T is asymptotically at most this.",
    reading="the limit of 7.1 as T grows and then epsilon vanishes",
    checked_by="regret slopes of orch-explore against log T",
    assumptions=given.MODEL,
    implicit=(given.SUB_GAUSSIAN, given.BOUNDED_MEANS),
    quantities=(Quantity("regret per log T", "reward per log T", per_log(TERMS)),),
    policy="orch-explore",
    repairs=(
        Repair(
            "It is said to match the lower bound.",
            "It does so only up to factors of several hundred.",
        ),
    ),
)

# -- ours: true at any horizon -------------------------------------------------------------

SHARED = Ge(mbar, 2)
MIDDLE = (mu + mu_L) / 2
LOW_INDEX = Rational(37, 10)  # slots in which an index is below its mean, for each arm


def seldom(level: Expr, mean: Expr) -> Expr:
    """How often an estimate is on the wrong side of a level, in expectation."""
    return geometric(kl(level, mean))


# united explorations after which the interval of a capacity is narrow, and those that miss it
LEARN = smallest_count(2 * (m + 1), 2 / T, mu - (2 * m + 1) * s.y_k)
LEARN_MISSED = 4 * exp(-2 * (LEARN - 1) * s.y_k**2) * geometric(2 * s.y_k**2)
REACH = smallest_count(2 * (mbar - 1), 2 / T, (m_L - mbar + 1) * mu_L - (m_L + mbar - 1) * s.y_L)
REACH_MISSED = 2 * exp(-2 * (REACH - 1) * s.y_L**2) * geometric(2 * s.y_L**2)

SHARP_TERMS = (
    Term("failures", 2 * K * s.largest_regret),
    Term(
        "suboptimal arms",
        (mu_L - mu)
        * (INDEX / kl(s.c_k, s.e_k) + 1 + seldom(s.c_k, mu) + s.kept * (1 + seldom(s.e_k, mu_L))),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "capacities of filled arms",
        (f_star - m * mu + s.c_acc) * (LEARN + LEARN_MISSED),
        Arms.FILLED,
    ),
    Term("last arm", (f_star - m_L * mu_L + s.c_acc) * (REACH + REACH_MISSED), when=SHARED),
    Term("switch", Max(s.c_J, s.c_L) + s.c_acc),
    Term("overtaking", (f_star - m * mu + s.c_acc) * seldom(s.z_J, mu), Arms.SUBOPTIMAL),
    Term("overtaken", (s.c_J + s.c_acc) * seldom(s.z_J, mu), Arms.OPTIMAL),
    Term("overtaken by arm L", (s.c_L + s.c_acc) * seldom(s.z_L, mu), Arms.OPTIMAL, L_AT_LEAST_2),
    Term(
        "filled arm behind, others high",
        2 * s.c_far * seldom(s.b_between, mu),
        Arms.SUBOPTIMAL,
        L_AT_LEAST_2,
    ),
    Term(
        "filled arm behind, low",
        s.c_far * (2 * (K - s.few) * (1 + seldom(s.b_between, mu)) + LOW_INDEX),
        Arms.FILLED,
    ),
    Term(
        "filled arm behind arm L, which is high",
        2 * s.c_far * seldom(s.b_L, mu_L),
        when=L_AT_LEAST_2,
    ),
    Term("filled arm behind arm L, low", s.c_far * s.wait * (1 + seldom(s.b_L, mu)), Arms.FILLED),
    Term("arm L behind, others high", 2 * s.c_near * seldom(s.b_after, mu), Arms.SUBOPTIMAL),
    Term("arm L behind, low", s.c_near * (2 * (K - L) * (1 + seldom(s.b_after, mu_L)) + LOW_INDEX)),
)

LEVELS = (
    Level(s.c_k, mu, MIDDLE, Arms.SUBOPTIMAL),
    Level(s.e_k, MIDDLE, mu_L, Arms.SUBOPTIMAL),
    Level(s.y_k, 0 * mu, mu / (2 * m + 1), Arms.FILLED),
    Level(s.y_L, 0 * mu_L, (m_L - mbar + 1) * mu_L / (m_L + mbar - 1), when=SHARED),
    Level(s.z_J, s.mu_after, mu_L),
    Level(s.z_L, mu_L, s.mu_before, when=L_AT_LEAST_2),
    Level(s.b_L, mu_L, s.mu_before, when=L_AT_LEAST_2),
    Level(s.b_between, s.mu_after, s.mu_before, when=L_AT_LEAST_2),
    Level(s.b_after, s.mu_after, mu_L),
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
        *given.LAST_ALONE,
        given.WITHIN_PLAYS,
        given.HORIZON_3,
    ),
    quantities=(Quantity("regret", "reward", SHARP_TERMS, trivial=Trivial.REGRET, levels=LEVELS),),
    policy="orch-explore",
    ours=True,
)

CLAIMS = (THM_7_1, COR_7_2, SHARP_7_1)
