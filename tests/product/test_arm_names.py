"""Arms that have names are called by them wherever a person reads; JSON keeps their numbers."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from schema import VALIDATOR
from small_studies import tiny_study
from test_hostile_names import NAMES, RUN, Page, seen

from boundcheck.cli import main
from boundcheck.pages import instance as report
from boundcheck.pages.html import page
from boundcheck.pages.present import about
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.web import answers
from simulation import Gaussian
from simulation.errors import InputError
from simulation.escaping import markdown, one_line
from simulation.rewards.samples import Empirical
from simulation.running.chunks import Chunk
from simulation.running.estimation import estimate
from simulation.running.replicate import replicate
from simulation.world.amounts import amount
from simulation.world.instance import LONGEST_LABEL, Instance

CITIES = ("Ulm", "Bonn", "Trier", "Jena", "Kiel")
MADE = Empirical.measured([[30, 270], [60, 200], [30], [20], [10]], scale=300)


def named(*names: str, unit: str | None = "Mbps") -> Instance:
    law = MADE.kept(range(len(names)))
    return Instance(law.means, [2, 1, 1, 1, 1][: len(names)], 2, law, names=names, unit=unit)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert not ended.value.code
    return capsys.readouterr().out


# -- in the file -------------------------------------------------------------------------------

GOOD = "plays = 1\nmeans = [0.5, 0.2]\ncapacities = [1, 2]\n"


def test_names_and_a_unit_go_into_a_file_and_come_back() -> None:
    for instance in (named(*CITIES), named(*CITIES, unit=None), named(*NAMES[:5])):
        again = Instance.from_toml(instance.to_toml())
        assert again == instance
        assert (again.names, again.unit) == (instance.names, instance.unit)
        assert again.reward.scale == instance.reward.scale == 300  # equal laws may have others
    assert Instance.from_toml(GOOD).names == ()
    assert "names" not in Instance.load("paper").to_toml() + json.dumps(
        Instance.load("paper").to_json()
    )


BAD = {
    'names = ["a"]': "names: 1 names for 2 arms: expected a name for each arm",
    'names = ["a", "a"]': "names[2]: a, as names[1]: expected a name that no other arm has",
    'names = ["a", ""]': "names[2]: (empty)",
    'names = ["a", 3]': "names[2]: 3: expected a string",
    'names = "ab"': "names: ab: expected a list",
    "names = 3": "names: 3: expected a list",
    "unit = 3": "unit: 3: expected a string",
    'unit = " "': "unit: (empty)",
    'name_s = ["a", "b"]': "name_s: unknown field",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_names_are_one_line(line: str) -> None:
    with pytest.raises(InputError) as refused:
        Instance.from_toml(f"{line}\n{GOOD}", "my.toml")
    assert str(refused.value).startswith(f"my.toml: {BAD[line]}")


def test_arms_take_their_names_along() -> None:
    instance = named(*CITIES)
    assert instance.kept([3, 0, 1]).names == ("Jena", "Ulm", "Bonn")
    assert instance.with_(plays=1).names == CITIES
    fewer = instance.with_(means=[0.5, 0.2], capacities=[1, 1], plays=1, reward=None)
    assert fewer.names == ()


def test_what_arms_are_called_is_nothing_to_a_store() -> None:
    def shelf(instance: Instance) -> str:
        return json.dumps(Chunk(instance, "ts-kc", (), 9, (9,), 0, "code", 0, 1).description())

    assert shelf(named(*CITIES)) == shelf(named(*CITIES).with_(names=(), unit=None))


# -- where people read -------------------------------------------------------------------------


def test_terminal_tables_call_arms_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    file = str(tmp_path / "i.toml")
    Path(file).write_text(named(*CITIES).to_toml(), encoding="utf-8")
    for arguments in (
        ("bounds", file, "--claim", "thm-5.3a"),
        ("check", file, "--all", "--claim", "thm-5.3a"),
    ):
        rows = re.findall(r"thm-5\.3a .*", run(capsys, *arguments))
        assert {name for row in rows for name in CITIES if name in row.split()} == {*CITIES}
    told = run(capsys, "check", file, "--claim", "thm-5.3a")
    assert re.search(r"confidence-range: .*\n    for Kiel it is 0\.05, must be <= 10\^", told)
    even = named(*CITIES).with_(means=[0.5] * 5, reward=None)
    Path(file).write_text(even.to_toml(), encoding="utf-8")
    told = run(capsys, "check", file, "--claim", "thm-4.3")
    assert f"equal means: arms {' = '.join(CITIES)}" in told
    Path(file).write_text(named(*CITIES).to_toml(), encoding="utf-8")
    told = run(capsys, "estimate", file, "--arm", "2", "--samples", "5", "--runs", "5")
    assert "Bonn, capacity 1: " in told
    assert "(Ulm gets the last 2 plays)" in told
    told = run(capsys, "simulate", file, "--policy", "ts-kc", "--horizon", "50", "--runs", "2")
    assert "seed 0, 1 = 300 Mbps" in told


def test_json_keeps_the_numbers_of_arms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "i.toml"
    file.write_text(named(*CITIES).to_toml(), encoding="utf-8")
    found = json.loads(run(capsys, "bounds", str(file), "--claim", "thm-5.3a", "--json"))
    VALIDATOR.validate(found)
    assert {row["arm"] for row in found["rows"]} == {1, 2, 3, 4, 5}
    assert (found["instance"]["names"], found["instance"]["unit"]) == ([*CITIES], "Mbps")


def test_results_and_notebooks_call_arms_by_their_names() -> None:
    instance = named(*CITIES)
    assert "<td>Trier</td>" in instance._repr_html_()
    assert str(estimate(instance, 3, samples=5, runs=5)).startswith("instance, Trier of capacity")
    assert "1 = 300 Mbps" in str(replicate(instance, "ts-kc", 10, 2, jobs=1))


def test_the_page_is_told_the_names() -> None:
    request = {
        "table": answers._table(named(*CITIES)),
        "question": {"horizon": "1e4", "delta": "0.05"},
    }
    found = answers.answer(request, THEORY)
    assert found["optimum"]["text"] == "Play 2 on Ulm: 300 Mbps a slot."
    assert found["names"] == [*CITIES]
    del request["table"]["names"], request["table"]["unit"]
    found = answers.answer(request, THEORY)
    assert found["optimum"]["text"] == "Play 2 on arm 1: 1 a slot."
    assert found["names"] == []


def test_amounts_are_in_the_unit() -> None:
    instance = named(*CITIES)
    told = {1: "300 Mbps", 700: "0.21 million Mbps", 1e7: "3 billion Mbps", 0.001: "0.3 Mbps"}
    assert {rewards: amount(instance, rewards) for rewards in told} == told
    plain = Instance([3, 1], [1, 1], 1, Gaussian(Fraction(1)), unit="EUR")
    assert (amount(plain, 2.5), amount(plain.with_(unit=None), 2.5)) == ("2.5 EUR", "2.5")


@pytest.fixture(scope="module")
def report_of_cities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    report.write_study(tiny_study(named(*CITIES)), out)
    return out


def test_a_report_calls_arms_by_their_names(report_of_cities: Path) -> None:
    text, details = (
        (report_of_cities / f"{name}.md").read_text(encoding="utf-8")
        for name in ("report", "details")
    )
    assert "**What to play** if all were known: 2 on Ulm, which earns 300 Mbps a slot" in text
    assert re.search(r"\*\*What it loses\*\*: [0-9.,]+( million)? Mbps \(± ", text)
    for name in CITIES:
        assert re.search(rf"^\| *{name} \|", details, re.MULTILINE), name
    assert "; for Kiel it is 0.05, must be <= 10^" in text  # of a result that does not apply
    assert re.search(r"`signal-to-noise: .*`: Kiel has 0\.00444", text)
    assert "explorations of each kind 331 (Ulm)" in text
    assert "runs on Ulm: half of the runs know the capacity" in text
    assert not re.findall(r"(?i)\barm [1-5]\b", text + details)
    assert re.search(r"agent\(.*'Ulm', .*, scale=300, ", text)  # rewards are in Mbps
    drawn = (report_of_cities / "figures" / "failure.svg").read_text(encoding="utf-8")
    assert "Learning the capacity 2 of Ulm" in drawn


# -- names are text ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_hostile_name_of_an_arm_is_shown_and_nothing_else(name: str, tmp_path: Path) -> None:
    instance, usual = named(name, "Bonn", "Trier"), named("Ulm", "Bonn", "Trier")
    line = about(instance)
    assert line.isprintable()
    assert len(line) < 400
    texts = [
        f"# A\n\n{about(each, markdown)} {markdown(each.played)}\n" for each in (instance, usual)
    ]
    found, harmless = (Page(page(text, tmp_path)) for text in texts)
    found.harmless()
    assert found.tags == harmless.tags
    assert f"({seen(one_line(name, LONGEST_LABEL))} gets the last 2 plays)" in found.text("p")
    cells = Page(instance._repr_html_())
    assert set(cells.tags) <= {"table", "caption", "tr", "th", "td", "span"}
    assert Instance.from_toml(instance.to_toml()).names == instance.names


def test_no_name_of_an_arm_and_no_unit_runs_in_a_report(tmp_path: Path) -> None:
    # short enough to be shown whole, and of markup that would work: what is cut proves nothing
    bad = (
        "**a** $x^2$",
        "[b](http://c.d)",
        f"<img src=x onerror={RUN[:9]}>",
        "`e` | f",
        "$\\frac$",
    )
    hostile = named(*bad, unit="**M** $x^2$ `b`")
    pages = [
        Page(report.write_study(tiny_study(each), tmp_path, "html").read_text(encoding="utf-8"))
        for each in (hostile, named(*CITIES))
    ]
    pages[0].harmless()
    assert pages[0].tags == pages[1].tags
    assert "Learning the capacity 2 of **a** $x^2$" in pages[0].text("svg")


def test_no_command_sends_the_control_characters_of_an_arm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "i.toml"
    bad = named("\x1b[31mred\x9b", "\u202egnp", "[bold]b", unit="\x1b[1mM")
    file.write_text(bad.to_toml(), encoding="utf-8")
    for arguments in (
        ("bounds", str(file), "--claim", "thm-5.3a"),
        ("check", str(file), "--all", "--claim", "thm-5.3a"),
        ("estimate", str(file), "--arm", "1", "--samples", "5", "--runs", "5"),
        ("simulate", str(file), "--policy", "ts-kc", "--horizon", "50", "--runs", "2"),
    ):
        told = run(capsys, *arguments)
        assert all(c.isprintable() or c == "\n" for c in told)
        assert "?[31mred?" in told
