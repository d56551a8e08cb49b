"""`bounds` and `check`: every bound of a theory for an instance, certified to the digits asked for,
with the state of its assumptions.

The value of each claim is computed from its card; verdicts come from the theory's last audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from flint import arb

from boundcheck.calculator.conditions import Condition, failing, foreign_law
from boundcheck.calculator.evaluation import ByArm, Evaluation
from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import EXACT
from boundcheck.calculator.optimise import best_epsilon, best_levels
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import ON_DEMAND, Number, Results, json_number
from boundcheck.calculator.setting import Setting
from boundcheck.calculator.values import certified_rows, informative, informative_from, live
from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Claim, Quantity
from simulation.escaping import one_line
from simulation.numbers import decimal
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

BOUND_COLUMNS = ("claim", "arm", "value", "quantity", "applies", "informative")
BOUND_FIELDS = (
    *("claim", "quantity", "arm", "value", "lower", "upper", "unit", "applies"),
    *("informative", "informative_from", "refuted", "instead", "epsilon"),
)
LEVEL_DIGITS = 12
CHECK_COLUMNS = ("claim", "name", "arm", "lhs", "rhs", "margin", "holds")


@dataclass(frozen=True, repr=False)
class Bound:
    """A number that a claim gives for an instance, for one arm or for the whole instance.

    value        the number, certainly between `lower` and `upper`; None if not finite
    applies      whether the stated assumptions hold; `assumptions` lists them with numbers
    informative  whether it is better than the trivial bound; None where there is no trivial bound
    refuted      whether the audit found the claim false, in general or because of an assumption
                 that fails here and is not stated; `instead` is the claim to use
    on_demand    whether the number was left out, since it takes long for so many arms

    >>> from boundcheck import bounds
    >>> (bound,) = bounds(Instance.load("paper"), Question(digits=6), ["cor-7.2"])
    >>> bound.text, bound.unit, bound.applies, bound.to_json()["terms"][1]["value"]
    ('5787.64', 'reward per log T', True, '5326.48')
    """

    claim: str
    quantity: str
    arm: int | None
    unit: str
    value: Number | None
    lower: Number | None
    upper: Number | None
    terms: tuple[tuple[str, Number | None], ...]
    # for each term, how far it could be tightened without being refuted
    slacks: tuple[float | None, ...]
    trust: Mapping[str, int]  # number of proof steps by how they were established
    assumptions: tuple[Condition, ...]
    implicit: tuple[Condition, ...]
    informative: bool | None
    informative_from: Number | None
    refuted: bool
    instead: str | None
    epsilon: Number | None
    levels: tuple[tuple[str, int | None, Fraction], ...]  # free levels as chosen: name, arm, value
    on_demand: bool
    ball: arb = field(repr=False, compare=False)

    @property
    def text(self) -> str | None:
        """The value with all its digits."""
        return json_number(self.value)

    @property
    def applies(self) -> bool:
        """Whether every stated assumption holds."""
        return all(c.holds for c in self.assumptions)

    @property
    def failing(self) -> tuple[Condition, ...]:
        """The stated assumptions that fail.

        >>> from boundcheck import bounds
        >>> (bound,) = bounds(Instance.load("paper"), claims=["thm-7.1"])
        >>> {condition.name for condition in bound.failing}
        {'horizon'}
        """
        return tuple(c for c in self.assumptions if not c.holds)

    @property
    def listed(self) -> bool:
        """Whether it belongs to the results that apply: its assumptions hold and it is not refuted.

        >>> from boundcheck import bounds
        >>> found = bounds(Instance.load("paper"), claims=["thm-4.3", "sharp-4.3"])
        >>> [(bound.claim, bound.listed) for bound in found]
        [('thm-4.3', False), ('sharp-4.3', True)]
        """
        return self.applies and not self.refuted

    def __repr__(self) -> str:
        from simulation.formatting import human

        arm = "" if self.arm is None else f", arm {self.arm}"
        here = "refuted" if self.refuted else "applies" if self.applies else "does not apply"
        value = ON_DEMAND if self.on_demand else human(self.value)
        return f"<Bound {self.claim}{arm}: {self.quantity} {value} {self.unit}, {here}>"

    def __getstate__(self) -> dict[str, Any]:
        # an arb cannot be pickled; it is rebuilt from its endpoints
        return self.__dict__ | {"ball": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        low, high = (json_number(state[end]) or "nan" for end in ("lower", "upper"))
        self.__dict__.update(state | {"ball": balls.ball_between(low, high)})

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck bounds --json`: numbers as text with all their digits."""
        levels = [
            {"name": name, "arm": arm, "value": decimal(value, LEVEL_DIGITS)}
            for name, arm, value in self.levels
        ]
        plain = {name: getattr(self, name) for name in BOUND_FIELDS}
        return {
            **{name: str(x) if isinstance(x, Number) else x for name, x in plain.items()},
            **({"levels": levels} if levels else {}),
            **({"on_demand": True} if self.on_demand else {}),
            "terms": [
                {"name": name, "value": json_number(value), "slack": slack}
                for (name, value), slack in zip(self.terms, self.slacks, strict=True)
            ],
            "trust": dict(self.trust),
            "failing": failing(self.assumptions),
            "assumptions": [condition.to_json() for condition in self.assumptions],
            "implicit_assumptions": [condition.to_json() for condition in self.implicit],
        }


