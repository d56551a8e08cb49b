"""What a theorist asks first: which results apply here, which say anything, how loose they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boundcheck.calculator import Bound
from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.pages.study import Study
from boundcheck.pages.writing import SEVERITY, quantity
from simulation.tables import number


@dataclass(frozen=True)
class Result:
    """A claim that gives numbers, on this instance."""

    card: Claim
    bounds: tuple[Bound, ...]  # of its first quantity, on the arms of interest
    loose: str

    @property
    def unmet(self) -> str:
        """The assumptions that fail."""
        if not self.bounds:
            return "no such arm"
        failing = dict.fromkeys(c.name for b in self.bounds for c in b.assumptions if not c.holds)
        return ", ".join(failing) or ("" if all(b.applies for b in self.bounds) else "no number")

    @property
    def silent(self) -> bool:
        """Whether it says no more than what is trivially true."""
        return all(b.vacuous for b in self.bounds)

    @property
    def says(self) -> str:
        """Its number, or the least and the largest over the arms."""
        values = sorted({b.value for b in self.bounds if b.value is not None})
        told = " to ".join(dict.fromkeys(quantity(v) for v in values[:1] + values[-1:]))
        return f"{self.card.quantities[0].name}: {told or '-'}"

    @property
    def since(self) -> str:
        """The horizon from which it says more than what is trivially true."""
        return quantity(self.bounds[0].nonvacuous_from)


def results(found: Study, loose: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """Rows of tables: what says something, what applies in vain, what does not apply."""
    every = [
        Result(
            card,
            tuple(of_interest(found, card, card.quantities[0].name)),
            loose.get(card.id, "-"),
        )
        for card in found.cards
        if card.quantities
    ]
    apply = [r for r in every if not r.unmet]
    return {
        "telling": [[*_named(r.card), r.says, r.loose] for r in apply if not r.silent],
        "silent": [[*_named(r.card), r.says, r.since, r.loose] for r in apply if r.silent],
        "elsewhere": [[*_named(r.card), r.unmet, r.says, r.loose] for r in every if r.unmet],
    }


def _named(card: Claim) -> tuple[str, str]:
    return card.id, card.title


def of_interest(found: Study, card: Claim, name: str) -> list[Bound]:
    """The numbers of a quantity for the arms that are optimally played, or for the first ones."""
    played = {k for k, plays in enumerate(found.instance.optimal_action, 1) if plays} | {None}
    rows = found.of(card.id, name)
    return [b for b in rows if b.arm in played] or rows[:3]


def looseness(found: Study) -> dict[str, str]:
    """How many times the simulated regret each upper bound is, at the largest horizon tried."""
    return {
        claim: f"{number(rungs[-1].ratio)} times what {rungs[-1].runs.policy} loses up to "
        f"T = {rungs[-1].runs.horizon:,}"
        for claim, rungs in found.ladders.items()
        if rungs[-1].simulated > 0
    }


def truth(found: Study) -> str:
    """What was found, in a sentence or two."""
    findings, refuted = found.verification.findings, found.verification.refuted
    wrong = dict.fromkeys(f.claim for f in refuted if f.role is Role.INTENDED)
    literal = dict.fromkeys(f.claim for f in refuted if f.claim not in wrong)
    left_open = dict.fromkeys(f.claim for f in findings if f.verdict is Verdict.INCONCLUSIVE)
    claims = dict.fromkeys(f.claim for f in findings)
    told = f"{len(claims)} claims were checked in {len(findings)} statements. "
    told += (
        f"Refuted as their authors use them: {_with_titles(found, wrong)}."
        if wrong
        else "None is refuted as its authors use it."
    )
    if literal:
        told += f" Of {len(literal)} only the words taken literally, or said in passing, fail."
    if left_open:
        told += f" Left open at this effort: {_with_titles(found, left_open)}."
    return told


def _with_titles(found: Study, claims: Iterable[str]) -> str:
    titles = {card.id: card.title for card in found.cards}
    return ", ".join(f"{claim} ({titles[claim]})" for claim in claims)


def verdict_counts(found: Study) -> list[list[object]]:
    """How often each verdict was reached, and what it means."""
    reached = [f.verdict for f in found.verification.findings]
    return [[f"**{v}**", reached.count(v), v.meaning] for v in SEVERITY if v in reached]


def refutations(found: Study) -> list[list[str]]:
    titles = {card.id: card.title for card in found.cards}
    return [
        [
            f.claim,
            titles[f.claim],
            "-" if severity is None else f"**{severity}**",
            f.reading,
            f.explanation,
        ]
        for f, severity in found.verification.refutations
    ]
