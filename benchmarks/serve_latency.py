"""How fast the page of `boundcheck serve` answers, and what it costs to keep it open.

    python benchmarks/serve_latency.py

From a keystroke to new bounds on the screen, in a real browser (Chromium with its driver), for 9
and for 200 arms; 20 clients that type at once; memory at rest, of the server and its processes
together. Seconds of the clock: on a busy machine they say little. The exit code is 1 if a target
is missed.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from rich.console import Console
from rich.table import Table
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import CHROMIUM, CHROMIUM_OPTIONS, DRIVER, NO_BROWSER  # noqa: E402

KEYSTROKES, MEDIAN, WORST = 100, 0.250, 0.600
LARGE_ARMS, LARGE_SECONDS = 200, 2.0
CLIENTS, EACH, CLIENT_SECONDS = 20, 5, 2.0
MEGABYTES = 300.0
PAPER = [str(k / 10) for k in range(9, 0, -1)], [2, 4, 3, 3, 2, 1, 3, 4, 2], 7

# a digit is typed into the first mean; done when the answer to it is on the screen
TYPED = """
const [text, done] = arguments, root = document.documentElement;
const field = document.querySelector('[data-field="means[1]"]');
const begun = performance.now();
field.value = text;
field.dispatchEvent(new InputEvent("input", {bubbles: true}));
const look = () => root.dataset.state === "ready"
  ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))
  : setTimeout(look, 2);
look();
"""


def table(means: list[str], capacities: list[int], plays: int) -> dict[str, Any]:
    law = {"law": "bernoulli"}
    return {"name": "x", "plays": plays, "means": means, "capacities": capacities, "reward": law}


def large() -> dict[str, Any]:
    means = [f"{(LARGE_ARMS + 1 - k) / (LARGE_ARMS + 2):.6f}" for k in range(LARGE_ARMS)]
    return table(means, [1 + k % 5 for k in range(LARGE_ARMS)], 20)


@contextmanager
def serving() -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-m", "boundcheck", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            yield server.pid, found[0]
        finally:
            server.terminate()


@contextmanager
def browsing() -> Iterator[webdriver.Chrome]:
    if CHROMIUM is None or DRIVER is None:
        sys.exit(NO_BROWSER)
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for option in (*CHROMIUM_OPTIONS, f"--user-data-dir={profile}", "--window-size=1600,1000"):
            options.add_argument(option)
        driver = webdriver.Chrome(options, Service(DRIVER))
        driver.set_script_timeout(60)
        try:
            yield driver
        finally:
            driver.quit()


def keystrokes(
    driver: webdriver.Chrome, address: str, of: dict[str, Any], count: int
) -> list[float]:
    """Seconds from each keystroke to its bounds."""
    driver.get("about:blank")
    driver.get(f"{address}#{quote(json.dumps({'table': of}))}")
    while driver.execute_script("return document.documentElement.dataset.state") != "ready":
        time.sleep(0.05)
    time.sleep(2)  # the policies have come, too
    first = float(of["means"][0])
    texts = [f"{first + (n + 1) * 1e-5:.5f}" for n in range(count)]
    return [driver.execute_async_script(TYPED, text) / 1000 for text in texts]


def clients(address: str) -> list[float]:
    """Each types its own instances, one after the other, all at once."""

    def types(number: int) -> list[float]:
        seconds = []
        with httpx.Client(base_url=address, timeout=60) as client:
            for n in range(EACH):
                means, capacities, plays = PAPER
                own = table([f"0.9{number:02}{n}", *means[1:]], capacities, plays)
                begun = time.monotonic()
                asked = {"table": own, "question": {"horizon": "1e6", "delta": "0.05"}}
                client.post("/api/answer", json=asked).raise_for_status()
                seconds.append(time.monotonic() - begun)
        return seconds

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [x for each in pool.map(types, range(CLIENTS)) for x in each]


def megabytes(pid: int) -> float:
    """Of a process and its children, pages they share counted for each."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    status = [Path(f"/proc/{p}/status").read_text() for p in (str(pid), *children)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) for text in status) / 1024  # type: ignore[index]


def main() -> int:
    with serving() as (pid, address):
        with browsing() as driver:
            small = keystrokes(driver, address, table(*PAPER), KEYSTROKES)
            many = keystrokes(driver, address, large(), 5)
        at_once = clients(address)
        time.sleep(1)
        kept = megabytes(pid)
    lines = [
        ("9 arms, median of 100 keystrokes", statistics.median(small), MEDIAN, "s"),
        ("9 arms, worst of 100 keystrokes", max(small), WORST, "s"),
        (f"{LARGE_ARMS} arms, worst of 5 keystrokes", max(many), LARGE_SECONDS, "s"),
        (f"{CLIENTS} clients at once, worst", max(at_once), CLIENT_SECONDS, "s"),
        ("memory at rest", kept, MEGABYTES, "MB"),
    ]
    shown = Table("what", "found", "at most")
    for what, found, most, unit in lines:
        shown.add_row(what, f"{found:.3g} {unit}", f"{most:g} {unit}")
    Console().print(shown)
    return int(any(found > most for _, found, most, _ in lines))


if __name__ == "__main__":
    sys.exit(main())
