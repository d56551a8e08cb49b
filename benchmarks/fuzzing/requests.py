"""Requests to `boundcheck serve`: whatever is sent, an answer in JSON or a file, and the server is
there for the next one without a traceback in its terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random
from typing import Any

import httpx

from fuzzing.inputs import ODD
from fuzzing.trials import Problem

ROOT = Path(__file__).parents[2]
TABLE: dict[str, Any] = {
    "name": "good",
    "plays": "2",
    "means": ["0.9", "0.5", "0.2"],
    "capacities": ["2", "1", "1"],
    "reward": {"law": "gaussian", "variance": "0.25"},
}
GOOD: dict[str, Any] = {
    "table": TABLE,
    "question": {"horizon": "1e6", "delta": "0.05"},
    "toml": "plays = 1",
    "policies": ["ts-kc"],
    "slots": "20",
    "runs": "2",
    "seed": "1",
}
METHODS = ("POST", "POST", "POST", "POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE")
PATHS = (
    "api/answer", "api/answer", "api/curves", "api/read", "api/simulate", "api/start",
    "api/policies", "api/", "", "app.js", "../etc/passwd", "audit/x.html", "%00", "api/none",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e300, [], {}, "", [None], [[]], {"law": None}, "x" * 10_000, [1] * 501,
    *ODD,
)  # fmt: skip
HEADERS: tuple[dict[str, str], ...] = (
    {}, {}, {}, {"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"},
    {"host": "evil.example"}, {"content-type": "text/plain"}, {"referer": "http://evil.example/"},
)  # fmt: skip
ADMITTED = {200, 400, 403, 404, 405, 413, 503}


class Server(AbstractContextManager["Server"]):
    """A server that is started for its first request, and again when it has died."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "server.log"
        self._process: subprocess.Popen[str] | None = None
        self._client = httpx.Client()

    def attempt(self, number: int, seed: int) -> tuple[list[Problem], str]:
        """One request: what is wrong with its answer, and what was sent."""
        draw = Random(f"{seed} request {number}")
        method, path, body = draw.choice(METHODS), draw.choice(PATHS), changed(draw)
        headers = {"content-type": "application/json"} | draw.choice(HEADERS)
        subject = ascii([method, path, headers, body[:300]])
        before = self._started()
        try:
            found = self._client.request(method, path, content=body, headers=headers)
            wrong = flaws(found.status_code, found.text, method)
        except httpx.TimeoutException:
            wrong = ["hang"]
            self.stop()
        except httpx.HTTPError as error:
            wrong = [f"no answer: {type(error).__name__}"]
            self.stop()
        if "Traceback" in self._log.read_text(encoding="utf-8", errors="replace")[before:]:
            wrong.append("traceback: in the terminal of the server")
        return [Problem(("serve", path), what) for what in wrong], subject

    def _started(self) -> int:
        """How much the server has said so far."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "boundcheck", "serve", "--port", "0"]
            with self._log.open("w") as log:
                self._process = subprocess.Popen(
                    command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
                )
            assert self._process.stdout is not None
            address = self._process.stdout.readline().split()[1]
            self._client = httpx.Client(base_url=address, timeout=300)
        return len(self._log.read_text(encoding="utf-8", errors="replace"))

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __exit__(self, *failure: object) -> None:
        self.stop()


def changed(draw: Random) -> bytes:
    """A good request with one or two of its values changed, or bytes that are none."""
    if draw.random() < 0.1:
        return draw.choice((b"", b"{", b"[" * 50_000, b"\xff\xfe", b"null", b'"x"', b"{}" * 9))
    request = json.loads(json.dumps(GOOD))
    for _ in range(draw.randint(1, 2)):
        within = draw.choice((request, request["table"], request["question"]))
        if isinstance(within, dict) and within:
            within[draw.choice((*within, "odd"))] = draw.choice(VALUES)
        if not (isinstance(request["table"], dict) and isinstance(request["question"], dict)):
            break
    return json.dumps(request).encode()


def flaws(status: int, text: str, method: str) -> list[str]:
    """What is wrong with an answer; one to HEAD has no body."""
    wrong = [] if status in ADMITTED else [f"status {status}"]
    if "Traceback" in text:
        wrong.append("traceback: in an answer")
    if status >= 400 and method != "HEAD":
        try:
            told = json.loads(text)["error"]["message"]
        except (ValueError, KeyError, TypeError):
            return [*wrong, "a refusal that is not JSON"]
        wrong += ["more than one line of refusal"] if "\n" in told else []
    return wrong
