"""Trying a bound that was typed as one line."""
