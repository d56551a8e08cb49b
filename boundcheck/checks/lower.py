"""Regret lower bounds: theorem 4.3, the exact constant sharp-4.3, and lemma C.3.

The published constant is set beside the exact one by certified enclosures. The exact constant and
the weighted sum of C.3 (the first term of both) are set beside the brute-force Graves-Lai program
where the instance is small enough for it, and beside the growth of simulated regret, which no
finite horizon lets decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

from boundcheck.calculator import Bound, bounds
from boundcheck.checks import checks
from boundcheck.checks.growth import growth
from boundcheck.claim import Claim
from boundcheck.crossvalidate import Run, cannot_arise, not_applicable
from boundcheck.evidence import Finding, Verdict
from boundcheck.graves_lai import LARGEST, Unsolved, graves_lai
from simulation.instance import Instance

# the program is solved in floats until no alternative is violated by more than 1e-9
PROGRAM_TOLERANCE = 1e-5
LEARNERS = ("orch-explore", "likelihood")  # they do not know the capacities
TOLD = ("kl-ucb-kc", "orch-explore-kc")
SPREAD = 2.0  # standard errors


@checks("thm-4.3")
def published(card: Claim, run: Run) -> Iterator[Finding]:
    """A lower bound above the smallest possible growth is false."""
    (claimed,), (exact,) = run.bounds(card.id), run.bounds("sharp-4.3")
    context: dict[str, Any] = {
        "published": _enclosure(claimed),
        "exact": _enclosure(exact),
        "ratio": _ratio(claimed, exact),
        "growth": _growths(run, LEARNERS),
    }
    unmet = run.unmet(card.id)
    if unmet:
        yield not_applicable(card, unmet, **context)
        return
    verdict, words = _compared(claimed, exact)
    if verdict is Verdict.REFUTED:
        context["witness"] = _witness(claimed, context["growth"])
        words += _testimony(context["witness"])
    yield Finding(card.id, card.reading, verdict, context, words)


def _witness(claimed: Bound, growths: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The policy of least growth, if all of the interval of its slope is below the claim.

    It illustrates what the enclosures decide: a slope up to one horizon is not its limit.
    """
    least = min(growths, key=lambda found: float(found["within_runs"]["slope"]))
    slope = least["within_runs"]
    if claimed.lower is None or not slope["interval"][1] < float(claimed.lower):
        return None
    return {"policy": least["policy"], "slope": slope["slope"], "interval": slope["interval"]}


def _testimony(witness: dict[str, Any] | None) -> str:
    if witness is None:
        return ""
    return f"; the regret of {witness['policy']} grows by {witness['slope']:.3g} per log T here"


def _compared(claimed: Bound, exact: Bound) -> tuple[Verdict, str]:
    if claimed.ball is None or exact.ball is None:
        return Verdict.NOT_APPLICABLE, "a constant is not a number on this instance"
    if claimed.ball > exact.ball:
        words = "the published constant exceeds the smallest possible growth, sharp-4.3"
        return Verdict.REFUTED, words
    if claimed.ball <= exact.ball:
        words = "the published constant is at most sharp-4.3, and stands or falls with it"
        return Verdict.HOLDS, words
    return Verdict.INCONCLUSIVE, "the enclosures of the two constants overlap: more digits"


@checks("sharp-4.3")
def exact_constant(card: Claim, run: Run) -> Iterator[Finding]:
    """The closed form beside the linear program it solves."""
    (claimed,) = run.bounds(card.id)
    yield _beside_program(card, run, claimed.value, LEARNERS)


@checks("lem-C.3")
def suboptimal_arms(card: Claim, run: Run) -> Iterator[Finding]:
    """Slots on suboptimal arms, weighted by what they lose: the first term of sharp-4.3."""
    (constant,) = run.bounds("sharp-4.3")
    weighted = dict(constant.terms).get("suboptimal arms")
    yield _beside_program(card, run, weighted, TOLD)


