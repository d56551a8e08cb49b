"""The parameters that a user can ask about: horizon, confidence, epsilon, and a theory's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Self

from sympy import Symbol

from boundcheck.claims import symbols as s
from boundcheck.claims.card import Range
from simulation.errors import InputError, shown
from simulation.numbers import decimal, entered


@dataclass(frozen=True)
class Parameter:
    """What a field of a question may be, and what it is in formulas.

    expected      the values it may have, in words
    good          the same as a condition
    symbol        its symbol in the formulas of cards
    whole         whether it is a whole number
    default_arms  where it may be None: the arms for which quantities that depend on it are then
                  computed (None: all their arms)
    """

    expected: str
    good: Callable[[Fraction], bool]
    symbol: Symbol | None = None
    whole: bool = False
    default_arms: Range | None = None

    def checked(self, name: str, value: object) -> Fraction | int:
        """The value as an exact number, after a check that it is a good one."""
        try:
            number = entered(value)
        except ValueError as error:
            found = f"{shown(value)} ({error})"
            raise InputError(f"--{name}", name, found, self.expected) from None
        if not self.good(number) or (self.whole and number.denominator != 1):
            raise InputError(f"--{name}", name, shown(value), self.expected)
        return int(number) if self.whole else number


def parameter(
    expected: str, good: Callable[[Fraction], bool], symbol: Symbol | None = None, **more: Any
) -> dict[str, Parameter]:
    """The metadata of a field of a question; the arguments are those of `Parameter`."""
    return {"is": Parameter(expected, good, symbol, **more)}


ABOVE_0: tuple[str, Callable[[Fraction], bool]] = ("a number above 0", lambda x: x > 0)


@dataclass(frozen=True)
class Question:
    """The parameters of a computation, stored as exact numbers. A theory whose formulas have
    further parameters adds them in a subclass (`Theory.question`).

    delta, horizon   confidence parameter and number of slots T
    epsilon          free parameter of some bounds (None: the value that makes the bound smallest)
    samples          number of explorations in confidence intervals
    digits           digits to compute

    >>> Question(horizon="1e5", delta=0.01).delta
    Fraction(1, 100)
    >>> Question(horizon="10^532", digits=6).to_json()["horizon"]
    '1e+532'
    """

    delta: Fraction = field(
        default=Fraction(1, 20),
        metadata=parameter("a number strictly between 0 and 1", lambda x: 0 < x < 1, s.delta),
    )
    horizon: Fraction = field(
        default=Fraction(10**6),
        metadata=parameter("a number of 2 or more, such as 1e6 or 10^532", lambda x: x >= 2, s.T),
    )
    epsilon: Fraction | None = field(default=None, metadata=parameter(*ABOVE_0, s.epsilon))
    samples: int = field(
        default=10,
        metadata=parameter(
            "a whole number of 1 or more (at most 1000000)",
            lambda x: 1 <= x <= 10**6,
            s.n,
            whole=True,
        ),
    )
    digits: int = field(
        default=30,
        metadata=parameter("a whole number from 3 to 1000", lambda x: 3 <= x <= 1000, whole=True),
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            value, rule = getattr(self, each.name), _rule(each)
            if value is not None or each.default is not None:
                object.__setattr__(self, each.name, rule.checked(each.name, value))

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The parameters that formulas can contain, by name.

        >>> "horizon" in Question.parameters(), "digits" in Question.parameters()
        (True, False)
        """
        return {each.name: _rule(each) for each in fields(cls) if _rule(each).symbol is not None}

    @classmethod
    def of(cls, question: Question | None) -> Self:
        """The question as one of this theory: what only the other one has must be at its
        default.

        >>> Question.of(None) == Question()
        True
        """
        if type(question) is cls:
            return question
        own, given = [each.name for each in fields(cls)], {}
        for each in fields(question) if question is not None else ():
            value = getattr(question, each.name)
            if each.name in own:
                given[each.name] = value
            elif value != each.default:
                raise _unknown(each.name, own)
        return cls(**given)

    @classmethod
    def asked(cls, question: Question | None, given: Mapping[str, Any]) -> Self:
        """The given question, with keywords (numbers or text) replacing its parameters.

        >>> Question.asked(None, {"horizon": 1e6, "delta": "1/100"}).delta
        Fraction(1, 100)
        """
        own = [each.name for each in fields(cls)]
        for name in given:
            if name not in own:
                raise _unknown(name, own)
        return replace(cls.of(question), **given)

    def to_json(self) -> dict[str, Any]:
        """The parameters as repeated in every command's JSON."""
        return {
            each.name: decimal(value, self.digits) if isinstance(value, Fraction) else value
            for each in fields(self)
            for value in [getattr(self, each.name)]
        }


def _rule(each: Field[Any]) -> Parameter:
    found: Parameter = each.metadata["is"]
    return found


def _unknown(name: str, own: list[str]) -> InputError:
    return InputError(name, "argument", "unknown", f"one of {', '.join(own)}")
