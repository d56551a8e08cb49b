"""A figure of appendix J: the uniform width beside Hoeffding's.

It compares phi(t, 1/T) with rho(t, 1/T^2), since section 5 calls the uniform interval sharper "in
some instances": no more is claimed, and t = 1 is not one of them. phi < rho, squared, is g(t) = (1
+ 1/t)(log(2T) + log(t+1)/2) < log(2T^2). As g'(t) t^2 = t/2 - log(2T) - log(t+1)/2 increases in t,
g first falls and then rises: true at both ends of a range, it is true within.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Symbol

from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Number
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms import functions as fn
from simulation.world.instance import Instance

WIDTH_HORIZON = 10**6


@dataclass(frozen=True)
class WidthAt(InstanceCase):
    """A time t up to T."""

    t: int = 1

    def parameters(self) -> dict[str, Any]:
        return {"t": self.t, "T": WIDTH_HORIZON}


def widths(t: int, horizon: int) -> tuple[arb, arb]:
    """Enclosures of phi(t, 1/T) and rho(t, 1/T^2)."""
    count, level = Symbol("t"), Symbol("delta")
    (uniform,) = enclosed(fn.phi(count, level), {"t": t, "delta": Fraction(1, horizon)})
    (hoeffding,) = enclosed(fn.rho(count, level), {"t": t, "delta": Fraction(1, horizon**2)})
    return uniform, hoeffding


def uniform_width(card: Claim, case: WidthAt, context: RunContext) -> Measured:
    return Enclosed.of(widths(case.t, WIDTH_HORIZON)[0])


def hoeffding_width(card: Claim, case: WidthAt) -> Number:
    return widths(case.t, WIDTH_HORIZON)[1]


def last_sharper(horizon: int) -> int:
    """The last t at which phi is certainly smaller, by bisection from t = 3 on."""

    def wider(t: int) -> bool:
        uniform, hoeffding = widths(t, horizon)
        return not uniform < hoeffding

    return 2 + bisect_left(range(3, 2 * horizon**2), True, key=wider)


def _ends(instance: Instance) -> list[WidthAt]:
    """Both ends of the range: if it is true at both, it is true in between."""
    return [WidthAt(instance, t=t) for t in (2, WIDTH_HORIZON)]


SHARPER = Statement(
    role=Role.FURTHER,
    text="appendix J, figure of the widths: the uniform interval is the sharper one, phi(t, 1/T) "
    f"at most rho(t, 1/T^2) for 2 <= t <= T = {WIDTH_HORIZON:,}",
    actual=(Measurement("enclosed widths", uniform_width),),
    claimed=hoeffding_width,
    cases=lambda card, instance, question, context: _ends(instance),
    known_cases=lambda: _ends(Instance.load("paper")),
    assumes=(),
    complete=True,
    name="widths",
    explanations={
        Verdict.HOLDS: "where they are closest, phi is {actual} and rho {claimed} (t = {t})",
        Verdict.REFUTED: "phi is {actual} and rho only {claimed} at t = {t}",
    },
)
