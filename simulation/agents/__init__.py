"""Policies that a person or a program asks and tells, slot by slot."""
