"""Lower bounds: on the growth of regret, on regret over all instances, on samples until an answer.

The number of samples that telling the best of two arms takes is T* kl(delta, 1 - delta) at least,
for every policy that errs with probability delta at most on a class of instances. T* depends on the
class: 8 sigma^2/gap^2 for all pairs of Gaussian arms, 1/kl(p, 1 - p) for the two instances
(p, 1 - p) and (1 - p, p).
"""

from __future__ import annotations

from sympy import Integer, sqrt

from boundcheck.claims import symbols as s
from boundcheck.claims.card import Assumption, Claim, Kind, Quantity, Repair, Term, Trivial
from boundcheck.claims.functions import kl_bernoulli, law_divergence
from boundcheck.claims.unevaluated import Eq, Ge, Gt
from boundcheck.theories.classic.policies import BCB, LS
from boundcheck.theories.classic.symbols import (
    AT_LEAST_K,
    AT_MOST_HALF,
    BERNOULLI,
    NORMAL,
    ONE_PLAY,
    TWO_ARMS,
    UNIT_VARIANCE,
    as_printed,
    growth,
    summed,
    words,
)

GARIVIER = "Garivier and Kaufmann 2016, Theorem 1"
ONE_PARAMETER = Assumption(
    "one-parameter-laws", "laws are known but for their means", fact="one-parameter"
)
FOR_ALL = "For every policy there is an instance on which it loses at least this."
SOME = ("some instance with means in [0, 1]", "what is known to suffice on all instances")

LAI_ROBBINS = growth(
    "lai-robbins",
    None,
    "Lai and Robbins 1985, Theorem 1",
    "The least growth of regret",
    summed("worse arms", s.gap / law_divergence(s.mu, s.best)),
    ONE_PARAMETER,
)


def minimax(
    name: str, law: str, source: str, term: Term, *given: Assumption, **more: object
) -> Claim:
    """A lower bound for all policies, on some instance."""
    return Claim(
        id=name,
        title=f"What every policy loses on some {law} instance" + as_printed(name),
        source=source,
        kind=Kind.LOWER_BOUND,
        over="instances",
        assumptions=(ONE_PLAY, *given),
        quantities=(Quantity("regret", "reward", (term,), trivial=Trivial.ZERO),),
        **words(FOR_ALL, *SOME),
        **more,  # type: ignore[arg-type]
    )


MINIMAX = minimax(
    "minimax-gaussian",
    "Gaussian",
    f"{LS}, Theorem 15.2",
    Term("regret", sqrt((s.K - 1) * s.T) / 27),
    NORMAL,
    UNIT_VARIANCE,
    Assumption("enough-slots", "T >= K - 1", Ge(s.T, s.K - 1)),
)
MINIMAX_BERNOULLI = minimax(
    "minimax-bernoulli",
    "Bernoulli",
    f"{BCB}, Theorem 3.4, T >= K added",
    Term("regret", sqrt(s.K * s.T) / 20),
    BERNOULLI,
    AT_LEAST_K,
)
MINIMAX_PRINTED = minimax(
    "minimax-bernoulli-printed",
    "Bernoulli",
    f"{BCB}, Theorem 3.4, as printed",
    Term("regret", sqrt(s.K * s.T) / 20),
    BERNOULLI,
    implicit=(AT_LEAST_K,),
    repairs=(Repair("T >= K is not asked for.", "With T >= K it holds.", "minimax-bernoulli"),),
)


def _samples(
    name: str, title: str, source: str, size: Term, *given: Assumption, **more: object
) -> Claim:
    """A lower bound on the samples until the better of two arms is named."""
    return Claim(
        id=name,
        title=title,
        source=source,
        kind=Kind.LEAST_STOPPING,
        assumptions=(ONE_PLAY, TWO_ARMS, *given),
        quantities=(Quantity("samples", "slots", (size,), trivial=Trivial.ZERO),),
        **words(
            "Every policy that errs with probability delta at most takes so many samples in the "
            "mean.",
            "every policy that is right with probability 1 - delta on the class",
            "the samples of a policy that is right so often",
        ),
        **more,  # type: ignore[arg-type]
    )


DIFFERENT = Assumption("one-best-arm", "one arm is best", Gt(s.smallest_gap, Integer(0)))
MIRRORED = Assumption(
    "mirrored-means", "the means are p and 1 - p", Eq(2 * s.best - s.smallest_gap, Integer(1))
)
ANSWER = kl_bernoulli(s.delta, 1 - s.delta)
PAIRS = Term("samples", 8 * s.sigma2 * ANSWER / s.smallest_gap**2)
POINTS = Term("samples", ANSWER / kl_bernoulli(s.best, 1 - s.best))
BEST_ARM = _samples(
    "best-arm",
    "Samples that telling the better of two Gaussian arms takes",
    f"{GARIVIER}, delta <= 1/2 added",
    PAIRS,
    NORMAL,
    DIFFERENT,
    AT_MOST_HALF,
)
BEST_ARM_PRINTED = _samples(
    "best-arm-printed",
    "Samples that telling the better of two Gaussian arms takes (as printed)",
    f"{GARIVIER}, as printed",
    PAIRS,
    NORMAL,
    DIFFERENT,
    implicit=(AT_MOST_HALF,),
    repairs=(
        Repair("It is stated for delta in (0, 1).", "It holds for delta <= 1/2.", "best-arm"),
    ),
)
BEST_OF_TWO_POINTS = _samples(
    "best-arm-two-points",
    "Samples that telling two instances (p, 1 - p) and (1 - p, p) apart takes",
    f"{LS}, Theorem 33.5, with kl(delta, 1 - delta) as in Garivier and Kaufmann 2016",
    POINTS,
    BERNOULLI,
    DIFFERENT,
    AT_MOST_HALF,
    MIRRORED,
)
CARDS = (
    *(LAI_ROBBINS, MINIMAX, MINIMAX_BERNOULLI, MINIMAX_PRINTED),
    *(BEST_ARM, BEST_ARM_PRINTED, BEST_OF_TWO_POINTS),
)
