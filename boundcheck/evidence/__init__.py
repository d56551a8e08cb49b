"""What observations are worth: levels, intervals, e-values, verdicts, and what was detectable."""

from boundcheck.evidence.betting import MeanCheck, mean_at_least, mean_at_most, runs_needed
from boundcheck.evidence.binomial import (
    ProportionCheck,
    proportion_at_least,
    proportion_at_most,
    trials_needed,
)
from boundcheck.evidence.budget import Budget
from boundcheck.evidence.rare import RareEvent, coverage_failure, crossing
from boundcheck.evidence.slope import LogSlope, log_slope
from boundcheck.evidence.verdicts import Finding, Verdict, conclude

__all__ = [
    "Budget",
    "Finding",
    "LogSlope",
    "MeanCheck",
    "ProportionCheck",
    "RareEvent",
    "Verdict",
    "conclude",
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
