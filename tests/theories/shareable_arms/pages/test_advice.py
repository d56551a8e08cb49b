"""Advice: what a policy must be told is known, or another one is named; laws it fails on."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from boundcheck import falsify
from boundcheck.judging import policy_search
from boundcheck.judging.effort import Effort
from boundcheck.judging.other_laws import as_told, believing, late_share, looks_linear, other_laws
from boundcheck.pages.robustness import robustness, robustness_table
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages.advice import advice, recommended
from simulation.errors import InputError
from simulation.files.knowledge import Knowledge
from simulation.policies import find
from simulation.rewards.laws import Beta, Gaussian
from simulation.running.replicate import replicate
from simulation.running.results import Replication
from simulation.world.instance import Instance

ARMS = Instance(["0.9", "0.5", "0.2", "0.1"], [2, 1, 1, 1], 2)
TINY = Effort("tiny", trials=10, runs=4, horizon=400)
COMPARED = ("likelihood", "orch-explore", "ts-kc", "se-kc")


@pytest.fixture(scope="module")
def comparison() -> Replication:
    return replicate(ARMS, COMPARED, TINY.horizon, TINY.runs, jobs=1)


def study(comparison: Replication, **known: bool) -> Any:
    instance = ARMS.with_(knowledge=Knowledge(**known))
    return SimpleNamespace(instance=instance, theory=THEORY, comparison=comparison, effort=TINY)


# -- what is known -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "policy"),
    [
        ({}, None),
        ({"law": True}, "likelihood"),
        ({"horizon": True}, "orch-explore"),
        ({"capacities": True}, "ts-kc"),
        ({"horizon": True, "law": True}, "likelihood"),
    ],
)
def test_only_what_is_known_is_asked_for(
    comparison: Replication, known: dict[str, bool], policy: str | None
) -> None:
    found = recommended(study(comparison, **known))
    assert (found and found.policy) == policy
    lines = "\n".join(advice(study(comparison, **known)))
    assert ("that need no more" in lines) == (policy is not None)
    assert (f"that need no more, `{policy}`" in lines) == (policy is not None)
    assert ("must be told more" in lines) == (policy is None)
    if policy is not None:
        deployed(lines, policy)


def deployed(lines: str, policy: str) -> None:
    """The lines of Python at the end do what they say; their loop is run once."""
    import boundcheck

    code = (
        lines.rpartition("```python\n")[2].removesuffix("\n```").replace('journal="', 'seed=1) # "')
    )
    names: dict[str, Any] = {"boundcheck": boundcheck, "earned": lambda arm: 0.5}
    if policy == "likelihood":
        names["earned"] = lambda arm: 0.0
    assert code.count("while True:") == 1
    exec(code.replace("while True:", "if True:"), names)
    assert names["agent"].policy.name == policy
    assert names["agent"].slot == 2


def test_more_knowledge_is_named_with_what_it_gains_and_risks(comparison: Replication) -> None:
    lines = advice(study(comparison, horizon=True))
    (law,) = (line for line in lines if line.startswith("Only if you also know the law"))
    assert "`likelihood`" in law
    assert "with a wrong law its loss may grow linearly" in law
    least = advice(study(comparison))  # ts-kc, told less than se-kc, loses less
    assert any("`ts-kc`" in line for line in least)
    assert not any("se-kc" in line for line in least)
    assert not any(
        line.startswith("Only if") for line in advice(study(comparison, capacities=True))
    )


def test_knowledge_is_read_and_written() -> None:
    text = ARMS.to_toml() + "[knowledge]\nlaw = false\nhorizon = true\n"
    found = Instance.from_toml(text)
    assert found.knowledge == Knowledge(horizon=True)
    assert Instance.from_toml(found.to_toml()) == found
    for wrong, line in {
        "law = 1": "knowledge.law: 1: expected true or false",
        "laws = true": "knowledge.laws: unknown field: expected one of law, horizon, capacities",
    }.items():
        with pytest.raises(InputError, match=line):
            Instance.from_toml(ARMS.to_toml() + f"[knowledge]\n{wrong}\n")


def test_as_many_plays_as_arms_are_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="2 plays for 2 arms: expected fewer plays") as refused:
        Instance(["0.9", "0.5"], [1, 1], 2)
    assert "add arms of mean 0" in str(refused.value)
    padded = Instance(["0.9", "0.5", 0], [1, 1, 1], 2)
    assert padded.optimal_reward == Fraction("1.4")


# -- other laws --------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [None, Beta(Fraction(4)), Gaussian(Fraction(1, 4))])
def test_other_laws_have_the_same_means(law: Any) -> None:
    instance = ARMS if law is None else ARMS.with_(reward=law)
    worlds = other_laws(instance)
    assert next(iter(worlds.values())) is instance
    assert len({world.reward for world in worlds.values()}) == len(worlds) >= 3
    assert {world.means for world in worlds.values()} == {ARMS.means}
    for world in worlds.values():  # also in what is drawn: exact where the law is a sample
        assert getattr(world.reward, "means", ARMS.means) == ARMS.means


def test_a_policy_is_told_the_stated_law_whatever_the_rewards() -> None:
    assert believing(find("likelihood"), Beta(Fraction(1, 3))) == {"law": "beta:1/3"}
    assert believing(find("orch-explore"), Beta(Fraction(4))) == {}
    assert as_told(other_laws(ARMS)["uniform"].reward) is None


def test_the_table_has_every_law_and_what_does_not_run() -> None:
    found = robustness(ARMS, map(find, ("likelihood", "orch-explore", "ts-kc")), TINY, 0, jobs=1)
    headings, rows = robustness_table(found)
    assert headings[:3] == ["policy", "as stated", "two-point"]
    cells = {row[0]: row[1:] for row in rows}
    assert set(cells) == {"likelihood", "orch-explore"}  # ts-kc must be told capacities
    assert cells["likelihood"][1:] == ["does not run"] * 6  # told Bernoulli, it sees other values
    assert "does not run" not in cells["orch-explore"]


def test_regret_that_grows_to_the_end_looks_linear() -> None:
    options = {"law": "gaussian:1/4"}
    silent = ARMS.with_(means=[1, 0, 0, 0])
    wrong, right = (
        replicate(ARMS_, "likelihood", 2000, 8, jobs=1, options=options, checkpoints=(1000,))
        for ARMS_ in (silent, silent.with_(reward=Gaussian(Fraction(1, 4))))
    )
    assert looks_linear(wrong["likelihood"])
    assert not looks_linear(right["likelihood"])
    assert late_share(right["likelihood"]).max() < 0.5


# -- laws a policy fails on --------------------------------------------------------------------


def test_a_law_is_found_on_which_a_believer_never_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_search, "FIRST", (400, 6))
    monkeypatch.setattr(policy_search, "AGAIN", (2000, 30))
    (found,) = falsify("policy likelihood", examples=150, seconds=100)
    assert found.found
    assert found.instance is not None
    assert found.instance.arms <= 3  # it was made simple
    assert str(found.parameters["told"]).startswith(("gaussian", "beta"))
    assert found.to_json()["instance"]["values"]  # or nobody could try it
    # seen again by hand
    again = replicate(
        found.instance,
        "likelihood",
        4000,
        10,
        77,
        jobs=1,
        options={"law": found.parameters["told"]},
        checkpoints=(2000,),
    )
    assert looks_linear(again["likelihood"])


def test_none_is_found_for_a_policy_that_looks_at_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_search, "FIRST", (1000, 4))
    (found,) = falsify("policy orch-explore", examples=12, seconds=100)
    assert not found.found
    assert "in 0 of" not in found.explanation


def test_a_policy_that_is_slow_with_rewards_as_told_tells_nothing() -> None:
    trial = policy_search.OtherLawTrial(find("etc-ucb"), 0)
    case = policy_search.Misled(ARMS, "two-point", None)
    assert trial.score(case) == -1.0
    assert trial.telling == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["policy"], "no policy named"),
        (["thm-4.3", "likelihood"], "thm-4.3 and likelihood"),
        (["policy", "liklihood"], "did you mean 'likelihood'"),
        (["policy", "likelihood", "--drop", "horizon"], "--drop: horizon"),
    ],
)
def test_a_search_names_a_claim_or_a_policy(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from boundcheck.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["falsify", *arguments])
    assert ended.value.code == 2
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("told", ["beta", "gamma:3", "gaussian:0", "bernoulli:3", "beta:4:4"])
def test_a_law_that_cannot_be_believed_is_refused(told: str) -> None:
    with pytest.raises(InputError):
        replicate(ARMS, "likelihood", 10, 1, jobs=1, options={"law": told})


def test_only_the_own_law_leaps() -> None:
    with pytest.raises(InputError, match="law beta:4 told"):
        replicate(ARMS, "likelihood", 10, 1, jobs=1, options={"law": "beta:4"}, leap=True)
    own = replicate(ARMS, "likelihood", 10, 1, jobs=1, options={"law": "own"}, leap=True)
    assert len(own) == 1
