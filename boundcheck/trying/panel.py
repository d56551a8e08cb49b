"""The standard panel: instances and horizons on which a typed bound is decided.

All have one play and arms of capacity 1: two arms far apart and close, five and twenty arms, ties,
near ties that shrink like sqrt(K/T) (where regret is largest for a given horizon), small and large
means, for every law that the claim admits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isqrt

from boundcheck.calculator.question import Question
from boundcheck.judging.default_statements.growth import Limit
from boundcheck.judging.default_statements.one_mean import Rewards
from boundcheck.judging.default_statements.regret import AtHorizon
from boundcheck.judging.effort import Effort
from simulation.errors import InputError, shown
from simulation.policies import Policy, refused
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.world.instance import Instance

LAWS: dict[str, tuple[RewardLaw, ...]] = {
    "bernoulli": (Bernoulli(),),
    "beta": (Beta(Fraction(4)),),
    "gaussian": (Gaussian(Fraction(1)), Gaussian(Fraction(1, 4))),
}
FIRST_HORIZON, FURTHEST = 10, 10**7
COUNTS = (1, 2, 3, 5, 10, 30, 100, 1000)
DELTAS = tuple(Fraction(x) for x in ("0.5", "0.2", "0.05", "0.01", "0.001"))
_UNIT = {
    "two arms, far": ("0.9", "0.1"),
    "two arms, the farthest": ("1", "0"),
    "two arms, close": ("0.55", "0.45"),
    "five arms": ("0.9", "0.8", "0.7", "0.6", "0.5"),
    "twenty arms": ("0.6", *["0.5"] * 19),
    "ties": ("0.7", "0.7", "0.4"),
    "small means": ("0.02", "0.01"),
    "large means": ("0.99", "0.98"),
}
_SMOOTH = ("two arms, far", "five arms")  # for laws with less variance, which are easier
_REAL = {
    "two arms, far": ("1", "0"),
    "two arms, very far": ("1000", "0"),
    "two arms, close": ("0.1", "0"),
    "five arms": ("1", "0.5", "0.5", "0.25", "0"),
    "five arms, very far": ("1000", "0", "0", "0", "0"),
    "twenty arms": ("0.5", *["0"] * 19),
    "ties": ("1", "1", "0"),
    "small means": ("0.01", "0"),
}
_NEAR = {"near tie": (2, 1), "near tie, less near": (2, 3), "ten near ties": (10, 1)}


def arms(means: Iterable[str | Fraction], law: RewardLaw, name: str) -> Instance | None:
    """An instance with one play on these arms; None where the law does not admit a mean."""
    exact = [Fraction(mean) for mean in means]
    if not all(law.admits(mean) for mean in exact):
        return None
    return Instance(exact, [1] * len(exact), 1, law, name=f"{name}, {law.name}")


def _instances(law: RewardLaw, horizon: int | None = None) -> Iterator[Instance]:
    """The instances of one law, with near ties if a horizon is given."""
    table = _UNIT if law.bounded else _REAL
    plain = table if isinstance(law, Bernoulli | Gaussian) else {n: table[n] for n in _SMOOTH}
    for name, means in plain.items():
        if (found := arms(means, law, name)) is not None:
            yield found
    if horizon is None:
        return
    for name, (count, multiple) in _NEAR.items():
        gap = multiple * Fraction(isqrt(10**8 * count // horizon), 10**4)  # sqrt(K/T), rounded
        low = Fraction(1, 2) - gap / 2 if law.bounded else Fraction(0)
        if (found := arms([low + gap, *[low] * (count - 1)], law, name)) is not None:
            yield found


def admitted(policy: Policy | None, law: str | None) -> tuple[RewardLaw, ...]:
    """The laws that a policy can run on; without a policy, the law on [0, 1] with the largest
    variance. `law` restricts to one.
    """
    if law is not None and law not in LAWS:
        raise InputError("--law", "law", shown(law), f"one of {', '.join(LAWS)}")
    chosen = LAWS if law is None else {law: LAWS[law]}
    every = [each for laws in chosen.values() for each in laws]
    if policy is None:
        return tuple(every) if law is not None else LAWS["bernoulli"]
    small = {each: arms(("0.6", "0.4"), each, "small") for each in every}
    reasons = {each: why for each, i in small.items() if i and (why := refused(policy, i, 100))}
    found = tuple(each for each in every if each not in reasons)
    if not found:
        raise InputError("--law", "law", shown(law or "any"), "; ".join(set(reasons.values())))
    return found


def horizon_asked(text: str | None) -> int | None:
    """A horizon from text such as 1e5."""
    if text is None:
        return None
    found = Question(horizon=text).horizon  # type: ignore[arg-type]
    if found.denominator != 1 or found > FURTHEST:
        raise InputError("--horizon", "horizon", shown(text), "a whole number, up to 1e7")
    return int(found)


def _horizons(effort: Effort, asked: int | None) -> list[int]:
    """Powers of ten up to the effort's horizon, or the one asked for."""
    if asked is not None:
        return [asked]
    found = [FIRST_HORIZON]
    while found[-1] < effort.horizon:
        found.append(10 * found[-1])
    return found


def regret_cases(laws: Iterable[RewardLaw], effort: Effort, asked: int | None) -> list[AtHorizon]:
    return [
        AtHorizon.at(instance, horizon)
        for law in laws
        for horizon in _horizons(effort, asked)
        for instance in _instances(law, horizon)
        if instance.arms <= horizon
    ]


def growth_cases(laws: Iterable[RewardLaw], effort: Effort) -> list[Limit]:
    question = Question(horizon=Fraction(effort.horizon), digits=15)
    return [
        Limit(instance, question, seen_until=effort.horizon)
        for law in laws
        for instance in _instances(law)
        if instance.arms <= 5 and instance.largest_regret <= 1
    ]


def coverage_cases(laws: Iterable[RewardLaw]) -> list[Rewards]:
    """One arm of each mean, with several numbers of rewards and levels."""
    means = {True: ("0.5", "0.1", "0.01", "0.9", "0.3"), False: ("0", "100")}
    return [
        Rewards.of(instance, delta, 1, count)
        for law in laws
        for mean in means[law.bounded]
        for count in COUNTS
        for delta in DELTAS
        if (instance := arms((mean, mean), law, f"mean {mean}")) is not None
    ]
