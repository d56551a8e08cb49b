"""The policy that knows no law, and what no policy of that kind can beat."""

from sympy import Expr, Max, Min, Rational, log, pi, sqrt

from boundcheck import assumptions as given
from boundcheck.claim import Claim, Kind, Quantity, Term, Trivial
from boundcheck.functions import (
    capacity_divergence_bounded,
    chance_above,
    kl,
    largest_optimal,
    most_plays,
    near_divergence,
    rel_entr,
    sum_optimal,
    sum_suboptimal,
)
from boundcheck.ranks import Arms
from boundcheck.symbols import K, N, T, f_star, m, m_L, mbar, mu, mu_L

level = log(1 + T / 4)
worst = level + log(pi * (T + Rational(1, 2))) / 2  # with the price of not knowing a mean

# how often a load above b is tried: b < m, and b = m
b = Max(m - 1, 1)


def by_means(b: Expr, scale: Expr) -> Expr:
    """Averages alone tell b from b + 1 after so many plays of either kind."""
    return most_plays(2 * mu**2 / (sqrt(2) * scale + sqrt(b**2 + (b + 1) ** 2)) ** 2, worst)


def least(means: Expr, told: Expr) -> Expr:
    """Plays until averages tell, or until single values do, of which each tells so much."""
    return 1 / Max(1 / means, told / worst)


# silent plays: the low group was loud in 9/20 of the plays expected, at most or at least
RARE = Rational(9, 20)


def missed(p: Expr) -> Expr:
    """What each low play tells in the first case."""
    return RARE * p * log(RARE) + rel_entr(1 - RARE * p, 1 - p)


def apart(p: Expr) -> Expr:
    """What each high play tells in the second, if there are as many low ones."""
    loud, mixed = RARE * p, RARE * p / 2
    return loud * log(2) + (1 - loud) * log((1 - loud) / (1 - mixed)) - log(1 - mixed)


TRIED_BELOW = least(by_means(b, b), Min(rel_entr(1, 1 - chance_above(b, mu)), 100))
TRIED_AT = least(by_means(m, m + 1), Min(missed(chance_above(m, mu)), apart(chance_above(m, mu))))
BELOW = (m - 1) * (TRIED_BELOW + 1)
TRIED = BELOW + Min(1, N - m) * (TRIED_AT + 1)
REACHED = TRIED_BELOW * Min(1, m - 1)

ROOM = N - mbar + m_L  # of the arms up to L
AHEAD = f_star - N * mu_L  # what the arms before L earn more than arm L would


def _at_most(d: Expr) -> Expr:
    return most_plays(d, level)


def wrong_order(count: Expr) -> Expr:
    """Slots in which the open test with the smallest count has at most this count."""
    bad = Min(sum_suboptimal(TRIED), 4 * sum_suboptimal(Min(m, N - 1)) * (count + 1))
    return 2 * (K * (count + 1) + sum_optimal(TRIED) + bad)


x = mu + Rational(3, 8) * (mu_L - mu)
own, last, halfway = _at_most(kl(x, mu)), _at_most(kl(x, mu_L)), (mu + x) / 2
count = Max(last, largest_optimal(REACHED))
climbing = sum_optimal(2 * BELOW)
FILLED = 2 * m * (own + 1) + 2 * ROOM * (last + 1) + wrong_order(count) + climbing
ALONE = (
    Max(_at_most(kl(halfway, mu)), _at_most(kl(halfway, x)), count)
    + 1
    + ROOM * (last + 1)
    + climbing / 2
)

y = mu_L + Rational(2, 5) * (mu - mu_L)
seen = _at_most(kl(y, mu))
SHORT = (
    2 * m * (seen + 1)
    + 2 * m_L * (_at_most(kl(y, mu_L)) + 1)
    + wrong_order(Max(seen, REACHED))
    + 2 * BELOW
)
PASSED = 2 * m * (_at_most(kl(mu_L, mu)) + 1)
MOVED = mu_L * m + AHEAD  # what plays beyond a capacity, taken from other arms, lose at most


EVENTS = 3 * m - 2 + 3 * Min(1, N - m)  # that must not happen to the evidence about an arm


CLAIMS = (
    Claim(
        id="sharp-law-free",
        title="Regret of law-free at any horizon, for every law on [0, 1]",
        source="docs/theorems/law-free.md",
        kind=Kind.UPPER_BOUND,
        statement="The expected regret of law-free up to T is at most this. It is told neither "
        "the law nor the horizon.",
        reading="any rewards in [0, 1], independent from slot to slot; arms may depend on each "
        "other; p_b is a chance of X > b/(b + 1) that the law, or its mean alone, guarantees",
        checked_by="simulated regret of law-free (e-process), and its proof, step by step",
        assumptions=(
            given.BOUNDED_REWARDS,
            given.LAST_ABOVE_OTHERS,
            given.LAST_BELOW_FILLED,
            given.POSITIVE.on(Arms.ALL),
            given.WITHIN_PLAYS,
        ),
        quantities=(
            Quantity(
                "regret",
                "reward",
                (
                    Term("evidence that errs", 4 * level * f_star * EVENTS, Arms.ALL),
                    Term(
                        "worse arms filled",
                        (mu_L - mu) * m * FILLED + AHEAD * PASSED,
                        Arms.SUBOPTIMAL,
                    ),
                    Term("worse arms tried", (mu_L - mu) * ALONE, Arms.SUBOPTIMAL),
                    Term("better arms short of plays", m * (mu - mu_L) * SHORT, Arms.FILLED),
                    Term(
                        "larger loads tried, worse arms",
                        MOVED * Min(TRIED, FILLED / 2),
                        Arms.SUBOPTIMAL,
                    ),
                    Term("larger loads tried, optimal arms", MOVED * TRIED, Arms.OPTIMAL),
                ),
                trivial=Trivial.REGRET,
            ),
        ),
        policy="law-free",
        ours=True,
    ),
    Claim(
        id="sharp-4.3-law-free",
        title="What no policy loses less than if it must serve every law on [0, 1]",
        source="docs/theorems/law-free.md, section 11",
        kind=Kind.LOWER_BOUND,
        statement="The smallest possible growth of regret per log T of a policy that is consistent "
        "for every law on [0, 1] is at least this.",
        reading="consistent for all laws on [0, 1], arms independent; the nearest law of mean mu_L "
        "is no farther than the one named, which the formula takes",
        checked_by="the linear program over all actions, for discretised laws",
        assumptions=(
            given.BOUNDED_REWARDS,
            given.LAST_ABOVE_OTHERS,
            given.LAST_BELOW_FILLED,
            given.POSITIVE_LAST,
        ),
        quantities=(
            Quantity(
                "regret per log T",
                "reward per log T",
                (
                    Term(
                        "suboptimal arms",
                        (mu_L - mu) / near_divergence(mu, mu_L),
                        Arms.SUBOPTIMAL,
                    ),
                    Term(
                        "capacities of filled arms",
                        mu_L / capacity_divergence_bounded(m, mu),
                        Arms.FILLED,
                    ),
                ),
                trivial=Trivial.ZERO,
            ),
        ),
        ours=True,
    ),
)
