"""`boundcheck serve`: the page says what the library says, and stays up whatever is sent to it."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from events import cpu_seconds, until, until_ended
from hypothesis import given, settings
from hypothesis import strategies as st

import boundcheck
from boundcheck import headline
from boundcheck.claims.card_text import standing
from boundcheck.cli import main
from boundcheck.judging.effort import EFFORTS
from boundcheck.search.extreme import admitted_instances
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.web import answers, jobs, worker_pool
from boundcheck.web import app as routes
from boundcheck.web import serving as serving_of
from boundcheck.web.app import application
from boundcheck.web.security import Guard
from boundcheck.web.serving import Piecewise
from boundcheck.web.worker_pool import Worker, WorkerPool
from simulation.files.reading import parsed
from simulation.running.replicate import replicate
from simulation.world.instance import Instance, shipped

ROOT = Path(__file__).parents[2]
WEB = ROOT / "boundcheck" / "web"
TEXTBOOK = Instance.load("textbook")
TABLE: dict[str, Any] = {
    "name": "three",
    "plays": "2",
    "means": ["0.9", "2/3", "0.25"],
    "capacities": ["2", "1", "1"],
    "reward": {"law": "bernoulli"},
}
QUESTION = {"horizon": "1e6", "delta": "0.05"}
ASKED: dict[str, Any] = {"table": TABLE, "question": QUESTION}
RUN = {**ASKED, "policies": ["ts-kc"], "slots": "1000", "runs": "3", "seed": "1"}


APPLICATION = application()


@pytest.fixture(scope="module")
def served() -> Iterator[httpx.Client]:
    server = uvicorn.Server(uvicorn.Config(APPLICATION, http=Piecewise, log_level="warning"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = Thread(target=server.run, args=([listener],))
    thread.start()
    with httpx.Client(
        base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=None
    ) as client:
        yield client
    server.should_exit = True
    thread.join()


@pytest.fixture
def at_work(served: httpx.Client) -> WorkerPool:
    found: WorkerPool = APPLICATION.state.workers
    return found


def changed(**fields: Any) -> dict[str, Any]:
    return {"table": {**TABLE, **fields}, "question": QUESTION}


# -- what the theory says ---------------------------------------------------------------------


def test_every_number_is_that_of_the_library(served: httpx.Client) -> None:
    answer = served.post("/api/answer", json=ASKED).json()["done"]
    instance = Instance(TABLE["means"], [2, 1, 1], 2, name="three")
    found = boundcheck.bounds(instance, boundcheck.Question(**QUESTION))
    for shown in answer["bounds"]:
        own = [b for b in found if (b.claim, b.quantity) == (shown["claim"], shown["quantity"])]
        values = sorted(b.value for b in own if b.value is not None)
        exact = [text for _, text in shown["ends"]]
        assert exact == [str(x) for x in dict.fromkeys(values[:1] + values[-1:])]
        assert shown["applies"] == sum(b.applies for b in own)
        assert [arm[2] for arm in shown["arms"]] == [b.text for b in own if b.arm is not None]
        assert shown["informative"] in (None, sum(b.informative is not False for b in own))
    assert len(answer["bounds"]) == len({(b.claim, b.quantity) for b in found})
    assert answer["toml"] == instance.to_toml()
    assert [arm["plays"] for arm in answer["optimum"]["arms"]] == [2, 0, 0]


@settings(max_examples=12)
@given(instance=admitted_instances(), exponent=st.sampled_from([1, 6, 300]))
def test_any_instance_gets_an_answer_in_json(instance: Instance, exponent: int) -> None:
    asked = {"table": parsed(instance.to_toml(), "any"), "question": {"horizon": f"1e{exponent}"}}
    for work in (answers.answer, answers.curves):
        json.dumps(work(asked, THEORY), allow_nan=False)


def test_assumptions_that_fail_come_first_and_by_their_worst_arm(served: httpx.Client) -> None:
    answer = served.post("/api/answer", json=ASKED).json()["done"]
    rows = answer["assumptions"]
    failing = [row["failing"] > 0 for row in rows]
    assert failing == sorted(failing, reverse=True)
    assert any(failing)
    for row in rows:
        margins = [float(arm[5]) for arm in row["arms"] if arm[5] is not None]
        assert margins == sorted(margins)


def test_a_bound_that_says_nothing_is_on_the_wrong_side_of_what_is_true_anyway(
    served: httpx.Client,
) -> None:
    asked = {**ASKED, "question": QUESTION | {"horizon": "1e4"}}
    answer = served.post("/api/answer", json=asked).json()["done"]
    measured = [b for b in answer["bounds"] if b["decades"] is not None and b["count"] == 1]
    assert {bool(b["informative"]) for b in measured} == {True, False}
    for b in measured:
        assert bool(b["informative"]) == (b["decades"] < 0 if b["upper"] else b["decades"] > 0)
    assert {b["anyway"][1] for b in measured if b["quantity"] == "regret"} == {"15500"}


def test_plots_are_sweeps_and_the_regret_at_t_is_the_bound(served: httpx.Client) -> None:
    answer = served.post("/api/answer", json=ASKED).json()["done"]
    curves = served.post("/api/curves", json={**ASKED, "arm": 2}).json()["done"]
    slots = curves["regret"]["slots"]
    near = min(range(len(slots)), key=lambda n: abs(slots[n] - 1e6))
    (line,) = [x for x in curves["regret"]["lines"] if x["claim"] == "sharp-7.1"]
    (bound,) = [b for b in answer["bounds"] if b["claim"] == "sharp-7.1"]
    assert line["values"][near] == pytest.approx(float(bound["ends"][0][1]), rel=0.15)
    assert line["policy"] == "orch-explore"
    assert len(curves["regret"]["lines"]) <= 5  # and the largest possible regret
    # thm-4.3 is refuted: it is not drawn
    assert {x["claim"] for x in curves["regret"]["lines"] if x["lower"]} == {
        "sharp-4.3",
        "sharp-4.3-law-free",
    }
    assert all(x["growth"] for x in curves["regret"]["lines"] if x["lower"])  # times log T
    sizes = curves["sizes"]
    assert (sizes["arm"], sizes["capacity"]) == (2, 1)
    (size,) = [x for x in sizes["lines"] if x["claim"] == "sharp-5.3a"]
    (own,) = [
        b
        for b in answer["bounds"]
        if b["quantity"] == "explorations of each kind" and b["claim"] == "sharp-5.3a"
    ]
    assert size["values"][0] == pytest.approx(float(own["arms"][1][2]), rel=1e-6)


def test_the_start_has_verdicts_severities_and_what_is_sharper(served: httpx.Client) -> None:
    start = served.get("/api/start").json()["done"]
    for claim, card in start["claims"].items():
        verdict, severity = standing(THEORY.cards[claim], THEORY)
        assert (card["verdict"] or "-", card["severity"] or "-") == (verdict, severity)
    assert start["claims"]["thm-7.1"]["sharper"] == ["sharp-7.1"]
    assert start["claims"]["thm-G.1"]["sharper"] == [], "another policy's bound is not sharper"
    assert set(start["instances"]) == set(shipped())
    assert served.post(
        "/api/answer", json={"table": start["instances"]["5g-4g"], "question": QUESTION}
    ).is_success


def test_toml_comes_in_and_goes_out(served: httpx.Client) -> None:
    found = served.post("/api/read", json={"toml": TEXTBOOK.to_toml()}).json()["done"]["table"]
    answer = served.post("/api/answer", json={"table": found, "question": QUESTION}).json()
    assert answer["done"]["toml"] == TEXTBOOK.to_toml()
    wrong = served.post("/api/read", json={"toml": "plays = = 2"})
    assert wrong.status_code == 400
    assert "instance: toml: " in wrong.json()["error"]["message"]


# -- the same words as on the command line ------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"means": ["0.9", "much", "0.25"]}, "means[2]"),
        ({"means": ["0.9", "1.5", "0.25"]}, "means[2]"),
        ({"means": ["0.9", "", "0.25"]}, "means[2]"),
        ({"capacities": ["2", "1.5", "1"]}, "capacities[2]"),
        ({"capacities": ["2", "1"]}, "capacities"),
        ({"plays": "3"}, "plays"),
        ({"plays": "0"}, "plays"),
        ({"reward": {"law": "cauchy"}}, "reward.law"),
        ({"reward": {"law": "gaussian", "variance": "-1"}}, "reward.variance"),
        ({"reward": {"law": "beta"}}, "reward.concentration"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_input_is_marked_at_its_field_in_the_words_of_a_file(
    served: httpx.Client,
    fields: dict[str, Any],
    field: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    response = served.post("/api/answer", json=changed(**fields))
    error = response.json()["error"]
    assert (response.status_code, error["field"]) == (400, field)
    file = tmp_path / "instance.toml"
    file.write_text(_toml({**TABLE, **fields}))
    with pytest.raises(SystemExit):
        main(["bounds", str(file)])
    assert capsys.readouterr().err == error["message"].replace("instance:", f"{file}:", 1) + "\n"


def _toml(table: dict[str, Any]) -> str:
    """As a file says it: whole numbers bare, the rest as text."""

    def value(x: object) -> str:
        if isinstance(x, list):
            return f"[{', '.join(map(value, x))}]"
        return str(x) if re.fullmatch("[0-9]+", str(x)) else json.dumps(x)

    own = [f"{n} = {value(x)}" for n, x in table.items() if n != "reward"]
    return "\n".join([*own, "[reward]", *(f"{n} = {value(x)}" for n, x in table["reward"].items())])


NULLS: tuple[dict[str, Any], ...] = (
    {"question": {"horizon": None}},
    {"question": {"delta": None}},
    *({"table": {**TABLE, name: None}} for name in TABLE),
    *({"table": {**TABLE, name: [None] * 3}} for name in ("means", "capacities")),
    {"table": {**TABLE, "reward": {"law": "gaussian", "variance": None}}},
    *(
        {"table": {**TABLE, "reward": {"law": "empirical", **values}}}
        for values in (
            {"values": None},
            {"values": [None] * 3},
            {"values": [[1], 0, [1]], "weights": [[1]] * 3},
            {"values": [0, 1], "weights": None},
        )
    ),
    {"question": None},
    {"table": None},
)


@pytest.mark.parametrize("changed", NULLS, ids=repr)
def test_a_null_is_refused_as_what_it_is(served: httpx.Client, changed: dict[str, Any]) -> None:
    response = served.post("/api/answer", json=ASKED | changed)
    assert response.status_code == 400, response.text
    assert ": expected " in response.json()["error"]["message"]


@pytest.mark.parametrize(("name", "text"), [("delta", "2"), ("horizon", "1"), ("horizon", "x")])
def test_a_question_that_cannot_be_asked_is_refused_likewise(
    served: httpx.Client, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    question = QUESTION | {name: text}
    error = served.post("/api/answer", json={**ASKED, "question": question}).json()["error"]
    with pytest.raises(SystemExit):
        main(["bounds", "paper", f"--{name}", text])
    assert (error["field"], error["message"] + "\n") == (name, capsys.readouterr().err)


# -- limits and malformed requests ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "sent", "status", "words"),
    [
        ("answer", b"{", 400, "not JSON"),
        ("answer", b"[" * 100_000, 400, "not JSON"),
        ("answer", b"[]", 400, "no object"),
        ("answer", b"{}", 400, "instance: table: None"),
        ("answer", b'{"table": 3}', 400, "instance: table: 3"),
        ("answer", json.dumps({"table": TABLE, "question": 3}).encode(), 400, "question: table"),
        (
            "answer",
            json.dumps({"table": TABLE, "question": {"x": 1}}).encode(),
            400,
            "unknown field",
        ),
        ("answer", b" " * 2_000_001, 413, "at most 2,000,000 bytes"),
        ("read", b"{}", 400, "instance: toml: None"),
        ("nothing", b"{}", 404, "Not Found"),
    ],
)
def test_a_malformed_request_gets_one_clear_line(
    served: httpx.Client, path: str, sent: bytes, status: int, words: str
) -> None:
    response = served.post(
        f"/api/{path}", content=sent, headers={"content-type": "application/json"}
    )
    assert response.status_code == status
    assert words in response.json()["error"]["message"]
    assert "Traceback" not in response.text


def test_tables_and_horizons_beyond_the_limits_are_refused(served: httpx.Client) -> None:
    many = ["0.5"] * 501
    error = served.post("/api/answer", json=changed(means=many, capacities=["1"] * 501)).json()
    assert "501 arms: expected at most 500" in error["error"]["message"]
    far = {**ASKED, "question": QUESTION | {"horizon": "10^301"}}
    error = served.post("/api/answer", json=far).json()["error"]
    assert error["message"] == "--horizon: horizon: 1e+301: expected at most 10^300 on this page"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"runs": "1001"}, "runs"),
        ({"slots": "9e6"}, "leap"),
        ({"slots": "1e6", "runs": "1000", "policies": [*"abcdefghijk"]}, "runs"),
        ({"slots": "1e31"}, "slots"),
        ({"policies": "ts-kc"}, "policy"),
        ({"policies": ["no-such"]}, "policy"),
        ({"policies": []}, "policy"),
    ],
)
def test_a_simulation_beyond_the_limits_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(boundcheck.InputError) as caught:
        jobs.simulate({**RUN, **fields}, THEORY, lambda _: None)
    assert caught.value.field == field


# -- who may ask, and what a page may load ---------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:8765"},
        {"host": "192.168.1.7:8765"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"content-type": "text/plain"},
    ],
)
def test_a_request_from_elsewhere_is_refused(served: httpx.Client, headers: dict[str, str]) -> None:
    sent = {"content-type": "application/json"} | headers
    response = served.post("/api/answer", content=json.dumps(ASKED), headers=sent)
    assert response.status_code == 403
    assert response.json()["error"]["message"].startswith("request: ")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"referer": "http://evil.example/"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "PUT"])
@pytest.mark.parametrize("path", ["/api/policies", "/api/start", "/api/"])
def test_nothing_is_computed_for_another_site(
    served: httpx.Client, headers: dict[str, str], method: str, path: str
) -> None:
    sent = {"content-type": "application/json"} | headers
    assert served.request(method, path, headers=sent).status_code == 403


def test_a_link_from_another_site_leads_to_the_page_and_who_types_may_ask(
    served: httpx.Client,
) -> None:
    linked = {"referer": "http://other.example/", "sec-fetch-site": "cross-site"}
    assert served.get("/", headers=linked).is_success
    assert served.get("/api/start", headers={"sec-fetch-site": "none"}).is_success


def test_our_own_page_may_ask(served: httpx.Client) -> None:
    for host in ("127.0.0.1:8765", "localhost:8765", "[::1]:8765", "localhost"):
        headers = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        assert served.post("/api/answer", json=ASKED, headers=headers).is_success, host


def test_who_listens_on_more_than_this_machine_is_asked_by_address_not_by_any_name() -> None:
    guard = Guard(lambda *_: None, "0.0.0.0")  # type: ignore[arg-type, return-value]
    assert (
        guard.refusal(
            "GET", routes.Request({"type": "http", "headers": [(b"host", b"10.0.0.7:1")]}).headers
        )
        is None
    )
    assert guard.refusal(
        "GET", routes.Request({"type": "http", "headers": [(b"host", b"evil.example")]}).headers
    )


def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_script(
    served: httpx.Client,
) -> None:
    response = served.get("/")
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert not re.search(
        r"<style|\sstyle=|\son\w+=|<script(?! type=\"module\" src=)", response.text
    )
    for file in (WEB / "static").iterdir():
        found = set(re.findall(r"(?:https?:)?//[a-z][\w.]+", file.read_text(encoding="utf-8")))
        assert found <= {"http://www.w3.org"}, file.name  # the name of SVG, which nobody loads
        assert served.get(f"/{file.name}").is_success
    scripts = "".join(f.read_text(encoding="utf-8") for f in (WEB / "static").glob("*.js"))
    assert not re.search("innerHTML|outerHTML|insertAdjacentHTML|eval\\(", scripts)


def test_only_files_of_the_page_and_of_the_audit_are_served(served: httpx.Client) -> None:
    for path in ("/app.py", "/../app.py", "/%2e%2e/app.py", "/audit/claims/none.html", "/x"):
        assert served.get(path).status_code == 404, path
    for path in ("/audit/claims/../../app.html", "/audit/counterexamples/none.toml"):
        assert served.get(path).status_code == 404, path
    file = next((ROOT / "reports/audit/counterexamples").iterdir())
    assert served.get(f"/audit/counterexamples/{file.name}").text == file.read_text()


def test_the_audit_page_of_a_claim_is_there_without_scripts(served: httpx.Client) -> None:
    cards = served.get("/api/start").json()["done"]["claims"]
    written = {file.stem for file in (ROOT / "reports/audit/claims").iterdir()}
    assert {claim for claim, card in cards.items() if card["page"]} == written & set(THEORY.cards)
    assert len(written) > 30
    response = served.get("/audit/claims/thm-7.1.html")
    assert "<math" in response.text
    assert "script-src" not in response.headers["content-security-policy"]
    assert "default-src 'none'" in response.headers["content-security-policy"]


def test_nothing_but_the_command_imports_the_server() -> None:
    allowed = {WEB, ROOT / "boundcheck" / "cli.py"}
    pattern = re.compile(r"^\s*(?:from|import) (?:starlette|uvicorn|boundcheck\.web)", re.MULTILINE)
    for file in (ROOT / "boundcheck").rglob("*.py"):
        if not allowed & {file, *file.parents}:
            assert not pattern.search(file.read_text(encoding="utf-8")), file


# -- what happens ---------------------------------------------------------------------------------


def lines(served: httpx.Client, work: str, request: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(x) for x in served.post(f"/api/{work}", json=request).text.splitlines()]


def test_a_simulation_tells_its_progress_and_is_that_of_the_library(served: httpx.Client) -> None:
    *told, last = lines(served, "simulate", RUN)
    assert told[-1]["share"] == 1
    (run,) = last["done"]["runs"]
    instance = Instance(TABLE["means"], [2, 1, 1], 2, name="three")
    assert run["mean"] == replicate(instance, "ts-kc", 1000, 3, 1)["ts-kc"].mean.tolist()
    assert last["done"]["regret"]["slots"][-1] == pytest.approx(1000)


LINE = "regret(moss) <= 0.05*sqrt(K*T)"


def test_a_line_is_drawn_with_its_curve_and_what_is_wrong_with_it_is_said(
    served: httpx.Client,
) -> None:
    found = served.post("/api/line", json={"line": LINE, "table": TABLE}).json()["done"]
    assert (found["policy"], found["instance"]) == ("moss", "five coins, 0.9 to 0.5")
    assert found["formula"].startswith("<math")
    last = found["curve"]["slots"][-1], found["curve"]["values"][-1]
    assert last == pytest.approx((10_000, 0.05 * (5 * 10_000) ** 0.5))
    one_play = TABLE | {"plays": "1"}
    found = served.post("/api/line", json={"line": LINE, "table": one_play}).json()["done"]
    assert found["instance"] == "three"
    for line, expected in (
        ("regret(mos) <= T", "column 8: unknown policy mos"),
        ("x" * 10**6, "1,000,000 characters: expected at most 2,000"),
        (None, "line: None: expected a bound as text"),
    ):
        response = served.post("/api/line", json={"line": line, "table": TABLE})
        assert response.status_code == 400
        assert expected in response.json()["error"]["message"]


def test_the_regret_beside_a_line_is_simulated_apart_and_once(served: httpx.Client) -> None:
    found = served.post("/api/regret", json={"policy": "etc(m=2)", "table": TABLE})
    assert found.is_success
    told = found.json()["done"]
    assert (told["slots"][0], told["slots"][-1]) == (10, 10_000)
    coins = Instance(["0.9", "0.8", "0.7", "0.6", "0.5"], [1] * 5, 1)
    runs = replicate(coins, ["etc"], 10, 40, options={"m": 2}, seed=0)
    assert told["mean"][0] == runs["etc"].mean[-1]
    wrong = served.post("/api/regret", json={"policy": "nobody", "table": TABLE})
    assert "unknown policy nobody" in wrong.json()["error"]["message"]


def test_a_line_is_decided_by_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = replace(EFFORTS["quick"], horizon=100, slots=100_000)
    monkeypatch.setitem(EFFORTS, "quick", tiny)
    told: list[Any] = []
    found = jobs.decide({"line": LINE}, THEORY, told.append)
    assert found["verdict"] == "refuted"
    assert any("it fails at means" in line for line in found["lines"])
    assert Instance.from_table(parsed(found["worst"], "worst")).plays == 1
    assert all(message["told"] for message in told)
    with pytest.raises(boundcheck.InputError, match="a bound as text"):
        jobs.decide({"line": 3}, THEORY, told.append)


def test_a_long_run_is_drawn_in_leaps() -> None:
    request = {**RUN, "policies": ["likelihood"], "slots": "1e12", "runs": "2"}
    found = jobs.simulate(request, THEORY, lambda _: None)
    assert (found["leap"], found["slots"]) == (True, "1,000,000,000,000")


def test_verdicts_arrive_claim_by_claim() -> None:
    few = replace(THEORY, cards={name: THEORY.cards[name] for name in ("lem-E.3", "thm-4.1a")})
    told: list[dict[str, Any]] = []
    done = jobs.verify(ASKED, few, told.append)
    assert [message["share"] for message in told] == [0.5, 1.0]
    claims = [found["claim"] for message in told for found in message["verdicts"]]
    assert claims == ["lem-E.3", "thm-4.1a"]
    whole = boundcheck.verify(
        Instance(TABLE["means"], [2, 1, 1], 2, name="three"), "quick", theory=few
    )
    assert done["statements"] == len(whole.findings)
    kept = [[word for word, _, _ in f["found"]] for m in told for f in m["verdicts"]]
    assert kept == [[f.answer for f in whole.of(claim)] for claim in claims]
    verdicts = [f["verdict"] for m in told for f in m["verdicts"]]
    assert verdicts == ["holds", None]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """Every process that is started from here on."""
    begun: list[Worker] = []
    original = Worker.started

    async def remembered(*arguments: Any) -> Worker:
        begun.append(await original(*arguments))
        return begun[-1]

    monkeypatch.setattr(Worker, "started", remembered)
    return begun


def test_who_goes_away_ends_the_job(
    served: httpx.Client, at_work: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = counted(monkeypatch)
    request = {**RUN, "slots": "1e6", "runs": "1000"}
    with served.stream("POST", "/api/simulate", json=request) as response:
        assert "share" in next(response.iter_lines())
        assert at_work.jobs == 1
    (job,) = begun
    until(lambda: at_work.jobs == 0)
    assert job._process.returncode == -signal.SIGKILL


def test_more_jobs_than_allowed_are_refused(
    served: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "MOST_JOBS", 0)
    (line,) = lines(served, "simulate", RUN)
    assert "at once" in line["error"]["message"]


def test_a_full_disk_costs_the_report_not_the_server(
    served: httpx.Client, at_work: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    (line,) = lines(served, "report", ASKED)
    assert line["error"]["message"].startswith("report: files: No space left on device: expected")
    assert at_work.jobs == 0


def test_a_worker_that_fails_or_takes_too_long_is_replaced(
    served: httpx.Client, at_work: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(worker: Worker, request: dict[str, Any]) -> bytes:
        assert worker._process.stdin is not None
        worker._process.stdin.write(b"no JSON\n")  # a fault of ours
        return await result(worker, request)

    result = Worker.result
    monkeypatch.setattr(Worker, "result", failing)
    lost = served.post("/api/answer", json=changed(name="lost"))
    assert (lost.status_code, lost.content) == (500, worker_pool.LOST)
    monkeypatch.undo()
    monkeypatch.setattr(worker_pool, "ANSWER_SECONDS", 0.001)
    late = served.post("/api/answer", json=changed(name="late"))
    assert (late.status_code, late.content) == (503, worker_pool.LATE)
    monkeypatch.undo()
    assert served.post("/api/answer", json=changed(name="after")).is_success


def test_a_worker_killed_while_it_waits_costs_nobody_an_answer(
    served: httpx.Client, at_work: WorkerPool
) -> None:
    for number in range(3):
        for idle in [*at_work._idle]:
            os.kill(idle._process.pid, signal.SIGKILL)
        assert served.post("/api/answer", json=changed(name=f"killed {number}")).is_success


GREEDY = """
from boundcheck.web import answers
CLAIMS = ()
answers.read = lambda request, theory: len(bytearray(request["bytes"]))
"""


def test_a_computation_has_a_limit_of_memory(tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY)
    asked = [{"work": "read", "bytes": size} for size in (10**6, 2 * 10**9, 10**6)]
    with subprocess.Popen(
        [sys.executable, "-m", "boundcheck.web.worker", "0", "1000000000", tmp_path / "greedy.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        worker.stdin.write("".join(f"{json.dumps(request)}\n" for request in asked))
        worker.stdin.flush()  # and left open: a worker ends with its input
        first, second = (json.loads(worker.stdout.readline()) for _ in range(2))
        assert first == {"done": 10**6}
        assert "more than 1,000,000,000 bytes of memory" in second["error"]["message"]
        assert (worker.wait(), worker.stderr.read()) == (-signal.SIGKILL, "")


def test_however_many_ask_there_are_few_processes(
    served: httpx.Client, at_work: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = counted(monkeypatch)
    at_work._cached.clear()
    paths = ["/api/policies"] * 30 + ["/api/start"] * 30
    with ThreadPoolExecutor(len(paths)) as clients:
        answers = {response.status_code for response in clients.map(served.get, paths)}
    assert answers == {200}
    assert len(begun) == 1, "one for the policies; those that stay are there"


def test_the_queue_for_processes_has_an_end(
    served: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "MOST_WAITING", 0)
    for path, body in (("answer", changed(name="one more")), ("read", {"toml": "x = 1"})):
        assert served.post(f"/api/{path}", json=body).content == worker_pool.BUSY
    APPLICATION.state.workers._cached.clear()
    for path in ("policies", "start"):
        assert served.get(f"/api/{path}").content == worker_pool.BUSY


def test_equal_questions_under_way_are_joined(
    served: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    original = Worker.result

    async def counting(worker: Worker, request: Any) -> bytes:
        asked.append(request)
        return await original(worker, request)

    monkeypatch.setattr(Worker, "result", counting)
    same = [changed(name="joined")] * 20
    with ThreadPoolExecutor(len(same)) as clients:
        answers = {
            r.content for r in clients.map(lambda x: served.post("/api/answer", json=x), same)
        }
    assert (len(answers), len(asked)) == (1, 1)


def test_an_equal_question_is_not_computed_again(
    served: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = served.post("/api/answer", json=changed(name="twice"))
    monkeypatch.setattr(WorkerPool, "_by_idle", None)
    assert served.post("/api/answer", json=changed(name="twice")).content == first.content


# -- the command ----------------------------------------------------------------------------------


SMALL_PIECES = 3.0  # seconds of CPU for 200,000 of them


def started(*arguments: str, stderr: Any = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "boundcheck", "serve", "--port", "0", *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def children(pid: int) -> list[int]:
    return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_ctrl_c_stops_the_server_and_all_who_work_for_it() -> None:
    with started() as server:
        assert server.stdout is not None
        address = re.fullmatch(
            r"boundcheck: (http://127\.0\.0\.1:\d+/) \(Ctrl-C stops it\)\n",
            server.stdout.readline(),
        )
        assert address is not None
        with urllib.request.urlopen(address[1]) as page:
            assert page.status == 200
        host = address[1].removeprefix("http://").strip("/")
        open_job = HTTPConnection(host)
        body = json.dumps({**RUN, "slots": "1e6", "runs": "1000"})
        open_job.request("POST", "/api/simulate", body, {"content-type": "application/json"})
        workers = children(server.pid)
        server.send_signal(signal.SIGINT)
        out, err = server.communicate()
        open_job.close()
    assert (server.returncode, out, err) == (0, "boundcheck: stopped\n", "")
    assert len(workers) >= 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


@contextmanager
def serving(stderr: Any = subprocess.DEVNULL) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of its own, with its port; ended if it is still there."""
    with started(stderr=stderr) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split("/")[2].rpartition(":")[2])
        try:
            yield server, port
        finally:
            server.kill()


