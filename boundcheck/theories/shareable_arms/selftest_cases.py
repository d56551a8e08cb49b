"""The cases on which `selftest` tries this theory: instances, consequences and reference values.

Each instance is tight or extreme in one way, so that a number that is too small is detected. A
bound on regret at every T has a consequence: its coefficient of log T is at least the least growth
of any consistent policy (`sharp-4.3`; for a policy that knows the capacities, its first term).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from importlib import resources
from typing import Any

from sympy import Integer

from boundcheck.claims.card import Claim, Kind, Term, Trivial
from boundcheck.claims.growth import per_log
from boundcheck.judging.default_statements.growth import Limit, limit
from boundcheck.judging.default_statements.regret import claimed_number
from boundcheck.judging.finding import Role
from boundcheck.judging.statement import Statement
from boundcheck.selftest.evidence import Consequence
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.functions import smallest_count
from boundcheck.theories.shareable_arms.law_free.functions import LostSlots
from boundcheck.theories.shareable_arms.lower_regret.least_growth import LEAST, LEAST_GROWTH
from boundcheck.theories.shareable_arms.orch_explore.functions import learning, learning_last
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

ORDERS = ("cor-G.2",)  # without constants


def _falling(first: str, rest: str, arms: int, plays: int, largest: int, variance: str) -> Instance:
    """One arm ahead of many that are close together."""
    step = Fraction(rest) / (10 * arms)
    means = [Fraction(first), *(Fraction(rest) - k * step for k in range(arms - 1))]
    held = [largest, *(1 for _ in means[1:])]
    return Instance(means, held, plays, Gaussian(Fraction(variance)), name=f"{arms} arms")


def instances() -> Iterator[Instance]:
    yield from (Instance.load(name) for name in ("paper", "textbook", "paper-gaussian"))
    yield Instance(["0.9", "0.5", "0.2"], [2, 1, 1], 2, name="few arms")
    yield Instance([3, 2, 1, "0.5"], [2, 2, 1, 1], 3, Gaussian(Fraction(1, 4)), name="far apart")
    yield Instance(["0.9", "0.6", "0.5", "0.1"], [1, 1, 1, 1], 2, name="single plays")
    yield _falling("1", "0.5", 40, 1, 1, "1/1000")


def extreme() -> Iterator[Limit]:
    """Many near ties, a large capacity, small means."""
    yield Limit(_falling("0.51", "0.5", 200, 1, 1, "1/4"), fixed=True)
    yield Limit(_falling("1", "0.9", 302, 301, 300, "1/4"), fixed=True)
    yield Limit(_falling("0.001", "0.0005", 4, 3, 2, "1/4"), fixed=True)


def growing(card: Claim) -> Claim:
    """The card about its growth per log T."""
    (regret, *_) = card.quantities
    terms = per_log(regret.terms) or (Term("none", Integer(0)),)
    growth = replace(regret, terms=terms, trivial=Trivial.NONE, optimise_epsilon=False)
    return replace(card, kind=Kind.ASYMPTOTIC, quantities=(growth,))


def _grows_like_log(card: Claim) -> bool:
    """Whether everything that grows with T is a logarithm, so that the coefficient can be read
    off.
    """
    grows_otherwise = (smallest_count, LostSlots, learning, learning_last)
    return not any(term.expression.has(*grows_otherwise) for term in card.quantities[0].terms)


GROWTH = Statement(
    role=Role.FURTHER,
    text="the coefficient of log T is at least the least growth of any consistent policy",
    actual=(LEAST_GROWTH,),
    claimed=partial(claimed_number, theory=THEORY),
    cases=limit,
    known_cases=extreme,
    rests_on=(LEAST,),
    name="growth",
)


@cache
def reference() -> list[dict[str, Any]]:
    """By instance, numbers of the cards computed by other code (mpmath, from the statements), and
    where their assumptions hold.
    """
    found: list[dict[str, Any]] = _read("reference.json")
    return found


@cache
def stated() -> dict[str, str]:
    """A digest of what each step of our proofs checks."""
    found: dict[str, str] = _read("stated.json")
    return found


def _read(name: str) -> Any:
    file = resources.files(__package__).joinpath(name)
    return json.loads(file.read_text(encoding="utf-8"))


def consequences(card: Claim) -> Iterator[Consequence]:
    if card.policy is None or card.id in ORDERS:
        return
    if card.kind is Kind.UPPER_BOUND and _grows_like_log(card):
        yield Consequence(growing, GROWTH)
    if card.kind is Kind.ASYMPTOTIC:
        yield Consequence(lambda mutant: mutant, GROWTH)
