"""Cards of Theorem 7.1, Corollary 7.2 and our replacement for 7.1: the regret of OrchExplore.

Ours is a theorem, proved in docs/theorems/orch-explore.md: c_J, c_L and Delta are the regret of
united slots, rho_k bounds how many slots an arm waits for an exploration.
"""

from sympy import Expr, Integer, Rational

from boundcheck.claims.card import Claim, Kind, Level, Quantity, Range, Repair, Term, Trivial
from boundcheck.claims.functions import kl
from boundcheck.claims.growth import per_log
from boundcheck.claims.unevaluated import Ge, Max, Min, log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.explorations.cards import A
from boundcheck.theories.shareable_arms.orch_explore.functions import (
    above,
    below,
    learning,
    learning_last,
    sum_beyond,
    sum_far_beyond,
    sum_worse,
)
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
    assumptions=(*given.MODEL, given.HORIZON_OPTIMAL, given.EPSILON),
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
MANY_PAIRS = Ge(K * L, 3000)  # it has sums over pairs of arms, which take 0.1 ms a pair
FROM_LAST = Range(">=", L)
LOW_INDEX = Rational(37, 10)  # expected slots in which an index is below its mean, for each arm
HALF = Rational(1, 2)

SPREAD = (s.mu_after - s.mu_K) / 2  # d
MORE_THAN_ONE = Min(m - 1, 1)  # 1 for a capacity of 2 or more, else 0
SHORT = (m - 1) * (mu - s.mu_K) + MORE_THAN_ONE * SPREAD  # kap_k + d
SHORT_LAST = (mbar - 1) * (mu_L - s.mu_K) + SPREAD
SOURCE_LAST = Min(m_L, N - L + 1)  # M'_L
OUT_OF_ORDER = Max(s.c_J, s.c_L, s.second)  # w_1
BEHIND_LAST = Max(s.c_L, s.second)  # w_2
FIRST = Max(s.c_J, s.c_L)


def _between(low: Expr, high: Expr, share: Expr) -> Expr:
    """A point at this share of the way from one mean to another."""
    return low + share * (high - low)


def at_least_once(level: Expr, mean: Expr) -> Expr:
    """The expected number of counts n >= 0 at which a mean is low, including n = 0, without
    rewards.
    """
    return 1 + below(level, mean)


B_L = _between(mu_L, mu, s.theta_b)  # of a filled arm and arm L
B_AFTER = _between(mu, mu_L, s.theta_b)  # of arm L and an arm beyond it
B_PAIR = _between(s.mu_j, mu, s.theta_b)  # of a filled arm and one beyond L
E_K, E_J = _between(mu, mu_L, s.theta_e), _between(s.mu_j, mu_L, s.theta_e)
C_K = _between(mu, E_K, s.theta_c)
Y_K, Z_K = _between(mu_L, mu, s.theta_y), _between(s.mu_less, mu, s.theta_z)
LEARNING = (mu, m, N, L, mbar, f_star, T, s.sigma2)

