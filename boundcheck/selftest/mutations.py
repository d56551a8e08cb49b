"""Wrong versions of the toolkit, planted one at a time: constants, clocks, coins, levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import sympy

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims import catalogue

Plant = Callable[[], AbstractContextManager[Any]]
MUTATIONS: dict[str, Plant] = {}


def mutation(name: str) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        MUTATIONS[name] = plant
        return plant

    return register


# -- in the claims -----------------------------------------------------------------------


@contextmanager
def _rewritten(claim: str, rewrite: Callable[[sympy.Expr], sympy.Expr]) -> Iterator[None]:
    """The card with every term's expression changed."""
    cards = catalogue()
    original = cards[claim]
    quantities = tuple(
        replace(q, terms=tuple(replace(t, expression=rewrite(t.expression)) for t in q.terms))
        for q in original.quantities
    )
    if quantities == original.quantities:
        raise AssertionError(f"the planted change of {claim} changes nothing")
    cards[claim] = replace(original, quantities=quantities)
    try:
        yield
    finally:
        cards[claim] = original


def _in_claim(name: str, claim: str, rewrite: Callable[[sympy.Expr], sympy.Expr]) -> None:
    MUTATIONS[name] = lambda: _rewritten(claim, rewrite)


def _number(old: int, new: sympy.Rational) -> Callable[[sympy.Expr], sympy.Expr]:
    return lambda expression: expression.replace(sympy.Integer(old), new)


_in_claim("49 becomes 4.9 in 5.3a", "thm-5.3a", _number(49, sympy.Rational(49, 10)))
_in_claim("a square is dropped in 5.3a", "thm-5.3a", lambda e: e.subs(s.m, sympy.sqrt(s.m)))
_in_claim("delta becomes 10 delta in 5.3a", "thm-5.3a", lambda e: e.subs(s.delta, 10 * s.delta))
_in_claim(
    "log(1/4 delta) becomes log(1/delta) in 4.1a",
    "thm-4.1a",
    lambda e: e.subs(s.delta, s.delta / 4),
)
_in_claim("342 becomes 34.2 in G.1", "thm-G.1", _number(342, sympy.Rational(342, 10)))
_in_claim("13 becomes 12 in 7.1", "thm-7.1", _number(13, sympy.Integer(12)))
_in_claim("arm L is forgotten in H.1", "thm-H.1", lambda e: e.subs(s.m_L, 0))
_in_claim(
    "kl has its arguments swapped in 7.1",
    "thm-7.1",
    lambda e: e.replace(fn.kl, lambda p, q: fn.kl(q, p)),
)


def _in_function(name: str, function: type[fn.Defined], formula: Callable[..., sympy.Expr]) -> None:
    @contextmanager
    def plant() -> Iterator[None]:
        cached = fn.Defined.__dict__["definition"].__func__
        cached.cache_clear()
        with patch.object(function, "formula", classmethod(lambda cls, *x: formula(*x))):
            yield
        cached.cache_clear()

    MUTATIONS[name] = plant


_in_function("F loses its -1", fn.F, lambda x: sympy.log(x) + 1 / x)
_in_function(
    "phi forgets the uniformity in time",
    fn.phi,
    lambda x, delta: sympy.sqrt((1 + 1 / x) * sympy.log(2 / delta) / (2 * x)),
)
_in_function(
    "kl of Gaussians without the 2",
    fn.kl_gaussian,
    lambda p, q: (p - q) ** 2 / s.sigma2,
)


@mutation("the two-point test uses one noncentrality for both capacities")
def _noncentrality() -> AbstractContextManager[Any]:
    from boundcheck import two_point

    original = two_point.noncentral_tail

    def wrong(n: int, noncentrality: Any, x: Any, *, upper: bool) -> Any:
        return original(n, noncentrality if upper else noncentrality / 4, x, upper=upper)

    return patch.object(two_point, "noncentral_tail", wrong)


# -- in the simulator --------------------------------------------------------------------


def _world(change: Callable[[Any], Any]) -> AbstractContextManager[Any]:
    from simulation import world

    original: Any = world.World.__dict__["of"].__func__
    changed = classmethod(lambda cls, instance: change(original(cls, instance)))
    return patch.object(world.World, "of", changed)


@mutation("a biased coin: rewards come 10 % too rarely")
def _coin() -> AbstractContextManager[Any]:
    return _world(lambda w: w._replace(means=w.means * 0.9))


@mutation("capacities off by one in the world")
def _capacity() -> AbstractContextManager[Any]:
    return _world(lambda w: w._replace(capacities=np.minimum(w.capacities + 1, w.plays)))


@mutation("a surplus play costs nothing")
def _surplus() -> AbstractContextManager[Any]:
    return _world(lambda w: w._replace(surplus=0.0))


@mutation("strict count of individual explorations")
def _strict() -> AbstractContextManager[Any]:
    return _runs(lambda arguments: arguments | {"options": {"reading": "literal"}})


@mutation("a clock that ticks twice a slot")
def _clock() -> AbstractContextManager[Any]:
    return _runs(
        lambda a: a | {"horizon": 2 * a["horizon"], "checkpoints": 2 * np.asarray(a["checkpoints"])}
    )


@mutation("a confidence of 0.999 in place of 2/T")
def _confidence() -> AbstractContextManager[Any]:
    return _runs(lambda arguments: arguments | {"options": {"delta": 0.999}})


@mutation("every run draws the same numbers")
def _stream() -> AbstractContextManager[Any]:
    from simulation import draws

    original = draws.stream
    return patch.object(draws, "stream", lambda seed, run: original(seed, 0))


def _runs(change: Callable[[dict[str, Any]], dict[str, Any]]) -> AbstractContextManager[Any]:
    from simulation import chunks

    original: Any = vars(chunks)["run_many"]
    names = ("instance", "policy", "horizon", "checkpoints", "seed", "first_run", "runs", "options")

    def wrong(*values: Any, **named: Any) -> Any:
        given = dict(zip(names, values, strict=False)) | named
        changed = change(given) if given["policy"].startswith("orch") else given
        return original(**changed)

    return patch.object(chunks, "run_many", wrong)


# -- in the evidence ---------------------------------------------------------------------


@mutation("binomial limits at ten times their level")
def _level() -> AbstractContextManager[Any]:
    from boundcheck.evidence import binomial

    original = binomial.lower_limit
    return patch.object(
        binomial,
        "lower_limit",
        lambda hits, trials, level: original(hits, trials, min(10 * level, 0.9)),
    )


@mutation("bets pay 1 % too much")
def _bets() -> AbstractContextManager[Any]:
    from boundcheck.evidence import betting

    original = betting._log_factors
    return patch.object(betting, "_log_factors", lambda x, stake: original(x, stake) + 0.01)


@mutation("bets are never placed")
def _idle() -> AbstractContextManager[Any]:
    from boundcheck.evidence import betting

    return patch.object(betting, "_log_factors", lambda x, stake: 0.0 * x)


@mutation("every statement gets the whole budget")
def _budget() -> AbstractContextManager[Any]:
    from boundcheck.evidence import ErrorPlan

    return patch.object(ErrorPlan, "level", lambda self, statement, parts=1: self.total)


@mutation("importance weights are left out")
def _weights() -> AbstractContextManager[Any]:
    from boundcheck.evidence import rare

    original = rare._Tilts.log_weight
    return patch.object(rare._Tilts, "log_weight", lambda *a: 0.0 * original(*a))
