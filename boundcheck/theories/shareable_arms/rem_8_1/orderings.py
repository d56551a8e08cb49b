"""The statements of the figures: which policy has less regret.

"A loses less than B" is read as a statement about a typical run on the figure's instance, with its
parameters: in more than half of the runs, paired by seed, A has less regret (an exact sign test,
without ties). It is supported only if the reverse is refuted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, comb
from typing import Any

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.binomial import proportion_at_least, proportion_at_most
from boundcheck.judging.comparison import Compared, Measured, Number, Relation
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Leaning, Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.rem_8_1.panels import IMPLICIT, PANELS, Panel
from simulation.world.instance import Instance

MOST_RUNS = 50

# allocations times slots that implicit learners may evaluate for each slot of the effort's horizon;
# Thompson sampling draws a normal number for each
IMPLICIT_WORK = dict(zip(IMPLICIT, (50_000, 5_000, 50_000), strict=True))


@dataclass(frozen=True)
class Ordering(InstanceCase):
    """Two policies on a panel's instance, the better one first: its regret should be less than a
    share of the other's.
    """

    panel: str = ""
    better: str = ""
    worse: str = ""
    horizon: int = 0
    runs: int = 0
    share: Fraction = Fraction(1)

    def parameters(self) -> dict[str, Any]:
        pair = {"better": self.better, "worse": self.worse, "T": self.horizon}
        size = {} if self.share == 1 else {"share": str(self.share)}
        return {"panel": self.panel, **pair, **size}

    @property
    def behind(self) -> str:
        """The outcome of a run that counts against it."""
        return "behind" if self.share == 1 else f"above {self.share} of"


@dataclass(frozen=True)
class Paired:
    """Runs of two policies paired by seed: how often the better one has more regret."""

    wins: int
    losses: int
    more: dict[str, Any]
    sampled = True

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared:
        pairs, share = self.wins + self.losses, float(Fraction(claimed))
        if not pairs:
            words = "nothing, as both lose the same in every run"
            return Compared(None, 0.0, words, "half", self.more)
        order = proportion_at_most(self.losses, pairs, share, level / 2)
        reverse = proportion_at_least(self.losses, pairs, share, level / 2)
        evidence = {**self.more, **order.evidence, "reverse_p_value": reverse.evidence["p_value"]}
        return Compared(
            False if order.refuted else None,
            self.losses / pairs - share,
            f"{self.losses} of {pairs} runs",
            "half of them",
            evidence,
            supported=order.supported,
            leans=Leaning.AGAINST if order.against else Leaning.FOR,
            missing=f"about {ceil(order.needed):,} runs would decide" if order.needed else "",
        )


def lost_pairs(card: Claim, case: Ordering, context: RunContext) -> Measured | None:
    panel = next(panel for panel in PANELS if panel.name == case.panel)

    def lost(policy: str) -> FloatArray:
        options = panel.options.get(policy)
        runs = context.simulated(case.instance, policy, case.horizon, case.runs, options)
        return -runs.reward[:, -1] if panel.throughput else runs.total[:, -1]

    first, second = lost(case.better), lost(case.worse)
    most = float(case.share) * second
    wins, losses = int((first < most).sum()), int((first > most).sum())
    ties = len(first) - wins - losses
    means = {"mean_of_the_better": float(first.mean()), "mean_of_the_worse": float(second.mean())}
    return Paired(wins, losses, means | {"ties": ties})


def in_figure(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, figure: str
) -> Iterator[Ordering]:
    """The panels of a figure that use this instance, at the effort's horizon."""
    for panel in PANELS:
        named = panel.figure == figure and panel.instance == instance.name
        if named and Instance.load(panel.instance) == instance:
            yield from orderings(panel, context.effort.horizon, context.effort.runs)


def orderings(panel: Panel, horizon: int, runs: int, most: int = MOST_RUNS) -> Iterator[Ordering]:
    """The statements of a panel, policy by policy, as far as they can be simulated."""
    instance, count = Instance.load(panel.instance), min(runs, most)
    for better, worse in panel.orderings:
        slots = min(horizon, panel.horizon)
        if worse in IMPLICIT_WORK:
            slots = min(slots, _affordable(instance, IMPLICIT_WORK[worse] * horizon // count))
        if slots > instance.arms:
            share = panel.shares.get((better, worse), Fraction(1))
            pair = Ordering(instance, panel=panel.name, better=better, worse=worse, share=share)
            yield replace(pair, horizon=slots, runs=count)


def _affordable(instance: Instance, weighed: int) -> int:
    """Slots in which every allocation can be evaluated; 0 if there are too many to store."""
    from simulation.learning.allocations import LIMIT

    allocations = comb(instance.arms + instance.plays - 1, instance.plays)
    return 0 if allocations > LIMIT else weighed // allocations


_FIGURES = {
    "a": "OrchExplore loses less than MP-SE-SA, and MP-SE-SA less than ETC-UCB",
    "b": "the uniform interval loses less than Hoeffding's",
    "c": "knowing the capacities loses less than learning them, and OrchExplore less than half",
    "d": "OrchExplore loses less than learners that try every allocation",
    "throughput": "OrchExplore serves more than MP-SE-SA, and MP-SE-SA more than ETC-UCB",
}

FIGURES = {
    figure: Statement(
        role=Role.FURTHER,
        text=f"figure {figure}, in more than half of the runs: {text}",
        actual=(Measurement("paired runs", lost_pairs, sampled=True),),
        claimed=lambda card, case: Fraction(1, 2),
        cases=partial(in_figure, figure=figure),
        assumes=(),
        inapplicable_reason="the paper shows no such figure for this instance, or it cannot be "
        "simulated",
        name=f"figure-{figure}",
        explanations={
            Verdict.REFUTED: "the order is reversed: the better one loses more in {actual}",
            Verdict.SUPPORTED: "where it is closest, the better one loses more in {actual}",
            Verdict.UNDECIDED: "the better one loses more in {actual}: neither order is refuted",
        },
    )
    for figure, text in _FIGURES.items()
}
