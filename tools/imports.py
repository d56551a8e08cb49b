"""Which module imports which, and what follows: rooms, arrows between them, cycles.

    python tools/imports.py       writes the drawing into docs/architecture.md, between its markers

Imports inside functions count; those under TYPE_CHECKING do not, nor do doctests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawing: begin -->", "<!-- drawing: end -->"
Graph = dict[str, set[str]]


def trees(root: Path = ROOT) -> dict[str, tuple[Path, ast.Module]]:
    """Every module of the two packages by its dotted name."""
    found = {}
    for package in ("simulation", "boundcheck"):
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            found[name] = path, ast.parse(path.read_text(encoding="utf-8"))
    return found


def graph(root: Path = ROOT) -> Graph:
    """For each module the modules of the two packages that it imports."""
    known = trees(root)
    return {name: set(_imported(tree, known)) - {name} for name, (_, tree) in known.items()}


def _imported(tree: ast.Module, known: dict[str, tuple[Path, ast.Module]]) -> Iterator[str]:
    for node in _at_runtime(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                if submodule in known or node.module in known:
                    yield submodule if submodule in known else node.module


def _at_runtime(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _at_runtime(child)


def room(module: str) -> str:
    """The folder that a module is in, or the module itself at the top of a package."""
    parts = module.split(".")
    if parts[:2] == ["boundcheck", "theories"]:
        return ".".join(parts[:3]) if len(parts) > 2 else "boundcheck.theories"
    return ".".join(parts[:2])


def arrows(modules: Graph) -> Graph:
    """For each room the rooms that it imports from."""
    found: Graph = {}
    for module, imported in modules.items():
        here = found.setdefault(room(module), set())
        here |= {room(other) for other in imported} - {room(module)}
    return found


def cycles(modules: Graph) -> list[set[str]]:
    """Groups of nodes that reach each other."""
    reached = {name: _reached(name, modules) for name in modules}
    groups = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in modules
        if name in reached[name]
    }
    return [set(group) for group in groups]


def _reached(start: str, modules: Graph) -> set[str]:
    seen: set[str] = set()
    waiting = [*modules[start]]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += modules.get(name, ())
    return seen


def layers(rooms: Graph) -> list[list[str]]:
    """Rooms in rows: each imports from rows below its own only."""
    depth: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in depth:
            depth[name] = 1 + max((of(other) for other in rooms.get(name, ())), default=-1)
        return depth[name]

    for name in rooms:
        of(name)
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in sorted(depth):
        rows[depth[name]].append(name)
    return rows[::-1]


def drawing() -> str:
    """The rooms, the uppermost first, each with those that it imports from."""
    modules = graph()
    rooms = {
        name: others - {"boundcheck", "simulation"} for name, others in arrows(modules).items()
    }
    del rooms["boundcheck"], rooms["simulation"]
    lines = []
    for package in ("boundcheck", "simulation"):
        own = {name: rooms[name] for name in rooms if name.startswith(f"{package}.")}
        inside = {name: {o for o in others if o in own} for name, others in own.items()}
        shorter = len(package) + 1
        lines.append(package)
        for name in (name for row in layers(inside) for name in row if inside[name]):
            count = sum(1 for module in modules if room(module) == name)
            below = sorted(other[shorter:] for other in _direct(name, inside))
            lines.append(f"    {name[shorter:]:24}{count:4} -> {', '.join(below)}")
        base = sorted(name[shorter:] for name in inside if not inside[name])
        lines += [f"    import from none of these: {', '.join(base)}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _direct(name: str, rooms: Graph) -> set[str]:
    """Without those that others on the list import from, too."""
    direct = rooms[name]
    indirect = {far for near in direct for far in _reached(near, rooms)}
    return direct - indirect


def redrawn(text: str) -> str:
    """The page with the drawing of today."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n```\n{drawing()}```\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(redrawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
