"""Regret upper bounds beside the simulated regret of their algorithms: 7.1, G.1, G.3, G.5, H.1.

The policies are told the horizon (delta = 2/T), so a bound at T is a statement about runs made for
T: each horizon of the ladder 10^3, 10^4, ... has runs of its own, and fewer runs go ten times as
far as the effort's horizon. Regret is non-negative, so the betting e-process decides "mean regret
<= bound" with no range. No slot loses more than f(a*) less the smallest f(a): where the bound is T
times that or more there is nothing to decide, and it is called vacuous.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from boundcheck.calculator import Bound, bounds
from boundcheck.checks import checks
from boundcheck.claim import Claim
from boundcheck.conditions import Condition
from boundcheck.crossvalidate import Run, not_applicable
from boundcheck.evidence import Finding, MeanCheck, Verdict, conclude, mean_at_most
from boundcheck.question import Question
from simulation.instance import Instance

if TYPE_CHECKING:
    from boundcheck.evidence.inputs import FloatArray
    from simulation.results import PolicyRuns

POLICY = {
    "thm-7.1": "orch-explore",
    "sharp-7.1": "orch-explore",
    "thm-G.1": "mp-se-sa",
    "thm-G.3": "mp-se",
    "thm-G.5": "se-kc",
    "thm-H.1": "etc-ucb",
}
# which phases of orch-explore pay for which terms of its bound
PHASES = {
    ("suboptimal arms",): ("deliberate",),
    ("capacities of filled arms", "last arm"): ("pue",),
    ("constant",): ("pie-base", "exploitation"),
}
SHORTEST = 1_000
FURTHER, FURTHER_RUNS = 10, 20
# runs beyond which a bound that is many times the regret gains nothing; orch-explore is cheap and
# its growth is measured too, so it takes all the effort offers
MOST_RUNS = {"mp-se-sa": 100, "mp-se": 100, "se-kc": 100, "etc-ucb": 100}
MOST_RUNS_BESIDE = 50


def played(run: Run, policy: str, horizon: int | None = None) -> PolicyRuns:
    """Simulated runs of a policy, as many as the effort allows and the policy needs."""
    runs = run.effort.runs
    if horizon is not None and horizon > run.effort.horizon:
        runs = min(runs, max(runs // FURTHER, FURTHER_RUNS))
    elif policy != "orch-explore":
        runs = min(runs, MOST_RUNS.get(policy, MOST_RUNS_BESIDE))
    return run.simulated(policy, horizon=horizon, runs=runs)


def ladder(run: Run) -> list[int]:
    """The horizons that get runs of their own: powers of ten, and the effort's horizon."""
    horizons, horizon = [], SHORTEST
    while horizon < run.effort.horizon:
        horizons.append(horizon)
        horizon *= 10
    return [*horizons, run.effort.horizon]


@dataclass(frozen=True)
class Rung:
    """One horizon: the bound there, the assumptions it fails, and runs made for it."""

    bound: Bound
    unmet: Sequence[Condition]
    runs: PolicyRuns
    trivial: float  # the largest regret possible

    @property
    def claimed(self) -> float:
        """The upper end of the bound's enclosure."""
        return float(self.bound.upper or "nan")

    @property
    def regret(self) -> FloatArray:
        """Final regret of each run."""
        return self.runs.total[:, -1]

    def evidence(self) -> dict[str, Any]:
        mean = float(self.regret.mean())
        return {
            "T": self.runs.horizon,
            "bound": self.claimed,
            "simulated": mean,
            "standard_error": float(self.runs.standard_error[-1]),
            "ratio": self.claimed / mean if mean > 0 else None,
            "trivial_bound": self.trivial,
            "vacuous": self.bound.vacuous,
        }


@checks(*(claim for claim in POLICY if claim not in ("thm-G.1", "thm-G.3")))
def upper_bound(card: Claim, run: Run) -> Iterator[Finding]:
    """The bound as stated where its assumptions hold, and without them where it is a number."""
    rungs = _rungs(card, run)
    stated = [rung for rung in rungs if not rung.unmet]
    beyond = [rung for rung in rungs if rung.unmet and rung.bound.value is not None]
    if stated:
        yield _decided(card, card.reading, stated, run, f"{card.id} as stated")
    else:
        context = {"policy": POLICY[card.id], **rungs[-1].evidence()}
        yield not_applicable(card, rungs[-1].unmet, **context)
    if beyond:
        names = ", ".join(dict.fromkeys(c.name for rung in beyond for c in rung.unmet))
        reading = f"{card.reading}; without its assumption: {names}"
        yield _decided(card, reading, beyond, run, f"{card.id} without {names}")


def _rungs(card: Claim, run: Run) -> list[Rung]:
    found = []
    for horizon in (*ladder(run), FURTHER * run.effort.horizon):
        question = run.ask(horizon=horizon)
        (bound,) = run.bounds(card.id, question)
        if bound.value is None and horizon != run.effort.horizon:
            continue
        trivial = horizon * float(run.instance.largest_regret)
        unmet = run.unmet(card.id, question)
        found.append(Rung(bound, unmet, played(run, POLICY[card.id], horizon), trivial))
    return found


