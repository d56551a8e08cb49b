"""How a statement is judged: what it says, what was measured, what follows."""
