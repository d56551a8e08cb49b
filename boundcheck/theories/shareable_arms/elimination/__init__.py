"""Successive elimination: unknown capacities (G.1, G.2), capacities of 1 (G.3), known ones
(G.5).
"""
