"""The almanac: every result of a theory compared with measurements, loosest first.

Each result is judged on five standard instances of the first law that it admits, and by a short
search for a counterexample. Regret is simulated on the same instances. Limits for a bound's first
constant are computed there and on near ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from boundcheck.calculator.numbers.evaluate import FLOATS
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import term_values
from boundcheck.claims.card import Claim, Kind, Term
from boundcheck.claims.functions import logbar
from boundcheck.claims.symbols import T
from boundcheck.evidence.betting import lower_limit, upper_limit
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.instances import spread_out
from boundcheck.judging.default_statements.regret import AtHorizon, as_float, batches, bound
from boundcheck.judging.finding import Finding, Role, Verdict, gravest, plain_evidence
from boundcheck.judging.run_context import EFFORTS, Effort, Progress, RunContext
from boundcheck.judging.searching import search
from boundcheck.judging.verification import verified
from boundcheck.pages.chart import finish_regret, regret_curves
from boundcheck.pages.colours import GREY
from boundcheck.pages.drawing import canvas, curve, name_curves, save
from boundcheck.pages.palette import Look, looks
from boundcheck.pages.saving import known_form, page_of
from boundcheck.pages.writing import markdown_table, provenance
from boundcheck.search.hunt import SearchLimit
from boundcheck.theory import Theory
from boundcheck.trying.panel import arms
from simulation.files.writing import folder
from simulation.formatting import human, number
from simulation.rewards.laws import Bernoulli, Gaussian, RewardLaw
from simulation.world.instance import Instance

UNIT = {
    "two arms, far": ("0.9", "0.1"),
    "two arms, close": ("0.55", "0.45"),
    "five arms": ("0.9", "0.8", "0.7", "0.6", "0.5"),
    "twenty arms": ("0.6", *["0.5"] * 19),
    "two arms, small means": ("0.02", "0.01"),
}
LAWS: tuple[RewardLaw, ...] = (Bernoulli(), Gaussian(Fraction(1)))
SHOWN = UNIT["two arms, close"]
RUNS, LEVEL = 100, 0.05
EXAMPLES, SECONDS = 40, 15.0
ALMANAC = replace(EFFORTS["quick"], name="almanac", slots=4 * 10**6)
NEAR_TIES = ((2, "2"), (10, "2"))  # number of arms, and their gap divided by sqrt(K/T)


@dataclass(frozen=True)
class Entry:
    """A row: the results about one claim."""

    card: Claim
    verdict: Verdict | None
    said: str  # the explanation of the verdict
    since: tuple[str, ...]  # the T from which it is informative, by standard instance
    ratios: tuple[float, ...]  # bound over actual: 1 is exact
    published: float | None = None  # the published first constant
    false_below: float | None = None  # smaller constants are refuted
    supported_from: float | None = None
    growth: tuple[float, ...] = ()  # growth divided by the least possible
    leans: str = ""  # direction of the evidence if undecided

    @property
    def rank(self) -> tuple[int, float]:
        """Sort key: bounds on regret first, probabilities last; within a group the loosest
        first.
        """
        kind = self.card.kind
        group = 0 if kind is Kind.UPPER_BOUND else 2 if kind in (Kind.COVERAGE, Kind.ALGEBRA) else 1
        return group, -min(self.ratios, default=-1.0)

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck almanac --json`."""
        found: dict[str, Any] = plain_evidence(
            {
                "claim": self.card.id,
                "title": self.card.title,
                "source": self.card.source,
                "verdict": None if self.verdict is None else str(self.verdict),
                "explanation": self.said,
                "informative_from": list(self.since),
                "bound_over_actual": [min(self.ratios), max(self.ratios)] if self.ratios else None,
                "published": self.published,
                "false_below": self.false_below,
                "supported_from": self.supported_from,
                "growth_over_least": list(self.growth),
                "erratum": " ".join(repair.sentence for repair in self.card.repairs) or None,
            }
        )
        return found


def standard(card: Claim, theory: Theory, horizon: int) -> list[Instance]:
    """The standard instances of the first law that a card admits."""
    for law in LAWS:
        made = [arms(means, law, name) for name, means in UNIT.items()]
        found = [
            i
            for i in made
            if i is not None
            and not unmet(AtHorizon.at(i, horizon), card.assumptions, theory.derive)
        ]
        if found:
            return found
    return []


