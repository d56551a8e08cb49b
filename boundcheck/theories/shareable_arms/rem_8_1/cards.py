"""Remark 8.1: OrchExplore's bound is the tightest of the three."""

from boundcheck.claims.card import Claim, Kind, Quantity, Repair, Term
from boundcheck.claims.growth import per_log
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.elimination import cards as thm_g
from boundcheck.theories.shareable_arms.etc_ucb import cards as thm_h_1
from boundcheck.theories.shareable_arms.orch_explore import cards as thm_7_1


def _coefficients(name: str, terms: tuple[Term, ...]) -> Quantity:
    return Quantity(f"log T coefficient of {name}", "reward per log T", per_log(terms))


CLAIMS = (
    Claim(
        id="rem-8.1",
        title="OrchExplore has the tighter bound",
        source="Remark 8.1",
        kind=Kind.ALGEBRA,
        statement="The coefficient of log T in OrchExplore's bound is below those of MP-SE-SA and "
        "ETC-UCB.",
        reading="coefficients with their constants (gamma = 1 unless given)",
        checked_by="certified comparison of the three coefficients, and its proof term by term",
        assumptions=(*given.MODEL, given.GAMMA),
        quantities=(
            _coefficients("OrchExplore", thm_7_1.TERMS),
            _coefficients("MP-SE-SA", thm_g.TERMS),
            _coefficients("ETC-UCB", thm_h_1.TERMS),
        ),
        repairs=(
            Repair(
                "Only orders of growth are compared, which leave the weights w_k out.",
                "The order of the coefficients is the same with constants and weights included.",
            ),
        ),
    ),
)
