"""`boundcheck init`: an instance file to start from, empty-handed or with measurements."""

from __future__ import annotations

import os
from fractions import Fraction
from importlib import resources
from pathlib import Path

from simulation.escaping import one_line
from simulation.instance import Instance
from simulation.measurements import columns
from simulation.numbers import decimal, exact
from simulation.toml import toml_string


def starter() -> str:
    """A commented instance file."""
    return resources.files("boundcheck").joinpath("starter.toml").read_text(encoding="utf-8")


def from_data(data: str, output: str | None) -> str:
    """An instance file for these measurements, to be edited where it says so."""
    found = columns(Path(data), data)
    folder = Path() if output is None else Path(output).parent
    named = os.path.relpath(data, folder)
    largest = max(exact(value) for column in found.values() for value in column)
    arms = len(found)
    lines = [
        "# " + one_line(f"{arms} arms, from the columns of {named}: {', '.join(found)}", 500),
        f"name = {toml_string(Path(data).stem)}",
        "",
        "# plays in each slot, fewer than there are arms: EDIT",
        f"plays = {max(arms // 2, 1)}",
        "",
        "# how many plays each arm can serve at once: EDIT",
        f"capacities = [{', '.join(['1'] * arms)}]",
        "",
        "[reward]",
        'law = "empirical"           # rewards are drawn from the measurements',
        f"file = {toml_string(named)}",
        f"scale = {decimal(_scale(largest))}  # rewards are divided by it: from 0 to 1",
        "",
        "[knowledge]                 # what you know before the first slot: EDIT",
        "law = false                 # false: no policy is recommended that must be told the law",
        "horizon = false",
        "capacities = false",
    ]
    text = "\n".join(lines) + "\n"
    Instance.from_toml(text, output or data, folder)  # what is wrong is said now
    return text


def _scale(largest: Fraction) -> Fraction:
    """The power of ten from 1 on that no measurement exceeds."""
    scale = Fraction(1)
    while scale < largest:
        scale *= 10
    return scale
