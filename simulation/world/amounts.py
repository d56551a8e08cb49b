"""Rewards and losses in the instance's unit, in words."""

from __future__ import annotations

from simulation.escaping import one_line
from simulation.formatting import number
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance

_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
LONGEST_UNIT = 20


def amount(instance: Instance, rewards: float) -> str:
    """An amount of reward in the instance's unit; a plain number if it has none.

    >>> bits = Instance([0.9, 0.5], [1, 1], 1, unit="Mbps")
    >>> amount(bits, 210_000.0), amount(bits, 12.5), amount(bits.with_(unit=None), 12.5)
    ('0.21 million Mbps', '12.5 Mbps', '12.5')
    """
    if instance.unit is None:
        return number(rewards)
    law = instance.reward
    scaled = rewards * (float(law.scale) if isinstance(law, Empirical) else 1.0)
    unit = one_line(instance.unit, LONGEST_UNIT)
    for size, word in _LARGE:
        if size / 10 <= abs(scaled) < 1e15:
            return f"{number(float(f'{scaled / size:.3g}'))} {word} {unit}"
    return f"{number(scaled)} {unit}"
