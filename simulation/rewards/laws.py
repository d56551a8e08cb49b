"""Reward laws: the distribution of one play's reward X_k, given its mean.

A law knows which means it admits, its sub-Gaussian scale `proxy_variance` (the variance of a
Gaussian that is at least as spread), and whether a positive observation reveals the capacity. Some
laws are for a fixed number of `arms`, with a law `of_arm` for each. Sampling is in `draws`, which
needs numba; this module does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from simulation.errors import InputError, shown
from simulation.numbers import LARGEST_SIMULATED, decimal, entered, listed
from simulation.rewards.samples import Empirical


class _OfAnyArm:
    """A law that all arms share, up to the mean."""

    name: ClassVar[str]
    arms: ClassVar[None] = None

    def of_arm(self, arm: int) -> Self:
        """The law of one arm.

        >>> Bernoulli().of_arm(3)
        Bernoulli()
        """
        return self

    def kept(self, arms: Sequence[int]) -> Self:
        """The law restricted to these arms.

        >>> Bernoulli().kept([0, 2])
        Bernoulli()
        """
        return self

    @property
    def content(self) -> str:
        """The parameters, to distinguish it from other laws of its name.

        >>> Beta(Fraction(4)).content
        '4'
        """
        return " ".join(map(str, self.fields().values()))

    def fields(self) -> dict[str, Any]:
        return {}

    def to_json(self, digits: int) -> dict[str, Any]:
        """Its parameters other than the variance, for JSON.

        >>> Beta(Fraction(1, 3)).to_json(3)
        {'concentration': '0.333'}
        """
        given = self.fields().items()
        return {name: decimal(value, digits) for name, value in given if name != "variance"}

    def words(self) -> str:
        """A short description of the law.

        >>> Gaussian(Fraction(1, 2)).words()
        'gaussian, variance 0.5'
        """
        given = "".join(f", {name} {decimal(value, 6)}" for name, value in self.fields().items())
        return self.name + given


@dataclass(frozen=True)
class Bernoulli(_OfAnyArm):
    """X is 1 with probability mu, else 0: at load a an observation is 0 or min(a, m).

    >>> law = Bernoulli()
    >>> law.admits(Fraction(3, 2)), law.fields(), law.spread(Fraction(1, 2))
    (False, {}, Fraction(1, 4))
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

    def spread(self, mean: Fraction) -> Fraction:
        """The variance of a reward.

        >>> Bernoulli().spread(Fraction(1, 2))
        Fraction(1, 4)
        """
        return mean * (1 - mean)


@dataclass(frozen=True)
class Gaussian(_OfAnyArm):
    """X is normal with mean mu and a variance common to all arms.

    >>> law = Gaussian(Fraction(1, 2))
    >>> law.admits(Fraction(-3)), law.fields(), law.parameter == law.proxy_variance
    (True, {'variance': Fraction(1, 2)}, True)
    >>> law.spread(Fraction(7))
    Fraction(1, 2)
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

    def spread(self, mean: Fraction) -> Fraction:
        """The variance of a reward.

        >>> Gaussian(Fraction(1, 9)).spread(Fraction(1, 2))
        Fraction(1, 9)
        """
        return self.variance

    def fields(self) -> dict[str, Any]:
        return {"variance": self.variance}


@dataclass(frozen=True)
class GaussianByArm:
    """X_k is normal with mean mu_k and its own variance; policies know the largest variance.

    >>> law = GaussianByArm((Fraction(1, 4), Fraction(1, 9)))
    >>> law.words(), law.arms, law.of_arm(1), law.kept([1]).content
    ('gaussian, variances 0.25 0.111111', 2, Gaussian(variance=Fraction(1, 9)), '1/9')
    >>> law.proxy_variance == law.parameter == law.spread(Fraction(0)), law.admits(Fraction(-7))
    (True, True)
    >>> law.to_json(digits=3), law.fields()
    ({'variances': ['0.25', '0.111']}, {'variance': [Fraction(1, 4), Fraction(1, 9)]})
    """

    variances: tuple[Fraction, ...]
    name: ClassVar[str] = "gaussian-by-arm"
    code: ClassVar[int] = Gaussian.code
    mean_range: ClassVar[str] = Gaussian.mean_range
    variance: ClassVar[None] = None
    bounded: ClassVar[bool] = False

    def __post_init__(self) -> None:
        found = (_positive(f"variance[{k}]", v) for k, v in enumerate(self.variances, 1))
        object.__setattr__(self, "variances", tuple(found))

    @property
    def arms(self) -> int:
        return len(self.variances)

    @property
    def proxy_variance(self) -> Fraction:
        return max(self.variances)

    @property
    def parameter(self) -> Fraction:
        return self.proxy_variance

    def of_arm(self, arm: int) -> Gaussian:
        return Gaussian(self.variances[arm])

    def kept(self, arms: Sequence[int]) -> GaussianByArm:
        return GaussianByArm(tuple(self.variances[k] for k in arms))

    def admits(self, mean: Fraction) -> bool:
        return True

    def spread(self, mean: Fraction) -> Fraction:
        """An upper bound on the variance of a reward; `of_arm` gives the exact one."""
        return self.proxy_variance

    def fields(self) -> dict[str, Any]:
        return {"variance": list(self.variances)}

    @property
    def content(self) -> str:
        return " ".join(map(str, self.variances))

    def to_json(self, digits: int) -> dict[str, Any]:
        return {"variances": [decimal(v, digits) for v in self.variances]}

    def words(self) -> str:
        return f"gaussian, variances {listed(self.variances)}"


@dataclass(frozen=True)
class Beta(_OfAnyArm):
    """X is Beta(mu c, (1 - mu) c): a law on [0, 1] without atoms, more concentrated as c grows.

    >>> law = Beta(Fraction(4))
    >>> law.admits(Fraction(1)), law.fields(), law.parameter, law.spread(Fraction(1, 2))
    (False, {'concentration': Fraction(4, 1)}, Fraction(4, 1), Fraction(1, 20))
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

    def spread(self, mean: Fraction) -> Fraction:
        """The variance of a reward.

        >>> Beta(Fraction(3)).spread(Fraction(1, 2))
        Fraction(1, 16)
        """
        return mean * (1 - mean) / (1 + self.concentration)

    def fields(self) -> dict[str, Any]:
        return {"concentration": self.concentration}


RewardLaw = Bernoulli | Gaussian | GaussianByArm | Beta | Empirical
# by the names in instance files; "gaussian" with a list of variances is `GaussianByArm`
LAWS: dict[str, type[RewardLaw]] = {law.name: law for law in (Bernoulli, Gaussian, Beta, Empirical)}


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
    """A short description of the law, for tables.

    >>> described(Gaussian(Fraction(1, 2)))
    'gaussian, variance 0.5'
    """
    return law.words()
