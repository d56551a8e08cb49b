"""Would we notice? Wrong versions of the toolkit, one at a time, and what notices them.

Every number of every card is made stronger; summands, factors, ranges of arms and assumptions are
taken away; the checks of our proofs are made weaker; every number and operation of the kernels is
changed, and some mistakes are planted by hand. A mutant is caught, or shown to be still true; any
other is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context
from os import cpu_count

from boundcheck.judging.run_context import Effort
from boundcheck.selftest.outcome import Outcome, Result
from boundcheck.theory import default

__all__ = ["EFFORT", "Outcome", "Result", "of_claim", "of_kernels", "selftest", "slacks"]
Progress = Callable[[str], None]
EFFORT = Effort("selftest", trials=2_000, runs=40, horizon=1_000)


def selftest(
    progress: Progress | None = None,
    claims: Iterable[str] | None = None,
    *,
    jobs: int | None = None,
) -> list[Outcome]:
    """All mutants of the cards (of these claims), the kernels and the planted mistakes."""
    from boundcheck.selftest.planted import mistakes

    tell = progress or (lambda words: None)
    ids = [card.id for card in default().chosen(claims)]
    found = _of_claims(ids, jobs or cpu_count() or 1, tell)
    tell("kernels")
    kernels = [*of_kernels(), *of_setting()]
    tell("planted mistakes")
    return [*(outcome for claim in ids for outcome in found[claim]), *kernels, *mistakes()]


def _of_claims(ids: list[str], jobs: int, tell: Progress) -> dict[str, list[Outcome]]:
    if jobs == 1:
        return {claim: of_claim(claim) for claim in ids}
    from boundcheck.selftest.numbers import places

    # the longest first: nobody waits for one that began last
    ids = sorted(ids, key=lambda claim: -sum(1 for _ in places(default().cards[claim])))
    found = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        asked = {pool.submit(of_claim, claim): claim for claim in ids}
        for done in as_completed(asked):
            tell(asked[done])
            found[asked[done]] = done.result()
    return found


def of_claim(claim: str) -> list[Outcome]:
    """Every mutant of one card, and of the checks of its proof if it is ours."""
    from boundcheck.selftest import checks, structure
    from boundcheck.selftest.cards import mutants
    from boundcheck.selftest.evidence import Evidence

    theory = default()
    card = theory.cards[claim]
    evidence = Evidence.of(theory, card, theory.lab(EFFORT))
    found = [*mutants(card, evidence), *structure.outcomes(theory, card, evidence)]
    if card.ours and claim in theory.proofs:
        found += checks.outcomes(theory, claim)
    return found


def of_kernels() -> Iterator[Outcome]:
    from boundcheck.selftest.kernels import changed_kernels

    grounds = default().grounds
    assert grounds is not None
    for kernel in import_module(grounds).kernels():
        yield from changed_kernels(kernel)


def of_setting() -> list[Outcome]:
    """What the theory derives from an instance, one symbol changed."""
    from boundcheck.selftest.structure import changed_setting

    return list(changed_setting(default()))


def slacks(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """By claim and term: the factor up to which nothing refutes it."""
    found: dict[str, dict[str, float]] = {}
    for outcome in outcomes:
        if outcome.claim and outcome.term and outcome.slack is not None:
            terms = found.setdefault(outcome.claim, {})
            terms[outcome.term] = min(outcome.slack, terms.get(outcome.term, outcome.slack))
    return found
