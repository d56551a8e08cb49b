"""A step of a proof: one displayed relation, its premises, and the parts that decide it.

A part is the result of one computation: a verdict, the formulas it decides, and the method.

A proof is written as decorated functions. The docstring states what the step asserts, the keyword
defaults are the constants as printed, and the parts that the function yields decide it:

    PROOF = Proof("lem-1.2")

    @PROOF.step("h", "D.1, the second interval rearranged", "g",
                repair=StepRepair("phi(iota) takes the place of phi(tau)", {"width": phi_iota}))
    def rearranged(width: Expr = phi_tau) -> Parts:
        \"""m <= nuhat/(mu - phi(tau)), as printed.\"""
        yield at_most(m * (mu - width), nuhat).on(WITHIN)

A function whose first parameter is `theory` is given the theory that is asked about: it reads the
card it proves there (`derivation`), so that another card makes another verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from boundcheck.judging.finding import Leaning, Verdict
from boundcheck.proof_steps.relations import Goal

if TYPE_CHECKING:
    from boundcheck.theory import Theory

EVERYWHERE = "wherever both sides are defined"  # the region of an identity
_THEORY = "theory"  # the parameter through which a step receives its theory
_SHORT_LABEL = re.compile(r"\d?[a-z]\d*")  # label of a step within its proof: a, 3b2


class Trust(StrEnum):
    """How a verdict was established, most trusted first."""

    PROOF_ASSISTANT = "proof assistant"
    SMT = "SMT solver"
    SYMBOLIC = "symbolic identity"
    ENCLOSURE = "certified enclosure"
    ENUMERATION = "exact enumeration"
    SAMPLE = "sample"
    STATEMENT = "statement"


_TRUST = {
    "identity": Trust.SYMBOLIC,
    "calculus": Trust.SYMBOLIC,
    "enclosure": Trust.ENCLOSURE,
    "linear program": Trust.ENCLOSURE,
    "exhaustive": Trust.ENUMERATION,
    "exact number": Trust.ENUMERATION,
    "search": Trust.ENUMERATION,  # counterexamples are checked in exact arithmetic
    "statement": Trust.STATEMENT,
}


@dataclass(frozen=True)
class Part:
    """The result of one computation: its region (or the point of failure) and details.

    `goals` are the formulas it decides, with None for anything that is not a formula. Without a
    verdict it asserts nothing. An undecided part that leans "for" had cases that all agree.
    """

    method: str
    verdict: Verdict | None
    region: str
    detail: str = ""
    goals: tuple[Goal | None, ...] = (None,)
    leans: Leaning | None = None

    def __post_init__(self) -> None:
        if not (self.method and self.region):
            raise ValueError("a part says how it was computed and where")

    def told(self, detail: str, region: str | None = None) -> Part:
        """The same result with another description, which must be true whatever the verdict."""
        return replace(self, detail=detail, region=region or self.region)

    @property
    def agrees(self) -> bool:
        """Whether a sample of cases was checked and none contradicts it."""
        return self.verdict is Verdict.UNDECIDED and self.leans is Leaning.FOR

    @property
    def stands(self) -> bool:
        """Whether it holds, or all cases checked agree."""
        return self.verdict in (Verdict.HOLDS, Verdict.SUPPORTED) or self.agrees

    @property
    def open(self) -> bool:
        return self.verdict is Verdict.UNDECIDED and not self.agrees

    @property
    def formulas(self) -> tuple[Goal, ...]:
        return tuple(goal for goal in self.goals if goal is not None)

    @property
    def formal(self) -> bool:
        """Whether it consists of formulas only, none of them trivial."""
        return bool(self.goals) and all(goal and not goal.trivial for goal in self.goals)

    @property
    def trust(self) -> Trust | None:
        """The least trusted of its methods; None for a definition, which asserts nothing."""
        grounds = [_TRUST[m] for m in self.method.split(" + ") if m != "definition"]
        if not grounds:
            return None
        if self.agrees or self.verdict is Verdict.SUPPORTED:  # some cases of many
            grounds.append(Trust.SAMPLE)
        if self.verdict is Verdict.REFUTED:  # at a point, by an enclosure
            grounds.append(Trust.ENCLOSURE)
        return max(grounds, key=list(Trust).index)


def combined(*parts: Part) -> Part:
    """Several parts as one: the most severe verdict, and where it was found."""
    worst = min(parts, key=_gravity)
    alike = [part for part in parts if _gravity(part) == _gravity(worst)]
    regions = [part.region for part in alike if part.region != EVERYWHERE] or [EVERYWHERE]
    methods = [method for part in parts for method in part.method.split(" + ")]
    return Part(
        " + ".join(dict.fromkeys(methods)),
        worst.verdict,
        "; ".join(dict.fromkeys(regions)),
        "; ".join(dict.fromkeys(part.detail for part in alike if part.detail)),
        tuple(goal for part in parts for goal in part.goals),
        worst.leans,
    )


def _gravity(part: Part) -> int:
    """Sort key: the part with the smallest value gives the verdict."""
    if part.verdict is Verdict.REFUTED or part.open:
        return 0 if part.verdict is Verdict.REFUTED else 1
    return 2 if part.verdict is None else 4 if part.verdict is Verdict.HOLDS else 3


def all_agree(method: str, region: str, detail: str, *, sample: bool) -> Part:
    """The part for cases that all agree; if they are only a sample, it is undecided."""
    if sample:
        return Part(method, Verdict.UNDECIDED, region, detail, leans=Leaning.FOR)
    return Part(method, Verdict.HOLDS, region, detail)


Parts: TypeAlias = Iterator[Part]
Deciding = TypeVar("Deciding", bound=Callable[..., Parts])


@dataclass(frozen=True)
class StepRepair:
    """What should be written instead, as a sentence without full stop, and what decides it.

    `by` is the step with other constants, or parts of another argument. `stands_in` names steps of
    the ledger that prove what is needed; the repair is decided if each of them `holds`. Without
    either (for a misprint, say) nothing is decided.
    """

    words: str
    by: Mapping[str, Any] | Callable[[], Iterable[Part]] | None = None
    stands_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One relation of a proof in the paper.

    `display` is its place, `statement` says it in our words, `premises` are what it uses (ids of
    earlier steps or claims, names of assumptions, or a result of the literature), and `parts`
    decides it. A step that stands has in `false_with` another value for each of its constants, with
    which it must be refuted. A step that is refuted has a `repair`, or in `true_with` constants
    with which it would stand. `under` gives, by the name of an assumption that the claim does not
    state, the constants that are valid where it holds. `consequence` says what follows for the
    claim.
    """

    claim: str
    step: str
    display: str
    statement: str
    premises: tuple[str, ...]
    parts: Callable[..., Parts]
    false_with: Mapping[str, Any] = field(default_factory=dict)
    true_with: Mapping[str, Any] = field(default_factory=dict)
    repair: StepRepair | None = None
    consequence: str = ""
    under: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.statement:
            raise ValueError(f"{self.step}: its docstring is the statement")
        by = self.repair.by if self.repair is not None else None
        changed = {*self.false_with, *self.true_with, *(by if isinstance(by, Mapping) else ())}
        changed |= {constant for constants in self.under.values() for constant in constants}
        if unknown := changed - set(self.constants):
            raise ValueError(f"{self.step}: no constant {', '.join(sorted(unknown))}")

    @property
    def constants(self) -> Mapping[str, Any]:
        """The printed constants: the default arguments of the function that decides."""
        parameters = signature(self.parts).parameters.items()
        return {name: p.default for name, p in parameters if name != _THEORY}

    @property
    def reads_card(self) -> bool:
        """Whether it depends on the content of a card."""
        return _THEORY in signature(self.parts).parameters

    def check(self, theory: Theory | None = None, /, **changed: Any) -> Part:
        """All parts together, with constants as printed or changed.

        A step that reads its card needs the theory to which the card belongs.
        """
        if self.reads_card and theory is None:
            raise ValueError(f"{self.step} reads its card: of which theory?")
        given = (theory,) if self.reads_card else ()
        return combined(*self.parts(*given, **changed))

    def repaired(self, theory: Theory | None = None) -> Part | None:
        """The part that decides the repair, if there is one."""
        if self.repair is None or self.repair.by is None:
            return None
        by = self.repair.by
        return self.check(theory, **by) if isinstance(by, Mapping) else combined(*by())

    def __str__(self) -> str:
        return self.step


