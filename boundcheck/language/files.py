"""Read a plug-in that is a TOML file of claims (docs/language.md).

theory = "my paper"                 # optional: replaces the default theory
[setting]                           # abbreviations for the formulas below
level = "log(1 + T*log(T)^2)"
[[policy]]
name = "etc-20"
of = "etc"
m = 20
[[claim]]
id = "thm-1"
policy = "etc-20"
says = "regret <="                  # regret >=, growth <=, growth >= or coverage
bound = "20*sum(gap) + T*sum(gap*exp(-5*gap^2), worse)"
assume = ["T >= 20*K"]
[[instance]]
file = "coins.toml"                 # an audit uses these instances
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import sympy

from boundcheck.calculator.conditions import LAWS_WITH
from boundcheck.claims.card import Assumption, Claim
from boundcheck.language.reading import EVERY_POLICY, condition, read, read_formula, with_options
from boundcheck.theory import Theory, by_id
from simulation.errors import InputError, shown
from simulation.files.fields import number_field
from simulation.files.reading import content, only_known, parsed
from simulation.policies import Policy
from simulation.rewards.laws import LAWS

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from simulation.world.instance import Instance

EXPECTED = "a file of claims: [[claim]] with id, says, bound"
FIELDS = ("id", "title", "source", "policy", "says", "bound", "assume", "reading", "premise")
SAYS = {
    "regret <=": ("regret({}) <= ", ""),
    "regret >=": ("regret({}) >= ", ""),
    "growth <=": ("growth({}) <= ", ""),
    "growth >=": ("growth({}) >= ", ""),
    "coverage": ("|mean - mu| <= ", " with probability 1 - delta"),
}


def module_of(path: Path, theory: Theory) -> ModuleType:
    """The file as a plug-in module with CLAIMS and POLICIES, or with a THEORY of its own."""
    where, text = str(path), content(path, EXPECTED)
    table = parsed(text, where)
    only_known(where, "", table, ("theory", "setting", "claim", "policy", "instance"))
    base = theory if "theory" not in table else Theory(str(table["theory"]), {})
    policies = {p.name: p for p in _policies(where, _tables(where, table, "policy"), base)}
    base = replace(base, policies={**base.policies, **policies})
    names = _abbreviations(where, table.get("setting", {}), base)
    cards = [_claim(where, text, t, base, names) for t in _tables(where, table, "claim")]
    made = ModuleType(path.stem)
    if "theory" not in table:
        made.CLAIMS, made.POLICIES = tuple(cards), tuple(policies.values())  # type: ignore[attr-defined]
        return made
    files = [str(path.parent / str(t.get("file"))) for t in _tables(where, table, "instance")]
    made.THEORY = replace(  # type: ignore[attr-defined]
        base, cards=by_id(cards), audited=tuple(files), instances=_one_play
    )
    return made


def _one_play() -> SearchStrategy[Instance]:
    """The default search strategy: up to four arms, any law, one play, capacities of 1."""
    from boundcheck.search.strategies import instances

    def plain(instance: Instance) -> Instance:
        return instance.with_(plays=1, capacities=[1] * instance.arms)

    return instances(largest=4, distinct=True).map(plain)


def _tables(where: str, table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InputError(where, name, shown(found), f"tables that begin with [[{name}]]")
    return found


def _text(where: str, table: Mapping[str, Any], field: str, otherwise: str | None = None) -> str:
    found = table.get(field, otherwise)
    if not isinstance(found, str):
        raise InputError(where, field, "missing" if found is None else shown(found), "text")
    return found


def _policies(where: str, tables: list[Mapping[str, Any]], theory: Theory) -> Iterator[Policy]:
    for table in tables:
        policy = theory.policy(_text(where, table, "of"))
        name, given = _text(where, table, "name"), {**table}
        del given["name"], given["of"]
        only_known(where, f"policy {shown(name)}: ", given, tuple(policy.defaults))
        options = {
            option: float(number_field(where, option, value)) for option, value in given.items()
        }
        yield with_options(policy, options, name)


def _abbreviations(where: str, table: Any, theory: Theory) -> dict[str, sympy.Expr]:
    """Formulas by name; later ones may use earlier ones."""
    if not isinstance(table, dict):
        raise InputError(where, "setting", shown(table), "a table of formulas")
    found: dict[str, sympy.Expr] = {}
    for name, text in table.items():
        place = f"{where}: setting.{name}"
        found[name] = read_formula(_text(where, {name: text}, name), theory, place, found)
    return found


def _claim(
    where: str, text: str, table: Mapping[str, Any], theory: Theory, more: dict[str, sympy.Expr]
) -> Claim:
    name = _text(where, table, "id")
    only_known(where, f"claim {shown(name)}: ", table, FIELDS)
    says = _text(where, table, "says", "regret <=")
    if says not in SAYS:
        raise InputError(where, "says", shown(says), f"one of {', '.join(SAYS)}")
    policy, bound = _text(where, table, "policy", EVERY_POLICY), _text(where, table, "bound")
    before, after = (part.format(policy) for part in SAYS[says])
    try:
        card = read(f"{before}{bound}{after}", theory, where, name, more).card
    except InputError as error:
        raise _located(error, where, text, bound, len(before)) from None
    assumed = [_assumption(where, a, theory) for a in table.get("assume", [])]
    return replace(
        card,
        title=_text(where, table, "title", name),
        source=_text(where, table, "source", Path(where).name),
        reading=_text(where, table, "reading", "as written"),
        assumptions=(*card.assumptions, *assumed),
        premise=table.get("premise") is True,
    )


def _assumption(where: str, text: Any, theory: Theory) -> Assumption:
    """An assumption from text: a law, a property of laws, or a comparison."""
    if not isinstance(text, str):
        raise InputError(where, "assume", shown(text), "a list of text")
    if text in LAWS_WITH or text in LAWS:
        return Assumption(text.replace(" ", "-"), text, fact=text)
    return condition(text, theory, f"{where}: assume")


def _located(error: InputError, where: str, text: str, bound: str, before: int) -> InputError:
    """Convert the column within a bound to the line and column in the file."""
    column = re.fullmatch(r"column (\d+)", error.field)
    start = text.find(bound)
    if column is None or start < 0 or int(column[1]) <= before:
        return error
    at = start + int(column[1]) - before - 1
    line, begins = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at) + 1
    return InputError(where, f"line {line}, column {at - begins + 1}", error.found, error.expected)
