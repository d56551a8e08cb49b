"""The laws of rewards: families of distributions, and measurements."""
