"""Policies as bytes: for workers, and to identify a user's policy in a store.

Workers know the shipped policies by name. Any other policy is sent as code: its functions, what
they call and the values both use are pickled by value, as are modules from the folder of its file;
kernels of this package are referred to by name. A worker compiles what it receives. Equal code
gives equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from simulation.errors import InputError
from simulation.policies import SHIPPED, Policy

PYTHON = "{}.{}".format(*sys.version_info).encode()  # code objects depend on the Python version
PACKAGE = __name__.partition(".")[0]
TRACKER = "_get_or_create_tracker_id"
# each is compiled once in a process; here they are the originals
_unpacked: dict[bytes, Policy] = {}


def as_bytes(policy: Policy) -> bytes | None:
    """The policy as bytes; None for a policy that workers know by name."""
    if policy.name in SHIPPED and SHIPPED[policy.name] is policy:
        return None
    packed = _packed(policy)
    _unpacked.setdefault(packed, policy)
    return packed


def unpacked(packed: bytes) -> Policy:
    """The policy in these bytes."""
    if packed not in _unpacked:
        head, _, code = packed.partition(b"\n")
        if head != PYTHON:
            raise InputError("executor", "workers", "another Python", "the version used here")
        policy: Policy = pickle.loads(code)
        _unpacked[packed] = policy
    return _unpacked[packed]


def _packed(policy: Policy) -> bytes:
    from numba import cloudpickle
    from numba.core.dispatcher import Dispatcher

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            if not isinstance(value, Dispatcher):
                return super().reducer_override(value)
            if _package(value) == PACKAGE:
                return _named, (value.__module__, value.py_func.__name__)
            return _compiled, (value.py_func, dict(value.targetoptions))

    written = io.BytesIO()
    with ExitStack() as stack:
        # classes get random ids, which would make equal code give different bytes
        stack.enter_context(patch.object(cloudpickle.cloudpickle, TRACKER, lambda _: None))
        for name in _own_modules(policy) - cloudpickle.list_registry_pickle_by_value():
            cloudpickle.register_pickle_by_value(sys.modules[name])
            stack.callback(cloudpickle.unregister_pickle_by_value, sys.modules[name])
        try:
            Packer(written).dump(policy)
        except (pickle.PicklingError, TypeError) as error:
            raise InputError("policy", policy.name, str(error), "code that can travel") from None
    return PYTHON + b"\n" + written.getvalue()


def _parts(policy: Policy) -> list[Any]:
    """The functions of a policy."""
    every = (policy.player, policy.begin, policy.decide, policy.learn, policy.stands, policy.report)
    return [part for part in (*every, policy.arguments) if part is not None]


@cache
def has_shipped_code(policy: Policy) -> bool:
    """Whether it is a shipped policy, up to its name, its title and its defaults."""
    module = str(getattr(policy.decide, "__module__", ""))
    if not module.startswith(f"{Policy.__module__}."):
        return False
    shipped: tuple[Policy, ...] = getattr(import_module(module), "POLICIES", ())
    return any(_code(known) == _code(policy) for known in shipped)


def _code(policy: Policy) -> tuple[Any, ...]:
    return _parts(policy), policy.phases, policy.told, policy.leaps


@cache
def identity(policy: Policy) -> tuple[str, bool]:
    """A name for the policy's compiled code, the same for the same code, and whether the code may
    be cached: not if it was typed into a notebook or arrived without its file.
    """
    from numba.core.caching import NullCache

    # policies in one file share their loops
    name = (policy.decide.__module__ or "typed").rpartition(".")[2]
    if has_shipped_code(policy):
        return name, True
    digest = hashlib.sha256()
    for module in sorted(_own_modules(policy)):
        file = getattr(sys.modules[module], "__file__", None)
        digest.update(Path(file).read_bytes() if file and Path(file).is_file() else b"")
    kept = not any(isinstance(getattr(part, "_cache", 0), NullCache) for part in _parts(policy))
    where = f"{policy.name} {[getattr(part, '__qualname__', '') for part in _parts(policy)]}"
    digest.update(where.encode())
    if not kept:
        digest.update(str(id(policy)).encode())
    return f"{name}_{digest.hexdigest()[:16]}", kept


def _own_modules(policy: Policy) -> set[str]:
    """The modules of a policy that is not shipped, including those from the folder of its file."""
    known = {PACKAGE, "__main__", "builtins"}
    own = {_package(part) for part in _parts(policy)} - known
    # functions without one are pickled by value anyway
    own = {name for name in own if name in sys.modules}
    folders = {
        Path(file).resolve().parent
        for name in own
        if (file := getattr(sys.modules[name], "__file__", None))
        and Path(file).name != "__init__.py"
    }
    beside = (
        name
        for name, module in list(sys.modules.items())
        if (file := getattr(module, "__file__", None)) and Path(file).parent in folders
    )
    return own | (set(beside) - known)


def _package(function: Any) -> str:
    """The top-level package of a function; empty if it was typed into a notebook."""
    return str(function.__module__ or "").partition(".")[0]


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import jit

    return jit(**options)(function)
