"""The theory of multiple-play bandits with shareable arms of finite capacity."""

from boundcheck import assumptions as given
from boundcheck.claims import catalogue
from boundcheck.ranks import Arms
from boundcheck.shareable_arms.setting import derive
from boundcheck.theory import Theory
from simulation.policies import POLICIES

_FAMILIES = {
    "lower_explorations.thm_4_1": ("thm-4.1a", "thm-4.1b"),
    "lower_explorations.rem_4_2": ("rem-4.2",),
    "lower_explorations.sharp_4_1": ("sharp-4.1", "sharp-4.1-test"),
    "interval.lem_5_1": ("lem-5.1", "sharp-5.1"),
    "interval.lem_5_2": ("lem-5.2", "lem-J.2"),
    "interval.lem_j_1": ("lem-J.1",),
    "interval.lem_d_1": ("lem-D.1", "lem-G.4"),
    "explorations.thm_5_3": ("thm-5.3a", "thm-5.3b", "sharp-5.3a", "sharp-5.3b"),
    "explorations.at_horizon": ("lem-E.6", "cor-J.3"),
    "lower_regret.thm_4_3": ("thm-4.3",),
    "lower_regret.sharp_4_3": ("sharp-4.3", "lem-C.3"),
    "lower_regret.law_free": ("sharp-4.3-law-free",),
    "rem_8_1.orderings": ("rem-8.1",),
    "counting.lem_e_1": ("lem-E.1",),
    "counting.lem_e_2": ("lem-E.2",),
    "counting.lem_e_3": ("lem-E.3",),
    "counting.lem_e_4": ("lem-E.4",),
    "counting.lem_e_5": ("lem-E.5",),
    "orch_explore.thm_7_1": ("thm-7.1", "sharp-7.1"),
    "orch_explore.cor_7_2": ("cor-7.2",),
    "elimination.thm_g_1": ("thm-G.1", "cor-G.2"),
    "elimination.thm_g_3": ("thm-G.3",),
    "elimination.thm_g_5": ("thm-G.5",),
    "etc_ucb.thm_h_1": ("thm-H.1",),
}

THEORY = Theory(
    name="shareable arms",
    cards=catalogue(),
    derive=derive,
    model=(given.VARIANCE, given.DISTINCT, given.WITHIN_PLAYS),
    modules={
        claim: f"{__name__}.{module}" for module, claims in _FAMILIES.items() for claim in claims
    },
    policies=POLICIES,
    main="thm-7.1",
    sizes=("thm-4.1a", "sharp-4.1", "thm-5.3a", "sharp-5.3a", "cor-J.3"),
    unasked=Arms.LAST,
    audited=("paper", "paper-gaussian", "5g-4g", "textbook"),
    proofs="boundcheck.proofs",
    pages="boundcheck.pages.paper",
    grounds=f"{__name__}.grounds",
)
