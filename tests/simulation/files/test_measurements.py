"""Laws from data: exact means, rewards drawn from the sample, bad files in one line."""

from __future__ import annotations

import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from decisions import verify

from boundcheck import bounds, check, sweep
from boundcheck.cli import main
from boundcheck.judging.effort import Effort
from simulation.errors import InputError
from simulation.files.columns import LARGEST_DATA
from simulation.files.measurements import read_measurements
from simulation.policies import POLICIES, find, refused
from simulation.rewards import samples
from simulation.rewards.laws import GaussianByArm
from simulation.rewards.samples import Empirical, Sample
from simulation.running.chunks import Chunk
from simulation.running.estimation import estimate
from simulation.running.replicate import replicate
from simulation.running.store import content_key
from simulation.world.compiled import World, earn
from simulation.world.draws import stream
from simulation.world.instance import Instance

TINY = Effort("tiny", trials=100, runs=2, horizon=100)
EXAMPLES = Path(__file__).parents[3] / "examples"
CSV = "a,b,c\n0.1,0,1\n0.2,0,0.5\n0.6,1,0\n"
TOML = """
plays = 2
capacities = [1, 2, 1]
[reward]
law = "empirical"
"""


def instance(tmp_path: Path, csv: str = CSV, more: str = "") -> Instance:
    (tmp_path / "d.csv").write_text(csv, encoding="utf-8")
    (tmp_path / "i.toml").write_text(TOML + 'file = "d.csv"\n' + more, encoding="utf-8")
    return Instance.load(tmp_path / "i.toml")


def by_values(text: str) -> Instance:
    return Instance.from_toml(TOML + text)


# -- reading -----------------------------------------------------------------------------------


def test_means_are_those_of_the_columns_exactly(tmp_path: Path) -> None:
    assert instance(tmp_path).means == (Fraction(3, 10), Fraction(1, 3), Fraction(1, 2))


def test_a_scale_divides(tmp_path: Path) -> None:
    scaled = instance(tmp_path, CSV.replace("0.", "0.0"), "scale = 10")
    assert scaled.means[0] == Fraction(3, 1000)
    assert scaled.reward.samples[2].values == (0, Fraction(1, 200), Fraction(1, 10))


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_says_the_same_as_the_floats_it_holds(tmp_path: Path, order: str) -> None:
    array = np.array([[0.1, 0, 1], [0.2, 0, 0.5]], order=order)
    np.save(tmp_path / "d.npy", array)
    found = Instance.from_toml(TOML + 'file = "d.npy"', folder=tmp_path)
    assert found.means[0] == (Fraction(0.1) + Fraction(0.2)) / 2


def test_whole_numbers_and_truth_values_of_an_array_count(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([[0, 50, 100], [1, 0, 0]], dtype=np.uint8))
    found = Instance.from_toml(TOML + 'file = "d.npy"\nscale = 100', folder=tmp_path)
    assert found.means == (Fraction(1, 200), Fraction(1, 4), Fraction(1, 2))


