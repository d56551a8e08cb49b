"""Kernels with one number, comparison or operation changed, and what they are compared with.

A kernel is run as plain Python, in its own module's names. A change that nobody notices is a
failure, unless it is known to change nothing, and why.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

from boundcheck.selftest.outcome import Outcome, Result

NOTICED = (ArithmeticError, IndexError, NameError, TypeError, ValueError)  # errors count as well

_OTHER: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_OTHER_NAME = {"min": "max", "max": "min"}


@dataclass(frozen=True)
class Kernel:
    """A compiled function, and what says whether it does what it should."""

    part: str
    function: Any
    content: Callable[[Any], bool]  # given the function, in plain Python
    by: str
    harmless: Mapping[str, str] = field(default_factory=dict)  # changes that change nothing: why

    @property
    def name(self) -> str:
        return str(self.function.__name__)


def changed_kernels(kernel: Kernel) -> Iterator[Outcome]:
    """Every change of a kernel; the kernel as it is must satisfy what it is compared with."""
    tree = _source(kernel.function)
    if not kernel.content(_compiled(kernel, tree)):
        raise RuntimeError(f"{kernel.name} differs from its reference before anything is planted")
    for words, mutant in _changes(tree, kernel.function.py_func.__globals__):
        yield _outcome(kernel, words, _compiled(kernel, mutant))


def _outcome(kernel: Kernel, words: str, mutant: Any) -> Outcome:
    planted = f"{kernel.part}, {kernel.name}: {words}"
    if not _content(kernel, mutant):
        return Outcome("kernel", planted, Result.CAUGHT, (kernel.by,))
    if words in kernel.harmless:
        return Outcome("kernel", planted, Result.TRUE, (kernel.harmless[words],))
    return Outcome("kernel", planted, Result.UNCAUGHT)


def _content(kernel: Kernel, mutant: Any) -> bool:
    try:
        return kernel.content(mutant)
    except NOTICED:
        return False


def _source(function: Any) -> ast.Module:
    tree = ast.parse(dedent(inspect.getsource(function.py_func)))
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list, definition.returns = [], None
    definition.body = definition.body[1:]  # the docstring
    for argument in definition.args.args:
        argument.annotation = None
    return tree


def _compiled(kernel: Kernel, tree: ast.Module) -> Any:
    names = dict(kernel.function.py_func.__globals__)
    exec(compile(ast.fix_missing_locations(tree), kernel.name, "exec"), names)
    return names[kernel.name]


def _changes(tree: ast.Module, names: Mapping[str, object]) -> Iterator[tuple[str, ast.Module]]:
    """One thing changed; numbers of the module, which have a name, are doubled."""
    for place, node in enumerate(ast.walk(tree)):
        if _changeable(node):
            mutant = deepcopy(tree)
            other = list(ast.walk(mutant))[place]
            _change(other)
            yield f"{ast.unparse(node)} -> {ast.unparse(other)}", mutant
        for other in _instead(node, names):
            yield f"{ast.unparse(node)} -> {ast.unparse(other)}", _with(tree, place, other)


def _instead(node: ast.AST, names: Mapping[str, object]) -> Iterator[ast.expr]:
    """A named number doubled, a fraction doubled, a rounded quotient one more."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id.isupper():
        value = names.get(node.id)
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            yield ast.Constant(2 * value)
    elif isinstance(node, ast.Constant) and type(node.value) is float and node.value % 1:
        yield ast.Constant(2 * node.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        yield ast.BinOp(deepcopy(node), ast.Add(), ast.Constant(1))


def _with(tree: ast.Module, place: int, other: ast.expr) -> ast.Module:
    """The tree with something else at the place of a node."""
    mutant = deepcopy(tree)
    old = list(ast.walk(mutant))[place]
    for parent in ast.walk(mutant):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, other)
            elif isinstance(value, list) and any(one is old for one in value):
                setattr(parent, name, [other if one is old else one for one in value])
    return mutant


def _operator(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Compare):
        return node.ops[0]
    return node.op if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) else None


def _changeable(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _OTHER_NAME
    return type(_operator(node)) in _OTHER


def _change(node: Any) -> None:
    """A number becomes one more; an operation its counterpart."""
    kind = type(node)
    if kind is ast.Constant:
        node.value += 1
    elif kind is ast.Call:
        node.func.id = _OTHER_NAME[node.func.id]
    elif kind is ast.Compare:
        node.ops[0] = _OTHER[type(node.ops[0])]()
    else:
        node.op = _OTHER[type(node.op)]()
