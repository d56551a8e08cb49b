"""Lemmas E.1 to E.5: counts of slots with bad estimates or low indices, and their cost."""
