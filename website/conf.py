"""How Sphinx makes the site of the pages that `sources.py` gathers."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import boundcheck
from boundcheck.pages.mathml import formula

project = "boundcheck"
release = boundcheck.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
smartquotes = False  # b'' has two primes
highlight_language = "none"  # most examples are what a terminal shows
html_theme = "pydata_sphinx_theme"
html_title = "boundcheck"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # a browser does not let one file read another
html_context = {"default_mode": "auto"}
html_show_copyright = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": False,
    "show_toc_level": 2,
}

html_sidebars = {page: [] for page in ("index", "api", "docs/howto")}

myst_enable_extensions = ["dollarmath"]
myst_disable_syntax = ["html_inline"]  # `k<L and j>L` in a sentence stays text
myst_heading_anchors = 4

default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

CODE = re.compile(r"(`[^`]*`)")
MARKUP = re.compile(r"([\\*|_])")
NAMED = re.compile(r"(\S.*?) {2,}(\S.*)")  # an argument and what it means


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.connect("autodoc-process-docstring", as_rst)


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(formula(node.astext(), display=False))
    raise nodes.SkipNode


def display(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{formula(node.astext())}</div>\n')
    raise nodes.SkipNode


def as_rst(_app: Sphinx, _kind: str, _name: str, _it: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `code`: nothing else is markup, indented lines stay."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).rstrip()):
        inside = paragraph.split("\n")
        if inside[0].startswith(">>>"):
            found += inside
        elif NAMED.match(inside[0]):
            for line in inside:
                if named := NAMED.match(line):
                    found += [f"``{named[1]}``", f"   {_text(named[2])}"]
                elif line.startswith(" "):  # it goes on
                    found.append(f"   {_text(line.strip())}")
                else:  # an ordinary sentence follows
                    found += ["", _text(line)]
        elif re.search(r"^\s", paragraph, re.MULTILINE):
            found += ["::", "", *(f"   {line}" for line in inside)]
        else:
            found += map(_text, inside)
        found.append("")
    lines[:] = found


def _text(line: str) -> str:
    parts = CODE.split(line)
    parts[::2] = (MARKUP.sub(r"\\\1", part) for part in parts[::2])
    return "".join(parts)
