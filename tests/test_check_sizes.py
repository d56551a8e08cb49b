"""How often a check refutes what is true: measured under its own null, at the boundary.

Each kind of statistical check is fed observations for which its claim is just true, many times, at
a level of 5%. Where claims are judged together (deltas, arms, horizons) all of them are just true
and independent, so that a level that is not shared shows. More refutations than `MOST` have a
chance of at most 1e-6 with a fresh seed if the size is 5%; seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from boundcheck.checks import coverage, events, regret, samples, sizes, statements, stopping
from boundcheck.claims import find
from boundcheck.crossvalidate import Effort, Run
from boundcheck.evidence import Budget, Finding, Verdict, betting, binomial, crossing
from boundcheck.evidence.betting import lower_limit, mean_at_least
from boundcheck.functions import phi
from boundcheck.report import figures
from boundcheck.sizing import Sized
from boundcheck.tails import arms
from simulation.instance import Instance

LEVEL = 0.05
REPETITIONS, FEWER = 2_000, 300
MOST, MOST_OF_FEWER = (int(binom.isf(1e-6, times, LEVEL)) for times in (REPETITIONS, FEWER))
TRIALS, RUNS = 20_000, 60
INSTANCE = Instance(["0.9", "0.6", "0.3"], [1, 2, 1], 2, name="sizes")


@pytest.fixture(autouse=True)
def only_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a check could have seen takes most of its time, and decides nothing."""
    monkeypatch.setattr(binomial, "detectable", lambda *given: 1.0)
    monkeypatch.setattr(betting, "detectable", lambda *given: 1.0)
    monkeypatch.setattr(betting, "lower_limit", lambda *given: 0.0)


class AtLevel(Run):
    """Every check of a fresh run has the same large level."""

    def level(self, check: str, weight: float = 1.0) -> float:
        super().level(check, weight)
        return LEVEL


def fresh() -> AtLevel:
    return AtLevel(INSTANCE, Effort("sizes", TRIALS, RUNS, 1_000), Budget(1e-6))


def refutations(check: Callable[[np.random.Generator], bool], times: int = REPETITIONS) -> int:
    rng = np.random.default_rng(7)
    return sum(check(rng) for _ in range(times))


def refuted(*findings: Finding) -> bool:
    return any(finding.verdict is Verdict.REFUTED for finding in findings)


def regrets(rng: np.random.Generator, mean: float) -> np.ndarray:
    """Skewed, as regret is: a few runs lose much."""
    return mean * rng.gamma(0.5, 2.0, RUNS)


def test_failures_counted_at_several_confidences() -> None:
    def check(rng: np.random.Generator) -> bool:
        run = fresh()
        asked = coverage.deltas(run)
        hits = [int(rng.binomial(TRIALS, float(delta))) for delta in asked]
        return refuted(coverage._observed("lem-5.1", "null", run, "null", hits, asked, {}))

    assert 0 < refutations(check) <= MOST


