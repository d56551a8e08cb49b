"""Pages of the paper's reports: advice, figures, comparison of policies, its own instances."""
