"""The command line: its JSON, its exit codes, its one-line errors, its 80 columns."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from schema import VALIDATOR

import boundcheck
from boundcheck import catalogue
from boundcheck.terminal.shared import QUESTIONS, app
from simulation import Gaussian, Instance

BOUND_KEYS = {
    "claim", "quantity", "arm", "value", "lower", "upper", "unit", "applies", "informative",
    "refuted", "instead", "terms", "assumptions",
}  # fmt: skip
INSTANCE_KEYS = {
    "name", "reward", "variance", "means", "capacities", "plays", "L", "remaining_plays",
    "optimal_action", "optimal_reward",
}  # fmt: skip


def rows_of(run, *arguments: str) -> list[dict]:
    code, out, _ = run(*arguments, "--json")
    assert code == 0
    document = json.loads(out)
    assert {"schema", "command", "version", "instance", "parameters", "rows"} <= set(document)
    assert document["schema"] == 1
    assert document["command"] == arguments[0]
    return document["rows"]


def test_bounds_rows_have_the_agreed_keys(run):
    code, out, _ = run("bounds", "paper", "--json")
    assert code == 0
    document = json.loads(out)
    assert set(document["instance"]) >= INSTANCE_KEYS
    assert document["instance"]["optimal_action"] == [2, 4, 1, 0, 0, 0, 0, 0, 0]
    for row in document["rows"]:
        assert set(row) >= BOUND_KEYS
        assert row["claim"] in catalogue()
        for assumption in row["assumptions"]:
            assert set(assumption) >= {"name", "arm", "holds", "lhs", "rhs"}
    with_numbers = {claim.id for claim in catalogue().values() if claim.quantities}
    assert {row["claim"] for row in document["rows"]} == with_numbers


def test_with_many_arms_a_slow_number_is_computed_on_demand(run, tmp_path):
    file = str(tmp_path / "many.toml")
    means = [Fraction(arm, 61) for arm in range(60, 0, -1)]
    Path(file).write_text(Instance(means, [1] * 60, 50, Gaussian(Fraction(1, 4))).to_toml())
    code, out, _ = run("bounds", file, "--json")
    document = json.loads(out)
    VALIDATOR.validate(document)
    left = {row["claim"]: row for row in document["rows"] if "on_demand" in row}
    assert code == 0
    assert set(left) == {"sharp-7.1", "sharp-law-free", "sharp-law-free-scale"}
    assert left["sharp-7.1"]["applies"]
    absent = ("value", "lower", "upper", "informative")
    assert all(row[name] is None for row in left.values() for name in absent)
    (named,) = rows_of(run, "bounds", file, "--claim", "sharp-7.1")
    assert float(named["value"]) > 0
    assert "on_demand" not in named
    assert "sharp-7.1: regret on demand, applies" in run("bounds", file)[1]
    every = rows_of(run, "bounds", file, "--all")
    assert not any("on_demand" in row for row in every)
    assert [row["value"] for row in every if row["claim"] == "sharp-7.1"] == [named["value"]]


def test_terms_come_in_the_papers_order(run):
    (row,) = rows_of(
        run, "bounds", "paper", "--claim", "thm-7.1", "--horizon", "1e5", "--epsilon", "0.04"
    )
    values = [float(term["value"]) for term in row["terms"]]
    assert values == pytest.approx([2703.2030556, 61323.384287, 5180.8164592, 32454513.0])


def test_the_default_threshold_concerns_the_last_arm_and_a_given_one_every_arm(run):
    assert [row["arm"] for row in rows_of(run, "bounds", "paper", "--claim", "thm-4.1b")] == [3]
    given = rows_of(run, "bounds", "paper", "--claim", "thm-4.1b", "--threshold", "2")
    assert [row["arm"] for row in given] == list(range(1, 10))


def test_astronomic_horizons_are_numbers(run):
    for text in ("1e532", "10^532"):
        (row,) = rows_of(run, "bounds", "paper", "--claim", "thm-7.1", "--horizon", text)
        assert not row["applies"]
    (row,) = rows_of(run, "bounds", "paper", "--claim", "thm-7.1", "--horizon", "10^533")
    assert row["applies"]
    assert row["informative"] is True
    _, out, _ = run("check", "paper", "--claim", "thm-7.1")
    assert "10^532.01" in out


def test_more_digits_are_more_digits(run):
    (row,) = rows_of(run, "bounds", "paper", "--claim", "sharp-4.3", "--digits", "60")
    assert len(row["value"].replace(".", "")) >= 59
    assert row["value"].startswith("11.1564457071999184349956110178")


def test_check_tells_what_falls_short_and_by_how_much(run):
    failing = [r for r in rows_of(run, "check", "paper-gaussian") if not r["holds"]]
    short = {r["arm"]: float(r["margin"]) for r in failing if r["claim"] == "thm-4.1a"}
    assert short[1] == pytest.approx(0.405 - 2)
    assert set(short) == set(range(1, 10))
    assert {r["name"] for r in failing if r["claim"] == "thm-4.3"} == {
        "last-arm-shared", "signal-to-noise", "last-arm-signal-to-noise",
    }  # fmt: skip


def test_the_textbook_instance_is_clean_for_both_lower_bounds(run):
    rows = rows_of(run, "check", "textbook")
    lower = [r for r in rows if r["claim"] in ("thm-4.1a", "thm-4.1b", "thm-4.3")]
    assert lower
    assert all(r["holds"] for r in lower)


def test_equal_means_are_reported(run):
    _, out, _ = run("check", "5g-4g", "--claim", "thm-7.1")
    assert "equal means: arms 3 = 8, 4 = 19, 9 = 16 = 18" in out
    (row,) = rows_of(run, "bounds", "5g-4g", "--claim", "thm-7.1")
    assert row["value"] is None
    assert not row["applies"]


def test_strict_exits_with_1(run):
    assert run("check", "paper", "--claim", "thm-7.1", "--strict")[0] == 1
    assert run("check", "textbook", "--claim", "thm-4.3", "--strict")[0] == 0
    assert run("bounds", "paper", "--claim", "thm-7.1", "--strict")[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["bounds", "papr"],
        ["bounds", "paper", "--claim", "thm-9.9"],
        ["bounds", "paper", "--delta", "0"],
        ["bounds", "paper", "--delta", "1"],
        ["bounds", "paper", "--delta", "x"],
        ["bounds", "paper", "--horizon", "1"],
        ["bounds", "paper", "--horizon", "1e999999999"],
        ["sweep", "paper", "--vary", "plays=1:2", "--epsilon", "1e99999"],
        ["bounds", "paper", "--epsilon", "0.05"],
        ["bounds", "paper", "--epsilon", "-1"],
        ["bounds", "5g-4g", "--epsilon", "0.001"],
        ["bounds", "paper", "--threshold", "0"],
        ["bounds", "paper", "--samples", "1.5"],
        ["bounds", "paper", "--gamma", "0"],
        ["bounds", "paper", "--xi", "nan"],
        ["bounds", "paper", "--digits", "2"],
        ["bounds"],
        ["bounds", "paper", "--nonsense"],
        ["claims", "thm-99"],
        ["sweep", "paper", "--vary", "plays"],
        ["sweep", "paper", "--vary", "plays=9:10"],
        ["sweep", "paper", "--vary", "colour=1:2"],
        ["sweep", "paper", "--vary", "plays=2:3", "-o", "/nowhere/at/all.csv"],
        ["simulate", "paper", "--policy", "orch-explor", "--horizon", "10"],
        ["simulate", "paper", "--policy", "orch-explore", "--horizon", "0"],
        ["simulate", "paper", "--policy", "orch-explore", "--horizon", "10", "--runs", "0"],
        ["simulate", "5g-4g", "--policy", "ucb-implicit", "--horizon", "10"],
        ["estimate", "paper", "--arm", "10"],
        ["verify", "paper", "--effort", "huge"],
        ["nonsense"],
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, arguments):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err


def test_the_nearest_name_is_suggested(run):
    assert "did you mean 'paper'" in run("bounds", "papr")[2]
    assert "did you mean 'thm-7.1'" in run("bounds", "paper", "--claim", "thm-7.2")[2]
    assert "did you mean 'orch-explore'" in run("simulate", "paper", "--policy", "orch-explor")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ["claims"],
        ["claims", "thm-7.1"],
        ["bounds", "paper"],
        ["bounds", "5g-4g", "--claim", "thm-5.3a"],
        ["check", "5g-4g"],
        ["simulate", "paper", "--policy", "orch-explore", "--horizon", "1000", "--runs", "3"],
        ["estimate", "paper", "--arm", "1", "--samples", "20", "--runs", "10"],
        ["verify", "textbook", "--effort", "quick", "--claim", "rem-4.2"],
    ],
)
def test_tables_fit_80_columns(run, arguments):
    code, out, _ = run(*arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_sweep_writes_csv(run, tmp_path):
    code, out, _ = run("sweep", "paper", "--vary", "plays=2:8", "--claim", "cor-7.2")
    assert code == 0
    assert len(out.splitlines()) == 8
    target = tmp_path / "out.csv"
    run("sweep", "paper", "--vary", "plays=2:8", "--claim", "cor-7.2", "-o", str(target))
    assert target.read_text() == out


def test_simulate_rows_have_the_agreed_keys(run):
    (row,) = rows_of(
        run, "simulate", "paper", "--policy", "orch-explore", "--horizon", "100", "--runs", "4"
    )
    assert set(row) >= {
        "policy", "checkpoints", "mean", "standard_error", "runs", "slots_per_second",
    }  # fmt: skip
    assert row["runs"] == 4
    assert row["checkpoints"][-1] == 100


def test_simulate_leaps_when_asked(run):
    asked = ("simulate", "paper", "--policy", "se-kc", "--horizon", "1e12", "--runs", "2", "--leap")
    (row,) = rows_of(run, *asked)
    assert row["leap"] is True
    assert row["checkpoints"][-1] == 10**12
    assert 0 < row["tv_error"] < 1e-9
    assert row["steps"] < 10**6
    code, _, err = run(*asked, "--policy", "etc-ucb")
    assert code == 2
    assert "simulate: leap: policy etc-ucb: expected a policy that leaps" in err


def in_a_process(code: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["bounds", "paper", "--json"], {"numba", "matplotlib", "scipy", "pydantic"}),
        (["--help"], {"sympy", "numpy", "flint"}),
    ],
)
def test_what_is_slow_to_start_is_not_imported_before_it_is_needed(arguments, heavy):
    code = (
        "import sys\nfrom boundcheck.cli import main\n"
        f"try:\n    main({arguments})\nexcept SystemExit:\n    pass\n"
        f"heavy = {heavy} & set(sys.modules)\nassert not heavy, heavy"
    )
    done = in_a_process(code)
    assert done.returncode == 0, done.stderr


def test_an_instance_can_come_from_standard_input():
    code = "from boundcheck.cli import main\nmain(['bounds', '-', '--claim', 'sharp-4.3'])"
    done = in_a_process(code, "plays = 1\nmeans = [0.9, 0.5]\ncapacities = [1, 1]\n")
    assert done.returncode == 0, done.stderr
    assert "sharp-4.3" in done.stdout


def test_the_interval_of_a_policy_can_be_named(run):
    rows = rows_of(
        run, "simulate", "textbook", "--policy", "orch-explore", "--interval", "likelihood",
        "--horizon", "200", "--runs", "2",
    )  # fmt: skip
    assert rows[0]["options"]["interval"] == "likelihood"
    code, _, err = run("simulate", "paper", "--policy", "orch-explore", "--interval", "widest")
    assert code == 2
    assert "interval: widest" in err


def test_help_lists_every_command_by_its_question_in_full_lines(run):
    code, out, _ = run("-h")
    assert code == 0
    listed = [name for names in QUESTIONS.values() for name in names]
    assert sorted(listed) == sorted(
        command.name or command.callback.__name__ for command in app.registered_commands
    )
    for name in listed:
        assert f"\n  {name} " in out
    assert "..." not in out.replace("[ARGS]...", "")


def test_the_version_is_printed(run):
    code, out, _ = run("--version")
    assert (code, out) == (0, f"boundcheck {boundcheck.__version__}\n")


def test_every_option_is_described(run):
    for name in (name for names in QUESTIONS.values() for name in names):
        code, out, _ = run(name, "-h")
        assert code == 0
        entries = re.split(r"\n  (?=-)", out[out.index("Options:") :])[1:]
        for entry in entries:
            told = re.sub(r"\[.*?\]", "", " ".join(re.split(r"\s{2,}", entry)[1:]))
            assert len(told.split()) >= 2, f"{name}: {entry}"


def test_verify_answers_on_one_screen_worst_first(run):
    code, out, _ = run(
        "verify", "textbook", "--effort", "quick", "--claim", "lem-5.1", "--claim", "rem-4.2"
    )
    assert code == 0
    lines = out.splitlines()
    assert len(lines) < 12
    order = ["undecided: ", "  lem-5.1 ", "no better than the trivial bound, ", "  rem-4.2 "]
    at = [n for word in order for n, line in enumerate(lines) if line.startswith(word)]
    assert at == sorted(at)
    assert len(at) == len(order)
    told = " ".join(out.split())
    assert "for a capacity [leans for; false only as printed]" in told
    assert "Only loads above the capacity count [holds at delta = 0.0001]" in told
    full = run("verify", "textbook", "--effort", "quick", "--claim", "rem-4.2", "--full")[1]
    assert "[with so few loads above m_k" in " ".join(full.split())


def test_check_shows_the_worst_arm_and_all_of_them_when_asked(run):
    out = run("check", "paper", "--claim", "thm-7.1")[1]
    assert [line for line in out.splitlines() if ">= 10^532.01" in line]
    assert "10^105.09" not in out
    assert "10^105.09" in run("check", "paper", "--claim", "thm-7.1", "--all")[1]


def test_digits_are_shown_when_asked_for(run):
    assert " 11.16 " in run("bounds", "paper", "--claim", "sharp-4.3")[1]
    assert " 11.1625 " not in run("bounds", "paper", "--claim", "sharp-4.3")[1]
    shown = run("bounds", "paper", "--claim", "sharp-4.3", "--digits", "12")[1]
    assert any(len(word) == 13 for word in shown.split() if word.startswith("11.1"))


def test_formulas_are_text_in_the_terminal(run):
    out = run("claims", "thm-7.1")[1]
    assert "μ" in out
    assert "\\frac" not in out


def test_the_starter_file_is_an_instance_and_is_not_written_over_another(run, tmp_path):
    file = tmp_path / "mine.toml"
    assert run("init")[1].startswith("# An instance")
    assert run("init", "-o", str(file))[0] == 0
    assert run("check", str(file))[0] == 0
    code, _, err = run("init", "-o", str(file))
    assert code == 2
    assert "is there already" in err


def test_a_search_writes_files_only_where_told(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("falsify", "lem-J.2", "--examples", "20")[0] == 0
    assert list(tmp_path.iterdir()) == []
    assert run("falsify", "lem-J.2", "--examples", "20", "-o", "found.toml")[0] == 0
    assert (tmp_path / "found.toml").exists()


def test_the_figures_of_a_report_can_be_had_alone(run, tmp_path):
    code, _, _ = run(
        "plot", "textbook", "--effort", "quick", "--format", "png", "-o", str(tmp_path)
    )
    assert code == 0
    drawn = sorted(tmp_path.iterdir())
    assert [path.suffix for path in drawn] == [".png"] * 7
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)
    assert run("plot", "textbook", "--format", "gif")[0] == 2
