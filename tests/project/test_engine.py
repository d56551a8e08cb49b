"""The engine knows no theory: it runs without the paper, and its rooms import downwards."""

from __future__ import annotations

import ast
import re
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import imports
import pytest
from small_theory import THEORY as SMALL

from boundcheck.theories import PACKAGES
from boundcheck.theories.shareable_arms import THEORY
from simulation.policies import CLASSIC, WHERE
from simulation.world.instance import Instance

ROOT = Path(imports.__file__).parents[1]
PACKAGE = ROOT / "boundcheck"
MODULES = imports.graph()

# -- rooms and arrows ----------------------------------------------------------------------------

# what a room may import from, and through it (rooms of `simulation` are below all of these)
MAY_IMPORT = {
    "claims": set(),
    "search": set(),
    "theories": set(),
    "calculator": {"claims"},
    "evidence": {"calculator"},
    "judging": {"evidence", "search"},
    "theory": {"judging"},
    "proof_steps": {"judging"},
    "selftest": {"proof_steps"},
    "language": {"theory"},
    "trying": {"language", "pages"},
    "plugins": {"language"},
    "pages": {"proof_steps"},
    "terminal": {"pages", "plugins", "selftest", "theories", "trying"},
    "web": {"terminal"},
    "cli": {"web"},
    "api": {"terminal"},
    "__main__": {"cli"},
}


def allowed(name: str) -> set[str]:
    below = MAY_IMPORT[name]
    return below.union(*map(allowed, below))


def test_no_module_reaches_itself() -> None:
    assert imports.cycles(MODULES) == []
    assert imports.cycles({"a": {"b"}, "b": {"a"}, "c": {"a"}}) == [{"a", "b"}]


def test_imports_are_absolute() -> None:
    """The graph does not see others."""
    for module, (_, tree) in imports.trees(ROOT).items():
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
        assert not any(node.level for node in nodes), module


def test_rooms_import_from_rooms_below_them() -> None:
    for room, others in imports.arrows(MODULES).items():
        package, _, name = room.partition(".")
        if package != "boundcheck" or not name or name.startswith("theories."):
            continue
        above = {
            other
            for other in others
            if other.startswith("boundcheck.")
            and other.removeprefix("boundcheck.") not in allowed(name)
        }
        assert not above, f"{room} imports from {above}: move what they share below both"
    assert imports.cycles(imports.arrows(MODULES)) == []


def test_the_simulator_imports_nothing_of_boundcheck() -> None:
    for module, imported in MODULES.items():
        if module.startswith("simulation"):
            assert not {x for x in imported if x.startswith("boundcheck")}, module


def test_only_the_front_doors_import_theories() -> None:
    doors = ("boundcheck", "boundcheck.api", "boundcheck.terminal", "boundcheck.web")
    for module, imported in MODULES.items():
        within = module.startswith("boundcheck.theories")
        if not within and any(x.startswith("boundcheck.theories") for x in imported):
            assert imports.room(module) in doors, module
            assert not any(x.startswith("boundcheck.theories.") for x in imported), module


def test_the_drawing_is_that_of_the_imports() -> None:
    page = imports.PAGE.read_text()
    assert imports.redrawn(page) == page, "docs/architecture.md: run python tools/imports.py"


# -- words of the paper --------------------------------------------------------------------------

THEORY_MODULES = (
    "theories/shareable_arms/",
    "theories/classic/",
    "theories/__init__.py",
    "pages/palette.py",
)  # hues
ENGINE = [
    path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.jinja")])
    if not path.relative_to(PACKAGE).as_posix().startswith(THEORY_MODULES)
]
SYMBOLS = ("L", "mbar", "mbar_L", "m_L", "mu_L", "gamma", "xi", "s.d", "question.threshold")
# words of the language, unless quoted
ORDINARY = {*(name for name in WHERE if "-" not in name), *CLASSIC} - {"etc"}


