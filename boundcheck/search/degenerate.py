"""Named extreme instances, on which theories and programs often fail."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance


def _named(**catalogue: Instance) -> Mapping[str, Instance]:
    renamed = {name.replace("_", "-"): instance for name, instance in catalogue.items()}
    return MappingProxyType({name: i.with_(name=name) for name, i in renamed.items()})


HALF = Gaussian(Fraction(1, 2))

DEGENERATE: Mapping[str, Instance] = _named(
    two_arms_one_play=Instance(["0.6", "0.4"], [1, 1], 1),
    all_means_equal=Instance(["0.5"] * 4, [1, 2, 3, 1], 3),
    tie_at_the_last_optimal_arm=Instance(["0.9", "0.5", "0.5"], [1, 1, 1], 2),
    means_at_zero_and_one=Instance([1, 0, "0.5"], [1, 1, 1], 2),
    last_optimal_mean_zero=Instance(["0.9", 0, 0], [1, 1, 1], 2),
    all_capacities_one=Instance(["0.9", "0.7", "0.5", "0.3"], [1, 1, 1, 1], 3),
    all_capacities_full=Instance(["0.9", "0.7", "0.5", "0.3"], [3, 3, 3, 3], 3),
    one_optimal_arm=Instance([3, 2, 1], [2, 2, 2], 2, HALF),
    one_play_left=Instance(["0.9", "0.7", "0.5", "0.3"], [2, 3, 1, 1], 3),
    last_arm_exactly_full=Instance(["0.9", "0.7", "0.5", "0.3"], [1, 2, 1, 1], 3),
    no_spare_arm=Instance(["0.9", "0.8", "0.7", "0.6", "0.5"], [1, 1, 1, 1, 1], 4),
    means_far_above_one=Instance([30000, 20000, 10000], [1, 1, 1], 2, HALF),
    means_almost_equal=Instance(["0.500000001", "0.5", "0.499999999"], [2, 1, 1], 2),
    tiny_means=Instance(["3e-9", "2e-9", "1e-9"], [2, 1, 2], 2),
    tiny_variance=Instance(["0.9", "0.5", "0.1"], [2, 2, 1], 2, Gaussian(Fraction(1, 10**9))),
    variance_above_the_model=Instance(["0.9", "0.5", "0.1"], [2, 2, 1], 2, Gaussian(Fraction(2))),
    capacity_above_plays=Instance(["0.9", "0.5", "0.1"], [7, 1, 1], 2),
    negative_suboptimal_mean=Instance([2, 1, -3], [1, 1, 1], 2, HALF),
    peaked_beta=Instance(["0.9", "0.5", "0.1"], [1, 2, 1], 2, Beta(Fraction(10**6))),
    two_valued_beta=Instance(["0.9", "0.5", "0.1"], [1, 2, 1], 2, Beta(Fraction(1, 100))),
)