def measured(card: Claim, context: RunContext, seed: int) -> Entry:
    """Compute one row."""
    theory, horizon = context.theory, context.effort.horizon
    instances = standard(card, theory, horizon)
    findings = [f for i in instances for f in _judged(card, i, context)]
    limit = SearchLimit(EXAMPLES, SECONDS, seed)
    intended = next(s for s in theory.statements(card.id) if s.role is Role.INTENDED)
    if intended.searchable:
        findings.append(search(card, intended, context, limit, theory.model))
    verdict = gravest(f.verdict for f in findings)
    said, leans = next(
        ((f.explanation, f.leans) for f in findings if f.verdict is verdict), ("", None)
    )
    upper = card.kind is Kind.UPPER_BOUND
    regret = [(case, values) for case, values in _runs(card, instances, context)] if upper else []
    mean = [(case, float(values.mean())) for case, values in regret]
    of_bounds = [_value(card, case, theory) / m for case, m in mean if m > 0]
    ratios = of_bounds if upper else [*_ratios(findings)]
    entry = Entry(card, verdict, said, tuple(_since(card, instances, context)), tuple(ratios))
    entry = replace(entry, growth=tuple(_growth(card, instances, context)), leans=str(leans or ""))
    return _constants(entry, [*regret, *_runs(card, _ties(instances, horizon), context)], theory)


def _judged(card: Claim, instance: Instance, context: RunContext) -> list[Finding]:
    question = Question(horizon=Fraction(context.effort.horizon), digits=15)
    found = verified(context.theory, card, instance, question, context)
    return [f for f in found if f.role is Role.INTENDED]


def _ratios(findings: Iterable[Finding]) -> Iterator[float]:
    """Claimed over actual, for every case that was judged."""
    for one in (one for finding in findings for one in finding.judged):
        ratio = exp(min(-one.compared.excess, 700.0)) if one.compared.actual else inf
        if isfinite(ratio) and ratio < exp(699):
            yield ratio


def _value(card: Claim, case: AtHorizon, theory: Theory) -> float:
    return as_float(bound(card, case, theory).value)


def _since(card: Claim, instances: list[Instance], context: RunContext) -> Iterator[str]:
    if card.kind is not Kind.UPPER_BOUND:
        return
    for instance in instances:
        case = AtHorizon.at(instance, context.effort.horizon)
        found = bound(card, case, context.theory, since=True).informative_from
        yield "never" if found is None else human(str(found))


def _runs(
    card: Claim, instances: Iterable[Instance], context: RunContext
) -> Iterator[tuple[AtHorizon, np.ndarray]]:
    """Regret at the effort's horizon, on instances that satisfy the assumptions."""
    if card.kind is not Kind.UPPER_BOUND:
        return
    for instance in instances:
        case = AtHorizon.at(instance, context.effort.horizon)
        found = batches(card, case, context)
        if found is not None and not unmet(case, card.assumptions, context.theory.derive):
            yield case, found.draw(min(RUNS, found.limit)).total[:, -1]


def _ties(instances: list[Instance], horizon: int) -> Iterator[Instance]:
    """Near ties with the same law."""
    for size, factor in NEAR_TIES if instances else ():
        made = spread_out(instances[0].reward, size, horizon, Fraction(factor))
        if made is not None:
            yield made


def _constants(entry: Entry, runs: Sequence[tuple[AtHorizon, np.ndarray]], theory: Theory) -> Entry:
    """For a bound's first constant: below which value it is false here, from which supported."""
    (quantity_, *_) = entry.card.quantities or (None,)
    if quantity_ is None or not runs or quantity_.levels:
        return entry
    first = quantity_.terms[0].expression.as_coeff_Mul()[0]
    low, high = [0.0], [0.0]
    for case, values in runs:
        setting = exact_setting(case.instance, case.question, theory.derive).in_floats()
        part, *rest = (float(term_values(t, setting, FLOATS).sum()) for t in quantity_.terms)
        most = float(case.horizon * case.instance.largest_regret)
        level = LEVEL / (2 * len(runs))
        if part > 0:
            at = np.minimum(values, most)
            low.append((lower_limit(at, level) - sum(rest)) / part)
            high.append((upper_limit(at, most, level) - sum(rest)) / part)
    published = float(first)
    return replace(
        entry,
        published=published,
        false_below=published * max(low),
        supported_from=published * max(high),
    )


def _leading(term: Term) -> sympy.Expr | None:
    """The coefficient of log T in a term; None if the term grows otherwise."""
    grown = sympy.Symbol("tau", positive=True)
    logs = {e: grown for e in term.expression.atoms(sympy.log, logbar) if e.has(T)}
    found = sympy.expand(term.expression.xreplace(logs))
    if found.has(T) or found.diff(grown, 2) != 0:
        return None
    return found.diff(grown)


def _growth(card: Claim, instances: list[Instance], context: RunContext) -> Iterator[float]:
    """Growth per log T divided by the least possible for any policy."""
    least = [
        c
        for c in context.cards.values()
        if c.kind is Kind.LOWER_BOUND and c.policy is None and c.over == "instance" and c.premise
    ]
    if card.policy is None or not card.quantities or card.quantities[0].levels or not least:
        return
    terms = card.quantities[0].terms
    slopes = [t.expression if card.kind is Kind.ASYMPTOTIC else _leading(t) for t in terms]
    if any(slope is None for slope in slopes):
        return
    grown = [Term(t.name, slope, t.over) for t, slope in zip(terms, slopes, strict=True) if slope]
    for instance in instances:
        case = AtHorizon.at(instance, context.effort.horizon)
        setting = exact_setting(instance, case.question, context.theory.derive).in_floats()
        total = sum(float(term_values(t, setting, FLOATS).sum()) for t in grown)
        best = _value(least[0], case, context.theory)
        if best > 0 and total > 0:
            yield total / best


