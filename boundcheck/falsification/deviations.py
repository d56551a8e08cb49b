"""Lemma D.1: does an empirical mean cross its time-uniform boundary more often than delta?

For Bernoulli(p) variables (sigma = 1/2) the chance of crossing by time n is a sum over lattice
paths: floats for many (p, delta) at once, fractions for those that seem to exceed delta. It grows
with n, so no crossing later than n can turn a counterexample into none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy
from numpy.typing import NDArray

from boundcheck.balls import ball, precision
from boundcheck.falsification.outcome import Falsification
from boundcheck.falsification.registry import Task, searches
from boundcheck.widths import Exact, along, enclosed
from simulation.numbers import decimal

TIMES = 60
_BATCH = 1_000
_PER_EXAMPLE = 25  # pairs (p, delta) looked at for one example of the budget
_CLOSEST = 20  # pairs around which to look next
_BITS = 128

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Many (p, delta) and the chance of crossing for each."""

    means: Floats
    deltas: Floats
    crossing: Floats

    @property
    def ratio(self) -> Floats:
        return np.asarray(self.crossing / self.deltas)

    def closest(self, count: int) -> Pairs:
        best = np.argsort(-self.ratio)[:count]
        return Pairs(self.means[best], self.deltas[best], self.crossing[best])


@searches("lem-D.1")
def time_uniform_deviation(task: Task) -> Iterator[Falsification]:
    assert isinstance(task.card.formula, sympy.Expr)
    yield crossing_search(task, task.card.formula)


def crossing_search(task: Task, formula: sympy.Expr) -> Falsification:
    """Random pairs, then pairs around those that came closest, until the budget is spent."""
    rng = np.random.default_rng(task.budget.seed)
    reading = f"Bernoulli variables (sigma = 1/2), times 1 to {TIMES}; {task.card.reading}"
    closest = Pairs(*(np.empty(0) for _ in range(3)))
    seen, wanted = 0, _PER_EXAMPLE * task.budget.examples
    while seen == 0 or (seen < wanted and not task.budget.late):
        closest = _joined(crossed(*_proposed(rng, closest), formula), closest)
        seen += _BATCH
        for mean, delta in _suspects(closest):
            chance = exact_crossing(mean, delta, formula)
            if chance > delta:
                parameters = {"mean": decimal(mean), "delta": decimal(delta), "times": TIMES}
                words = "the boundary is crossed with a probability above delta"
                return task.counterexample(
                    seen, words, delta, chance, reading, parameters=parameters
                )
    largest = f"{float(closest.ratio[0]):.6g}"
    parameters = {"mean": f"{closest.means[0]:.6g}", "delta": f"{closest.deltas[0]:.6g}"}
    parameters["times"] = str(TIMES)
    words = f"the chance of crossing was at most {largest} delta"
    return task.nothing(
        seen,
        words,
        reading,
        parameters=parameters | {"times": TIMES},
        published="1",
        actual=largest,
    )


def _proposed(rng: np.random.Generator, closest: Pairs) -> tuple[Floats, Floats]:
    """Pairs anywhere (delta from 1e-8 to 1), half of them near the closest ones so far."""
    means = rng.uniform(0, 1, _BATCH)
    deltas = 10 ** rng.uniform(-8, 0, _BATCH)
    if len(closest.means):
        around, half = rng.integers(0, len(closest.means), _BATCH // 2), _BATCH // 2
        means[:half] = closest.means[around] + rng.normal(0, 0.02, half)
        deltas[:half] = closest.deltas[around] * np.exp(rng.normal(0, 0.1, half))
    return np.clip(means, 1e-6, 1 - 1e-6), np.clip(deltas, 1e-12, 1 - 1e-9)


def _joined(one: Pairs, other: Pairs) -> Pairs:
    fields = ("means", "deltas", "crossing")
    both = Pairs(*(np.concatenate([getattr(one, f), getattr(other, f)]) for f in fields))
    return both.closest(_CLOSEST)


def crossed(means: Floats, deltas: Floats, formula: sympy.Expr) -> Pairs:
    """P(|S_t/t - p| >= width(t) for some t <= TIMES), in floats, path by path."""
    times = np.arange(1.0, TIMES + 1)
    grid: dict[str, Floats | float] = {
        "t": np.tile(times, len(deltas)),
        "sigma2": 0.25,
        "delta": np.repeat(deltas, TIMES),
    }
    widths = along(formula, grid).reshape(len(deltas), TIMES)
    successes = np.arange(TIMES + 1)
    inside = np.zeros((len(means), TIMES + 1))
    inside[:, 0] = 1.0
    for t in range(1, TIMES + 1):
        up = inside[:, :-1] * means[:, None]
        inside *= 1 - means[:, None]
        inside[:, 1:] += up
        out = abs(successes / t - means[:, None]) >= widths[:, t - 1, None]
        inside[out] = 0.0
    return Pairs(means, deltas, 1 - inside.sum(axis=1))


def _suspects(closest: Pairs) -> Iterator[tuple[Fraction, Fraction]]:
    for mean, delta, ratio in zip(closest.means, closest.deltas, closest.ratio, strict=True):
        if ratio > 1:
            yield Fraction(f"{mean:.4f}"), Fraction(f"{delta:.4g}")


def exact_crossing(mean: Fraction, delta: Fraction, formula: sympy.Expr) -> Fraction:
    """The same as a fraction; a point that a width does not decide counts as inside."""
    times = range(1, TIMES + 1)
    with precision(_BITS):
        values: dict[str, Exact | Sequence[Exact]] = {"t": list(times), "delta": delta}
        values["sigma2"] = Fraction(1, 4)
        widths = enclosed(formula, values)
        inside = {0: Fraction(1)}
        for t in times:
            moved: dict[int, Fraction] = {}
            for count, weight in inside.items():
                for step, chance in ((0, 1 - mean), (1, mean)):
                    moved[count + step] = moved.get(count + step, Fraction(0)) + weight * chance
            inside = {
                count: weight
                for count, weight in moved.items()
                if not ball(abs(Fraction(count, t) - mean)) >= widths[t - 1]
            }
    return 1 - sum(inside.values(), Fraction(0))
