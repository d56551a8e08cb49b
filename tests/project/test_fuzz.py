"""A small fuzz of the commands, and that the fuzz notices what it is there to notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fuzzing import inputs, names, places, requests, trials
from fuzzing.active import MARK, SECRET
from fuzzing.records import Record, Records
from fuzzing.serving import Recent
from fuzzing.shrinking import shrunk
from fuzzing.trials import Problem, Step
from fuzzing.workers import Limits, Outcome, Worker

from boundcheck import catalogue
from boundcheck.search.extreme import admitted_instances
from boundcheck.search.hunt import example_of_seed
from simulation.policies import WHERE
from simulation.world.instance import Instance

SMALL = admitted_instances(largest=4)
CLAIMS = ("thm-4.1b", "thm-5.3b", "lem-E.1", "lem-E.3", "lem-E.4", "lem-J.1", "sharp-4.3")
GENEROUS = Limits(cpu=120)  # kernels may have to be compiled


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with Worker(tmp_path_factory.mktemp("worker")) as started:
        yield started


def small_steps(number: int) -> Iterator[Step]:
    """Every policy for a few slots, and claims that need few simulations or none."""
    policies = [f"--policy={policy}" for policy in WHERE]
    few = ("--horizon=100", "--runs=2", "--jobs=1", f"--seed={number}")
    claims = [f"--claim={claim}" for claim in CLAIMS]
    for line in (
        ("bounds", "FILE", "--json"),
        ("check", "FILE", "--json"),
        ("simulate", "FILE", *policies, *few, "--json"),
        ("verify", "FILE", "--effort=quick", "--jobs=1", *claims, "--json"),
    ):
        yield Step(line, GENEROUS, trials.well_formed)


@pytest.mark.parametrize("number", range(16))
def test_no_command_hangs_or_crashes_on_what_the_model_admits(worker: Worker, number: int) -> None:
    instance = example_of_seed(SMALL, number)
    found = trials.attempt(worker, instance, small_steps(number))
    assert found.problems == [], instance.to_toml()
    assert found.verdicts.total() >= len(CLAIMS)


def test_malformed_input_is_refused_in_one_line(worker: Worker) -> None:
    answers = [inputs.attempt(worker, number, seed=0) for number in range(40)]
    assert [(line, found) for found, line, _ in answers if found] == []


def test_malformed_requests_get_an_answer(tmp_path: Path) -> None:
    with requests.Server(tmp_path) as server:
        answers = [server.attempt(number, seed=0) for number in range(40)]
    assert [(sent, found) for found, sent in answers if found] == []


def test_commands_work_where_no_cache_can_be_written(tmp_path: Path) -> None:
    with Worker(tmp_path, places.UNWRITABLE) as unwritable:
        found, _, _ = places.read_only(unwritable, 0)
    assert found == []


# -- what the fuzz notices ----------------------------------------------------------------


def test_what_uses_too_much_is_killed_and_the_next_command_runs(worker: Worker) -> None:
    endless = ("simulate", "textbook", "--policy=ts-kc", "--horizon=1e9", "--runs=2", "--jobs=1")
    assert worker.run(*endless, limits=Limits(cpu=0.5)).failure == "hang"
    assert worker.run(*endless, limits=Limits(cpu=60, memory=10**7)).failure == "memory"
    done = worker.run("claims", "thm-7.1", limits=GENEROUS)
    assert (done.code, done.failure) == (0, "")
    assert "thm-7.1" in done.out


TRACEBACK = """Traceback (most recent call last):
  File "/x/boundcheck/cli/__init__.py", line 3, in main
  File "/x/boundcheck/calculator/conditions.py", line 60, in margin
  File "/usr/lib/python3/decimal.py", line 1, in normalize
decimal.Overflow: [<class 'decimal.Overflow'>]
"""
FATAL = """Fatal Python error: Segmentation fault

