"""The proof of `sharp-7.1`: page and ledger agree, slots are as it says, and regret is below it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random

import numpy as np
import pytest
from orch_explore_bound import drawn, ratios
from paper import card_text, exact_setting

from boundcheck import find, ledger
from boundcheck.calculator.question import Question
from boundcheck.cli import main
from boundcheck.judging.finding import Verdict
from boundcheck.judging.standing import Standing
from boundcheck.proof_steps.ledger import Entry
from boundcheck.theories.shareable_arms import symbols as s
from simulation.world.instance import Instance

PAGE = Path(__file__).parents[1] / "docs" / "theorems" / "orch-explore.md"


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return ledger("sharp-7.1")


def test_the_page_names_every_step_and_no_other(entries: list[Entry]) -> None:
    cited = re.findall(r"\[([a-z]\d(?:, [a-z]\d)*)\]", PAGE.read_text(encoding="utf-8"))
    labels = {label for group in cited for label in group.split(", ")}
    assert {f"sharp-7.1-{label}" for label in labels} == {entry.step.step for entry in entries}


def test_the_card_is_a_theorem_because_every_step_holds(entries: list[Entry]) -> None:
    said = Standing(find("sharp-7.1"), (), tuple(entries)).proved
    assert said is not None
    assert said.startswith("theorem; quoted: Hoeffding's lemma, Ville's inequality")
    assert f"proved: {said}" in card_text(find("sharp-7.1"))
    sampled = replace(entries[3].checked, verdict=Verdict.SUPPORTED)
    changed = (*entries[:3], replace(entries[3], checked=sampled), *entries[4:])
    less = Standing(find("sharp-7.1"), (), changed).proved
    assert less is not None
    assert less.startswith("proved up to steps sharp-7.1-a4; quoted")


def test_the_levels_are_shown_with_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bounds", "paper", "--claim", "sharp-7.1", "--horizon", "1e5"]
    with pytest.raises(SystemExit):
        main([*arguments, "--json"])
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert float(row["value"]) <= 5.3e4
    by_arm = {"c_k": range(4, 10), "e_k": range(4, 10), "y_k": (1, 2)}
    once = ("z_J", "z_L", "b", "b''", "b'")
    expected = [(name, arm) for name, arms in by_arm.items() for arm in arms]
    found = [(level["name"], level["arm"]) for level in row["levels"]]
    assert found == [*expected, *((name, None) for name in once)]
    with pytest.raises(SystemExit):
        main(arguments)
    shown = capsys.readouterr().out
    assert "Free levels, as chosen" in shown
    with pytest.raises(SystemExit):
        main(["bounds", "paper", "--claim", "thm-7.1", "--json"])
    assert "levels" not in json.loads(capsys.readouterr().out)["rows"][0]


# -- slots, with nothing of the ledger ---------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """An individual slot and what comes after: arms from 0 by mean, bounds before and after it."""

    held: tuple[int, ...]
    plays: int
    lower: tuple[int, ...]
    later_lower: tuple[int, ...]
    later_upper: tuple[int, ...]
    order: tuple[int, ...]
    later_order: tuple[int, ...]

    @cached_property
    def last(self) -> int:
        return next(k for k in range(len(self.held)) if sum(self.held[: k + 1]) >= self.plays)

    @property
    def left(self) -> int:
        return self.plays - sum(self.held[: self.last])

    @cached_property
    def loads(self) -> dict[int, int]:
        """S_t in the order of filling."""
        found: dict[int, int] = {}
        for k in self.order:
            if room := self.plays - sum(found.values()):
                found[k] = min(room, self.lower[k])
        return found

    @cached_property
    def chosen(self) -> list[int]:
        """S_t without L_t."""
        return [*self.loads][:-1]

    @property
    def final(self) -> int:
        return [*self.loads][-1]

    @cached_property
    def unknown(self) -> list[int]:
        """Y, in the order of the united slot."""
        return [
            k
            for k in self.later_order
            if k in self.chosen and self.later_lower[k] < self.later_upper[k]
        ]

    def settled(self, lower: tuple[int, ...]) -> bool:
        """C_t."""
        before = all(lower[k] == self.held[k] for k in range(self.last))
        return before and lower[self.last] >= self.left

    @property
    def kind(self) -> str:
        if any(k not in self.chosen for k in range(self.last)):
            return "far"
        before = (
            [*self.loads][: [*self.loads].index(self.last)] if self.last in self.loads else None
        )
        return "near" if before is None or any(k > self.last for k in before) else "right"

    @property
    def switch(self) -> bool:
        return not self.settled(self.lower) and self.settled(self.later_lower)

    @property
    def overtaking(self) -> bool:
        """The first arm is L or beyond, and a better one of Y is behind it."""
        first, *others = self.unknown
        return first >= self.last and any(k <= self.last and k < first for k in others)


def pairs(count: int) -> list[Pair]:
    random, found = Random(7), []
    while len(found) < count:
        arms = random.randint(2, 7)
        plays = random.randint(1, arms - 1)
        held = tuple(random.randint(1, plays) for _ in range(arms))
        # bounds that are mostly known, or mostly not; rankings that are nearly right, or any
        known = random.choice((0.2, 0.8))
        lower = tuple(m if random.random() < known else random.randint(1, m) for m in held)
        closer = random.random()
        later = tuple(
            m if random.random() < closer else random.randint(low, m)
            for low, m in zip(lower, held, strict=True)
        )
        upper = tuple(m if random.random() < known else random.randint(m, plays) for m in held)
        spread = random.choice((0.5, 2, 9))
        orders = [
            tuple(sorted(range(arms), key=lambda k: k + spread * random.random())) for _ in range(2)
        ]
        found.append(Pair(held, plays, lower, later, upper, *orders))
    return found


PAIRS = pairs(20_000)


def test_every_kind_of_slot_and_of_first_arm_occurs() -> None:
    kinds = [pair.kind for pair in PAIRS]
    assert min(kinds.count(kind) for kind in ("right", "near", "far")) > 1_000
    right = [pair for pair in PAIRS if pair.kind == "right" and pair.unknown]
    assert sum(pair.switch for pair in right) > 20
    assert sum(pair.overtaking for pair in right) > 20


def test_right_slots_are_of_two_kinds() -> None:
    for pair in PAIRS:
        assert any(k >= pair.last for k in pair.loads)
        if pair.kind != "right":
            continue
        assert pair.final >= pair.last
        if pair.settled(pair.lower):
            best = dict(enumerate(pair.held[: pair.last])) | {pair.last: pair.left}
            assert pair.loads == best
            assert pair.final == pair.last
        if not pair.unknown:
            assert pair.settled(pair.later_lower)


def test_a_united_slot_after_a_right_one_is_claimed() -> None:
    for pair in PAIRS:
        if pair.kind == "right" and pair.unknown:
            first = pair.unknown[0]
            short = first == pair.last and pair.later_lower[first] < pair.left
            assert first < pair.last or short or pair.switch or pair.overtaking, pair


def test_after_a_near_slot_one_play_on_arm_l_leaves_nothing_to_pay() -> None:
    seen = 0
    for pair in PAIRS:
        if pair.kind == "near" and pair.left == 1:
            seen += 1
            if not pair.unknown:
                assert pair.settled(pair.later_lower)
            elif pair.unknown[0] >= pair.last:
                assert pair.overtaking or pair.switch, pair
    assert seen > 500


def test_who_waits_outside() -> None:
    for pair in PAIRS:
        outside = len(pair.held) - len(pair.loads)
        few = next(n for n in range(1, 99) if sum(sorted(pair.held)[-n:]) >= pair.plays)
        assert outside <= len(pair.held) - few
        if pair.kind == "far":
            k = next(k for k in range(pair.last) if k not in pair.chosen)
            if max(pair.loads) <= pair.last:
                assert pair.last in pair.loads
                if k not in pair.loads:
                    assert pair.held[k] <= pair.held[pair.last] - pair.left
        elif pair.kind == "near" and pair.last not in pair.loads:
            assert pair.final > pair.last
            assert outside <= len(pair.held) - (pair.last + 1)


def test_slots_lose_no_more_than_the_card_says() -> None:
    random = Random(8)
    for pair in PAIRS[::40]:
        arms = len(pair.held)
        means = [x / 100 for x in sorted(random.sample(range(101), arms), reverse=True)]
        instance = Instance(means, pair.held, pair.plays)
        values = exact_setting(instance, Question()).values
        c_acc, far, near = (values[x].item() for x in (s.c_acc, s.c_far, s.c_near))
        united = max(values[x].item() for x in (s.c_J, s.c_L, s.c_acc))
        spread = (instance.means[pair.last] - instance.means[-1]) / 2
        loads = [pair.loads.get(k, 0) for k in range(arms)]
        draws = [loads]
        for k in set(range(arms)) - set(pair.loads):
            moved = [*loads]
            moved[pair.final] -= 1
            moved[k] += 1
            draws.append(moved)
        lost = [instance.regret(action) for action in draws]
        if pair.kind == "right":
            assert lost[0] <= c_acc - spread
            assert all(each - lost[0] <= 2 * spread for each in lost)
        else:
            most = far if pair.kind == "far" else near + (united if pair.left == 1 else 0)
            assert all(each <= most - united for each in lost)


# -- simulated regret ---------------------------------------------------------------------------


def test_simulated_regret_is_below_the_bound() -> None:
    chance = np.random.default_rng(17)
    found = [row for seed in range(6) for row in ratios(drawn(chance), 2, seed, (100, 3_000))]
    assert min(least for _, _, least, _ in found) > 1
    assert not all(trivial for *_, trivial in found)