def opened(port: int, headers: str) -> socket.socket:
    """A connection over which the beginning of a question was sent."""
    connection = socket.create_connection(("127.0.0.1", port))
    head = f"POST /api/answer HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{headers}\r\n"
    connection.sendall(f"{head}content-type: application/json\r\n\r\n".encode())
    return connection


def test_who_goes_away_in_the_middle_of_a_question_is_no_fault(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file, serving(file) as (server, port):
        for _ in range(250):
            with opened(port, "content-length: 1000") as connection:
                connection.sendall(b"{")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            assert page.status == 200
        server.send_signal(signal.SIGINT)
        server.communicate()
    assert log.read_text() == ""


def test_a_question_in_very_small_pieces_costs_little() -> None:
    with serving() as (server, port):
        before = cpu_seconds(server.pid)
        with opened(port, "transfer-encoding: chunked") as connection:
            connection.sendall(b"1\r\n \r\n" * 200_000 + b"0\r\n\r\n")
            assert b"400 Bad Request" in connection.recv(1000)
        assert cpu_seconds(server.pid) - before < SMALL_PIECES


def test_between_two_small_reads_others_have_their_turn(
    served: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    original = Piecewise.data_received

    def counting(protocol: Piecewise, data: bytes) -> None:
        read.append(len(data))
        original(protocol, data)

    monkeypatch.setattr(Piecewise, "data_received", counting)
    with opened(served.base_url.port or 0, "transfer-encoding: chunked") as connection:
        connection.sendall(b"1\r\n \r\n" * 200_000 + b"0\r\n\r\n")
        assert b"400 Bad Request" in connection.recv(1000)
    assert max(read) <= serving_of.PIECE
    assert sum(read) > 1_200_000


def test_a_report_leaves_no_folder_when_the_server_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    headers = {"content-type": "application/json"}
    with serving() as (server, port), closing(HTTPConnection("127.0.0.1", port)) as job:
        job.request("POST", "/api/report", json.dumps(ASKED), headers)
        with job.getresponse() as told:
            assert b"share" in told.readline()  # it is at work
            assert list(tmp_path.glob("boundcheck-*"))
            workers = children(server.pid)
            server.kill()
            until_ended(*workers)
    assert list(tmp_path.glob("boundcheck-*")) == []


def test_a_taken_port_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(SystemExit) as ended:
            main(["serve", "--port", port])
    assert ended.value.code == 2
    expected = f"serve: 127.0.0.1:{port}: Address already in use: expected a free port"
    assert capsys.readouterr().err == f"{expected} of this machine\n"


def test_an_address_that_others_reach_is_warned_of() -> None:
    with started("--host", "0.0.0.0") as server:
        assert server.stdout is not None
        assert "http://0.0.0.0:" in server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        _, err = server.communicate()
    assert server.returncode == 0
    assert "--host: 0.0.0.0: warning: anyone who can reach this address can compute" in err


def test_the_page_gives_the_answers_of_every_other_screen(served: httpx.Client) -> None:
    start = served.get("/api/start").json()["done"]
    asked = {"table": start["instances"]["paper"], "question": QUESTION}
    shown = served.post("/api/answer", json=asked).json()["done"]["headline"]
    told = headline(Instance.load("paper"), **QUESTION).questions
    assert shown == [section.to_json() for section in told]
