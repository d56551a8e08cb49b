"""docs/theorems/README.md: its table is what the calculator says, and it calls nothing a theorem
that the ledger does not."""

from __future__ import annotations

import re
from pathlib import Path

from paper import recorded

from boundcheck import bounds, find
from boundcheck.calculator.bounds import Bound
from boundcheck.calculator.question import Question
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages.paper import SHARPER
from simulation.formatting import human
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "theorems" / "README.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->"
QUESTION = Question(horizon=10**5, delta="0.01")


def shown(bound: Bound) -> str:
    value = human(bound.value)
    return value if bound.applies else f"({value})"


def table() -> str:
    """Published and ours, of the arm for which the published number is largest."""
    lines = ["| published, ours | " + " | ".join(THEORY.audited) + " |", "|---|---|---|---|---|"]
    for published, ours, quantity in SHARPER:
        cells = []
        for name in THEORY.audited:
            found = bounds(Instance.load(name), QUESTION, [published, ours])
            theirs = [b for b in found if b.claim == published]
            best = {b.arm: b for b in found if b.claim == ours and b.quantity == quantity}
            best |= {b.arm: b for b in found if b.claim == ours and quantity is None}
            first = max(theirs, key=lambda b: -1.0 if b.value is None else float(b.value))
            cells.append(f"{shown(first)}, {shown(best[first.arm])}")
        lines.append(f"| `{published}`, `{ours}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def test_the_table_is_what_the_calculator_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition(BEGIN)
    assert rest.partition(END)[0] == table()


def is_theorem(claim: str) -> bool:
    """By the record of the audit, which is that of the ledger."""
    return claim in recorded() and str(recorded()[claim].proved).startswith("theorem")


def test_what_is_called_a_theorem_is_one_by_the_ledger() -> None:
    text = PAGE.read_text(encoding="utf-8")
    called = re.findall(r"^- \*\*(sharp-[\w.-]+)\*\*", text, flags=re.MULTILINE)
    ours = [card.id for card in THEORY.cards.values() if card.ours]
    proved = {claim for claim in ours if is_theorem(claim)}
    assert set(called) == proved
    for claim in ours:
        if claim not in proved:
            assert "theorem" not in find(claim).reading + find(claim).statement


def test_the_readme_and_the_audit_call_nothing_else_a_theorem() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    audit = (ROOT / "reports" / "audit" / "audit.md").read_text(encoding="utf-8")
    assert "(docs/theorems/README.md)" in readme
    for line in (*readme.splitlines(), *audit.splitlines()):
        if re.search(r"\btheorem\b", line):
            for claim in re.findall(r"sharp-\d\.\d[ab]?(?:-test)?", line):
                assert is_theorem(claim), line
