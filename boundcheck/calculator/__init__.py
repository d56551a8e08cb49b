"""The bounds of an instance, and whether their assumptions hold on it."""
