"""Site and written pages in a browser: nothing sticks out, and search works from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, DRIVER, NO_BROWSER, browsing, resize, sticking_out
from events import until
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from boundcheck import catalogue
from boundcheck.pages.html import page

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=NO_BROWSER),
]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with browsing(tmp_path_factory.mktemp("browser"), loggingPrefs={"browser": "ALL"}) as found:
        yield found


def test_nothing_of_the_site_sticks_out(driver: webdriver.Chrome, site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    shown = [path for path in pages if "_static" not in path.parts]
    assert len(shown) > 60
    assert sticking_out(driver, [path.as_uri() for path in shown]) == []


def test_nothing_of_reports_and_audit_sticks_out(driver: webdriver.Chrome, tmp_path: Path) -> None:
    """As HTML: the pages that `report` and `audit` write with `--format html`."""
    titles = {name: card.title for name, card in catalogue().items()}
    pages = []
    for source in sorted((ROOT / "reports").rglob("*.md")):
        folder = source.parent
        figures = {path.relative_to(folder).as_posix() for path in folder.rglob("*.svg")}
        written = tmp_path / f"{len(pages)}-{source.stem}.html"
        written.write_text(page(source.read_text("utf-8"), folder, figures, titles), "utf-8")
        pages.append(written.as_uri())
    assert len(pages) > 40
    assert sticking_out(driver, pages) == []


def test_what_is_too_wide_is_found(driver: webdriver.Chrome, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<body style="margin: 0"><div style="width: 500px">wide</div>'
        '<div style="width: 100px; overflow: hidden"><p style="width: 200px">cut</p></div>'
        '<div style="width: 100px; overflow: auto"><p style="width: 200px">scrolls</p></div>'
        '<div class="formula" style="width: 100px; overflow: auto">'
        '<p style="width: 200px">sum</p></div>'
        '<div style="width: 100px; overflow: auto"><h2 style="width: 200px">top</h2></div>'
    )
    found = sticking_out(driver, [page.as_uri()])
    told = [line.partition(" at ")[2].partition(" <")[0] for line in found]
    inner = "wider than its box:"
    assert told == [
        *("400: the page scrolls:", "400: beyond the page:", *[f"400: {inner}"] * 3),
        *(f"{width}: {inner}" for width in (800, 800, 800, 1400, 1400, 1400)),
    ]
    assert [line[-3:] for line in found if inner in line] == ["cut", "sum", "top"] * 3


def test_search_finds_pages_without_a_server(driver: webdriver.Chrome, site: Path) -> None:
    resize(driver, 1400)
    driver.get_log("browser")
    driver.get((site / "index.html").as_uri())
    driver.find_element(By.CSS_SELECTOR, "button.search-button__button").click()
    field = driver.find_element(By.CSS_SELECTOR, "dialog[open] input[type=search]")
    field.send_keys("OrchExplore", Keys.ENTER)
    until(lambda: "finished" in driver.find_element(By.CSS_SELECTOR, "#search-results p").text)
    results = driver.find_elements(By.CSS_SELECTOR, "#search-results li a")
    addresses = {str(link.get_attribute("href")).partition("?")[0] for link in results}
    assert (site / "docs" / "theorems" / "orch-explore.html").as_uri() in addresses
    assert [line for line in driver.get_log("browser") if line["level"] != "INFO"] == []
