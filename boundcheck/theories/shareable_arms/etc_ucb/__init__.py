"""ETC-UCB: explore the capacities, then commit to them."""