def test_a_file_for_each_arm_may_have_its_own_length(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0.5\n1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("# remark\nname\n0.25\n", encoding="utf-8")
    np.save(tmp_path / "c.npy", np.array([0.0, 0.0, 1.0]))
    found = Instance.from_toml(TOML + 'files = ["a.csv", "b.csv", "c.npy"]', folder=tmp_path)
    assert found.means == (Fraction(3, 4), Fraction(1, 4), Fraction(1, 3))


def test_values_may_be_shared_and_weighted() -> None:
    found = by_values('values = [0, "1/3", 1]\nweights = [[1, 0, 1], [0, 1, 0], [0.5, 0, 1.5]]')
    assert found.means == (Fraction(1, 2), Fraction(1, 3), Fraction(3, 4))
    assert found.reward.samples[2] == Sample((Fraction(0), Fraction(1)), (1, 3))


def test_an_instance_is_its_content_not_its_file(tmp_path: Path) -> None:
    one = instance(tmp_path)
    same = instance(tmp_path, "x,y,z\n0.6,1,0.0\n0.20,0,0.5\n1e-1,0,1\n").with_(name=one.name)
    assert {one, same} == {one}
    assert Instance.from_toml(one.to_toml()) == one
    assert pickle.loads(pickle.dumps(one)) == one
    other = instance(tmp_path, CSV.replace("0.6", "0.7"))
    keys = {content_key(_chunk(found).description()) for found in (one, same, other)}
    assert len(keys) == 2


def _chunk(found: Instance) -> Chunk:
    return Chunk(found, "orch-explore", (), 10, (10,), 0, "code", 0, 1)


def test_equal_means_of_other_values_are_another_shelf() -> None:
    law = "values = [[0, 1], [0, 1], [0, 1]]\nweights = [[1, 1], [1, 2], [1, 3]]"
    one, other = by_values(law), by_values(law.replace("[[0, 1], [0, 1], [0, 1]]", "[0, 1]"))
    assert one == other
    near = by_values("values = [[0.5], [0, 1], [0, 1]]\nweights = [[1], [1, 2], [1, 3]]")
    assert near.means == one.means
    assert content_key(_chunk(near).description()) != content_key(_chunk(one).description())


BAD = {
    "0.1,0,1\n0.2,0,1,7\n": "d.csv: line 2: 4 cells beside 3 columns",
    "0.1,0,1\n0.2,high,1\n": "d.csv: line 2, column 2: high",
    "0.1,0,1\n0.2,inf,1\n": "d.csv: line 2, column 2: inf",
    "nan,0,1\n": "d.csv: column 1: no values",
    "0.1,,1\n0.2,,1\n": "d.csv: column 2: no values",
    "0.1,0,1\n0.2,7,1\n": "d.csv: column 2: 7: expected rewards from 0 to 1",
    "0.1,0,1\n0.2,-1,1\n": "d.csv: column 2: -1: expected rewards of 0 or more",
    "a,b,c\n": "d.csv: column 1: no values",
    "a,a,b\n0,0,0\n": "d.csv: line 1: a name twice: a",
    "": "d.csv: rows: none",
    "0.1,0\n": "i.toml: capacities: 3 capacities for 2 means",
    '"0.1,0,1\n': "d.csv: column 1: no values",
}


@pytest.mark.parametrize("csv", BAD)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, csv: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError) as refused_:
        instance(tmp_path, csv)
    assert BAD[csv] in str(refused_.value)
    with pytest.raises(SystemExit) as ended:
        main(["bounds", str(tmp_path / "i.toml")])
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.strip().split("\n")) == 1


BAD_TABLES = {
    'file = "none.csv"': "reward.file: none.csv: No such file",
    'file = "."': "not a file",
    "file = 3": "reward.file: 3",
    "": "reward: no values: expected one of file, files",
    'file = "d.csv"\nvalues = [[1]]': "reward: file and values",
    'file = "d.csv"\nweights = [[1]]': "reward.weights: beside a file",
    "values = [[0.5], [0.5]]": "capacities: 3 capacities for 2 means",
    "values = [[0.5], [0.5], []]": "reward.values[3]: no values",
    "values = [0.5, 0.5, 0.5]": "reward.values: [",
    "values = [[0.5], [0.5], [true]]": "reward.values[3]: True (a truth value",
    "values = [[0.5], [0.5], [[1]]]": "reward.values[3]: [1]",
    "values = [[0, 1], [1], [1]]\nweights = [[1], [1], [1]]": "reward.weights[1]: 1 weights",
    "values = [[0, 1], [1], [1]]\nweights = [[1, 1], [1]]": "reward.weights: 2 lists for 3",
    "values = [[0, 1], [1], [1]]\nweights = [[1, -1], [1], [1]]": "reward.values[1]: weight -1",
    "values = [[1, 1], [1], [1]]\nweights = [[1, 1], [1], [1]]": "reward.values[1]: a value twice",
    "values = [[0.5], [0.5], [0.5]]\nscale = 0": "reward.scale: 0",
    "values = [[0.5], [0.5], [0.5]]\nsize = 0": "reward.size: unknown field",
}


@pytest.mark.parametrize("text", BAD_TABLES)
def test_a_bad_table_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as refused_:
        Instance.from_toml(TOML + text, folder=Path())
    assert BAD_TABLES[text] in str(refused_.value)


def test_a_text_without_a_folder_reads_no_files(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    with pytest.raises(InputError, match="no folder to look in"):
        Instance.from_toml(TOML + f'file = "{tmp_path / "d.csv"}"')


@pytest.mark.parametrize(
    ("array", "wrong"),
    [
        (np.array([[0.1, np.inf]]), "row 1, column 2: infinite"),
        (np.array([["a"]]), "array: 2-dimensional"),
        (np.array([[1j]]), "array: 2-dimensional"),
        (np.zeros((1, 1, 1)), "array: 3-dimensional"),
    ],
)
def test_a_bad_array_is_refused(tmp_path: Path, array: np.ndarray, wrong: str) -> None:
    np.save(tmp_path / "d.npy", array)
    with pytest.raises(InputError) as refused_:
        read_measurements(tmp_path / "d.npy")
    assert wrong in str(refused_.value)


def test_a_header_that_promises_more_than_the_file_has_costs_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.zeros((2, 2)))
    honest = (tmp_path / "d.npy").read_bytes()
    for spoilt in (honest[:-8], honest + b"8", b"no array", honest.replace(b"(2, 2)", b"(9, 9)")):
        (tmp_path / "d.npy").write_bytes(spoilt)
        with pytest.raises(InputError):
            read_measurements(tmp_path / "d.npy")


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "d.csv", "wb") as file:
        file.truncate(LARGEST_DATA + 1)
    with pytest.raises(InputError, match="more than 20,000,000 bytes"):
        read_measurements(tmp_path / "d.csv")


