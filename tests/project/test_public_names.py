"""The names the package offers, frozen: at run time, for mypy, and after everything is imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import boundcheck

PUBLIC = [
    "Bernoulli", "Beta", "Bound", "Claim", "Empirical", "Falsification", "Gaussian",
    "InputError", "Instance", "Number", "Policy", "Question", "Results", "Sweep", "Theory", "Trial",
    "Verification", "agent", "audit", "bounds", "catalogue", "check", "estimate", "falsify",
    "figures", "find", "headline", "ledger", "load_agent", "policies", "proofs", "replicate",
    "report", "simulate", "sweep", "try_bound", "verify",
]  # fmt: skip


def test_the_public_names_are_these():
    assert boundcheck.__all__ == PUBLIC
    assert dir(boundcheck) == PUBLIC


def test_no_module_hides_a_public_name():
    assert not {module.name for module in iter_modules(boundcheck.__path__)} & set(PUBLIC)
    for name in PUBLIC:
        getattr(boundcheck, name)
    import_module("boundcheck.calculator")
    paper = boundcheck.Instance.load("paper")
    for _ in range(2):  # the second call once met the module in place of the function
        assert boundcheck.bounds(paper, claims=["cor-7.2"])[0].applies


def test_types_and_run_time_agree_on_every_name():
    """What mypy reads is what is loaded on first use."""
    tree = ast.parse(Path(boundcheck.__file__).read_text())
    typed = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == boundcheck._PUBLIC


def test_a_name_that_is_none_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'boundz'"):
        _ = boundcheck.boundz


def test_importing_the_package_costs_nothing():
    code = (
        "import sys, boundcheck\n"
        "assert not {'sympy', 'numpy', 'flint', 'simulation'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_mypy_sees_the_names_and_no_others(tmp_path):
    """Types as someone outside meets them."""
    script = tmp_path / "script.py"
    script.write_text(
        "import boundcheck\n"
        "paper = boundcheck.Instance.load('paper')\n"
        "found = boundcheck.bounds(paper)\n"
        "reveal_type(found)\n"
        "reveal_type(found[0].value)\n"
        "reveal_type(boundcheck.report)\n"
        "boundcheck.boundz(paper)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", script],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout
    results = "boundcheck.calculator.results.Results"
    assert f'Revealed type is "{results}[boundcheck.calculator.bounds.Bound]"' in told
    assert 'Revealed type is "boundcheck.calculator.results.Number | None"' in told, told
    assert "-> pathlib.Path" in told, told
    assert 'error: Module has no attribute "boundz"' in told, told
    assert told.count("error:") == 1, told
