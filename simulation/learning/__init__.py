"""What policies share: estimates, rankings and confidence intervals, compiled."""
