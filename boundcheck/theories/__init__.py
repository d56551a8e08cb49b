"""The theories that are shipped."""
