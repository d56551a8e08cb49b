"""Well-known results on the bandit with one play, as published, and their errata.

Upper bounds on the regret of policies, lower bounds for all policies, confidence intervals and a
few numbers. A card whose id ends in `-printed` is a statement that is false as it was printed; the
card that it names in its repair is the corrected one.
"""

from dataclasses import replace

from boundcheck.theories.classic import greedy, lower, means, policies
from boundcheck.theories.classic.checked_against import CHECKED_AGAINST
from boundcheck.theories.classic.symbols import ONE_PLAY, derive, instances
from boundcheck.theory import Theory, Topic, by_id

_STATEMENTS = {
    "exact_regret": (
        *("ucb1", "ucb", "ucb-asymptotic", "kl-ucb", "etc", "alpha-ucb"),
        *("alpha-ucb-subgaussian", "alpha-ucb-printed"),
    ),
    "greedy": ("epsilon-greedy", "epsilon-greedy-printed"),
    "best_arm": ("best-arm", "best-arm-printed", "best-arm-two-points"),
    "numbers": ("student-tail", "chi-square-tail", "regression", "regression-printed"),
}

_CARDS = (*policies.CARDS, *greedy.CARDS, *lower.CARDS, *means.CARDS)

THEORY = Theory(
    name="classic",
    cards=by_id(replace(card, checked_against=CHECKED_AGAINST[card.id]) for card in _CARDS),
    derive=derive,
    model=(ONE_PLAY,),
    instances=instances,
    statement_modules={
        claim: f"{__name__}.{name}" for name, ids in _STATEMENTS.items() for claim in ids
    },
    proofs={"chi-square-tail": f"{__name__}.proof_tails"},
    main="ucb1",
    questions=(
        Topic("What regret do policies guarantee?", ("ucb1", "kl-ucb", "thompson")),
        Topic("What regret can no policy avoid?", ("lai-robbins",)),
    ),
)