SHARP_TERMS = (
    Term("failures", 2 * K * s.largest_regret),
    # individual slots: plays on an arm from L on that belong to a better one, ranked behind it
    Term(
        "plays on arm L for a filled arm, arm L high",
        2 * (m_L - mbar + HALF) * s.above_next * above(B_L, mu_L),
        Arms.FILLED,
    ),
    Term(
        "plays on arm L for a filled arm, that one low",
        s.wait * m * (mu - mu_L) * at_least_once(B_L, mu),
        Arms.FILLED,
    ),
    Term(
        "plays beyond L for arm L, the other high",
        2 * (m + Min(L - 1, 1) / 2) * (mu_L - mu) * above(B_AFTER, mu),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "plays beyond L for arm L, that one low",
        s.wait_L * SOURCE_LAST * s.below_last * at_least_once(B_AFTER, mu_L),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "plays beyond L for a filled arm, the other high",
        s.above_next * sum_beyond(2 * (s.m_j + HALF) * above(B_PAIR, s.mu_j)),
        Arms.FILLED,
    ),
    Term(
        "plays beyond L for a filled arm, that one low",
        s.wait * m * sum_beyond(s.fall_j * at_least_once(B_PAIR, mu)),
        Arms.FILLED,
    ),
    Term("index of a filled arm low", LOW_INDEX * (m * (mu - s.mu_K) + SPREAD), Arms.FILLED),
    Term("index of arm L low", LOW_INDEX * (SOURCE_LAST * (mu_L - s.mu_K) + SPREAD)),
    # draws
    Term("draws", (mu_L - mu) * (INDEX / kl(C_K, E_K) + 1 + above(C_K, mu)), Arms.SUBOPTIMAL),
    Term(
        "draws while the last arm is low",
        sum_beyond(s.fall_j * at_least_once(E_J, mu)),
        Arms.OPTIMAL,
    ),
    Term(
        "draws while a better arm is behind",
        s.wait / 2 * sum_far_beyond(s.fall_j * at_least_once(E_J, mu)),
        Arms.OPTIMAL,
    ),
    # capacities not known yet
    Term("capacities of filled arms", learning(*LEARNING), Arms.FILLED),
    Term("capacity of arm L", learning_last(*LEARNING), when=SHARED),
    Term("capacities just learnt", SHORT + MORE_THAN_ONE * s.second, Arms.FILLED),
    Term("capacity of arm L just learnt", SHORT_LAST, when=SHARED),
    Term("all capacities learnt", FIRST),
    Term(
        "filled arm short at an even slot",
        2 * SHORT * (at_least_once(Y_K, mu) + above(Y_K, mu_L) + sum_beyond(above(Y_K, s.mu_j))),
        Arms.FILLED,
    ),
    Term(
        "filled arm short and overtaken",
        SHORT * (below(Z_K, mu) + sum_worse(above(Z_K, s.mu_j))),
        Arms.FILLED,
    ),
    Term("arm L short, others high", 3 * SHORT_LAST * above(s.y_L, mu), Arms.SUBOPTIMAL, SHARED),
    Term("arm L short, low", SHORT_LAST * (2 + 3 * below(s.y_L, mu_L)), when=SHARED),
    # united slots that begin with the wrong arm, or continue with it
    Term(
        "united, filled arm behind, others high",
        2 * OUT_OF_ORDER * above(s.x_1, mu),
        Arms.SUBOPTIMAL,
        L_AT_LEAST_2,
    ),
    Term(
        "united, filled arm behind, low",
        OUT_OF_ORDER * (s.wait * at_least_once(s.x_1, mu) + LOW_INDEX),
        Arms.FILLED,
    ),
    Term(
        "united, filled arm behind arm L, which is high",
        2 * BEHIND_LAST * above(s.x_2, mu_L),
        when=L_AT_LEAST_2,
    ),
    Term(
        "united, filled arm behind arm L, low",
        BEHIND_LAST * s.wait_in * at_least_once(s.x_2, mu),
        Arms.FILLED,
    ),
    Term("united, overtaking", (f_star - m * mu) * above(s.x_3, mu), FROM_LAST, L_AT_LEAST_2),
    Term("united, overtaken", FIRST * below(s.x_3, mu), Arms.FILLED),
    Term("left-over plays, others high", 3 * s.second * above(s.x_4, mu), FROM_LAST, L_AT_LEAST_2),
    Term("left-over plays, filled arm low", s.second * below(s.x_4, mu), Arms.FILLED),
    Term(
        "united, arm L behind, others high",
        2 * (f_star - m * mu) * above(s.x_5, mu),
        Arms.SUBOPTIMAL,
        SHARED,
    ),
    Term(
        "united, arm L behind, low",
        s.c_J * (2 * (K - L) * at_least_once(s.x_5, mu_L) + below(s.x_5, mu_L) + LOW_INDEX),
        when=SHARED,
    ),
)

_NONE, _ALL = Integer(0), Integer(1)
LEVELS = (
    Level(s.theta_b, _NONE, _ALL),
    Level(s.theta_e, _NONE, _ALL),
    Level(s.theta_c, _NONE, _ALL, Arms.SUBOPTIMAL),
    Level(s.theta_y, _NONE, _ALL, when=L_AT_LEAST_2),
    Level(s.theta_z, _NONE, _ALL, when=L_AT_LEAST_2),
    Level(s.y_L, s.mu_after, mu_L, when=SHARED),
    Level(s.x_1, s.mu_after, s.mu_before, when=L_AT_LEAST_2),
    Level(s.x_2, mu_L, s.mu_before, when=L_AT_LEAST_2),
    Level(s.x_3, mu_L, s.mu_before, when=L_AT_LEAST_2),
    Level(s.x_4, mu_L, s.mu_before, when=L_AT_LEAST_2),
    Level(s.x_5, s.mu_after, mu_L, when=SHARED),
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
    quantities=(
        Quantity(
            "regret",
            "reward",
            SHARP_TERMS,
            trivial=Trivial.REGRET,
            levels=LEVELS,
            on_demand=MANY_PAIRS,
        ),
    ),
    policy="orch-explore",
    ours=True,
)

CLAIMS = (THM_7_1, COR_7_2, SHARP_7_1)