@pytest.mark.parametrize(
    ("reading", "errors"),
    [
        ("the likelihood-ratio test attains the exact error", (0.3, 0.3)),
        ("no estimator beats the exact error: rounding", (0.3, 0.0)),
    ],
)
def test_errors_of_estimators(
    reading: str, errors: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both errors are the exact one; or one is, and the other estimate is never wrong."""
    told = samples.Telling(arm=1, pair=(1, 2), explorations=1, error=0.3)
    monkeypatch.setattr(samples, "_telling", lambda run, chosen: told)

    def check(rng: np.random.Generator) -> bool:
        names = ("likelihood ratio", "rounding")
        wrong = {name: tuple(rng.binomial(TRIALS, errors)) for name in names}
        monkeypatch.setattr(samples, "simulated_errors", lambda *given: wrong)
        found = samples._estimators(find("thm-4.1a"), fresh(), [1])
        return refuted(*(finding for finding in found if finding.reading == reading))

    assert 0 < refutations(check) <= MOST


def test_failures_counted_at_the_sizes_of_several_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    run = fresh()
    found = [Sized(arm, run.question.delta, 100, phi) for arm in arms(INSTANCE)]

    def check(rng: np.random.Generator) -> bool:
        def failures(each: Sized, *given: Any) -> int:
            return int(rng.binomial(TRIALS, float(each.delta)))

        monkeypatch.setattr(sizes, "_failures", failures)
        return refuted(*sizes._simulated(find("thm-5.3a"), fresh(), "null", found))

    assert 0 < refutations(check) <= MOST


def test_failures_counted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    each = Sized(arms(INSTANCE)[0], fresh().question.delta, 100, phi)

    def check(rng: np.random.Generator) -> bool:
        failing = rng.binomial(TRIALS, float(each.delta)) / TRIALS
        estimation = SimpleNamespace(
            right=[1 - failing], failure=failing, runs=TRIALS, stopping_time=lambda q: 50.0
        )
        monkeypatch.setattr(stopping, "followed", lambda run, each: estimation)
        card = find("sharp-5.3a")
        late = stopping.stopping(card, fresh(), [each])
        wrong = stopping.wrong_at_some_time(card, fresh(), "null", each)
        first, second = refuted(*late), refuted(*wrong)
        assert first == second
        return first

    monkeypatch.setattr(stopping, "_against_lower_bound", lambda *given: {})
    assert 0 < refutations(check) <= MOST


def test_mean_regret_at_several_horizons() -> None:
    def rung(rng: np.random.Generator) -> regret.Rung:
        bound: Any = SimpleNamespace(upper="40", vacuous=False, terms=())
        total = regrets(rng, 40.0)[:, None]
        runs: Any = SimpleNamespace(
            total=total, horizon=1_000, policy="mp-se-sa", runs=RUNS, standard_error=[1.0]
        )
        return regret.Rung(bound, (), runs, 1e9)

    def check(rng: np.random.Generator) -> bool:
        rungs = [rung(rng) for _ in range(3)]
        return refuted(regret._decided(find("thm-G.1"), "null", rungs, fresh(), "null"))

    assert 0 < refutations(check, FEWER) <= MOST_OF_FEWER


def test_mean_counts_of_low_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(rng: np.random.Generator) -> bool:
        slots = regrets(rng, events.PRINTED_INDEX_BOUND)
        monkeypatch.setattr(events, "low_index_counts", lambda run: (slots, slots))
        return refuted(*events.low_indices(find("lem-E.2"), fresh()))

    certified = events.low_index_slots(events.CERTIFIED_SLOTS)
    monkeypatch.setattr(events, "low_index_slots", lambda horizon: certified)
    monkeypatch.setattr(AtLevel, "unmet", lambda run, claim, question=None: [])
    assert 0 < refutations(check, FEWER) <= MOST_OF_FEWER


def test_which_of_two_policies_loses_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither order is true: what is said of either is an error."""
    monkeypatch.setattr(statements, "_mean_difference", lambda *given: {})

    def check(rng: np.random.Generator) -> bool:
        better, worse = (
            SimpleNamespace(total=regrets(rng, 40.0)[:, None], runs=RUNS, horizon=1_000)
            for _ in range(2)
        )
        found = statements._typical_run(find("rem-8.1"), fresh(), "null", better, worse)
        return found.verdict is not Verdict.INCONCLUSIVE

    assert 0 < refutations(check) <= MOST


def test_which_of_two_policies_loses_less_on_average() -> None:
    largest = 50 * float(INSTANCE.largest_regret)

    def check(rng: np.random.Generator) -> bool:
        difference = largest * rng.choice([-1.0, 1.0], RUNS)
        return statements._mean_difference(fresh(), difference, 50, LEVEL)["surely_above"] > 0

    assert 0 < refutations(check, FEWER) <= MOST_OF_FEWER


def test_orderings_of_a_figure() -> None:
    panel: Any = SimpleNamespace(orderings=[("a", "b"), ("c", "d")], throughput=False, says="")

    class Runs(dict[str, Any]):
        """As a `Replication`: found by name, gone through by policy."""

        horizon = 1_000

        def __iter__(self) -> Any:
            return iter(self.values())

    def check(rng: np.random.Generator) -> bool:
        totals = {name: regrets(rng, 40.0)[:, None] for name in "abcd"}
        runs: Any = Runs(
            {k: SimpleNamespace(total=x, policy=k, mean=x.mean(0)) for k, x in totals.items()}
        )
        outcome, _ = figures._reproduced(panel, runs, LEVEL)
        return outcome == figures.CONTRADICTED

    assert 0 < refutations(check) <= MOST


def test_weights_of_rare_events() -> None:
    """P(Z >= 3) by importance sampling, claimed to be at most, or at least, what it is."""
    exact = float(norm.sf(3))

    def check(rng: np.random.Generator) -> bool:
        event = crossing([3.0], 100, rng, sides=1)
        above = event.at_most(exact, LEVEL / 2).refuted
        return above or event.at_least(exact, LEVEL / 2).refuted

    assert 0 < refutations(check, FEWER) <= MOST_OF_FEWER


def test_limits_of_a_mean_from_below_and_above() -> None:
    def check(rng: np.random.Generator) -> bool:
        values = rng.beta(0.5, 1.5, RUNS)
        low = lower_limit(values, LEVEL / 2) > 0.25
        return low or mean_at_least(values, 0.25, 1.0, LEVEL / 2).refuted

    assert 0 < refutations(check, FEWER) <= MOST_OF_FEWER
