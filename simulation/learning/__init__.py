"""Compiled functions that several policies use: estimates, rankings, confidence intervals."""
