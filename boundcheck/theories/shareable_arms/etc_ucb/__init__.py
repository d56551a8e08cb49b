"""Explore the capacities, then commit to them: ETC-UCB."""
