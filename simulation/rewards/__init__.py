"""Laws of rewards: families of distributions, and empirical ones."""
