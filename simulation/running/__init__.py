"""Running policies many times: the loop, chunks, workers, stores and results."""
