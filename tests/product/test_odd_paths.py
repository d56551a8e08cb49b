"""Odd files, full disks, closed pipes, absurd numbers: one line, soon, and no result is lost."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from boundcheck import verify
from simulation.errors import InputError
from simulation.files import writing
from simulation.files.columns import LARGEST_ARMS
from simulation.world.instance import Instance

Call = Callable[..., tuple[int, str, str]]
LONG = "a" * 300


def refused(outcome: tuple[int, str, str], start: str = "") -> None:
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1, err
    assert err.startswith(start), err


# -- instances from anywhere ------------------------------------------------------------------

LOADER = """
import json, resource, sys, time
from simulation.errors import InputError
from simulation.world.instance import Instance
resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))
told = []
for source in json.loads(sys.argv[1]):
    started = time.process_time()
    try:
        Instance.load(source)
    except InputError as error:
        told.append([source, str(error), time.process_time() - started])
print(json.dumps(told))
"""


def test_what_cannot_be_an_instance_is_refused_soon_and_in_little_memory(tmp_path: Path) -> None:
    arms = ", ".join(["1"] * 10**6)
    gaussian = '[reward]\nlaw = "gaussian"\nvariance = 1\n'
    huge = "f" * 1_900_000
    texts = {
        "many-arms": f"plays = 1\nmeans = [{arms}]\ncapacities = [{arms}]\n",
        "too-many-arms": f"plays = 1\nmeans = [{arms[:40_000]}]\ncapacities = [1]\n",
        "keys": ".".join(["a"] * 10**5) + " = 1",
        "quoted-keys": ".".join(['"a"'] * 10**5) + " = 1",
        "table": f"[{'.'.join(['a'] * 10**5)}]",
        "inline": f"reward = {{{' . '.join(['a'] * 10**5)} = 1}}",
        "lists": "x = " + "[" * 10**6,
        "one-word": "a" * 1_900_000,
        "open-string": 'name = "' + '\\"' * 900_000,
        "number": f"plays = 1\nmeans = [0x{huge}, 1]\ncapacities = [1, 1]\n{gaussian}",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    with open(tmp_path / "large.toml", "wb") as large:
        large.truncate(2_000_000_000)
    os.mkfifo(tmp_path / "fifo.toml")
    sources = [*map(str, sorted(tmp_path.iterdir())), "/dev/zero", LONG, f"{LONG}/{LONG}", "-"]
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", LOADER, json.dumps(sources)],
            stdin=endless,
            capture_output=True,
            text=True,
            check=True,
        )
    told = json.loads(done.stdout)
    assert [source for source, _, _ in told] == sources
    for source, line, seconds in told:
        assert "\n" not in line
        assert seconds < 5, source


def test_keys_in_text_are_text() -> None:
    name = "a.b.c.d.e.f.g.h.i.j.k.l"
    text = Instance.load("paper").with_(name=name).to_toml()
    assert Instance.from_toml(f"# {name} = 1\n{text}").name == name


def test_so_many_arms_and_no_more() -> None:
    most = Instance([1] * LARGEST_ARMS, [1] * LARGEST_ARMS, 1)
    assert Instance.from_toml(most.to_toml()) == most
    with pytest.raises(InputError, match=r"means: 10,001 numbers: expected at most 10,000"):
        Instance([1] * (LARGEST_ARMS + 1), [1] * (LARGEST_ARMS + 1), 1)


# -- numbers ----------------------------------------------------------------------------------

QUESTIONS = ("delta", "horizon", "epsilon", "threshold", "samples", "gamma", "xi", "digits")


@pytest.mark.parametrize("number", ["1e-99999", "1/1e99999", "\u0663", "0.\u0665", "", "1" * 5000])
def test_absurd_numbers_are_refused(run: Call, number: str) -> None:
    for option in QUESTIONS:
        refused(run("bounds", "paper", f"--{option}", number), f"--{option}: {option}: ")
    for option, where in (("horizon", ""), ("runs", ""), ("seed", ""), ("jobs", "executor: jobs")):
        asked = run("simulate", "paper", "--policy", "ts-kc", f"--{option}", number)
        refused(asked, where or "simulate: ")
    refused(run("verify", "paper", "--seed", number), "boundcheck: command line: ")
    refused(run("sweep", "paper", "--vary", f"plays={number}"))
    for option in ("examples", "seed"):
        refused(run("falsify", "thm-4.3", f"--{option}", number), f"falsify: --{option}: ")
    good = {"means": ["0.5", "0.4"], "capacities": [1, 1], "plays": 1}
    for field in (
        {"means": [number, "0.4"]},
        {"capacities": [number, 1]},
        {"plays": number},
        {"reward": {"law": "gaussian", "variance": number}},
        {"reward": {"law": "beta", "concentration": number}},
    ):
        with pytest.raises(InputError):
            Instance.from_table(good | field)


@pytest.mark.parametrize("field", ["means", "variance"])
def test_what_no_float_holds_is_refused(field: str) -> None:
    numbers = {"means": "0.5", "variance": "1", field: "1e999"}
    law = {"law": "gaussian", "variance": numbers["variance"]}
    with pytest.raises(InputError, match=r"1e999"):
        Instance.from_table(
            {"means": [numbers["means"], 0], "capacities": [1, 1], "plays": 1, "reward": law}
        )


@pytest.mark.parametrize(
    "option", ["delta=1e99999", "delta=1e-99999", "delta=\u0663", "delta=x", "delta=0"]
)
def test_an_absurd_option_of_a_policy_is_refused(run: Call, option: str) -> None:
    arguments = ("--policy", "orch-explore", "--horizon", "10", "--runs", "2", "--option", option)
    refused(run("simulate", "paper", *arguments), "options: delta: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("bounds", "paper", "--claim", "thm-7.1", "--claim", "THM-7.1"),
        ("check", "paper", "--claim", "thm-7.1", "--claim", "thm-7.1"),
        ("verify", "paper", "--claim", "thm-7.1", "--claim", "thm-7.1"),
        ("figures", "--figure", "1a", "--figure", "1a"),
        ("simulate", "paper", "--policy", "ts-kc", "--option", "xi=1", "--option", "xi=2"),
    ],
)
def test_nothing_can_be_asked_for_twice(run: Call, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert " twice: expected each " in err


# -- where output goes ------------------------------------------------------------------------

COMMANDS = {  # with what each would spend its time on
    "verify paper": "boundcheck.judging.verification.verify",
    "sweep paper --vary plays=2:8": "boundcheck.calculator.sweeps.sweep",
    "simulate paper --policy ts-kc": "boundcheck.terminal.run_simulate.replicate",
    "estimate paper --arm 1": "boundcheck.terminal.run_simulate.explore",
    "falsify thm-4.3": "boundcheck.terminal.run_falsify.search",
    "report paper": "boundcheck.pages.instance.study",
    "audit": "boundcheck.pages.audit.verify",
    "figures": "boundcheck.theories.shareable_arms.pages.figures._simulated",
}


def worked(*_: object, **__: object) -> None:
    raise AssertionError("the work began")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_impossible_output_is_refused_before_the_work(
    run: Call, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(COMMANDS[command], worked)
    for place in ("/dev/full", "", LONG, f"{LONG}/x", "fifo", "/proc/none"):
        refused(run(*command.split(), "-o", place), "--output: ")
    assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize(
    "command",
    ["simulate paper --policy ts-kc", "report paper -o .", "verify paper", "audit", "figures"],
)
def test_an_impossible_store_is_refused_before_the_work(
    run: Call, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)
    for work in (
        "simulation.running.replicate.compute",
        "boundcheck.pages.instance.study",
        *COMMANDS.values(),
    ):
        monkeypatch.setattr(work, worked)
    for place in ("/dev/full", "", LONG, "fifo"):
        refused(run(*command.split(), "--store", place), "store: ")


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("verify textbook --effort quick --claim rem-4.2", "rem-4.2"),
        ("verify textbook --effort quick --claim rem-4.2 --json", '"rem-4.2"'),
        ("sweep paper --vary plays=2:8 --claim cor-7.2", "plays,"),
        ("simulate paper --policy ts-kc --horizon 10 --runs 2", "ts-kc"),
        ("estimate paper --arm 1 --samples 5 --runs 5", "Arm 1, capacity 2: "),
        ("falsify thm-4.3 --examples 150", "counterexamples"),
    ],
)
def test_the_result_is_printed_even_if_it_cannot_be_saved(
    run: Call, command: str, result: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_replace", no_room)
    code, out, err = run(*command.split(), "-o", str(tmp_path / "file"))
    assert code == 2
    assert result in out
    assert err.splitlines()[-1].startswith("--output: ")
    assert "No space left on device" in err


def test_verdicts_are_printed_even_if_the_report_cannot_be_written(
    run: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified = verify(Instance.load("textbook"), "quick", claims=["rem-4.2"])
    found = SimpleNamespace(verification=verified)
    monkeypatch.setattr("boundcheck.pages.instance.study", lambda *_, **__: found)
    monkeypatch.setattr("boundcheck.pages.instance.write_study", no_room)
    code, out, err = run("report", "textbook", "-o", str(tmp_path / "out"))
    assert code == 2
    assert "1 no better than the trivial bound: or not" in out
    assert err.startswith("boundcheck: ")
    assert err.count("\n") == 1


def command(*arguments: str, **streams: object) -> subprocess.Popen[str]:
    """A process whose output waits in a buffer, as it does unless somebody asks otherwise."""
    line = [sys.executable, "-m", "boundcheck", *arguments]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=usual, **streams)


@pytest.mark.parametrize("arguments", [("claims",), ("claims", "rem-4.2", "--json")])
def test_a_full_standard_output_is_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = command(*arguments, stdout=full)
    assert done.communicate()[1] == (
        "boundcheck: standard output: No space left on device: "
        "expected a place that can be written\n"
    )
    assert done.returncode == 2


def test_a_reader_that_has_seen_enough_is_no_mistake() -> None:
    with command("claims", "--json", stdout=subprocess.PIPE) as done:
        assert done.stdout is not None
        done.stdout.close()
        assert done.stderr is not None
        assert done.stderr.read() == ""
    assert done.returncode == 0


def test_closed_streams_and_poor_encodings_stop_nothing() -> None:
    text = Instance.load("textbook").with_(name="µ").to_toml()
    told = []
    for line in ("claims >&-", "verify - --effort quick --claim rem-4.2 2>&-"):
        done = subprocess.run(
            f"{sys.executable} -m boundcheck {line}",
            shell=True,
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.stderr == ""
        told.append(done.stdout)
    assert told[0] == ""
    assert told[1].startswith("\\xb5: 5 arms")


def test_a_working_directory_that_is_gone_is_one_line_where_it_is_needed(tmp_path: Path) -> None:
    lines = ("bounds paper --claim cor-7.2", "verify textbook --effort quick --claim rem-4.2")
    told = []
    for line in lines:
        (tmp_path / "gone").mkdir()
        done = subprocess.run(
            f"cd {tmp_path}/gone && rmdir {tmp_path}/gone && {sys.executable} -m boundcheck "
            + line,
            shell=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        told.append((done.returncode, done.stderr))
    expected = "boundcheck: working directory: No such file or directory: expected a directory that"
    assert told == [(0, ""), (2, f"{expected} is there\n")]


# -- files are written whole ------------------------------------------------------------------


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file"
    writing.write(target, "old")
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        writing.write(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("behind")
    writing.write(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "behind").read_text() == "text"
    writing.require_writable("/dev/null")
    writing.write("/dev/null", "text")
    writing.require_new("/dev/null")
    assert Path("/dev/null").is_char_device()


def test_looking_whether_a_file_can_be_written_makes_none(tmp_path: Path) -> None:
    writing.require_writable(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
