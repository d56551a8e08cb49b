"""From measurements as people have them to an agent that survives kills: docs/agents.md."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

from events import kill_after

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
# what a person would measure, a function of slot and station alone; each decision is logged
MEASURED = """
import json
from simulation.world.draws import stream
def earned(slot, station, plays):
    return 300.0 * plays * float(stream(7, 100 * slot + int(station.split()[-1])).random())
def logged(slot, loads):
    with open("log", "a") as log:
        log.write(json.dumps([slot, loads]) + "\\n")
"""


def commands() -> list[str]:
    """The shell lines of the page."""
    (shell,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.S)
    return shell.splitlines()


def script() -> str:
    """The Python of the page."""
    (code,) = re.findall(r"```python\n(# deploy\.py\n.*?)```", PAGE, flags=re.S)
    return code


def deployed(slots: int, journal: str) -> str:
    """The same with measurements and a log, for so many slots."""
    code = script().replace("slot <= 1000", f"slot <= {slots}").replace('"deployment"', journal)
    code = code.replace("90.0 * plays for", "earned(agent.slot, station, plays) for")
    code = code.replace("    agent.tell(", "    logged(agent.slot, loads)\n    agent.tell(")
    assert code.count("earned") == code.count("logged") == 1
    return MEASURED + code


def lines_of(log: Path) -> list[tuple[int, dict[str, int]]]:
    """What was decided, slot by slot."""
    text = log.read_text() if log.exists() else ""
    return [tuple(json.loads(line)) for line in text.splitlines(keepends=True) if line[-1:] == "\n"]


def test_from_a_file_to_an_agent_that_goes_on_after_twenty_kills(tmp_path: Path) -> None:
    lines = commands()
    assert len(lines) == 4
    assert len([line for line in script().splitlines() if line and line[0] != "#"]) <= 10
    init, check, _, deploy = lines  # reports of measurements have tests of their own
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    known = os.environ | {"PYTHONPATH": str(ROOT)}
    for line in (init, check):
        typed = [sys.executable, "-m", "boundcheck", *line.split()[1:]]
        done = subprocess.run(
            typed, cwd=tmp_path, env=known, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert deploy == "python deploy.py"

    log = tmp_path / "log"
    (tmp_path / "deploy.py").write_text(deployed(10**9, '"deployment"'))
    chance = random.Random(2)
    for _ in range(20):
        child = subprocess.Popen([sys.executable, "deploy.py"], cwd=tmp_path, env=known)
        kill_after(chance.randrange(1, 60), log, child)
    asked = lines_of(log)
    slots = [slot for slot, _ in asked]
    steps = [b - a for a, b in itertools.pairwise(slots)]
    assert set(steps) == {0, 1}
    assert steps.count(0) <= 20  # a question that was not answered is repeated

    log.unlink()
    (tmp_path / "deploy.py").write_text(deployed(slots[-1], "None"))
    subprocess.run([sys.executable, "deploy.py"], cwd=tmp_path, env=known, check=True)
    expected = dict(lines_of(log))
    assert all(loads == expected[slot] for slot, loads in asked)
