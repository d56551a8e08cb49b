"""The policy that knows no law, and what no policy of that kind can beat.

Each term of `sharp-law-free` bounds what one kind of slot loses (docs/theorems/law-free.md). What
depends on several arms is a function of `functions`, computed by `exact.law_free_terms`. A step of
`proofs.proof_law_free` derives each term, and the last step fails if the card has other terms,
levels or assumptions than the steps: whoever changes a term changes its step.
"""

from sympy import Expr, Integer

from boundcheck.claims.card import Claim, Kind, Level, Quantity, Term, Trivial
from boundcheck.claims.unevaluated import Ge, Min, exp, log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.law_free import functions as free
from boundcheck.theories.shareable_arms.lower_regret.cards import explored
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import K, N, T, f_star, m, mu, mu_L

ERRORS = 4 * log(1 + 2 * T / 9)  # no less than the sum of exp(-l_t), l_t = log(1 + t/4)
AHEAD = f_star - N * mu_L  # what the arms before L earn more than arm L would
GAP, LARGEST_GAP = mu_L - mu, mu_L - s.mu_K
SPARE = Min(1, N - m)  # 1 for a capacity below N
MISSED = m * (mu - mu_L)  # what a better arm earns more than arm L would
GROUPS = m + SPARE  # of plays: loads up to b for each b <= m, and all


def slots_lost(world: tuple[Expr, ...]) -> tuple[Term, ...]:
    """The terms that both bounds have, for arms whose capacities are not taken for others."""
    stuck = free.displaced(*world) + MISSED + LARGEST_GAP / 2
    return (
        Term("good arm stuck below its mean", ERRORS * GROUPS * stuck, Arms.OPTIMAL),
        Term("good arms climbing to their capacities", free.climbing_lost(*world), Arms.OPTIMAL),
        Term("worse arms filled, looking better", free.own_lost(*world), Arms.SUBOPTIMAL),
        Term("worse arms filled, good ones looking worse", free.late_plays(*world), Arms.OPTIMAL),
        Term("better arms short of plays", MISSED * free.short(*world), Arms.FILLED),
        Term("worse arms tried", GAP * free.tried_alone(*world), Arms.SUBOPTIMAL),
        Term("larger loads tried, good arms", free.larger_loads(*world), Arms.OPTIMAL),
        Term("larger loads tried, worse arms", free.moved_worse(*world)),
    )


TERMS = (
    Term("capacity taken for a larger one", ERRORS * SPARE * s.largest_regret, Arms.ALL),
    Term(
        "capacity of a worse arm taken for a smaller one",
        free.ways(mu) * ERRORS * ((m**2 - 1) / 2 * GAP + (m - 1) * AHEAD),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "capacity of a good arm taken for a smaller one",
        free.ways(mu)
        * ERRORS
        * (free.displaced_below(*free.WORLD) + (m - 1) / 2 * (MISSED + LARGEST_GAP)),
        Arms.OPTIMAL,
    ),
    Term(
        "capacity of arm L taken for a smaller one",
        free.ways(mu) * ERRORS * (m - 1) * AHEAD,
        Arms.LAST,
    ),
    *slots_lost(free.WORLD),
)
LEVELS, SCALE_LEVELS = (
    tuple(Level(x, Integer(0), Integer(1), arms) for x, arms in shares.values())
    for shares in (free.SHARES, free.UNHEARD)
)


def errors_with(gift: int) -> Expr:
    """No less than the sum over t <= T of min(1, e^(gift - l_t)), for T >= 4 e^gift - 4."""
    four = 4 * exp(Integer(gift))
    return four - 4 + four * log((T + 4) / four)


