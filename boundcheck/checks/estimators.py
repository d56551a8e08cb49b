"""The estimator of a capacity is right when its bounds meet (5.2, J.2), conditionally and not.

Unconditionally: the bounds meet at a wrong value only if m is outside the interval. At single pairs
of counts that probability is summed over a binomial lattice or enclosed by tails; over all times
the estimator is run. The conditional statements are in `conditional`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy

from boundcheck import balls
from boundcheck.certified import BITS, Chance, decided
from boundcheck.checks import checks
from boundcheck.checks.conditional import FEW, estimator_given_meeting
from boundcheck.checks.intervals import AHEAD, Counts, case, deltas, unlearnable, widths
from boundcheck.checks.stopping import wrong_at_some_time
from boundcheck.claim import Claim
from boundcheck.claims import find
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evidence import Finding
from boundcheck.functions import phi
from boundcheck.lattices import Lattice, enclosing
from boundcheck.sizing import sizes
from boundcheck.tails import Arm, Explored, arms
from simulation.rewards import Bernoulli

_COUNTS = tuple(round(10 * 1.5**k) for k in range(24))  # 10 to about 100 000
PAIRS = {
    "equal counts": [(n, n) for n in _COUNTS],
    "one count far ahead": [(AHEAD, n) for n in _COUNTS] + [(n, AHEAD) for n in _COUNTS],
}
_ARMS = 2


@checks("lem-5.2", "lem-J.2")
def meeting(card: Claim, run: Run) -> Iterator[Finding]:
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet)
        return
    if (nothing := unlearnable(card, run)) is not None:
        yield nothing
        return
    if not _decidable(run):
        yield cannot_arise(card, card.reading, "every capacity is above N")
        return
    uniform = card.id == "lem-5.2"
    formula = find("lem-5.1" if uniform else "lem-J.1").formula
    printed = "as printed: a conditional probability given that the bounds meet"
    yield estimator_given_meeting(card, run, formula, printed)
    plain = "unconditional: P(bounds meet at a wrong value) <= delta"
    for words, pairs in PAIRS.items():
        yield _wrong_at_one_time(card, run, formula, f"{plain}, at one time; {words}", pairs)
    if uniform:
        learnt = find("sharp-5.3a").quantities[0]
        chosen = [arm for arm in _decidable(run) if arm.mean > 0][:1]
        for each in sizes(learnt, run.instance, run.question, chosen, phi):
            reading = f"{plain}, at all times; equal counts"
            yield from wrong_at_some_time(card, run, reading, each)


def _decidable(run: Run) -> list[Arm]:
    """Arms that can be taken for a smaller and a larger capacity, the easiest to learn first."""
    plays = run.instance.plays
    between = [arm for arm in arms(run.instance) if 1 < arm.capacity < plays]
    earning = [arm for arm in between or arms(run.instance) if arm.capacity <= plays]
    return sorted(earning, key=lambda arm: arm.mean / arm.capacity, reverse=True)


def _wrong_at_one_time(
    card: Claim, run: Run, formula: sympy.Expr, reading: str, pairs: list[Counts]
) -> Finding:
    with balls.precision(BITS):
        chances = [
            chance
            for delta in deltas(run)
            for arm in _decidable(run)[:_ARMS]
            for chance in _chances(run, formula, arm, delta, pairs)
        ]
        method = "exact binomial lattice, enclosed normal tails or Chernoff bounds"
        explanations = (
            "at all counts computed the bounds meet at a wrong value with probability below delta",
            "at these counts the bounds meet at a wrong value with probability above delta",
        )
        return decided(card.id, reading, chances, method, explanations)


def _chances(
    run: Run, formula: sympy.Expr, arm: Arm, delta: Fraction, pairs: list[Counts]
) -> Iterator[Chance]:
    plays = run.instance.plays
    for counts, s in widths(formula, run, pairs, delta):
        yield Chance(case(arm, counts), delta, Explored(arm, *counts).wrong(s, plays))
    if isinstance(arm.law, Bernoulli) and pairs is PAIRS["equal counts"]:
        for counts, s in widths(formula, run, FEW, delta):
            _, wrong = Lattice(arm.mean, *counts, enclosing(s)).meeting(arm.capacity, plays)
            exact = balls.ball(wrong)
            yield Chance(case(arm, counts), delta, (exact.lower(), exact.upper()))
