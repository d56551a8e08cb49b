"""A smaller instance on which the same command fails in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boundcheck import catalogue
from boundcheck.search.hunt import SearchLimit, simplest
from boundcheck.search.simplify import simpler_instances, smaller_numbers
from fuzzing.trials import Problem, Step, problems, run, written
from fuzzing.workers import Worker
from simulation.errors import InputError
from simulation.rewards.laws import Bernoulli
from simulation.world.instance import Instance


def shrunk(
    worker: Worker, instance: Instance, problem: Problem, step: Step, seconds: float
) -> Instance:
    """The simplest instance found in the time; a verification is narrowed to the claim at fault."""
    narrow = _narrowed(step, problem)

    def fails(candidate: Instance) -> bool:
        outcome = run(worker, narrow, written(worker, candidate))
        return problem.what in problems(narrow, outcome, worker.folder)

    return simplest(instance, simpler, fails, SearchLimit(1, seconds))


def _narrowed(step: Step, problem: Problem) -> Step:
    claim = problem.what.split()[-1]
    if step.arguments[0] != "verify" or claim not in catalogue():
        return step
    return replace(step, arguments=(*step.arguments, "--claim", claim))


def simpler(instance: Instance) -> Iterator[Instance]:
    """Half the arms, the plainest law, fewer plays or arms; then as counterexamples are."""
    half = (instance.arms + 1) // 2
    for kept in (range(half), range(half, instance.arms)):
        means, held = ([x[k] for k in kept] for x in (instance.means, instance.capacities))
        if len(kept) >= 2:
            yield from _legal(instance, means, held, min(instance.plays, len(kept) - 1))
    if instance.reward != Bernoulli():
        yield from _legal(instance, instance.means, instance.capacities, instance.plays, plain=True)
    for plays in smaller_numbers(instance.plays):
        yield from _legal(instance, instance.means, instance.capacities, plays)
    for k in range(instance.arms):
        means, held = ([*x[:k], *x[k + 1 :]] for x in (instance.means, instance.capacities))
        if len(means) >= 2:
            yield from _legal(instance, means, held, min(instance.plays, len(means) - 1))
    yield from simpler_instances(instance)


def _legal(
    instance: Instance, means: object, held: object, plays: int, plain: bool = False
) -> Iterator[Instance]:
    law = Bernoulli() if plain else instance.reward
    try:
        yield instance.with_(means=means, capacities=held, plays=plays, reward=law)
    except InputError:
        return  # such as a negative mean among the best arms
