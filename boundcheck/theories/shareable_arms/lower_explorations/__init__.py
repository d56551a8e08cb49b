"""Lower bounds on explorations to learn a capacity: 4.1, 4.2 and what we prove instead."""
