"""Mutants of a theory's cards and proof steps, and what catches them."""
