"""What must be true of the toolkit itself: each detector looks at one thing and says if it is so.

They use little: reference numbers computed elsewhere, identities that hold whatever the policy
does, exact enumeration of small cases, and planted claims whose truth is known. A statistical one
is seeded and errs by chance, over all seeds, with probability below 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, erfc, sqrt

import numpy as np

from boundcheck.selftest.anchors import ANCHORS, WIDTHS
from simulation.instance import Instance
from simulation.numbers import exact
from simulation.rewards import Beta, Gaussian

Detector = Callable[[], bool]
DETECTORS: dict[str, Detector] = {}

SMALL = Instance([0.9, 0.6, 0.3, 0.2], [2, 2, 1, 1], 3, name="small")


def detector(name: str) -> Callable[[Detector], Detector]:
    def register(function: Detector) -> Detector:
        DETECTORS[name] = function
        return function

    return register


def _close(found: str | None, reference: str, digits: int = 12) -> bool:
    if found is None:
        return False
    a, b = exact(found), exact(reference)
    return bool(abs(a - b) <= abs(b) / 10**digits)


@detector("reference values of the bounds")
def anchors() -> bool:
    from boundcheck.calculator import bounds
    from boundcheck.question import Question

    good = True
    for anchor in ANCHORS:
        instance = Instance.load(anchor.instance)
        question = Question(**anchor.question)
        rows = {(b.claim, b.arm): b for b in reversed(bounds(instance, question, anchor.claims))}
        good &= all(_close(rows[key].text, value) for key, value in anchor.values.items())
    return good


@detector("reference values of the widths")
def widths() -> bool:
    from boundcheck.evaluate import FLOATS, Evaluator
    from boundcheck.functions import phi, rho
    from simulation import capacity

    good = True
    evaluator = Evaluator(FLOATS, {})
    for x, delta, expected_phi, expected_rho in WIDTHS:
        arguments = [np.array([[float(value)]]) for value in (x, delta)]
        for function, expected in ((phi, expected_phi), (rho, expected_rho)):
            found = evaluator.call(function, *arguments).item()
            good &= abs(found - expected) < 1e-12 * expected
        good &= abs(capacity.phi(x, delta) - expected_phi) < 1e-12 * expected_phi
    return good


@detector("divergences of kernels and of formulas agree")
def divergences() -> bool:
    from boundcheck import functions as fn
    from boundcheck.evaluate import FLOATS, Evaluator
    from boundcheck.symbols import sigma2
    from simulation import draws

    good = True
    for law, code in (("bernoulli", 0), ("gaussian", 1)):
        known = {sigma2: np.array([[0.3]])}
        for p, q in ((0.2, 0.7), (0.9, 0.4), (0.5, 0.55)):
            arguments = [np.array([[p]]), np.array([[q]])]
            evaluator = Evaluator(FLOATS, known, law)
            formula = evaluator._function(fn.kl, arguments).item()
            good &= abs(draws.kl(code, 0.3, p, q) - formula) < 1e-12
    return good


def _verdicts(claim: str, instance: Instance) -> set[str]:
    from boundcheck.crossvalidate import crossvalidate

    found = crossvalidate(instance, "quick", claims=[claim], seed=1)
    return {str(f.verdict) for f in found.findings}


@detector("simulated tests attain the exact two-point error")
def two_point() -> bool:
    return _verdicts("sharp-4.1-test", Instance.load("textbook")) == {"consistent"}


@detector("sample lower bounds hold exactly")
def lower_bounds() -> bool:
    return _verdicts("sharp-4.1", Instance.load("textbook")) == {"holds"}


@detector("sample upper bounds are enough")
def enough() -> bool:
    return "refuted" not in _verdicts("thm-5.3a", Instance.load("paper"))


def _runs(policy: str, horizon: int = 2000, runs: int = 200) -> tuple[np.ndarray, ...]:
    from simulation.replicate import replicate

    found = replicate(SMALL, [policy], horizon, runs, seed=7)[policy]
    return found.checkpoints, found.total, found.reward, found.optimal, found.lower, found.upper


@detector("reward and regret add up to t f(a*)")
def bookkeeping() -> bool:
    """E[reward + regret] = t f(a*) at every checkpoint, whatever the policy does.

    A slot's reward is within [0, 3], so Hoeffding's inequality for martingales bounds the mean of
    R runs at slot t: off by 3 sqrt(t log(2/1e-8) / (2 R)) with probability below 1e-8.
    """
    good = True
    for policy in ("orch-explore", "mp-se-sa"):
        slots, regret, reward, *_ = _runs(policy)
        mean = (reward + regret).mean(0) - np.asarray(slots) * float(SMALL.optimal_reward)
        allowed = 3 * np.sqrt(np.asarray(slots) * np.log(2e8) / (2 * len(reward)))
        good &= bool(np.all(np.abs(mean) <= allowed))
    return good


@detector("runs differ from each other")
def independent_runs() -> bool:
    _, _, reward, *_ = _runs("orch-explore", 500, 20)
    return len(np.unique(reward[:, -1])) > 10


@detector("capacities are learnt, and rightly")
def learning() -> bool:
    *_, lower, upper = _runs("orch-explore", 20_000, 20)
    truth = np.minimum(SMALL.capacities, SMALL.plays)
    inside = (lower <= truth) & (truth <= upper)
    best = SMALL.order[0]
    return bool(inside.all() and np.all(lower[:, best] == upper[:, best]))


@detector("regret flattens")
def flattening() -> bool:
    slots, _, _, optimal, *_ = _runs("orch-explore", 20_000, 20)
    late = np.asarray(slots) >= 10_000
    gained = (optimal[:, -1] - optimal[:, late][:, 0]).mean()
    return bool(gained / (slots[-1] - np.asarray(slots)[late][0]) > 0.9)


@detector("an action's regret is what the world says")
def action_regret() -> bool:
    from itertools import product

    from simulation.world import World, regret

    world = World.of(SMALL)
    actions = [a for a in product(range(4), repeat=4) if sum(a) == 3]
    return all(abs(regret(world, np.array(a)) - float(SMALL.regret(a))) < 1e-12 for a in actions)


@detector("rewards follow their law")
def samplers() -> bool:
    """Mean of 10,000 draws within six standard errors (a chance below 1e-8 each)."""
    from simulation.draws import draw, stream
    from simulation.world import World

    good = True
    for law, variance in (
        (None, 0.21),
        (Gaussian(Fraction(1, 2)), 0.5),
        (Beta(Fraction(4)), 0.042),
    ):
        instance = Instance([0.7, 0.5], [1, 1], 1, law)
        world = World.of(instance)
        generator = stream(11, 0)
        drawn = np.array(
            [draw(generator, world.law, world.parameter, world.means[0]) for _ in range(10_000)]
        )
        good &= bool(abs(drawn.mean() - 0.7) < 6 * sqrt(variance / 10_000))
    return good


@detector("binomial limits have their level")
def binomial_level() -> bool:
    """Exact: over all counts of 30 trials, the lower limit exceeds p with probability <= 5 %."""
    from boundcheck.evidence import binomial

    limits = [binomial.lower_limit(hits, 30, 0.05) for hits in range(31)]
    good = True
    for p in (0.05, 0.3, 0.5, 0.9):
        mass = [comb(30, h) * p**h * (1 - p) ** (30 - h) for h in range(31)]
        missed = sum(m for m, limit in zip(mass, limits, strict=True) if limit > p)
        good &= 0.001 < missed <= 0.05 or (p == 0.05 and missed <= 0.05)
    return good


@detector("wealth does not grow under the claim")
def fair_bets() -> bool:
    """Exact: the expected wealth over all 2^6 outcomes of fair coins on {0, 2} is at most 1."""
    from itertools import product

    from boundcheck.evidence import betting

    wealth = [
        np.exp(betting.log_wealth(np.array(path, dtype=float), 1.0)[-1])
        for path in product((0.0, 2.0), repeat=6)
    ]
    return bool(0.9 < np.mean(wealth) <= 1 + 1e-12)


@detector("planted false statements are refuted")
def power() -> bool:
    from boundcheck.evidence import mean_at_most, proportion_at_most

    values = 1 + np.random.default_rng(3).random(400)
    checks = (mean_at_most(values, 1.2, 1e-6), proportion_at_most(300, 400, 0.5, 1e-6))
    return all(check.refuted for check in checks)


@detector("planted true statements are not refuted")
def calm() -> bool:
    from boundcheck.evidence import mean_at_most, proportion_at_most

    values = 1 + np.random.default_rng(4).random(400)
    checks = (mean_at_most(values, 1.5, 1e-6), proportion_at_most(200, 400, 0.5, 1e-6))
    return all(not check.refuted and check.detectable is not None for check in checks)


@detector("levels stay within the budget")
def budget() -> bool:
    from boundcheck.evidence import ErrorPlan

    names = [f"statement {i}" for i in range(40)]
    plan = ErrorPlan(1e-6, dict.fromkeys(names, 1.0))
    return sum(map(plan.level, names)) <= 1e-6


@detector("rare events have their exact probability")
def rare_events() -> bool:
    from boundcheck.evidence import crossing

    found = crossing([5.0], 20_000, np.random.default_rng(5), sides=1)
    truth = erfc(5 / sqrt(2)) / 2
    return bool(abs(found.probability / truth - 1) < 0.1)
