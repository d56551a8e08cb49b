"""Explorations that suffice to learn a capacity, or to see that it reaches a threshold."""
