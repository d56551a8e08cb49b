"""The policy that knows no law, and what no policy of that kind can beat."""

from sympy import Expr, Rational, Symbol, pi, sqrt

from boundcheck.claims.card import Claim, Kind, Quantity, Term, Trivial
from boundcheck.claims.functions import defined, kl, rel_entr
from boundcheck.claims.unevaluated import Max, Min, log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.lower_regret.cards import explored
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theories.shareable_arms.symbols import K, N, T, f_star, m, m_L, mbar, mu, mu_L

RARE = Rational(9, 20)  # of the loud plays expected: fewer were seen, or at least as many


@defined(r"\ell_{{{0}}}")
def log_level(T: Symbol) -> Expr:
    """What evidence has to exceed in slot T."""
    return log(1 + T / 4)


@defined(r"\left(\ell_{{{0}}}+r({0})\right)")
def longest(T: Symbol) -> Expr:
    """With the price of not knowing a mean after T plays."""
    return log_level(T) + log(pi * (T + Rational(1, 2))) / 2


@defined(r"Q_{{{1}}}\left({0}\right)")
def within(d: Symbol, T: Symbol) -> Expr:
    """More plays than leave a distance d below the level: arguments d, T."""
    return fn.most_plays(d, log_level(T))


def by_means(mu: Expr, b: Expr, scale: Expr, T: Expr) -> Expr:
    """Averages alone tell b from b + 1 after so many plays of either kind."""
    d = 2 * mu**2 / (sqrt(2) * scale + sqrt(b**2 + (b + 1) ** 2)) ** 2
    return fn.most_plays(d, longest(T))


def _least(means: Expr, told: Expr, T: Expr) -> Expr:
    """Plays until averages tell, or until single values do, of which each tells so much."""
    return 1 / Max(1 / means, told / longest(T))


def missed(p: Expr) -> Expr:
    """What each low play tells where few of them were loud."""
    return RARE * p * log(RARE) + rel_entr(1 - RARE * p, 1 - p)


def apart(p: Expr) -> Expr:
    """What each silent high play tells where many were, if there are as many low plays."""
    loud, mixed = RARE * p, RARE * p / 2
    return loud * log(2) + (1 - loud) * log((1 - loud) / (1 - mixed)) - log(1 - mixed)


@defined(r"q^-_{{{2}}}({0},{1})")
def tried_below(m: Symbol, mu: Symbol, T: Symbol) -> Expr:
    """How often a load above b = m - 1 is tried, and so any below: arguments m, mu, T."""
    b = Max(m - 1, 1)
    told = Min(rel_entr(1, 1 - fn.chance_above(b, mu)), 100)
    return _least(by_means(mu, b, b, T), told, T)


@defined(r"H_{{{3}}}({0},{1})")
def _tried(m: Symbol, mu: Symbol, N: Symbol, T: Symbol) -> Expr:
    """How often larger loads are tried on an arm: arguments m, mu, N, T."""
    p = fn.chance_above(m, mu)
    at = _least(by_means(mu, m, m + 1, T), Min(missed(p), apart(p)), T)
    return (m - 1) * (tried_below(m, mu, T) + 1) + Min(1, N - m) * (at + 1)


BELOW = (m - 1) * (tried_below(m, mu, T) + 1)
TRIED = _tried(m, mu, N, T)
REACHED = tried_below(m, mu, T) * Min(1, m - 1)

ROOM = N - mbar + m_L  # of the arms up to L
AHEAD = f_star - N * mu_L  # what the arms before L earn more than arm L would


def wrong_order(count: Expr) -> Expr:
    """Slots in which the open test with the smallest count has at most this count."""
    bad = Min(fn.sum_suboptimal(TRIED), 4 * fn.sum_suboptimal(Min(m, N - 1)) * (count + 1))
    return 2 * (K * (count + 1) + fn.sum_optimal(TRIED) + bad)


x = mu + Rational(3, 8) * (mu_L - mu)
own, last, halfway = within(kl(x, mu), T), within(kl(x, mu_L), T), (mu + x) / 2
count = Max(last, fn.largest_optimal(REACHED))
climbing = fn.sum_optimal(2 * BELOW)
FILLED = 2 * m * (own + 1) + 2 * ROOM * (last + 1) + wrong_order(count) + climbing
beside = Max(within(kl(halfway, mu), T), within(kl(halfway, x), T), *count.args)
ALONE = beside + 1 + ROOM * (last + 1) + climbing / 2

y = mu_L + Rational(2, 5) * (mu - mu_L)
seen, below = within(kl(y, mu), T), within(kl(y, mu_L), T)
SHORT = 2 * m * (seen + 1) + 2 * m_L * (below + 1) + wrong_order(Max(seen, REACHED)) + 2 * BELOW
PASSED = 2 * m * (within(kl(mu_L, mu), T) + 1)
MOVED = mu_L * m + AHEAD  # what plays beyond a capacity, taken from other arms, lose at most
EVENTS = 3 * m - 2 + 3 * Min(1, N - m)  # that must not happen to the evidence about an arm

TERMS = (
    Term("evidence that errs", 4 * log_level(T) * f_star * EVENTS, Arms.ALL),
    Term("worse arms filled", (mu_L - mu) * m * FILLED + AHEAD * PASSED, Arms.SUBOPTIMAL),
    Term("worse arms tried", (mu_L - mu) * ALONE, Arms.SUBOPTIMAL),
    Term("better arms short of plays", m * (mu - mu_L) * SHORT, Arms.FILLED),
    Term("larger loads tried, worse arms", MOVED * Min(TRIED, FILLED / 2), Arms.SUBOPTIMAL),
    Term("larger loads tried, optimal arms", MOVED * TRIED, Arms.OPTIMAL),
)

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
            *given.LAST_ALONE,
            given.POSITIVE.on(Arms.ALL),
            given.WITHIN_PLAYS,
        ),
        quantities=(Quantity("regret", "reward", TERMS, trivial=Trivial.REGRET),),
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
        ours=True,
    ),
)
