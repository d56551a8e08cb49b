"""The pages of the site: the repository's markdown files, and three pages made of what is in it.

They are copied to a folder with the layout of the repository, so a relative link in a file is right
in both. Only `README.md` changes its name: the page of a folder is `index`.
"""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import boundcheck
import simulation

ROOT = Path(__file__).parent.parent
SHOWN = (
    "*.md", "LICENSE", "CITATION.cff", "docs/**/*", "reports/**/*", "examples/*",
    "boundcheck/theories/shareable_arms/pages/pseudo_code.md",
)  # fmt: skip
RETURNED = (
    "simulation.running.results.Replication",
    "simulation.running.results.PolicyRuns",
    "simulation.running.estimates.Estimation",
    "boundcheck.judging.finding.Finding",
)
STRATEGIES = "boundcheck.search.strategies"
COUNTEREXAMPLES = "reports/audit/counterexamples"
UNLISTED = (
    "boundcheck/theories/shareable_arms/pages/pseudo_code"  # the audit has a copy of that page
)
TITLES = {"docs/using": "Commands", "reports/audit/audit": "Audit", "docs/theory": "Theory"}
# The pages below each page; a pattern stands for the pages that were not named before.
NAVIGATION: Mapping[str, tuple[str, ...]] = {
    "index": (
        "docs/howto", "docs/using", "reports/audit/audit", "reports/index", "api", "docs/theory",
        "CONTRIBUTING",
    ),
    "docs/using": ("docs/agents", "docs/language", "docs/extending", "docs/glossary"),
    "reports/audit/audit": ("reports/audit/*", "reports/audit/claims/*"),
    "reports/index": ("gallery", "reports/*/*", "reports/*"),
    "docs/theory": (
        "docs/theorems/index", "docs/graves-lai", "docs/likelihood", "docs/leaping", "docs/proofs",
        "docs/falsify",
    ),
    "docs/theorems/index": ("docs/theorems/*",),
    "CONTRIBUTING": ("docs/architecture", "docs/*", "CHANGELOG", "*"),
}  # fmt: skip
FIGURE = re.compile(r"!\[([^]]*)\]\(([^)]+\.svg)\)")
HOME = re.compile(r"(\]\([^)\s]*)\bREADME\.md")
FOLDER = "](counterexamples)"


def gather(target: Path) -> None:
    """Everything the site shows, in an empty folder."""
    for path in shown():
        place = target / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            place = place.with_stem("index") if path.stem == "README" else place
            place.write_text(linked(path.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(path, place)
    for name, content in (
        ("api", reference()),
        ("gallery", linked(gallery())),
        (COUNTEREXAMPLES, counterexamples()),
    ):
        (target / f"{name}.md").write_text(content, encoding="utf-8")
    for parent, children in below(target):
        page = target / f"{parent}.md"
        page.write_text(page.read_text(encoding="utf-8") + children, encoding="utf-8")
    unlisted = target / f"{UNLISTED}.md"
    unlisted.write_text(
        "---\norphan: true\n---\n" + unlisted.read_text(encoding="utf-8"), encoding="utf-8"
    )


def shown() -> list[Path]:
    """Files that are shown; a page that was also written as HTML is made of its markdown."""
    found = (path for kind in SHOWN for path in ROOT.glob(kind))
    return sorted(path for path in found if path.is_file() and path.suffix != ".html")


def linked(markdown: str) -> str:
    """A site has no folders to look into: a link to one leads to the page of what is in it."""
    return HOME.sub(r"\1index.md", markdown).replace(FOLDER, "](counterexamples.md)")


def below(target: Path) -> Iterator[tuple[str, str]]:
    """The navigation as Sphinx reads it: in a page, the list of the pages below it."""
    named = {name for names in NAVIGATION.values() for name in names} | {"index", UNLISTED}
    for parent, names in NAVIGATION.items():
        listed = []
        for name in names:
            found = sorted(target.glob(f"{name}.md"))
            pages = [page.relative_to(target).with_suffix("").as_posix() for page in found]
            listed += [page for page in pages if "*" not in name or page not in named]
            named.update(pages)
        entries = "\n".join(
            f"{TITLES[name]} </{name}>" if name in TITLES else f"/{name}" for name in listed
        )
        yield parent, f"\n\n```{{toctree}}\n:hidden:\n:titlesonly:\n\n{entries}\n```\n"


def reference() -> str:
    """A page of directives: everything the two packages offer, under the name users write."""
    parts = ["# Python"]
    for package in (boundcheck, simulation):
        names = [n for n in package.__all__ if package is boundcheck or n not in boundcheck.__all__]
        parts.append(f"## {package.__name__}")
        parts += (_documented(f"{package.__name__}.{n}", getattr(package, n)) for n in names)
    parts.append("## Results of calls")
    parts += (_directive("autoclass", name) for name in RETURNED)
    parts += ["## Strategies for Hypothesis", _directive("automodule", STRATEGIES)]
    return "\n\n".join(parts) + "\n"


def _documented(name: str, value: object) -> str:
    if inspect.isclass(value):
        return _directive("autoexception" if issubclass(value, Exception) else "autoclass", name)
    return _directive("autofunction" if callable(value) else "autodata", name)


def _directive(kind: str, name: str) -> str:
    members = "\n   :members:" if kind in ("autoclass", "automodule") else ""
    return f"```{{eval-rst}}\n.. {kind}:: {name}{members}\n```"


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
