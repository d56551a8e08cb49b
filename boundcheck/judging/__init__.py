"""Judging statements: what they claim, what is measured, and the verdict that follows."""
