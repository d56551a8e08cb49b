"""The settings of an agent: the law of its rewards, and what its policy is told."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulation.errors import InputError, shown
from simulation.policies import Policy, Setup
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.rewards.samples import Empirical

ANY_LAW = Empirical(())  # rewards in a known range, nothing else known


_LAWS: dict[str, Any] = {"bernoulli": Bernoulli, "gaussian": Gaussian, "beta": Beta}


def law_setting(law: str | RewardLaw | None) -> list[str] | None:
    """A law as stored in the settings."""
    if isinstance(law, str) and law.partition(":")[0] in ("bernoulli", "gaussian", "beta"):
        name, _, parameter = law.partition(":")
        law = Bernoulli() if name == "bernoulli" else _LAWS[name](parameter)
    if law is None:
        return None
    if isinstance(law, Bernoulli | Gaussian | Beta):
        return [law.name, *map(str, law.fields().values())]
    if isinstance(law, Empirical):
        return None  # policies know only its range
    expected = "bernoulli, gaussian:VARIANCE or beta:CONCENTRATION"
    raise InputError("agent", "law", shown(law), expected)


def setup_of(policy: Policy, settings: dict[str, Any]) -> tuple[RewardLaw, Setup]:
    """The law and setup that the policy is given; an error if it needs more."""
    known = {"law": settings["law"], "horizon": settings["horizon"]}
    known |= {"capacities": settings["capacities"], "scale": settings["scale"]}
    for word in filter(None, (each.strip() for each in policy.told.split(","))):
        if known[word] is None:
            expected = f"{word}=, which {policy.name} has to be told"
            raise InputError("agent", word, "not given", expected)
    name, *parameter = settings["law"] or ["any"]
    law = ANY_LAW if name == "any" else _LAWS[name](*parameter)
    plays, count = settings["plays"], len(settings["arms"])
    given = settings["capacities"]
    if given is not None and (len(given) != count or min(given) < 1):
        raise InputError("agent", "capacities", shown(given), "one of 1 or more for each arm")
    held = None if given is None else np.minimum(np.array(given, dtype=np.int64), plays)
    return law, Setup(count, plays, law, settings["horizon"], held, "agent")
