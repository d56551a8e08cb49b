"""Plug-ins: files or installed packages that add claims or policies, or bring a theory.

A plug-in is a Python module with `CLAIMS` and `POLICIES`, which are added to the current theory, or
with `THEORY`, which replaces it; or a TOML file of claims (docs/language.md). Files are named on
the command line or in the variable BOUNDCHECK_PLUGINS; packages declare modules as entry points of
`boundcheck.plugins`.
"""

from __future__ import annotations

import os
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from simulation.errors import InputError, shown
from simulation.policies import Policy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from boundcheck.theory import Theory

GROUP, VARIABLE = "boundcheck.plugins", "BOUNDCHECK_PLUGINS"
EXPECTED = "a Python file with CLAIMS, POLICIES or THEORY, or a TOML file of claims"
Thing = TypeVar("Thing")


def plugin_files(files: Iterable[str] = ()) -> list[Path]:
    """Paths of the plug-in files: those of the variable and `files`, without repetition."""
    every = [*filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)), *files]
    return list(dict.fromkeys(Path(file).expanduser().resolve() for file in every))


def modules(theory: Theory, files: Iterable[str] = ()) -> dict[str, ModuleType]:
    """All plug-in modules by origin: installed ones first, then files. Bounds in a TOML file are
    parsed with the symbols of `theory`.
    """
    found = {}
    for entry in installed():
        found[f"entry point {entry.name}"] = _imported(f"entry point {entry.name}", entry.load)
    for path in plugin_files(files):
        if not path.is_file():
            told = "not a file" if path.exists() else "no such file"
            raise InputError(str(path), "plug-in", told, EXPECTED)
        if path.suffix == ".toml":
            from boundcheck.language.files import module_of

            found[str(path)] = module_of(path, theory)
        else:
            found[str(path)] = _imported(str(path), partial(_executed, path))
    return found


def installed() -> list[EntryPoint]:
    """The installed entry points of our group.

    Only entry_points.txt files that contain the group's name are parsed: that is ten times as fast
    as reading all metadata, and a broken file of another package cannot stop us.
    """
    announced = [
        file
        for folder in sys.path
        for file in Path(folder).glob("*-info/entry_points.txt")
        if GROUP.encode() in _bytes(file)
    ]
    if not announced:
        return []
    from importlib.metadata import PathDistribution

    found: dict[str, EntryPoint] = {}
    for file in announced:
        with _blamed(str(file)):
            for entry in PathDistribution(file.parent).entry_points.select(group=GROUP):
                found.setdefault(entry.name, entry)
    return sorted(found.values(), key=lambda entry: entry.name)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # a folder of that name, or no permission to read it
        return b""


def theory_with(theory: Theory, files: Iterable[str] = ()) -> Theory:
    """The theory, or the one that a plug-in brings, with the claims and policies of all
    plug-ins.
    """
    theories: dict[str, Theory] = {}
    plugged = modules(theory, files)
    for origin, module in plugged.items():
        with _blamed(origin):
            if hasattr(module, "THEORY"):
                theories[origin] = _theory_of(origin, module)
    if len(theories) > 1:
        raise InputError(list(theories)[-1], "THEORY", "a second theory", "one at a time")
    theory = next(iter(theories.values()), theory)
    for origin, module in plugged.items():
        with _blamed(origin):
            theory = _extended(theory, origin, module)
    return theory


def _theory_of(origin: str, module: ModuleType) -> Theory:
    from boundcheck.theory import Theory

    if not isinstance(module.THEORY, Theory):
        raise InputError(origin, "THEORY", shown(module.THEORY), "a Theory")
    return module.THEORY


def _extended(theory: Theory, origin: str, module: ModuleType) -> Theory:
    from boundcheck.claims.card import Claim
    from simulation.policies import POLICIES, Policy

    if not any(hasattr(module, name) for name in ("THEORY", "CLAIMS", "POLICIES")):
        raise InputError(origin, "plug-in", "nothing to add", EXPECTED)
    known = {name.lower() for name in theory.cards}
    cards = _listed(origin, module, "CLAIMS", Claim, "id", known)
    names = {*POLICIES, *theory.policies}
    policies = _listed(origin, module, "POLICIES", Policy, "name", names)
    return replace(
        theory,
        cards={**theory.cards, **{name: theory.find(card) for name, card in cards.items()}},
        policies=ChainMap(policies, theory.policies),  # type: ignore[arg-type]
    )


def _listed(
    origin: str, module: ModuleType, field: str, kind: type[Thing], key: str, taken: set[str]
) -> dict[str, Thing]:
    """The objects that a plug-in lists under a name, by id; an id in `taken` is an error."""
    found: dict[str, Thing] = {}
    listed = getattr(module, field, ())
    if not isinstance(listed, tuple | list):
        found_instead = f"{shown(getattr(listed, key, listed))} alone"
        raise InputError(origin, field, found_instead, f"a tuple, such as {field} = (X,)")
    for thing in listed:
        if kind is Policy and isinstance(thing, type):
            thing = Policy.of(thing)  # a class in plain Python
        if not isinstance(thing, kind):
            raise InputError(origin, field, shown(thing), f"objects of type {kind.__name__}")
        name = getattr(thing, key)
        if name.lower() in taken | {known.lower() for known in found}:
            raise InputError(origin, field, f"{shown(name)} again", "an id of its own")
        found[name] = thing
    return found


def _imported(origin: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Import a module; any failure becomes an `InputError` that says where."""
    with _blamed(origin):
        return load()


@contextmanager
def _blamed(origin: str) -> Iterator[None]:
    """Turn any exception that a plug-in raises into one line that names the plug-in and the
    line.
    """
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == origin]
        place = f" (line {lines[-1]})" if lines else ""
        found = f"{type(error).__name__}: {error}{place}"
        raise InputError(origin, "plug-in", shown(found, 200), EXPECTED) from error


def _executed(path: Path) -> ModuleType:
    """The file as a module with a unique name, so that pickle and numba find what it defines."""
    from hashlib import sha256  # slow to import

    content = sha256(f"{path}\n".encode() + path.read_bytes()).hexdigest()
    name = f"boundcheck_plugin_{content[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # so that it can import files next to it, now and later
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
