"""Whatever an instance is called, its name is shown as text and nothing of it is obeyed."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import CHROMIUM, NO_BROWSER, opened
from rich.console import Console
from small_studies import tiny_study

from boundcheck import verify
from boundcheck.cli import main
from boundcheck.judging.verification import Verification
from boundcheck.pages import instance as report
from boundcheck.pages.html import page
from boundcheck.pages.present import about, verdicts_markdown
from boundcheck.pages.study import Study
from simulation.errors import InputError
from simulation.escaping import one_line
from simulation.running.estimation import estimate
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

RUN = "document.title+='ran'"
SCRIPT = f"<script>{RUN}</script>"
IMAGE = f"<img src=x onerror={RUN}>"
NAMES = [
    SCRIPT,
    IMAGE,
    f"</title></style>{SCRIPT}",
    f"$\\text{{{SCRIPT}}}$",
    f"$$\\text{{{IMAGE}}}$$",
    f"$\\href{{javascript:{RUN}}}{{click}}$",
    f"\\(\\href{{javascript:{RUN}}}{{click}}\\)",
    f"[click](javascript:{RUN})",
    f"<a href=javascript:{RUN}>click</a>",
    "![drawing](secret.svg)",
    "![drawing](figures/../secret.svg)",
    "$\\frac$",
    "$$\\frac$$",
    "\\begin{x}",
    "costs $5 or $6",
    "`code`",
    "``",
    "a `` b ` c",
    f"```\n{SCRIPT}\n```",
    "a | b",
    "a \\| b",
    "\\",
    "# heading",
    "- item",
    "1. item",
    "1) item",
    "> quote",
    "---",
    "===",
    "_a_ *b* **c** ~~d~~",
    "two\nlines\r\n\r\n## heading",
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b31mred\x7f",
    "\u202egnp.exe",
    "\u2028line",
    "nul\0",
    "<!-- comment",
    "&lt;script&gt; &#60;script&#62;",
    "{{ 7 * 7 }} {% raw %}",
    "[red]rich[/red] [link=http://example.com]here[/link]",
    "http://example.com www.example.com a@example.com",
    "smile \U0001f600 µ",
    "a" * 10_000,
    "; rm -rf ~",
    "plain-name_1.5, with commas",
]


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text by element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "hr", "img"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts += [(tag, data) for tag in self._open]

    def text(self, tag: str) -> str:
        """All text in elements of this kind."""
        return "".join(data for found, data in self.texts if found == tag)

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def harmless(self) -> None:
        assert "script" not in self.tags
        for _, attributes in self.elements:
            assert not [name for name in attributes if name.startswith("on")]
            assert not (attributes.get("href") or "").lower().startswith("javascript:")


@pytest.fixture(scope="module")
def verified() -> Verification:
    return verify(Instance.load("textbook"), "quick", claims=["rem-4.2"])


def named(name: str) -> Instance:
    return Instance.load("textbook").with_(name=name)


def seen(name: str) -> str:
    """The name as a reader should see it, in the spacing of HTML."""
    return " ".join(one_line(name).split())


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_markdown_and_its_page_show_the_name_and_nothing_else(
    name: str, verified: Verification, tmp_path: Path
) -> None:
    (tmp_path / "secret.svg").write_text("<svg>a local file</svg>")
    text = verdicts_markdown(replace(verified, instance=named(name)))
    usual = Page(page(verdicts_markdown(verified), tmp_path))
    found = Page(page(text, tmp_path))
    found.harmless()
    assert found.tags == usual.tags
    assert found.text("h1") == f"Verdicts on {seen(name)}"
    assert found.text("p").startswith(f"{seen(name)}: 5 arms")
    assert found.text("title") == found.text("h1")
    assert "a local file" not in found.text("body")
    assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_notebook_shows_the_name_and_finds_no_formula_in_it(
    name: str, verified: Verification
) -> None:
    instance = named(name)
    for shown in (instance, replace(verified, instance=instance)):
        found = Page(shown._repr_html_())
        assert set(found.tags) <= {"table", "caption", "tr", "th", "td", "span"}
        assert found.text("caption").startswith(one_line(name))
        for tag, piece in found.texts:
            # formulas are looked for in text, never across elements
            assert tag == "span" or piece in "$\\" or not set(piece) & set("$\\")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_terminal_gets_one_line_of_printing_characters(name: str) -> None:
    line = about(named(name))
    assert line.isprintable()
    assert len(line) < 400


def test_no_command_sends_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x1b[31m[bold]red\x9b\u202e"
    file = tmp_path / "\x1b[31m\x9b.toml"
    file.write_text(named(name).with_(capacities=[9] * 5).to_toml())
    target = tmp_path / "\x1b[1m.md"
    for arguments in (
        ("bounds", "--claim", "cor-7.2"),
        ("bounds", "--claim", "cor-7.2", "--json"),
        ("simulate", "--policy", "ts-kc", "--horizon", "10", "--runs", "2"),
        ("verify", "--effort", "quick", "--claim", "rem-4.2", "-o", str(target)),
    ):
        with pytest.raises(SystemExit) as ended:
            main([arguments[0], str(file), *arguments[1:]])
        assert not ended.value.code
        out, err = capsys.readouterr()
        assert all(c.isprintable() or c == "\n" for c in out + err)
        if "--json" in arguments:
            assert json.loads(out)["instance"]["name"] == name
        else:
            assert "?[31m[bold]red??" in out
    assert all(c.isprintable() or c == "\n" for c in target.read_text())


def test_results_show_the_name_as_text() -> None:
    name = f"[red]{SCRIPT} $\\frac$ \x1b[0m"
    for found in (
        replicate(named(name), "ts-kc", 10, 2),
        estimate(named(name), 1, samples=5, runs=5),
    ):
        assert str(found).startswith(one_line(name))
        assert "script" not in Page(found._repr_html_()).tags
        console = Console(file=io.StringIO(), width=200)  # one that does read markup
        console.print(found)
        assert one_line(name) in console.file.getvalue()
        drawn = io.StringIO()
        found.plot().figure.savefig(drawn, format="svg")  # \frac without arguments is no formula
        assert "script" not in Page(drawn.getvalue()).tags
        assert "\x1b" not in drawn.getvalue()


def test_a_name_is_a_string_of_characters() -> None:
    for wrong in ("\ud800", 3):
        with pytest.raises(InputError, match=r"name: .*: expected a string"):
            named(wrong)
    assert Instance.from_table(
        {"plays": 1, "means": [1, 0], "capacities": [1, 1]}, "\udcff.toml"
    ).name.isprintable()


def test_only_figures_of_ours_are_inlined(tmp_path: Path) -> None:
    for name in ("ours", "secret"):
        (tmp_path / f"{name}.svg").write_text(f"<svg>{name} drawn</svg>")
    html = page("# Two\n\n![A](ours.svg)\n\n![B](secret.svg)\n", tmp_path, ["ours.svg"])
    assert "ours drawn" in html
    assert "secret drawn" not in html


# -- in a browser -----------------------------------------------------------------------------


def report_page(name: str, study: Study, folder: Path) -> str:
    renamed = replace(study, instance=study.instance.with_(name=name))
    return report.write_study(renamed, folder, "html").read_text(encoding="utf-8")


def title_in_browser(html: str, folder: Path) -> str:
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    return Page(opened(path, folder / "profile")).text("title")


def test_nothing_in_a_page_runs(tmp_path: Path) -> None:
    name = f"{SCRIPT}{IMAGE}$\\text{{{IMAGE}}}$$\\href{{javascript:{RUN}}}{{a}}$![](s.svg)"
    study = tiny_study()
    html = report_page(name, study, tmp_path)
    found = Page(html)
    found.harmless()
    assert found.tags == Page(report_page("usual", study, tmp_path)).tags
    assert found.text("h1").startswith(name)
    policies = [a["content"] for _, a in found.elements if a.get("http-equiv")]
    assert [policy.split(";")[0] for policy in policies if policy] == ["default-src 'none'"]
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    assert title_in_browser(html, tmp_path) == found.text("title")
    # were our escaping to fail, the policy of the page would still forbid scripts
    tricked = html.replace("</body>", f"{SCRIPT}{IMAGE}</body>")
    assert title_in_browser(tricked, tmp_path) == found.text("title")
    # and a script that does run is seen
    open_page = f"<title>before</title>{SCRIPT}{IMAGE}"
    assert title_in_browser(open_page, tmp_path) == "beforeranran"
