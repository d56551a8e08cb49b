"""OrchExplore: its regret bound and its growth."""
