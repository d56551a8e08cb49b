"""The constant for a `?` in a bound: below which value it is false, and from which supported.

On every case of the panel, runs give a lower and an upper confidence limit for mean regret, both
from betting e-processes and valid for any distribution of a run's regret. A bound below the lower
limit is refuted there; a bound that is not below the upper limit is supported there. The bound
increases with the constant, so each limit translates to a constant; the largest of each kind over
all cases counts. The level is divided among all limits, so all of them hold together, and each
holds at all times. So more runs may be drawn adaptively: they go to the cases that need fewest
slots to settle, those where the upper limit comes close to the first number.

An upper limit needs about log(1/level) (range of a run's regret) / (its distance from the mean)
runs. `overplayed` makes the range small for index policies. For other policies it is T gap, and if
arms are far apart and T is large, that exceeds any effort: such cases are named, with the larger
constant that they would need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import inf, isfinite, log
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from boundcheck.calculator.numbers.evaluate import FLOATS
from boundcheck.calculator.optimise import many_levels
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import term_values
from boundcheck.claims.card import Claim, Kind, Term
from boundcheck.evidence.betting import lower_limit, upper_limit
from boundcheck.judging.default_statements.regret import AtHorizon, Batches, batches
from boundcheck.judging.finding import Finding
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Statement
from boundcheck.language.names import UNKNOWN
from boundcheck.language.reading import Line
from boundcheck.theory import Theory
from boundcheck.trying.outcome import Trial
from boundcheck.trying.overplayed import Capped
from boundcheck.trying.words import place
from simulation.errors import InputError
from simulation.formatting import number

if TYPE_CHECKING:
    from boundcheck.theory import Theory

LEVEL = 0.05
# upper limit divided by the first number: the target, and what is accepted
CLOSE, SETTLED = 1.2, 1.3
FIRST_RUNS, MOST_RUNS = 32, 20_000  # runs of a case; computing a limit takes time, too
LARGEST = 1e12  # the largest constant considered


def published(card: Claim, known: Iterable[Claim]) -> str | None:
    """The constant that a card of the same policy has in the place of the `?`, and its source."""
    asked, *_ = card.quantities
    for other in known:
        if other.policy_name == card.policy_name and other.kind is card.kind and not other.repairs:
            for terms in permutations(other.quantities[0].terms):
                constant = _constant(asked.terms, terms)
                if constant is not None:
                    return f"{number(constant)} ({other.source})"
    return None


def _constant(asked: Sequence[Term], terms: Sequence[Term]) -> float | None:
    """The number for the `?` with which these terms are equal, if there is one."""
    found = set()
    if len(asked) != len(terms):
        return None
    for one, other in zip(asked, terms, strict=True):
        ratio = other.expression / one.expression.subs(UNKNOWN, 1)
        if one.over != other.over or one.expression.subs(UNKNOWN, ratio) != other.expression:
            return None
        if one.expression.has(UNKNOWN):
            found.add(ratio)
    (ratio, *others) = found
    return None if others or not ratio.is_number else float(ratio)


def value_of(card: Claim, case: AtHorizon, theory: Theory) -> Callable[[float], float]:
    """The bound on a case as a function of the constant."""
    (quantity,) = card.quantities
    setting = exact_setting(case.instance, case.question, theory.derive).in_floats()

    def value(constant: float) -> float:
        at = setting.given({UNKNOWN: np.array([[constant]])})
        if quantity.levels:
            at = at.given(many_levels(quantity, at))
        with np.errstate(all="ignore"):
            return float(sum(term_values(term, at, FLOATS).item() for term in quantity.terms))

    return value


def constant_for(value: Callable[[float], float], wanted: float) -> float:
    """The constant at which the bound equals `wanted`; 0 if it does so without the constant."""
    if value(0.0) >= wanted:
        return 0.0
    high = 1.0
    while value(high) < wanted:
        high *= 8
        if high > LARGEST:
            return inf
    return float(brentq(lambda c: value(c) - wanted, 0.0, high, xtol=1e-12, rtol=1e-10))


@dataclass
class Limits:
    """A case, the runs drawn for it so far, and the two constants that follow."""

    case: AtHorizon
    value: Callable[[float], float]
    runs: Batches
    capped: Capped
    level: float  # level of each of its two limits
    count: int = 0
    lower: float = 0.0
    upper: float = inf
    estimate: float = 0.0  # the constant at which the bound equals the mean
    mean: float = 0.0
    variance: float = 0.0

    def draw(self, count: int, first: float) -> int:
        """Use the first `count` runs; returns the slots that the new ones took."""
        before, self.count = self.count, min(count, self.runs.limit)
        drawn = self.runs.draw(self.count)
        values = drawn.total[:, -1]
        self.mean, self.variance = float(values.mean()), float(values.var())
        self.estimate = constant_for(self.value, self.mean)
        if self.estimate > first:  # otherwise its limit cannot be the largest
            self.lower = constant_for(self.value, lower_limit(values, self.level))
        capped = upper_limit(self.capped.lost(drawn), self.capped.most, self.level)
        self.upper = constant_for(self.value, capped + self.capped.left_out)
        return (self.count - before) * self.case.horizon

    def next_runs(self, first: float) -> int | None:
        """The total number of runs that may bring the upper limit close to the first number; None
        if the effort does not allow enough.
        """
        distance = self.value(CLOSE * first) - self.mean - self.capped.left_out
        wanted = 2 * self.count
        if distance > 0:  # otherwise its lower limit has to rise first
            gain = -log(self.level)
            wanted = int(
                1.1 * gain * (self.capped.most / distance + 2 * self.variance / distance**2)
            )
        wanted = max(wanted, self.count * 3 // 2)
        return wanted if wanted <= min(self.runs.limit, MOST_RUNS) else None


def require_growing(card: Claim, cases: list[AtHorizon], theory: Theory) -> None:
    """Raise unless the bound increases with the constant on every case."""
    for case in cases:
        value = value_of(card, case, theory)
        found = [value(x) for x in (0.0, 0.5, 1.0, 2.0, 10.0)]
        if not all(isfinite(x) for x in found):
            raise InputError("try", place(case), "the bound is not a finite number", "a number")
        if case.instance.largest_regret > 0 and not all(np.diff(found) > 0):
            expected = "a bound that grows with the constant"
            raise InputError("try", place(case), "the bound does not grow with ?", expected)


def asked(
    line: Line,
    statement: Statement,
    cases: list[Any],
    context: RunContext,
    assumed: tuple[str, ...],
    known: Iterable[Claim],
) -> Trial:
    """Both numbers for a line with a `?`, the cases that determine them, and what is published in
    its place.
    """
    card = line.card
    if card.kind is not Kind.UPPER_BOUND:
        raise InputError("try", "?", str(card.kind.value), "an upper bound on regret")
    require_growing(card, cases, context.theory)
    lossy = [case for case in cases if case.instance.largest_regret > 0]
    limits = _narrowed(card, lossy, context)
    low = max(limits, key=lambda x: x.lower)
    # left out: cases that look smaller than the first number but lack the runs to show it
    open_ = [x for x in limits if x.upper > SETTLED * low.lower and x.estimate < low.lower]
    settled = [x for x in limits if x not in open_]
    high = max(settled, key=lambda x: x.upper)
    horizons = sorted({case.horizon for case in lossy})
    constant = {
        "false_below": low.lower,
        "supported_from": high.upper,
        "published": published(card, known),
        "level": LEVEL,
        "cases": len(settled),
        "unsettled": [place(x.case) for x in open_],
        "supported_everywhere_from": max(x.upper for x in limits),
        "horizons": ", ".join(f"{t:,}" for t in horizons),
        "false_at": place(low.case),
        "supported_at": place(high.case),
    }
    words = (
        f"refuted below {low.lower:.4g}, supported in {len(settled)} cases from {high.upper:.4g} on"
    )
    evidence = {"runs": sum(x.count for x in limits), "level": LEVEL, "runs_there": low.count}
    finding = Finding(card.id, statement.text, None, evidence, words, case=low.case)
    by_case = tuple((x.case, x.upper) for x in limits)
    return Trial(line, finding, by_case, None, assumed, constant)


def _narrowed(card: Claim, cases: list[AtHorizon], context: RunContext) -> list[Limits]:
    """The limits of all cases, with more runs for those that determine the numbers."""
    wide = replace(context, effort=replace(context.effort, slots=context.effort.slots * 4))
    policy = context.theory.policy(card.policy or "")
    found = []
    for case in cases:
        runs = batches(card, case, wide)
        if runs is None:
            expected = f"at most {context.effort.slots // 8:,} slots with this effort"
            raise InputError("--horizon", "horizon", f"{case.horizon:,}", expected)
        value = value_of(card, case, context.theory)
        capped = Capped.of(policy, case.instance, case.horizon)
        found.append(Limits(case, value, runs, capped, LEVEL / (2 * len(cases))))
    left, first = 4 * context.effort.slots, 0.0
    for each in found:
        left -= each.draw(FIRST_RUNS, first)
        first = max(first, each.lower)
    while True:
        wanted = {place: x.next_runs(first) for place, x in enumerate(found)}
        costs = {
            place: (runs - found[place].count) * found[place].case.horizon
            for place, runs in wanted.items()
            if runs is not None and found[place].upper > CLOSE * first
        }
        cheapest = min(costs, key=lambda place: costs[place], default=None)
        if cheapest is None or costs[cheapest] > left:
            return found
        left -= found[cheapest].draw(wanted[cheapest] or 0, first)
        first = max(first, found[cheapest].lower)
