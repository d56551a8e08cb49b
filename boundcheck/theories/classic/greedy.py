"""epsilon_n-greedy: the probability that a worse arm is played in slot n.

Auer, Cesa-Bianchi and Fischer 2002, Theorem 3: for n >= c K/d^2, x = (n - 1) d^2 e^(1/2)/(c K),

    P(I_n = k) <= c/(d^2 n) + 2 (c/d^2) log(x) x^(-c/(5 d^2)) + (4 e/d^2) x^(-c/2).

It is printed for n >= c K/d, where log(x) may be negative. A slot plays each arm with probability
eps_n/K at least, and up to n = c K/d^2 with probability 1/K. Later it is counted in runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from sympy import Rational, Symbol

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import Values
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind, Repair
from boundcheck.claims.unevaluated import exp, log
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder, rounder_counts, simpler_instances
from boundcheck.theories.classic.symbols import BOUNDED, ONE_PLAY, as_printed, c, d, words
from simulation.numbers import decimal
from simulation.policies import find, refused
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

POLICY = "epsilon-greedy"
MOST_SLOTS, RUNS = 5_000, 20_000
x = Rational(1, 2) + log((s.n - 1) * d**2 / (c * s.K))  # its logarithm
FORMULA = (
    c / (d**2 * s.n)
    + 2 * (c / d**2) * x * exp(-x * c / (5 * d**2))
    + (4 / d**2) * exp(1 - x * c / 2)
)


def card(name: str, source: str, first: object, **more: object) -> Claim:
    return Claim(
        id=name,
        title="The chance that epsilon_n-greedy plays a worse arm" + as_printed(name),
        source=source,
        kind=Kind.ALGEBRA,
        policy=POLICY,
        formula=FORMULA,
        options=(("c", c), ("d", d)),
        assumptions=(ONE_PLAY, BOUNDED),
        **words(
            "In slot n a worse arm is played with probability at most this.",
            f"n >= {first}, d at most the smallest gap, given c and d",
            "exact probability, or counted runs",
        ),
        **more,  # type: ignore[arg-type]
    )


AUER_3 = "Auer, Cesa-Bianchi and Fischer 2002, Theorem 3"
GREEDY = card("epsilon-greedy", f"{AUER_3}, n >= c K/d^2", "c K/d^2")
PRINTED = card(
    "epsilon-greedy-printed",
    f"{AUER_3}, as printed",
    "c K/d",
    repairs=(
        Repair(
            "It is printed for n >= c K/d.",
            "The proof uses n >= c K/d^2, and so it holds.",
            "epsilon-greedy",
        ),
    ),
)
CARDS = (GREEDY, PRINTED)


@dataclass(frozen=True)
class Slot(InstanceCase):
    """A worse arm in slot n, with the options of the policy."""

    given_c: Fraction = Fraction(6)
    given_d: Fraction = Fraction(1, 10)
    slot: int = 100

    def parameters(self) -> dict[str, str]:
        numbers = {"c": self.given_c, "d": self.given_d, "n": Fraction(self.slot)}
        return {name: decimal(value, 6) for name, value in numbers.items()}

    @property
    def first(self) -> Fraction:
        """c K/d^2."""
        return self.given_c * self.instance.arms / self.given_d**2

    def simpler(self) -> Iterator[Slot]:
        yield from (replace(self, instance=i) for i in simpler_instances(self.instance))
        yield from (replace(self, given_c=v) for v in rounder(self.given_c) if v > 0)
        yield from (replace(self, given_d=v) for v in rounder(self.given_d) if 0 < v < 1)
        yield from (replace(self, slot=v) for v in rounder_counts(self.slot) if v > 1)


def gap(instance: Instance) -> Fraction:
    """The smallest gap; 0 if all arms are equal."""
    best = max(instance.means)
    return min((best - mean for mean in instance.means if mean < best), default=Fraction(0))


def _admitted(case: Slot, power: int) -> bool:
    """d is at most the smallest gap and below 1, and n is at least c K/d^power."""
    least = case.given_c * case.instance.arms / case.given_d**power
    long_enough = case.slot >= 2 and case.slot >= least
    return case.given_d < 1 and case.given_d <= gap(case.instance) and long_enough


def claimed(card: Claim, case: Slot) -> arb:
    numbers: dict[Symbol, Fraction | int]
    numbers = {c: case.given_c, d: case.given_d, s.n: case.slot, s.K: case.instance.arms}
    given: Values = {k: np.array([[ball(Fraction(v))]], dtype=object) for k, v in numbers.items()}
    found: arb = Evaluator(BALLS, given)(card.formula).item()
    return found


def _outside(card: Claim, case: Slot, context: RunContext, *, power: int) -> str | None:
    """Why the theorem does not apply to a case."""
    return None if _admitted(case, power) else f"d is above the smallest gap, or n < c K/d^{power}"


def chance(card: Claim, case: Slot, context: RunContext) -> Measured | None:
    """1/K as long as every slot is random; then at least eps_n/K."""
    share = Fraction(1, case.instance.arms)
    if case.slot <= case.first:
        return Enclosed.of(ball(share))
    return Enclosed(ball(share * case.first / case.slot).lower(), arb(1))


def _counted(card: Claim, case: Slot, context: RunContext) -> Measured | None:
    """Runs that play the arm of the smallest gap in slot n."""
    if case.slot > MOST_SLOTS:
        return None
    options = {"c": float(case.given_c), "d": float(case.given_d)}
    if refused(find(POLICY), case.instance, case.slot, options) is not None:
        return None
    runs = min(context.effort.trials, RUNS, context.effort.slots // case.slot)
    found = replicate(
        *(case.instance, [POLICY], case.slot, runs, context.seed),
        options=options,
        checkpoints=[case.slot - 1, case.slot],
    )[POLICY]
    lost = found.total[:, -1] - found.total[:, -2]
    best, least = max(case.instance.means), gap(case.instance)
    tied = sum(best - mean == least for mean in case.instance.means)
    together = "arms of the same mean are counted together" if tied > 1 else ""
    played = (np.abs(lost - float(least)) < 1e-9) / tied  # the share of each of them
    return Observed(played, {"policy": POLICY}, most=1.0 / tied, partial=together)


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, power: int
) -> Iterator[Slot]:
    """From the first slot to which the theorem applies, with the smallest gap known."""
    least = gap(instance)
    for factor in (1, 2, 5):
        for factor_c in (Fraction(1), Fraction(6)):
            if 0 < least < 1:
                n = max(2, ceil(factor * factor_c * instance.arms / least**power))
                yield Slot(instance, given_c=factor_c, given_d=least, slot=n)


@st.composite
def _drawn(draw: DrawFn, power: int) -> Slot:
    least = Fraction(draw(st.integers(1, 9)), 10)
    factor_c = Fraction(draw(st.integers(1, 100)), 10)
    size = draw(st.integers(2, 4))
    first = max(2, ceil(factor_c * size / least**power))
    means = [Fraction(1), *((1 - least) / 2**k for k in range(size - 1))]
    return Slot(
        Instance(means, [1] * size, 1),
        given_c=factor_c,
        given_d=least,
        slot=draw(st.integers(first, 10 * first)),
    )


def _statement(power: int) -> tuple[Statement, ...]:
    return (
        Statement(
            role=Role.INTENDED,
            text=f"P(a worse arm is played in slot n) <= the number, for n >= c K/d^{power}",
            actual=(Measurement("exact", chance), Measurement("counted", _counted, sampled=True)),
            claimed=claimed,
            cases=partial(_on_instance, power=power),
            strategy=partial(_drawn, power),
            uninformative=partial(_outside, power=power),
            inapplicable_reason="all arms are equal",
            explanations={
                Verdict.REFUTED: "in slot {n} it is {actual}, claimed to be at most {claimed} "
                "(c = {c}, d = {d})"
            },
        ),
    )


STATEMENTS = {"epsilon-greedy": _statement(2), "epsilon-greedy-printed": _statement(1)}
