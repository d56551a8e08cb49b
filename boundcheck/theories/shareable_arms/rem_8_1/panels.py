"""The paper's figures: which policies on which instance, and which should have less regret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

HORIZON, SHORT = 100_000, 10_000
ORCH = "orch-explore"
KNOWN = ("orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc")
IMPLICIT = ("ucb-implicit", "ts-implicit", "se-implicit")


@dataclass(frozen=True)
class Panel:
    """One panel of a figure; `orderings` are pairs with the better policy first. If the paper says
    by how much, `shares` has the largest share of the other's regret.
    """

    name: str
    figure: str  # a to d: what is compared
    title: str
    instance: str
    orderings: tuple[tuple[str, str], ...]
    says: str
    horizon: int = HORIZON
    throughput: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by policy
    shares: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)  # by ordering

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((ORCH, *chain(*self.orderings))))


_ALGORITHMS = ((ORCH, "mp-se-sa"), ("mp-se-sa", "etc-ucb"))
_COMPARED = (  # figure, title, orderings, what the paper says, horizon
    ("a", "three algorithms", _ALGORITHMS, "OrchExplore loses least, ETC-UCB most", HORIZON),
    (
        "b",
        "uniform interval against Hoeffding's",
        ((ORCH, f"{ORCH}-hfd"), ("mp-se-sa", "mp-se-sa-hfd")),
        "the uniform interval loses less than Hoeffding's",
        HORIZON,
    ),
    (
        "c",
        "the price of learning capacities",
        tuple((name, ORCH) for name in KNOWN),
        "learning the capacities costs OrchExplore more than learning the means alone",
        HORIZON,
    ),
    (
        "d",
        "every allocation as an arm of its own",
        tuple((ORCH, name) for name in IMPLICIT),
        "OrchExplore loses less than learners of every allocation",
        SHORT,
    ),
)
# knowing the capacities should save more than half of the regret
_SIZES = {"c": {("orch-explore-kc", ORCH): Fraction(1, 2)}}
_FAR_LESS = {("mp-se-sa", "etc-ucb"): Fraction(1, 2)}
_LAWS = (("1", "paper", "Bernoulli"), ("gaussian-", "paper-gaussian", "Gaussian, variance 1/2"))
_STATIONS = (
    (
        "a",
        "regret",
        "OrchExplore loses less than MP-SE-SA (gamma = 0.1), both far less than ETC-UCB",
    ),
    ("throughput", "throughput", "OrchExplore serves most, ETC-UCB least"),
)
PANELS = (
    *(
        Panel(
            f"{tag}{figure}",
            figure,
            f"{law}: {title}",
            instance,
            orderings,
            says,
            horizon,
            shares=_SIZES.get(figure, {}),
        )
        for tag, instance, law in _LAWS
        for figure, title, orderings, says, horizon in _COMPARED
    ),
    *(
        Panel(
            f"5g-4g-{shown}",
            figure,
            f"5G and 4G stations: {shown}",
            "5g-4g",
            _ALGORITHMS,
            says,
            throughput=shown == "throughput",
            options={"mp-se-sa": {"gamma": 0.1}},
            shares={} if shown == "throughput" else _FAR_LESS,
        )
        for figure, shown, says in _STATIONS
    ),
)
