"""Lemmas D.1, 5.1, 5.2, J.1, J.2 and our joint interval: widths, intervals, estimators."""

from functools import partial

from sympy import sqrt, symbols

from boundcheck.claims.card import Claim, Kind, Repair
from boundcheck.claims.unevaluated import log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.functions import phi, psi, rho
from boundcheck.theories.shareable_arms.symbols import delta, sigma2

t, tau, iota = symbols("t tau iota", positive=True)
UNIFORM_WIDTH = phi(tau, delta) + phi(iota, delta)
HOEFFDING_WIDTH = rho(tau, delta) + rho(iota, delta)

UNCOVERED = "Gaussian variances above 1/4 are not covered."
WIDER = Repair(UNCOVERED, "The width 2 sigma phi covers them.")
WIDER_HOEFFDING = Repair(UNCOVERED, "The width 2 sigma rho covers them.")

_coverage = partial(Claim, kind=Kind.COVERAGE)
_printed = partial(_coverage, assumptions=(given.VARIANCE,), implicit=(given.SUB_GAUSSIAN,))

CLAIMS = (
    _printed(
        id="lem-5.1",
        title="Uniform confidence interval for a capacity",
        source="Lemma 5.1 (lma:ufc_m)",
        statement="With probability at least 1 - delta, at all times at once, the capacity lies in "
        "[nu/(mu + s), nu/(mu - s)], s the sum of the two widths.",
        reading="unconditional: P(some t has mu_hat > s and m outside) <= delta; the printed "
        "'conditioned on' is false as a conditional probability",
        checked_by="exact one-time computation, Monte-Carlo coverage over balanced and unbalanced "
        "counts, binomial lattices for the conditional form",
        formula=UNIFORM_WIDTH,
        repairs=(
            WIDER,
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
    _printed(
        id="lem-5.2",
        title="The capacity estimator is right when its bounds meet",
        source="Lemma 5.2 (lma:learning_m_criterion)",
        statement="If the lower and upper confidence bounds of a capacity are equal, their common "
        "value is the capacity with probability at least 1 - delta.",
        reading="unconditional: P(at some time the bounds meet at a wrong value) <= delta; as a "
        "probability given that they meet it is false",
        checked_by="exact binomial lattices, enclosed tails",
        formula=UNIFORM_WIDTH,
        repairs=(
            WIDER,
            Repair(
                "It is a probability given an event that may be rare, and as such it is false.",
                "What is meant is P(at some time the bounds meet at a wrong value) <= delta.",
            ),
        ),
    ),
    _coverage(
        id="lem-D.1",
        title="Time-uniform deviation of a mean",
        source="Lemma D.1 (lma:uci_basic), from Bourel, Maillard and Talebi (2020), Lemma 5",
        statement="With probability at least 1 - delta, at no time does the empirical mean of "
        "sigma-sub-Gaussian variables deviate by this much.",
        reading="t ranges over the positive integers",
        checked_by="Monte-Carlo and importance sampling of the crossing probability",
        formula=sqrt(sigma2) * sqrt((1 + 1 / t) * 2 * log(sqrt(t + 1) / delta) / t),
        repairs=(
            Repair(
                "It is printed 'for all sigma in (0,1)'.", "It should say 'for all delta in (0,1)'."
            ),
        ),
    ),
    _printed(
        id="lem-J.1",
        title="Hoeffding interval for a capacity at one time",
        source="Lemma J.1 (lma:ici_hfd)",
        statement="At one fixed time the capacity lies in [nu/(mu + s), nu/(mu - s)] with "
        "probability at least 1 - delta, s the sum of the two Hoeffding widths.",
        reading="the upper end is infinite where mu_hat <= s",
        checked_by="exact normal or binomial computation at one time",
        formula=HOEFFDING_WIDTH,
        repairs=(
            WIDER_HOEFFDING,
            Repair("The union bound gives 2 delta.", "A direct argument gives delta."),
        ),
    ),
    _printed(
        id="lem-J.2",
        title="The Hoeffding estimator is right when its bounds meet",
        source="Lemma J.2",
        statement="If the Hoeffding bounds of a capacity meet, their common value is the capacity "
        "with probability at least 1 - delta.",
        reading="unconditional: P(bounds meet at a wrong value) <= delta",
        checked_by="exact binomial lattices",
        formula=HOEFFDING_WIDTH,
        repairs=(
            WIDER_HOEFFDING,
            Repair("As a conditional statement it is false.", "The unconditional form is meant."),
        ),
    ),
    _coverage(
        id="sharp-5.1",
        title="Joint confidence interval for a capacity",
        source="in place of Lemma 5.1",
        statement="With probability at least 1 - delta, at all times at once and for any adaptive "
        "choice of explorations, the capacity lies in [nu/(mu + psi), nu/(mu - psi)].",
        reading="sub-Gaussian rewards of scale sigma",
        checked_by="Monte-Carlo coverage over balanced and unbalanced counts",
        formula=psi(tau, iota, delta, sigma2),
        ours=True,
    ),
)
