"""Small exact models for the proofs of the algorithms: allocations, instances.

Arms are numbered from 0, best mean first; `lower` are the capacities that an allocation assumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps.step import Part, all_agree
from simulation.world.instance import Instance

Loads = tuple[int, ...]
Choice = Callable[[Iterable[Fraction]], Fraction]  # min or max


def filled(order: Sequence[int], lower: Sequence[int], plays: int) -> Loads:
    """The loads if all plays are given to the arms in this order, up to `lower` each (the oracle).

    >>> filled((1, 0, 2), (1, 2, 1), 2)
    (0, 2, 0)
    """
    loads = [0] * len(lower)
    for arm in order:
        loads[arm] = min(lower[arm], plays)
        plays -= loads[arm]
    return tuple(loads)


def oracle_loads(lower: Sequence[int], plays: int) -> Loads:
    """The loads if the best arms are filled first."""
    return filled(range(len(lower)), lower, plays)


def played(loads: Loads) -> frozenset[int]:
    return frozenset(arm for arm, load in enumerate(loads) if load)


def capacities(arms: int, plays: int) -> Iterator[Loads]:
    return product(range(1, plays + 1), repeat=arms)


def believed(largest: int = 3) -> Iterator[tuple[int, Loads]]:
    """(plays, lower) for up to this many arms, fewest first."""
    for arms in range(2, largest + 1):
        for plays in range(1, arms):
            yield from ((plays, lower) for lower in capacities(arms, plays))


def small_instances(*, unit: bool = False) -> Iterator[Instance]:
    """Instances with round means and every capacity (or all 1), fewest arms first."""
    for arms in range(2, 5):
        for plays in range(1, arms):
            for chosen in combinations(("0.9", "0.5", "0.1", "0"), arms):
                for held in capacities(arms, 1 if unit else plays):
                    yield Instance(chosen, held, plays)


def largest_loss(instance: Instance, least: Choice = min) -> Fraction:
    """h: the regret of a slot that earns the least full load of an arm."""
    full = (m * mu for m, mu in zip(instance.capacities, instance.means, strict=True))
    return instance.optimal_reward - least(full)


def base_cost(instance: Instance) -> Fraction:
    """f(a*) - sum_{j<=N} mu_j: the regret of a slot on a small instance that assumes capacities of
    1.
    """
    return instance.optimal_reward - sum(instance.means[: instance.plays])


def over_small_instances(
    good: Callable[[Instance], bool], words: str, instances: Iterable[Instance] | None = None
) -> Part:
    """Check every small instance, or these: the part names the first that fails, or their
    number.
    """
    for seen, instance in enumerate(instances or small_instances(), 1):
        if not good(instance):
            where = f"{told_instance(instance)}, the first of {seen}"
            return Part("exhaustive", Verdict.REFUTED, where, words)
    survey = "every instance of up to 4 arms with means among 0.9, 0.5, 0.1, 0"
    return all_agree("exhaustive", survey, f"{seen} instances", sample=True)


def told_instance(instance: Instance) -> str:
    """Means, capacities and plays in one line."""
    shown = ", ".join(f"{float(mean):g}" for mean in instance.means)
    return f"means {shown}, capacities {instance.capacities}, N = {instance.plays}"
