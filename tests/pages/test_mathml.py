"""Formulas as MathML: pieces that fit a narrow screen and still say the same."""

from __future__ import annotations

import re
from html import unescape

import pytest
from latex2mathml.converter import convert
from sympy import latex, symbols

from boundcheck import catalogue
from boundcheck.pages.mathml import formula
from boundcheck.theories.shareable_arms.functions import smallest_count


def read(mathml: str) -> list[str]:
    """What is written in each `math` element, scripts beside their base."""
    return [unescape(re.sub(r"<[^>]*>", "", piece)) for piece in mathml.split("\n")]


def test_a_short_formula_is_cut_before_operators_and_keeps_every_sign() -> None:
    source = r"\sum_{k=1}^{K} \left(a_k + b_k\right)^{2} - f(x, y) \leq \frac{a + b}{c}"
    found = read(formula(source))
    assert found == ["∑k=1K(ak+bk)2", "−f(x,y)", "≤a+bc"]
    assert "".join(found) == "".join(read(convert(source, display="block")))


def test_a_formula_in_a_sentence_is_one_piece_unless_it_is_long() -> None:
    assert formula("a + b", display=False).count("<math") == 1
    assert formula(LONG, display=False).count("<math") == 19
    assert 'display="block"' not in formula(LONG, display=False)


def test_an_indicator_is_not_the_number_one() -> None:
    assert read(formula(r"\mathbb{1}\{x > 1\}")) == ["𝟙{x>1}"]


LONG = " + ".join(f"a_{{{n}}}" for n in range(1, 20))
PARTS = [f"a{n}" for n in range(1, 20)]


@pytest.mark.parametrize(
    ("source", "begins", "ends"),
    [
        (rf"\left({LONG}\right)^{{2}} b", "(a1", "+a19)2b"),
        (rf"g({LONG})", "g(a1", "+a19)"),
        (rf"\frac{{{LONG}}}{{b c}}", "(a1", "/(bc)"),
        (rf"\frac{{c}}{{{LONG}}}", "c", "+a19)"),
        (rf"\sqrt{{{LONG}}}", "√(a1", "+a19)"),
        (rf"e^{{{LONG}}}", "exp(a1", "+a19)"),
        (rf"\frac{{\frac{{{LONG}}}{{b}}}}{{c}}", "((a1", "/c"),
    ],
)
def test_what_is_too_wide_is_opened(source: str, begins: str, ends: str) -> None:
    found = read(formula(source))
    assert found[0].startswith(begins)
    assert found[-1].endswith(ends)
    assert max(map(len, found)) < 20
    text = "".join(found)
    assert [text.count("("), text.count("[")] == [text.count(")"), text.count("]")]
    assert re.findall(r"a\d+", text) == PARTS


def test_no_sign_of_a_card_is_lost() -> None:
    """Opening a fraction or a power adds brackets and a slash, and nothing goes."""
    for card in catalogue().values():
        whole = unescape(re.sub(r"<[^>]*>", "", convert(card.latex, display="block")))
        shown = "".join(read(formula(card.latex)))
        assert shown.count("(") == shown.count(")"), card.id
        added = r"[()/√]|exp|e"
        assert re.sub(added, "", shown).replace("𝟙", "1") == re.sub(added, "", whole), card.id


def test_a_factor_that_is_a_sum_has_brackets() -> None:
    m, delta, mu = symbols("m delta mu")
    shown = "".join(read(formula(latex(smallest_count(4 * m + 3, delta, mu)))))
    assert shown == "min{x∈ℕ:(4m+3)ϕ(x,δ)<μ}"
