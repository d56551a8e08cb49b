"""The environment of a bandit: instances, rewards, random numbers."""
