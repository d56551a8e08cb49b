"""How fast regret grows with log T.

Policies are told T, so there are two slopes: that of mean regret between two horizons with runs of
their own, and that within the runs made for the last horizon (where what delta = 2/T costs has been
paid once and for all).
"""

from __future__ import annotations

from math import hypot, log
from typing import Any

import numpy as np

from boundcheck.checks.regret import ladder, played
from boundcheck.crossvalidate import Run
from boundcheck.evidence import log_slope


def growth(run: Run, policy: str) -> dict[str, Any]:
    """Regret per log T at every horizon of the ladder, and both slopes of the last step."""
    found = [played(run, policy, horizon) for horizon in ladder(run)]
    last = found[-1]
    evidence: dict[str, Any] = {
        "policy": policy,
        "per_log_T": [
            {"T": runs.horizon, "regret_per_log_T": float(runs.mean[-1]) / log(runs.horizon)}
            for runs in found
        ],
        "within_runs": log_slope(last.checkpoints.astype(np.float64), last.total).evidence(),
    }
    if len(found) > 1:
        before = found[-2]
        step = log(last.horizon / before.horizon)
        error = hypot(last.standard_error[-1], before.standard_error[-1])
        evidence["between_horizons"] = {
            "from": before.horizon,
            "to": last.horizon,
            "slope": float(last.mean[-1] - before.mean[-1]) / step,
            "standard_error": error / step,  # as for independent runs
        }
    return evidence
