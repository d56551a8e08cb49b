"""Mistakes that no change of a number makes: planted by hand, each beside what must notice it.

A detector says whether all is well. It uses little: exact enumeration, identities that hold
whatever a policy does, statements whose truth is known. A statistical one is seeded and errs by
chance, over all seeds, with probability below 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import product
from math import comb, erfc, sqrt
from typing import Any
from unittest.mock import patch

import numpy as np

from boundcheck.evidence import betting, binomial, rare
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.selftest.outcome import Outcome, Result
from simulation.running import chunks, runs
from simulation.running.replicate import replicate
from simulation.world import draws
from simulation.world.instance import Instance

Detector = Callable[[], bool]
Plant = Callable[[], AbstractContextManager[Any]]
MISTAKES: dict[str, tuple[Plant, Detector]] = {}
SMALL = Instance([0.9, 0.6, 0.3, 0.2], [2, 2, 1, 1], 3, name="small")


def planted(name: str, detector: Detector) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        MISTAKES[name] = plant, detector
        return plant

    return register


def mistakes() -> Iterator[Outcome]:
    for name, (plant, detector) in MISTAKES.items():
        if not _well(detector):
            raise RuntimeError(f"{detector.__name__}: broken before anything is planted")
        with plant():
            noticed = not detector()
        by = str(detector.__doc__).partition("\n")[0]
        yield Outcome("planted", name, Result.CAUGHT if noticed else Result.UNCAUGHT, (by,))


@cache
def _well(detector: Detector) -> bool:
    return detector()


# -- what notices --------------------------------------------------------------------------------


def _runs(horizon: int, runs: int) -> Any:
    policy = "orch-explore"
    return replicate(SMALL, [policy], horizon, runs, seed=7)[policy]


def bookkeeping() -> bool:
    """Reward and regret add up to t f(a*), whatever the policy does.

    A slot's reward is within [0, 3], so Hoeffding's inequality for martingales bounds the mean of
    R runs at slot t: off by 3 sqrt(t log(2/1e-8) / (2 R)) with probability below 1e-8.
    """
    found = _runs(2000, 200)
    slots = np.asarray(found.checkpoints)
    mean = (found.reward + found.total).mean(0) - slots * float(SMALL.optimal_reward)
    return bool(np.all(np.abs(mean) <= 3 * np.sqrt(slots * np.log(2e8) / 400)))


def different_runs() -> bool:
    """Runs differ from each other."""
    return len(np.unique(_runs(500, 20).reward[:, -1])) > 10


def binomial_level() -> bool:
    """Over all counts of 30 trials the lower limit exceeds p with probability <= 5 %."""
    limits = [binomial.proportion_lower_limit(hits, 30, 0.05) for hits in range(31)]

    def missed(p: float) -> float:
        mass = (comb(30, h) * p**h * (1 - p) ** (30 - h) for h in range(31))
        return sum(m for m, limit in zip(mass, limits, strict=True) if limit > p)

    return all(missed(p) <= 0.05 for p in (0.05, 0.3, 0.5, 0.9))


def fair_bets() -> bool:
    """Expected wealth over all 2^6 outcomes of fair coins on {0, 2} is at most 1."""
    paths = (np.array(path, dtype=float) for path in product((0.0, 2.0), repeat=6))
    return bool(np.mean([np.exp(betting.log_wealth(p, 1.0)[-1]) for p in paths]) <= 1 + 1e-12)


def fair_level() -> bool:
    """E[X] <= 1 is refuted by at most 5 % of the outcomes of 7 fair coins on {0, 2}."""
    paths = (np.array(path, dtype=float) for path in product((0.0, 2.0), repeat=7))
    return bool(np.mean([betting.mean_at_most(p, 1.0, 0.05).refuted for p in paths]) <= 0.05)


def power() -> bool:
    """A planted false statement is refuted."""
    values = 1 + np.random.default_rng(3).random(400)
    return betting.mean_at_most(values, 1.2, 1e-6).refuted


def levels() -> bool:
    """Levels stay within the budget."""
    names = [f"statement {i}" for i in range(40)]
    plan = ErrorPlan(1e-6, names)
    return sum(map(plan.level, names)) <= 1e-6


def rare_events() -> bool:
    """A rare event has its exact probability."""
    found = rare.crossing([5.0], 20_000, np.random.default_rng(5), sides=1)
    return bool(abs(found.mean() / (erfc(5 / sqrt(2)) / 2) - 1) < 0.1)


# -- what is planted -----------------------------------------------------------------------------


@planted("a clock that ticks twice a slot", bookkeeping)
def _clock() -> AbstractContextManager[Any]:
    original: Any = vars(chunks)["run_many"]

    def wrong(instance: Any, policy: str, horizon: int, checkpoints: Any, *rest: Any) -> Any:
        return original(instance, policy, 2 * horizon, 2 * np.asarray(checkpoints), *rest)

    return patch.object(chunks, "run_many", wrong)


@planted("every run draws the same numbers", different_runs)
def _stream() -> AbstractContextManager[Any]:
    original = draws.stream
    return patch.object(runs, "stream", lambda seed, run: original(seed, 0))


@planted("binomial limits at ten times their level", binomial_level)
def _level() -> AbstractContextManager[Any]:
    original = binomial.proportion_lower_limit
    return patch.object(
        binomial,
        "proportion_lower_limit",
        lambda hits, trials, level: original(hits, trials, min(10 * level, 0.9)),
    )


@planted("bets pay 1 % too much", fair_bets)
def _bets() -> AbstractContextManager[Any]:
    original = betting._log_factors
    return patch.object(betting, "_log_factors", lambda x, stake: original(x, stake) + 0.01)


@planted("an e-process at ten times its level", fair_level)
def _e_process() -> AbstractContextManager[Any]:
    original = betting.mean_at_most
    return patch.object(
        betting,
        "mean_at_most",
        lambda values, bound, level: original(values, bound, min(10 * level, 0.9)),
    )


@planted("bets are never placed", power)
def _idle() -> AbstractContextManager[Any]:
    return patch.object(betting, "_log_factors", lambda x, stake: 0.0 * x)


@planted("every statement gets the whole budget", levels)
def _budget() -> AbstractContextManager[Any]:
    return patch.object(ErrorPlan, "level", lambda self, statement, parts=1: self.total)


@planted("importance weights are left out", rare_events)
def _weights() -> AbstractContextManager[Any]:
    original = rare._Tilts.log_weight
    return patch.object(rare._Tilts, "log_weight", lambda *a: 0.0 * original(*a))
