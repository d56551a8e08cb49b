"""The paper's figures: which policies on which instance, and which should lose less than which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HORIZON, SHORT = 100_000, 10_000
ORCH = "orch-explore"
KNOWN = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")
IMPLICIT = ("ucb-implicit", "ts-implicit", "se-implicit")


@dataclass(frozen=True)
class Panel:
    """One panel of a figure; `orderings` have the policy that should lose less first."""

    name: str
    figure: str  # a to d: what is compared
    title: str
    instance: str
    policies: tuple[str, ...]
    orderings: tuple[tuple[str, str], ...]
    says: str
    horizon: int = HORIZON
    throughput: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by policy


def _panels(tag: str, instance: str, law: str) -> tuple[Panel, ...]:
    return (
        Panel(
            f"{tag}a",
            "a",
            f"{law}: three algorithms",
            instance,
            (ORCH, "mp-se-sa", "etc-ucb"),
            ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb")),
            "OrchExplore loses least, ETC-UCB most",
        ),
        Panel(
            f"{tag}b",
            "b",
            f"{law}: uniform interval against Hoeffding's",
            instance,
            (ORCH, f"{ORCH}-hfd", "mp-se-sa", "mp-se-sa-hfd"),
            ((ORCH, f"{ORCH}-hfd"), ("mp-se-sa", "mp-se-sa-hfd")),
            "the uniform interval loses less than Hoeffding's",
        ),
        Panel(
            f"{tag}c",
            "c",
            f"{law}: the price of learning capacities",
            instance,
            (ORCH, *KNOWN),
            tuple((name, ORCH) for name in KNOWN),
            "knowing the capacities saves most of the regret",
        ),
        Panel(
            f"{tag}d",
            "d",
            f"{law}: every allocation as an arm of its own",
            instance,
            (ORCH, *IMPLICIT),
            tuple((ORCH, name) for name in IMPLICIT),
            "learning capacities only implicitly loses far more",
            horizon=SHORT,
        ),
    )


_STATIONS = (ORCH, "mp-se-sa", "etc-ucb")
_STATION_ORDER = ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb"))
_GAMMA = {"mp-se-sa": {"gamma": 0.1}}
PANELS = (
    *_panels("1", "paper", "Bernoulli"),
    *_panels("gaussian-", "paper-gaussian", "Gaussian, variance 1/2"),
    Panel(
        "5g-4g-regret",
        "a",
        "5G and 4G stations: regret",
        "5g-4g",
        _STATIONS,
        _STATION_ORDER,
        "OrchExplore loses less than MP-SE-SA (gamma = 0.1), both far less than ETC-UCB",
        options=_GAMMA,
    ),
    Panel(
        "5g-4g-throughput",
        "throughput",
        "5G and 4G stations: throughput",
        "5g-4g",
        _STATIONS,
        _STATION_ORDER,
        "OrchExplore serves most, ETC-UCB least",
        throughput=True,
        options=_GAMMA,
    ),
)