class Proof:
    """The steps of one claim's proof, in the order in which they are defined.

    Steps are numbered after the claim (lem-1.2: 1.2-a) or `number`; a label that contains a number
    (C.1-a) is kept. `source` is prefixed to each display.
    """

    def __init__(self, claim: str, number: str | None = None, source: str = "") -> None:
        self.claim, self.source = claim, source
        self.number = number or claim.split("-", 1)[1]
        self._steps: list[Step] = []

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def step(
        self,
        label: str,
        display: str,
        needs: str | tuple[str, ...] = (),
        /,
        *,
        true_with: Mapping[str, Any] | None = None,
        repair: StepRepair | None = None,
        consequence: str = "",
        under: Mapping[str, Mapping[str, Any]] | None = None,
        **false_with: Any,
    ) -> Callable[[Deciding], Deciding]:
        """Decorator: the function decides this step; it is returned unchanged, so that other steps
        can use it.

        `needs` are the premises, separated by commas or as a tuple; the remaining keywords give for
        each printed constant a value with which the step must fail.
        """
        premises = tuple(needs.split(", ")) if isinstance(needs, str) else needs

        def add(parts: Deciding) -> Deciding:
            statement = " ".join((getdoc(parts) or "").split()).removesuffix(".")
            needed, where = tuple(map(self._needed, premises)), f"{self.source}{display}"
            names = (self.claim, self._full(label), where, statement)
            step = Step(
                *names, needed, parts, false_with, true_with or {}, repair, consequence, under or {}
            )
            self._steps.append(step)
            return parts

        return add

    def _full(self, label: str) -> str:
        return f"{self.number}-{label}" if _SHORT_LABEL.fullmatch(label) else label

    def _needed(self, premise: str) -> str:
        full = self._full(premise)
        if full != premise and full not in {step.step for step in self}:
            raise ValueError(f"{self.claim}: no step {premise} before the one that needs it")
        return full