def _beside_program(
    card: Claim, run: Run, claimed: str | None, policies: tuple[str, ...]
) -> Finding:
    """`claimed` is the growth per log T that follows from the claim."""
    growths = _growths(run, policies)
    context: dict[str, Any] = {"claimed": claimed, "growth": growths}
    unmet = run.unmet(card.id)
    if unmet:
        return not_applicable(card, unmet, **context)
    if claimed is None:
        words = "the constant is not a number on this instance"
        return cannot_arise(card, card.reading, words, **context)
    small = _small_enough(run.instance)
    try:
        program = None if small is None else graves_lai(small)
    except Unsolved as error:
        words = f"the Graves-Lai program needs more digits than floats have: {error}"
        return Finding(card.id, card.reading, Verdict.INCONCLUSIVE, context, words)
    if small is None or program is None:
        return _by_growth(card, context, float(claimed), growths)
    (constant,) = bounds(small, run.question, ["sharp-4.3"])
    return _agreement(card, run, context, small, program, float(constant.value or "nan"))


def _agreement(
    card: Claim,
    run: Run,
    context: dict[str, Any],
    small: Instance,
    program: float,
    constant: float,
) -> Finding:
    difference = abs(program - constant) / max(abs(constant), 1e-12)
    dropped = run.instance.arms - small.arms
    evidence = {
        **context,
        "arms_left_out": dropped,
        "program": program,
        "sharp-4.3": constant,
        "relative_difference": difference,
        "detectable": f"a relative difference above {PROGRAM_TOLERANCE:g}",
    }
    where = f" without its {dropped} worst arms" if dropped else ""
    words = f"the Graves-Lai program{where} gives {program:.8g}, the formula {constant:.8g}"
    verdict = Verdict.CONSISTENT if difference <= PROGRAM_TOLERANCE else Verdict.REFUTED
    return Finding(card.id, card.reading, verdict, evidence, words)


def _small_enough(instance: Instance) -> Instance | None:
    """The instance, or as many of its best arms as the program can take."""
    kept = instance.arms
    while comb(kept + instance.plays - 1, instance.plays) > LARGEST:
        kept -= 1
    if kept <= instance.plays:
        return None
    best = sorted(instance.order[:kept])
    return instance.with_(
        means=[instance.means[k] for k in best],
        capacities=[instance.capacities[k] for k in best],
    )


def _by_growth(
    card: Claim, context: dict[str, Any], claimed: float, growths: list[dict[str, Any]]
) -> Finding:
    """A policy that seems to grow more slowly leaves the claim open, at a finite horizon."""
    slopes = [found.get("between_horizons", found["within_runs"]) for found in growths]
    lowest = min(slopes, key=lambda slope: float(slope["slope"]))
    slope, error = float(lowest["slope"]), float(lowest["standard_error"])
    visible = claimed - SPREAD * error
    seen = f"the slowest growth seen is {slope:.4g} +- {error:.2g} per log T, claimed {claimed:.4g}"
    if visible <= 0 or slope + SPREAD * error < claimed:
        words = f"{seen}; the Graves-Lai program on a smaller instance, or longer runs, would tell"
        return Finding(card.id, card.reading, Verdict.INCONCLUSIVE, context, words)
    evidence = {**context, "detectable": f"a growth below {visible:.4g} per log T"}
    return Finding(card.id, card.reading, Verdict.CONSISTENT, evidence, seen)


def _growths(run: Run, policies: tuple[str, ...]) -> list[dict[str, Any]]:
    from simulation.policies import POLICIES

    return [growth(run, policy) for policy in policies if policy in POLICIES]


def _enclosure(bound: Bound) -> dict[str, Any]:
    return {"lower": bound.lower, "upper": bound.upper, "terms": dict(bound.terms)}


def _ratio(claimed: Bound, exact: Bound) -> float | None:
    if claimed.value is None or exact.value is None or not float(exact.value) > 0:
        return None
    return float(claimed.value) / float(exact.value)
