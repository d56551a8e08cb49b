"""The assumptions of a trial, and the parameters of its cases, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from boundcheck.claims import symbols as s
from boundcheck.claims.card import Assumption, Claim, Kind, Quantity, Term, Trivial
from boundcheck.claims.functions import law_divergence
from boundcheck.claims.unevaluated import Eq
from boundcheck.language.names import WORSE
from boundcheck.language.reading import Line
from simulation.numbers import decimal
from simulation.policies import Policy
from simulation.world.instance import Instance


def place(case: Any) -> str:
    """An instance of the panel and its parameters, in a few words."""
    told = ", ".join(f"{name} {value}" for name, value in case.parameters().items())
    return f"{means_of(case.instance)} ({case.instance.reward.words()}), {told}"


def means_of(instance: Instance) -> str:
    """The means, with equal ones counted.

    >>> means_of(Instance([1, "0.5", "0.5", "0.5", "0.5", 0], [1] * 6, 1))
    'means 1 (4 times 0.5) 0'
    """
    groups = [(mean, len([*same])) for mean, same in groupby(instance.means)]
    shown = (
        [decimal(mean, 6)] * count if count <= 3 else [f"({count} times {decimal(mean, 6)})"]
        for mean, count in groups
    )
    return f"means {' '.join(each for part in shown for each in part)}"


def premises(card: Claim) -> list[Claim]:
    """The card that can refute a claim about growth: no consistent policy grows more slowly."""
    if card.kind is not Kind.ASYMPTOTIC:
        return []
    least = Term("worse arms", s.gap / law_divergence(s.mu, s.best), WORSE)
    return [
        Claim(
            id="lai-robbins",
            title="The least growth of regret",
            source="Lai and Robbins 1985",
            kind=Kind.LOWER_BOUND,
            statement="The regret of every consistent policy grows at least so fast per log T.",
            reading="one play, laws known but for their means",
            checked_by="taken as proved",
            assumptions=(
                Assumption("one-play", "one arm is played in each slot", Eq(s.N, 1)),
                Assumption("one-parameter", "laws known but for the mean", fact="one-parameter"),
            ),
            quantities=(Quantity("regret per log T", "reward", (least,), trivial=Trivial.ZERO),),
            premise=True,
        )
    ]


def assumed(
    line: Line, policy: Policy | None, laws: Sequence[Any], cases: Sequence[Any]
) -> tuple[str, ...]:
    """What the verdict covers, and what it assumes."""
    card = line.card
    said = [f"rewards: {'; '.join(each.words() for each in laws)}"]
    if card.kind is Kind.COVERAGE:
        said.append("independent rewards of one arm; for each n by itself, not for all n at once")
    else:
        said.append("one play a slot, arms of capacity 1, independent rewards")
    if policy is not None and "horizon" in policy.told:
        said.append(f"{policy.name} is told T")
    if card.kind is Kind.ASYMPTOTIC:
        said.append("proved: no consistent policy has less growth than Lai and Robbins (1985) say")
    said += [f"only where {assumption.statement}" for assumption in card.assumptions]
    if any(quantity.levels for quantity in card.quantities):
        said.append("an infimum is taken at the point of a fine grid that makes the bound smallest")
    counted = f"{len(cases)} cases of the standard panel"
    walked = card.kind is not Kind.ASYMPTOTIC and not line.asks
    searched = ", and those met on a walk from the worst" if walked else ""
    return (*said, f"{counted}{searched}; elsewhere it may fail")
