"""A policy of the caller's own as bytes: what any worker runs, and what names it in a store.

Workers know the shipped policies by name. Another one travels with its code: its functions, what
they call and the values both use are packed by value, as are modules from the folder of its file;
kernels of this package go by name. A worker compiles what it gets. Equal code gives equal bytes.
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

PYTHON = "{}.{}".format(*sys.version_info).encode()  # code objects are those of one version
PACKAGE = __name__.partition(".")[0]
TRACKER = "_get_or_create_tracker_id"
_unpacked: dict[bytes, Policy] = {}  # a process compiles each once; here they are the originals


def carried(policy: Policy) -> bytes | None:
    """What a worker needs; None for a policy that it has by its name."""
    if policy.name in SHIPPED and SHIPPED[policy.name] is policy:
        return None
    packed = _packed(policy)
    _unpacked.setdefault(packed, policy)
    return packed


def unpacked(packed: bytes) -> Policy:
    """The policy again."""
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
        # classes get a random name of their own, by which equal code would give other bytes
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
    """The functions that a policy is made of."""
    every = (policy.player, policy.begin, policy.decide, policy.learn, policy.stands, policy.report)
    return [part for part in (*every, policy.arguments) if part is not None]


@cache
def has_shipped_code(policy: Policy) -> bool:
    """Whether it is a shipped policy but for its name, its title and its defaults."""
    module = str(getattr(policy.decide, "__module__", ""))
    if not module.startswith(f"{Policy.__module__}."):
        return False
    shipped: tuple[Policy, ...] = getattr(import_module(module), "POLICIES", ())
    return any(_code(known) == _code(policy) for known in shipped)


def _code(policy: Policy) -> tuple[Any, ...]:
    return _parts(policy), policy.phases, policy.told, policy.leaps


@cache
def identity(policy: Policy) -> tuple[str, bool]:
    """A name for what is compiled of a policy, the same for the same code, and whether it may be
    kept: not what was typed into a notebook, nor what travelled here without its file."""
    from numba.core.caching import NullCache

    name = (policy.decide.__module__ or "typed").rpartition(".")[2]  # one file, one set of loops
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
    """The modules of a policy that is not shipped, with those from the folder of its file."""
    known = {PACKAGE, "__main__", "builtins"}
    own = {_package(part) for part in _parts(policy)} - known
    own = {name for name in own if name in sys.modules}  # what has none travels by value anyway
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
    """The top of the package a function is from; nothing for one typed into a notebook."""
    return str(function.__module__ or "").partition(".")[0]


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import jit

    return jit(**options)(function)
