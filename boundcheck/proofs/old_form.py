"""Steps as rows of a tuple: the form that proofs not yet written as decorated functions have."""

from __future__ import annotations

from collections.abc import Callable

from boundcheck.proofs import step as new


class Step(new.Step):
    """A step whose check is one function without constants."""

    def __init__(
        self,
        claim: str,
        step: str,
        display: str,
        statement: str,
        premises: tuple[str, ...],
        check: Callable[[], new.Part],
        repair: str | None = None,
        consequence: str = "",
    ) -> None:
        super().__init__(
            claim,
            step,
            display,
            statement,
            premises,
            lambda: iter((check(),)),
            repair=None if repair is None else new.Repair(repair),
            consequence=consequence,
        )
