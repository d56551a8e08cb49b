"""Theorem 7.1 and Corollary 7.2: the regret of OrchExplore."""

from boundcheck.claim import Claim, Kind, Quantity, Repair, Term, Trivial, per_log
from boundcheck.functions import kl
from boundcheck.shareable_arms import assumptions as given
from boundcheck.shareable_arms.explorations.cards import A
from boundcheck.shareable_arms.ranks import Arms
from boundcheck.symbols import K, N, T, epsilon, m, m_L, mbar, mu, mu_L, w, w_L
from boundcheck.unevaluated import log

INDEX = log(T) + 4 * log(log(T))
PULLS = INDEX / kl(mu + epsilon, mu_L - epsilon)

TERMS = (
    Term("suboptimal arms", (mu_L - mu) * PULLS, Arms.SUBOPTIMAL),
    Term("capacities of filled arms", w * A * log(T), Arms.FILLED),
    Term("last arm", w_L * A.xreplace({mu: mu_L, m: m_L}) / (m_L - mbar + 1) ** 2 * log(T)),
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

CLAIMS = (THM_7_1, COR_7_2)
