"""What observations are worth: levels, intervals, e-values, and what was decided."""