def test_too_many_different_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_VALUES", 4)
    by_values("values = [[0.1, 0.2], [0.1], [0.1]]")
    with pytest.raises(InputError, match="reward: more than 4 different values"):
        by_values("values = [[0.1, 0.2], [0.1], [0.1, 0.2]]")


def test_stated_means_must_be_those_of_the_sample() -> None:
    text = "values = [[0.5], [0.5], [0.25]]"
    given = Instance.from_toml('means = ["1/2", 0.5, 0.25]' + TOML + text)
    assert given == by_values(text)
    with pytest.raises(InputError, match=r"means\[3\]: 0.3: expected 0.25, the mean of the sample"):
        Instance.from_toml("means = [0.5, 0.5, 0.3]" + TOML + text)


# -- drawing -----------------------------------------------------------------------------------


def test_rewards_come_from_the_sample_as_often_as_they_should() -> None:
    found = by_values(
        "values = [[0, 0.25, 1], [0.5], [0, 1]]\nweights = [[5, 3, 2], [1], [999, 1]]"
    )
    world, draws = World.of(found), 40_000
    for k, sample in enumerate(found.reward.samples):
        gen = stream(5, k)
        drawn = [earn.py_func(gen, world, k) for _ in range(draws)]
        for value, weight in zip(sample.values, sample.weights, strict=True):
            share = weight / sample.total
            seen = np.mean(np.array(drawn) == float(value))
            assert abs(seen - share) < 6 * (share * (1 - share) / draws) ** 0.5 + 1e-12
        assert set(drawn) == {float(value) for value in sample.values}


def test_alias_rows_have_the_weights_of_the_sample_exactly() -> None:
    sample = Sample.of(
        {Fraction(n, 7): n * n + 1 for n in range(7)} | {Fraction(1): Fraction(1, 3)}
    )
    rows, chance = sample.alias_rows(), dict.fromkeys(sample.values, Fraction(0))
    for share, value, other in rows:
        chance[value] += share / len(rows)
        chance[other] += (1 - share) / len(rows)
    assert list(chance.values()) == [Fraction(w, sample.total) for w in sample.weights]


def test_each_gaussian_arm_has_its_own_variance() -> None:
    law = GaussianByArm((Fraction(1, 100), Fraction(4), Fraction(1)))
    world = World.of(Instance([3, 2, 1], [1, 1, 1], 2, law))
    for k, variance in enumerate(law.variances):
        gen = stream(1, k)
        drawn = [earn.py_func(gen, world, k) for _ in range(4000)]
        assert np.var(drawn) == pytest.approx(float(variance), rel=0.1)
        assert np.mean(drawn) == pytest.approx(3 - k, abs=0.15)


def test_equal_variances_draw_what_one_variance_draws() -> None:
    arms = ([0.9, 0.5, 0.3], [1, 2, 1], 2)
    one = Instance.from_toml(
        "plays = 2\nmeans = [0.9, 0.5, 0.3]\ncapacities = [1, 2, 1]\n"
        '[reward]\nlaw = "gaussian"\nvariance = 0.25'
    )
    each = Instance(*arms, GaussianByArm((Fraction(1, 4),) * 3))
    first, second = (
        replicate(found, "orch-explore", 200, 2, jobs=1)["orch-explore"] for found in (one, each)
    )
    assert np.array_equal(first.reward, second.reward)


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_runs_on_measurements_or_says_what_it_needs(name: str) -> None:
    found = by_values("values = [[0.5, 1], [0, 0.625], [0.125, 0.25]]")
    if "law" in find(name).told:
        assert "expected a law known but for its means" in str(refused(find(name), found, 100))
        return
    reward = replicate(found, name, 100, 2, jobs=1)[name].reward
    assert np.array_equal(8 * reward, np.round(8 * reward))  # sums of eighths, as the sample has
    assert np.unique(np.diff(reward, axis=1)).size > 2


def test_policies_draw_by_arm() -> None:
    """`draw` knows one law for all arms: a policy that used it would not see these rewards."""
    folder = Path(__file__).parents[3] / "simulation"
    for file in (*folder.glob("policies/**/*.py"), *folder.glob("*.py")):
        if file.name != "draws.py":
            assert " draw(gen" not in file.read_text(encoding="utf-8"), file


