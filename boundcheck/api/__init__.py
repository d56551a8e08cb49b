"""The functions that Python users call. They work on the paper's theory unless `theory` names
another.

calculator   what the theory says     verdicts   whether it is true     reports   what people read
"""

from boundcheck.api.calculator import bounds, catalogue, check, find, headline, sweep
from boundcheck.api.reports import audit, policies, report
from boundcheck.api.verdicts import falsify, proofs, try_bound, verify

__all__ = [
    "audit",
    "bounds",
    "catalogue",
    "check",
    "falsify",
    "find",
    "headline",
    "policies",
    "proofs",
    "report",
    "sweep",
    "try_bound",
    "verify",
]
