"""What the theory says, and whether it is true.

>>> import boundcheck
>>> boundcheck.bounds(boundcheck.Instance.load("paper"), claims=["sharp-4.3"])[0].value
Number('11.1564457071999184349956110178')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Name -> where it is defined (`replicate` and `ledger` are older names of `simulate` and of what
# `boundcheck proofs` shows); loaded on first use, so that `import boundcheck` costs nothing. No
# module may have the name of something listed here: importing it would hide what is meant.
_PUBLIC = {
    "Bernoulli": "simulation.rewards.Bernoulli",
    "Beta": "simulation.rewards.Beta",
    "Bound": "boundcheck.calculator.Bound",
    "Claim": "boundcheck.claim.Claim",
    "Empirical": "simulation.samples.Empirical",
    "Falsification": "boundcheck.falsification.Falsification",
    "Gaussian": "simulation.rewards.Gaussian",
    "InputError": "simulation.errors.InputError",
    "Instance": "simulation.instance.Instance",
    "Number": "boundcheck.results.Number",
    "Policy": "simulation.policies.Policy",
    "Question": "boundcheck.question.Question",
    "Results": "boundcheck.results.Results",
    "Sweep": "boundcheck.calculator.sweeps.Sweep",
    "Theory": "boundcheck.theory.Theory",
    "Trial": "boundcheck.trying.Trial",
    "Verification": "boundcheck.crossvalidate.Verification",
    "agent": "simulation.agents.agent",
    "audit": "boundcheck.pages.audit.write_audit",
    "bounds": "boundcheck.calculator.bounds",
    "catalogue": "boundcheck.theory.catalogue",
    "check": "boundcheck.calculator.check",
    "estimate": "simulation.estimation.estimate",
    "falsify": "boundcheck.falsification.falsify",
    "figures": "boundcheck.shareable_arms.pages.figures.write_figures",
    "find": "boundcheck.theory.find",
    "headline": "boundcheck.calculator.headline.headline",
    "ledger": "boundcheck.proofs.ledger",
    "load_agent": "simulation.agents.load_agent",
    "policies": "boundcheck.commands.simulate.policies",
    "replicate": "simulation.replicate.replicate",
    "report": "boundcheck.pages.instance.write_report",
    "simulate": "simulation.replicate.replicate",
    "sweep": "boundcheck.calculator.sweeps.sweep",
    "try_bound": "boundcheck.trying.try_bound",
    "verify": "boundcheck.crossvalidate.crossvalidate",
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
    "replicate",
    "report",
    "simulate",
    "sweep",
    "try_bound",
    "verify",
]

if TYPE_CHECKING:  # the same names for those who read types; a test compares the lists
    from boundcheck.calculator import Bound, bounds, check
    from boundcheck.calculator.headline import headline
    from boundcheck.calculator.sweeps import Sweep, sweep
    from boundcheck.claim import Claim
    from boundcheck.commands.simulate import policies
    from boundcheck.crossvalidate import Verification
    from boundcheck.crossvalidate import crossvalidate as verify
    from boundcheck.falsification import Falsification, falsify
    from boundcheck.pages.audit import write_audit as audit
    from boundcheck.pages.instance import write_report as report
    from boundcheck.proofs import ledger
    from boundcheck.question import Question
    from boundcheck.results import Number, Results
    from boundcheck.shareable_arms.pages.figures import write_figures as figures
    from boundcheck.theory import Theory, catalogue, find
    from boundcheck.trying import Trial, try_bound
    from simulation.agents import agent, load_agent
    from simulation.errors import InputError
    from simulation.estimation import estimate
    from simulation.instance import Instance
    from simulation.policies import Policy
    from simulation.replicate import replicate
    from simulation.replicate import replicate as simulate
    from simulation.rewards import Bernoulli, Beta, Gaussian
    from simulation.samples import Empirical
else:  # out of sight of mypy, which would take every name for granted

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")
        module, _, attribute = _PUBLIC[name].rpartition(".")
        return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return list(__all__)
