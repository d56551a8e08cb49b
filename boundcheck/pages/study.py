"""A study: everything in a report on one instance, computed once.

It contains verdicts, bounds and simulated policies. Bounds and verdicts are for the question asked;
policies are compared up to its horizon, or the effort's if that is shorter. A theory may have pages
of its own, which add to a study.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from math import isfinite, nan
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.bounds import Bound, CheckedAssumption, bounds, check
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.default_statements.regret import as_float, bound, simulated
from boundcheck.judging.effort import Effort, effort_named
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.verification import Verification, verify
from simulation.policies import Policy, refused
from simulation.running.executors import Workers
from simulation.running.pools import open_pool
from simulation.running.results import PolicyRuns, Replication
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Rung:
    """A regret bound at one horizon, and runs of its policy for that horizon."""

    bound: Bound
    runs: PolicyRuns

    @property
    def claimed(self) -> float:
        return as_float(self.bound.upper)

    @property
    def simulated(self) -> float:
        return float(self.runs.mean[-1])

    @property
    def ratio(self) -> float:
        """How loose the bound is: bound over simulated regret."""
        return self.claimed / self.simulated if self.simulated > 0 else nan


@dataclass(frozen=True)
class Study:
    """The results about an instance."""

    theory: Theory
    cards: tuple[Claim, ...]  # the claims that it covers
    instance: Instance
    question: Question
    effort: Effort
    seed: int
    verification: Verification
    bounds: tuple[Bound, ...]
    assumptions: tuple[CheckedAssumption, ...]
    comparison: Replication
    ladders: dict[str, list[Rung]]  # by claim, for upper bounds on a policy's regret

    @property
    def digest(self) -> str:
        """A digest of the instance's content."""
        return hashlib.sha256(self.instance.to_toml().encode()).hexdigest()[:16]

    @property
    def titles(self) -> dict[str, str]:
        return {card.id: card.title for card in self.cards}

    def of(self, claim: str, quantity: str | None = None) -> list[Bound]:
        return [b for b in self.bounds if b.claim == claim and quantity in (None, b.quantity)]

    def size(self, claim: str, arm: int | None, quantity: str | None = None) -> Bound | None:
        """The number that a claim gives for one arm: its first quantity unless another is named."""
        return next((b for b in self.of(claim, quantity) if b.arm == arm), None)


def study(
    instance: Instance,
    effort: str = "standard",
    seed: int = 0,
    *,
    question: Question | None = None,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    claims: Iterable[str | Claim] | None = None,
    policies: Iterable[str | Policy] = (),
    theory: Theory,
    verdicts: bool = True,
) -> Study:
    """Verify the instance, and compute everything else that a report needs.

    question   horizon, delta and the other parameters, as for `bounds`
    claims     only these (None: the whole theory, with what its own pages add)
    verdicts   whether to verify anything; figures do not need it
    policies   to compare, in addition to those that the theory names
    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    """
    tell = progress or (lambda _: None)
    spent = effort_named(effort)
    pages = None if claims is not None else own_pages(theory)
    cards = theory.chosen(claims)
    spoken = theory.with_cards(cards)
    whole = theory.question.of(question)
    asked = replace(whole, digits=15)  # pages round anyway
    spent = replace(spent, horizon=min(spent.horizon, int(asked.horizon)))
    # fails early for unknown names
    rivals = _compared(spoken, cards, pages, policies, instance, spent.horizon)
    with open_pool(jobs, executor, cluster) as pool:
        where: dict[str, Any] = {"executor": pool, "store": store}
        judged = cards if verdicts else ()
        verification = verify(
            instance,
            effort,
            question=whole,
            claims=judged,
            seed=seed,
            progress=progress,
            theory=spoken,
            **where,
        )
        tell(f"policies: {spent.runs} runs of {spent.horizon} slots")
        context = replace(verification.context, **where)
        compared = [context.simulated(instance, x, spent.horizon, spent.runs) for x in rivals]
        found = Study(
            theory=spoken,
            cards=tuple(cards),
            instance=instance,
            question=asked,
            effort=spent,
            seed=seed,
            verification=verification,
            bounds=tuple(bounds(instance, asked, cards, theory=spoken)),
            assumptions=tuple(check(instance, asked, cards, theory=spoken)),
            comparison=Replication(instance, spent.horizon, spent.runs, seed, tuple(compared)),
            ladders=_ladders(cards, instance, asked, context),
        )
        return found if pages is None else pages.extended(found, tell, **where)


def own_pages(theory: Theory) -> Any:
    """The module that adds to the reports on a theory, or None."""
    return None if theory.pages is None else import_module(theory.pages)


def _compared(
    theory: Theory,
    cards: Iterable[Claim],
    pages: Any,
    more: Iterable[str | Policy],
    instance: Instance,
    horizon: int,
) -> list[Policy]:
    """The policies of the theory's pages, or those whose regret its cards bound, if they can run on
    the instance; then the others asked for.
    """
    named = [card.policy for card in cards if card.policy is not None]
    own = map(theory.policy, named if pages is None else pages.POLICIES)
    able = [policy for policy in own if refused(policy, instance, horizon) is None]
    return list({p.name: p for p in (*able, *map(theory.policy, more))}.values())


def _ladders(
    cards: Iterable[Claim], instance: Instance, question: Question, context: RunContext
) -> dict[str, list[Rung]]:
    """Every upper bound on a policy's regret where it is a number, even if assumptions fail."""
    found = {}
    theory = context.theory
    for card in cards:
        if card.policy is not None and card.kind is Kind.UPPER_BOUND:
            cases = theory.statements(card.id)[0].cases(card, instance, question, context)
            found[card.id] = [
                Rung(bound(card, case, theory), runs)
                for case in cases
                if isfinite(as_float(bound(card, case, theory).value))
                and (runs := simulated(card, case, context)) is not None
            ]
    return {claim: rungs for claim, rungs in found.items() if rungs}
