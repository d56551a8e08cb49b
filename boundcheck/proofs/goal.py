"""What a step asserts as a formula: what is judged here, and exported for others to judge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy

from boundcheck.proofs import relations as rel
from boundcheck.proofs.relations import Ranges


@dataclass(frozen=True)
class Goal:
    """lhs = rhs, lhs <= rhs or lhs < rhs, as the step writes it, for symbols in these ranges.

    An equation is asserted wherever both sides are defined; its ranges say where points are taken.
    """

    lhs: sympy.Expr
    relation: str
    rhs: sympy.Expr
    ranges: Ranges

    @property
    def equation(self) -> bool:
        return self.relation == "="

    @property
    def strict(self) -> bool:
        return self.relation == "<"

    @property
    def trivial(self) -> bool:
        """Both sides are the same as soon as they are built: whoever built them did the work."""
        return bool(self.lhs == self.rhs)

    @property
    def symbols(self) -> set[sympy.Symbol]:
        sides = (
            rel.unfolded(side).free_symbols | side.free_symbols for side in (self.lhs, self.rhs)
        )
        return set().union(*sides)

    @cached_property
    def gap(self) -> sympy.Expr:
        """What is 0, at least 0 or above 0; functions written out."""
        return rel.unfolded(self.rhs) - rel.unfolded(self.lhs)

    @property
    def domain(self) -> Ranges:
        """The ranges of the symbols that are met."""
        return {s: ends for s, ends in self.ranges.items() if s in self.gap.free_symbols}
