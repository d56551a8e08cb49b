"""Calculator, verifier and simulator for published bandit results.

>>> import boundcheck
>>> boundcheck.bounds(boundcheck.Instance.load("paper"), claims=["sharp-4.3"])[0].value
Number('11.1564457071999184349956110178')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# Public name -> where it is defined (`replicate` and `ledger` are older names of `simulate` and
# `proofs`). Each is imported on first use, so that `import boundcheck` is fast. No module may have
# a name listed here: importing that module would replace the object.
_PUBLIC = {
    "Bernoulli": "simulation.rewards.laws.Bernoulli",
    "Beta": "simulation.rewards.laws.Beta",
    "Bound": "boundcheck.calculator.bounds.Bound",
    "Claim": "boundcheck.claims.card.Claim",
    "Empirical": "simulation.rewards.samples.Empirical",
    "Falsification": "boundcheck.judging.falsification.Falsification",
    "Gaussian": "simulation.rewards.laws.Gaussian",
    "InputError": "simulation.errors.InputError",
    "Instance": "simulation.world.instance.Instance",
    "Number": "boundcheck.calculator.results.Number",
    "Policy": "simulation.policies.Policy",
    "Question": "boundcheck.theories.shareable_arms.question.Question",
    "Results": "boundcheck.calculator.results.Results",
    "Sweep": "boundcheck.calculator.sweeps.Sweep",
    "Theory": "boundcheck.theory.Theory",
    "Trial": "boundcheck.trying.outcome.Trial",
    "Verification": "boundcheck.judging.verification.Verification",
    "agent": "simulation.agents.agent.agent",
    "audit": "boundcheck.api.audit",
    "bounds": "boundcheck.api.bounds",
    "catalogue": "boundcheck.api.catalogue",
    "check": "boundcheck.api.check",
    "estimate": "simulation.running.estimation.estimate",
    "falsify": "boundcheck.api.falsify",
    "figures": "boundcheck.theories.shareable_arms.pages.figures.write_figures",
    "find": "boundcheck.api.find",
    "headline": "boundcheck.api.headline",
    "ledger": "boundcheck.api.proofs",
    "load_agent": "simulation.agents.agent.load_agent",
    "policies": "boundcheck.api.policies",
    "proofs": "boundcheck.api.proofs",
    "replicate": "simulation.running.replicate.replicate",
    "report": "boundcheck.api.report",
    "simulate": "simulation.running.replicate.replicate",
    "sweep": "boundcheck.api.sweep",
    "try_bound": "boundcheck.api.try_bound",
    "verify": "boundcheck.api.verify",
}
__all__ = [
    "Bernoulli",
    "Beta",
    "Bound",
    "Claim",
    "Empirical",
    "Falsification",
    "Gaussian",
    "InputError",
    "Instance",
    "Number",
    "Policy",
    "Question",
    "Results",
    "Sweep",
    "Theory",
    "Trial",
    "Verification",
    "agent",
    "audit",
    "bounds",
    "catalogue",
    "check",
    "estimate",
    "falsify",
    "figures",
    "find",
    "headline",
    "ledger",
    "load_agent",
    "policies",
    "proofs",
    "replicate",
    "report",
    "simulate",
    "sweep",
    "try_bound",
    "verify",
]

if TYPE_CHECKING:  # the same names for type checkers; a test compares the two lists
    from boundcheck.api import (
        audit,
        bounds,
        catalogue,
        check,
        falsify,
        find,
        headline,
        policies,
        proofs,
        report,
        sweep,
        try_bound,
        verify,
    )
    from boundcheck.api import proofs as ledger
    from boundcheck.calculator.bounds import Bound
    from boundcheck.calculator.results import Number, Results
    from boundcheck.calculator.sweeps import Sweep
    from boundcheck.claims.card import Claim
    from boundcheck.judging.falsification import Falsification
    from boundcheck.judging.verification import Verification
    from boundcheck.theories.shareable_arms.pages.figures import write_figures as figures
    from boundcheck.theories.shareable_arms.question import Question
    from boundcheck.theory import Theory
    from boundcheck.trying.outcome import Trial
    from simulation.agents.agent import agent, load_agent
    from simulation.errors import InputError
    from simulation.policies import Policy
    from simulation.rewards.laws import Bernoulli, Beta, Gaussian
    from simulation.rewards.samples import Empirical
    from simulation.running.estimation import estimate
    from simulation.running.replicate import replicate
    from simulation.running.replicate import replicate as simulate
    from simulation.world.instance import Instance
else:  # hidden from mypy, which would otherwise accept any name

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")
        module, _, attribute = _PUBLIC[name].rpartition(".")
        return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return list(__all__)
