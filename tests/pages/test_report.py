"""Reports: the same bytes for the same inputs, no broken link, verdicts as in JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from browser import CHROMIUM, NO_BROWSER, opened
from small_studies import tiny_study

from boundcheck import ledger
from boundcheck.cli import main
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import DOES_NOT_APPLY, NO_BETTER
from boundcheck.judging.severity import searched, standings
from boundcheck.pages import audit, instance
from boundcheck.pages.html import page
from boundcheck.pages.study import Study
from boundcheck.pages.writing import rendered
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages import figures
from boundcheck.theories.shareable_arms.pages.charts import CHARTS
from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parents[1] / "data" / "golden-report.md"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def broken(markdown: Path) -> list[str]:
    """Links and images of a page that lead nowhere."""
    text = markdown.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    headings = {anchor(h) for h in re.findall(r"^#+ (.*)$", text, flags=re.M)}
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, fragment = target.partition("#")
        if (path and not (markdown.parent / path).exists()) or (
            not path and fragment not in headings
        ):
            lost.append(target)
    return lost


def anchor(heading: str) -> str:
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def table_rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table after a heading."""
    lines = text[text.index(heading) :].split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


# -- a report on an instance ------------------------------------------------------------------


def test_the_report_is_the_golden_one(written: Path) -> None:
    found = (written / "report.md").read_text(encoding="utf-8")
    # versions change with the dependencies, and nothing else may; a change on purpose is made
    # the golden one by running this file
    assert _without_versions(found) == _without_versions(GOLDEN.read_text(encoding="utf-8"))


def _without_versions(text: str) -> str:
    return re.sub(r"^- boundcheck .* with .*$", "- versions", text, flags=re.M)


def test_the_same_study_gives_the_same_bytes(tiny: Study, written: Path, tmp_path: Path) -> None:
    instance.write_study(tiny, tmp_path, "html")
    again = files(tmp_path)
    assert again == files(written)
    assert {"report.md", "report.html", "verdicts.json", "figures/regret.svg"} <= set(again)