def bounds(
    instance: Instance,
    question: Question | None = None,
    claims: Iterable[str | Claim] | None = None,
    *,
    theory: Theory,
    **asked: Any,
) -> Results[Bound]:
    """All bounds of a theory for an instance, or those of the claims given as ids or cards.

    What takes long for so many arms is only computed for claims that are given.
    """
    question, every = theory.question.asked(question, asked), claims is not None
    return bounds_of(theory.chosen(claims), instance, question, theory, every=every)


def bounds_of(
    cards: Iterable[Claim],
    instance: Instance,
    question: Question,
    theory: Theory,
    *,
    since: bool = True,
    every: bool = True,
) -> Results[Bound]:
    """The bounds of these cards. With `since`, also compute from which horizon each is
    informative; with `every`, also the numbers that take long for so many arms.
    """
    asked = Evaluation(instance, question, theory)
    found = [
        bound
        for card in cards
        for quantity in card.quantities
        for bound in _of_quantity(asked, card, quantity, since, every)
    ]
    return Results(found, f"{one_line(instance.name)}: bounds", BOUND_COLUMNS)


@dataclass(frozen=True)
class _Solved:
    """A quantity with its free parameters chosen: one enclosure of terms and total for each of
    `rows` (ranks; [None]: one for the instance), or `enclosures` is None because it has no value
    here: no admissible epsilon or level, a formula for another law, or on demand.
    """

    setting: Setting
    epsilon: Fraction | None
    rows: Sequence[int | None]
    on_demand: bool  # it was left out, since it takes long for so many arms
    enclosures: list[tuple[list[arb], arb]] | None


def _solved(asked: Evaluation, card: Claim, quantity: Quantity, every: bool) -> _Solved:
    setting, epsilon = asked.setting, None
    free = s.epsilon in quantity.symbols
    if free:
        epsilon = asked.question.epsilon
        if epsilon is None:
            epsilon = best_epsilon(quantity, setting)
        if epsilon is not None:
            setting = setting.given({s.epsilon: EXACT.constant(epsilon)})
    rows = None
    if quantity.rows is not None:
        ranks = setting.ranks_in(asked.narrowed(quantity.rows, quantity.symbols))
        rows = sorted(ranks, key=asked.arm)
    on_demand = not every and quantity.on_demand is not None
    on_demand = on_demand and bool(live(quantity.on_demand, setting).all())
    computed = not on_demand and foreign_law(card, asked.instance) is None
    levels = best_levels(quantity, setting) if computed else None
    setting = setting.given(levels or {})
    solvable = levels is not None and (epsilon is not None or not free)
    digits = asked.question.digits
    enclosures = certified_rows(quantity, setting, rows, digits) if solvable else None
    shown = rows if rows is not None else [None]
    return _Solved(setting, epsilon, shown, on_demand, enclosures)


