"""Results on an instance as JSON for the page, computed by the functions behind the commands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from importlib import resources
from typing import Any

from boundcheck.calculator.bounds import Bound, CheckedAssumption, bounds, check
from boundcheck.calculator.conditions import Condition, needed, side
from boundcheck.calculator.numbers import balls
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import Number, json_number
from boundcheck.calculator.setting import Setting, exact_setting
from boundcheck.calculator.values import TRIVIAL_UPPER, enough_bits, trivial
from boundcheck.claims.card import Claim, Quantity
from boundcheck.claims.card_text import card_json
from boundcheck.judging.finding import Severity, Verdict
from boundcheck.pages.headline import headline_of
from boundcheck.pages.palette import BADGES
from boundcheck.pages.present import about
from boundcheck.theory import Theory
from boundcheck.web.curves import bound_curves, size_curves
from simulation.errors import InputError, shown
from simulation.files.reading import only_known, parsed
from simulation.formatting import human, power_of_ten
from simulation.numbers import decimal
from simulation.rewards.laws import LAWS, described
from simulation.world.amounts import amount
from simulation.world.instance import Instance, shipped

MOST_ARMS = 500
LARGEST_HORIZON = 10**300
DIGITS = Question().digits
WORST_ARMS = 20  # shown for each assumption
ASKED = ("horizon", "delta")
# initial values of a law's parameters; measurements are given as TOML
PARAMETERS = {"variance": "0.25", "concentration": "4"}
_WHOLE = re.compile(r"\s*[0-9]{1,12}\s*")


# -- requests --------------------------------------------------------------------------------


def instance_of(table: object) -> Instance:
    """The instance in the page's fields, with the same errors as an instance file."""
    if not isinstance(table, Mapping):
        raise InputError("instance", "table", shown(table), "plays, means and capacities")
    for field in ("means", "capacities"):
        found = table.get(field)
        if isinstance(found, list) and len(found) > MOST_ARMS:
            expected = f"at most {MOST_ARMS} on this page"
            raise InputError("instance", field, f"{len(found):,} arms", expected)
    counts = {name: _counted(table[name]) for name in ("plays", "capacities") if name in table}
    return Instance.from_table({**table, **counts})


def _counted(typed: Any) -> Any:
    """Text of whole numbers as integers: fields of a page hold text, files hold numbers."""
    if isinstance(typed, list):
        return [_counted(each) for each in typed]
    return int(typed) if isinstance(typed, str) and _WHOLE.fullmatch(typed) else typed


def asked_of(request: Mapping[str, Any]) -> tuple[Instance, Question]:
    return instance_of(request.get("table")), _question_of(request.get("question"))


def _question_of(asked: object) -> Question:
    if not isinstance(asked, Mapping):
        raise InputError("question", "table", shown(asked), " and ".join(ASKED))
    only_known("question", "", asked, ASKED)
    question = Question(**asked)
    if question.horizon > LARGEST_HORIZON:
        found = decimal(question.horizon, 6)
        raise InputError("--horizon", "horizon", found, "at most 10^300 on this page")
    return question


# -- the first request -------------------------------------------------------------------------


