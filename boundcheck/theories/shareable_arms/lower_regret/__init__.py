"""Regret that no consistent policy escapes: 4.3, C.3 and the exact constant."""