LARGER, SMALLER = (
    errors_with(2),
    errors_with(3),
)  # what is added to evidence if only a scale is known
SCALE_TERMS = (
    Term("capacity taken for a larger one", LARGER * SPARE * s.largest_regret, Arms.ALL),
    Term(
        "capacity of a worse arm taken for a smaller one",
        SMALLER * ((m**2 - 1) / 2 * GAP + (m - 1) * AHEAD),
        Arms.SUBOPTIMAL,
    ),
    Term(
        "capacity of a good arm taken for a smaller one",
        SMALLER * (m - 1) * (free.displaced(*free.SCALE_WORLD) + MISSED + LARGEST_GAP / 2),
        Arms.OPTIMAL,
    ),
    Term("capacity of arm L taken for a smaller one", SMALLER * (m - 1) * AHEAD, Arms.LAST),
    *slots_lost(free.SCALE_WORLD),
)

MANY_TESTS = Ge(K * N, 400)  # a test for each arm and capacity: about 1 ms each

CLAIMS = (
    Claim(
        id="sharp-law-free",
        title="Regret of law-free at any horizon, for every law on [0, 1]",
        source="docs/theorems/law-free.md",
        kind=Kind.UPPER_BOUND,
        statement="The expected regret of law-free up to T is at most this. It is told neither "
        "the law nor the horizon.",
        reading="any rewards in [0, 1], independent from slot to slot; arms may depend on each "
        "other; for Bernoulli and Beta rewards with the chances and rates of the law, for others "
        "with those that the mean alone guarantees; for every choice of the free levels",
        checked_by="simulated regret of law-free (e-process), and its proof, step by step",
        assumptions=(
            given.BOUNDED_REWARDS,
            *given.LAST_ALONE,
            given.POSITIVE_LAST,
            given.WITHIN_PLAYS,
        ),
        quantities=(
            Quantity(
                "regret",
                "reward",
                TERMS,
                trivial=Trivial.REGRET,
                levels=LEVELS,
                search=free.best_shares,
                on_demand=MANY_TESTS,
            ),
        ),
        policy="law-free",
        ours=True,
    ),
    Claim(
        id="sharp-law-free-scale",
        title="Regret of law-free at any horizon, told a scale",
        source="docs/theorems/law-free-scale.md",
        kind=Kind.UPPER_BOUND,
        statement="The expected regret of law-free up to T is at most this. It is told neither "
        "the law nor the horizon, but a scale of the rewards, which may be negative.",
        reading="Gaussian rewards, independent from slot to slot; arms may depend on each other "
        "and have variances of their own, of which sigma^2 is the largest; the same holds for any "
        "law that is sigma-sub-Gaussian about its mean; for every choice of the free levels",
        checked_by="simulated regret of law-free (e-process), and its proof, step by step",
        assumptions=(
            given.SCALE_ALONE,
            *given.LAST_ALONE,
            given.POSITIVE_LAST,
            given.WITHIN_PLAYS,
            given.HORIZON_216,
        ),
        quantities=(
            Quantity(
                "regret",
                "reward",
                SCALE_TERMS,
                trivial=Trivial.REGRET,
                levels=SCALE_LEVELS,
                search=free.best_shares_of_scale,
                on_demand=MANY_TESTS,
            ),
        ),
        policy="law-free",
        ours=True,
    ),
    Claim(
        id="sharp-4.3-law-free",
        title="Lower bound for policies that know no law, on [0, 1]",
        source="docs/theorems/law-free.md, section 11",
        kind=Kind.LOWER_BOUND,
        statement="The smallest possible growth of regret per log T of a policy that is consistent "
        "for every law on [0, 1] is at least this.",
        reading="consistent for all laws on [0, 1], arms independent; the nearest law of mean mu_L "
        "is no farther than the one named, which the formula takes",
        checked_by="its proof, step by step (docs/theorems/law-free.md, section 11), and the "
        "linear program over all actions, for discretised laws",
        assumptions=(given.BOUNDED_REWARDS, *given.LAST_ALONE, given.POSITIVE_LAST),
        quantities=(explored(fn.near_divergence(mu, mu_L), fn.capacity_divergence_bounded(m, mu)),),
        every_law=True,
        ours=True,
    ),
)
