"""Whether what a theory says is true: claims and proofs tested, typed bounds decided."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.theories import default, shipped_cards, theory_of

if TYPE_CHECKING:
    from boundcheck.api.calculator import Claims
    from boundcheck.calculator.question import Question
    from boundcheck.calculator.results import Results
    from boundcheck.claims.card import Claim
    from boundcheck.judging.falsification import Falsification
    from boundcheck.judging.verification import Verification
    from boundcheck.proof_steps.ledger import Entry
    from boundcheck.theory import Theory
    from boundcheck.trying.outcome import Trial
    from simulation.running.executors import Workers
    from simulation.world.instance import Instance

Folder = str | PathLike[str]
Progress = Callable[[str], None]


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
    theory    whose policies are known in addition to the shipped ones (default: the paper's)
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
        published=shipped_cards,
    )
