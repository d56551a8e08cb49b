"""Probabilities, errors and constants of the paper's model, computed without sampling."""
