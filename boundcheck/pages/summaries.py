"""Short tables for a report: which results apply, which are informative, how loose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from boundcheck.calculator.bounds import Bound
from boundcheck.claims.card import Claim
from boundcheck.judging.finding import ANSWERS, Finding, Role, Verdict, in_short
from boundcheck.pages.study import Study
from simulation.escaping import markdown
from simulation.formatting import human, number
from simulation.running.results import PolicyRuns


def results(found: Study, loose: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """Table rows: what is informative, what applies but is not, what does not apply or is
    refuted.
    """
    rows: dict[str, list[list[str]]] = {"telling": [], "silent": [], "elsewhere": [], "refuted": []}
    for card in found.cards:
        if not card.quantities:
            continue
        name = card.quantities[0].name
        told = of_interest(found, card, name)
        values = sorted({b.value for b in told if b.value is not None})
        ends = " to ".join(dict.fromkeys(map(human, values[:1] + values[-1:])))
        named, says = (card.id, card.title), f"{name}: {ends or '-'}"
        how_loose = loose.get(card.id, "-")
        if told and all(b.refuted for b in told):
            rows["refuted"].append([*named, card.instead or "-", says, how_loose])
        elif unmet := _unmet(told):
            rows["elsewhere"].append([*named, unmet, says, how_loose])
        elif all(b.informative is False for b in told):
            since = human(told[0].informative_from)
            rows["silent"].append([*named, says, since, how_loose])
        else:
            rows["telling"].append([*named, says, how_loose])
    return rows


def _unmet(told: Sequence[Bound]) -> str:
    """The assumptions that fail, or another reason why there is no number."""
    if not told:
        return "no such arm"
    return failing_words(told) or ("" if all(b.applies for b in told) else "no number")


def failing_words(told: Iterable[Bound]) -> str:
    return ", ".join(dict.fromkeys(c.name for b in told for c in b.assumptions if not c.holds))


def regret_row(runs: PolicyRuns) -> list[str]:
    """The regret of a policy: mean, standard error, 95 % quantile, worst run; share of optimal
    slots.
    """
    return [
        number(runs.mean[-1]),
        number(runs.standard_error[-1]),
        number(runs.quantile(0.95)[-1]),
        number(runs.total[:, -1].max()),
        f"{runs.optimal_share[-1]:.1%}",
    ]


def of_interest(found: Study, card: Claim, name: str) -> list[Bound]:
    """The numbers of a claim for the arms that are optimally played, or else for the first ones."""
    played = {k for k, plays in enumerate(found.instance.optimal_action, 1) if plays} | {None}
    rows = found.of(card.id, name)
    return [b for b in rows if b.arm in played] or rows[:3]


def looseness(found: Study) -> dict[str, str]:
    """For each upper bound its ratio to simulated regret, at the largest horizon tried."""
    return {
        claim: f"{number(last.ratio)} times what {last.runs.policy} loses up to "
        f"T = {last.runs.horizon:,}"
        for claim, (*_, last) in found.ladders.items()
        if last.simulated > 0
    }


def truth(found: Study) -> str:
    """The verdicts in a sentence or two."""
    findings, refuted = found.verification.findings, found.verification.refuted
    wrong = _with_titles(found, (f for f in refuted if f.role is Role.INTENDED))
    literal = {f.claim for f in refuted} - {f.claim for f in refuted if f.role is Role.INTENDED}
    left_open = len({f.claim for f in findings if f.verdict is Verdict.UNDECIDED})
    told = f"{found.verification.checked}. "
    told += (
        f"Refuted as their authors use them: {wrong}."
        if wrong
        else "None is refuted here as its authors use it."
    )
    if literal:
        fail = "fails" if len(literal) == 1 else "fail"
        told += f" {len(literal)} {fail} only if taken literally, or in a remark beside the claim."
    have = "has" if left_open == 1 else "have"
    return told + (f" {left_open} {have} a statement that is undecided here." if left_open else "")


def _with_titles(found: Study, findings: Iterable[Finding]) -> str:
    claims = dict.fromkeys(finding.claim for finding in findings)
    return ", ".join(f"{claim} ({found.titles[claim]})" for claim in claims)


def verdict_counts(found: Study) -> list[list[object]]:
    counts = Counter(outcome.here.answer for outcome in found.verification.outcomes)
    return [[f"**{g}**", counts[g], in_short(g)] for g in ANSWERS if counts[g]]


def refutations(found: Study) -> list[list[str]]:
    return [
        [
            f.claim,
            found.titles[f.claim],
            "a remark beside it" if severity is None else f"**{severity.phrase}**",
            f.reading,
            found.verification.told(f, markdown),
        ]
        for f, severity in found.verification.refutations
    ]
