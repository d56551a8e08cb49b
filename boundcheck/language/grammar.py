"""The grammar of a claim in one line, and errors that point to a column.

Input is untrusted: it is only parsed, never evaluated, and its length is limited.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark import Lark, Token, Tree

LONGEST = 2_000  # characters
GRAMMAR = r"""
claim: (bound | coverage) [_FOR comparison (_COMMA comparison)*]
bound: SUBJECT _OPEN policy _CLOSE RELATION sum
policy: POLICY [_OPEN option (_COMMA option)* _CLOSE]
option: NAME _EQUALS NUMBER
coverage: _BAR _MEAN _MINUS _MU _BAR RELATION sum _WITH _PROBABILITY _ONE _MINUS _DELTA

?sum: product (ADD product)*
?product: unary (MULTIPLY unary)*
?unary: ADD unary -> signed
    | power
?power: atom
    | atom RAISE unary -> raised
    | atom SUPERSCRIPT -> raised
?atom: NUMBER -> number
    | UNKNOWN -> unknown
    | NAME -> name
    | ROOT atom -> root
    | NAME _OPEN sum (_COMMA sum)* _CLOSE -> call
    | OVER _OPEN sum [_COMMA arms] _CLOSE -> gathered
    | _INF _OPEN NAME _IN _OPEN sum _COMMA sum _CLOSE _COLON sum _CLOSE -> infimum
    | _OPEN sum _CLOSE
?arms: comparison | sum
comparison: sum COMPARE sum

SUBJECT: /(regret|growth)\b/
POLICY: /[A-Za-z][A-Za-z0-9_-]{0,60}/
RELATION: "<=" | ">=" | "≤" | "≥"
COMPARE: "<=" | ">=" | "≤" | "≥" | "<" | ">" | "==" | "="
OVER.3: /(sum|largest)\b|[Σ∑]/
_INF.3: /inf\b/
_IN.3: /in\b/
_FOR.3: /for\b/
_WITH.3: /with\b/
_PROBABILITY.3: /probability\b/
_MEAN.3: /mean\b/
_MU.3: /mu\b|[μµ]/
_DELTA.3: /delta\b|δ/
_ONE.3: /1(?![0-9.])/
NAME: /[A-Za-zΔμµδσπε][A-Za-z0-9_]{0,60}/
NUMBER: /([0-9]{1,60}(\.[0-9]{0,60})?|\.[0-9]{1,60})([eE][+-]?[0-9]{1,3})?(?![0-9.])/
ADD: "+" | "-" | "−"
MULTIPLY: "*" | "/" | "·" | "×"
RAISE: "^" | "**"
SUPERSCRIPT: "²" | "³"
ROOT: "√"
UNKNOWN: "?"
_OPEN: "("
_CLOSE: ")"
_COMMA: ","
_COLON: ":"
_BAR: "|"
_EQUALS: "="
_MINUS: "-" | "−"
%ignore /[ \t]+/
"""
# how errors describe terminals; other terminals are described by their text
WORDS = {
    "SUBJECT": "regret(POLICY), growth(POLICY) or |mean - mu|",
    "POLICY": "the name of a policy",
    "RELATION": "<= or >=",
    "COMPARE": "a comparison such as >",
    "NAME": "a name",
    "NUMBER": "a number",
    "ADD": "+ or -",
    "MULTIPLY": "* or /",
    "RAISE": "^",
    "$END": "the end of the line",
    "_MINUS": "-",
    "_COMMA": "a comma",
    "_COLON": "a colon",
    "_WITH": "with probability 1 - delta",
}
# not listed in errors if there are other choices
UNSAID = {"SUPERSCRIPT", "ROOT", "UNKNOWN", "_INF", "_FOR", "OVER"}


@cache
def _parser() -> Lark:
    from lark import Lark

    starts = ["claim", "sum", "comparison"]
    return Lark(GRAMMAR, start=starts, parser="lalr", propagate_positions=True)


def tree_of(text: str, start: str, where: str) -> Tree[Token]:
    """The tree of a line; `start` is "claim", or "sum" for a formula."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    if len(text) > LONGEST:
        expected = f"at most {LONGEST:,} characters"
        raise InputError(where, f"column {LONGEST + 1}", f"{len(text):,} characters", expected)
    try:
        return _parser().parse(text, start=start)
    except UnexpectedCharacters as error:
        found = shown(text[error.column - 1 :], 20)
        raise error_at(where, error.column, found, _expected(error.allowed or ())) from None
    except UnexpectedToken as error:
        ended = error.token.type == "$END"
        column = len(text) + 1 if ended or error.column < 1 else error.column
        found = "the line ends" if ended else shown(str(error.token), 20)
        expected = _expected(error.accepts or error.expected)
        if text[: column - 1].strip() in ("regret", "growth"):
            expected = "a policy in brackets, such as (ucb1)"
        raise error_at(where, column, found, expected) from None
    except UnexpectedInput:
        raise error_at(where, 1, shown(text, 20), WORDS["SUBJECT"]) from None


def _expected(terminals: Iterable[str]) -> str:
    names = set(terminals)
    if {"NUMBER", "NAME"} <= names:  # an operand
        return "a number, a name or ("
    if "SUBJECT" in names:
        return WORDS["SUBJECT"]
    written = {each.name: each.pattern.value for each in _parser().terminals}
    known = sorted(WORDS.get(name) or written[name].partition(r"\b")[0] for name in names - UNSAID)
    return " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)


def error_at(where: str, column: int, found: str, expected: str) -> InputError:
    """An error at a column, counted from 1."""
    return InputError(where, f"column {column}", found, expected)


def unknown(
    where: str, column: int, name: str, what: str, known: Iterable[str], more: str = ""
) -> InputError:
    """The error for an unknown name, which suggests the nearest known one."""
    among = list(known)
    close = get_close_matches(name, among, n=1, cutoff=0.55)
    hint = f"did you mean {close[0]!r}?" if close else f"one of {', '.join(among)}"
    return error_at(
        where, column, f"unknown {what} {shown(name)}", f"a known {what} ({hint}){more}"
    )


def column_of(node: Any) -> int:
    """The column at which a token or a tree starts."""
    place = getattr(node, "column", None) or getattr(getattr(node, "meta", None), "column", None)
    return int(place or 1)
