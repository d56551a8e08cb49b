"""Successive elimination: capacities unknown (G.1, G.2), all 1 (G.3), known (G.5)."""
