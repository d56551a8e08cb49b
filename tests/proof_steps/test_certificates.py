"""Steps as files of Coq: what they state, that true ones compile and false ones do not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import certify
import pytest
import sympy
from paper import card_text, decided, steps
from sympy import exp, log, oo

from boundcheck import bounds, find, ledger
from boundcheck.claims import functions as fn
from boundcheck.cli import main
from boundcheck.judging import record as record_module
from boundcheck.judging.finding import Verdict
from boundcheck.judging.record import Recorded
from boundcheck.pages import audit
from boundcheck.proof_steps import coq
from boundcheck.proof_steps.coq import Certificate, exported
from boundcheck.proof_steps.coq_terms import NotExported, name, statement, term
from boundcheck.proof_steps.ledger import Entry
from boundcheck.proof_steps.parts import at_most, equal
from boundcheck.proof_steps.relations import Goal
from boundcheck.proof_steps.step import Part, Parts, Proof, Trust
from simulation.world.instance import Instance

x, y = sympy.symbols("x y", positive=True)
QUARTER = sympy.Rational(1, 4)


# -- statements ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x / y, "(x / y)"),
        (-x, "(- x)"),
        (sympy.Rational(-1, 2) * x**2, "((-1 / 2) * (x ^ 2))"),
        (1 / x**2, "(/ (x ^ 2))"),
        (exp(-x) * log(y), "((exp (- x)) * (ln y))"),
        (sympy.sqrt(x) ** 3, "((sqrt x) ^ 3)"),
        (sympy.Max(1, x), "(Rmax 1 x)"),
        (fn.kl_gaussian(x, y), "(kl_gaussian x y sigma2)"),
        (sympy.pi * x, "(PI * x)"),
    ],
)
def test_an_expression_as_a_term_of_coq(expression: sympy.Expr, text: str) -> None:
    assert term(expression) == text


def test_names_that_coq_reserves_or_cannot_read_are_changed() -> None:
    assert [name(sympy.Symbol(s)) for s in ("R", "f(a*)", "mu_{L-1}", "in")] == [
        "R_", "f_a", "mu_L_1", "in_",
    ]  # fmt: skip


def test_a_power_of_a_symbol_has_no_term() -> None:
    with pytest.raises(NotExported, match="exponent"):
        term(x**y)


def test_a_range_is_a_hypothesis_and_so_is_being_defined() -> None:
    goal = Goal(4 / x + log(1 - y), "<=", 4 / x, {x: (0, oo), y: (0, "0.5")})
    assert statement(goal).split(" ->\n  ") == [
        "forall x y : R,\n  0 <= x",
        "0 <= y <= (1 / 2)",
        "x <> 0",
        "0 < (1 + (- y))",
        "((ln (1 + (- y))) + (4 / x)) <= (4 / x)",
    ]


def test_hypotheses_that_exclude_each_other_are_not_exported() -> None:
    """Anything would follow from them."""
    goal = Goal(log(x - 5) + log(5 - x), "=", x, {x: (1, 9)})
    with pytest.raises(NotExported, match="none of the points"):
        coq.file("", [goal])


def test_a_digest_is_of_what_is_stated() -> None:
    stated = Goal(x * (1 - x), "<=", QUARTER, {x: (0, 1)})
    assert coq.digest([stated]) == coq.digest([Goal(x * (1 - x), "<=", QUARTER, {x: (0, 1)})])
    for other in (
        Goal(x * (1 - x), "<", QUARTER, {x: (0, 1)}),
        Goal(x * (1 - x), "<=", QUARTER, {x: (0, 2)}),
        Goal(x * (2 - x), "<=", QUARTER, {x: (0, 1)}),
    ):
        assert coq.digest([other]) != coq.digest([stated])


# -- trust -----------------------------------------------------------------------------------


def entry(*parts: Part) -> Entry:
    proof = Proof("lem-5.1")

    @proof.step("a", "here")
    def something() -> Parts:
        """Something."""
        yield from parts

    return decided(next(iter(proof)))


def test_a_step_is_certified_as_long_as_its_formulas_are_those(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part = at_most(x * (1 - x), QUARTER).on({x: (0, 1)})
    record = {"5.1-a": {"by": "proof assistant", "digest": coq.digest(part.formulas)}}
    monkeypatch.setattr(record_module, "certificates", lambda package: record)
    assert entry(part).trust is Trust.PROOF_ASSISTANT
    assert entry(at_most(x * (1 - x), QUARTER).on({x: (0, 2)})).trust is Trust.SYMBOLIC


@pytest.mark.parametrize(
    ("more", "trust"),
    [
        (equal(x * (x + 1), x**2 + x).on({x: (1, 9)}), Trust.PROOF_ASSISTANT),
        (equal(x, x).on({x: (1, 9)}), Trust.SYMBOLIC),  # whoever built both sides did the work
        (Part("exhaustive", Verdict.HOLDS, "all"), Trust.ENUMERATION),
    ],
)
def test_a_step_is_certified_only_if_formulas_say_all_of_it(
    monkeypatch: pytest.MonkeyPatch, more: Part, trust: Trust
) -> None:
    part = at_most(x * (1 - x), QUARTER).on({x: (0, 1)})
    stated = coq.digest((*part.formulas, *more.formulas))
    record = {"5.1-a": {"by": "proof assistant", "digest": stated}}
    monkeypatch.setattr(record_module, "certificates", lambda package: record)
    assert entry(part, more).trust is trust


def test_a_bound_and_a_card_say_on_what_the_proof_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Recorded(Verdict.HOLDS, None, "holds", trust={"proof assistant": 2, "sample": 1})
    monkeypatch.setattr(record_module, "recorded", lambda package: {"thm-7.1": told})
    (bound,) = bounds(Instance.load("paper"), claims=["thm-7.1"])
    assert bound.to_json()["trust"] == {"proof assistant": 2, "sample": 1}
    assert "proof rests on: proof assistant (2), sample (1)" in card_text(find("thm-7.1"))


def test_the_audit_counts_what_steps_rest_on() -> None:
    proved = SimpleNamespace(steps=[entry(equal(x, x).on({x: (1, 9)}))])
    told = audit._steps(SimpleNamespace(standings=[proved]), True)  # type: ignore[arg-type]
    assert "By what: 1 by symbolic identity ([certificates]" in told
    alone = audit._steps(SimpleNamespace(standings=[proved]), False)  # type: ignore[arg-type]
    assert alone.endswith("By what: 1 by symbolic identity")
    nothing = SimpleNamespace(standings=[])
    assert "By what" not in audit._steps(nothing, True)  # type: ignore[arg-type]


# -- files -----------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["proofs", *arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_the_command_writes_files_and_says_which_steps_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("lem-5.1", "--export", "coq", "-o", str(tmp_path)) == 0
    told = capsys.readouterr().out
    written = sorted(path.name for path in tmp_path.glob("*.v"))
    assert "step_5_1_k.v" in written
    assert f"{len(written)} files" in told
    assert "5.1-b: not exported: it is refuted" in told
    assert "goal_1" in (tmp_path / "step_5_1_k.v").read_text()


@pytest.mark.parametrize("options", [["--export", "coq"], ["-o", "there"]])
def test_a_kind_and_a_folder_go_together(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("lem-5.1", *options) == 2
    assert "one without the other" in capsys.readouterr().err


def test_another_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lem-5.2", "--export", "lean", "-o", str(tmp_path)) == 2
    assert "lean" in capsys.readouterr().err


def test_an_argument_by_a_limit_is_left_with_its_reason() -> None:
    _, left = exported(ledger("thm-5.3a"))
    assert left["5.3-h"] == "an argument by the limit at infinity"


def test_without_coq_nothing_is_certified_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    record = tmp_path / "record.json"
    assert certify.certify(tmp_path, record) == 0
    assert capsys.readouterr().out == (
        "nothing was certified: there is no coqc here "
        "(apt install coq libcoq-interval libcoq-coquelicot)\n"
    )
    assert not record.exists()


needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="Coq is not installed: `make certify` says how"
)


@needs_coq
def test_true_steps_compile_and_spoilt_ones_do_not(tmp_path: Path) -> None:
    """A sign by coefficients, and an equation with logarithms and a sign by a derivative."""
    chosen = ("5.3-g", "sharp-4.3-2h")
    one = [s for s in steps() if s.step in chosen]
    good, left = exported(decided(s) for s in one)
    assert not left
    assert all(certify.compiled(certificate, tmp_path).good for certificate in good)
    bad = [certify.compiled(certificate, tmp_path) for certificate in certify.spoilt(one)]
    assert [result.good for result in bad] == [False] * 2
    assert not any("yntax" in result.error or "environment" in result.error for result in bad)


@needs_coq
def test_a_run_writes_the_page_and_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [e for e in ledger("lem-J.1") if e.step.step in ("J.1-b", "J.1-c", "J.1-f")]
    monkeypatch.setattr(certify, "ledger", lambda **theory: entries)
    monkeypatch.setattr(
        certify, "compiled", lambda c, folder: certify.Compiled("spoilt" not in c.step, 1)
    )
    assert certify.certify(tmp_path / "page", tmp_path / "record.json") == 0
    text = " ".join((tmp_path / "page" / "README.md").read_text().split())
    assert "| J.1-b | `step_J_1_b.v` | compiles | 1 |" in text
    assert "| J.1-c | it is refuted |" in text
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["J.1-b"]["by"] == "proof assistant"
    monkeypatch.setattr(certify, "compiled", lambda c, folder: certify.Compiled(True, 1))
    assert certify.certify(tmp_path / "page", tmp_path / "record.json") == 1


@pytest.mark.parametrize("certificate", [Certificate("5.1-a", (), "", True)])
def test_a_file_has_the_name_of_a_module(certificate: Certificate) -> None:
    assert certificate.file == "step_5_1_a.v"


def test_a_certificate_does_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from boundcheck.proof_steps.ledger import Entry, steps\n"
        "from boundcheck.proof_steps.coq import exported\n"
        "from boundcheck.theories.shareable_arms import THEORY\n"
        "names = ('sharp-7.1-f2', 'sharp-7.1-s3')\n"
        "found = (s for s in steps('sharp-7.1', THEORY) if s.step in names)\n"
        "wanted = [Entry.of(s, THEORY) for s in found]\n"
        "print(*(one.text for one in exported(wanted)[0]))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in "012"
    }
    assert len(texts) == 1
    assert "sharp-7.1-f2" in texts.pop()
