"""How many explorations it takes to tell capacities apart: 4.1, 4.2 and what we prove instead."""
