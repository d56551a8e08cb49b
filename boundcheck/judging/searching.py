"""The search for a case that refutes a statement; the verdict about it comes from `decide`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from boundcheck.calculator.numbers import balls
from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.comparison import Compared
from boundcheck.judging.decide import BITS, Judged, compared, decide, finding_about, unmet
from boundcheck.judging.finding import Cover, Extent, Finding, Leaning, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Statement
from boundcheck.search import SearchLimit, hunt, simplest

_FAR = -1e4  # the search score of a case outside the domain


@dataclass
class _Searcher:
    """A statement with the functions that a search needs: admits a case, scores it, tests it."""

    claim: Claim
    statement: Statement
    context: RunContext
    model: tuple[Assumption, ...]
    looked_at: int = 0
    certain: bool = True  # no case so far needed sampling
    closest: Judged | None = None  # the case of the largest actual over claimed

    def compared(self, case: Any, *, surely: bool = False) -> Compared | None:
        """The comparison for a case, None outside the domain; `surely`: without sampling."""
        with balls.precision(BITS):
            if not self._admits(case):
                return None
        return compared(self.claim, self.statement, case, self.context, surely=surely)

    def _admits(self, case: Any) -> bool:
        statement, derive = self.statement, self.context.theory.derive
        silent = statement.uninformative
        return (
            not unmet(case, (*self.model, *statement.assumed(self.claim)), derive)
            and all(unmet(case, [a], derive) for a in statement.violates)
            and not (silent and silent(self.claim, case, self.context))
        )

    def score(self, case: Any) -> float:
        found = self.compared(case)
        self.looked_at += found is not None
        self.certain = self.certain and (found is None or found.holds is not None)
        before = _FAR if self.closest is None else self.closest.compared.excess
        if found is not None and found.excess > before:
            self.closest = Judged(case, found, self.statement.sampled)
        return _FAR if found is None else max(found.excess, _FAR)

    def fails(self, case: Any, *, surely: bool = False) -> bool:
        found = self.compared(case, surely=surely)
        return found is not None and found.refutes

    def first_of(self, cases: Iterable[Any], limit: SearchLimit) -> Any:
        for case in cases:
            if limit.late:
                break
            if self.score(case) > 0 and self.fails(case):
                return case
        return None


def search(
    claim: Claim,
    statement: Statement,
    context: RunContext,
    limit: SearchLimit,
    model: Sequence[Assumption] = (),
) -> Finding:
    """Search for a case that refutes the statement, and simplify it.

    Tries the known hard cases, then prescreened suspects, then random cases. Floats and separate
    random numbers only select candidates: nothing is refuted but by `decide`, about one case in
    the domain.
    """
    binding = tuple(a for a in model if a.name not in {v.name for v in statement.violates})
    searcher = _Searcher(
        claim, statement, context.for_search() if statement.sampled else context, binding
    )
    example = _example(searcher, limit)
    extent = Extent(Cover.SEARCH, searcher.looked_at)
    if example is None:
        return _without_example(searcher, extent)
    # a certified counterexample must stay certified while it is simplified
    fails = partial(searcher.fails, surely=searcher.fails(example, surely=True))
    case = simplest(example, type(example).simpler, fails, limit)
    return replace(decide(claim, statement, [case], context), extent=extent)


def _example(searcher: _Searcher, limit: SearchLimit) -> Any:
    """The first case that fails: of the known ones, of the suspects, of random ones; or None."""
    claim, statement = searcher.claim, searcher.statement
    example = searcher.first_of(statement.known_cases(), limit)
    if example is None and statement.prescreened is not None:
        looked_at, suspected = statement.prescreened(claim, limit.seed, limit.examples)
        example = searcher.first_of(suspected, limit)
        searcher.looked_at += looked_at - len(suspected)
        searcher.certain = False  # most of these were checked in floats only
    if example is None and statement.strategy is not None:
        example, _ = hunt(statement.strategy(), searcher.score, searcher.fails, limit)
    return example


def _without_example(searcher: _Searcher, extent: Extent) -> Finding:
    """What a search without a counterexample shows. It holds only if there were cases, and each was
    decided without sampling.
    """
    claim, statement = searcher.claim, searcher.statement
    if not extent.cases:  # cases outside the domain do not count
        words = "no example satisfied its assumptions: more would tell"
        return finding_about(claim, statement, Verdict.UNDECIDED, {}, words, extent)
    seen = {"method": "search", "examples": extent.cases}
    words = f"no counterexample among {extent.cases:,} cases"
    if searcher.certain:
        words = f"{words}, each decided"
        found = finding_about(claim, statement, Verdict.HOLDS, seen, words, extent)
    else:
        words = f"leans for: {words}; only a proof decides all of them"
        found = finding_about(
            claim, statement, Verdict.UNDECIDED, seen, words, extent, leans=Leaning.FOR
        )
    return replace(found, closest=searcher.closest)
