"""Named assumptions, each defined once; a card lists those that it needs, and for which arms."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Rational, Rel

from boundcheck.claims.card import Assumption
from boundcheck.claims.unevaluated import Eq, Ge, Gt, Le, Lt, exp, log
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import (
    K,
    N,
    T,
    d,
    delta,
    epsilon,
    gamma,
    m,
    mbar,
    mu,
    mu_L,
    sigma2,
    smallest_gap,
    snr,
    xi,
)

GAUSSIAN = Assumption("gaussian-rewards", "rewards are Gaussian", fact="gaussian")
KNOWN_LAW = Assumption(
    "known-law",
    "the law is known but for its means: Bernoulli, Gaussian of known variance, or Beta of known "
    "concentration",
    fact="one-parameter",
)
BOUNDED_REWARDS = Assumption(
    "rewards-in-unit-interval", "rewards lie in [0, 1]", fact="rewards in [0, 1]"
)
SCALE_ALONE = Assumption(
    "rewards-of-a-scale",
    "rewards are Gaussian, of one variance or of one for each arm",
    fact="gaussian or gaussian-by-arm",
)
VARIANCE = Assumption(
    "variance-at-most-half",
    "rewards on [0, 1], or Gaussian with variance at most 1/2",
    Le(sigma2, Rational(1, 2)),
)
SUB_GAUSSIAN = Assumption(
    "sub-gaussian-half",
    "rewards are sub-Gaussian with sigma at most 1/2",
    Le(sigma2, Rational(1, 4)),
)
BOUNDED_MEANS = Assumption(
    "means-in-unit-interval", "every mean lies in [0, 1]", Le(mu, 1), Arms.ALL
)
DISTINCT = Assumption("distinct-means", "no two means are equal", Gt(smallest_gap, 0))
LAST_ABOVE_OTHERS = Assumption(
    "last-mean-above-others", "no arm beyond L has the mean of arm L", Gt(mu_L, mu), Arms.SUBOPTIMAL
)
LAST_BELOW_FILLED = Assumption(
    "last-mean-below-filled", "no arm before L has the mean of arm L", Gt(mu, mu_L), Arms.FILLED
)
MEAN_WITHIN_CAPACITY = Assumption(
    "mean-within-capacity", "the mean is at most the capacity, as for rewards on [0, 1]", Le(mu, m)
)
POSITIVE = Assumption("positive-mean", "the arm's mean is positive", Gt(mu, 0))
NON_NEGATIVE = Assumption("non-negative-means", "no mean is below 0", Ge(mu, 0), Arms.ALL)
POSITIVE_LAST = Assumption(
    "positive-last-mean", "the last optimal arm has a positive mean", Gt(mu_L, 0)
)
WITHIN_PLAYS = Assumption("capacity-within-plays", "capacities are at most N", Le(m, N), Arms.ALL)
BELOW_PLAYS = Assumption("capacity-below-plays", "capacity m + 1 is possible too", Lt(m, N))
UNIT_CAPACITIES = Assumption("unit-capacities", "every capacity is 1", Eq(m, 1), Arms.ALL)
SIGNAL_TO_NOISE = Assumption("signal-to-noise", "mu^2/(m^2 sigma^2) >= 2", Ge(snr, 2))


def _told_from(less: Expr) -> Rel:
    """The signal needed to distinguish a capacity from one below a threshold."""
    return Ge((m - less + 1) ** 2 * mu**2 / (m**2 * sigma2), 2 * log(N / (less - 1)))


SIGNAL_TO_NOISE_THRESHOLD = Assumption(
    "threshold-signal-to-noise",
    "(m - d + 1)^2 mu^2/(m^2 sigma^2) >= 2 log(N/(d - 1))",
    _told_from(d),
)
SIGNAL_TO_NOISE_LAST = Assumption(
    "last-arm-signal-to-noise",
    "(m_L - mbar + 1)^2 mu_L^2/(m_L^2 sigma^2) >= 2 log(N/(mbar - 1)); printed with m_k for m_L",
    _told_from(mbar),
    Arms.LAST,
)
SHARED_LAST = Assumption(
    "last-arm-shared", "the last optimal arm takes more than one play", Gt(mbar, 1)
)
THRESHOLD_2 = Assumption("threshold-at-least-2", "the threshold d is at least 2", Ge(d, 2))
THRESHOLD_WITHIN_PLAYS = Assumption(
    "threshold-within-plays", "the threshold d is at most N, as capacities are", Le(d, N)
)
CAPACITY_REACHES = Assumption("capacity-reaches-threshold", "m_k >= d", Ge(m, d))
BELOW_EVEN_ODDS = Assumption(
    "confidence-below-even-odds", "delta <= 1/2, which a guess reaches", Le(delta, Rational(1, 2))
)
CONFIDENCE = Assumption(
    "confidence-range", "delta <= 2 exp(-49 m^2/mu^2)", Le(delta, 2 * exp(-49 * m**2 / mu**2))
)
CONFIDENCE_THRESHOLD = Assumption(
    "threshold-confidence-range",
    "delta <= 2 exp(-49 m^2/((m - d + 1)^2 mu^2))",
    Le(delta, 2 * exp(-49 * m**2 / (m - d + 1) ** 2 / mu**2)),
)
HORIZON = Assumption("horizon", "T >= exp(49 m_k^2/mu_k^2)", Ge(T, exp(49 * m**2 / mu**2)))
HORIZON_OPTIMAL = replace(
    HORIZON, statement=f"{HORIZON.statement} for the optimal arms", over=Arms.OPTIMAL
)
HORIZON_ALL = replace(HORIZON, statement=f"{HORIZON.statement} for every arm", over=Arms.ALL)
HORIZON_ELIMINATION = Assumption(
    "elimination-horizon",
    "T >= xi exp(1/(64 m_k^2 mu_k^2)) for the N best arms",
    Ge(T, xi * exp(1 / (64 * m**2 * mu**2))),
    Arms.FIRST_N,
)
HORIZON_216 = Assumption("horizon-at-least-216", "T >= 216", Ge(T, 216))
HORIZON_3 = Assumption("horizon-at-least-3", "T >= 3", Ge(T, 3))
EPSILON = Assumption(
    "epsilon-range", "epsilon < half the smallest gap", Lt(epsilon, smallest_gap / 2)
)
GAMMA = Assumption("gamma-at-least-1", "gamma >= 1", Ge(gamma, 1))
XI = Assumption("xi-positive", "xi > 0", Gt(xi, 0))
LARGE_SCALE = Assumption(
    "small-mean", "(4 m + 3)^2/mu^2 >= 49", Ge((4 * m + 3) ** 2 / mu**2, Integer(49))
)
NOT_TWO_ARMS = Assumption(
    "more-than-two-arms", "not two arms with one play (K N^2 > 2)", Gt(K * N**2, 2)
)

MODEL = (VARIANCE, DISTINCT, POSITIVE_LAST, WITHIN_PLAYS)
LAST_ALONE = (LAST_ABOVE_OTHERS, LAST_BELOW_FILLED)
