"""Remark 8.1 and what the paper says around its figures."""
