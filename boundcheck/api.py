"""What Python users call: the engine, about the paper's theory unless `theory` names another.

Common parameters:

instance   an `Instance`
question   a `Question`; or its fields as keywords, numbers or text: horizon, delta, epsilon,
           threshold, samples, gamma, xi, digits
claims     ids or cards; None: all of the theory
theory     a `Theory`; None: the paper on shareable arms
jobs, executor, cluster, store, seed
           where to simulate, what to keep and the random numbers, as for `simulate`
progress   is called with a line of text now and then
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.theories import default

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import Bound, CheckedAssumption
    from boundcheck.calculator.question import Question
    from boundcheck.calculator.results import Results
    from boundcheck.calculator.sweeps import Sweep
    from boundcheck.claims.card import Claim
    from boundcheck.judging.falsification import Falsification
    from boundcheck.judging.verification import Verification
    from boundcheck.pages.headline import Headline
    from boundcheck.proof_steps.ledger import Entry
    from boundcheck.terminal.run_simulate import KnownPolicy
    from boundcheck.theory import Theory
    from boundcheck.trying.trial import Trial
    from simulation.policies import Policy
    from simulation.running.executors import Workers
    from simulation.world.instance import Instance

Claims = Iterable["str | Claim"]
Folder = str | PathLike[str]
Progress = Callable[[str], None]


# -- what the theory says ------------------------------------------------------------------------


def catalogue(theory: Theory | None = None) -> Mapping[str, Claim]:
    """The cards of a theory by id: first the paper's, in its order, then ours.

    >>> list(catalogue())[:2], catalogue()["lem-5.1"].title
    (['thm-4.1a', 'thm-4.1b'], 'Uniform confidence interval for a capacity')
    """
    return (theory or default()).cards


def find(name: str, theory: Theory | None = None) -> Claim:
    """The card with this id.

    >>> find("thm-7.1").title
    'Regret upper bound of OrchExplore'
    """
    return (theory or default()).find(name)


def bounds(
    instance: Instance,
    question: Question | None = None,
    claims: Claims | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Results[Bound]:
    """The bounds of a theory for an instance: a `Bound` for each claim, and each arm it is about.

    >>> from boundcheck import Instance, Question
    >>> paper = Instance.load("paper")
    >>> bounds(paper, horizon=1e6, delta=0.05, claims=["sharp-7.1"])[0]
    <Bound sharp-7.1: regret 47,500 reward, applies>
    >>> [b.value for b in bounds(paper, Question(horizon="1e5", digits=6), ["cor-7.2"])]
    [Number('5787.64')]
    """
    from boundcheck.calculator import bounds as calculator

    return calculator.bounds(instance, question, claims, theory=theory or default(), **asked)


def check(
    instance: Instance,
    question: Question | None = None,
    claims: Claims | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Results[CheckedAssumption]:
    """The assumptions of the claims on an instance, each with its numbers.

    >>> from boundcheck import Instance
    >>> [c.condition.arm for c in check(Instance.load("paper-gaussian"), claims=["thm-4.1a"])
    ...  if not c.condition.holds]
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    from boundcheck.calculator import bounds as calculator

    return calculator.check(instance, question, claims, theory=theory or default(), **asked)


