"""`try_bound`: is a typed bound true, from which T is it informative, and how loose is it?

The line is parsed to a card (`language`), and decided on the standard panel (`panel`) by the same
engine as every other claim. Before that, a search with separate random numbers looks for the worst
case, first on the panel, then around its worst case. The result is decided together with the panel,
with new random numbers, and most runs go to the cases that looked worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import exp, inf, isfinite, isnan
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.claims.card import Claim, Kind
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.judging.comparison import Measured
from boundcheck.judging.decide import compared, decide, unmet
from boundcheck.judging.default_statements.one_mean import allowed_deviation
from boundcheck.judging.default_statements.regret import bound
from boundcheck.judging.effort import Effort, effort_named
from boundcheck.judging.finding import Finding
from boundcheck.judging.run_context import Progress, RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.language.reading import Line, read
from boundcheck.trying import panel
from boundcheck.trying.around import neighbours
from boundcheck.trying.outcome import Trial
from boundcheck.trying.words import assumed, place, premises
from simulation.errors import InputError
from simulation.running.executors import Workers
from simulation.running.pools import open_pool

if TYPE_CHECKING:
    from boundcheck.theory import Theory

SCREENING_RUNS, MOST_RUNS = 12, 4_000
STEPS = 6  # steps of the local search for a worse case
SUSPECTS = 8  # cases that get most of the runs
MORE = 12 * 10**7  # additional slots to four times the effort's; half of all go to suspects
BUDGET = 1e-6


def try_bound(
    line: str,
    effort: str = "standard",
    *,
    law: str | None = None,
    horizon: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    budget: float = BUDGET,
    progress: Progress | None = None,
    theory: Theory,
    published: Callable[[], Iterable[Claim]] = tuple,
) -> Trial:
    """Decide a bound that is typed as one line (docs/language.md); `published` gives the cards
    that one with a `?` is compared with.
    """
    return tried(
        read(line, theory),
        theory,
        effort_named(effort),
        law=law,
        horizon=horizon,
        work={"seed": seed, "store": store, "progress": progress},
        pool=partial(open_pool, jobs, executor, cluster),
        budget=budget,
        published=published,
    )


def tried(
    line: Line,
    theory: Theory,
    effort: Effort,
    *,
    law: str | None,
    horizon: int | None,
    work: dict[str, Any],
    pool: Callable[[], Any],
    budget: float = BUDGET,
    published: Callable[[], Iterable[Claim]] = tuple,
) -> Trial:
    """Decide a parsed line."""
    card = line.card
    policy = None if card.policy is None else theory.policy(card.policy)
    laws = panel.admitted(policy, law)
    theory = theory.with_cards([card, *premises(card)])
    cases = _within(card, _cases(card, laws, effort, horizon), theory)
    (statement,) = theory.statements(card.id)
    with pool() as workers:
        plan = ErrorPlan(budget, {f"{card.id} {statement.id}"})
        context = RunContext(effort, plan, theory=theory, executor=workers, **work)
        if line.asks:
            from boundcheck.trying.constant import asked

            given = assumed(line, policy, laws, cases)
            return asked(line, statement, cases, context, given, published())
        require_numbers(card, cases, theory)
        finding = judged(card, statement, cases, context)
    told = since(card, cases, theory), assumed(line, policy, laws, cases)
    return Trial(line, finding, tuple(_ratios(finding)), *told)


def _cases(card: Claim, laws: Sequence[Any], effort: Effort, horizon: int | None) -> list[Any]:
    if card.kind is Kind.COVERAGE:
        return list(panel.coverage_cases(laws))
    if card.kind is Kind.ASYMPTOTIC or card.policy is None:
        return list(panel.growth_cases(laws, effort))
    return list(panel.regret_cases(laws, effort, horizon))


def _within(card: Claim, cases: list[Any], theory: Theory) -> list[Any]:
    """The cases that satisfy the line's assumptions."""
    found = [case for case in cases if not unmet(case, card.assumptions, theory.derive)]
    if not found:
        words = ", ".join(a.statement for a in card.assumptions)
        raise InputError("try", "for", words, "conditions that some case of the panel satisfies")
    return found


