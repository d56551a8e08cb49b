"""What we prove in place of the published results; 7.1 has a module of its own."""

from sympy import Ge, Symbol, log

from boundcheck import assumptions as given
from boundcheck.claim import Assumption, Claim, Kind, Quantity, Term, Trivial
from boundcheck.claims.lem_5 import UNIFORM_WIDTH, iota, tau
from boundcheck.claims.thm_4_1 import confidence
from boundcheck.functions import (
    KL,
    capacity_divergence,
    law_divergence,
    psi,
    smallest_count,
    two_point_error,
)
from boundcheck.ranks import Arms
from boundcheck.symbols import (
    d,
    delta,
    m,
    mu,
    mu_L,
    n,
    sigma2,
)

NEIGHBOUR = KL(m, m + 1, mu**2 / sigma2)
C = (4 * m + 3) ** 2 / mu**2
ell = log(2 / delta)
# kl of Bernoulli(delta) from Bernoulli(1 - delta), without the cancellation of 1 - (1 - delta)
OPPOSITE = (1 - 2 * delta) * log((1 - delta) / delta)

LEARN = smallest_count(4 * m + 3, delta, mu)
LEARN_CLOSED = C / 2 * (ell + log(C * (ell + log(C))) / 2)
LEARN_TYPICAL = smallest_count(2 * (m + 1), delta, mu)
REACH = smallest_count(m + 3 * d - 3, delta, (m - d + 1) * mu)
REACH_TYPICAL = smallest_count(2 * (d - 1), delta, (m - d + 1) * mu)

D_AT_LEAST_2 = Ge(d, 2)


def _each(
    name: str, expression: Symbol, when: Symbol | None = None, needs: tuple[Assumption, ...] = ()
) -> Quantity:
    term = Term("explorations", expression, when=when)
    return Quantity(name, "explorations", (term,), Arms.ALL, assumptions=needs)


CLAIMS = (
    Claim(
        id="sharp-4.1",
        title="Explorations needed to learn a capacity, no condition",
        source="in place of Theorem 4.1",
        kind=Kind.LOWER_BOUND,
        statement="Telling m_k from m_k + 1 with error delta takes this many explorations above "
        "the capacity: fixed in number (Le Cam), or in expectation if chosen as one goes.",
        reading="two-point minimax over {m_k, m_k + 1}, common known variance",
        checked_by="exact minimax error of the two-point problem",
        assumptions=(given.GAUSSIAN, given.BELOW_PLAYS, given.BELOW_EVEN_ODDS),
        quantities=(
            Quantity(
                "explorations above the capacity, fixed number",
                "explorations",
                (Term("explorations", confidence / NEIGHBOUR),),
                Arms.ALL,
                Trivial.ONE_EXPLORATION,
            ),
            Quantity(
                "explorations above the capacity, expected number",
                "explorations",
                (Term("explorations", OPPOSITE / NEIGHBOUR),),
                Arms.ALL,
                Trivial.ONE_EXPLORATION,
            ),
        ),
        ours=True,
    ),
    Claim(
        id="sharp-4.1-test",
        title="Exact error of the best test of m_k against m_k + 1",
        source="in place of Theorem 4.1",
        kind=Kind.LOWER_BOUND,
        statement="After n explorations above both capacities, no estimator has both errors below "
        "this, and one test has exactly this.",
        reading="two-point minimax over {m_k, m_k + 1}, common known variance",
        checked_by="certified evaluation of noncentral chi-square laws",
        assumptions=(given.GAUSSIAN, given.BELOW_PLAYS),
        quantities=(
            Quantity(
                "minimax error",
                "probability",
                (Term("error", two_point_error(m, m + 1, mu**2 / sigma2, n)),),
                Arms.ALL,
                Trivial.ZERO,
            ),
        ),
        ours=True,
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
        assumptions=(
            given.KNOWN_LAW,
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
                        (mu_L - mu) / law_divergence(mu, mu_L),
                        Arms.SUBOPTIMAL,
                    ),
                    Term(
                        "capacities of filled arms",
                        mu_L / capacity_divergence(m, mu),
                        Arms.FILLED,
                    ),
                ),
                trivial=Trivial.ZERO,
            ),
        ),
        ours=True,
    ),
    Claim(
        id="sharp-5.1",
        title="Joint confidence interval for a capacity",
        source="in place of Lemma 5.1",
        kind=Kind.COVERAGE,
        statement="With probability at least 1 - delta, at all times at once and for any adaptive "
        "choice of explorations, the capacity lies in [nu/(mu + psi), nu/(mu - psi)].",
        reading="sub-Gaussian rewards of scale sigma",
        checked_by="Monte-Carlo coverage over balanced and unbalanced counts",
        formula=psi(tau, iota, delta, sigma2),
        ours=True,
    ),
    Claim(
        id="sharp-5.3a",
        title="Explorations that suffice to learn a capacity, any delta",
        source="in place of Theorem 5.3, first part",
        kind=Kind.UPPER_BOUND,
        statement="With this many explorations of each kind the uniform interval holds one "
        "integer, the capacity, with probability at least 1 - delta; then a closed form, and the "
        "typical stopping size when both kinds grow in step.",
        reading="sub-Gaussian rewards with sigma at most 1/2",
        checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
        assumptions=(given.SUB_GAUSSIAN, given.POSITIVE),
        quantities=(
            _each("explorations of each kind", LEARN),
            _each("closed form", LEARN_CLOSED, needs=(given.LARGE_SCALE,)),
            _each("typical stopping size", LEARN_TYPICAL),
        ),
        formula=UNIFORM_WIDTH,
        ours=True,
    ),
    Claim(
        id="sharp-5.3b",
        title="Explorations to see that a capacity reaches d, any delta",
        source="in place of Theorem 5.3, second part",
        kind=Kind.UPPER_BOUND,
        statement="With this many explorations of each kind the lower bound of a capacity of at "
        "least d reaches d with probability at least 1 - delta; d = 1 costs nothing.",
        reading="sub-Gaussian rewards with sigma at most 1/2",
        checked_by="failure probability at the size: lattices, enclosed tails, drawn sums",
        assumptions=(given.SUB_GAUSSIAN, given.POSITIVE, given.CAPACITY_REACHES),
        quantities=(
            _each("explorations of each kind", REACH, D_AT_LEAST_2),
            _each("typical stopping size", REACH_TYPICAL, D_AT_LEAST_2),
        ),
        formula=UNIFORM_WIDTH,
        ours=True,
    ),
)
