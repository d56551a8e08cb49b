"""Many runs of policies: the loop, chunks, workers, stores and results."""
