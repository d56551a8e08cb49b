"""What is measured of one result: a row of the almanac.

A result is judged on five standard instances of the first law that it admits, and a short search
looks for a counterexample. Regret is simulated on the same instances; which values of the first
constant are false, and which are supported, is found there and on near ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, inf
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
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.searching import search
from boundcheck.judging.verification import verified
from boundcheck.search.hunt import SearchLimit
from boundcheck.theory import Theory
from boundcheck.trying.panel import arms
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
RUNS, LEVEL = 100, 0.05
EXAMPLES, SECONDS = 100, 15.0
TENTH = 0.1
LARGEST_EXPONENT = 699.0  # of e, among floats
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
    # actual over bound, or bound over what suffices; over near ties and a search, too
    largest_share: float | None = None
    theory: str = ""

    @property
    def rank(self) -> tuple[int, float]:
        """Sort key: bounds on regret first, probabilities last; within a group the loosest
        first.
        """
        kind = self.card.kind
        group = 0 if kind is Kind.UPPER_BOUND else 2 if kind in (Kind.COVERAGE, Kind.ALGEBRA) else 1
        return group, -min(self.ratios, default=-1.0)

    @property
    def looseness(self) -> dict[str, float] | None:
        """Bound over actual, smallest and largest."""
        if not self.ratios:
            return None
        return {"smallest": min(self.ratios), "largest": max(self.ratios)}

    @property
    def out_of_reach(self) -> str:
        """What keeps a tenth of an upper bound, or twice a lower one, from being refuted; nothing
        where it was, or may be with more runs.
        """
        share = self.largest_share
        if not share:
            return ""
        if self.card.kind is Kind.UPPER_BOUND and share < TENTH:
            return (
                "a tenth of it was not refuted: the largest regret found, near ties and a search "
                f"included, is {number(share)} of the bound, which is {number(1 / share)} times it"
            )
        if self.card.kind is Kind.LOWER_BOUND and share < 1 / 2:
            return (
                "twice it was not refuted: what is known to suffice, a search included, is "
                f"{number(1 / share)} times the bound"
            )
        return ""

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck almanac --json`."""
        found: dict[str, Any] = plain_evidence(
            {
                "theory": self.theory,
                "claim": self.card.id,
                "title": self.card.title,
                "source": self.card.source,
                "verdict": None if self.verdict is None else str(self.verdict),
                "explanation": self.said,
                "informative_from": list(self.since),
                "looseness": self.looseness,
                "published": self.published,
                "false_below": self.false_below,
                "supported_from": self.supported_from,
                "growth_over_least": list(self.growth),
                "out_of_reach": self.out_of_reach or None,
                "checked_against": self.card.checked_against,
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
    ties = list(_runs(card, _ties(instances, horizon), context))
    on_standard = list(_runs(card, instances, context))
    ratios = [*_over_runs(card, on_standard, theory)] if upper else [*_ratios(findings)]
    entry = Entry(
        card,
        verdict,
        said,
        tuple(_since(card, instances, context)),
        tuple(ratios),
        growth=tuple(_growth(card, instances, context)),
        leans=str(leans or ""),
        largest_share=_largest_share([*ratios, *_over_runs(card, ties, theory)], findings),
        theory=theory.name,
    )
    return _constants(entry, [*on_standard, *ties], theory)


def _over_runs(
    card: Claim, runs: Iterable[tuple[AtHorizon, np.ndarray]], theory: Theory
) -> Iterator[float]:
    """Bound over the mean of simulated regret."""
    for case, values in runs:
        if values.mean() > 0:
            yield bound_at(card, case, theory) / float(values.mean())


def _largest_share(ratios: Sequence[float], findings: Sequence[Finding]) -> float | None:
    """The largest actual over bound (of a lower bound, bound over actual), of runs and of all cases
    that were judged or searched.
    """
    cases = [one for f in findings for one in (*f.judged, *filter(None, [f.closest]))]
    excess = [one.compared.excess for one in cases]
    shares = [1 / ratio for ratio in ratios if ratio > 0]
    shares += [exp(x) for x in excess if x < LARGEST_EXPONENT]
    return max(shares, default=None)


def _judged(card: Claim, instance: Instance, context: RunContext) -> list[Finding]:
    question = Question(horizon=Fraction(context.effort.horizon), digits=15)
    found = verified(context.theory, card, instance, question, context)
    return [f for f in found if f.role is Role.INTENDED]


def _ratios(findings: Iterable[Finding]) -> Iterator[float]:
    """Claimed over actual, for every case that was judged."""
    for one in (one for finding in findings for one in finding.judged):
        excess = -one.compared.excess if one.compared.actual else inf
        if excess < LARGEST_EXPONENT:
            yield exp(excess)


def bound_at(card: Claim, case: AtHorizon, theory: Theory) -> float:
    """A bound in a case."""
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
        best = bound_at(least[0], case, context.theory)
        if best > 0 and total > 0:
            yield total / best
