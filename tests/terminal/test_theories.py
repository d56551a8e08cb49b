"""Several shipped theories: ids such as `classic:ucb1`, and the option --theory of commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sympy import Integer

from boundcheck import Instance, bounds, catalogue, check, falsify, find, proofs, sweep, verify
from boundcheck.claims.card import Claim, Kind, Quantity, Term
from boundcheck.theories import PACKAGES, default, shipped_theory, short_name, theory_of
from boundcheck.theory import Theory, by_id

Run = Callable[..., tuple[int, str, str]]
COINS = """
plays = 1
means = [0.6, 0.4]
capacities = [1, 1]
"""


@pytest.fixture
def coins(tmp_path: Path) -> str:
    file = tmp_path / "coins.toml"
    file.write_text(COINS)
    return str(file)


def claims_of(run: Run, *arguments: str) -> list[str]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return [row["claim"] for row in json.loads(out)["rows"]]


def test_all_theories_are_listed_with_theirs_before_each_id(run: Run) -> None:
    listed = claims_of(run, "claims", "--theory", "all")
    assert listed == [f"{name}:{id}" for name in PACKAGES for id in shipped_theory(name).cards]
    for name in (listed[0], listed[-1]):
        prefix, _, plain = name.partition(":")
        assert claims_of(run, "claims", name) == [plain]
        assert plain in shipped_theory(prefix).cards
    assert claims_of(run, "claims", "--theory", "classic") == [*shipped_theory("classic").cards]
    assert claims_of(run, "--theory", "classic", "claims") == [*shipped_theory("classic").cards]
    assert claims_of(run, "claims") == [*default().cards]


@pytest.mark.parametrize(
    "arguments",
    [
        ("bounds", "COINS", "--claim", "classic:ucb1"),
        ("check", "COINS", "--claim", "CLASSIC:Hoeffding"),
        ("verify", "COINS", "--claim", "classic:hoeffding", "--effort", "quick"),
        ("verify", "COINS", "--theory", "classic", "--claim", "hoeffding", "--effort", "quick"),
        ("falsify", "classic:hoeffding", "--examples", "5"),
    ],
)
def test_commands_know_ids_of_a_theory(run: Run, coins: str, arguments: tuple[str, ...]) -> None:
    found = claims_of(run, *(coins if part == "COINS" else part for part in arguments))
    assert set(found) == {"ucb1" if arguments[0] == "bounds" else "hoeffding"}


def test_proofs_and_sweeps_know_them_too(run: Run, coins: str) -> None:
    assert set(claims_of(run, "proofs", "classic:chi-square-tail")) == {"chi-square-tail"}
    code, out, _ = run("sweep", coins, "--claim", "classic:ucb1", "--vary", "horizon=1e3,1e4")
    assert code == 0
    assert out.startswith("horizon,value,exploration,rare errors")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("claims", "--theory", "nobody"), "--theory: theory: nobody: expected one of"),
        (("--theory", "nobody", "claims"), "--theory: theory: nobody: expected one of"),
        (("claims", "nobody:ucb1"), "--claim: theory: nobody: expected one of shareable-arms, cl"),
        (("falsify", "classic:ucb9"), "--claim: id: ucb9: expected an id of the catalogue"),
        (("audit", "--theory", "nobody"), "--theory: theory: nobody: expected one of"),
        (
            ("bounds", "textbook", "--claim", "classic:ucb1", "--claim", "cor-7.2"),
            "--claim: theory: classic and shareable-arms: expected claims of one theory at a time",
        ),
    ],
)
def test_what_is_unknown_or_mixed_is_one_line(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_python_takes_the_same_ids() -> None:
    coins = Instance(["0.6", "0.4"], [1, 1], 1)
    card = shipped_theory("classic").cards["ucb1"]
    assert find("classic:ucb1") is card
    assert find("shareable-arms:cor-7.2") is catalogue()["cor-7.2"]
    assert [bound.claim for bound in bounds(coins, claims=["classic:ucb1"])] == ["ucb1"]
    assert {row.claim for row in check(coins, claims=["classic:ucb1"])} == {"ucb1"}
    assert len(sweep(coins, "classic:ucb1", horizon=["1e3", "1e4"])) == 2
    judged = verify(coins, "quick", claims=["classic:hoeffding"]).findings
    assert {finding.claim for finding in judged} == {"hoeffding"}
    assert not falsify("classic:hoeffding", examples=5)[0].found
    assert {entry.step.claim for entry in proofs("classic:chi-square-tail")} == {"chi-square-tail"}


def test_a_theory_of_ones_own_has_a_name_before_the_colon_too() -> None:
    card = Claim(
        id="a:b",
        title="One",
        statement="It is at most 1.",
        reading="always",
        checked_by="nothing",
        source="here",
        kind=Kind.UPPER_BOUND,
        quantities=(Quantity("regret", "reward", (Term("one", Integer(1)),)),),
    )
    own = Theory("My results", by_id([card]))
    assert short_name(own) == "my-results"
    assert theory_of(["my-results:a:b", "a:b"], own) == (own, ["a:b", "a:b"])
    assert theory_of([card], own) == (own, [card])
    assert theory_of(None, own) == (own, None)
    assert theory_of(["classic:ucb1"], own) == (shipped_theory("classic"), ["ucb1"])