def test_figures_lie_beside_the_report_with_their_data(written: Path) -> None:
    shown: list[str] = []
    for path in (written / "report.md", written / "details.md"):
        assert broken(path) == []
        shown += re.findall(r"!\[[^\]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
    assert len(set(shown)) == 7
    for name in shown:
        drawing = (written / name).read_text(encoding="utf-8")
        assert drawing.rstrip().endswith("</svg>")
        assert "<dc:date>" not in drawing
        assert len((written / name).with_suffix(".csv").read_text().splitlines()) > 2


def test_every_verdict_in_the_markdown_is_that_of_the_json(written: Path) -> None:
    text = (written / "details.md").read_text(encoding="utf-8")
    rows = json.loads((written / "verdicts.json").read_text())["rows"]
    told = [(claim, verdict.strip("*")) for claim, verdict, *_ in table_rows(text, "## All verd")]
    assert told == [(row["claim"], answer_of(row)) for row in rows]


def answer_of(row: dict[str, Any]) -> str:
    """What a table says of a row: does it apply, is it informative, is it true?"""
    if not row["applies"]:
        return DOES_NOT_APPLY
    return NO_BETTER if row["informative"] is False else str(row["verdict"])


def test_the_counts_of_the_report_are_those_of_the_verification(tiny: Study, written: Path) -> None:
    text = (written / "report.md").read_text(encoding="utf-8")
    counted = {word.strip("*"): int(n) for word, n, _ in table_rows(text, "## Verdicts")}
    assert counted == Counter(outcome.here.answer for outcome in tiny.verification.outcomes)


@pytest.mark.parametrize(
    "odd",
    [
        Instance(["0.5", "0.5", 0], [1, 1, 1], 2, Gaussian("0.5"), name="equal means"),
        Instance([0, 0, 0], [2, 1, 1], 2, name="nothing to earn"),
        Instance(["0.9", "0.6", "0.5"], [2, 2, 1], 2, Beta(4), name="beta, one optimal arm"),
    ],
    ids=lambda odd: odd.name,
)
def test_an_odd_instance_gets_its_report(odd: Instance, tmp_path: Path) -> None:
    path = instance.write_study(tiny_study(odd), tmp_path, "html")
    for each in (tmp_path / "report.md", tmp_path / "details.md"):
        assert broken(each) == []
        assert "nan" not in each.read_text(encoding="utf-8").lower().split()
    assert path.name == "report.html"


def test_a_part_that_cannot_be_made_says_so_and_the_rest_stands(
    tiny: Study,
    written: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object) -> None:
        raise OverflowError("too large | for a table")

    monkeypatch.setattr("boundcheck.pages.instance.check_row", failing)
    monkeypatch.setattr(
        "boundcheck.theories.shareable_arms.pages.paper.CHARTS", [failing, *CHARTS[1:]]
    )
    instance.write_study(tiny, tmp_path / "out")
    failed = []
    for name in ("details.md", "report.md"):
        text = (tmp_path / "out" / name).read_text()
        whole = (written / name).read_text()
        headings = re.findall("^## .*", text, re.MULTILINE)
        assert headings == re.findall("^## .*", whole, re.MULTILINE)
        parts = text.split("\n## ")
        failed += [part.splitlines()[0] for part in parts if "could not be made" in part]
    first = "1. How many explorations does it take to learn a capacity?"
    assert failed == ["Learning a capacity", "Assumptions", first]
    assert (tmp_path / "out" / "verdicts.json").is_file()
    told = capsys.readouterr().err.splitlines()
    line = "boundcheck: page: Assumptions: OverflowError: too large | for a table"
    assert len([each for each in told if each.startswith(line)]) == 1
    assert len(told) == len(failed)


def test_the_report_is_short_and_opens_with_the_answers(written: Path) -> None:
    text = (written / "report.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    places = [text.index(f"## {n}. {t.words}") for n, t in enumerate(THEORY.questions, 1)]
    assert places == sorted(places)
    assert places[-1] < text.index("## What to do")
    assert text.count("Monte-Carlo") >= 3
    widest = max(len(line) for line in text.splitlines() if line.startswith("|"))
    assert widest <= 110


def test_a_template_with_an_unknown_name_is_an_error() -> None:
    with pytest.raises(Exception, match="undefined"):
        rendered("pages/report.md.jinja")


# -- HTML -------------------------------------------------------------------------------------


def test_the_page_is_self_contained(written: Path) -> None:
    html = (written / "report.html").read_text(encoding="utf-8")
    details = (written / "details.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 4
    assert 'href="details.html"' in html
    assert details.count("<math") >= 10
    for text in (html, details):
        assert "$$" not in text
        for needs_network in ('src="', "@import", 'rel="stylesheet"', "<script"):
            assert needs_network not in text


def test_a_page_keeps_its_figures_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        drawing = '<svg xmlns="x"><clipPath id="p"/><g clip-path="url(#p)"/></svg>'
        (tmp_path / f"{name}.svg").write_text(drawing)
    text = "# Two\n\n![A](a.svg)\n\n![B](b.svg)\n\n[other](x.md)\n"
    html = page(text, tmp_path, ["a.svg", "b.svg"])
    assert 'id="a-p"' in html
    assert "url(#b-p)" in html
    assert 'href="x.html"' in html


@pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)
def test_the_page_opens_in_a_browser(written: Path, tmp_path: Path) -> None:
    dumped = opened(written / "report.html", tmp_path / "profile")
    assert "What to do with this instance" in dumped
    assert dumped.count("<svg") == 4


# -- the audit and the figures ----------------------------------------------------------------


def small_audit(*claims: str) -> audit.Audit:
    """Searches against some claims and the steps of their proofs."""
    context = THEORY.context(EFFORTS["quick"])
    found = [f for c in claims for f in searched(THEORY, c, context, SearchLimit(60, 30.0))]
    steps = [entry for claim in claims for entry in ledger(claim)]
    kept = [s for s in standings(THEORY, found, steps) if s.card.id in claims]
    return audit.Audit(tuple(kept), "quick", 0, THEORY)


def test_the_audit_is_one_short_page_and_a_page_for_each_claim(tmp_path: Path) -> None:
    found = small_audit("thm-4.3", "lem-5.1")
    path, files = audit.write_page(found, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert re.search(r"\| \*\*false\*\* +\| +1 \| false, even", text)
    assert "- **false** [thm-4.3](claims/thm-4.3.md) Regret lower bound" in text
    scope = "**false without an added assumption**"
    assert f"- {scope} [lem-5.1](claims/lem-5.1.md) Uniform confidence interval" in text
    assert scope in "".join(text.splitlines()[:10])
    assert files["thm-4.3"][0] == "counterexamples/thm-4.3-intended.toml"
    for claim in ("thm-4.3", "lem-5.1"):
        told = (tmp_path / "claims" / f"{claim}.md").read_text(encoding="utf-8")
        assert "## Counterexamples" in told
        assert "steps fail" in told
    for page_path in (path, *(tmp_path / "claims").glob("*.md")):
        assert broken(page_path) == []
    record = json.loads((tmp_path / audit.RECORD).read_text())
    told = {"verdict": "refuted", "severity": "scope", "proof": "fails"}
    assert record["lem-5.1"].items() >= told.items()


def test_a_panel_says_whether_the_statement_is_reproduced(tmp_path: Path) -> None:
    drawn = figures.write_figures(tmp_path, runs=30, horizon=400, only=["1a", "candidates"])
    text = drawn.read_text(encoding="utf-8")
    assert broken(drawn) == []
    assert re.search(r"orch-explore behind mp-se-sa in \d+ of 30 runs", text)
    outcomes = "|".join(figures.OUTCOMES.values())
    assert re.search(rf"is ({outcomes}): orch-explore behind", text)


# -- what is committed ------------------------------------------------------------------------


def test_no_committed_page_has_a_broken_link() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "reports").rglob("*.md")]
    assert len(pages) > 8
    assert {page.as_posix(): lost for page in pages if (lost := broken(page))} == {}


def test_the_committed_reports_are_small_and_agree_with_their_json() -> None:
    everything = [path for path in (ROOT / "reports").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in everything) < 5_000_000
    for evidence in (ROOT / "reports").glob("*/verdicts.json"):
        rows = json.loads(evidence.read_text())["rows"]
        text = (evidence.parent / "details.md").read_text(encoding="utf-8")
        told = [[c, v.strip("*")] for c, v, *_ in table_rows(text, "## All verdicts")]
        assert told == [[row["claim"], answer_of(row)] for row in rows]


# -- the command line -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("report", "paper", "--format", "pdf"), "--format: format: pdf: expected one of"),
        (("report", "paper", "--effort", "huge"), "--effort: effort: huge: expected one of"),
        (("report", "paper", "-o", "/proc/none"), "--output: /proc/none: "),
        (("report", "paper", "--policy", "none"), "simulate: policy: none: expected one of"),
        (("audit", "--format", "pdf"), "--format: format: pdf: expected one of"),
        (("figures", "--figure", "9z"), "figures: figure: 9z: expected one of"),
        (("figures", "--horizon", "no"), "figures: horizon: no: expected a whole"),
    ],
)
def test_bad_input_is_refused_in_one_line_before_any_work(
    arguments: tuple[str, ...],
    wrong: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("boundcheck.pages.study.verify", None)  # which is the work
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.strip().split("\n")
    assert line.startswith(wrong)
    assert list(tmp_path.iterdir()) == []


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        GOLDEN.write_bytes(instance.write_study(tiny_study(), Path(place)).read_bytes())
