"""Theorem 5.3 and its variants: explorations that suffice to learn a capacity, or to see that it
reaches a threshold.
"""
