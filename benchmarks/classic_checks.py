"""What the verdicts on the classic theory rest on: constants that are too small, and true ones.

    python benchmarks/classic_checks.py            a tenth of upper bounds, twice lower ones
    python benchmarks/classic_checks.py random 50 quick     every result on so many random instances
    python benchmarks/classic_checks.py random 50 standard ucb1 moss    these alone, more effort

A tenth of a bound may still be true: then the largest share of it that was reached is printed, and
the factor from which a search refutes it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from sympy import Rational, Tuple

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Finding, Verdict
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


def on(card: Claim, instance: Instance, effort: Effort = SMALL) -> list[Finding]:
    theory = THEORY.with_cards([card])
    question = Question(horizon=Fraction(effort.horizon), digits=15)
    return list(verified(theory, card, instance, question, theory.context(effort)))


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


def random_instances(card: Claim, most: int) -> Iterator[Instance]:
    """Instances that a search would draw; pairs of arms for a card on two arms."""
    for number in range(most):
        if card.id == "best-arm-two-points":
            p = Fraction(51 + number % 49, 100)
            yield Instance([p, 1 - p], [1, 1], 1)
            continue
        instance = example_of_seed(THEORY.instances(), number)
        two = card.id in ("thompson", "best-arm")
        yield instance.kept(instance.order[:2]) if two else instance


def at_random(count: int, effort: Effort, claims: list[str]) -> None:
    for card in THEORY.chosen(claims or None):
        if card.id.endswith("-printed"):
            continue
        start, verdicts, wrong, judged = time.process_time(), Counter[str](), [], 0
        for instance in random_instances(card, 10 * count):
            found = [f for f in on(card, instance, effort) if f.statement == "intended"]
            found = [f for f in found if f.applies]
            verdicts.update(str(f.verdict) for f in found)
            wrong += [f.explanation for f in found if f.verdict is Verdict.REFUTED]
            judged += bool(found)
            if judged == count:
                break
        took = f"{time.process_time() - start:.0f} s of CPU"
        print(f"{card.id}: {judged} instances, {dict(verdicts)}, {took} {wrong[:1]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["random"]:
        at_random(int(sys.argv[2]), EFFORTS[sys.argv[3]], sys.argv[4:])
    else:
        constants()