# -- the page ------------------------------------------------------------------------------------


def span(values: Sequence[float]) -> str:
    """The range of values, as text.

    >>> span([2.0, 12.5]), span([3.0]), span([])
    ('2 to 12.5', '3', '-')
    """
    finite = [x for x in values if isfinite(x)]
    if not finite:
        return "-"
    low, high = number(min(finite)), number(max(finite))
    return low if low == high else f"{low} to {high}"


HEADINGS = (
    *("result", "says", "verdict", "informative from T", "bound over actual"),
    *("first constant: published; false below, supported from", "growth over the least", "erratum"),
)


def row(entry: Entry) -> list[str]:
    card = entry.card
    constant = "-"
    if entry.published is not None:
        constant = f"{number(entry.published)}; {number(entry.false_below or 0.0)}, "
        constant += number(entry.supported_from or 0.0)
    verdict = "-" if entry.verdict is None else f"**{entry.verdict}**"
    if entry.verdict is Verdict.REFUTED:
        verdict += f": {entry.said}"
    elif entry.leans in ("for", "against"):
        verdict += f", leans {entry.leans}"
    return [
        f"`{card.id}` {card.title} ({card.source})",
        f"${card.latex}$",
        verdict,
        "; ".join(entry.since) or "-",
        span(entry.ratios),
        constant,
        span(entry.growth),
        " ".join(repair.sentence for repair in card.repairs) or "-",
    ]


def write_almanac(
    theory: Theory,
    out: str | Path = "almanac",
    *,
    effort: Effort = ALMANAC,
    seed: int = 0,
    form: str = "markdown",
    progress: Progress | None = None,
) -> tuple[Path, list[Entry]]:
    """Measure every result of a theory and write the page; returns its path and the rows."""
    known_form(form)
    where = folder(out)
    context = theory.context(effort, seed=seed)
    entries = []
    for card in theory.cards.values():
        if progress:
            progress(card.id)
        entries.append(measured(card, context, seed))
    entries.sort(key=lambda entry: entry.rank)
    figure(theory, context, where)
    names = "; ".join(UNIT)
    text = f"""# Almanac: {theory.name}

Every result beside what was measured of it: bounds on regret, other numbers, probabilities, in each
group the loosest first. "Bound over actual" is at least 1 where a result is true; for a lower bound
it is what is known to suffice over the bound. Standard instances: {names}, of the
first law that a result admits; T = {effort.horizon:,} and {RUNS} runs where regret is simulated. A
bound that is never informative is above the largest possible regret at every T. "First constant":
the number before the first term as published, below which number the bound is refuted on these
instances and on near ties at level {LEVEL}, and from which it is supported there. "Growth over the
least": the constant before log T, over that of the lower bound for every policy.

![Regret and bounds for two arms of means {" and ".join(SHOWN)}](almanac.svg)

{markdown_table(HEADINGS, map(row, entries))}

Made with {provenance()}, seed {seed}.
"""
    titles = {entry.card.id: entry.card.title for entry in entries}
    return page_of(text, where, "almanac", form, figures=["almanac.svg"], claims=titles), entries


def figure(theory: Theory, context: RunContext, out: Path) -> None:
    """Simulated regret on a standard instance, and the upper bounds against T."""
    instance = arms(SHOWN, LAWS[0], "standard")
    assert instance is not None
    case = AtHorizon.at(instance, context.effort.horizon)
    cards = [
        card
        for card in theory.cards.values()
        if card.kind is Kind.UPPER_BOUND
        and not unmet(case, card.assumptions, theory.derive)
        and not card.repairs
    ]
    runs = {}
    for card in cards:
        found = batches(card, case, context)
        if found is not None and card.policy_name not in runs:
            runs[card.policy_name] = found.draw(min(RUNS, found.limit))
    drawn = looks([str(name) for name in runs])
    slots = [10**k for k in range(2, 9)]
    with canvas(2) as (figure, (above, below)):
        regret_curves(above, runs.values(), drawn, None)
        finish_regret(above, "Simulated: mean (line) and middle 90 % of the runs (band)")
        for card in cards:
            values = [_value(card, AtHorizon.at(instance, t), theory) for t in slots]
            look = drawn.get(str(card.policy_name), Look(GREY))
            curve(below, look, slots, values, card.id)
        most = [t * float(instance.largest_regret) for t in slots]
        curve(below, Look(GREY), slots, most, "largest possible", linewidth=0.9)
        below.set(xscale="log", yscale="log", xlabel="T", ylabel="bound on regret")
        below.set_title("Upper bounds")
        name_curves(below)
        save(figure, out / "almanac.svg")