def _of_quantity(
    asked: Evaluation, card: Claim, quantity: Quantity, since: bool, every: bool
) -> Iterator[Bound]:
    """A row for each arm of the quantity, by number, or one for the instance. Every number shown
    encloses the card's formula at the epsilon and levels shown; assumptions are decided there too.
    """
    solved, digits = _solved(asked, card, quantity, every), asked.question.digits
    setting, epsilon, enclosures = solved.setting, solved.epsilon, solved.enclosures
    stated = [asked.state(a, setting) for a in (*card.assumptions, *quantity.assumptions)]
    silent = [asked.state(a, setting, implicit=True) for a in card.implicit]
    known, instead = asked.theory.recorded(card), card.instead
    slacks = [asked.theory.slack(card, quantity.name, term.name) for term in quantity.terms]
    said = None
    if enclosures and since:
        said = informative_from(quantity, setting, enclosures[0][0])
    for position, rank in enumerate(solved.rows):
        arm = None if rank is None else asked.arm(rank)
        terms, total = ([], arb.nan()) if enclosures is None else enclosures[position]
        unstated = _relevant(silent, quantity, arm)
        missing = any(not condition.holds for condition in unstated)
        yield Bound(
            claim=card.id,
            quantity=quantity.name,
            arm=arm,
            unit=quantity.unit,
            value=Number.of(balls.midpoint(total, digits)),
            lower=Number.of(balls.lower(total, digits)),
            upper=Number.of(balls.upper(total, digits)),
            terms=tuple(
                (term.name, Number.of(balls.midpoint(value, digits)))
                for term, value in zip(quantity.terms, terms, strict=False)
            ),
            slacks=tuple(slacks[: len(terms)]),
            trust={} if known is None else known.trust,
            assumptions=_relevant(stated, quantity, arm),
            implicit=unstated,
            informative=None if solved.on_demand else informative(quantity, total, setting),
            informative_from=Number.of(said),
            refuted=asked.theory.refutes(card, missing),
            instead=instead,
            epsilon=None if epsilon is None else Number(decimal(epsilon, digits)),
            levels=() if enclosures is None else tuple(_chosen(asked, quantity, setting)),
            on_demand=solved.on_demand,
            ball=total,
        )


def _chosen(
    asked: Evaluation, quantity: Quantity, setting: Setting
) -> Iterator[tuple[str, int | None, Fraction]]:
    """The free levels in use as (name, arm, value), once for each arm or once in all."""
    for level in quantity.levels:
        values, name = setting.values[level.symbol][0], str(level.symbol)
        if level.over is not None:
            for rank in setting.ranks_in(level.over):
                yield name, asked.arm(rank), values[rank - 1]
        elif live(level.when, setting).any():
            yield name, None, values[0]


def _relevant(groups: list[ByArm], quantity: Quantity, arm: int | None) -> tuple[Condition, ...]:
    """All conditions, or for a row of one arm those on that arm and those on the whole instance."""
    if quantity.rows is None:
        return tuple(condition for group in groups for condition in group.values())
    return tuple(group[key] for group in groups for key in (None, arm) if key in group)


@dataclass(frozen=True, repr=False)
class CheckedAssumption:
    """An assumption of a claim on this instance."""

    claim: str
    condition: Condition

    def __repr__(self) -> str:
        c = self.condition
        holds = "holds" if c.holds else "fails"
        return f"<{self.claim}: {c.name} {holds}: {c.assumption.statement}; {c.found()}>"

    def to_json(self) -> dict[str, Any]:
        c = self.condition
        more = {"margin": c.margin, "implicit": c.implicit}
        told = {"statement": c.assumption.statement, "witness": c.witness}
        return {"claim": self.claim, **c.to_json(), **more, **told}


def check(
    instance: Instance,
    question: Question | None = None,
    claims: Iterable[str | Claim] | None = None,
    *,
    theory: Theory,
    **given: Any,
) -> Results[CheckedAssumption]:
    """The assumptions of all claims (or of some) on an instance; keywords as for `bounds`."""
    asked = Evaluation(instance, theory.question.asked(question, given), theory)
    arms_in = cache(lambda over: {asked.arm(rank) for rank in asked.setting.ranks_in(over)})
    found = []
    for card in theory.chosen(claims):
        ranges = [q.rows and asked.narrowed(q.rows, q.symbols) for q in card.quantities]
        spoken = set().union(*(arms_in(over or EVERY_ARM) for over in ranges or [EVERY_ARM]))
        for assumption in (*card.stated, *card.implicit):
            state = asked.state(assumption, asked.setting, implicit=assumption in card.implicit)
            met = set() if assumption.relation is None else assumption.relation.free_symbols
            arms = spoken & arms_in(asked.narrowed(EVERY_ARM, met))
            rows = [row for arm, row in state.items() if arm is None or arm in arms]
            found += [CheckedAssumption(card.id, row) for row in rows]
    return Results(found, f"{one_line(instance.name)}: assumptions", CHECK_COLUMNS)
