"""The functions that Python users call. They work on the paper's theory unless `theory` names
another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.theories import default, theory_of

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
    from boundcheck.trying.outcome import Trial
    from simulation.policies import Policy
    from simulation.running.executors import Workers
    from simulation.world.instance import Instance

Claims = Iterable["str | Claim"]
Folder = str | PathLike[str]
Progress = Callable[[str], None]


# -- what the theory says ------------------------------------------------------------------------


def catalogue(theory: Theory | None = None) -> Mapping[str, Claim]:
    """Return the cards of a theory by id: first the paper's, in its order, then ours.

    theory   the theory (default: the paper's)

    >>> list(catalogue())[:2], catalogue()["lem-5.1"].title
    (['thm-4.1a', 'thm-4.1b'], 'Uniform confidence interval for a capacity')
    """
    return (theory or default()).cards


def find(name: str, theory: Theory | None = None) -> Claim:
    """Return the card of a claim.

    name     its id, or THEORY:ID
    theory   the theory it belongs to (default: the paper's)

    >>> find("thm-7.1").title, find("classic:ucb1").title
    ('Regret upper bound of OrchExplore', 'Regret of UCB1')
    """
    theory, chosen = theory_of([name], theory or default())
    return theory.chosen(chosen)[0]


def bounds(
    instance: Instance,
    question: Question | None = None,
    claims: Claims | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Results[Bound]:
    """Compute the bounds of a theory for an instance.

    instance   the arms
    question   horizon, delta, epsilon, threshold, samples, gamma, xi and digits in one object;
               or give any of them as keywords, as numbers or text
    claims     ids, plain or THEORY:ID, or cards of the claims to compute (default: all)
    theory     the theory they belong to (default: the paper's)

    >>> from boundcheck import Instance, Question
    >>> paper = Instance.load("paper")
    >>> bounds(paper, horizon=1e6, delta=0.05, claims=["sharp-7.1"])[0]
    <Bound sharp-7.1: regret 10,670 reward, applies>
    >>> [b.value for b in bounds(paper, Question(horizon="1e5", digits=6), ["cor-7.2"])]
    [Number('5787.64')]
    """
    from boundcheck.calculator import bounds as calculator

    theory, chosen = theory_of(claims, theory or default())
    return calculator.bounds(instance, question, chosen, theory=theory, **asked)


def check(
    instance: Instance,
    question: Question | None = None,
    claims: Claims | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Results[CheckedAssumption]:
    """Check the assumptions of claims on an instance; arguments as for `bounds`.

    Each row has the claim and, in `condition`, the assumption, its worst arm and both sides.
    The arguments are `instance`, `question`, `claims` and `theory`.

    >>> from boundcheck import Instance
    >>> [c.condition.arm for c in check(Instance.load("paper-gaussian"), claims=["thm-4.1a"])
    ...  if not c.condition.holds]
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    from boundcheck.calculator import bounds as calculator

    theory, chosen = theory_of(claims, theory or default())
    return calculator.check(instance, question, chosen, theory=theory, **asked)


def headline(
    instance: Instance,
    question: Question | None = None,
    *,
    theory: Theory | None = None,
    **asked: Any,
) -> Headline:
    """Answer the main questions about an instance; the result prints as text.

    Arguments as for `bounds`: `instance`, `question` or its parameters as keywords, `theory`.

    >>> from boundcheck import Instance
    >>> print(str(headline(Instance.load("textbook"), horizon=1e6)).splitlines()[-1].strip())
    sharp-7.1: regret 872.9, applies. Regret of OrchExplore at any horizon
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
    """Compute a bound for every combination of some parameter values.

    instance   the arms
    claim      id or card (default: the main claim of the theory)
    vary       values by name of the parameter; a keyword with a list does the same
    question   as for `bounds`; a keyword with one value does the same
    quantity   which number of the claim, from 0
    simulate   a policy whose simulated mean regret is added as a column
    runs       simulated runs at each point
    theory     the theory of the claim (default: the paper's)

    Parameters are plays, variance, gap (the smallest gap between means; the others are stretched
    with it), mean_1 and capacity_1 (of arm 1), horizon, delta and the others of `bounds`.

    >>> from boundcheck import Instance
    >>> table = sweep(Instance.load("paper"), "cor-7.2", plays=[2, 3, "7"])
    >>> table.columns["value"].round(2).tolist()
    [225.29, 444.37, 5787.64]
    """
    from boundcheck.calculator import sweeps

    theory, chosen = theory_of(None if claim is None else [claim], theory or default())
    return sweeps.sweep(
        instance,
        chosen[0] if chosen else None,
        vary,
        question,
        quantity,
        simulate=simulate,
        runs=runs,
        theory=theory,
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
    """Test every statement of a theory on an instance, by computation and simulation.

    instance   the arms
    effort     "quick", "standard" or "thorough"
    question   as for `bounds`, or its parameters as keywords
    claims     ids or cards of the claims to test (default: all)
    seed, jobs, executor, cluster, store   as for `simulate`
    budget     the largest probability that any true statement is refuted
    progress   called with a line about each claim
    arrived    called with the result of each claim as soon as it is available
    theory     the theory to test (default: the paper's)

    >>> from boundcheck import Instance
    >>> found = verify(Instance.load("textbook"), "quick", claims=["thm-5.3b"])
    >>> [finding.answer for finding in found.findings]
    ['does not apply', 'holds', 'holds']
    """
    from boundcheck.judging import verification

    theory, chosen = theory_of(claims, theory or default())
    return verification.verify(
        instance,
        effort,
        question=question,
        claims=chosen,
        seed=seed,
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        store=store,
        budget=budget,
        progress=progress,
        arrived=arrived,
        theory=theory,
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
    """Search for counterexamples to a claim.

    claim      id or card; or "policy NAME", to search for a law under which its regret is linear
    drop       name of an assumption: search where only this one fails
    examples   instances to try, at most
    seconds    time to search, at most
    seed       of the search
    theory     the theory of the claim (default: the paper's)

    Returns counterexamples (`found`), or a row that says how many examples were tried.

    >>> [row.statement for row in falsify("thm-4.3", examples=100) if row.found]
    ['intended', 'further:filled-arms']
    """
    from boundcheck.judging import falsify as searching

    theory, chosen = theory_of([claim], theory or default())
    asked = chosen[0] if chosen else claim
    return searching.falsify(asked, drop, examples, seconds, seed, theory=theory)


def proofs(
    claim: str | None = None, progress: Progress | None = None, theory: Theory | None = None
) -> Results[Entry]:
    """Check the proofs step by step; what the command `proofs` shows.

    claim      id of one claim (default: all proofs)
    progress   called with the name of each step
    theory     the theory of the proofs (default: the paper's)

    >>> [(str(entry.step), str(entry.verdict)) for entry in proofs("cor-7.2")]
    [('7.2-a', 'holds'), ('7.2-b', 'refuted')]
    """
    from boundcheck.proof_steps import ledger

    theory, chosen = theory_of(None if claim is None else [claim], theory or default())
    return ledger.ledger(chosen[0] if chosen else None, progress, theory=theory)


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
    """Test a bound that is typed as one line, such as "regret(ucb1) <= sqrt(K*T)".

    line      the bound, in the language of docs/language.md
    effort    "quick", "standard" or "thorough"
    law       "bernoulli", "beta" or "gaussian" (default: every law that the policy serves)
    horizon   the only T to test (default: powers of ten, as many as the effort allows)
    budget    the largest probability of a false refutation
    progress  called with a line about each stage
    theory    whose policies are known beside the shipped ones (default: the paper's)
    seed, jobs, executor, cluster, store   as for `simulate`

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
    """The policies that can be simulated by name, and what each needs to know in advance.

    theory   whose policies are listed beside the shipped ones (default: the paper's)

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
    """Study an instance and write a report; returns the path of the file to open.

    instance   the arms
    output     folder to write to
    effort     "quick", "standard" or "thorough"
    theory     the theory to report on (default: the paper's)
    how        question or its parameters, as for `bounds`; claims (a report about these alone);
               policies (to compare with those of the theory); form ("markdown" or "html"); seed,
               jobs, executor, cluster, store, as for `simulate`; progress and studied, functions
               called with a line about each stage, and with the study before it is written

    The paper's theory takes a minute, one of its results does not:

    >>> from tempfile import TemporaryDirectory
    >>> from boundcheck import Instance, Theory, find
    >>> small = Theory("one result", {"lem-C.3": find("lem-C.3")}, default().derive)
    >>> with TemporaryDirectory() as out:
    ...     page = report(Instance.load("textbook"), out, "quick", theory=small)
    ...     print(page.name, page.read_text().splitlines()[0])
    report.md # `textbook`: what to play, and what the theory says
    """
    from boundcheck.pages.instance import write_report

    theory, chosen = theory_of(how.pop("claims", None), theory or default())
    return write_report(instance, output, effort, theory=theory, claims=chosen, **how)


def audit(
    output: str | Path = "audit",
    effort: str = "standard",
    *,
    theory: Theory | None = None,
    **how: Any,
) -> Path:
    """Decide, search and check every claim of a theory; returns the path of the page.

    output     folder to write to
    effort     "quick", "standard" or "thorough"
    theory     the theory to judge (default: the paper's)
    how        form ("markdown" or "html"); seed, jobs, executor, cluster, store, as for
               `simulate`; studies of the audited instances, if they are already computed;
               progress and told, functions called with a line about each stage, and with a list
               of rows, one for each claim

    The paper takes minutes, a theory of one result does not:

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
