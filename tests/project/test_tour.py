"""The notebook runs from the first cell to the last, and shows what it says it shows."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tour.ipynb"


def run(cells: list[dict[str, Any]]) -> list[Any]:
    """What each code cell ends in, as a notebook would show it: the value of its last line."""
    space: dict[str, Any] = {}
    shown = []
    for number, cell in enumerate(cells):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"<cell {number}>", "exec"), space)
        if isinstance(last, ast.Expr):
            ending = compile(ast.Expression(last.value), f"<cell {number}>", "eval")
            shown.append(eval(ending, space))
    return shown


def test_the_tour_goes_from_an_instance_to_a_report() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    shown = run([cell for cell in cells if cell["cell_type"] == "code"])
    instance, numbers, failing, runs, verdicts, found, mine, files = shown
    assert instance.arms == 4
    assert {row[0] for row in numbers} == {"thm-5.3a", "thm-7.1", "sharp-4.3"}
    assert failing[0][0] == "horizon"
    assert [each.policy for each in runs] == ["orch-explore", "likelihood"]
    answers = {(claim, statement): answer for claim, statement, answer in verdicts}
    assert answers["lem-5.1", "intended"] == "undecided"
    assert answers["lem-5.1", "printed"] == "refuted"
    assert answers["sharp-5.3a", "intended"] == "holds"
    assert answers["thm-4.3", "intended"] == "does not apply"
    assert found[0]
    assert found[2].arms >= 2
    assert mine[0] == "supported"
    drawn = ["figures/regret.csv", "figures/regret.svg"]
    assert files == ["details.md", *drawn, "report.md", "verdicts.json"]
