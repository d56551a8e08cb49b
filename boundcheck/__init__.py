"""What the theory says, and whether it is true.

>>> import boundcheck
>>> boundcheck.bounds(boundcheck.Instance.load("paper"), claims=["sharp-4.3"])[0].value
'11.1564457071999184349956110178'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# name -> module; loaded on first use, so that `import boundcheck` costs nothing. No module may have
# the name of something listed here: importing it would hide the function behind the module.
_PUBLIC = {
    "Bound": "boundcheck.calculator",
    "Claim": "boundcheck.claim",
    "Falsification": "boundcheck.falsification",
    "InputError": "simulation.errors",
    "Instance": "simulation.instance",
    "Question": "boundcheck.question",
    "Sweep": "boundcheck.sweeps",
    "bounds": "boundcheck.calculator",
    "catalogue": "boundcheck.claims",
    "estimate": "simulation.estimation",
    "check": "boundcheck.calculator",
    "falsify": "boundcheck.falsification",
    "find": "boundcheck.claims",
    "ledger": "boundcheck.proofs",
    "replicate": "simulation.replicate",
    "sweep": "boundcheck.sweeps",
    "verify": "boundcheck.crossvalidate",
}
__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name == "verify":
        return import_module(_PUBLIC[name]).crossvalidate
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
