"""Counting slots: bad estimates, low indices, and what OrchExplore loses by them (E.1 to E.5)."""
