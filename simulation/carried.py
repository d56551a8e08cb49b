"""A policy of the caller's own as bytes: what any worker runs, and what names it in a store.

Workers know the shipped policies by name. Another one travels with its code: its kernel, what that
calls, and the values both use are packed by value, kernels of this package by name. A worker
compiles what it receives. Equal code gives equal bytes.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import Any

from simulation.errors import InputError
from simulation.policies import SHIPPED, Policy

PYTHON = "{}.{}".format(*sys.version_info).encode()  # code objects are those of one version
PACKAGE = __name__.partition(".")[0]
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
        known = {PACKAGE, "__main__", "builtins", *cloudpickle.list_registry_pickle_by_value()}
        for name in {_package(policy.kernel), _package(policy.arguments)} - known:
            if name in sys.modules:  # what has no module travels by value anyway
                cloudpickle.register_pickle_by_value(sys.modules[name])
                stack.callback(cloudpickle.unregister_pickle_by_value, sys.modules[name])
        try:
            Packer(written).dump(policy)
        except (pickle.PicklingError, TypeError) as error:
            raise InputError("policy", policy.name, str(error), "code that can travel") from None
    return PYTHON + b"\n" + written.getvalue()


def _package(function: Any) -> str:
    """The top of the package a function is from; nothing for one typed into a notebook."""
    while isinstance(function, partial):
        function = function.func
    return str(function.__module__ or "").partition(".")[0]


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import jit

    return jit(**options)(function)
