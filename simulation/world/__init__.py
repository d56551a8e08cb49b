"""The world of a bandit: instances, laws of rewards, random numbers."""
