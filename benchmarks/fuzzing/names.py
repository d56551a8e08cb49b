"""Hostile names: an instance may be called anything, and a name is text wherever it is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from fuzzing.active import MARK, SECRET, Page, controls, page_of
from fuzzing.trials import Problem, written
from fuzzing.workers import Limits, Outcome, Worker
from simulation.world.instance import Instance

BAIT = "bait.svg"  # a local file that a page might take in
LIMITS = Limits(cpu=60)
PLAIN = "plain"

Documents = dict[tuple[str, str], str]  # by kind and where it stands

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    f"<a href='javascript:alert(1)'>{MARK}</a>",
    "</title><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    f"<iframe src=//{MARK}></iframe>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)",
    "$\\text{<script>alert(1)</script>}$",
    "$$\\text{<img src=x onerror=alert(1)>}$$",
    "$\\href{javascript:alert(1)}{x}$",
    f"$\\href{{https://{MARK}}}{{x}}$",
    "$\\frac$",
    "$\\begin{matrix}$",
    "$" * 50,
    "\\(x\\) \\[y\\]",
    f"![x]({BAIT})",
    f"![x](figures/../../{BAIT})",
    f"![x](https://{MARK}/x.svg)",
    f"[x](https://{MARK})",
    "[x](javascript:alert(1))",
    f"<https://{MARK}>",
    f"[x]: https://{MARK} 'y'\n[x]",
    "`code` ``more`` ```",
    "**bold** _it_ ~~no~~",
    "a | b | c\n|---|---|\n| 1 | 2 |",
    "x\n# A heading of its own",
    "x\n\n- a list\n- of two",
    "x\r\n\r\n<hr>",
    "\n\n```\n",
    "# x",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    f"\x1b]8;;https://{MARK}\x1b\\x\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "\rover",
    "a\bb\x7f\x00\x0b\x0c",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "zero\u200bwidth\ufeff",
    "line\u2028separator\u2029paragraph\x85next",
    "e\u0301\u0301\u0301\u0301 z\u0335\u0336",
    "日本語 عربى עברית 🏳️‍🌈",
    "",
    " ",
    "\t",
    "a" * 5000,
    "语" * 2000,
    "a b " * 700,
    "[bold red]markup[/]",
    ":warning: :smile:",
    "{{ 7 * 7 }} {% raw %} {# x #}",
    "%s %d %n {0} {name}",
    "../../../etc/passwd",
    "name.md",
    "\\",
    '"""',
    "'''",
    "null",
    "NaN",
    "\U0001f600" * 30,
    "\ufffe\uffff",
)


def hostile(number: int, seed: int) -> str:
    """Each attack once, then two or three of them in one name."""
    if number < len(ATTACKS):
        return ATTACKS[number]
    draw = Random(f"{seed} name {number}")
    glue = draw.choice(("", " ", "\n", "|", "`"))
    return glue.join(draw.choice(ATTACKS) for _ in range(draw.randint(2, 3)))


def instance_of(name: str) -> Instance:
    return Instance(["0.9", "0.5", "0.2"], [2, 1, 1], 2, name=name)


def calls() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where a name is shown: the kind of document on standard output, and the command."""
    small = ("--horizon", "20", "--runs", "2", "--jobs", "1")
    quick = ("--effort", "quick", "--jobs", "1")
    yield "terminal", ("bounds", "FILE")
    yield "json", ("bounds", "FILE", "--json")
    yield "terminal", ("check", "FILE")
    yield "terminal", ("simulate", "FILE", "--policy", "ts-kc", *small)
    yield "terminal", ("estimate", "FILE", "--arm", "1", "--samples", "5", "--runs", "2")
    yield "terminal", ("verify", "FILE", *quick, "--claim", "lem-E.4", "-o", "verdicts.md")
    yield "html", ("notebook", "FILE")
    yield "terminal", ("report", "FILE", *quick, "-o", "pages", "--format", "html")


FILES = ("verdicts.md", "pages/report.md", "pages/report.html", "pages/verdicts.json")


class Names:
    """Names shown by one worker, each compared with a plain one."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._plain: Documents = {}
        for folder in (worker.folder, worker.folder / "pages"):
            folder.mkdir(exist_ok=True)
            (folder / BAIT).write_text(f"<svg><text>{SECRET}</text></svg>")

    def attempt(self, name: str) -> tuple[list[Problem], float]:
        """Show the name wherever one is shown: what is wrong, and the seconds of CPU it took."""
        if not self._plain:
            self._plain, _ = self._shown(PLAIN)
        documents, outcomes = self._shown(name)
        found = [
            Problem(o.arguments[:1], o.failure or f"exit code {o.code}", o.err[-3000:])
            for o in outcomes
            if o.failure or o.code != 0
        ]
        for document, text in documents.items():
            kind, label = document
            plain = self._plain.get(document, "")
            found += [Problem((label,), what) for what in wrong(kind, text, plain, name)]
        if "Content-Security-Policy" not in documents.get(("html", "pages/report.html"), ""):
            found.append(Problem(("pages/report.html",), "no content security policy"))
        return found, sum(outcome.cpu for outcome in outcomes)

    def _shown(self, name: str) -> tuple[Documents, list[Outcome]]:
        folder = self._worker.folder
        file = written(self._worker, instance_of(name))
        for path in FILES:
            (folder / path).unlink(missing_ok=True)
        documents: Documents = {}
        outcomes = []
        for kind, arguments in calls():
            line = (str(file) if part == "FILE" else part for part in arguments)
            outcome = self._worker.run(*line, limits=LIMITS)
            outcomes.append(outcome)
            documents[kind, " ".join(arguments[:1])] = outcome.out
            documents["terminal", f"{arguments[0]}, standard error"] = outcome.err
        drawings = [str(path.relative_to(folder)) for path in sorted(folder.glob("pages/**/*.svg"))]
        for path in (p for p in (*FILES, *drawings) if not p.endswith(BAIT)):
            if (folder / path).exists():
                kind = path.rpartition(".")[2]
                documents[kind, path] = (folder / path).read_text(encoding="utf-8")
        return documents, outcomes


def wrong(kind: str, text: str, plain: str, name: str) -> Iterator[str]:
    """What is wrong with a document that shows the name, beside one that shows a plain name."""
    if raw := controls(text):
        yield f"raw characters {' '.join(raw)}"
    if kind == "json":
        yield from _other_name(text, name)
    if SECRET in text:
        yield "a local file is taken in"
    if kind in ("html", "md", "svg"):
        page, beside = (page_of(t) if kind == "md" else Page(t) for t in (text, plain))
        yield from (f"active: {what}" for what in dict.fromkeys(page.active))
        more, less = page.elements - beside.elements, beside.elements - page.elements
        del less["code"]  # some names cannot be shown as code: an empty one, for instance
        if more or less:
            yield f"other elements: + {dict(more)} - {dict(less)}"


def _other_name(text: str, name: str) -> Iterator[str]:
    try:
        found = json.loads(text)["instance"]["name"]
    except ValueError as error:
        yield f"not JSON: {error}"
        return
    if found != name:
        yield f"another name: {ascii(found)[:60]}"
