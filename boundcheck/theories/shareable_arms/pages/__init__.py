"""What only the paper's reports say: advice, figures, rivals, its own instances."""
