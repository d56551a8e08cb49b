"""Agents: policies for use outside the simulator, slot by slot."""
