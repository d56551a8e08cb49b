"""Wrong versions of our own kernels and engine, one at a time: is each one noticed?"""

from dataclasses import replace

import pytest
from changed_code import changed_kernels
from kernels import kernels
from planted import MISTAKES, mistakes

from boundcheck.selftest.outcome import Result

KERNELS = {kernel.name: kernel for kernel in kernels()}


@pytest.mark.parametrize(
    "name",
    ["kl", "exploration_level", "explorable", "tightened", "coin", "level_at", "smallest_open"],
)
def test_every_change_of_a_kernel_is_caught_or_harmless(name):
    outcomes = [*changed_kernels(KERNELS[name])]
    assert outcomes
    assert [o.mutation for o in outcomes if o.failed] == []


def test_haste_8_level_half_of_t_and_floor_plus_1_are_among_the_changes():
    changes = {
        outcome.mutation: outcome
        for name in ("level_at", "smallest_open")
        for outcome in changed_kernels(KERNELS[name])
    }
    for words in (
        "haste, smallest_open: HASTE -> 8",
        "level, level_at: 0.25 -> 0.5",
        "haste, smallest_open: split.high // HASTE -> split.high // HASTE + 1",
    ):
        assert changes[words].caught


def test_kernels_of_every_part_are_changed():
    parts = {kernel.part for kernel in kernels()}
    assert parts == {"index", "clock", "kl", "interval", "coin", "oracle", "level", "haste"}


def test_a_change_that_nobody_looks_at_is_uncaught():
    blind = replace(KERNELS["coin"], content=lambda coin: True)
    assert {o.result for o in changed_kernels(blind)} == {Result.UNCAUGHT}


def test_a_kernel_that_is_wrong_from_the_start_is_no_base_for_mutants():
    with pytest.raises(RuntimeError, match="coin differs"):
        next(changed_kernels(replace(KERNELS["coin"], content=lambda coin: False)))


def test_every_planted_mistake_is_caught_and_taken_out_again():
    assert [o.mutation for o in mistakes() if not o.caught] == []
    assert all(detector() for _, detector in MISTAKES.values())
