"""What a claim is: its card, and the symbols and functions that formulas are written in."""
