"""Simulator for bandits with shareable arms of finite capacity: instances, policies, agents."""

from typing import TYPE_CHECKING, Any

from simulation.errors import InputError
from simulation.files.knowledge import Knowledge
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, GaussianByArm, RewardLaw
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance, shipped

__all__ = [
    "Bernoulli",
    "Beta",
    "Empirical",
    "Gaussian",
    "GaussianByArm",
    "InputError",
    "Instance",
    "Knowledge",
    "RewardLaw",
    "agent",
    "load_agent",
    "shipped",
]

if TYPE_CHECKING:
    from simulation.agents.agent import agent, load_agent
else:

    def __getattr__(name: str) -> Any:
        if name not in ("agent", "load_agent"):  # these are imported late because they load numba
            raise AttributeError(f"module 'simulation' has no attribute {name!r}")
        from simulation.agents import agent

        return getattr(agent, name)
