"""The engine knows no paper: no id of a claim, no name of a policy, no L or mbar."""

from __future__ import annotations

import re
from pathlib import Path

from boundcheck.theories.shareable_arms import THEORY
from simulation.policies import WHERE

PACKAGE = Path(__file__).parent.parent / "boundcheck"
# where the paper's theory lives; everything else is the engine
# (and what names shipped policies: their hues)
THEORY_MODULES = ("theories/shareable_arms/", "pages/palette.py")
ENGINE = [
    path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.jinja")])
    if not path.relative_to(PACKAGE).as_posix().startswith(THEORY_MODULES)
]
SYMBOLS = ("L", "mbar", "mbar_L", "m_L", "mu_L")


def named(text: str) -> list[str]:
    """What only the paper's theory may know; examples for people must name something."""
    examples = r"^\s*>>>(?:.*\n)+?(?=\s*(?:\n|\"\"\"))"
    code = re.sub(rf"{examples}|^\s*Example:.*$|such as [\w.-]+", "", text, flags=re.M)
    words = "|".join(map(re.escape, sorted({*THEORY.cards, *WHERE, *SYMBOLS} - ORDINARY)))
    quoted = "|".join(map(re.escape, ORDINARY))
    return re.findall(rf"(?<![\w-])(?:{words})(?![\w-])|['\"`](?:{quoted})['\"`]", code)


ORDINARY = {name for name in WHERE if "-" not in name}  # words of the language, unless quoted


def test_the_engine_names_no_claim_no_policy_and_no_symbol_of_the_paper() -> None:
    found = {str(path.relative_to(PACKAGE)): named(path.read_text("utf-8")) for path in ENGINE}
    assert {file: names for file, names in found.items() if names} == {}


def test_what_is_looked_for_is_found() -> None:
    sample = "sizes = of('thm-5.3a') + s.L * mbar  # see orch-explore, `likelihood`"
    assert named(sample) == ["thm-5.3a", "L", "mbar", "orch-explore", "`likelihood`"]
    example = ">>> bounds(paper, claims=['cor-7.2'])\nthm-4.3\n\n"
    assert named(f"{example}the likelihood ratio of GL(2)") == []
    assert named(f"{example}of thm-4.3") == ["thm-4.3"]
    assert named("  Example: falsify thm-4.3\nOne card, such as thm-7.1.") == []
    names = {path.relative_to(PACKAGE).as_posix() for path in ENGINE}
    assert {"theory.py", "decision.py", "kinds/growth.py", "calculator/values.py"} <= names
    assert {"pages/study.py", "pages/audit.py", "cli/verdicts.py", "search/hunt.py"} <= names


def test_the_engine_reaches_the_paper_through_one_default() -> None:
    """Beside `theory.default` only the record of the audit and the paper's figures are named."""
    importing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "shareable_arms" in path.read_text("utf-8")
    }
    engine = {name for name in importing if not name.startswith("theories/shareable_arms/")}
    assert engine == {"__init__.py", "theory.py", "record.py", "cli/reports.py"}
