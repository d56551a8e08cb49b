"""Lemmas 5.1 and 5.2: the uniform confidence interval for a capacity, and the estimator."""

from sympy import Symbol

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Repair
from boundcheck.functions import phi
from boundcheck.symbols import delta

tau = Symbol("tau", positive=True)
iota = Symbol("iota", positive=True)

UNIFORM_WIDTH = phi(tau, delta) + phi(iota, delta)

CLAIMS = (
    Claim(
        id="lem-5.1",
        title="Uniform confidence interval for a capacity",
        source="Lemma 5.1 (lma:ufc_m)",
        kind=Kind.COVERAGE,
        statement="With probability at least 1 - delta, at all times at once, the capacity lies in "
        "[nu/(mu + s), nu/(mu - s)], s the sum of the two widths.",
        reading="unconditional: P(some t has mu_hat > s and m outside) <= delta; the printed "
        "'conditioned on' is false as a conditional probability",
        checked_by="exact one-time computation, Monte-Carlo coverage over balanced and unbalanced "
        "counts, binomial lattices for the conditional form",
        assumptions=(given.VARIANCE,),
        implicit=(given.SUB_GAUSSIAN,),
        formula=UNIFORM_WIDTH,
        repairs=(
            Repair(
                "Gaussian variances above 1/4 are not covered.",
                "The width 2 sigma phi covers them.",
            ),
            Repair(
                "The words 'conditioned on' make it a conditional probability, which is false.",
                "The unconditional form is meant.",
            ),
            Repair(
                "Two widths are added, one for each kind of exploration.",
                "One joint width is enough, and is valid on every path.",
                "sharp-5.1",
            ),
        ),
    ),
    Claim(
        id="lem-5.2",
        title="The capacity estimator is right when its bounds meet",
        source="Lemma 5.2 (lma:learning_m_criterion)",
        kind=Kind.COVERAGE,
        statement="If the lower and upper confidence bounds of a capacity are equal, their common "
        "value is the capacity with probability at least 1 - delta.",
        reading="as printed: a conditional probability given that the bounds meet",
        checked_by="exact binomial lattices",
        assumptions=(given.VARIANCE,),
        implicit=(given.SUB_GAUSSIAN,),
        formula=UNIFORM_WIDTH,
        repairs=(
            Repair(
                "It is a probability given an event that may be rare, and as such it is false.",
                "What is meant is P(at some time the bounds meet at a wrong value) <= delta.",
            ),
        ),
    ),
)
