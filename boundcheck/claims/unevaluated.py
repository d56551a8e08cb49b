"""SymPy's functions and relations as they are written: SymPy is not asked to decide anything.

Which argument is larger, or whether one is 0, takes SymPy longer than all bounds of an instance;
relations are decided by exact or certified arithmetic.
"""

from functools import partial

import sympy

Eq, Ge, Gt, Le, Lt, Max, Min, exp, log = (
    partial(getattr(sympy, name), evaluate=False)
    for name in ("Eq", "Ge", "Gt", "Le", "Lt", "Max", "Min", "exp", "log")
)
