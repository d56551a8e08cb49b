"""The law of one play's reward X_k, given its mean.

A law says which means it can have, how far it spreads (the variance of a Gaussian that is at
least as spread: its sub-Gaussian scale), and whether a positive observation gives the capacity
away. Drawing lives in `draws`, which needs numba; this module does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from simulation.errors import InputError, shown
from simulation.numbers import LARGEST_SIMULATED, decimal, entered


@dataclass(frozen=True)
class Bernoulli:
    """X is 1 with probability mu, else 0: at load a an observation is 0 or min(a, m).

    >>> Bernoulli().admits(Fraction(3, 2)), Bernoulli().fields()
    (False, {})
    """

    name: ClassVar[str] = "bernoulli"
    code: ClassVar[int] = 0
    mean_range: ClassVar[str] = "a number from 0 to 1"
    proxy_variance: ClassVar[Fraction] = Fraction(1, 4)
    variance: ClassVar[None] = None
    parameter: ClassVar[Fraction] = Fraction(0)
    bounded: ClassVar[bool] = True

    def admits(self, mean: Fraction) -> bool:
        return 0 <= mean <= 1

    def fields(self) -> dict[str, Fraction]:
        return {}


@dataclass(frozen=True)
class Gaussian:
    """X is normal with mean mu and one variance common to all arms.

    >>> law = Gaussian(Fraction(1, 2))
    >>> law.admits(Fraction(-3)), law.fields(), law.parameter == law.proxy_variance
    (True, {'variance': Fraction(1, 2)}, True)
    """

    variance: Fraction
    name: ClassVar[str] = "gaussian"
    code: ClassVar[int] = 1
    mean_range: ClassVar[str] = "a finite number"
    bounded: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", _positive("variance", self.variance))

    @property
    def proxy_variance(self) -> Fraction:
        return self.variance

    @property
    def parameter(self) -> Fraction:
        return self.variance

    def admits(self, mean: Fraction) -> bool:
        return True

    def fields(self) -> dict[str, Fraction]:
        return {"variance": self.variance}


@dataclass(frozen=True)
class Beta:
    """X is Beta(mu c, (1 - mu) c): a law on [0, 1] without atoms, sharper as c grows.

    >>> law = Beta(Fraction(4))
    >>> law.admits(Fraction(1)), law.fields(), law.parameter
    (False, {'concentration': Fraction(4, 1)}, Fraction(4, 1))
    """

    concentration: Fraction
    name: ClassVar[str] = "beta"
    code: ClassVar[int] = 2
    mean_range: ClassVar[str] = "a number strictly between 0 and 1"
    proxy_variance: ClassVar[Fraction] = Fraction(1, 4)
    variance: ClassVar[None] = None
    bounded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "concentration", _positive("concentration", self.concentration))

    @property
    def parameter(self) -> Fraction:
        return self.concentration

    def admits(self, mean: Fraction) -> bool:
        return 0 < mean < 1

    def fields(self) -> dict[str, Fraction]:
        return {"concentration": self.concentration}


RewardLaw = Bernoulli | Gaussian | Beta
LAWS: dict[str, type[Bernoulli] | type[Gaussian] | type[Beta]] = {
    law.name: law for law in (Bernoulli, Gaussian, Beta)
}


def _positive(field: str, value: object) -> Fraction:
    try:
        number = entered(value, LARGEST_SIMULATED)
    except ValueError:
        number = Fraction(0)
    if number <= 0:
        raise InputError(
            "instance", f"reward.{field}", shown(value), "a number above 0, up to 1e100"
        )
    return number


def described(law: RewardLaw) -> str:
    """The law in a few words, for tables.

    >>> described(Gaussian(Fraction(1, 2)))
    'gaussian, variance 0.5'
    """
    fields = "".join(f", {name} {decimal(value, 6)}" for name, value in law.fields().items())
    return law.name + fields
