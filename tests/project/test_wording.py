"""What strangers read: repairs are sentences, and numbers in sentences are for people."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from boundcheck import catalogue
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Verdict
from boundcheck.judging.verification import verified
from boundcheck.theories.shareable_arms import THEORY
from simulation.world.instance import Instance

VERBS = re.compile(
    r"\b(is|are|be|has|have|may|must|can|should|does|needs?|holds?|fails?|gives?|tells?|serves?|"
    r"costs?|covers?|counts?|sums?|depends?|excludes?|accounts?|grows?|meets?|belongs?|add|make|"
    r"stand)\b"
)


def sentence(text: str) -> bool:
    """A capital letter, a verb, one full stop at the end."""
    return bool(re.fullmatch(r"[A-Z].*[^.]\.", text) and VERBS.search(text) and " " in text)


@pytest.mark.parametrize("card", [card for card in catalogue().values() if card.repairs], ids=str)
def test_every_repair_is_full_sentences(card: Claim) -> None:
    for repair in card.repairs:
        assert sentence(repair.what), repair.what
        assert sentence(repair.instead), repair.instead
        assert repair.claim is None or repair.claim in catalogue()


@pytest.mark.parametrize("text", ["K in place of L.", "drop it", "It is wrong", "it is wrong."])
def test_what_is_no_sentence(text: str) -> None:
    assert not sentence(text)


BANNED = (
    "What came of it",
    "are set beside",
    "is set beside",
    "as the word after each says",
    "trivially true",
    "left for arm {",
    "made stronger by more than this factor",
    "What no policy loses less than",
    "the last optimal arm earns",
    "without horizon",
    "no policy below",
    "all there is to lose",
    "the last instance without a mistake",
    "It begins.",
    "to be believed",
    "of 80 told",
    "A theory's way",
    "'s way.**",
    "they compare and pickle",
    "what the theory is worth",
    "is gone on with",
    "goes on where it was",
    "form of old",
    "applies in vain",
    "never typed",
    "Floats only suggest",
    "may lose for ever",
    "A theory is a value",
    "goes wherever",
    "is kept out if",
    "teaches your shell",
)
ROOT = Path(__file__).parents[2]
READ = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(p for p in (ROOT / "docs").rglob("*.md") if p.name != "proofs.md"),  # made by a command
    *(
        path
        for package in ("boundcheck", "simulation", "examples")
        for kind in ("*.py", "*.js", "*.html", "*.jinja", "*.toml", "*.ipynb")
        for path in (ROOT / package).rglob(kind)
        if "audit" not in path.parts and "docs" not in path.parts
    ),
]


def test_no_phrase_of_a_private_dialect() -> None:
    assert len(READ) > 200
    found = {
        f"{path.relative_to(ROOT)}: {phrase}"
        for path in READ
        for phrase in BANNED
        if phrase in path.read_text(encoding="utf-8")
    }
    assert not found


# what a stranger reads twice in a docstring or a comment
DIALECT = re.compile(
    r"\b(says? (nothing|anything)|tells? (nothing|of)|speaks? of|hangs? on|set beside|goes on|"
    r"gone on|in force|looked at|at hand|perhaps|comes? of|for good|for ever|is sought|by a hair|"
    r"all there is|says? alike|stands? beside|what it comes to|is no business of)\b"
)
KEPT = ("proofs", "law_free")  # docstrings of steps are their statements, with recorded digests


def prose(path: Path) -> Iterator[str]:
    """The docstrings, without their examples, and the comments of a module."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield " ".join((ast.get_docstring(node) or "").partition(">>>")[0].split())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_docstrings_and_comments_are_plain_english() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}: say it plainly (CONTRIBUTING.md)"
        for path in READ
        if path.suffix == ".py" and not set(KEPT) & set(path.parts)
        for text in prose(path)
        if (match := DIALECT.search(text))
    }
    assert not found


def test_a_phrase_of_the_dialect_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        'def f():\n    """What speaks of no arm."""\n    return 1  # as it hangs on T\n'
    )
    assert [bool(DIALECT.search(text)) for text in prose(module)] == [False, True, True]


def test_every_statement_says_something_of_its_own() -> None:
    """A reading can be understood without the one before it."""
    for claim in THEORY.cards:
        for statement in THEORY.statements(claim):
            assert not re.match(r"the same\b", statement.text), statement.text


def test_numbers_in_explanations_are_short() -> None:
    """Six digits, in place of all there are; the evidence has them."""
    context = THEORY.context(EFFORTS["quick"])
    question = Question(horizon=context.horizon, digits=15)
    found = [
        finding
        for claim in ("thm-4.1a", "thm-4.3", "thm-5.3a", "lem-E.1", "rem-8.1")
        for finding in verified(
            THEORY, THEORY.find(claim), Instance.load("textbook"), question, context
        )
    ]
    assert {finding.verdict for finding in found} >= {Verdict.HOLDS, Verdict.REFUTED}
    for finding in found:
        long = re.search(r"(?<![\d.,])\d{5,}|\.\d{8,}", finding.explanation)
        assert not long, finding.explanation
