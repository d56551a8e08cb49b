"""Cards of Theorem 4.3, Lemma C.3 and our exact constant: the regret of consistent policies."""

from sympy import Expr

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.functions import kl, law_divergence
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.functions import capacity_divergence
from boundcheck.theories.shareable_arms.lower_explorations.cards import scale
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import m, m_L, mbar, mu, mu_after, mu_L

SUBOPTIMAL = Term("suboptimal arms", (mu_L - mu) / kl(mu, mu_L), Arms.SUBOPTIMAL)
FILLED = Term("capacities of filled arms", (mu - mu_L) * scale, Arms.FILLED)
LAST = Term(
    "last arm", (mu_L - mu_after) * scale.xreplace({mu: mu_L, m: m_L}) / (m_L - mbar + 1) ** 2
)


def _growth(*terms: Term) -> Quantity:
    """A lower bound on growth; the trivial one is 0."""
    return Quantity("regret per log T", "reward per log T", terms, trivial=Trivial.ZERO)


def explored(divergence: Expr, surplus: Expr) -> Quantity:
    """The cost of exploring arms beyond L, and loads beyond capacities, per unit of information."""
    return _growth(
        Term("suboptimal arms", (mu_L - mu) / divergence, Arms.SUBOPTIMAL),
        Term("capacities of filled arms", mu_L / surplus, Arms.FILLED),
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
            *given.MODEL,
            given.SHARED_LAST,
            given.SIGNAL_TO_NOISE.on(Arms.FILLED),
            given.SIGNAL_TO_NOISE_LAST,
        ),
        quantities=(_growth(SUBOPTIMAL, FILLED, LAST),),
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
    Claim(
        id="lem-C.3",
        title="Plays of a suboptimal arm",
        source="Lemma C.3, adapted from Anantharam, Varaiya and Walrand (1987), Theorem 3.1",
        kind=Kind.ASYMPTOTIC,
        statement="A uniformly good policy plays a suboptimal arm at least this often per log T.",
        reading="one play at a time; divergence of the instance's laws",
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
    Claim(
        id="sharp-4.3",
        title="The exact constant of the regret lower bound",
        source="in place of Theorem 4.3",
        kind=Kind.ASYMPTOTIC,
        statement="The smallest possible growth of regret per log T of a consistent policy.",
        reading="the law is known but for its means: Gaussian with a common known variance, "
        "Bernoulli, where one success at a surplus load gives the capacity away, or Beta with a "
        "known concentration; for a law on [0, 1] of which nothing else is known, the constant is "
        "not known to us",
        checked_by="its proof, step by step (docs/theorems/attainment.md), and the brute-force "
        "Graves-Lai program on small instances",
        assumptions=(given.KNOWN_LAW, *given.LAST_ALONE, given.POSITIVE_LAST),
        quantities=(explored(law_divergence(mu, mu_L), capacity_divergence(m, mu)),),
        ours=True,
    ),
)
