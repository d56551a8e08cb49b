"""The page in a real browser, from opening it to the report that is kept."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, DRIVER, NO_BROWSER, browsing, resize, sticking_out
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

import boundcheck
from simulation.world.instance import Instance

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=NO_BROWSER),
]
ROOT = Path(__file__).parents[2]
TEXTBOOK = Instance.load("textbook")


@contextmanager
def serving() -> Iterator[str]:
    command = [sys.executable, "-m", "boundcheck", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        try:
            yield address[0]
        finally:
            server.terminate()


class Page:
    """The page as someone uses it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def until(self, seen: Callable[[], Any]) -> Any:
        while not (found := seen()):
            time.sleep(0.05)
        return found

    def answered(self) -> None:
        state = "return document.documentElement.dataset.state"
        self.until(lambda: self.driver.execute_script(state) == "ready")

    def type(self, field: str, text: str) -> None:
        node = self.one(f'[data-field="{field}"]')
        node.send_keys(Keys.CONTROL, "a")
        node.send_keys(text)
        self.answered()

    def bound(self, claim: str, quantity: str) -> str:
        """All digits of the smallest value shown."""
        row = self.one(f'[data-bound="{claim}: {quantity}"]')
        exact = row.find_element(By.CSS_SELECTOR, ".value .number").get_attribute("data-exact")
        assert exact is not None
        return exact

    def press(self, job: str, words: str) -> None:
        buttons = self.one(f"#{job}").find_elements(By.TAG_NAME, "button")
        next(b for b in buttons if b.text == words).click()

    def told(self, job: str) -> str:
        return self.one(f"#{job} .told").text


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("browser")
    with serving() as address, browsing(folder, loggingPrefs={"browser": "ALL"}) as driver:
        resize(driver, 1600)
        driver.get(address)
        found = Page(driver)
        found.folder = folder  # type: ignore[attr-defined]
        found.answered()
        yield found


def regret(instance: Instance, claim: str) -> str | None:
    (found,) = boundcheck.bounds(instance, boundcheck.Question(horizon="1e6"), [claim])
    return found.text


