"""Policies: the class `Policy`, and the shipped policies by name, one file per algorithm.

A policy decides and learns; the loop is run by the simulator (`simulation.running.loop`), or by a
person (`simulation.agents.agent`). A policy sees what it is given before the first slot, and its
rewards. It has one of two forms (docs/extending.md explains both, and plug-ins):

- a class in plain Python with `decide(slot, gen)` and `learn(slot, loads, rewards)`;
- functions to be compiled, and a `State`, a NamedTuple of arrays with everything that changes:

      begin(gen, arms, plays, *arguments) -> state      makes the state (plain Python)
      decide(state, slot, gen, action)                  @folded  writes the `Action` of a slot
      learn(state, slot, gen, phase, arm, load, reward) @folded  takes in one arm's reward in all,
                                                                 right after it was drawn
      stands(state, slot) -> bool                       @folded  optional: `decide` would write the
                                                                 same action again and draw nothing
      report(state, slot, learned, lower, upper)        @step    optional: writes what is known of
                                                                 capacities after a slot; a policy
                                                                 that stops writes into `learned`,
                                                                 at the arm it names, when

  Random numbers come from `gen` alone, logarithms and exponentials from
  `simulation.world.elementary`: those of `math` depend on the processor. Kernels that two shipped
  policies share live in `simulation/learning/`, not in another policy's file.

Nothing is imported, and nothing compiled, before a policy is asked for.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulation.errors import InputError, shown
from simulation.policies.classic import FILES

if TYPE_CHECKING:
    from simulation.rewards.laws import RewardLaw
    from simulation.world.instance import Instance

WHERE = {
    "orch-explore": "orch_explore",
    "orch-explore-kc": "orch_explore",
    "orch-explore-hfd": "orch_explore",
    "mp-se-sa": "mp_se_sa",
    "mp-se-sa-hfd": "mp_se_sa",
    "mp-se": "mp_se_sa",
    "se-kc": "mp_se_sa",
    "etc-ucb": "etc_ucb",
    "etc-ucb-hfd": "etc_ucb",
    "kl-ucb-kc": "kl_ucb_kc",
    "ts-kc": "ts_kc",
    "ucb-implicit": "ucb_implicit",
    "ts-implicit": "ts_implicit",
    "se-implicit": "se_implicit",
    "likelihood": "likelihood",
    "certify": "certify",
    "law-free": "law_free",
}

# textbook policies for one play; listed after the others
CLASSIC = {name: f"classic.{file}" for name, file in FILES.items()}

Options = Mapping[str, Any]


class Setup(NamedTuple):
    """What a policy may know before the first slot; None: not known."""

    arms: int
    plays: int
    reward: RewardLaw  # the range or scale; the law itself only if `told` says so
    horizon: float | None = None  # a whole number; a float where 64 bits do not hold it
    capacities: np.ndarray | None = None  # at most `plays`
    name: str = "instance"

    @classmethod
    def of(cls, instance: Instance, horizon: float, told: str) -> Setup:
        """The part of an instance that a policy is given."""
        known = np.minimum(np.array(instance.capacities, dtype=np.int64), instance.plays)
        return cls(
            instance.arms,
            instance.plays,
            instance.reward,
            horizon if "horizon" in told else None,
            known if "capacities" in told else None,
            instance.name,
        )


def nothing(setup: Setup, options: Options) -> tuple[Any, ...]:
    """No arguments, for a policy that needs none."""
    return ()


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy that can be simulated and deployed: its functions, options and phases.

    `arguments(setup, options)` returns what `begin` takes after the plays, and raises for what
    the policy cannot serve. docs/extending.md explains the functions.

    >>> policy = find("mp-se-sa")
    >>> policy.phases, policy.options({"gamma": 0.1})["gamma"]
    (('individual', 'united', 'exploitation'), 0.1)
    >>> policy.prepared is None  # a method: what takes the loop's place, if anything
    False
    """

    name: str
    title: str
    phases: tuple[str, ...] = ("play",)
    kernel: Any = None  # the former form of policies, a single kernel: refused
    arguments: Callable[[Setup, Options], tuple[Any, ...]] = nothing
    defaults: Options = field(default_factory=dict)
    told: str = ""  # what it must know of the instance, other than plays and arms
    begin: Callable[..., Any] = field(default=nothing, kw_only=True)
    decide: Callable[..., None] | None = field(default=None, kw_only=True)
    learn: Callable[..., None] | None = field(default=None, kw_only=True)  # None: it never learns
    stands: Callable[..., bool] | None = field(default=None, kw_only=True)
    report: Callable[..., None] | None = field(default=None, kw_only=True)
    # its entry in `leaps.LEAPS`; empty if it does not leap
    leaps: str = field(default="", kw_only=True)
    player: type | None = field(default=None, kw_only=True)  # a class in plain Python

    def __post_init__(self) -> None:
        if self.kernel is not None:
            expected = "begin=, decide= and learn= in place of the kernel (docs/extending.md)"
            raise InputError(f"policy {self.name}", "kernel", "it runs the slots itself", expected)
        if self.player is None and self.decide is None:
            expected = "begin=, decide= and learn=, or player=, a class (docs/extending.md)"
            raise InputError(f"policy {self.name}", "decide", "none given", expected)

    @classmethod
    def of(cls, player: type) -> Policy:
        """A class with `decide` and `learn` as a policy; the same object on every call.

        >>> class First:
        ...     def __init__(self, arms, plays):
        ...         self.loads = [plays] + [0] * (arms - 1)
        ...
        ...     def decide(self, slot, gen):
        ...         return self.loads
        >>> Policy.of(First).name
        'first'
        """
        if player not in _PLAYERS:
            if not callable(getattr(player, "decide", None)):
                expected = "a class with decide and learn (docs/extending.md)"
                raise InputError(f"policy {player.__name__}", "decide", "none", expected)
            words = (player.__doc__ or player.__name__).strip().splitlines()[0].rstrip(".")
            named = getattr(player, "name", player.__name__.lower())
            _PLAYERS[player] = cls(named, getattr(player, "title", words), player=player)
        return _PLAYERS[player]

    def prepared(
        self, instance: Instance, horizon: int, options: Options, leaping: bool
    ) -> Callable[[Any, Any], None] | None:
        """A function that does one run in place of the simulator's loop; None: use the loop."""
        return None

    def options(self, given: Options | None) -> dict[str, Any]:
        """The defaults updated with the given options; an unknown one is an error."""
        for name in given or {}:
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "no options"
                raise InputError(self.name, name, "unknown option", f"one of {known}")
        return {**self.defaults, **(given or {})}


