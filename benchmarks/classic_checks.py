"""What the verdicts on the classic theory rest on: constants that are too small, and true ones.

    python benchmarks/classic_checks.py            a tenth of upper bounds, twice lower ones
    python benchmarks/classic_checks.py random 50  every result on so many random instances

A tenth of a bound may still be true: then the largest share of it that was reached is printed, and
the factor from which a search refutes it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from fractions import Fraction

from sympy import Rational, Tuple

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Finding, Verdict
from boundcheck.judging.run_context import Effort
from boundcheck.judging.verification import verified
from boundcheck.search.hunt import example_of_seed
from boundcheck.theories.classic import THEORY
from simulation.errors import InputError
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

SMALL = Effort("small", trials=4_000, runs=20, horizon=1_000, slots=2 * 10**6)
PAIRS = (
    Instance(["0.6", "0.4"], [1, 1], 1),
    Instance(["0.5", "0"], [1, 1], 1, Gaussian(Fraction(1))),
)
FACTORS = ("1/10", "1/30", "1/100", "1/300")
LOWER = (Kind.LOWER_BOUND, Kind.LEAST_STOPPING)
TIMES_ANYTHING = (Kind.UPPER_BOUND, Kind.ASYMPTOTIC, Kind.COVERAGE, Kind.ALGEBRA)


def times(card: Claim, factor: Rational) -> Claim:
    """All terms of a card, its width or the claimed number multiplied; no premise."""
    card = replace(card, premise=False)
    if card.quantities:
        (quantity,) = card.quantities
        terms = tuple(replace(t, expression=factor * t.expression) for t in quantity.terms)
        return replace(card, quantities=(replace(quantity, terms=terms),))
    if isinstance(card.formula, Tuple):
        return replace(card, formula=Tuple(card.formula.args[0], factor * card.formula.args[1]))
    return replace(card, formula=factor * card.formula)


def on(card: Claim, instance: Instance) -> list[Finding]:
    theory = THEORY.with_cards([card])
    question = Question(horizon=Fraction(SMALL.horizon), digits=15)
    return list(verified(theory, card, instance, question, theory.context(SMALL)))


def refuted(card: Claim) -> str | None:
    """How a card is refuted, by `verify` on two pairs of arms or by a search; None: it is not."""
    for instance in PAIRS:
        for finding in on(card, instance):
            if finding.verdict is Verdict.REFUTED and finding.statement == "intended":
                return f"verify: {finding.explanation}"
    try:
        row = falsify(card, examples=200, seconds=20, theory=THEORY)[0]
    except InputError:
        return None
    return f"falsify: {row.explanation}" if row.found else None


def constants() -> None:
    for card in THEORY.cards.values():
        if card.id.endswith("-printed"):
            continue
        factors = ("2",) if card.kind in LOWER else FACTORS
        for factor in factors:
            planted = times(card, Rational(factor))
            how = refuted(planted)
            why = next((f.explanation for i in PAIRS for f in on(planted, i) if f.applies), "")
            print(f"{card.id} times {factor}: {how or f'not refuted ({why})'}", flush=True)
            if how:
                break


def at_random(count: int) -> None:
    start = time.monotonic()
    for card in THEORY.cards.values():
        if card.id.endswith("-printed"):
            continue
        judged, wrong = 0, []
        for number in range(count):
            instance = example_of_seed(THEORY.instances(), number)
            if card.id == "best-arm-two-points":
                p = Fraction(50 + number % 49 + 1, 100)
                instance = Instance([p, 1 - p], [1, 1], 1)
            elif card.id in ("thompson", "best-arm"):
                instance = instance.kept(instance.order[:2])
            for finding in on(card, instance):
                if finding.statement == "intended" and finding.applies:
                    judged += 1
                    if finding.verdict is Verdict.REFUTED:
                        wrong.append(finding.explanation)
        took = time.monotonic() - start
        print(
            f"{took:6.0f} s {card.id}: {judged} judged, refuted {len(wrong)} {wrong[:1]}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["random"]:
        at_random(int(sys.argv[2]))
    else:
        constants()
