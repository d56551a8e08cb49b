"""What mkdocs asks for: the repository's pages, and how their formulas and examples are shown.

The site has the layout of the repository, so a relative link in a file is right in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import HtmlInlineProcessor, InlineProcessor
from markdown.preprocessors import Preprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import boundcheck
import simulation

ROOT = Path(__file__).parent.parent
SHOWN = (
    "*.md", "LICENSE", "CITATION.cff", "docs/**/*", "reports/**/*", "examples/*",
    "boundcheck/shareable_arms/pages/pseudo_code.md",
)  # fmt: skip
RETURNED = (
    "simulation.results.Replication",
    "simulation.results.PolicyRuns",
    "simulation.estimates.Estimation",
    "boundcheck.finding.Finding",
)
STRATEGIES = "boundcheck.strategies"
COUNTEREXAMPLES = "reports/audit/counterexamples"
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
FORMULA = r"\$\$([^$]+)\$\$|\$([^$\n]+)\$"
TAG = r"(</?(?:details|summary|br)\b[^<>]*>)"
FIGURE = re.compile(r"!\[([^]]*)\]\(([^)]+\.svg)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = [*expanded(config.nav or [], set())]
    config.markdown_extensions.append(Reading())  # type: ignore[arg-type]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in shown():
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    for name, content in (
        ("api.md", reference()),
        ("gallery.md", gallery()),
        (f"{COUNTEREXAMPLES}.md", counterexamples()),
    ):
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """A site has no folders to look into: a link to one leads to the page of what is in it."""
    return markdown.replace("](counterexamples)", "](counterexamples.md)")


def shown() -> list[Path]:
    """Files that are shown; a page that was also written as HTML is made of its markdown."""
    found = (path for kind in SHOWN for path in ROOT.glob(kind))
    return sorted(path for path in found if path.is_file() and path.suffix != ".html")


def expanded(entries: list[Any], seen: set[str]) -> Iterator[Any]:
    """The navigation, every folder (`reports/*/` is several) replaced by its pages not yet seen."""
    for entry in entries:
        if isinstance(entry, dict):
            ((title, inner),) = entry.items()
            yield {title: [*expanded(inner, seen)] if isinstance(inner, list) else inner}
        elif entry.endswith("/"):
            pages = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(f"{entry}*.md")} - seen
            seen |= pages
            yield from sorted(pages)
        else:
            yield entry


def reference() -> str:
    """A page of directives: everything the two packages offer, under the name users write."""
    names = [f"boundcheck.{name}" for name in boundcheck.__all__]
    names += [f"simulation.{name}" for name in simulation.__all__ if name not in boundcheck.__all__]
    return "# Python\n\n" + "\n\n".join(f"::: {name}" for name in [*names, *RETURNED, STRATEGIES])


def counterexamples() -> str:
    """Every instance file that the audit wrote, in full."""
    parts = ["# Counterexamples"]
    for file in sorted((ROOT / COUNTEREXAMPLES).glob("*.toml")):
        parts.append(f"## {file.stem}\n\n```toml\n{file.read_text(encoding='utf-8')}```")
    return "\n\n".join(parts)


def gallery() -> str:
    """Every figure of the reports, under the title of the page it belongs to."""
    parts = ["# Figures"]
    for page in sorted(ROOT.glob("reports/**/*.md")):
        text, folder = page.read_text(encoding="utf-8"), page.parent.relative_to(ROOT).as_posix()
        figures = FIGURE.findall(text)
        if figures:
            title = text.partition("\n")[0].removeprefix("# ")
            parts.append(f"## [{title}]({folder}/{page.name})")
            parts += (f"*{caption}*\n\n![{caption}]({folder}/{name})" for caption, name in figures)
    return "\n\n".join(parts)


class Reading(Extension):
    """Formulas become MathML, examples in docstrings code, and `k<L` in a sentence stays text."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(Formula(FORMULA, md), "formula", 185)  # before escapes
        md.inlinePatterns.register(HtmlInlineProcessor(TAG, md), "html", 90)
        md.preprocessors.register(Examples(md), "examples", 30)  # before fences are read


class Formula(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # type: ignore[override]
        if m[1]:
            shown = f'<div class="formula">{convert(m[1], display="block")}</div>'
        else:
            shown = convert(m[2])
        return self.md.htmlStash.store(shown), m.start(0), m.end(0)


class Examples(Preprocessor):
    """`>>>` starts code, not a quotation; it ends with the paragraph."""

    def run(self, lines: list[str]) -> list[str]:
        return EXAMPLE.sub(r"```pycon\n\g<0>\n```", "\n".join(lines)).split("\n")