def test_the_journey_from_an_instance_to_its_report(page: Page) -> None:
    # open: the paper's instance; then another
    assert page.bound("thm-H.1", "regret") == regret(Instance.load("paper"), "thm-H.1")
    plots = ("#regret svg .line", "#sizes svg .line")
    page.until(lambda: all(page.driver.find_elements(By.CSS_SELECTOR, plot) for plot in plots))
    Select(page.one("#shipped")).select_by_visible_text("textbook")
    page.answered()
    assert page.bound("thm-H.1", "regret") == regret(TEXTBOOK, "thm-H.1")

    # edit a mean: the bound becomes what the library gives
    page.type("means[1]", "0.95")
    edited = TEXTBOOK.with_(means=["0.95", *TEXTBOOK.means[1:]])
    assert (
        page.bound("thm-H.1", "regret") == regret(edited, "thm-H.1") != regret(TEXTBOOK, "thm-H.1")
    )

    # make it wrong: the message stands at the field, in the words of a file
    page.type("means[1]", "much")
    assert page.one("#field-error").text == (
        "instance: means[1]: much (not a finite number): "
        "expected a finite number such as 0.9 or '10/12'"
    )
    assert page.one('[data-field="means[1]"]').get_attribute("aria-invalid") == "true"
    page.type("means[1]", "0.95")
    assert not page.driver.find_elements(By.ID, "field-error")

    # simulate something long, cancel it, simulate something short
    page.until(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#policies input:checked"))
    page.type("slots", "1e6")
    page.type("runs", "1000")
    page.press("simulate", "Simulate")
    page.until(lambda: "%" in page.told("simulate"))
    page.press("simulate", "Cancel")
    page.until(lambda: page.told("simulate") == "Cancelled: nothing is kept.")
    page.type("slots", "1e4")
    page.type("runs", "5")
    page.press("simulate", "Simulate")
    page.until(lambda: page.told("simulate") == "Done.")
    assert "Regret after 10,000 slots, 5 runs." in page.one("#simulated caption").text
    assert page.driver.find_elements(By.CSS_SELECTOR, "#simulated svg .band")

    # the report, kept as a file
    page.press("report", "Make the report")
    page.until(lambda: page.told("report") == "The report is ready.")
    page.one("#reported button").click()
    file = page.folder / "report.html"  # type: ignore[attr-defined]
    page.until(file.exists)
    page.until(lambda: "</html>" in file.read_text(encoding="utf-8"))
    assert "<h1" in file.read_text(encoding="utf-8")

    # no script was stopped, nothing failed to load (a refused input is a response of 400)
    log = [x for x in page.driver.get_log("browser") if "status of 400" not in x["message"]]
    assert log == []


def test_a_link_reproduces_what_is_on_the_page_and_names_are_text(page: Page) -> None:
    name = "<img src=x onerror=document.title='ran'>"
    page.type("name", name)
    page.type("horizon", "1e12")
    page.until(lambda: "1e12" in page.driver.current_url)
    link, shown = page.driver.current_url, page.bound("thm-H.1", "regret")
    page.driver.get("about:blank")
    page.driver.get(link)
    page.answered()
    assert page.bound("thm-H.1", "regret") == shown
    page.until(lambda: name in page.one("#status").text)
    assert page.driver.title == "boundcheck: what the theory says"


def test_arms_are_added_sorted_pasted_and_removed_by_keyboard(page: Page) -> None:
    page.one("#paste summary").click()
    page.one("#pasted").send_keys("mean;capacity\n0,25;1\n0.75;2\n0.5;3")
    page.one("#use-pasted").click()
    page.type("plays", "2")
    page.one("#sort-means").click()
    page.answered()
    assert arms(page) == [("0.75", "2"), ("0.5", "3"), ("0.25", "1")]
    page.one('[data-field="capacities[3]"]').send_keys(Keys.ENTER)  # on the last arm
    page.type("means[4]", "0.1")
    page.one('[aria-label="Remove arm 1"]').send_keys(Keys.SPACE)
    page.answered()
    assert arms(page) == [("0.5", "3"), ("0.25", "1"), ("0.1", "1")]
    assert page.one("#optimum-text").text == "Play 2 on arm 1: 1 a slot."


def arms(page: Page) -> list[tuple[str, str]]:
    script = "return [...document.querySelectorAll('#arms input')].map((x) => x.value)"
    values = page.driver.execute_script(script)
    return list(zip(values[::2], values[1::2], strict=True))


def test_a_bound_is_drawn_and_plotted_as_one_types_and_decided(page: Page) -> None:
    def typed(text: str) -> None:
        page.one("#line").send_keys(Keys.CONTROL, "a")
        page.one("#line").send_keys(text)
        page.until(lambda: page.one("#line").get_attribute("data-state") == "ready")

    resize(page.driver, 400)
    typed("regret(moss) <= 0.05*sqrt(K*T) for T >= 100")
    drawn = page.one("#line-drawn").text
    assert drawn.startswith("E regret of moss up to T")
    assert "for T >= 100" in drawn
    assert page.driver.find_elements(By.CSS_SELECTOR, "#line-drawn math msqrt")
    legend = page.until(lambda: "simulated" in (x := page.one("#line-plot .legend").text) and x)
    assert "the bound" in legend
    assert "largest possible regret" in legend
    assert len(page.driver.find_elements(By.CSS_SELECTOR, "#line-plot path.line")) >= 3
    typed("regret(moss) <= sqrt(K*TT)")
    assert "column 24: unknown name TT" in page.one("#line-error").text
    typed("regret(moss) <= 0.05*sqrt(K*T)")
    assert page.one("#line-error").text == ""
    page.press("decide", "Decide it")
    page.until(lambda: page.told("decide") == "Done.")
    assert page.one("#tried .badge").text == "refuted"
    assert "it fails at means" in page.one("#tried").text
    assert sticking_out(page.driver, [page.driver.current_url]) == []
    resize(page.driver, 1600)


def test_nothing_sticks_out(page: Page) -> None:
    assert sticking_out(page.driver, [page.driver.current_url]) == []


@pytest.mark.parametrize("width", [400, 1600])
def test_everything_has_a_name(page: Page, width: int) -> None:
    resize(page.driver, width)
    unnamed = page.driver.execute_script(
        """const all = document.querySelectorAll("input, select, textarea, button, svg.plot");
        const named = (x) => x.labels?.length || x.ariaLabel || x.textContent.trim();
        return [...all].filter((x) => !named(x)).map((x) => x.outerHTML.slice(0, 100))"""
    )
    assert unnamed == []
    ids = page.driver.execute_script(
        "return [...document.querySelectorAll('[id]')].map((x) => x.id)"
    )
    assert len(ids) == len(set(ids)), json.dumps(ids)