def test_an_estimator_sees_the_sample_of_its_arm() -> None:
    found = by_values("values = [[0.4, 1], [0.6], [0.1, 0.2]]")
    seen = estimate(found, 2, samples=800, runs=20, jobs=1)
    noisy = estimate(found, 1, samples=800, runs=20, jobs=1)
    # without noise the capacity is right as soon as the widths allow it, in every run at once
    assert np.unique(seen.outcomes.stopped).size == 1
    assert np.unique(noisy.outcomes.stopped).size > 1


# -- the theory --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        by_values("values = [[0.4, 1], [0, 0.6], [0.1, 0.2]]"),
        Instance(
            [3, 2, 1], [1, 2, 1], 2, GaussianByArm((Fraction(1, 9), Fraction(1, 4), Fraction(1)))
        ),
    ],
    ids=["empirical", "gaussian-by-arm"],
)
def test_what_needs_one_law_gives_no_number_and_says_why(found: Instance) -> None:
    silent = set()
    for bound in bounds(found):
        if needs := [c for c in bound.assumptions if c.assumption.fact and not c.holds]:
            silent.add(bound.claim)
            assert bound.value is None
            assert {c.lhs for c in needs} == {found.reward.name}
    assert {"thm-4.1a", "thm-4.3", "sharp-4.1", "sharp-4.3", "lem-C.3"} <= silent
    for claim in ("thm-4.3", "sharp-4.3"):
        with pytest.raises(InputError, match=f"{claim}: {found.reward.name} rewards: expected"):
            sweep(found, claim, {"plays": [1, 2]})
    assert np.isfinite(sweep(found, "thm-G.1", {"plays": [1, 2]}).columns["value"]).all()
    given = {bound.claim for bound in bounds(found) if bound.value is not None}
    assert {"cor-7.2", "sharp-5.3a", "thm-G.1", "thm-7.1", "lem-E.2"} <= given


def test_a_claim_without_the_law_it_needs_is_not_tried_at_all() -> None:
    found = by_values("values = [[0.4, 1], [0, 0.6], [0.1, 0.2]]")
    for claim in ("sharp-4.3", "lem-C.3"):
        findings = verify(found, claim, TINY)
        assert not any(name.startswith("without") for name in findings)
        finding = findings["intended"]
        assert not finding.applies
        (failing,) = finding.evidence["failing"]
        assert (failing["name"], failing["value"]) == ("known-law", "empirical")
        assert finding.explanation.startswith("does not apply: needs that the law is known")
        assert finding.explanation.endswith("; here they are empirical")


def test_the_scale_of_several_variances_is_the_largest() -> None:
    law = GaussianByArm((Fraction(1, 100), Fraction(3), Fraction(1)))
    rows = check(Instance([3, 2, 1], [1, 1, 1], 2, law), claims=["lem-E.1"])
    (condition,) = (r.condition for r in rows if r.condition.name == "variance-at-most-half")
    assert (condition.lhs, condition.holds) == ("3", False)


# -- what is shipped ---------------------------------------------------------------------------


def test_the_trace_is_what_its_script_makes() -> None:
    script = EXAMPLES / "edge_trace.py"
    made = subprocess.run([sys.executable, script], capture_output=True, check=True, text=True)
    assert made.stdout == (EXAMPLES / "edge-trace.csv").read_text(encoding="utf-8")
    assert made.stdout.startswith("# synthetic")


def test_the_trace_has_heavy_zeros_and_bursts() -> None:
    found = Instance.load(EXAMPLES / "edge-trace.toml")
    assert isinstance(found.reward, Empirical)
    sample = found.reward.samples[3]
    zeros, bursts = (
        sample.weights[0],
        sum(w for v, w in zip(sample.values, sample.weights, strict=True) if v > Fraction(9, 10)),
    )
    assert sample.values[0] == 0
    assert zeros + bursts > 0.8 * sample.total
    assert min(zeros, bursts) > 0.2 * sample.total


def test_init_makes_an_instance_of_measurements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    text = 'one,"t\nwo",three\n0,30,70\n5,40,20\n'
    (folder / "m.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["init", "--data", str(folder / "m.csv"), "-o", str(tmp_path / "mine.toml")])
    assert ended.value.code == 0
    found = Instance.load(tmp_path / "mine.toml")
    assert found.means == (Fraction(1, 28), Fraction(1, 2), Fraction(9, 14))
    assert (found.knowledge.known, found.arms) == ((), 3)
    with pytest.raises(SystemExit) as ended:
        main(["init", "--data", str(folder / "none.csv")])
    assert ended.value.code == 2
