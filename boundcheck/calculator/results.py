"""`Number`, a decimal of any size, and `Results`, a list of results that prints as a table.

Numbers are decimals so that 10^532 can be sorted, compared and computed with like any other; their
text has all digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

from simulation.escaping import one_line
from simulation.formatting import number
from simulation.numbers import place_point
from simulation.tables import Table, Tabular

Operand: TypeAlias = Decimal | Fraction | float  # or int
Operation: TypeAlias = Callable[[Context, Decimal, Decimal], Decimal]
ON_DEMAND = "on demand"  # in place of a number that takes long for so many arms
LEAST_DIGITS = 30
MOST = 30  # rows shown at each end of a long table
WIDEST = 60  # characters in a cell


def _both_ways(
    operation: Operation,
) -> tuple[Callable[[Decimal, Operand], Number], Callable[[Decimal, Operand], Number]]:
    """The methods for an operation with the number on the left and on the right (`__add__`,
    `__radd__`).
    """
    return (
        lambda number, other: _computed(operation, number, other),
        lambda number, other: _computed(operation, other, number),
    )


def _computed(operation: Operation, a: Operand, b: Operand) -> Number:
    known = [x for x in (a, b) if isinstance(x, Decimal)]
    digits = max(LEAST_DIGITS, *(len(x.as_tuple().digits) for x in known))
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    operands = [_decimal(x, context) for x in (a, b)]
    if operands[0] is None or operands[1] is None:
        return NotImplemented  # type: ignore[no-any-return]
    return Number(operation(context, operands[0], operands[1]))


def _decimal(x: object, context: Context) -> Decimal | None:
    if isinstance(x, Decimal):
        return x
    if isinstance(x, float):
        return Decimal(float.__repr__(x))
    if isinstance(x, int | Fraction):
        return context.divide(Decimal(x.numerator), Decimal(x.denominator))
    return None


class Number(Decimal):
    """A decimal number of any size; can be combined with floats (as printed) and fractions.

    >>> huge = Number("1.025e+532")
    >>> huge > 1e300, max(huge, Number("9")), huge / 2, Number("0.25") + 0.1
    (True, Number('1.025e+532'), Number('5.125e+531'), Number('0.35'))
    """

    @classmethod
    def of(cls, text: str | None) -> Number | None:
        """The number in a text; None beyond 10^(10^18), which `Decimal` cannot hold.

        >>> Number.of("2.5e600"), Number.of(None)
        (Number('2.5e+600'), None)
        """
        try:
            return None if text is None else cls(text)
        except InvalidOperation:
            return None

    def __str__(self) -> str:
        sign, digits, exponent = self.as_tuple()
        if isinstance(exponent, str):
            return str(float(self))
        return "-" * sign + place_point("".join(map(str, digits)), exponent + len(digits) - 1)

    def __repr__(self) -> str:
        return f"Number('{self}')"

    def __format__(self, specification: str, *more: Any) -> str:
        return super().__format__(specification, *more) if specification else str(self)

    def _mpmath_(self, bits: int, rounding: str) -> Any:
        """Conversion for mpmath, which does not accept decimals."""
        from mpmath import libmp, make_mpf

        return make_mpf(libmp.from_str(str(self), bits, rounding))

    __add__, __radd__ = _both_ways(Context.add)
    __sub__, __rsub__ = _both_ways(Context.subtract)
    __mul__, __rmul__ = _both_ways(Context.multiply)
    __truediv__, __rtruediv__ = _both_ways(Context.divide)

    def __pow__(self, other: Operand, modulo: Decimal | int | None = None, /) -> Number:
        return _computed(lambda context, a, b: context.power(a, b, modulo), self, other)

    def __neg__(self) -> Number:
        return Number(self.copy_negate())

    def __abs__(self) -> Number:
        return Number(self.copy_abs())


def json_number(value: Number | None) -> str | None:
    """A number as text with all its digits, for JSON."""
    return None if value is None else str(value)


class Row(Protocol):
    """A result that can be a row of a command's JSON."""

    def to_json(self) -> dict[str, Any]: ...


Item = TypeVar("Item", bound=Row)


class Results(Tabular, list[Item]):
    """A list of results that prints as a table and has `to_csv`, `to_pandas` and `to_latex`.

    >>> from boundcheck import Instance, bounds
    >>> found = bounds(Instance.load("textbook"), claims=["thm-4.3", "sharp-4.3"])
    >>> print("\\n".join(str(found).splitlines()[:2]))
    textbook: bounds, 2 rows
    claim      arm   value          quantity  applies  informative
    >>> found.summary().headings[0], found.cells()["informative"], found.to_csv()[:20]
    ('claim', [True, True], 'claim,quantity,arm,v')
    """

    def __init__(self, items: Iterable[Item], title: str, shown: Sequence[str]) -> None:
        super().__init__(items)
        self.title, self.shown = title, shown

    def cells(self) -> dict[str, list[Any]]:
        """The columns with a single number or word in each row; lists are in `to_json` of an
        item.
        """
        rows = [item.to_json() for item in self]
        nested = {name for row in rows for name, x in row.items() if isinstance(x, list | dict)}
        plain = [name for name in (rows[0] if rows else self.shown) if name not in nested]
        pairs = list(zip(self, rows, strict=True))
        return {name: [getattr(item, name, row[name]) for item, row in pairs] for name in plain}

    def to_pandas(self) -> Any:
        """A data frame with numbers as floats, and their exact text in columns NAME_text."""
        frame = super().to_pandas()
        for name, column in self.cells().items():
            if any(isinstance(x, Number) for x in column):
                frame[name] = [None if x is None else float(x) for x in column]
                frame[f"{name}_text"] = [json_number(x) for x in column]
        return frame

    def summary(self) -> Table:
        """The printed table: the columns in `shown`."""
        return shortened(f"{self.title}, {len(self)} rows", self.cells(), self.shown)

    def __repr__(self) -> str:
        return str(self)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Results[Item]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Item | Results[Item]:
        if isinstance(place, slice):
            return Results(super().__getitem__(place), self.title, self.shown)
        return super().__getitem__(place)


def shortened(title: str, cells: Mapping[str, Sequence[Any]], shown: Sequence[str]) -> Table:
    """A table of some columns as text, with the middle of a long table left out."""
    lines = list(zip(*(cells[name] for name in shown), strict=True))
    texts = [[_cell(x) for x in line] for line in (*lines[:MOST], *lines[MOST:][-MOST:])]
    if len(lines) > 2 * MOST:
        texts.insert(MOST, ["..."] * len(shown))
    return Table(title, shown, texts)


def _cell(value: object) -> str:
    from simulation.formatting import human

    if value is None or isinstance(value, bool):
        return "" if value is None else "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    return human(value) if isinstance(value, Number) else one_line(str(value), WIDEST)