def start(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    """Everything that does not depend on an instance: cards, laws, shipped instances, phrases."""
    return {
        "instances": {name: _table(Instance.load(name)) for name in shipped()},
        "laws": {
            name: {f.name: PARAMETERS[f.name] for f in fields(law) if f.name in PARAMETERS}
            for name, law in LAWS.items()
        },
        "main": theory.main,
        "claims": {card.id: _card(card, theory) for card in theory.cards.values()},
        "question": {name: Question().to_json()[name] for name in ASKED},
        "verdicts": {str(verdict): verdict.meaning for verdict in Verdict},
        "severities": {str(severity): severity.meaning for severity in Severity},
        "tones": {str(word): tone for word, tone in BADGES.items()},
        "phrases": {str(severity): severity.phrase for severity in Severity},
    }


def _card(card: Claim, theory: Theory) -> dict[str, Any]:
    known = card_json(card, theory)
    words = ("title", "source", "statement", "ours", "verdict", "severity")
    better = [theory.cards[r.claim] for r in card.repairs if r.claim and r.claim in theory.cards]
    sharper = dict.fromkeys(other.id for other in better if other.policy_name == card.policy_name)
    page = resources.files("boundcheck").joinpath("web", "audit", "claims", f"{card.id}.md")
    more = {"sharper": list(sharper), "quantities": len(card.quantities), "page": page.is_file()}
    return {name: known[name] for name in words} | more


def read(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    text = request.get("toml")
    if not isinstance(text, str):
        raise InputError("instance", "toml", shown(text), "the text of an instance file")
    return {"table": _table(instance_of(parsed(text, "instance")))}


def _table(instance: Instance) -> dict[str, Any]:
    return parsed(instance.to_toml(), instance.name)


# -- results on an instance --------------------------------------------------------------------


def answer(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    """Everything that depends on the instance, the horizon or delta."""
    instance, question = asked_of(request)
    setting = exact_setting(instance, question, theory.derive)
    found = bounds(instance, question, theory=theory)
    return {
        "about": about(instance),
        "law": described(instance.reward),
        "names": [instance.label(arm) for arm, _ in enumerate(instance.names, 1)],
        "warnings": (*instance.warnings, *(theory.outside(instance) if theory.outside else ())),
        "toml": instance.to_toml(),
        "horizon": _number(Number.of(decimal(question.horizon))),
        "exponent": power_of_ten(decimal(question.horizon)),
        "headline": [
            section.to_json() for section in headline_of(found, theory, instance.label).questions
        ],
        "optimum": _optimum(instance),
        "bounds": [
            _quantity(card, quantity, found, setting)
            for card in theory.cards.values()
            for quantity in card.quantities
        ],
        "assumptions": list(_assumptions(check(instance, question, theory=theory))),
    }


def curves(request: Mapping[str, Any], theory: Theory) -> dict[str, Any]:
    """The plots, which the page requests separately, after typing has stopped."""
    asked = *asked_of(request), theory
    return {
        "regret": _plotted(bound_curves, *asked),
        "sizes": _plotted(size_curves, *asked, request.get("arm")),
    }


def _plotted(curves: Callable[..., dict[str, Any] | None], *asked: Any) -> dict[str, Any] | None:
    """Curves, or an error instead: sweeps use floats and refuse more than `bounds` does."""
    try:
        return curves(*asked)
    except InputError as error:
        return {"error": str(error)}


def _number(value: Number | None) -> list[str | None]:
    """A number as shown to people, and with all its digits."""
    return [human(value), json_number(value)]


def _optimum(instance: Instance) -> dict[str, Any]:
    earned = decimal(instance.optimal_reward, 6)
    if instance.unit is not None:
        earned = amount(instance, float(instance.optimal_reward))
    return {
        "text": f"Play {instance.played}: {earned} a slot.",
        "plays": instance.plays,
        "arms": [
            {
                "arm": k + 1,
                "mean": float(instance.means[k]),
                "capacity": instance.capacities[k],
                "plays": instance.optimal_action[k],
            }
            for k in instance.order
        ],
    }


def _quantity(
    card: Claim, quantity: Quantity, found: Iterable[Bound], setting: Setting
) -> dict[str, Any]:
    """One quantity of a claim: its value, or the smallest and largest over the arms."""
    rows = [b for b in found if (b.claim, b.quantity) == (card.id, quantity.name)]
    values = sorted(b.value for b in rows if b.value is not None)
    ends = [values[0], values[-1]] if values else []
    with balls.precision(enough_bits(setting, DIGITS)):
        known = trivial(quantity, setting)
        anyway = None if known is None else Number.of(balls.midpoint(known, DIGITS))
    since = next((b.informative_from for b in rows if b.informative_from is not None), None)
    return {
        "claim": card.id,
        "quantity": quantity.name,
        "unit": quantity.unit,
        "ends": [*map(_number, dict.fromkeys(ends))],
        "applies": sum(b.applies for b in rows),
        "count": len(rows),
        "refuted": bool(rows) and all(b.refuted for b in rows),
        "instead": card.instead,
        "fails": list(dict.fromkeys(c.name for b in rows for c in b.assumptions if not c.holds)),
        "informative": None if known is None else sum(b.informative is not False for b in rows),
        "upper": quantity.trivial in TRIVIAL_UPPER,
        "anyway": None if anyway is None else _number(anyway),
        "decades": _decades(ends[-1:], anyway),
        "since": None if since is None else _number(since),
        "arms": [[b.arm, *_number(b.value), b.applies] for b in rows if b.arm is not None],
        "terms": [
            [name, *_number(value)]
            for b in rows
            if b.arm is None and len(b.terms) > 1
            for name, value in b.terms
        ],
    }


def _decades(value: list[Number], anyway: Number | None) -> float | None:
    """log10 of the bound over the trivial bound, between -1000 and 1000."""
    if not value or not anyway or not value[0] > 0:
        return None
    return min(max(power_of_ten(str(value[0] / anyway)), -1e3), 1e3)


def _assumptions(found: Iterable[CheckedAssumption]) -> Iterator[dict[str, Any]]:
    """Assumptions, failing ones first, each with its worst arms and all claims that need it."""
    stated: dict[tuple[str, Any, bool], list[Condition]] = defaultdict(list)
    for row in found:
        stated[row.claim, row.condition.assumption, row.condition.implicit].append(row.condition)
    shared: dict[tuple[Condition, ...], list[str]] = defaultdict(list)
    for (claim, _, _), rows in stated.items():
        shared[tuple(sorted(rows, key=lambda row: row.tightness))].append(claim)
    for worst, claims in sorted(shared.items(), key=lambda item: item[0][0].holds):
        yield {
            "name": worst[0].name,
            "statement": worst[0].assumption.statement,
            "implicit": worst[0].implicit,
            "claims": list(dict.fromkeys(claims)),
            "failing": sum(not row.holds for row in worst),
            "count": len(worst),
            "witness": worst[0].witness,
            "arms": [
                [row.arm, side(row.lhs), needed(row), row.holds, _margin(row), row.margin]
                for row in worst[:WORST_ARMS]
            ],
        }


def _margin(row: Condition) -> str | None:
    return None if row.margin is None else human(row.margin)