def named(text: str) -> list[str]:
    """What only the paper's theory may know; examples for people must name something."""
    examples = r"^\s*>>>(?:.*\n)+?(?=\s*(?:\n|\"\"\"))"
    code = re.sub(rf"{examples}|^\s*Example:.*$|such as [\w.-]+", "", text, flags=re.M)
    words = "|".join(map(re.escape, sorted({*THEORY.cards, *WHERE, *SYMBOLS} - ORDINARY)))
    quoted = "|".join(map(re.escape, ORDINARY))
    return re.findall(rf"(?<![\w-])(?:{words})(?![\w-])|['\"`](?:{quoted})['\"`]", code)


def test_the_engine_names_no_claim_no_policy_and_no_symbol_of_the_paper() -> None:
    found = {str(path.relative_to(PACKAGE)): named(path.read_text("utf-8")) for path in ENGINE}
    assert {file: names for file, names in found.items() if names} == {}


def test_what_is_looked_for_is_found() -> None:
    sample = "sizes = of('thm-5.3a') + s.L * mbar  # see orch-explore, `likelihood`"
    assert named(sample) == ["thm-5.3a", "L", "mbar", "orch-explore", "`likelihood`"]
    assert named("of = s.d, given['xi'], question.threshold") == ["s.d", "xi", "question.threshold"]
    assert named("gamma: Fraction = parameter(*ABOVE_0, s.delta)") == ["gamma"]
    example = ">>> bounds(paper, claims=['cor-7.2'])\nthm-4.3\n\n"
    assert named(f"{example}the likelihood ratio of GL(2)") == []
    assert named(f"{example}of thm-4.3") == ["thm-4.3"]
    assert named("  Example: falsify thm-4.3\nOne card, such as thm-7.1.") == []
    names = {path.relative_to(PACKAGE).as_posix() for path in ENGINE}
    assert {"theory.py", "judging/decide.py", "calculator/values.py"} <= names


# -- without the paper ---------------------------------------------------------------------------

JOURNEY = """
import importlib.util
from pathlib import Path

assert importlib.util.find_spec("boundcheck.theories.shareable_arms") is None
from boundcheck import Instance, audit, bounds, check, falsify, proofs, report, sweep, verify
from boundcheck.selftest.run import selftest
from small_theory import THEORY

arms = Instance(["0.9", "0.5"], [1, 1], 1, name="small")
Path("small.toml").write_text(arms.to_toml())
print([row.claim for row in bounds(arms, horizon=1000, theory=THEORY)])
check(arms, theory=THEORY)
sweep(arms, horizon=[100, 1000], theory=THEORY)
found = verify(arms, "quick", horizon=1000, theory=THEORY)
print({f.claim: str(f.verdict) for f in found.findings})
print([row.found for row in falsify("half", examples=20, theory=THEORY)])
print([(e.step.step, str(e.verdict), e.to_json()["ours"]) for e in proofs(theory=THEORY)])
print(sorted({o.kind for o in selftest(THEORY, claims=["thm-4.3"])}))
print(report(arms, "report", "quick", theory=THEORY).name)
print(audit("audit", "quick", theory=THEORY).name)
"""


