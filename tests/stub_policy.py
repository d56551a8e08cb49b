"""A policy without kernels, for tests of the machinery around policies.

It draws one number per checkpoint, so it runs in no time at any horizon and keeps nothing. It can
be slow (`pause` seconds per run), and it can kill its process once (`grave`: a file that is made
by the run that dies, so that the next attempt lives) or always (`grave` = "always").
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from simulation.policies import Policy


class Stub(Policy):
    """A policy that takes the loop's place."""

    def prepared(
        self, instance: Any, horizon: int, options: Any, leaping: bool = False
    ) -> Callable[[np.random.Generator, Any], None]:
        told = (instance.plays, horizon, options["pause"], options["grave"])
        return lambda gen, trace: _run(gen, trace, *told)


def _run(
    gen: np.random.Generator, trace: Any, plays: int, horizon: int, pause: float, grave: str
) -> None:
    if grave == "always":
        os._exit(1)
    if grave and horizon > 1 and not Path(grave).exists():
        Path(grave).touch()
        os._exit(1)
    time.sleep(pause)
    gaps = np.diff(trace.checkpoints, prepend=0)
    draws = gen.random((3, gaps.size))
    trace.regret[0] = np.cumsum(gaps * draws[0])
    trace.regret[1] = np.cumsum(draws[1])
    trace.reward[:] = np.cumsum(gaps * draws[2])
    trace.optimal[:] = trace.checkpoints // 2
    trace.learned[:] = gen.integers(0, 2, trace.learned.size)
    trace.lower[:] = 1
    trace.upper[:] = plays


STUBS = STUB, STUB_TWO = tuple(
    Stub(
        name=name,
        title="a stub",
        phases=("seeking", "settling"),
        decide=_run,
        defaults={"pause": 0.0, "grave": ""},
    )
    for name in ("stub", "stub-two")
)
