"""The statements that a card makes by its kind alone."""
