"""Mutation tests of a theory's cards and proof steps."""