class _Registry(Mapping[str, Policy]):
    """Policies by name; a policy's file is imported on first use."""

    def __init__(self, where: Mapping[str, str]) -> None:
        self._where = where

    def __getitem__(self, name: str) -> Policy:
        module = importlib.import_module(f"simulation.policies.{self._where[name]}")
        policies: tuple[Policy, ...] = module.POLICIES
        return next(policy for policy in policies if policy.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self._where  # without importing the file

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)


POLICIES: Mapping[str, Policy] = _Registry(WHERE)
SHIPPED: Mapping[str, Policy] = _Registry({**WHERE, **CLASSIC})
_PLAYERS: dict[type, Policy] = {}


def find(name: str | type | Policy, among: Mapping[str, Policy] = SHIPPED) -> Policy:
    """The policy of that name (a policy is returned as it is); the error for an unknown name
    suggests one.
    """
    if isinstance(name, Policy):
        return name
    if isinstance(name, type):
        return Policy.of(name)
    if name not in among:
        close = difflib.get_close_matches(name, among, n=1, cutoff=0.4)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise InputError("simulate", "policy", shown(name), f"one of {', '.join(among)}{hint}")
    return among[name]


def refused(
    policy: Policy, instance: Instance, horizon: int, options: Options | None = None
) -> str | None:
    """Why a policy cannot run on an instance, in one line; None if it can."""
    try:
        policy.arguments(Setup.of(instance, horizon, policy.told), policy.options(options))
    except InputError as error:
        return str(error)
    return None
