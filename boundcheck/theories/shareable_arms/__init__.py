"""The theory of multiple-play bandits with shareable arms of finite capacity.

A folder for each family of results: its cards, a module for each result (statements, cases,
measurements, search space) and beside it its proof, step by step.
"""

from collections.abc import Mapping

from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.cards import CARDS
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.setting import derive
from boundcheck.theory import Theory, Topic
from simulation.policies import POLICIES

_STATEMENTS = {
    "lower_explorations.thm_4_1": ("thm-4.1a", "thm-4.1b", "rem-4.2"),
    "lower_explorations.sharp_4_1": ("sharp-4.1", "sharp-4.1-test"),
    "interval.lem_5_1": ("lem-5.1", "sharp-5.1", "lem-J.1"),
    "interval.lem_5_2": ("lem-5.2", "lem-J.2"),
    "interval.lem_d_1": ("lem-D.1", "lem-G.4"),
    "explorations.thm_5_3": (
        *("thm-5.3a", "thm-5.3b", "sharp-5.3a", "sharp-5.3b"),
        *("lem-E.6", "cor-J.3"),
    ),
    "lower_regret.thm_4_3": ("thm-4.3",),
    "lower_regret.sharp_4_3": ("sharp-4.3", "lem-C.3"),
    "law_free.lower_regret": ("sharp-4.3-law-free",),
    "rem_8_1.orderings": ("rem-8.1",),
    "counting.lem_e_1": ("lem-E.1",),
    "counting.lem_e_2": ("lem-E.2",),
    "counting.lem_e_3": ("lem-E.3",),
    "counting.lem_e_4": ("lem-E.4", "lem-E.5"),
    "orch_explore.thm_7_1": ("thm-7.1", "sharp-7.1", "cor-7.2"),
    "elimination.thm_g": ("thm-G.1", "cor-G.2", "thm-G.3", "thm-G.5"),
    "etc_ucb.thm_h_1": ("thm-H.1",),
}

_PROOFS = {
    "proofs.proof_4_1a": ("thm-4.1a",),
    "proofs.proof_4_1b": ("thm-4.1b", "rem-4.2"),
    "proofs.proof_4_3": ("lem-C.3", "thm-4.3"),
    "proofs.proof_5_1": ("lem-D.1", "lem-5.1", "lem-5.2"),
    "proofs.proof_5_3": ("thm-5.3a", "thm-5.3b"),
    "proofs.proof_e_1": ("lem-E.1", "lem-E.2"),
    "proofs.proof_e_3": ("lem-E.3",),
    "proofs.proof_e_4": ("lem-E.4",),
    "proofs.proof_e_5": ("lem-E.5", "lem-E.6"),
    "proofs.proof_7_1": ("thm-7.1", "cor-7.2"),
    "proofs.proof_8_1": ("rem-8.1",),
    "proofs.proof_g": ("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5"),
    "proofs.proof_h_1": ("thm-H.1",),
    "proofs.proof_j": ("lem-J.1", "lem-J.2", "cor-J.3"),
    "proofs.proof_sharp_4_1": ("sharp-4.1", "sharp-4.1-test"),
    "proofs.proof_likelihood": ("sharp-4.3",),
    "proofs.proof_sharp_5_1": ("sharp-5.1",),
    "proofs.proof_sharp_5_3": ("sharp-5.3a", "sharp-5.3b"),
    "proofs.proof_sharp_7_1": ("sharp-7.1",),
    "proofs.proof_law_free": ("sharp-law-free",),
}


def _by_claim(modules: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {claim: f"{__name__}.{name}" for name, claims in modules.items() for claim in claims}


THEORY = Theory(
    name="shareable arms",
    cards=CARDS,
    derive=derive,
    model=(given.VARIANCE, given.DISTINCT, given.WITHIN_PLAYS),
    statement_modules=_by_claim(_STATEMENTS),
    proofs=_by_claim(_PROOFS),
    policies=POLICIES,
    main="thm-7.1",
    questions=(
        Topic(
            "How many explorations does it take to learn a capacity?",
            ("thm-4.1a", "sharp-4.1", "thm-5.3a", "sharp-5.3a"),
        ),
        Topic("What regret can no policy avoid?", ("thm-4.3", "sharp-4.3")),
        Topic("What regret does OrchExplore guarantee?", ("thm-7.1", "sharp-7.1")),
    ),
    sizes=("thm-4.1a", "sharp-4.1", "thm-5.3a", "sharp-5.3a", "cor-J.3"),
    default_threshold_arms=Arms.LAST,
    audited=("paper", "paper-gaussian", "5g-4g", "textbook"),
    pages=f"{__name__}.pages.paper",
    selftest_cases=f"{__name__}.selftest_cases",
    records=__name__,
)
