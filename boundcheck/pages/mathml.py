"""Formulas as MathML, with long ones split into pieces so that browsers can break lines.

A browser does not break a line inside a formula. So a displayed formula is a row of short ones: it
is split before operators and after commas, and inside a bracket, fraction, root or power only where
that part is too wide for a narrow screen. A split fraction is written with a slash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring, tostring

from latex2mathml.converter import convert

NARROW = 20.0  # in em: a screen of 400 pixels, with its margins
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
OPENING, CLOSING = set("([{"), set(")]}")
BINARY = set("+−±=<>≤≥≠≈∪∩⊆→⇒·×/")
TALL = ("mfrac", "munderover", "munder", "mover", "msqrt", "mtable")
Row = list[Element]


@lru_cache(maxsize=1000)  # reports repeat the formulas of the cards
def formula(latex: str, display: bool = True) -> str:
    """A formula as `math` elements: one for each piece of a display, or of a long formula in text.

    >>> import re
    >>> shown = formula(r"\\left(a + b\\right)^2 = c - d")
    >>> [re.sub("<.*?>", "", piece) for piece in shown.split(chr(10))]
    ['(a+b)2', '=c', '−d']
    """
    mode = "block" if display else "inline"
    latex = latex.replace(r"\bar{", r"\overline{")  # browsers draw the bar of \bar as a dot
    root = fromstring(convert(latex, display=mode).replace(f' xmlns="{NAMESPACE}"', ""))
    for part in root.iter():
        if part.text == "1" and part.get("mathvariant") == "double-struck":
            part.text = "𝟙"  # browsers know no such variant of a digit
    if display:
        return "\n".join(_written(piece, mode) for piece in pieces(list(root)))
    rows = pieces(list(root)) if _width(root) > NARROW else [list(root)]
    return "<wbr>".join(_written(row, mode) for row in rows)


def pieces(row: Sequence[Element]) -> list[Row]:
    """The row split before operators and after commas; parts that are too wide are split inside."""
    found: list[Row] = [[]]
    for item in _grouped(_unwrapped(row)):
        if item.tag == "mo" and item.text in BINARY and found[-1]:
            found.append([])
            item.set("form", "infix")
        first, *more = _opened(item) if _width(item) > NARROW else [[item]]
        found[-1] += first
        found += more
        if item.tag == "mo" and item.text == ",":
            found.append([])
    return [part for piece in found if piece for part in _narrowed(piece)]


def _narrowed(row: Row) -> list[Row]:
    """A row without operators that is too wide: split between factors, and inside the widest
    one.
    """
    found = []
    for part in _factors(row):
        if width_of(part) > NARROW:
            place = max(range(len(part)), key=lambda at: _width(part[at]))
            first, *more = _opened(part[place])
            opened = [[*part[:place], *first], *more]
            opened[-1] += part[place + 1 :]
            found += [factor for piece in opened for factor in _factors(piece)]
        else:
            found.append(part)
    return found


def _factors(row: Row) -> list[Row]:
    """The row split between factors where it would become too wide."""
    factors = [row[:1]]
    for before, item in pairwise(row):
        if _may_cut(before, item):
            factors.append([])
        factors[-1].append(item)
    found: list[Row] = [[]]
    for factor in factors:
        if found[-1] and width_of(found[-1] + factor) > NARROW:
            found.append([])
        found[-1] += factor
    return found


def _may_cut(before: Element, after: Element) -> bool:
    """Whether a break is allowed: between factors and after an opening bracket, but not between a
    function and its argument.
    """
    if after.tag == "mo" and after.text in CLOSING | {","}:
        return False
    opening = before.tag == "mo" and before.text in OPENING
    return opening or _closes(before) or before.tag == "mfrac"


def _opened(item: Element) -> list[Row]:
    """The pieces of a part that is too wide; a part that cannot be split stays whole."""
    inside = list(item)
    if item.tag == "mrow" and _fenced(item):
        inner = pieces(inside[1:-1]) or [[]]
        return _surrounded(inside[0], inner, inside[-1])
    if item.tag == "mrow":
        return pieces(inside)
    if item.tag == "mfrac":
        above, below = (_bracketed(part) for part in inside)
        below[0].insert(0, _operator("/"))
        return above + below
    if item.tag == "msqrt":
        found = _bracketed(_row(inside))
        found[0].insert(0, _operator("√"))
        return found
    if item.tag in ("msup", "msub", "msubsup"):
        return _scripted(item)
    return [[item]]


def _scripted(item: Element) -> list[Row]:
    base, *scripts = item
    if item.tag == "msup" and base.text == "e" and _width(scripts[0]) > _width(base):
        name = Element("mi")
        name.text = "exp"
        found = _bracketed(scripts[0])
        found[0].insert(0, name)
        return found
    found = _opened(base)
    last = Element(item.tag)
    last.extend([found[-1][-1], *scripts])
    found[-1][-1] = last
    return found


def _bracketed(item: Element) -> list[Row]:
    """In brackets, unless it is a single item."""
    items = _grouped(_unwrapped([item]))
    inner = pieces(items)
    if len(items) == 1 and items[0].tag != "mfrac":
        return inner
    return _surrounded(_operator("("), inner, _operator(")"))


def _surrounded(opening: Element, inner: list[Row], closing: Element) -> list[Row]:
    """Add brackets of a fixed size, since a browser cannot fit brackets whose ends are in different
    pieces.
    """
    tall = any(part.tag in TALL for row in inner for item in row for part in item.iter())
    for end, form in ((opening, "prefix"), (closing, "postfix")):
        end.attrib.update(form=form, fence="true", stretchy=str(tall).lower())
        if tall:
            end.attrib.update(minsize="2em", maxsize="2em", symmetric="true")
    inner[0].insert(0, opening)
    inner[-1].append(closing)
    return inner


def _unwrapped(row: Iterable[Element]) -> Iterable[Element]:
    """Remove each `mrow` that only groups others (LaTeX braces)."""
    for item in row:
        if item.tag == "mrow" and not _fenced(item) and len(item):
            yield from _unwrapped(item)
        else:
            yield item


def _grouped(row: Iterable[Element]) -> Row:
    """Group brackets with their content into one item, as `left` and `right` do."""
    stack: list[Row] = [[]]
    for item in row:
        if item.tag == "mo" and item.text in OPENING:
            stack.append([item])
        elif _closes(item) and not _fenced(item) and len(stack) > 1:
            group = _row(stack.pop())
            end = item if item.tag == "mo" else item[0]
            group.append(end)
            if item.tag != "mo":  # (x)^2: the power of a bracket, not of its last sign
                item[0] = group
                group = item
            stack[-1].append(group)
        else:
            stack[-1].append(item)
    return [item for level in stack for item in level]


def _closes(item: Element) -> bool:
    """Whether the item ends with a closing bracket."""
    while len(item) and item.tag in ("mrow", "msup", "msub", "msubsup"):
        item = item[-1] if item.tag == "mrow" else item[0]
    return item.tag == "mo" and item.text in CLOSING


def _fenced(item: Element) -> bool:
    while item.tag in ("msup", "msub", "msubsup"):
        item = item[0]
    first = item[0] if item.tag == "mrow" and len(item) > 1 else None
    return first is not None and first.tag == "mo" and first.text in OPENING and _closes(item)


def _width(item: Element) -> float:
    """Approximate width in em."""
    inside = [_width(part) for part in item]
    if item.tag in ("mfrac", "mtr"):
        return max(inside) + 0.3 if item.tag == "mfrac" else sum(inside) + 1
    if item.tag in ("munder", "mover", "munderover"):
        return max(inside[0], *(0.75 * part for part in inside[1:])) + 0.2
    if item.tag in ("msub", "msup", "msubsup"):
        return inside[0] + 0.75 * max(inside[1:])
    if item.tag == "mtable":
        return max(inside)
    if item.tag == "mo" and item.text in BINARY:
        return 1.3
    return sum(inside) + 0.64 * len(item.text or "")


def width_of(row: Iterable[Element]) -> float:
    return sum(map(_width, row))


def _row(items: Iterable[Element]) -> Element:
    row = Element("mrow")
    row.extend(items)
    return row


def _operator(text: str) -> Element:
    sign = Element("mo")
    sign.text = text
    return sign


def _written(piece: Row, mode: str) -> str:
    math = Element("math", xmlns=NAMESPACE, display=mode)
    math.append(deepcopy(_row(piece)))
    return tostring(math, encoding="unicode")
