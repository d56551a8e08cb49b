"""The paper's theory: multiple-play bandits with shareable arms of finite capacity.

Each family of results has a folder with its cards and a module for each result (statements, cases,
measurements, search strategies). The proofs are in `proofs`; only the command `proofs` and the
audit import it, by name, and nothing else needs it.
"""

from importlib.util import find_spec

from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.cards import CARDS
from boundcheck.theories.shareable_arms.outside import outside
from boundcheck.theories.shareable_arms.question import Question
from boundcheck.theories.shareable_arms.setting import derive
from boundcheck.theory import Theory, Topic
from simulation.policies import POLICIES

_STATEMENTS = {  # family -> claims with a module there
    "lower_explorations": ("thm-4.1a", "thm-4.1b", "rem-4.2", "sharp-4.1", "sharp-4.1-test"),
    "lower_regret": ("thm-4.3", "lem-C.3", "sharp-4.3"),
    "interval": ("lem-5.1", "lem-5.2", "lem-D.1", "lem-J.1", "lem-J.2", "sharp-5.1"),
    "explorations": ("thm-5.3a", "thm-5.3b", "lem-E.6", "cor-J.3", "sharp-5.3a", "sharp-5.3b"),
    "counting": ("lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5"),
    "orch_explore": ("thm-7.1", "cor-7.2", "sharp-7.1"),
    "elimination": ("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5"),
    "etc_ucb": ("thm-H.1",),
    "rem_8_1": ("rem-8.1",),
    "law_free": ("sharp-4.3-law-free",),
}

_PROOFS = {
    "proof_4_1a": ("thm-4.1a",),
    "proof_4_1b": ("thm-4.1b", "rem-4.2"),
    "proof_4_3": ("lem-C.3", "thm-4.3"),
    "proof_5_1": ("lem-D.1", "lem-5.1", "lem-5.2"),
    "proof_5_3": ("thm-5.3a", "thm-5.3b"),
    "proof_e_1": ("lem-E.1", "lem-E.2"),
    "proof_e_3": ("lem-E.3",),
    "proof_e_4": ("lem-E.4",),
    "proof_e_5": ("lem-E.5", "lem-E.6"),
    "proof_7_1": ("thm-7.1", "cor-7.2"),
    "proof_8_1": ("rem-8.1",),
    "proof_g": ("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5"),
    "proof_h_1": ("thm-H.1",),
    "proof_j": ("lem-J.1", "lem-J.2", "cor-J.3"),
    "proof_sharp_4_1": ("sharp-4.1", "sharp-4.1-test"),
    "proof_likelihood": ("sharp-4.3",),
    "proof_sharp_5_1": ("sharp-5.1",),
    "proof_sharp_5_3": ("sharp-5.3a", "sharp-5.3b"),
    "proof_sharp_7_1": ("sharp-7.1",),
    "proof_law_free": ("sharp-law-free",),
    "proof_law_free_scale": ("sharp-law-free-scale",),
    "proof_4_3_law_free": ("sharp-4.3-law-free",),
}


def _room(family: str, claim: str) -> str:
    """The module with a claim's statements, named after the claim."""
    return f"{__name__}.{family}.{claim.lower().replace('-', '_').replace('.', '_')}"


def _proofs() -> dict[str, str]:
    """The module with the proof of each claim; empty if the folder `proofs` is missing."""
    spec = find_spec(f"{__name__}.proofs")
    if spec is None or spec.origin is None:  # the folder is missing or empty
        return {}
    return {claim: f"{spec.name}.{name}" for name, claims in _PROOFS.items() for claim in claims}


THEORY = Theory(
    name="shareable arms",
    cards=CARDS,
    derive=derive,
    model=(given.VARIANCE, given.DISTINCT, given.WITHIN_PLAYS),
    outside=outside,
    statement_modules={
        claim: _room(family, claim) for family, claims in _STATEMENTS.items() for claim in claims
    },
    proofs=_proofs(),
    policies=POLICIES,
    main="thm-7.1",
    questions=(
        Topic(
            "How many explorations does it take to learn a capacity?",
            ("thm-4.1a", "sharp-4.1", "thm-5.3a", "sharp-5.3a"),
        ),
        Topic("What regret can no policy avoid?", ("thm-4.3", "sharp-4.3", "sharp-4.3-law-free")),
        Topic("What regret does OrchExplore guarantee?", ("thm-7.1", "sharp-7.1")),
    ),
    sizes=("thm-4.1a", "sharp-4.1", "thm-5.3a", "sharp-5.3a", "cor-J.3"),
    question=Question,
    audited=("paper", "paper-gaussian", "5g-4g", "textbook"),
    pages=f"{__name__}.pages.paper",
    selftest_cases=f"{__name__}.selftest_cases",
    records=__name__,
)