def headline(
    instance: Instance,
    question: Question | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Headline:
    """The questions that a theory answers and its other results, on an instance.

    >>> from boundcheck import Instance
    >>> print(str(headline(Instance.load("textbook"), horizon=1e6)).splitlines()[-1].strip())
    sharp-7.1: regret 2,090, applies. Regret of OrchExplore at any horizon
    """
    from boundcheck.pages import headline as calculator

    return calculator.headline(instance, question, theory=theory or default(), **asked)


def sweep(
    instance: Instance,
    claim: str | Claim | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    question: Question | None = None,
    quantity: int = 0,
    *,
    simulate: str | Policy | None = None,
    runs: int = 50,
    theory: Theory | None = None,
    **given: Any,
) -> Sweep:
    """A claim's number at every point of the product of the given values.

    claim      its id or card; None: the main claim of the theory
    vary       lists of values by parameter: plays, variance, gap (the smallest gap between means;
               the others are stretched with it), horizon, delta, mean.1, capacity.1, ...
    quantity   which number of the claim, counted from 0
    simulate   a policy whose mean regret in `runs` runs is shown next to the number
    given      lists are varied too (`mean_1` for mean.1), single values are asked

    >>> from boundcheck import Instance
    >>> table = sweep(Instance.load("paper"), "cor-7.2", plays=[2, 3, "7"])
    >>> table.columns["value"].round(2).tolist()
    [225.29, 444.37, 5787.64]
    """
    from boundcheck.calculator import sweeps

    return sweeps.sweep(
        instance,
        claim,
        vary,
        question,
        quantity,
        simulate=simulate,
        runs=runs,
        theory=theory or default(),
        **given,
    )


# -- whether it is true --------------------------------------------------------------------------


def verify(
    instance: Instance,
    effort: str = "standard",
    *,
    question: Question | None = None,
    claims: Claims | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: Folder | None = None,
    budget: float = 1e-6,
    progress: Progress | None = None,
    arrived: Callable[[Verification], None] | None = None,
    theory: Theory | None = None,
    **asked: Any,
) -> Verification:
    """Decide the claims of a theory on an instance, by exact computation and simulation.

    effort    quick, standard or thorough: how many slots may be simulated
    budget    the chance that any true statement is refuted, at most
    arrived   is called with what was found of each claim, as soon as it is

    >>> from boundcheck import Instance
    >>> found = verify(Instance.load("textbook"), "quick", claims=["thm-5.3b"])
    >>> [finding.answer for finding in found.findings]
    ['does not apply', 'holds', 'holds']
    """
    from boundcheck.judging import verification

    return verification.verify(
        instance,
        effort,
        question=question,
        claims=claims,
        seed=seed,
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        store=store,
        budget=budget,
        progress=progress,
        arrived=arrived,
        theory=theory or default(),
        **asked,
    )


def falsify(
    claim: str | Claim,
    drop: str | None = None,
    examples: int = 2_000,
    seconds: float = 240.0,
    seed: int = 0,
    *,
    theory: Theory | None = None,
) -> Results[Falsification]:
    """Search with Hypothesis for a smallest counterexample to a claim.

    claim      its id or card; or `policy NAME`: is there a law under which it does not learn?
    drop       an assumption to leave out: is it needed?
    examples   instances to try, at most
    seconds    time to search, at most

    >>> [row.statement for row in falsify("thm-4.3", examples=100) if row.found]
    ['intended', 'further:filled-arms']
    """
    from boundcheck.judging import falsify as searching

    return searching.falsify(claim, drop, examples, seconds, seed, theory=theory or default())


def proofs(
    claim: str | None = None, progress: Progress | None = None, theory: Theory | None = None
) -> Results[Entry]:
    """The proof of a claim, or all proofs of a theory, step by step, each judged by computation.

    >>> [(str(entry.step), str(entry.verdict)) for entry in proofs("cor-7.2")]
    [('7.2-a', 'holds'), ('7.2-b', 'refuted')]
    """
    from boundcheck.proof_steps import ledger

    return ledger.ledger(claim, progress, theory=theory or default())


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
    store: Folder | None = None,
    budget: float = 1e-6,
    progress: Progress | None = None,
    theory: Theory | None = None,
) -> Trial:
    """Decide a bound that is typed as one line (docs/language.md).

    law       bernoulli, beta or gaussian; every law that the policy serves unless given
    horizon   the only T of the panel; powers of ten up to that of the effort unless given
    budget    chance of a false refutation, at most

    >>> trial = try_bound("|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta")
    >>> str(trial.finding.verdict), trial.to_json()["policy"]
    ('holds', None)
    """
    from boundcheck.trying import trial

    return trial.try_bound(
        line,
        effort,
        law=law,
        horizon=horizon,
        seed=seed,
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        store=store,
        budget=budget,
        progress=progress,
        theory=theory or default(),
    )


# -- what people read ----------------------------------------------------------------------------


def policies(theory: Theory | None = None) -> Results[KnownPolicy]:
    """Every policy that can be simulated by name.

    >>> [known.told for known in policies() if known.policy == "orch-explore"]
    ['horizon, scale']
    """
    from boundcheck.terminal import run_simulate

    return run_simulate.policies(theory or default())


def report(
    instance: Instance,
    output: str | Path = "report",
    effort: str = "standard",
    *,
    theory: Theory | None = None,
    **how: Any,
) -> Path:
    """Study an instance and write a report; the path of the file to open.

    output     the folder to write
    how        question or its fields, claims, policies (to compare beside the theory's), form
               (markdown or html), seed, jobs, executor, cluster, store, progress

    >>> from tempfile import TemporaryDirectory
    >>> from boundcheck import Instance, Theory, find
    >>> small = Theory("one result", {"lem-C.3": find("lem-C.3")}, default().derive)
    >>> with TemporaryDirectory() as out:
    ...     page = report(Instance.load("textbook"), out, "quick", theory=small)
    ...     print(page.name, page.read_text().splitlines()[0])
    report.md # `textbook`: what to play, and what the theory says
    """
    from boundcheck.pages.instance import write_report

    return write_report(instance, output, effort, theory=theory or default(), **how)


def audit(
    output: str | Path = "audit",
    effort: str = "standard",
    *,
    theory: Theory | None = None,
    **how: Any,
) -> Path:
    """Decide, search and check every claim of a theory, and write it down; the path of the page.

    output     the folder to write
    how        form (markdown or html), seed, jobs, executor, cluster, store, progress

    >>> from tempfile import TemporaryDirectory
    >>> from boundcheck import Theory, find
    >>> cards = {"lem-C.3": find("lem-C.3")}
    >>> small = Theory("one result", cards, default().derive, audited=("textbook",))
    >>> with TemporaryDirectory() as out:
    ...     page = audit(out, "quick", theory=small)
    ...     print(page.read_text().splitlines()[0])
    # The audit: one result
    """
    from boundcheck.pages.audit import write_audit

    return write_audit(output, effort, theory=theory or default(), **how)
