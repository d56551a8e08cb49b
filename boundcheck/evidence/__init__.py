"""What observations are worth: levels, intervals, e-values, and what was detectable."""

from boundcheck.evidence.betting import MeanCheck, mean_at_least, mean_at_most, runs_needed
from boundcheck.evidence.binomial import (
    ProportionCheck,
    proportion_at_least,
    proportion_at_most,
    trials_needed,
)
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.evidence.rare import RareEvent, coverage_failure, crossing
from boundcheck.evidence.slope import LogSlope, log_slope

__all__ = [
    "ErrorPlan",
    "LogSlope",
    "MeanCheck",
    "ProportionCheck",
    "RareEvent",
    "coverage_failure",
    "crossing",
    "log_slope",
    "mean_at_least",
    "mean_at_most",
    "proportion_at_least",
    "proportion_at_most",
    "runs_needed",
    "trials_needed",
]
