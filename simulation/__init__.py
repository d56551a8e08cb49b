"""The world of shareable finite-capacity arms, and those who act in it."""

from simulation.errors import InputError
from simulation.instance import Instance, shipped
from simulation.knowledge import Knowledge
from simulation.rewards import Bernoulli, Beta, Gaussian, GaussianByArm, RewardLaw
from simulation.samples import Empirical

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
    "shipped",
]
