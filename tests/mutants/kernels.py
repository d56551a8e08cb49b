"""What the simulator's kernels must do: certified formulas, exact fractions, all actions tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from math import floor, inf, sqrt
from typing import Any

import numpy as np
import sympy
from changed_code import Kernel
from law_free_kernels import law_free_kernels

from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator
from boundcheck.claims.functions import Defined
from boundcheck.claims.functions import kl as divergence
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.orch_explore.cards import INDEX
from simulation.learning import capacity
from simulation.learning.action import Action
from simulation.learning.arms import ARM, fill
from simulation.learning.likelihoods import Model
from simulation.policies import orch_explore
from simulation.rewards.samples import Empirical, Sample
from simulation.running import trace
from simulation.world import compiled, draws
from simulation.world.instance import Instance

FORMULA = "certified formula"
ACTIONS = "all actions tried"
_SHARES = (0.0, 0.125, 0.5, 0.75, 1.0)
_SMALL = Instance(["0.9", "0.6", "0.3", "0.2", "0.1"], [2, 1, 3, 2, 1], 4)


def _formula(expression: sympy.Expr, law: str = "bernoulli", **values: float) -> float:
    """The middle of a certified enclosure."""
    around = {s.sigma2} if s.sigma2.name in values else set()
    known = {
        symbol: BALLS.lift(np.array([[Fraction(values[symbol.name])]], dtype=object))
        for symbol in expression.free_symbols | around
    }
    with precision(128):
        return float(Evaluator(BALLS, known, law)(expression).item().mid())


def _close(found: float, expected: float) -> bool:
    return bool(found == expected or abs(found - expected) <= 1e-12 * abs(expected))


# -- divergence and index ----------------------------------------------------------------------

_P, _Q = sympy.symbols("p q")


def _divergence(kl: Any) -> bool:
    laws = (("bernoulli", draws.BERNOULLI), ("gaussian", draws.GAUSSIAN))
    with np.errstate(divide="ignore", invalid="ignore"):
        return all(
            _close(
                kl(code, 0.25, np.float64(p), np.float64(q)),
                _formula(divergence(_P, _Q), law, p=p, q=q, sigma2=0.25),
            )
            for law, code in laws
            for p, q in product(_SHARES, repeat=2)
        )


def _level(level: Any) -> bool:
    values = [_formula(INDEX, T=t) for t in range(3, 50)]
    return level(1) == level(2) == 0.0 and all(
        _close(level(t), value) for t, value in enumerate(values, 3)
    )


def _team(*arms: dict[str, float], order: tuple[int, ...]) -> Any:
    table = np.zeros(len(arms), dtype=ARM).view(np.recarray)
    for k, arm in enumerate(arms):
        for name, value in arm.items():
            table[name][k] = value
    size = len(arms)
    none = [np.zeros(size + 1, dtype=np.int64) for _ in range(3)]
    now = np.zeros(1, dtype=orch_explore.NOW).view(np.recarray)
    now["size"] = 1
    marks, whole = np.zeros(size, dtype=np.bool_), capacity.Confidence(0, 1.0, 1.0)
    told = (0, False, Model(draws.BERNOULLI, 0.0), whole)
    return orch_explore.State(table, np.array(order), none[0], none[1], marks, none[2], now, *told)


def _action(arms: int) -> Action:
    blank = Action.blank(arms)
    return blank._replace(plan=blank.plan.view(np.recarray))


def _indices(explorable: Any) -> bool:
    """Arms after L_t whose index, tau kl(muhat, x) <= f(t), reaches x."""
    for t, x, tau in product((2, 3, 40, 10**4), (0.5, 0.75), (1, 3, 5, 40)):
        seen = [0.25, 0.125, x, 0.5]
        counts = [tau, 0, tau, tau]
        arms = [{"muhat": m, "individual": n} for m, n in zip(seen, counts, strict=True)]
        team = _team({"muhat": x, "individual": 9}, *arms, order=(0, 1, 2, 3, 4))
        level = max(_formula(INDEX, T=t), 0.0) if t > 2 else 0.0
        due = [
            k
            for k, (m, n) in enumerate(zip(seen, counts, strict=True), 1)
            if n == 0 or m >= x or n * _formula(divergence(_P, _Q), p=m, q=x) <= level
        ]
        count = explorable(team, t)
        if list(team.candidates[:count]) != due:
            return False
    return _index_on_the_level(explorable)


def _index_on_the_level(explorable: Any) -> bool:
    """A Gaussian arm whose index is x to the last bit is explored."""
    t = next(t for t in range(3, 99) if 1.0 / (2.0 * _on_level(t)) == draws.exploration_level(t))
    normal = Model(draws.GAUSSIAN, _on_level(t))
    arms = ({"muhat": 1.0, "individual": 1}, {"muhat": 0.0, "individual": 1})
    return bool(explorable(_team(*arms, order=(0, 1))._replace(model=normal), t) == 1)


def _on_level(t: int) -> float:
    """The variance at which one observation is 1 below x and the index is x."""
    return 0.5 / float(draws.exploration_level(t))


# -- interval ------------------------------------------------------------------------------------


x, y, a, b, c, d = sympy.symbols("x y a b c d")


def _width(function: type[Defined]) -> Callable[[Any], bool]:
    def content(width: Any) -> bool:
        return width(0, 0.5) == inf and all(
            _close(width(n, delta), _formula(function(x, y), x=n, y=delta))
            for n, delta in product((1, 2, 7, 1000), (0.5, 0.03125))
        )

    return content


def _joint(psi: Any) -> bool:
    return (psi(0, 1, 0.5, 0.5) == psi(1, 0, 0.5, 0.5) == inf) and all(
        _close(
            psi(tau, iota, 0.125, 0.5), _formula(fn.psi(a, b, c, d), a=tau, b=iota, c=0.125, d=0.25)
        )
        for tau, iota in ((1, 1), (3, 1), (1, 4), (50, 7))
    )


def _of_kind(width: Any) -> bool:
    """s for each interval; 2 sigma scales it."""
    tau, iota, delta, scale = 3, 8, 0.125, 1.5
    each = {
        kind: sum(_formula(kind(x, y), x=n, y=delta) for n in (tau, iota))
        for kind in (fn.phi, fn.rho)
    }
    joint = _formula(fn.psi(a, b, c, d), a=tau, b=iota, c=delta, d=scale**2 / 4)
    due = (scale * each[fn.phi], scale * each[fn.rho], joint)
    return all(
        _close(width(capacity.Confidence(code, scale, delta), tau, iota), value)
        for code, value in enumerate(due)
    )


_EIGHTHS = [np.float64(n) / 8 for n in (-16, -4, 0, 3, 4, 8, 16, 30)]


def _bounds(narrowed: Any) -> bool:
    """Whole numbers from nuhat/(muhat + s) to nuhat/(muhat - s), in fractions."""
    for lower, upper in ((1, 4), (2, 3), (3, 3)):
        for muhat, nuhat, width in product(_EIGHTHS, _EIGHTHS, (0.5, 1.0, 2.0)):
            low, high = _interval(Fraction(muhat), Fraction(nuhat), Fraction(width), 4)
            met = max(lower, low), min(upper, high)
            due = met if met[0] <= met[1] else (lower, upper)
            with np.errstate(divide="ignore", invalid="ignore"):
                if narrowed(lower, upper, muhat, nuhat, np.float64(width), 4) != due:
                    return False
    return True


def _interval(muhat: Fraction, nuhat: Fraction, width: Fraction, plays: int) -> tuple[int, int]:
    low, high = 1, plays
    if muhat + width > 0:
        low = min(max(-floor(-nuhat / (muhat + width)), 1), plays)
    if muhat - width > 0:
        high = min(max(floor(nuhat / (muhat - width)), 1), plays)
    return low, high


def _meeting(tightened: Any) -> bool:
    """The whole numbers in both, if there are any."""
    pairs = [(low, high) for low, high in product(range(1, 5), repeat=2) if low <= high]
    for held, seen in product(pairs, repeat=2):
        both = set(range(held[0], held[1] + 1)) & set(range(seen[0], seen[1] + 1))
        due = (min(both), max(both)) if both else held
        if tightened(*held, *seen) != due:
            return False
    return True


# -- coin ------------------------------------------------------------------------------------------


class _Grid:
    """A generator that shows 0, 1/128, ..., 127/128, each once."""

    def __init__(self) -> None:
        self.left = iter(np.arange(128) / 128)

    def random(self) -> float:
        return float(next(self.left))


def _fair(coin: Any) -> bool:
    grid = _Grid()
    return sum(bool(coin(grid)) for _ in range(128)) == 64


def _picks(pick: Any) -> bool:
    grid = _Grid()
    return bool((np.bincount([pick(grid, 4) for _ in range(128)], minlength=4) == 32).all())


def _rewards(drawn: Any) -> bool:
    """Bernoulli: exactly its mean over the grid; Gaussian: mean and spread of normal values."""
    normal = drawn(draws.stream(1, 0), draws.GAUSSIAN, 4.0, 2.0, 0.5)
    if normal != 0.5 + 2.0 * draws.standard_normal(draws.stream(1, 0)):
        return False
    value = drawn(draws.stream(1, 0), draws.BETA, 3.0, sqrt(3.0), 0.25)
    if value != draws.beta(draws.stream(1, 0), 0.75, 2.25):
        return False
    grid = _Grid()
    return bool(sum(drawn(grid, draws.BERNOULLI, 0.0, 0.0, 0.375) for _ in range(128)) == 48.0)


def _samples(sampled: Any) -> bool:
    """Over the grid each value as often as its weight says, for an arm that is not the first."""
    weights = {Fraction(0): 1, Fraction(1, 4): 3, Fraction(1, 2): 4, Fraction(1): 8}
    law = Empirical((Sample.of({Fraction(1, 8): 1}), Sample.of(weights)))
    table, grid = compiled.table_of(law, 2), _Grid()
    seen = [sampled(grid, table, 1) for _ in range(128)]
    return all(seen.count(float(x)) == 8 * w for x, w in weights.items())


# -- oracle and clock ----------------------------------------------------------------------------


def _best(held: tuple[int, ...], order: tuple[int, ...], plays: int) -> list[int]:
    """Of all actions that fill no arm beyond what it holds, the best for means in this order."""
    worth = {k: 2.0**-place for place, k in enumerate(order)}
    actions = product(*(range(m + 1) for m in held))
    allowed = (a for a in actions if sum(a) == plays)
    return list(max(allowed, key=lambda a: sum(worth[k] * load for k, load in enumerate(a))))


def _filled(bound: str) -> Callable[[Any], bool]:
    """Arms are filled to a bound, those marked first (for the upper bound)."""

    def content(oracle: Any) -> bool:
        for held, order in product(product((1, 2, 3), repeat=3), permutations(range(3))):
            for plays, marked in product(range(1, sum(held)), product((False, True), repeat=3)):
                team = _team(*({bound: float(m)} for m in held), order=order)
                team.deserving[:] = marked
                first = [k for k in order if marked[k] and bound == "upper"]
                ranked = (*first, *(k for k in order if k not in first))
                due = _best(held, ranked, plays)
                action = _action(3)
                if bound == "upper":
                    oracle(team._replace(plays=plays), action)
                else:
                    oracle(team.arms, team.order, plays, action)
                size = int(action.plan["count"][0])
                found = list(action.loads), list(action.played[:size]), size
                if found != (due, list(ranked[:size]), sum(load > 0 for load in due)):
                    return False
        return True

    return content


def _loss(lost: Any) -> bool:
    """Added up over the arms, f(a*) - f(a) for every action."""
    known = compiled.World.of(_SMALL)
    with np.errstate(divide="ignore", invalid="ignore"):
        return all(
            _close(sum(lost(known, k, load) for k, load in enumerate(a)), float(_SMALL.regret(a)))
            for a in product(range(_SMALL.plays + 1), repeat=_SMALL.arms)
            if sum(a) == _SMALL.plays
        )


def _booked(settle: Any) -> bool:
    """Slots are counted one by one; sums and optimal slots stand at the checkpoints."""
    points, phases, none = (1, 4, 5), 2, np.zeros(0)
    found = trace.Trace(
        np.array(points),
        np.zeros((phases, len(points))),
        reward=np.zeros(len(points)),
        optimal=np.zeros(len(points)),
        candidates=np.zeros(len(points)),
        learned=none,
        lower=none,
        upper=none,
        played=none,
        regret_so_far=np.zeros(phases),
        reward_so_far=np.zeros(1),
        optimal_so_far=np.zeros(1),
        passed=np.zeros(1, dtype=np.int64),
        standing=np.array([7]),
        leaps=np.zeros(2, dtype=np.int64),
        stride=np.ones(1, dtype=np.int64),
        caution=inf,
    )
    lost, earned = [0.0, 0.5, 0.0, 0.25, 0.0, 0.0], [1.0, 0.5, 2.0, 0.0, 1.0, 4.0]
    for t, (loss, gain) in enumerate(zip(lost, earned, strict=True), 1):
        settle(found, t, t % phases, loss, gain)
    return all(
        [
            list(found.reward) == [sum(earned[:t]) for t in points],
            list(found.optimal) == [lost[:t].count(0.0) for t in points],
            list(found.candidates) == [7, 7, 7],
            found.regret.tolist()
            == [[sum(lost[1 - p : t : phases]) for t in points] for p in range(phases)],
        ]
    )


def kernels() -> Iterator[Kernel]:
    yield Kernel("kl", draws.kl, _divergence, FORMULA)
    yield Kernel("index", draws.exploration_level, _level, FORMULA)
    yield Kernel(
        "index",
        orch_explore.explorable,
        _indices,
        FORMULA,
        {"muhat >= x -> muhat > x": "at muhat = x the divergence is 0, and no level is below that"},
    )
    yield Kernel("interval", capacity.phi, _width(fn.phi), FORMULA)
    yield Kernel("interval", capacity.rho, _width(fn.rho), FORMULA)
    yield Kernel("interval", capacity.psi, _joint, FORMULA)
    yield Kernel("interval", capacity.width, _of_kind, FORMULA)
    yield Kernel("interval", capacity.narrowed, _bounds, "exact fractions")
    yield Kernel("interval", capacity.tightened, _meeting, "all pairs of bounds")
    yield Kernel("coin", draws.coin, _fair, "every value of a grid")
    yield Kernel("coin", draws.pick, _picks, "every value of a grid")
    yield Kernel("coin", draws.drawn, _rewards, "every value of a grid, and the same stream")
    yield Kernel("coin", draws.sampled, _samples, "every value of a grid")
    yield Kernel("oracle", fill, _filled("lower"), ACTIONS)
    yield Kernel("oracle", orch_explore.oracle_upper, _filled("upper"), ACTIONS)
    yield Kernel(
        "oracle",
        compiled.lost,
        _loss,
        ACTIONS,
        {"load < capacity -> load <= capacity": "at load = capacity both cases lose the same"},
    )
    yield from law_free_kernels()
    yield Kernel("clock", trace.settle, _booked, "sums slot by slot")
