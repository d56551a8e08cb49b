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
    "Bernoulli": "simulation.world.laws.Bernoulli",
    "Beta": "simulation.world.laws.Beta",
    "Bound": "boundcheck.calculator.bounds.Bound",
    "Claim": "boundcheck.claims.card.Claim",
    "Empirical": "simulation.world.samples.Empirical",
    "Falsification": "boundcheck.search.falsify.Falsification",
    "Gaussian": "simulation.world.laws.Gaussian",
    "InputError": "simulation.errors.InputError",
    "Instance": "simulation.world.instance.Instance",
    "Number": "boundcheck.calculator.results.Number",
    "Policy": "simulation.policies.Policy",
    "Question": "boundcheck.calculator.question.Question",
    "Results": "boundcheck.calculator.results.Results",
    "Sweep": "boundcheck.calculator.sweeps.Sweep",
    "Theory": "boundcheck.theory.Theory",
    "Trial": "boundcheck.trying.trial.Trial",
    "Verification": "boundcheck.judging.verification.Verification",
    "agent": "simulation.agents.agent.agent",
    "audit": "boundcheck.pages.audit.write_audit",
    "bounds": "boundcheck.calculator.bounds.bounds",
    "catalogue": "boundcheck.theory.catalogue",
    "check": "boundcheck.calculator.bounds.check",
    "estimate": "simulation.running.estimation.estimate",
    "falsify": "boundcheck.search.falsify.falsify",
    "figures": "boundcheck.theories.shareable_arms.pages.figures.write_figures",
    "find": "boundcheck.theory.find",
    "headline": "boundcheck.calculator.headline.headline",
    "ledger": "boundcheck.proof_steps.ledger.ledger",
    "load_agent": "simulation.agents.agent.load_agent",
    "policies": "boundcheck.terminal.run_simulate.policies",
    "replicate": "simulation.running.replicate.replicate",
    "report": "boundcheck.pages.instance.write_report",
    "simulate": "simulation.running.replicate.replicate",
    "sweep": "boundcheck.calculator.sweeps.sweep",
    "try_bound": "boundcheck.trying.trial.try_bound",
    "verify": "boundcheck.judging.verification.crossvalidate",
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
    from boundcheck.calculator.bounds import Bound, bounds, check
    from boundcheck.calculator.headline import headline
    from boundcheck.calculator.question import Question
    from boundcheck.calculator.results import Number, Results
    from boundcheck.calculator.sweeps import Sweep, sweep
    from boundcheck.claims.card import Claim
    from boundcheck.judging.verification import Verification
    from boundcheck.judging.verification import crossvalidate as verify
    from boundcheck.pages.audit import write_audit as audit
    from boundcheck.pages.instance import write_report as report
    from boundcheck.proof_steps.ledger import ledger
    from boundcheck.search.falsify import Falsification, falsify
    from boundcheck.terminal.run_simulate import policies
    from boundcheck.theories.shareable_arms.pages.figures import write_figures as figures
    from boundcheck.theory import Theory, catalogue, find
    from boundcheck.trying.trial import Trial, try_bound
    from simulation.agents.agent import agent, load_agent
    from simulation.errors import InputError
    from simulation.policies import Policy
    from simulation.running.estimation import estimate
    from simulation.running.replicate import replicate
    from simulation.running.replicate import replicate as simulate
    from simulation.world.instance import Instance
    from simulation.world.laws import Bernoulli, Beta, Gaussian
    from simulation.world.samples import Empirical
else:  # out of sight of mypy, which would take every name for granted

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")
        module, _, attribute = _PUBLIC[name].rpartition(".")
        return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return list(__all__)
