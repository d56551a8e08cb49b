"""What the verdicts on the classic theory rest on: planted false variants, and true results.

    python benchmarks/classic_checks.py            every planted variant, with what refutes it
    python benchmarks/classic_checks.py ucb1 etc   those of some cards
    python benchmarks/classic_checks.py random 50 quick     every result on so many random instances
    python benchmarks/classic_checks.py random 50 standard ucb1 moss    these alone, more effort

Planted are a tenth of every upper bound, twice every lower bound, the statements that are false as
they were printed, and the variants of `FALSE`. Not all are false, or shown to be false by runs:
then the reason is printed, and for a tenth of a bound the factor from which a search refutes it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from sympy import Basic, Rational, Tuple, sqrt

from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind
from boundcheck.claims.functions import kl_bernoulli
from boundcheck.claims.unevaluated import exp, log
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Finding, Role, Verdict
from boundcheck.judging.verification import verified
from boundcheck.search.hunt import example_of_seed
from boundcheck.theories.classic import THEORY
from boundcheck.theories.classic.greedy import FORMULA
from boundcheck.theories.classic.symbols import BOUNDED, c, d, df, growth, summed
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

SMALL = Effort("small", trials=4_000, runs=20, horizon=1_000, slots=2 * 10**6)
LONG = Effort("long", trials=4_000, runs=20, horizon=10**5, slots=6 * 10**7)
PAIRS = (
    Instance(["0.6", "0.4"], [1, 1], 1),
    Instance(["0.6", "0.2"], [1, 1], 1),
    Instance(["0.5", "0"], [1, 1], 1, Gaussian(Fraction(1))),
)
FACTORS = ("1/10", "1/30", "1/100", "1/300")
LOWER = (Kind.LOWER_BOUND, Kind.LEAST_STOPPING)


def times(card: Claim, factor: Rational) -> Claim:
    """All terms of a card, its width or the claimed number multiplied; no premise."""
    if card.quantities:
        return saying(card, *(factor * t.expression for t in card.quantities[0].terms))
    if isinstance(card.formula, Tuple):
        at, number = card.formula.args
        return saying(card, Tuple(at, factor * number))
    return saying(card, factor * card.formula)


def saying(claim: Claim | str, *expressions: Basic) -> Claim:
    """A card with other terms, or with another formula; no premise."""
    card = replace(THEORY.cards[claim] if isinstance(claim, str) else claim, premise=False)
    if not card.quantities:
        (formula,) = expressions
        return replace(card, formula=formula)
    (quantity,) = card.quantities
    terms = tuple(
        replace(t, expression=each) for t, each in zip(quantity.terms, expressions, strict=True)
    )
    return replace(card, quantities=(replace(quantity, terms=terms),))


T, K, n, gap, delta = s.T, s.K, s.n, s.gap, s.delta
UCB1_GROWTH = growth(
    *("ucb1-growth", "ucb1", "planted", "Growth of UCB1"), summed("worse arms", 1 / gap), BOUNDED
)
VARIANCE_PART = sqrt(2 * s.sample_variance * log(2 / delta) / n)
FALSE = {
    "ucb1 grows like 1/gap": replace(UCB1_GROWTH, premise=False),
    "ucb with 3 for 16": saying("ucb", 3 * log(T) / gap, 3 * gap),
    "moss with 0.4 for 49": saying("moss", 2 * sqrt(T * K) / 5),
    "etc with 3 for 4": saying("etc", n * gap, (T - n * K) * gap * exp(-n * gap**2 / 3)),
    "ucb-asymptotic-limit with 1 for 2": saying("ucb-asymptotic-limit", 1 / gap),
    "epsilon-greedy with c/2 for c": saying("epsilon-greedy", FORMULA - c / (2 * d**2 * n)),
    "chi-square-tail with 3 for 4": saying("chi-square-tail", Tuple(3 * df, exp(-(df + 1) / 2))),
    "maurer-pontil with 1 for 7": saying(
        "maurer-pontil", VARIANCE_PART + log(2 / delta) / (3 * (n - 1))
    ),
    "hoeffding at every n": replace(THEORY.cards["hoeffding"], every_n=True),
    "best-arm-two-points with log(1/delta)": saying(
        "best-arm-two-points", log(1 / delta) / kl_bernoulli(s.best, 1 - s.best)
    ),
}


def factors_of(card: Claim) -> tuple[str, ...]:
    return ("2",) if card.kind in LOWER else FACTORS


def on(card: Claim, instance: Instance, effort: Effort = SMALL) -> list[Finding]:
    """The findings about what the authors use a card for."""
    theory = THEORY.with_cards([card])
    question = Question(horizon=Fraction(effort.horizon), digits=15)
    found = verified(theory, card, instance, question, theory.context(effort))
    return [f for f in found if f.role is Role.INTENDED and f.applies]


def refuted(card: Claim) -> str | None:
    """How a card is refuted, by `verify` on three pairs of arms or by a search; None: it is not."""
    for effort in (SMALL, LONG) if card.kind is Kind.UPPER_BOUND else (SMALL,):
        for finding in (f for instance in PAIRS for f in on(card, instance, effort)):
            if finding.verdict is Verdict.REFUTED:
                return f"verify: {finding.explanation}"
    if card.id not in THEORY.with_cards([card]).falsifiable:  # a limit is not searched
        return None
    row = falsify(card, examples=200, seconds=240, theory=THEORY)[0]
    return f"falsify: {row.explanation}" if row.found else None


def why_not(card: Claim) -> str:
    """What `verify` says of a card that is not refuted."""
    return next((f.explanation for i in PAIRS for f in on(card, i)), "")


def planted(claims: list[str]) -> Iterator[tuple[str, Claim]]:
    """Words and a card for each variant of these cards."""
    for card in THEORY.chosen(claims or None):
        if card.id.endswith("-printed"):
            yield f"{card.id}, as printed", card
        else:
            factor = factors_of(card)[0]
            yield f"{card.id} times {factor}", times(card, Rational(factor))
    yield from ((words, card) for words, card in FALSE.items() if not claims or card.id in claims)


def constants(claims: list[str]) -> None:
    for words, card in planted(claims):
        start, how = time.process_time(), refuted(card)
        print(f"{words}: {how or 'not refuted: ' + why_not(card)}", end="")
        if how is None and "times 1/10" in words:
            smaller = (f for f in FACTORS[1:] if refuted(times(THEORY.cards[card.id], Rational(f))))
            print(f"; refuted times {next(smaller, 'none of those tried')}", end="")
        print(f" ({time.process_time() - start:.0f} s of CPU)", flush=True)


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
            found = on(card, instance, effort)
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
        constants(sys.argv[1:])
