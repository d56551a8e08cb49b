"""Pages in a real browser, without a window."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
DRIVER = shutil.which("chromedriver")
NO_BROWSER = "no browser to open the page in: apt-get install chromium chromium-driver gets one"
WIDTHS = (400, 800, 1400)
CHROMIUM_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


def opened(path: Path, profile: Path) -> str:
    """The document as it is once the browser has loaded it and run what it would run."""
    done = subprocess.run(
        [
            str(CHROMIUM),
            *CHROMIUM_OPTIONS,
            f"--user-data-dir={profile}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@contextmanager
def browsing(folder: Path, **settings: Any) -> Iterator[webdriver.Chrome]:
    """A browser that keeps its profile, and what it downloads, in the folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for option in (*CHROMIUM_OPTIONS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    for name, value in settings.items():
        options.set_capability(f"goog:{name}", value)
    driver = webdriver.Chrome(options, Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def resize(driver: webdriver.Chrome, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


# A box is too small if its content is cut off or hangs out of it. Tables, code and fields may
# scroll inside themselves; the page may not, nor what holds headings, nor a formula. What is
# hidden, or for screen readers alone (one pixel, clipped, left of the page), takes no room.
STICKING_OUT = """
const width = document.documentElement.clientWidth;
const scrolls = (x) => x.localName === "input"
  || (["auto", "scroll"].includes(getComputedStyle(x).overflowX)
    && !x.querySelector("h1, h2, h3"));
const formula = (x) => x.matches(".formula, .math.block");
const inside = (x) => x !== document.body && x !== document.documentElement
  && ((scrolls(x) && !formula(x)) || (x.parentElement !== null && inside(x.parentElement)));
const clipped = (x) => getComputedStyle(x).clipPath !== "none"
  || (x.parentElement !== null && clipped(x.parentElement));
const told = [];
const tell = (x, why) => told.push(
  `${why}: <${x.localName} class="${x.getAttribute("class") ?? ""}"> `
  + x.textContent.trim().slice(0, 60));
const all = document.documentElement;
if (all.scrollWidth > width) tell(all, "the page scrolls");
for (const x of document.body.querySelectorAll("*")) {
  const box = x.getBoundingClientRect();
  if (box.width <= 1 || box.height <= 1 || !x.checkVisibility({visibilityProperty: true})) continue;
  if (clipped(x)) continue;
  if (x.closest("svg, math") !== null && !x.matches("svg, math")) continue;
  const beyond = box.right > width + 1 || (box.left < -1 && box.right > 0);
  if (beyond && !inside(x)) tell(x, "beyond the page");
  const own = x.clientWidth > 0 && x.scrollWidth > x.clientWidth + 1;
  if (own && (!scrolls(x) || formula(x)) && !inside(x)) tell(x, "wider than its box");
}
return told;
"""


def sticking_out(driver: webdriver.Chrome, addresses: Iterable[str]) -> list[str]:
    """What is wider than its box, at three widths of the window, on each of the pages."""
    found = []
    for address in addresses:
        if driver.current_url != address:
            driver.get(address)
        for width in WIDTHS:
            resize(driver, width)
            seen = driver.execute_script(STICKING_OUT)
            found += [f"{address.partition('#')[0]} at {width}: {what}" for what in seen]
    return found
