"""`PaperStudy`: what reports on the paper's theory compute in addition to every report."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

from boundcheck.calculator.bounds import Bound
from boundcheck.evidence.groups import Groups
from boundcheck.pages.robustness import Robustness
from boundcheck.pages.study import Study
from boundcheck.theories.shareable_arms.pages.explained import EXPLAINED as EXPLAINED
from simulation.running.estimates import Estimation

UNKNOWN_CAPACITY = ("likelihood", "law-free", "orch-explore", "mp-se-sa", "etc-ucb")
KNOWN_CAPACITY = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")
POLICIES = (*UNKNOWN_CAPACITY, *KNOWN_CAPACITY)
INTERVAL_NAMES = {
    "uniform": "published, phi",
    "hoeffding": "Hoeffding, rho",
    "joint": "joint, psi",
    "likelihood": "likelihood set",
}


def exact_constant(found: list[Bound]) -> float | None:
    """The value of sharp-4.3, if it is a number and its assumptions hold."""
    (bound,) = found
    return float(bound.value) if bound.applies and bound.value is not None else None


@dataclass(frozen=True)
class PaperStudy(Study):
    """A study with the estimators of the instance's capacities."""

    estimations: dict[tuple[int, str], Estimation] = field(default_factory=dict)  # arm, interval
    robustness: Robustness = field(default_factory=dict)
    decades: dict[str, Groups] = field(default_factory=dict)  # final regret by horizon, by policy

    @property
    def exact_constant(self) -> float | None:
        """The least possible limit of regret per log T (sharp-4.3), if it is known."""
        return exact_constant(self.of("sharp-4.3"))

    @property
    def least_regret(self) -> float | None:
        """That constant times the log of the horizon."""
        constant = self.exact_constant
        return None if constant is None else constant * log(self.effort.horizon)

    @property
    def intervals(self) -> tuple[str, ...]:
        """The intervals whose estimators were simulated."""
        return tuple(dict.fromkeys(interval for _, interval in self.estimations))

    @property
    def studied_arms(self) -> list[int]:
        """Arms whose estimators were simulated, in the user's numbers."""
        return sorted({arm for arm, _ in self.estimations})
