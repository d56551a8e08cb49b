"""Lemma C.3: a suboptimal arm must be tried about log T / KL times (Anantharam et al.)."""

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.functions import law_divergence
from boundcheck.ranks import Arms
from boundcheck.symbols import mu, mu_L

CLAIMS = (
    Claim(
        id="lem-C.3",
        title="Plays of a suboptimal arm",
        source="Lemma C.3, adapted from Anantharam, Varaiya and Walrand (1987), Theorem 3.1",
        kind=Kind.ASYMPTOTIC,
        statement="A uniformly good policy plays a suboptimal arm at least this often per log T.",
        reading="one play at a time; divergence of the laws at hand",
        checked_by="brute-force Graves-Lai program on small instances",
        assumptions=(given.KNOWN_LAW, given.DISTINCT),
        quantities=(
            Quantity(
                "slots per log T",
                "slots per log T",
                (Term("slots", 1 / law_divergence(mu, mu_L)),),
                Arms.SUBOPTIMAL,
                Trivial.ZERO,
            ),
        ),
        repairs=(Repair("An epsilon is introduced and never used.", "It can be dropped."),),
    ),
)
