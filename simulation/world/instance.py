"""`Instance`: K arms with means and capacities, N plays per slot, and a reward law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

from simulation.errors import InputError, shown
from simulation.escaping import html_table, one_line
from simulation.files.fields import (
    arm_names,
    few,
    number_field,
    text_field,
    unit_of_reward,
    whole_field,
)
from simulation.files.knowledge import Knowledge
from simulation.files.reading import (
    content,
    law_named,
    only_known,
    parsed,
    reward_law,
    standard_input,
)
from simulation.files.toml_writing import instance_toml
from simulation.numbers import decimal, listed
from simulation.rewards.laws import RewardLaw, described
from simulation.rewards.samples import Empirical, loose_scale
from simulation.world.arms_and_plays import ArmsAndPlays

LONGEST_LABEL = 40  # characters of an arm's name in a table


@dataclass(frozen=True, repr=False)
class Instance(ArmsAndPlays):
    """A multiple-play bandit with shareable arms of finite capacity.

    means, capacities   of the arms, in any order; numbers are exact ("2/3", 0.9 is 9/10)
    plays        plays in each slot, fewer than arms
    reward       a law, or the name of one with its parameters as keywords (default: Bernoulli)
    name         of the instance
    knowledge    what is known in advance, for the advice of a report
    names, unit  of the arms and of rewards, for tables and figures
    where        what error messages call the instance

    >>> Instance(means=[0.9, 0.5], capacities=[1, 1], plays=1, reward="gaussian", variance=0.01)
    <Instance instance: 2 arms, 1 play, gaussian, variance 0.01>
    >>> two = Instance(means=[0.5, 0.9, 0.1], capacities=[2, 1, 1], plays=2)
    >>> two.optimal_action, two.L, two.remaining_plays, two.optimal_reward
    ((1, 1, 0), 2, 1, Fraction(7, 5))
    >>> two.arms, two.order, two.last_arm, two.gap(2, 1), two.equal_means, two.warnings
    (3, (1, 0, 2), 0, Fraction(2, 5), (), ())
    >>> two.expected_reward([2, 0, 0]), two.regret([2, 0, 0]), two.largest_regret
    (Fraction(1, 1), Fraction(2, 5), Fraction(13, 10))
    >>> two.with_(plays=1).to_json()["optimal_action"], Instance.from_toml(two.to_toml()) == two
    ([0, 1, 0], True)
    """

    means: tuple[Fraction, ...]
    capacities: tuple[int, ...]
    plays: int
    reward: RewardLaw
    name: str
    knowledge: Knowledge
    names: tuple[str, ...]  # of the arms; empty if they have numbers only
    unit: str | None  # unit of measurement of a reward times the scale

    def __init__(
        self,
        means: Iterable[Any],
        capacities: Iterable[Any],
        plays: Any,
        reward: RewardLaw | str | None = None,
        name: str = "instance",
        knowledge: Knowledge = Knowledge(),  # noqa: B008 (it cannot change)
        names: Iterable[str] = (),
        unit: str | None = None,
        *,
        where: str = "instance",
        **parameters: Any,
    ) -> None:
        law = law_named(where, "bernoulli" if reward is None else reward, parameters)
        means, capacities = few(where, "means", means), few(where, "capacities", capacities)
        values = {
            "plays": whole_field(where, "plays", plays),
            "means": tuple(number_field(where, f"means[{k}]", x) for k, x in enumerate(means, 1)),
            "capacities": tuple(
                whole_field(where, f"capacities[{k}]", x) for k, x in enumerate(capacities, 1)
            ),
            "reward": law,
            "name": text_field(where, "name", name),
            "knowledge": knowledge,
            "names": arm_names(where, names, len(means)),
            "unit": unit_of_reward(where, unit),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._validate(where)

    def _validate(self, where: str) -> None:
        arms, plays = len(self.means), self.plays
        if len(self.capacities) != arms:
            found = f"{len(self.capacities)} capacities for {arms} means"
            raise InputError(where, "capacities", found, "one capacity for each mean")
        if plays >= arms:
            found = f"{plays} plays for {arms} arms"
            expected = (
                "fewer plays than arms (add arms of mean 0, where plays can idle: what can be "
                "earned stays the same)"
            )
            raise InputError(where, "plays", found, expected)
        self._require_fitting_law(where)
        for k, mean in enumerate(self.means, 1):
            if not self.reward.admits(mean):
                expected = f"{self.reward.mean_range} (reward law {self.reward.name})"
                raise InputError(where, f"means[{k}]", decimal(mean, 12), expected)
        worst = self.order[self.L - 1]
        if self.means[worst] < 0:
            # all N plays must be placed: with a negative mean among the arms that take them,
            # filling arms in the order of their means is no longer the best allocation
            raise InputError(
                where,
                f"means[{worst + 1}]",
                decimal(self.means[worst], 12),
                f"0 or more among the best arms that take the {plays} plays",
            )

    def _require_fitting_law(self, where: str) -> None:
        """A law with a part for each arm must have these arms, and their means."""
        law = self.reward
        if law.arms not in (None, self.arms):
            found = f"{law.arms} arms in the law {law.name}, {self.arms} capacities"
            raise InputError(where, "reward", found, "as many as there are arms")
        if isinstance(law, Empirical) and law.means != self.means:
            wrong = next(k for k, mean in enumerate(law.means) if mean != self.means[k])
            expected = f"{decimal(law.means[wrong], 12)}, the mean of the sample, or no means"
            raise InputError(where, f"means[{wrong + 1}]", decimal(self.means[wrong], 12), expected)

    # -- in words and changed ---------------------------------------------------------------

    def label(self, arm: int, number: str = "arm {}") -> str:
        """An arm (numbered from 1) as shown to people: its name, or its number.

        >>> named = Instance([0.9, 0.5], [1, 1], 1, names=["Station 1", "Station 2"])
        >>> named.label(2), named.with_(names=()).label(2), named.with_(names=()).label(2, "{}")
        ('Station 2', 'arm 2', '2')
        """
        return one_line(self.names[arm - 1], LONGEST_LABEL) if self.names else number.format(arm)

    @property
    def played(self) -> str:
        """The best action in words.

        >>> Instance([0.9, 0.5], [1, 1], 1).played
        '1 on arm 1'
        """
        action = enumerate(self.optimal_action, 1)
        return ", ".join(f"{plays} on {self.label(arm)}" for arm, plays in action if plays)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Whatever is legal but may be meant otherwise; one line each."""
        loose = loose_scale(self.reward) if isinstance(self.reward, Empirical) else None
        return () if loose is None else (loose,)

    def with_(self, **changes: Any) -> Instance:
        """A copy with some fields changed."""
        same = {field.name: getattr(self, field.name) for field in fields(self)}
        if "means" in changes and len(changes["means"]) != self.arms:
            same["names"] = ()  # other arms
        return Instance(**(same | changes))

    def kept(self, arms: Sequence[int], **changes: Any) -> Instance:
        """The instance with these arms only (positions), and possibly other fields changed.

        >>> Instance([0.9, 0.5, 0.1], [1, 2, 1], 2).kept([1, 2], plays=1).capacities
        (2, 1)
        """
        same = {
            "means": [self.means[k] for k in arms],
            "capacities": [self.capacities[k] for k in arms],
            "reward": self.reward.kept(arms),
            "names": [self.names[k] for k in arms] if self.names else (),
        }
        return self.with_(**(same | changes))

    # -- in and out ----------------------------------------------------------------------

    @classmethod
    def from_toml(cls, text: str, where: str = "instance", folder: Path | None = None) -> Instance:
        """Read the text of an instance file; files that it names are searched for in `folder`.

        >>> Instance.from_toml("plays = 1\\nmeans = [0.5, '1/3']\\ncapacities = [1, 1]").means
        (Fraction(1, 2), Fraction(1, 3))
        """
        return cls.from_table(parsed(text, where), where, folder)

    @classmethod
    def from_table(
        cls, table: Mapping[str, Any], where: str = "instance", folder: Path | None = None
    ) -> Instance:
        """Read a parsed instance file; `folder` is where its data files are.

        >>> Instance.from_table({"plays": 1, "means": [0.5, 0.2], "capacities": [1, 1]}).L
        1
        """
        known = ("name", "plays", "means", "capacities", "names", "unit", "reward", "knowledge")
        only_known(where, "", table, known)
        law = reward_law(where, table.get("reward", {"law": "bernoulli"}), folder)
        measured = {"means": list(law.means)} if isinstance(law, Empirical) else {}
        given = measured | dict(table)
        for field in ("plays", "means", "capacities"):
            if field not in given:
                raise InputError(where, field, "missing", "plays, means and capacities")
        for field in ("means", "capacities"):
            if not isinstance(given[field], list):
                raise InputError(where, field, shown(given[field]), "a list of numbers")
        name = table.get("name", one_line(Path(where).stem) or "instance")
        knowledge = Knowledge.from_table(table.get("knowledge", {}), where)
        arms = given["means"], given["capacities"], given["plays"]
        words = {field: table[field] for field in ("names", "unit") if field in table}
        return cls(*arms, law, name, knowledge, **words, where=where)

    @classmethod
    def load(cls, source: str | Path) -> Instance:
        """A shipped instance by name, a TOML file by path, or `-` for standard input.

        >>> Instance.load("textbook").capacities
        (2, 3, 1, 2, 1)
        """
        label = str(source)
        if label == "-":
            return cls.from_toml(standard_input(), "stdin", Path())
        path = Path(source)
        if label in shipped() and not path.is_file():
            text = (resources.files("simulation") / "instances" / f"{label}.toml").read_text()
            return cls.from_toml(text, label)
        return cls.from_toml(content(path, _nearest(label)), label, path.parent)

    def to_toml(self) -> str:
        """The text of an instance file, from which `load` reads an equal instance."""
        return instance_toml(self)

    def to_json(self, digits: int = 30) -> dict[str, Any]:
        """The instance in JSON; inexact numbers as decimal text."""
        variance = self.reward.variance
        return {
            "name": self.name,
            "reward": self.reward.name,
            "variance": None if variance is None else decimal(variance, digits),
            **self.reward.to_json(digits),
            "means": [decimal(x, digits) for x in self.means],
            "capacities": list(self.capacities),
            "plays": self.plays,
            "L": self.L,
            "remaining_plays": self.remaining_plays,
            "optimal_action": list(self.optimal_action),
            "optimal_reward": decimal(self.optimal_reward, digits),
            **({"names": list(self.names)} if self.names else {}),
            **({} if self.unit is None else {"unit": self.unit}),
        }

    @property
    def _plays(self) -> str:
        return "1 play" if self.plays == 1 else f"{self.plays} plays"

    def __repr__(self) -> str:
        law = described(self.reward)
        return f"<Instance {one_line(self.name)}: {self.arms} arms, {self._plays}, {law}>"

    def __str__(self) -> str:
        best = f"{listed(self.optimal_action)}: {decimal(self.optimal_reward, 6)} a slot"
        law = described(self.reward)
        return (
            f"{one_line(self.name)}: {self.arms} arms, {self._plays}, rewards {law}\n"
            f"means       {listed(self.means)}\n"
            f"capacities  {listed(self.capacities)}\n"
            f"best action {best}"
        )

    def _repr_html_(self) -> str:
        rows = [
            (
                self.label(k + 1, "{}"),
                decimal(self.means[k], 6),
                str(m),
                str(self.optimal_action[k]),
            )
            for k, m in enumerate(self.capacities)
        ]
        caption = f"{one_line(self.name)}: {self._plays}, {described(self.reward)}"
        return html_table(("arm", "mean", "capacity", "optimal plays"), rows, caption)


def shipped() -> tuple[str, ...]:
    """Names of the instances that come with the package.

    >>> "paper" in shipped()
    True
    """
    files = (resources.files("simulation") / "instances").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


def _nearest(label: str) -> str:
    close = get_close_matches(label, shipped(), n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"a TOML file or one of {', '.join(shipped())}{hint}"
