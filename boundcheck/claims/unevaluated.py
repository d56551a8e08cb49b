"""SymPy's functions and relations without evaluation.

Deciding which argument is larger, or whether one is 0, takes SymPy longer than computing all bounds
of an instance; relations are decided by exact or certified arithmetic instead.
"""

from functools import partial

import sympy

Eq, Ge, Gt, Le, Lt, Max, Min, exp, log = (
    partial(getattr(sympy, name), evaluate=False)
    for name in ("Eq", "Ge", "Gt", "Le", "Lt", "Max", "Min", "exp", "log")
)