def require_numbers(card: Claim, cases: list[Any], theory: Theory) -> None:
    """Raise if the bound is not a positive number somewhere on the panel, naming the case."""
    for case in cases:
        if card.kind is Kind.COVERAGE:
            ball = allowed_deviation(card, case, case.count, theory)
        else:
            ball = bound(card, case, theory).ball
        zero = card.kind is Kind.UPPER_BOUND and case.instance.largest_regret > 0 and ball == 0
        if not ball.is_finite() or ball < 0 or zero:
            found = f"{float(ball.mid()):.4g}" if ball.is_finite() else "not a finite number"
            hint = "" if ball.is_finite() else " (in a sum over arms with a gap: worse)"
            raise InputError("try", place(case), f"the bound is {found}", f"a number above 0{hint}")


def judged(card: Claim, statement: Statement, cases: list[Any], context: RunContext) -> Finding:
    """The verdict on the panel and the worst case found; suspects get most of the runs."""
    if not statement.sampled or card.kind is Kind.ASYMPTOTIC:
        return decide(card, statement, cases, context)
    scores = {case: _score(card, statement, case, context) for case in cases}
    ranked = sorted(cases, key=lambda case: -scores[case])
    worst = climbed(card, statement, ranked[0], scores[ranked[0]], context)
    suspects = {*ranked[:SUSPECTS], worst}
    every = list(dict.fromkeys([*cases, worst]))
    spoken = sum(isfinite(x) for x in scores.values())
    return decide(card, focused(statement, suspects, spoken, context), every, context)


def _score(card: Claim, statement: Statement, case: Any, context: RunContext) -> float:
    """How far a case is from being refuted, by a few runs with other random numbers; 0: at the
    bound.
    """
    if statement.uninformative and statement.uninformative(card, case, context):
        return -inf
    runs = getattr(case, "horizon", 1) * SCREENING_RUNS
    few = context.for_search()
    few = replace(few, effort=replace(context.effort, slots=runs, trials=1000), progress=None)
    return compared(card, statement, case, few).excess


def climbed(card: Claim, statement: Statement, case: Any, best: float, context: RunContext) -> Any:
    """A worse case near this one, if a short local search finds one."""
    if not isfinite(best):
        return case
    for _ in range(STEPS):
        near = [c for c in neighbours(case, context.effort) if _allowed(card, c, context)]
        found = {each: _score(card, statement, each, context) for each in near}
        worse = max(found, key=lambda each: found[each], default=None)
        if worse is None or found[worse] <= best:
            break
        case, best = worse, found[worse]
    return case


def _allowed(card: Claim, case: Any, context: RunContext) -> bool:
    return not unmet(case, card.assumptions, context.theory.derive)


def focused(statement: Statement, suspects: set[Any], cases: int, context: RunContext) -> Statement:
    """The statement with its runs distributed: few for each case, many for each suspect."""
    half = min(16 * context.effort.slots, 4 * context.effort.slots + MORE) // 2

    def shared(way: Measurement) -> Measurement:
        def of(card: Claim, case: Any, context: RunContext) -> Measured | None:
            least = SCREENING_RUNS * getattr(case, "horizon", 1)
            share = half // (len(suspects) if case in suspects else max(cases, 1))
            many = min(max(share, least), MOST_RUNS * getattr(case, "horizon", 1))
            few = replace(context, effort=replace(context.effort, slots=many))
            return way.of(card, case, few)

        return replace(way, of=of) if way.sampled else way

    return replace(statement, actual=tuple(map(shared, statement.actual)))


def _ratios(finding: Finding) -> Iterator[tuple[Any, float]]:
    """Bound over actual for every case judged; actual over bound for a lower bound."""
    for one in finding.judged:
        ratio = exp(min(-one.compared.excess, 700)) if one.compared.actual else inf
        if isfinite(ratio) and not isnan(ratio):
            yield one.case, ratio


def since(card: Claim, cases: list[Any], theory: Theory) -> str | None:
    """The smallest T from which the bound is informative on some instance."""
    if card.kind is not Kind.UPPER_BOUND:
        return None
    largest = {case.instance: case for case in cases}.values()
    found = (bound(card, case, theory, since=True).informative_from for case in largest)
    first = min((x for x in found if x is not None), key=float, default=None)
    return None if first is None else str(first)
