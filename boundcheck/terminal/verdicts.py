"""Commands that judge: `try`, `verify`, `falsify`, `proofs`, `selftest`."""

from __future__ import annotations

from typing import Any

import typer

from boundcheck.terminal import options
from boundcheck.terminal.options import argument, option
from boundcheck.terminal.progress import telling
from boundcheck.terminal.shared import (
    command,
    loaded,
    print_answer,
    show,
    theory,
    theory_and_claims,
)
from boundcheck.theories import shipped_cards
from simulation.errors import InputError, shown


@command
def _try(
    line: str = argument(..., "A bound, such as 'regret(ucb1) <= 8*log(T)*H1'.", "LINE"),
    effort: str = options.EFFORT,
    law: str | None = option(None, "bernoulli, beta or gaussian.  [default: all it serves]", "LAW"),
    horizon: str | None = option(None, "The only T to look at.  [default: powers of ten]", "T"),
    work: dict[str, Any] = options.WORK,
    output: str | None = option(None, "Save the worst instance found.", "FILE", "-o", "--output"),
    report: str | None = option(None, "Write a page about it, claim.html, here.", "DIR"),
    json: bool = options.JSON,
    strict: bool = options.STRICT,
) -> None:
    """Decide a bound typed as one line (docs/language.md).

    Example: boundcheck try 'regret(moss) <= 0.4*sqrt(K*T)' --effort quick
    """
    from boundcheck.judging.finding import Verdict
    from boundcheck.trying.panel import horizon_asked
    from boundcheck.trying.trial import try_bound
    from simulation.files.writing import folder, require_writable

    if output is not None:
        require_writable(output)
    page = None if report is None else folder(report, "--report")
    asked = horizon_asked(horizon)
    found = try_bound(
        *(line, effort),
        law=law,
        horizon=asked,
        **work,
        progress=telling("try"),
        theory=theory(),
        published=shipped_cards,
    )
    parameters = {"effort": effort, "seed": work["seed"], "law": law, "horizon": asked}
    written = [] if output is None else [output]
    try:
        if output is not None:
            found.saved(output)
        if page is not None:
            from boundcheck.trying.page import write_trial

            written.append(str(write_trial(found, page, parameters)))
    finally:
        print_answer("try", None, parameters, [found.to_json()], [str(found)], json)
    if not json:
        show(*(f"written to {path}" for path in written))
    if strict and found.finding.verdict is Verdict.REFUTED:
        raise typer.Exit(1)


@command
def _verify(
    instance: str = options.INSTANCE,
    effort: str = options.EFFORT,
    claim: list[str] | None = options.CLAIMS,
    theory_name: str | None = options.THEORY,
    asked: dict[str, Any] = options.WITHOUT_DIGITS,
    work: dict[str, Any] = options.WORK,
    budget: float = option(1e-6, "Chance of any false refutation, at most.", "P"),
    output: str | None = option(None, "Markdown file to write.", "FILE", "-o", "--output"),
    full: bool = option(False, "Every statement, with its evidence.", None, "--full"),
    json: bool = options.JSON,
    strict: bool = options.STRICT,
) -> None:
    """A verdict on every claim, by exact computation and simulation.

    Example: boundcheck verify paper --effort quick --claim lem-5.1
    """
    from boundcheck.judging import verification
    from boundcheck.pages import present
    from boundcheck.terminal.verified import verify_screen
    from simulation.files.writing import write

    spoken, ids = theory_and_claims(claim, theory_name)
    question, arms = spoken.question.asked(None, asked), loaded(instance, output, spoken)
    found = verification.verify(
        arms,
        effort,
        question=question,
        claims=ids,
        **work,
        budget=budget,
        progress=telling("verify", len(claim) if claim else None),
        theory=spoken,
    )
    try:
        if output is not None:
            write(output, present.verdicts_markdown(found))
    finally:
        parameters = question.to_json() | {"effort": effort, "seed": work["seed"]}
        parameters["budget"] = found.budget.to_json()
        screen = verify_screen(found, full=full)
        print_answer("verify", arms, parameters, found.to_json_rows(), screen, json)
    if output is not None and not json:
        show(f"written to {output}")
    if strict and found.refuted:
        raise typer.Exit(1)


@command
def _falsify(
    claim: str = argument(..., "Which claim, such as thm-4.3; or the word `policy`.", "CLAIM"),
    policy: str | None = argument(None, "After `policy`: is there a law it fails on?", "[POLICY]"),
    drop: str | None = option(
        None, "Is this assumption needed? Search without it. See `claims ID`.", "ASSUMPTION"
    ),
    examples: str = option("2000", "Instances to try, at most.", "N"),
    seconds: str = option("240", "Time to search, at most.", "S"),
    seed: str = options.SEED,
    output: str | None = option(
        None, "Save counterexamples: FILE, FILE-2, ...", "FILE", "-o", "--output"
    ),
    json: bool = options.JSON,
) -> None:
    """Search for a smallest counterexample to a claim, or a policy.

    The search draws instances with Hypothesis and shrinks what it finds; a counterexample is
    certified by exact computation.

    Example: boundcheck falsify thm-4.3 -o counterexample.toml

    Example: boundcheck falsify thm-4.1a --drop signal-to-noise (is it needed?)
    """
    from boundcheck.terminal.run_falsify import falsify as search
    from boundcheck.terminal.run_falsify import search_screen, searched_against

    spoken, ids = theory_and_claims([searched_against(claim, policy)])
    asked = ids[0] if ids else claim
    searched = search(asked, drop, examples, seconds, seed, output, theory=spoken)
    try:
        searched = searched.saved()
    finally:
        print_answer(
            "falsify", None, searched.parameters, searched.rows, search_screen(searched), json
        )


@command
def _proofs(
    claim: str | None = argument(None, "One proof, such as lem-5.1.", "[ID]"),
    markdown: bool = option(False, "As a table in markdown.", None, "--markdown"),
    export: str | None = option(
        None, "Write the formulas as files for other software: coq.", "KIND", "--export"
    ),
    output: str | None = option(None, "The folder for --export.", "DIR", "-o", "--output"),
    json: bool = options.JSON,
    strict: bool = options.STRICT,
) -> None:
    """The proofs step by step, each judged by computation."""
    from boundcheck.terminal import run_proofs as within

    if (export is None) != (output is None):
        raise InputError("proofs", "--export, --output", "one without the other", "both")
    if export not in (None, "coq"):
        raise InputError("proofs", "--export", shown(export), "coq")
    spoken, ids = theory_and_claims(None if claim is None else [claim])
    found = within.proofs(ids[0] if ids else None, telling("proofs"), theory=spoken)
    if output is not None:
        show(*within.export_lines(found, output))
    elif markdown and not json:
        print(within.ledger_markdown(found.entries), end="")
    else:
        print_answer(
            "proofs", None, found.parameters, found.rows, within.ledger_screen(found), json
        )
    if strict and found.refuted:
        raise typer.Exit(1)


@command
def _selftest(
    output: str | None = option(
        None, "Write the slack of each term here, too.", "FILE", "-o", "--output"
    ),
    json: bool = options.JSON,
    strict: bool = options.STRICT,
) -> None:
    """Plant mistakes in every card and proof: is each one noticed?"""
    from boundcheck.terminal.run_selftest import selftest as plant
    from boundcheck.terminal.run_selftest import selftest_screen

    found = plant(theory(), telling("selftest"), output)
    print_answer("selftest", None, found.parameters, found.rows, selftest_screen(found), json)
    if found.uncaught or (strict and found.undecided):
        raise typer.Exit(1)
