"""Appendix G: MP-SE-SA (G.1, G.2), MP-SE (G.3), the martingale lemma (G.4), MP-SE-SA-KC (G.5)."""

from sympy import Symbol, sqrt, symbols

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.functions import logbar
from boundcheck.claims.unevaluated import log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.explorations.cards import A
from boundcheck.theories.shareable_arms.ranks import L_AT_LEAST_2, N_AT_LEAST_2, Arms
from boundcheck.theories.shareable_arms.symbols import (
    K,
    L,
    N,
    T,
    delta,
    g_L,
    g_N,
    gamma,
    h,
    m,
    mu,
    mu_before,
    mu_L,
    mu_N,
    mu_N_before,
    w,
    xi,
)

length, t = symbols("b-a t", positive=True)


def _elimination(ratio: Symbol, reference: Symbol) -> Symbol:
    gap = reference - mu
    return 342 * gamma**2 * ratio / gap * logbar(T * gap**2 / (18 * gamma**2))


KNOWN = (
    Term("elimination", m * _elimination(g_L, mu_L), Arms.SUBOPTIMAL),
    Term("order of the best arms", 4 * (L - 1) * h / (mu_before - mu_L) ** 2, when=L_AT_LEAST_2),
)
TERMS = (
    *KNOWN,
    Term("capacities", w * A * logbar(T / xi), Arms.FIRST_N),
    Term("failures", 2 * xi * K * h),
)
UNIT = (
    Term("elimination", _elimination(g_N, mu_N), Arms.BEYOND_N),
    Term("order of the best arms", 2 * (N - 1) * h / (mu_N_before - mu_N) ** 2, when=N_AT_LEAST_2),
)
MODEL = (given.VARIANCE, given.DISTINCT, given.POSITIVE_LAST, given.WITHIN_PLAYS, given.GAMMA)
WASTED = Repair(
    "Plays left over in an individual exploration are wasted.",
    "They must be used, for else the bound fails where K = N + 1.",
)
FAR_ABOVE_1 = Repair(
    "The first slot alone may lose more than the bound.", "All means must lie in [0, 1]."
)

CLAIMS = (
    Claim(
        id="thm-G.1",
        title="Regret upper bound of MP-SE-SA",
        source="Theorem G.1 (thm:main_regret)",
        kind=Kind.UPPER_BOUND,
        statement="The expected regret of MP-SE-SA up to T is at most this.",
        reading="left-over plays of an individual exploration are used, not wasted",
        checked_by="simulated regret of mp-se-sa (e-process)",
        assumptions=(*MODEL, given.XI, given.HORIZON_ELIMINATION),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(Quantity("regret", "reward", TERMS, trivial=Trivial.REGRET),),
        policy="mp-se-sa",
        repairs=(
            Repair(
                "The horizon condition belongs to another constant.",
                "It should be that of 7.1.",
                "sharp-7.1",
            ),
            Repair(
                "Until the capacities are known, elimination depends on the gap between arms N and "
                "N + 1, which the bound does not contain.",
                "The bound is false where these two arms nearly tie.",
            ),
        ),
    ),
    Claim(
        id="cor-G.2",
        title="Asymptotic regret of MP-SE-SA",
        source="Corollary G.2 (cor:asymptotical_bound)",
        kind=Kind.ASYMPTOTIC,
        statement="The regret of MP-SE-SA is at most of the order of this times log T.",
        reading="an order of growth: constants dropped",
        checked_by="regret slopes of mp-se-sa",
        assumptions=(given.DISTINCT, given.POSITIVE_LAST),
        quantities=(
            Quantity(
                "order per log T",
                "reward per log T",
                (
                    Term("elimination", g_L * m / (mu_L - mu), Arms.SUBOPTIMAL),
                    Term("capacities", w**2 * m**2 / mu**2, Arms.FIRST_N),
                ),
            ),
        ),
        policy="mp-se-sa",
        repairs=(
            Repair("The weight is printed as w_k^2.", "It should be w_k, as in G.1."),
            Repair(
                "The gap between arms N and N + 1 is missing: this is the defect of G.1, not one "
                "more.",
                "Where these two arms nearly tie, regret grows faster than any multiple of this.",
            ),
        ),
    ),
    Claim(
        id="thm-G.3",
        title="Regret upper bound of MP-SE",
        source="Theorem G.3 (thm:mp_se_upper)",
        kind=Kind.UPPER_BOUND,
        statement="With every capacity equal to 1, the expected regret of MP-SE up to T is at most "
        "this.",
        reading="left-over plays of an individual exploration are used, not wasted",
        checked_by="simulated regret of mp-se (e-process)",
        assumptions=(given.VARIANCE, given.DISTINCT, given.UNIT_CAPACITIES, given.GAMMA),
        implicit=(given.BOUNDED_MEANS,),
        quantities=(Quantity("regret", "reward", UNIT, trivial=Trivial.REGRET),),
        policy="mp-se",
        repairs=(WASTED, FAR_ABOVE_1),
    ),
    Claim(
        id="lem-G.4",
        title="Maximal inequality for martingale differences",
        source="Lemma G.4 (lma:martingale), from Perchet and Rigollet (2013), Lemma A.1",
        kind=Kind.COVERAGE,
        statement="A bounded martingale's running mean crosses this width before T with "
        "probability at most delta.",
        reading="differences in [a, b]",
        checked_by="Monte-Carlo of the crossing probability",
        formula=sqrt(2 * length**2 / t * log(4 / delta * T / t)),
        repairs=(Repair("The words 'every S > 0' are never used.", "They can be dropped."),),
    ),
    Claim(
        id="thm-G.5",
        title="Regret upper bound of MP-SE-SA with known capacities",
        source="Theorem G.5 (thm:mp_se_sa_known_upper)",
        kind=Kind.UPPER_BOUND,
        statement="With known capacities the expected regret of MP-SE-SA up to T is at most this.",
        reading="left-over plays of an individual exploration are used, not wasted",
        checked_by="simulated regret of se-kc (e-process)",
        assumptions=MODEL,
        implicit=(given.BOUNDED_MEANS,),
        quantities=(Quantity("regret", "reward", KNOWN, trivial=Trivial.REGRET),),
        policy="se-kc",
        repairs=(WASTED, FAR_ABOVE_1),
    ),
)
