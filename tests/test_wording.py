"""What strangers read: repairs are sentences, and numbers in sentences are for people."""

from __future__ import annotations

import re

import pytest

from boundcheck.claim import Claim
from boundcheck.crossvalidate import verified
from boundcheck.finding import Verdict
from boundcheck.lab import EFFORTS
from boundcheck.question import Question
from boundcheck.shareable_arms import THEORY
from boundcheck.theory import catalogue
from simulation.instance import Instance

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


def test_every_statement_says_something_of_its_own() -> None:
    """A reading can be understood without the one before it."""
    for claim in THEORY.cards:
        for statement in THEORY.statements(claim):
            assert not re.match(r"the same\b", statement.words), statement.words


def test_numbers_in_explanations_are_short() -> None:
    """Six digits, in place of all there are; the evidence has them."""
    lab = THEORY.lab(EFFORTS["quick"])
    question = Question(horizon=lab.horizon, digits=15)
    found = [
        finding
        for claim in ("thm-4.1a", "thm-4.3", "thm-5.3a", "lem-E.1", "rem-8.1")
        for finding in verified(
            THEORY, THEORY.find(claim), Instance.load("textbook"), question, lab
        )
    ]
    assert {finding.verdict for finding in found} >= {Verdict.HOLDS, Verdict.REFUTED}
    for finding in found:
        long = re.search(r"(?<![\d.,])\d{5,}|\.\d{8,}", finding.explanation)
        assert not long, finding.explanation
