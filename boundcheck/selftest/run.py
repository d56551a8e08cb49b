"""`selftest`: would an error be noticed? Tries wrong versions of a theory's cards, one at a time.

Every number of every card is made stronger; summands, factors, ranges of arms and assumptions are
removed; checks of the theory's own proofs are weakened; the symbols that it derives are changed. A
mutant is caught, or shown to be still true; anything else is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from os import cpu_count
from typing import TYPE_CHECKING

from boundcheck.judging.effort import Effort
from boundcheck.selftest import checks, structure
from boundcheck.selftest.cards import mutants
from boundcheck.selftest.evidence import Evidence
from boundcheck.selftest.numbers import places
from boundcheck.selftest.outcome import Outcome

if TYPE_CHECKING:
    from boundcheck.theory import Theory

Progress = Callable[[str], None]
EFFORT = Effort("selftest", trials=2_000, runs=40, horizon=1_000)


def selftest(
    theory: Theory,
    progress: Progress | None = None,
    claims: Iterable[str] | None = None,
    *,
    jobs: int | None = None,
) -> list[Outcome]:
    """All mutants of the cards (or of these claims), and of the symbols that the theory derives."""
    tell = progress or (lambda words: None)
    ids = [card.id for card in theory.chosen(claims)]
    workers = (jobs or cpu_count() or 1) if theory.importable else 1
    found = _of_claims(theory, ids, workers, tell)
    tell("symbols")
    changed = structure.changed_setting(theory)
    return [*(outcome for claim in ids for outcome in found[claim]), *changed]


def _of_claims(
    theory: Theory, ids: list[str], jobs: int, tell: Progress
) -> dict[str, list[Outcome]]:
    if jobs == 1:
        return {claim: of_claim(theory, claim) for claim in ids}
    # longest first, so that no worker waits for one that started last
    ids = sorted(ids, key=lambda claim: -sum(1 for _ in places(theory.cards[claim])))
    found = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        asked = {pool.submit(of_claim, theory, claim): claim for claim in ids}
        for done in as_completed(asked):
            tell(asked[done])
            found[asked[done]] = done.result()
    return found


def of_claim(theory: Theory, claim: str) -> list[Outcome]:
    """Every mutant of one card, and of its proof's checks if the proof is ours."""
    card = theory.cards[claim]
    evidence = Evidence.of(theory, card, theory.context(EFFORT))
    found = [*mutants(card, evidence), *structure.structure_outcomes(theory, card, evidence)]
    if card.ours and claim in theory.proofs:
        found += checks.check_outcomes(theory, claim)
    return found


def slacks_found(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """By claim and term: the factor up to which nothing refutes it."""
    found: dict[str, dict[str, float]] = {}
    for outcome in outcomes:
        if outcome.claim and outcome.term and outcome.slack is not None:
            terms = found.setdefault(outcome.claim, {})
            terms[outcome.term] = min(outcome.slack, terms.get(outcome.term, outcome.slack))
    return found
