"""Simulate each policy with the same means and other reward laws, to support the report's
advice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from boundcheck.judging.effort import Effort
from boundcheck.judging.other_laws import believing, looks_linear, other_laws
from simulation.formatting import number
from simulation.policies import Policy, refused
from simulation.running.replicate import replicate
from simulation.running.results import PolicyRuns
from simulation.world.instance import Instance

Robustness = dict[tuple[str, str], PolicyRuns | None]  # by law and policy; None if it cannot run

RUNS = 10


def robustness(
    instance: Instance, policies: Iterable[Policy], effort: Effort, seed: int, **where: Any
) -> Robustness:
    """Runs of each policy under each law; a policy that needs the law is given the instance's."""
    found: Robustness = {}
    horizon = effort.horizon
    half = (max(horizon // 2, 1),)
    for policy in policies:
        if "capacities" in policy.told and not instance.knowledge.capacities:
            continue
        options = believing(policy, instance.reward)
        for law, world in other_laws(instance).items():
            found[law, policy.name] = None
            if refused(policy, world, horizon, options) is None:
                runs = replicate(
                    world, policy, horizon, RUNS, seed, options=options, checkpoints=half, **where
                )
                found[law, policy.name] = runs[policy.name]
    return found


def robustness_table(found: Robustness) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: a row for each policy, a column for each law."""
    laws = list(dict.fromkeys(law for law, _ in found))
    names = list(dict.fromkeys(policy for _, policy in found))
    rows = [[name, *(_cell(found[law, name]) for law in laws)] for name in names]
    return ["policy", *laws], rows


def _cell(runs: PolicyRuns | None) -> str:
    if runs is None:
        return "does not run"
    return number(runs.mean[-1]) + (" (linear)" if looks_linear(runs) else "")
