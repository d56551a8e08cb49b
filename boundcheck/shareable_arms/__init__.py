"""The theory of multiple-play bandits with shareable arms of finite capacity."""

from boundcheck import assumptions as given
from boundcheck.claims import catalogue
from boundcheck.theory import Theory

_FAMILIES = {
    "lower_explorations.thm_4_1": ("thm-4.1a", "thm-4.1b"),
    "lower_explorations.rem_4_2": ("rem-4.2",),
    "lower_explorations.sharp_4_1": ("sharp-4.1", "sharp-4.1-test"),
    "interval.lem_5_1": ("lem-5.1", "sharp-5.1"),
    "interval.lem_5_2": ("lem-5.2", "lem-J.2"),
    "interval.lem_j_1": ("lem-J.1",),
    "interval.lem_d_1": ("lem-D.1", "lem-G.4"),
}

THEORY = Theory(
    name="shareable arms",
    cards=catalogue(),
    model=(given.VARIANCE, given.DISTINCT, given.WITHIN_PLAYS),
    modules={
        claim: f"{__name__}.{module}" for module, claims in _FAMILIES.items() for claim in claims
    },
)
