"""Lemma E.3: a slot with a wrong action or a bad estimate is one of three kinds.

At a slot let S be the arms that Oracle(muhat, m^l) plays and S* those of Oracle(mu, m^l). If the
two actions differ and every arm of S has an estimate within epsilon of its mean, the lemma says
that some arm of S* that is not in S has an estimate off by epsilon or more. (Slots with a low index
are covered by definition, so the lemma says no more than this.)

With epsilon below half the smallest gap, all that matters of the estimates is their order and which
side of the points mu_j +- epsilon they lie on: K values between each two neighbouring points, and
the points themselves, show every case. That is done for two and three arms, with every m^l, every
N < K and every way to rank equal estimates. With the arms, capacities and plays at hand estimates
are drawn at random, often near each other's means, where the cases lie that could go wrong; as only
order matters, means one apart stand for those of the instance, however close they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from boundcheck.checks import checks
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, not_applicable
from boundcheck.evidence import Finding, Verdict, proportion_at_most
from simulation.instance import Instance

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_NEVER = 1e-12  # "no case at all" as a probability that binomial limits accept


@checks("lem-E.3")
def inclusion(card: Claim, run: Run) -> Iterator[Finding]:
    """Every case with up to three arms, then random cases on the instance."""
    cases, exceptions = small_cases()
    yield Finding(
        card.id,
        f"{card.reading}; every instance with two or three arms",
        Verdict.REFUTED if exceptions else Verdict.HOLDS,
        {"cases": cases, "exceptions": exceptions},
        f"{exceptions} exceptions among all {cases} orders and positions of estimates",
    )
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet)
        return
    drawn, exceptions = random_cases(run.instance, run.effort.trials, run.seed)
    check = proportion_at_most(exceptions, drawn, _NEVER, run.level(card.id))
    verdict = Verdict.REFUTED if exceptions else Verdict.CONSISTENT
    evidence = {**check.evidence(), "share_of_cases_seen": "wrong action, good played arms"}
    words = f"{exceptions} exceptions among {drawn} random cases in which the lemma says something"
    run.budget.record(card.id, verdict, check.detectable)
    yield Finding(card.id, card.reading, verdict, evidence, words)


def exceptional(
    means: Floats, epsilon: float, lower: Integers, plays: int, estimates: Floats, ranks: Integers
) -> tuple[Flags, Flags]:
    """For each row of estimates: does the lemma say something, and is it wrong?

    `means` fall from arm to arm; `ranks` decide between equal estimates (the smaller first).
    """
    wanted = _action(np.argsort(-means)[None, :], lower, plays)
    keys = np.broadcast_to(ranks, estimates.shape)
    acted = _action(np.lexsort((keys, -estimates), axis=1), lower, plays)
    off = np.abs(estimates - means) >= epsilon
    concerned = (acted != wanted).any(axis=1) & ~((acted > 0) & off).any(axis=1)
    explained = ((wanted > 0) & (acted == 0) & off).any(axis=1)
    return concerned, concerned & ~explained


def _action(order: Integers, lower: Integers, plays: int) -> Integers:
    """Loads when the arms are filled to `lower` in this order (one row each)."""
    capacity = np.broadcast_to(lower, order.shape)
    filled = np.take_along_axis(capacity, order, axis=1)
    room = np.clip(plays - (np.cumsum(filled, axis=1) - filled), 0, filled)
    loads = np.zeros(order.shape, dtype=np.int64)
    np.put_along_axis(loads, order, room, axis=1)
    return loads


@cache
def small_cases() -> tuple[int, int]:
    """How many cases with two or three arms the lemma speaks of, and how many contradict it."""
    cases = exceptions = 0
    for arms in (2, 3):
        means, epsilon = np.arange(4.0 * arms - 4, -1, -4), 1.5  # the gap is 4
        points = np.sort(np.concatenate([means - epsilon, means + epsilon]))
        edges = np.concatenate([[points[0] - 4], points, [points[-1] + 4]])
        inside = [np.linspace(a, b, arms + 2)[1:-1] for a, b in pairwise(edges)]
        values = np.sort(np.concatenate([points, *inside]))
        estimates = np.array(list(product(values, repeat=arms)))
        for plays in range(1, arms):
            for lower, ranks in product(
                product(range(1, plays + 1), repeat=arms), permutations(range(arms))
            ):
                concerned, wrong = exceptional(
                    means, epsilon, np.array(lower), plays, estimates, np.array(ranks)
                )
                cases += int(concerned.sum())
                exceptions += int(wrong.sum())
    return cases, exceptions


def random_cases(instance: Instance, trials: int, seed: int) -> tuple[int, int]:
    """Random estimates and capacity bounds on an instance; `means` keep the order of its means."""
    gen = np.random.default_rng(seed)
    means, epsilon = np.arange(instance.arms, 0.0, -1.0), 0.499
    capacities = np.minimum([instance.capacities[k] for k in instance.order], instance.plays)
    cases = exceptions = 0
    for _ in range(20):
        rows = max(trials // 20, 1)
        lower = gen.integers(1, capacities + 1)
        # most arms near their own mean, some near another's
        target = np.where(
            gen.random((rows, means.size)) < 0.8,
            means,
            gen.permuted(np.broadcast_to(means, (rows, means.size)).copy(), axis=1),
        )
        estimates = target + epsilon * gen.uniform(-1.1, 1.1, target.shape)
        found: Any = exceptional(
            means, epsilon, lower, instance.plays, estimates, gen.permutation(means.size)
        )
        cases += int(found[0].sum())
        exceptions += int(found[1].sum())
    return cases, exceptions