def test_a_small_theory_goes_through_everything_without_the_paper(tmp_path: Path) -> None:
    for package in ("boundcheck", "simulation"):
        leave = shutil.ignore_patterns("__pycache__", "docs")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=leave)
    for name in PACKAGES.values():
        shutil.rmtree(tmp_path / "boundcheck" / "theories" / name)
    shutil.copy(ROOT / "tests" / "small_theory.py", tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", JOURNEY],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    numbers, verdicts, search, steps, kinds, *written = done.stdout.splitlines()
    assert numbers == "['thm-4.3', 'half']"
    assert verdicts == "{'thm-4.3': 'supported', 'half': 'refuted', 'hoeffding': 'holds'}"
    assert search == "[True]"
    assert steps == "[('4.3-a', 'holds', True), ('4.3-b', 'holds', True)]"
    assert "card" in kinds
    assert written == ["report.md", "audit.md"]


def test_a_claim_with_an_id_of_the_paper_shows_nothing_of_the_paper() -> None:
    from boundcheck import bounds, proofs
    from boundcheck.claims.card_text import card_json, card_text

    arms = Instance(["0.9", "0.5"], [1, 1], 1)
    (bound, _) = bounds(arms, theory=SMALL)
    assert bound.claim == "thm-4.3"
    assert not bound.refuted
    assert bound.trust == {}
    assert set(bound.slacks) == {None}
    assert "not audited" in card_text(SMALL.find("thm-4.3"), SMALL)
    assert card_json(SMALL.find("thm-4.3"), SMALL)["verdict"] is None
    assert [str(entry.trust) for entry in proofs("thm-4.3", theory=SMALL)]
    assert all(entry.trust != "proof assistant" for entry in proofs(theory=SMALL))


# -- one of each ---------------------------------------------------------------------------------


def definitions() -> dict[str, set[str]]:
    """The public functions and classes at the top of modules: name -> modules."""
    found = defaultdict(set)
    for module, (_, tree) in imports.trees(ROOT).items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(module)
    return found


# names at the top of more than one module, by the reason: any other name says which thing it is
REPEATED = {
    "what the simulator finds by name in the file of a policy": (
        "State arguments begin decide learn report stands"
    ),
    "what `boundcheck` offers, beside what computes it": (
        "bounds check find headline policies sweep try_bound verify"
    ),
    "what a command runs, beside what it calls": "estimate falsify proofs selftest simulate",
    "what the page asks for, found by name in its module": "read regret start",
    "what `selftest` finds by name in the cases of a theory": (
        "consequences instances reference stated"
    ),
    "a field of every theory": "derive Question",
    "a formula in symbols, its kernel, and its form in a proof": "below kl phi psi rho",
    "where a program starts": "main",
    "words of two rooms that never meet": "Entry constant span",
}


def test_few_names_mean_several_things() -> None:
    repeated = {name: where for name, where in definitions().items() if len(where) > 1}
    listed = {name for names in REPEATED.values() for name in names.split()}
    found = {name: where for name, where in repeated.items() if name not in listed}
    assert not found, "make them private, or say in the name what they are"
    assert listed == repeated.keys(), "take those that are no longer repeated off the list"
    assert len(listed) <= 60


@pytest.mark.parametrize(
    ("what", "where"),
    [
        (r"def human\(|def power_of_ten\(|def number\(value: float", ["simulation/formatting.py"]),
        (r"class Verdict\(", ["boundcheck/judging/finding.py"]),
        (r"class Severity\(", ["boundcheck/judging/finding.py"]),
        (r"def severity_of\(", ["boundcheck/judging/severity.py"]),
        (r"^class Table\b|rich\.table|^\| ?-{3}", ["simulation/tables.py"]),
    ],
)
def test_there_is_one_of_each(what: str, where: list[str]) -> None:
    paths = [
        path
        for package in ("boundcheck", "simulation")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".jinja")
    ]
    found = [
        p.relative_to(ROOT).as_posix()
        for p in sorted(paths)
        if re.search(what, p.read_text(), re.MULTILINE)
    ]
    assert found == where


def test_modules_can_be_read_in_a_sitting() -> None:
    long = {
        m: n
        for m, (path, _) in imports.trees(ROOT).items()
        if (n := len(path.read_text().splitlines())) > 350
    }
    assert long.keys() <= LONG, long


LONG: set[str] = set()  # none at the moment


def test_functions_are_short() -> None:
    """Lines of their bodies, without docstrings: half have at most 4, nine of ten at most 16."""
    lengths = {
        f"{module}.{node.name}": node.body[-1].end_lineno - body[0].lineno + 1
        for module, (_, tree) in imports.trees(ROOT).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        if (body := node.body[ast.get_docstring(node) is not None :])
    }
    assert statistics.median(lengths.values()) <= 4
    assert statistics.quantiles(lengths.values(), n=10)[-1] <= 16
    assert not {name: lines for name, lines in lengths.items() if lines > 50}


def test_every_shipped_theory_is_a_folder() -> None:
    assert all(
        (PACKAGE / "theories" / name / "__init__.py").is_file() for name in PACKAGES.values()
    )
