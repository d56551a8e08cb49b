"""Upper bounds on regret, beside regret that no run escapes.

First slot: before anything is seen, every label of the arms is as likely as another, so the
expected reward of any first action is an average over relabelings, at most N times the mean of the
means (one play on each of N arms). Some labeling therefore loses at least

    f(a*) - (N/K) sum_k mu_k                                                                  (1)

in slot 1 alone. A bound below (1) is false; this needs means far above 1, which the Gaussian model
allows.

Wasted plays (MP-SE, and MP-SE-SA with known capacities; K = N + 1, capacities 1): an individual
exploration of all arms takes two slots in which every arm earns once; the N - 1 plays left over
are wasted if they go to arms already served. It loses sum_{k<=N} mu_k - mu_{N+1}. On rewards in
[0, 1] two empirical means differ by 1 at most, so no arm is dropped while gamma U(tau, T) > 1:

    regret >= (tau - 1)(sum_{k<=N} mu_k - mu_{N+1}),    tau = min{tau : gamma U(tau, T) <= 1}.  (2)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck import functions as fn
from boundcheck.balls import ball, precision
from boundcheck.calculator import Bound, bounds
from boundcheck.evaluate import BALLS, Evaluator
from boundcheck.falsification.outcome import Falsification
from boundcheck.falsification.proofs import constant_of_7_1
from boundcheck.falsification.registry import Task, searches
from boundcheck.question import Question
from boundcheck.search.hunt import hunt, simplest
from boundcheck.search.simpler import simpler_instances
from boundcheck.strategies import instances
from simulation.instance import Instance
from simulation.numbers import decimal

_QUESTION = Question(horizon=Fraction(100), digits=12)


@searches("thm-7.1", drops=("means-in-unit-interval",))
def orch_explore(task: Task) -> Iterator[Falsification]:
    yield _first_slot(task)
    if task.drop is None:
        yield constant_of_7_1(task)


@searches("thm-G.1", "thm-H.1")
def elimination_or_commitment(task: Task) -> Iterator[Falsification]:
    yield _first_slot(task)


@searches("thm-G.3", "thm-G.5")
def elimination(task: Task) -> Iterator[Falsification]:
    yield _wasted_plays(task)
    yield _first_slot(task)


# -- the first slot ----------------------------------------------------------------------


@st.composite
def _large_means(draw: DrawFn, unit_capacities: bool) -> Instance:
    instance = draw(instances(smallest=2, largest=4, laws=("gaussian",), distinct=True))
    factor = draw(st.sampled_from((1, 100, 10**4)))
    means = [mean * factor for mean in instance.means]
    held = [1] * instance.arms if unit_capacities else instance.capacities
    return instance.with_(means=means, capacities=held)


def _first_slot(task: Task) -> Falsification:
    unit = any(a.name == "unit-capacities" for a in task.card.assumptions)

    def bound(instance: Instance) -> Bound:
        (found,) = bounds(instance, _QUESTION, [task.card.id])
        return found

    def admitted(found: Bound) -> bool:
        implicit = {row.name: row.holds for row in found.implicit}
        if task.drop is None:
            return found.applies
        others = (holds for name, holds in implicit.items() if name != task.drop.name)
        return found.applies and all(others) and not implicit[task.drop.name]

    def score(instance: Instance) -> float:
        found = bound(instance)
        if found.ball is None or not found.ball > 0 or not found.applies:
            return -30.0
        return float((ball(_unavoidable(instance)) / found.ball).log().mid())

    def fails(instance: Instance) -> bool:
        found = bound(instance)
        below = found.ball is not None and found.ball < ball(_unavoidable(instance))
        return bool(below) and admitted(found)

    reading = f"T = {decimal(_QUESTION.horizon)}; {task.card.reading}"
    hunted = hunt(_large_means(unit), score, fails, task.budget)
    if hunted.example is None:
        words = "the bound was never below what the first slot alone may lose"
        return task.nothing(hunted.examples, words, reading)
    instance = simplest(hunted.example, simpler_instances, fails, task.budget)
    found = bound(instance)
    assert found.ball is not None
    parameters = {"horizon": decimal(_QUESTION.horizon)}
    if found.epsilon is not None:
        parameters["epsilon"] = found.epsilon
    return task.counterexample(
        hunted.examples,
        "the first slot alone, before anything is seen, loses more: the means are far above 1",
        found.ball,
        _unavoidable(instance),
        reading,
        instance=instance,
        parameters=parameters,
    )


def _unavoidable(instance: Instance) -> Fraction:
    """(1)."""
    return instance.optimal_reward - instance.plays * Fraction(sum(instance.means), instance.arms)


# -- wasted plays ------------------------------------------------------------------------

_PLAYS = (*range(20, 100, 5), *range(100, 201, 20))
_EXPONENTS = (100, 1_000, 10_000, 30_000, 90_000)  # horizons 10^x
_LAST_MEANS = tuple(Fraction(x) for x in ("0.9", "0.8", "0.7", "0.6"))


def _wasted_plays(task: Task) -> Falsification:
    """The fewest plays at which (2) exceeds the bound, over a family of instances."""
    reading = "literal pseudo-code: plays left over in an individual exploration are wasted"
    family = list(product(_PLAYS, _LAST_MEANS, _EXPONENTS))
    for seen, (plays, last, exponent) in enumerate(family, 1):
        found = _wasteful(task, _crowded(plays, last), exponent)
        if found is not None:
            published, lost, more = found
            words = "every round of exploration wastes N - 1 plays, and there are many"
            return task.counterexample(seen, words, published, lost, reading, **more)
        if task.budget.late:
            break
    words = "the bound was never below what the rounds before any elimination lose"
    return task.nothing(seen, words, reading)


def _crowded(plays: int, last: Fraction) -> Instance:
    """N - 1 means just below 1, the N-th at `last`, one arm that earns nothing."""
    best = [1 - Fraction(k, 10_000) for k in range(plays - 1)]
    return Instance([*best, last, 0], [1] * (plays + 1), plays)


def _wasteful(
    task: Task, instance: Instance, exponent: int
) -> tuple[arb, arb, dict[str, Any]] | None:
    question = Question(horizon=Fraction(10**exponent), digits=12)
    (found,) = bounds(instance, question, [task.card.id])
    with precision(128):
        rounds = _rounds(question.horizon)
        lost = (rounds - 1) * ball(instance.optimal_reward - min(instance.means))
        if found.ball is None or not found.applies or not found.ball < lost:
            return None
    parameters = {"horizon": f"1e{exponent}", "rounds before any elimination": rounds - 1}
    return found.ball, lost, {"instance": instance, "parameters": parameters}


def _rounds(horizon: Fraction) -> int:
    """The smallest tau with U(tau, T) <= 1 (gamma = 1), or one that is certainly not above it."""

    def reached(tau: int) -> bool:
        arguments = [np.array([[ball(Fraction(x))]], dtype=object) for x in (tau, horizon)]
        return not Evaluator(BALLS, {}).call(fn.U, *arguments).item() > 1

    low, high = 1, 2
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