def _decided(card: Claim, reading: str, rungs: Sequence[Rung], run: Run, name: str) -> Finding:
    """The e-process at every horizon where the bound says something."""
    policy = rungs[-1].runs.policy
    shared: dict[str, Any] = {"horizons": [rung.evidence() for rung in rungs]}
    if (negative := next((rung for rung in rungs if rung.claimed < 0), None)) is not None:
        context = {"policy": policy, **_headline(card, negative), **shared}
        words = f"the bound is {negative.claimed:.4g}, and regret is never negative"
        return Finding(card.id, reading, Verdict.REFUTED, context, words)
    live = [rung for rung in rungs if not rung.bound.vacuous]
    if not live:
        context = {"policy": policy, **_headline(card, rungs[-1]), **shared}
        return Finding(card.id, reading, Verdict.VACUOUS, context, _nothing_said(rungs[-1]))
    level = run.level(name) / len(live)
    decided = [(rung, mean_at_most(rung.regret, rung.claimed, level)) for rung in live]
    rung, check = next(((r, c) for r, c in decided if c.refuted), decided[-1])
    context = {"policy": policy, **_headline(card, rung), **shared}
    finding = conclude(card.id, reading, check, _in_words(rung, check), context)
    run.budget.record(name, finding.verdict, check.detectable)
    return finding


def _headline(card: Claim, rung: Rung) -> dict[str, Any]:
    found = rung.evidence()
    if POLICY[card.id] == "orch-explore":
        found["phases"] = _phase_by_phase(rung)
    return found


def _phase_by_phase(rung: Rung) -> list[dict[str, Any]]:
    """Each term of the bound beside the regret of the phases it pays for."""
    terms = {name: float(value or "nan") for name, value in rung.bound.terms}
    caused = dict(zip(rung.runs.phases, rung.runs.phase_mean[:, -1].tolist(), strict=True))
    return [
        {
            "terms": names,
            "claimed": sum(terms[name] for name in names if name in terms),
            "phases": phases,
            "simulated": sum(caused[phase] for phase in phases),
        }
        for names, phases in PHASES.items()
    ]


def _nothing_said(rung: Rung) -> str:
    since = rung.bound.nonvacuous_from
    later = "at no T up to 10^300" if since is None else f"from T = {since} on"
    return (
        f"the bound {rung.claimed:.4g} is no less than the largest regret possible, "
        f"{rung.trivial:.4g} (it is less {later}); simulated regret is {rung.regret.mean():.4g}"
    )


def _in_words(rung: Rung, check: MeanCheck) -> str:
    return (
        f"mean regret {check.mean:.4g} of {rung.runs.policy} in {check.runs} runs of "
        f"{rung.runs.horizon} slots, bound {check.bound:.4g}"
    )


# -- on instances of ours ------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """A bound on an instance that satisfies all its assumptions, and why this instance."""

    instance: Instance
    horizon: int
    runs: int
    reading: str  # of the pseudo-code
    words: str


def near_tie() -> Trial:
    """The arms N and N + 1 nearly tie, far below the best, which could serve all plays.

    While no capacity is known the N best arms are taken to be needed, and none is unitedly explored
    before one of the two is eliminated: a gap that the bound of G.1 does not contain.
    """
    instance = Instance(["0.9", "0.5", "0.499"], [2, 1, 1], 2, name="near-tie")
    words = "left-over plays are used; where arms N and N + 1 nearly tie (means 0.9, 0.5, 0.499)"
    return Trial(instance, 100_000, 30, "resolved", words)


def one_arm_too_many(reading: str) -> Trial:
    """K = N + 1 arms of capacity 1: a round of individual explorations takes two slots, and
    without a use for the left-over plays it wastes N - 1 of them."""
    plays = 60
    best = [Fraction(99, 100) - Fraction(k, 10_000) for k in range(plays - 1)]
    means = [*best, Fraction(49, 100), Fraction(44, 100)]
    instance = Instance(means, [1] * len(means), plays, name="one-arm-too-many")
    use = "left-over plays are used" if reading == "resolved" else "literal: they are wasted"
    words = f"{use}; K = {len(means)} arms, N = {plays} plays"
    return Trial(instance, 20_000, 40, reading, words)


@checks("thm-G.1")
def shared_arms(card: Claim, run: Run) -> Iterator[Finding]:
    yield from upper_bound(card, run)
    yield _tried(card, run, near_tie())


@checks("thm-G.3")
def unit_capacities(card: Claim, run: Run) -> Iterator[Finding]:
    """Its algorithm is told that every capacity is 1: anywhere else its regret means nothing."""
    unmet = run.unmet(card.id)
    if any(condition.name == "unit-capacities" for condition in unmet):
        yield not_applicable(card, unmet, bound=run.bounds(card.id)[0].value)
    else:
        yield from upper_bound(card, run)
    for reading in ("resolved", "literal"):
        yield _tried(card, run, one_arm_too_many(reading))


def _tried(card: Claim, run: Run, trial: Trial) -> Finding:
    from simulation.replicate import replicate

    policy, instance = POLICY[card.id], trial.instance
    question = Question(horizon=Fraction(trial.horizon), digits=15)
    (bound,) = bounds(instance, question, [card.id])
    runs = replicate(
        instance,
        [policy],
        trial.horizon,
        trial.runs,
        run.seed,
        jobs=run.jobs,
        options={"reading": trial.reading},
    )[policy]
    rung = Rung(bound, (), runs, trial.horizon * float(instance.largest_regret))
    name = f"{card.id} {trial.reading}, {instance.name}"
    return _decided(card, trial.words, [rung], run, name)
