"""The world of shareable finite-capacity arms, and those who act in it."""

from simulation.errors import InputError
from simulation.instance import Instance, shipped
from simulation.rewards import Bernoulli, Beta, Gaussian, RewardLaw

__all__ = ["Bernoulli", "Beta", "Gaussian", "InputError", "Instance", "RewardLaw", "shipped"]
