"""Compilation of the simulator's kernels with numba; all settings are here.

Every kernel is numba `njit` with
- `nogil`: a run never touches Python objects, so threads run side by side;
- `cache`: compiled once per installation, later processes load machine code;
- `error_model="numpy"`: division by zero gives inf or nan, as in IEEE 754 and the formulas,
  instead of a hidden branch in every division;
- no `fastmath`: a sum is added in the order it is written, so a run has the same bits wherever it
  is computed, and a plain Python twin can be compared with it exactly.

Numba renews a cached kernel when the kernel's own file changes, but not when a kernel it calls in
another file does. So the cache lives in a directory named after the contents of all files of this
package that hold kernels. Below it every module has a directory of its own: a file that is once a
plug-in and once imported under its own name is two modules, and neither can load what the other
one left. A policy from elsewhere may call kernels of its own file and of this package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from numba import config, njit

from simulation.kernel_cache import folder_for

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function that runs a policy or creates arrays."""
    return _compiled(function, {})


def step(function: Function) -> Function:
    """Compile a function that is called in every slot and creates no arrays.

    Numba counts references to arrays and generators passed to a call with atomic operations; a few
    such calls cost more than the slot itself. Without its allocator there is nothing to count.
    """
    return _compiled(function, {"_nrt": False})


def inlined(function: Function) -> Function:
    """Compile a short function that is inlined at every call."""
    return _compiled(function, {"inline": "always"})


def folded(function: Function) -> Function:
    """Compile a function that the simulator's loop calls for each arm, merged into the loop."""
    return _compiled(function, {"_nrt": False, "forceinline": True})


def clone(
    function: Callable[..., Any], name: str, kept: bool, fold: bool = False, **names: Any
) -> Any:
    """Compile a copy of `function` named `name`, in whose globals `names` are replaced.

    Numba finds such a copy in its cache again, unlike a closure or a function that takes others as
    arguments. `kept`: whether the name will stand for the same code next time.
    """
    copy = FunctionType(function.__code__, {**function.__globals__, **names}, name)
    copy.__qualname__, copy.__module__ = name, function.__module__
    return _compiled(copy, {"_nrt": False, "forceinline": True} if fold else {"_nrt": False}, kept)


def cached(compiled: Any) -> bool:
    """Whether a compiled function is on disk, so that calling it needs no compilation."""
    folder, name = Path(compiled._cache.cache_path or "."), compiled.py_func.__qualname__
    return any(folder.glob(f"*.{name}-*.nbi"))


def _compiled(function: Function, options: dict[str, Any], kept: bool = True) -> Function:
    user_choice = config.CACHE_DIR
    folder = cache_directory(user_choice)
    own = None if folder is None else folder / (function.__module__ or "typed")
    config.CACHE_DIR = user_choice if own is None else str(own)
    try:
        # no cache for code typed into a notebook
        kept = kept and own is not None and Path(function.__code__.co_filename).is_file()
        decorate = njit(nogil=True, cache=kept, error_model="numpy", **options)
        compiled: Function = decorate(function)
    finally:
        config.CACHE_DIR = user_choice
    return compiled


@cache
def cache_directory(user_choice: str) -> Path | None:
    here = Path(__file__).parent
    base = folder_for(Path(user_choice) if user_choice else here / "__pycache__")
    return None if base is None else base / f"kernels-{fingerprint()}"


@cache
def fingerprint() -> str:
    """A digest of all code that could change a decision of a policy."""
    return _fingerprint(Path(__file__).parent)


def _fingerprint(directory: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(directory.rglob("*.py")):
        source = file.read_bytes()
        if b"simulation.jit" in source:
            digest.update(source)
    return digest.hexdigest()[:12]
