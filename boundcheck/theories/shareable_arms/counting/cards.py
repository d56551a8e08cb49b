"""Lemmas E.1 to E.5: the counting lemmas behind Theorem 7.1."""

from sympy import Integer, Symbol

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.orch_explore.cards import PULLS
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import K, N, epsilon

c = Symbol("c", positive=True)

CLAIMS = (
    Claim(
        id="lem-E.1",
        title="Slots with a bad empirical mean",
        source="Lemma E.1 (lma:empirical_mean), from Wang et al. (2020), Lemma 3",
        kind=Kind.UPPER_BOUND,
        statement="Where an arm is played with probability at least c, the expected number of "
        "slots in which its empirical mean is off by epsilon is at most this.",
        reading="rewards sub-Gaussian with sigma at most 1/2",
        checked_by="exact sums of tail probabilities, simulation of event counts",
        assumptions=(given.VARIANCE,),
        implicit=(given.SUB_GAUSSIAN,),
        formula=2 / c * (2 / c + epsilon**-2),
        repairs=(
            Repair("The constants are larger than needed.", "The bound (1 + epsilon^-2)/c holds."),
        ),
    ),
    Claim(
        id="lem-E.2",
        title="Slots with an index below the mean",
        source="Lemma E.2 (lma:kl_ucb)",
        kind=Kind.UPPER_BOUND,
        statement="The expected number of slots in which an arm's index lies below its mean is at "
        "most 30.",
        reading="index log t + 4 log log t; slots of both kinds of rounds",
        checked_by="simulation of event counts",
        assumptions=(given.VARIANCE,),
        quantities=(
            Quantity("slots", "slots", (Term("slots", Integer(30)),), Arms.ALL, Trivial.SLOTS),
        ),
        repairs=(
            Repair(
                "It counts 15 slots for each kind of round.",
                "There are at most 8 of each kind, hence 16 in all.",
            ),
        ),
    ),
    Claim(
        id="lem-E.3",
        title="Bad slots are covered by three kinds",
        source="Lemma E.3 (lma:kc_initial_bound_1)",
        kind=Kind.ALGEBRA,
        statement="Every slot with a wrong empirical order or a bad mean is one with a bad mean "
        "among the played arms, a low index, or a bad mean of an arm wrongly left out.",
        reading="epsilon below half the smallest gap",
        checked_by="exhaustive check over small instances and event counts in simulation",
        assumptions=(given.DISTINCT, given.EPSILON),
        formula=Symbol(r"A \cup B \subseteq B \cup C \cup D"),
        repairs=(
            Repair(
                "It is stated for every slot, but one of united exploration repeats the action of "
                "the slot before, whose estimates may have been worse.",
                "It holds for slots of individual exploration.",
            ),
        ),
    ),
    Claim(
        id="lem-E.4",
        title="Number of bad slots",
        source="Lemma E.4 (lma:kc_initial_bound_2)",
        kind=Kind.UPPER_BOUND,
        statement="The expected numbers of slots of the three kinds add up to at most this.",
        reading="constants as printed",
        checked_by="certified arithmetic over (K, N, epsilon), event counts in simulation",
        assumptions=(given.VARIANCE, given.DISTINCT, given.EPSILON),
        implicit=(given.SUB_GAUSSIAN, given.NOT_TWO_ARMS),
        quantities=(
            Quantity(
                "slots",
                "slots",
                (Term("slots", 12 * K**2 * N * (4 + epsilon**-2)),),
                trivial=Trivial.SLOTS,
                optimise_epsilon=True,
            ),
        ),
        repairs=(
            Repair(
                "For (K, N) = (2, 1) the parts add up to more than the factor 12 allows.",
                "This case must be excluded.",
            ),
        ),
    ),
    Claim(
        id="lem-E.5",
        title="Deliberate explorations of a suboptimal arm",
        source="Lemma E.5 (lma:kc_explore_bound)",
        kind=Kind.UPPER_BOUND,
        statement="The expected number of deliberate explorations of a suboptimal arm, once the "
        "capacities are known, is at most this.",
        reading="slots outside the bad ones",
        checked_by="simulation of orch-explore-kc",
        assumptions=(given.VARIANCE, given.DISTINCT, given.EPSILON),
        implicit=(given.SUB_GAUSSIAN,),
        quantities=(
            Quantity(
                "explorations",
                "slots",
                (Term("index", PULLS), Term("bad means", 2 * (2 + epsilon**-2))),
                Arms.SUBOPTIMAL,
                Trivial.SLOTS,
                optimise_epsilon=True,
            ),
        ),
    ),
)
