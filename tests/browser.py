"""Pages in a real browser, without a window."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
DRIVER = shutil.which("chromedriver")
NO_BROWSER = "no browser to open the page in: apt-get install chromium chromium-driver gets one"
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
