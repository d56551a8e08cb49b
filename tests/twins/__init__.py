"""Slow, plain twins of the kernels: written from the pseudo-code, everything anew every slot."""
