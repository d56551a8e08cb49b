"""Statistics: confidence limits, e-values, error levels."""
