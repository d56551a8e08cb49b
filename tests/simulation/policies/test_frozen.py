"""The runs of every shipped policy keep their bits: digests of records made once.

`make frozen` makes them anew: only with a line in the CHANGELOG that says why.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simulation.parameters import ETA
from simulation.policies import CLASSIC, POLICIES, WHERE, find, refused
from simulation.rewards.laws import Beta, Gaussian, GaussianByArm
from simulation.rewards.samples import Empirical
from simulation.running.runs import run_many
from simulation.world.instance import Instance

FILE = Path(__file__).parents[2] / "data" / "frozen.json"
ARRAYS = ("regret", "reward", "optimal", "candidates", "learned", "lower", "upper", "played")
SAMPLES = [[0.9, 1, 0.7, 1], [0.6, 0.55, 0.2], [0.3, 0, 0.1, 0.9], [0.2, 0.25], [0, 0.11]]
FEW = {"means": ["0.9", "0.6", "0.55", "0.2"], "capacities": [2, 1, 3, 1], "plays": 3}
INSTANCES = {
    "few": Instance(**FEW),
    "few-gaussian": Instance(**FEW, reward=Gaussian(Fraction(1, 10))),
    "few-beta": Instance(**FEW, reward=Beta(Fraction(4))),
    "by-arm": Instance(**FEW, reward=GaussianByArm(tuple(Fraction(1, n) for n in (4, 9, 4, 2)))),
    "measured": Instance(
        [sum(map(Fraction, map(str, s))) / len(s) for s in SAMPLES],
        [2, 1, 3, 1, 1],
        4,
        Empirical.measured([list(map(str, s)) for s in SAMPLES]),
    ),
    "paper": Instance.load("paper"),
    "paper-gaussian": Instance.load("paper-gaussian"),
    "5g-4g": Instance.load("5g-4g"),
}
ONE_PLAY = {
    f"one-play-{law}": INSTANCES[name].with_(plays=1)
    for law, name in (
        ("bernoulli", "few"),
        ("gaussian", "few-gaussian"),
        ("beta", "few-beta"),
        ("measured", "measured"),
    )
}
OPTIONS = {
    "orch-explore": ({"reading": "literal"}, {"interval": "joint", "width": "scaled"}),
    "mp-se-sa": ({"reading": "literal", "gamma": 0.1}, {"gamma": 0.1, "xi": 4}),
    "likelihood": ({"exclusion": "likelihood"},),
    "etc-ucb": ({"reading": "literal"}, {"interval": "joint"}),
}
LARGE = ("ucb-implicit", "ts-implicit", "se-implicit")  # an arm for each allocation
LAW = ("likelihood", "certify")  # which must be told a law known but for its means


def cases() -> list[tuple[str, str, int, bool, dict[str, object]]]:
    """Policy, instance, horizon, whether it leaps, options."""
    found: list[tuple[str, str, int, bool, dict[str, object]]] = [
        (policy, name, 20_000, False, {})
        for policy in CLASSIC
        for name, instance in ONE_PLAY.items()
        if refused(find(policy), instance, 20_000) is None
    ]
    for policy in WHERE:
        for name, instance in INSTANCES.items():
            if policy in LAW and name in ("by-arm", "measured"):
                continue
            small = instance.arms < 6
            if policy in LARGE and not small:
                continue
            beta = policy == "certify" and name == "few-beta"
            horizon = 300 if beta else 2_000 if policy == "certify" else 20_000
            for options in ({}, *(OPTIONS.get(policy, ()) if small else ())):
                found.append((policy, name, horizon, False, options))
                if POLICIES[policy].leaps and instance.reward.name in ("bernoulli", "gaussian"):
                    blocks_are_short = name == "5g-4g" or "reading" in options
                    far = 10**6 if blocks_are_short else 10**8
                    found.append((policy, name, far, True, options))
    return found


def key(case: tuple[str, str, int, bool, dict[str, object]]) -> str:
    policy, name, horizon, leap, options = case
    said = " ".join(f"{option}={value}" for option, value in options.items())
    return f"{policy} {name} {horizon}{' leaping' if leap else ''} {said}".strip()


def digest(case: tuple[str, str, int, bool, dict[str, object]]) -> str:
    """Of all arrays at checkpoints of two runs."""
    policy, name, horizon, leap, options = case
    grid = np.unique(np.array([1, 2, 3, 7, 50, 299, horizon // 10, horizon]))
    grid = grid[grid <= horizon]
    eta = ETA if leap else 0.0
    record = run_many((INSTANCES | ONE_PLAY)[name], policy, horizon, grid, 7, 0, 2, options, eta)
    content = b"".join(np.ascontiguousarray(getattr(record, each)).tobytes() for each in ARRAYS)
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.mark.parametrize("policy", [*WHERE, *CLASSIC])
def test_the_bits_of_a_policy_are_those_it_always_had(policy: str) -> None:
    frozen = json.loads(FILE.read_text(encoding="utf-8"))
    found = {key(case): digest(case) for case in cases() if case[0] == policy}
    assert found == {name: bits for name, bits in frozen.items() if name.split()[0] == policy}


if __name__ == "__main__":
    made = {key(case): digest(case) for case in cases()}
    FILE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
