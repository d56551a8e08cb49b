"""Theorem H.1: the regret of ETC-UCB."""

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.unevaluated import log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.explorations.cards import A
from boundcheck.theories.shareable_arms.orch_explore.cards import MEANS_UP_TO_1
from boundcheck.theories.shareable_arms.ranks import L_AT_LEAST_2, Arms
from boundcheck.theories.shareable_arms.symbols import K, N, T, m, m_L, mu, mu_1, mu_before, mu_L, w

TERMS = (
    Term("suboptimal arms", 8 * (mu_1 - mu) * m / (mu_L - mu) ** 2 * log(T), Arms.SUBOPTIMAL),
    Term("last arm", 8 * (mu_1 - mu_L) * m_L / (mu_before - mu_L) ** 2 * log(T), when=L_AT_LEAST_2),
    Term("capacities", w * A * log(T), Arms.ALL),
    Term("failures", 6 * K * N),
)

CLAIMS = (
    Claim(
        id="thm-H.1",
        title="Regret upper bound of ETC-UCB",
        source="Theorem H.1 (thm:etc_ucb_bound)",
        kind=Kind.UPPER_BOUND,
        statement="The expected regret of ETC-UCB up to T is at most this.",
        reading="S = [K] at the start and in the UCB phase",
        checked_by="simulated regret of etc-ucb (e-process)",
        assumptions=(given.VARIANCE, given.DISTINCT, given.POSITIVE_LAST, given.WITHIN_PLAYS),
        implicit=(given.SUB_GAUSSIAN, given.BOUNDED_MEANS, given.HORIZON_ALL),
        quantities=(Quantity("regret", "reward", TERMS, trivial=Trivial.REGRET),),
        policy="etc-ucb",
        repairs=(
            MEANS_UP_TO_1,
            Repair("It has no horizon condition.", "It needs that of 5.3a at delta = 2/T."),
            Repair(
                "The union bound does not cover Gaussian variance 1/2.", "It needs sigma <= 1/2."
            ),
        ),
    ),
)
