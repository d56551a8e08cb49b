"""`RunContext`: what decisions share, that is effort, seed, error levels and simulated runs.

Error levels are planned over all statements of a theory, so a statement is judged at the same level
whichever others are judged with it. Random streams are named by ids, not by texts that users see,
so that rewording changes no random number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.judging.effort import Effort

if TYPE_CHECKING:
    from boundcheck.claims.card import Claim
    from boundcheck.theory import Theory
    from simulation.policies import Policy
    from simulation.running.executors import Workers
    from simulation.running.results import PolicyRuns
    from simulation.world.instance import Instance

Progress = Callable[[str], None]
Options = Mapping[str, object] | None  # options of a policy
KEPT = 500  # simulations kept in memory: a search makes many that are not used again


@dataclass
class RunContext:
    """What the decisions of one command share."""

    effort: Effort
    plan: ErrorPlan
    seed: int = 0
    executor: Workers | None = None  # workers that simulate, as for `replicate`
    store: str | PathLike[str] | None = None
    progress: Progress | None = None
    theory: Theory = field(kw_only=True)
    _simulated: dict[tuple[Any, ...], PolicyRuns] = field(default_factory=dict)

    @property
    def cards(self) -> Mapping[str, Claim]:
        """The cards of the theory, by id."""
        return self.theory.cards

    def generator(self, stream: str) -> np.random.Generator:
        """A random generator for one measurement, fixed by the seed and the stream's name."""
        return np.random.default_rng([self.seed, crc32(stream.encode())])

    def for_search(self) -> RunContext:
        """A context for searches: other random numbers than the decision's, and fewer slots per
        case.
        """
        effort = replace(self.effort, slots=self.effort.runs * self.effort.horizon)
        return replace(self, effort=effort, seed=self.seed + 1_000_003, _simulated={})

    def simulated(
        self,
        instance: Instance,
        policy: str | Policy,
        horizon: int,
        runs: int,
        options: Options = None,
        *,
        leap: bool = False,
    ) -> PolicyRuns:
        """Runs of a policy, simulated once and reused for requests of as many or fewer.

        Leaping runs record only their end, and each horizon has its own seed, so that means at two
        horizons are independent whether or not the policy knows the horizon.
        """
        from simulation.running.replicate import replicate

        found = self.theory.policy(policy)
        key = (instance, found, horizon, tuple(sorted((options or {}).items())), leap)
        if key not in self._simulated or self._simulated[key].runs < runs:
            if len(self._simulated) >= KEPT:
                del self._simulated[next(iter(self._simulated))]
            if self.progress:
                self.progress(f"{found.name}: {runs} runs of {horizon} slots{', leaping' * leap}")
            self._simulated[key] = replicate(
                instance,
                [found],
                horizon,
                runs,
                self.leaping_seed(horizon) if leap else self.seed,
                executor=self.executor,
                store=self.store,
                options=options,
                checkpoints=[horizon] if leap else None,
                leap=leap,
            )[found.name]
        return self._simulated[key].first(runs)

    def leaping_seed(self, horizon: int) -> int:
        return int(self.generator(f"leaping {horizon}").integers(2**31))

    def leaps(
        self, instance: Instance, policy: str | Policy, options: Options = None, horizon: int = 0
    ) -> bool:
        """Whether runs of this policy can leap on this instance, for this horizon."""
        from simulation.running.leaping import obstacle

        found = self.theory.policy(policy)
        return obstacle(instance, found, found.options(options), horizon) is None

    @property
    def horizon(self) -> Fraction:
        return Fraction(self.effort.horizon)
