"""What the theory says, and whether it is true."""