Current thread 0x1 (most recent call first):
  File "/x/simulation/chunks.py", line 9 in computed
  File "/x/boundcheck/cli/__init__.py", line 3 in main

Extension modules: numpy (total: 1)
"""


def ended(err: str, code: int | None = None, out: str = "") -> Outcome:
    return Outcome(("verify",), code, out, err, 0.0, 0)


def test_failures_are_named_by_their_cause() -> None:
    named = "traceback: decimal.Overflow in boundcheck/calculator/conditions.py margin"
    assert ended(TRACEBACK).failure == named
    assert ended(FATAL).failure == "died: Segmentation fault in simulation/chunks.py computed"
    assert ended("", code=0).failure == ""


def test_claims_without_a_verdict_are_noticed() -> None:
    rows = [
        {"claim": claim, "verdict": "holds", "explanation": "in every case"}
        for claim in catalogue()
    ]
    assert list(trials.silent(rows)) == []
    left_out, unspoken, impossible, *rest = rows
    unspoken |= {"verdict": "undecided", "explanation": "no evidence was gathered: none"}
    impossible |= {"verdict": "undecided", "explanation": "no arm to decide it on"}
    assert list(trials.silent([unspoken, impossible, *rest])) == [
        f"missing verdict: {left_out['claim']}",
        f"missing verdict: {unspoken['claim']}",
        f"undecided though it cannot arise: {impossible['claim']}",
    ]


def test_refutations_the_audit_does_not_know_are_noticed() -> None:
    def refuted(claim: str, role: str) -> list[str]:
        row = {"claim": claim, "statement": "s", "role": role, "verdict": "refuted"}
        return list(trials.unjust([row, row | {"verdict": "supported"}]))

    assert refuted("thm-4.3", "intended") == refuted("thm-4.3", "charitable") == []
    assert refuted("lem-5.1", "intended") == []  # false in scope alone
    assert refuted("lem-5.1", "charitable") == ["refuted though it stands: lem-5.1 (s)"]
    assert refuted("lem-E.2", "intended") == ["refuted though it stands: lem-E.2 (s)"]
    assert refuted("lem-E.3", "printed") == refuted("lem-5.2", "without") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "not JSON: Expecting"), ("[NaN]", "not JSON: NaN"), ('{"schema": 1}', "schema: ")],
)
def test_json_that_is_none_is_noticed(text: str, said: str) -> None:
    (flaw,) = trials.flaws(text)
    assert flaw.startswith(said)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (ended("x: y: z: expected w\n", 2), []),
        (ended("x: a warning\nx: y: z: expected w\n", 2), []),
        (ended("x\ny\n", 2), ["2 lines of refusal"]),
        (ended("", 2), ["0 lines of refusal"]),
        (ended("no\n", 1), ["exit code 1"]),
        (ended("no\n", 2, "half an answer"), ["output beside a refusal"]),
        (ended("\x1b[31mno\n", 2), ["control characters"]),
        (ended("no" * 1000, 2), ["a refusal of more than 1000 characters"]),
        (ended("", 0, "fine"), []),
        (ended("", 0, "\x1b[31m"), ["raw characters '\\x1b'"]),
    ],
)
def test_refusals_that_are_not_one_clear_line_are_noticed(
    outcome: Outcome, said: list[str]
) -> None:
    assert inputs.wrong(outcome) == said


@pytest.mark.parametrize(
    ("status", "text", "method", "said"),
    [
        (200, "{}", "GET", []),
        (400, '{"error": {"message": "x: y"}}', "POST", []),
        (404, "", "HEAD", []),
        (500, '{"error": {"message": "x: y"}}', "POST", ["status 500"]),
        (400, "no", "POST", ["a refusal that is not JSON"]),
        (400, '{"error": {"message": "x\\ny"}}', "PUT", ["more than one line of refusal"]),
        (200, "Traceback (most recent", "GET", ["traceback: in an answer"]),
    ],
)
def test_answers_that_are_none_are_noticed(
    status: int, text: str, method: str, said: list[str]
) -> None:
    assert requests.flaws(status, text, method) == said


PAGE = "<h1>{}</h1><p>text</p>"


@pytest.mark.parametrize(
    ("kind", "shown", "noticed"),
    [
        ("html", "&lt;script&gt;", False),
        ("html", "<script>1</script>", True),
        ("html", "<b>x</b>", True),
        ("html", "<span>$</span>", False),
        ("html", "<span style='x'>$</span>", True),
        ("html", "<h1 onclick=1>", True),
        ("html", f"{SECRET}", True),
        ("md", "`<script>`", True),  # code, where a plain name has none
        ("md", "\\<script\\>", False),
        ("md", "<img src=x>", True),
        ("md", f"[x](https://{MARK})", True),
        ("md", "$x$", True),
        ("md", "a\n# b", True),
        ("md", "a\n```\n", True),  # what follows is lost in it
        ("svg", "<a xlink:href='javascript:1'/>", True),
        ("terminal", "\x1b[31m", True),
        ("terminal", "\u202e", True),
        ("terminal", "<script>", False),
    ],
)
def test_names_that_are_more_than_text_are_noticed(kind: str, shown: str, noticed: bool) -> None:
    page = "# {}\n\ntext\n" if kind == "md" else PAGE
    found = list(names.wrong(kind, page.format(shown), page.format("plain"), shown))
    assert bool(found) == noticed, found


def test_a_name_must_not_decide_where_a_link_leads() -> None:
    link = "<a href='{}'>x</a>"
    led = (f"https://{MARK}", "javascript:1", "https://example.org")
    noticed = [list(names.wrong("html", link.format(to), link.format("#"), "")) for to in led]
    assert list(map(bool, noticed)) == [True, True, False]


def test_json_must_give_the_name_back() -> None:
    assert list(names.wrong("json", '{"instance": {"name": "a"}}', "", "a")) == []
    assert list(names.wrong("json", '{"instance": {"name": "b"}}', "", "a"))


def test_failures_shrink_to_few_arms(worker: Worker) -> None:
    def fails(outcome: Outcome, folder: Path) -> Iterator[str]:
        if Instance.load(folder / "instance.toml").arms >= 3:
            yield "too many arms"

    step = Step(("claims", "thm-7.1"), GENEROUS, fails)
    problem = Problem(step.label, "too many arms")
    large = Instance(["0.9"] * 20, [3] * 20, 9)
    small = shrunk(worker, large, problem, step, seconds=60)
    assert (small.arms, small.plays, small.capacities) == (3, 1, (1, 1, 1))


def test_a_killed_fuzz_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    first = Records(path)
    failed = Record("input", 1, "subject", [Problem(("check",), "hang", "detail")], {"input": 0.5})
    first.add(failed)
    with path.open("a") as torn:
        torn.write('{"kind": "input", "numb')
    second = Records(path)
    assert second.all == [failed]
    assert list(second.missing("input", 3)) == [0, 2]
    assert list(second.missing("name", 1)) == [0]
    second.add(failed)
    assert Records(path).all == [failed, failed]


@dataclass(frozen=True)
class Verified:
    instance: Instance
    effort: str


def test_an_instance_is_computed_once_whatever_its_name() -> None:
    computed: list[Instance] = []

    def named(instance: Instance, effort: str = "quick", *, jobs: int = 1) -> Verified:
        computed.append(instance)
        return Verified(instance, effort)

    two = Instance(["0.6", "0.4"], [1, 1], 1)
    remembered = Recent()(named)
    remembered(two, jobs=2)
    assert remembered(two.with_(name="other"), "quick").instance.name == "other"
    assert len(computed) == 1
    remembered(two, "standard")
    remembered(two.with_(plays=1, capacities=[1, 2]), "quick")
    assert len(computed) == 3
