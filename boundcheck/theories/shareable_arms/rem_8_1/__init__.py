"""Remark 8.1, and the statements that the paper's figures make."""
