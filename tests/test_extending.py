"""The worked example of docs/extending.md works as it stands there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import boundcheck.claims
import simulation.policies
from boundcheck.calculator import bounds
from boundcheck.crossvalidate import crossvalidate
from boundcheck.finding import Verdict
from boundcheck.question import Question
from simulation.instance import Instance
from simulation.replicate import replicate

PAGE = Path(__file__).parent.parent / "docs" / "extending.md"
PACKAGES = {
    "simulation/policies": simulation.policies,
    "boundcheck/claims": boundcheck.claims,
}


@pytest.fixture
def extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The page's files put where it says they belong, for as long as the test runs."""
    blocks = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    files = dict(blocks)
    known = {name for name in sys.modules if name.startswith(("simulation.", "boundcheck."))}
    for name, text in files.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        package = PACKAGES[str(Path(name).parent)]
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(place.parent)])
    (line,) = re.findall(r'`"(round-robin)": "(round_robin)"`', PAGE.read_text(encoding="utf-8"))
    monkeypatch.setitem(simulation.policies.WHERE, *line)
    boundcheck.claims.catalogue.cache_clear()
    yield files
    boundcheck.claims.catalogue.cache_clear()
    for name in {n for n in sys.modules if n.endswith(".round_robin")} - known:
        del sys.modules[name]


def test_the_policy_loses_what_the_page_says(extended: dict[str, str]) -> None:
    assert len(extended) == 2
    paper = Instance.load("paper")
    found = replicate(paper, ["round-robin"], 9 * 40, 3, seed=1)["round-robin"]
    expected = 40 * (9 * paper.optimal_reward - 7 * sum(paper.means))
    assert found.total[:, -1].tolist() == pytest.approx([float(expected)] * 3)


def test_the_claim_is_in_the_catalogue_with_its_number(extended: dict[str, str]) -> None:
    (bound,) = bounds(Instance.load("paper"), Question(horizon="360"), ["ex-round-robin"])
    assert float(bound.value or "nan") == pytest.approx(40 * (9 * 5.7 - 7 * 4.5) + 9 * 5.7)
    assert [name for name, _ in bound.terms][:2] == ["optimal reward", "reward of all arms in turn"]


def test_its_kind_alone_ends_in_a_verdict(extended: dict[str, str]) -> None:
    found = crossvalidate(Instance.load("textbook"), "quick", claims=["ex-round-robin"])
    (finding,) = found.findings
    assert finding.verdict is Verdict.CONSISTENT
