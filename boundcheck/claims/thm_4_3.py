"""Theorem 4.3: the regret lower bound for consistent policies (Gaussian rewards)."""

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.thm_4_1 import scale
from boundcheck.functions import kl
from boundcheck.ranks import Arms
from boundcheck.symbols import m, m_L, mbar, mu, mu_after, mu_L

SUBOPTIMAL = Term("suboptimal arms", (mu_L - mu) / kl(mu, mu_L), Arms.SUBOPTIMAL)
FILLED = Term("capacities of filled arms", (mu - mu_L) * scale, Arms.FILLED)
LAST = Term(
    "last arm",
    (mu_L - mu_after) * scale.xreplace({mu: mu_L, m: m_L}) / (m_L - mbar + 1) ** 2,
)

CLAIMS = (
    Claim(
        id="thm-4.3",
        title="Regret lower bound",
        source="Theorem 4.3 (thm:regret_lower_bound)",
        kind=Kind.ASYMPTOTIC,
        statement="The regret of any consistent policy, divided by log T, is asymptotically at "
        "least this.",
        reading="common known variance; with a common unknown variance the counterexamples stand "
        "too (docs/theorems/attainment.md, 2.5); with arm-specific unknown variances it is left "
        "open",
        checked_by="comparison with the exact constant sharp-4.3, and regret slopes by simulation",
        assumptions=(
            given.GAUSSIAN,
            given.VARIANCE,
            given.DISTINCT,
            given.POSITIVE_LAST,
            given.WITHIN_PLAYS,
            given.SHARED_LAST,
            given.SIGNAL_TO_NOISE.on(Arms.FILLED),
            given.SIGNAL_TO_NOISE_LAST,
        ),
        quantities=(
            Quantity(
                "regret per log T",
                "reward per log T",
                (SUBOPTIMAL, FILLED, LAST),
                trivial=Trivial.ZERO,
            ),
        ),
        repairs=(
            Repair("The last condition is printed with m_k.", "It should have m_L there."),
            Repair(
                "A surplus play is charged mu_k - mu_L.",
                "By the gap identity it costs mu_L.",
                "sharp-4.3",
            ),
            Repair(
                "Arm L is charged for learning its capacity.",
                "It costs nothing where sigma is known, for the spread of its rewards under the "
                "optimal action tells the capacity.",
                "sharp-4.3",
            ),
            Repair(
                "The first term is said to hold for any law on [0, 1].",
                "It holds for Bernoulli rewards; any other law on [0, 1] has a larger divergence, "
                "and so less regret.",
            ),
        ),
    ),
)
