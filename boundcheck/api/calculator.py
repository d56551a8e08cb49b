"""What the theory says of an instance: its claims, bounds, assumptions and sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boundcheck.theories import default, theory_of

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import Bound, CheckedAssumption
    from boundcheck.calculator.question import Question
    from boundcheck.calculator.results import Results
    from boundcheck.calculator.sweeps import Sweep
    from boundcheck.claims.card import Claim
    from boundcheck.pages.headline import Headline
    from boundcheck.theory import Theory
    from simulation.policies import Policy
    from simulation.world.instance import Instance

Claims = Iterable["str | Claim"]


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
    question   horizon, delta, epsilon, samples, digits and the theory's own parameters in one
               object; or give any of them as keywords, as numbers or text
    claims     ids, plain or THEORY:ID, or cards of the claims to compute (default: all; with very
               many arms a number that takes long is left out, and `on_demand` says so: name its
               claim to have it)
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
