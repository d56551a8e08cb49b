"""Instance files: good ones round-trip, bad ones are one clear line."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.theories import shipped_theory
from boundcheck.theories.shareable_arms.outside import outside
from simulation import Beta, Gaussian, InputError, Instance, shipped

GOOD = 'plays = 1\nmeans = [0.5, "1/3"]\ncapacities = [1, 2]\n'


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        Instance.from_toml(text, "my.toml")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("my.toml: ")
    return caught.value


def with_reward(reward: str) -> str:
    return GOOD + "[reward]\n" + reward


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "plays"),
        ("plays = 1", "means"),
        (GOOD.replace("plays = 1", "plays = 2"), "plays"),
        (GOOD.replace("plays = 1", "plays = 0"), "plays"),
        (GOOD.replace("plays = 1", "plays = 1.5"), "plays"),
        (GOOD.replace("plays = 1", "plays = true"), "plays"),
        (GOOD.replace("[1, 2]", "[1, 0]"), "capacities[2]"),
        (GOOD.replace("[1, 2]", "[1, 1.5]"), "capacities[2]"),
        (GOOD.replace("[1, 2]", "[1]"), "capacities"),
        (GOOD.replace("[1, 2]", "3"), "capacities"),
        (GOOD.replace("0.5", "1.5"), "means[1]"),
        (GOOD.replace("0.5", "-0.5"), "means[1]"),
        (GOOD.replace("0.5", "nan"), "means[1]"),
        (GOOD.replace("0.5", "inf"), "means[1]"),
        (GOOD.replace("0.5", "1e999999999"), "means[1]"),
        (GOOD.replace('"1/3"', '"1/0"'), "means[2]"),
        (GOOD.replace('"1/3"', '"abc"'), "means[2]"),
        (GOOD.replace('"1/3"', "[1]"), "means[2]"),
        ("mean = 3\n" + GOOD, "mean"),
        (GOOD + "plays = 2\n", "toml"),
        ("name = 3\n" + GOOD, "name"),
        ("reward = 3\n" + GOOD, "reward"),
        (with_reward('law = "cauchy"'), "reward.law"),
        (with_reward('law = "gaussian"'), "reward.variance"),
        (with_reward('law = "gaussian"\nvariance = 0'), "reward.variance"),
        (with_reward('law = "gaussian"\nvariance = -1'), "reward.variance"),
        (with_reward('law = "gaussian"\nvariance = nan'), "reward.variance"),
        (with_reward('law = "bernoulli"\nvariance = 1'), "reward.variance"),
        (with_reward('law = "beta"\nconcentration = 0'), "reward.concentration"),
        (with_reward('law = "beta"\nconcentration = 4').replace("0.5", "1.0"), "means[1]"),
        ("\x00\x01\x02", "toml"),
    ],
)
def test_what_is_wrong_is_named(text, field):
    assert refusal(text).field == field


def test_a_misspelt_field_gets_the_nearest_suggested():
    assert "did you mean 'capacities'" in str(refusal(GOOD.replace("capacities", "capacites")))


def test_a_negative_mean_is_refused_only_where_plays_must_go():
    law = Gaussian("0.1")
    assert Instance([1, "-0.5"], [1, 1], 1, law).L == 1
    with pytest.raises(InputError, match=r"means\[2\]"):
        Instance([1, "-0.5", -1], [1, 1, 1], 2, law)


def test_a_variance_above_one_half_is_a_warning():
    loud = Instance([1, "0.5"], [1, 1], 1, Gaussian("0.6"))
    assert "at most 1/2" in outside(loud)[0]
    assert not outside(Instance([1, "0.5"], [1, 1], 1, Gaussian("0.5")))
    assert "capacities[2]: 3" in outside(Instance([1, "0.5", 0], [1, 3, 4], 2))[0]
    assert shipped_theory("classic").outside is None


def test_files_that_are_not_there_directories_and_junk(tmp_path):
    with pytest.raises(InputError, match="did you mean 'paper'"):
        Instance.load("papr")
    with pytest.raises(InputError, match="a directory"):
        Instance.load(tmp_path)
    junk = tmp_path / "junk.toml"
    junk.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="not UTF-8"):
        Instance.load(junk)


def test_a_typo_among_many_arms_is_found_quickly():
    means = ["0.5"] * 10_000
    means[4_567] = "0,5"
    text = (
        f"plays = 1\nmeans = [{', '.join(chr(34) + x + chr(34) for x in means)}]\ncapacities = []"
    )
    started = time.process_time()
    assert refusal(text).field == "means[4568]"
    assert time.process_time() - started < 30  # a guard against quadratic work, not a benchmark


@pytest.mark.parametrize("name", shipped())
def test_shipped_instances_round_trip(name):
    instance = Instance.load(name)
    assert Instance.from_toml(instance.to_toml()) == instance


numbers = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000))
laws = st.one_of(
    st.none(), st.builds(Gaussian, numbers), st.builds(Beta, st.integers(1, 9).map(Fraction))
)


@given(st.data())
def test_any_instance_round_trips(data):
    arms = data.draw(st.integers(2, 6))
    instance = Instance(
        data.draw(st.lists(numbers, min_size=arms, max_size=arms)),
        data.draw(st.lists(st.integers(1, 9), min_size=arms, max_size=arms)),
        data.draw(st.integers(1, arms - 1)),
        data.draw(laws),
        data.draw(st.text(max_size=8)),
    )
    assert Instance.from_toml(instance.to_toml()) == instance


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_random_bytes_never_crash_the_loader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "file.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Instance.load(path)
    assert "\n" not in str(caught.value)


keys = st.sampled_from(["name", "plays", "means", "capacities", "reward", "law", "x y"])
scalars = st.one_of(
    st.integers(-3, 10),
    st.floats(),
    st.booleans(),
    st.text(max_size=5),
    st.sampled_from(["1/2", "bernoulli", "gaussian", "1e5000", "9" * 50]),
)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=4) | st.dictionaries(keys, v, max_size=3), max_leaves=8
)


@settings(max_examples=400)
@given(st.dictionaries(keys, values, max_size=6))
def test_random_documents_never_crash_the_loader(table):
    try:
        instance = Instance.from_table(table, "random")
    except InputError as error:
        message = str(error)
    else:
        message = "read"
        assert Instance.from_toml(instance.to_toml()) == instance
    assert "\n" not in message
