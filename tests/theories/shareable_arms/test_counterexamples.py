"""Every file in reports/audit/counterexamples satisfies every stated assumption, the model's too.

No code of the search is used: the files are read as a stranger would, the model's conditions are
checked by hand, the assumptions of the claim by the calculator.
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from boundcheck import check
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.question import Question
from simulation.world.instance import Instance

FILES = sorted((Path(__file__).parents[3] / "reports/audit/counterexamples").glob("*.toml"))
ASKED = ("delta", "horizon", "threshold", "epsilon", "gamma", "xi")


def parameters(text: str) -> dict[str, str]:
    return dict(re.findall(r"^# parameter: (\w+) = (.+)$", text, re.M))


def test_there_are_counterexamples() -> None:
    assert len(FILES) > 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_counterexample_is_an_instance_of_the_model(path: Path) -> None:
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    means = [Fraction(str(mean)) for mean in file["means"]]
    plays, held, law = file["plays"], file["capacities"], file["reward"]
    assert len(means) == len(held) > plays >= 1
    assert len(set(means)) == len(means), "means are distinct"
    assert all(1 <= m <= plays for m in held), "capacities lie within 1..N"
    if law["law"] == "gaussian":
        assert 0 < Fraction(str(law["variance"])) <= Fraction(1, 2)
    else:
        assert all(0 <= mean <= 1 for mean in means)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_counterexample_satisfies_what_its_claim_states(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.search(r"^# counterexample to (\S+), statement (\S+)$", text, re.M)
    assert found is not None
    claim, statement = found.groups()
    told = parameters(text)
    stated = THEORY.statement(claim, statement).assumed(THEORY.cards[claim])
    relations = [a.relation for a in stated if a.relation is not None]
    speaks = {symbol.name for relation in relations for symbol in relation.free_symbols}
    asked = {name: told[name] for name in ASKED if name in told}
    if "epsilon" not in speaks:  # its own parameter, not the one of the regret bounds
        asked.pop("epsilon", None)
    question = Question(**{k: int(v) if k == "threshold" else v for k, v in asked.items()})
    arm = int(told["arm"]) if "arm" in told else None
    rows = [row.condition for row in check(Instance.load(path), question, [claim])]
    failing = {
        c.name
        for c in rows
        if not c.holds and not c.implicit and (arm is None or c.arm in (None, arm))
    }
    assert failing & {assumption.name for assumption in stated} == set(), statement
