"""What people read: reports, audits, and the policies that can be simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.theories import default, theory_of

if TYPE_CHECKING:
    from boundcheck.calculator.results import Results
    from boundcheck.terminal.run_simulate import KnownPolicy
    from boundcheck.theory import Theory
    from simulation.world.instance import Instance


def policies(theory: Theory | None = None) -> Results[KnownPolicy]:
    """The policies that can be simulated by name, and what each needs to know in advance.

    theory   whose policies are listed with the shipped ones (default: the paper's)

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
