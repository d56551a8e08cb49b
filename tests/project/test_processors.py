"""The same bytes on every processor: checks run again with libraries that may use less of it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import simulation

VARIANTS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "cpu_variants.py"))

# digests of what all evidence is made of, to the last bit, then findings as they are printed
SCRIPT = """
import json
from fractions import Fraction
from hashlib import sha256
import numpy as np
from boundcheck import verify
from boundcheck.evidence import betting, binomial, groups, rare
from simulation import Beta, Gaussian, Instance
from simulation.world.draws import rewards, stream
from simulation.running.runs import run_many

def digest(name, values):
    print(name, sha256(np.asarray(values, dtype=np.float64).tobytes()).hexdigest()[:16])

for law in (0, 1, 2):
    drawn = rewards(stream(1, law), law, 0.7, 0.6, 300_000)
    digest(f"law {law}", drawn)
digest("wealth", betting.log_wealth(drawn, 0.59))
lower, upper = betting.lower_limit, betting.upper_limit
few = drawn[:99]
digest("limits", [lower(drawn[:2000], 1e-6), lower(few, 0.05), upper(few, 1, 0.05)])
counts = [(hits, trials) for trials in (10, 1000, 10**6) for hits in range(0, 10)]
digest("binomial", [binomial.interval(*count, 1e-3) for count in counts])
digest("p-values", [binomial.at_least_hits(*count, 0.003) for count in counts])
regret = np.cumsum(drawn[:40_000].reshape(1000, 40), axis=1)
slope = groups.log_slope(np.arange(1.0, 41) ** 3, regret)
digest("slope", [slope["slope"], slope["standard_error"], *slope["interval"], slope["sure_lower"]])
event = rare.crossing(np.sqrt(np.arange(1.0, 60)) * 3.5, 4000, np.random.default_rng(2))
digest("rare", event)

means, capacities = ["0.8", "0.6", "0.5", "0.2"], [1, 2, 1, 1]
law = Beta(Fraction(3, 2))
for policy in ("orch-explore", "kl-ucb-kc", "likelihood"):
    record = run_many(Instance(means, capacities, 2, law), policy, 3000, np.array([3000]), 1, 0, 4)
    digest(policy, [*record.regret.ravel(), *record.reward.ravel()])
for law in (None, Gaussian(Fraction(1, 2))):
    instance = Instance(means, capacities, 2, law)
    for policy in ("orch-explore", "kl-ucb-kc", "likelihood", "se-kc"):
        record = run_many(instance, policy, 10**15, np.array([10**15]), 1, 0, 1, eta=1e-17)
        digest(f"leaping {policy}", [*record.regret.ravel(), *record.reward.ravel()])
for law, claims in (
    (Beta(Fraction(4)), ["lem-5.1", "lem-5.2"]),
    (Gaussian(Fraction(1, 2)), ["thm-4.3", "lem-D.1", "thm-7.1"]),
):
    found = verify(Instance(means, capacities, 2, law), "quick", claims=claims, jobs=1)
    print(json.dumps(found.to_json_rows(), indent=1), found.budget)
"""


EXACT = {
    "sqrt",
    "floor",
    "ceil",
    "comb",
    "inf",
    "isfinite",
    "nan",
    "pi",
}  # of `math`: the same everywhere
DRAWS = {"random", "bit_generator"}  # of a generator: whole numbers, shifted and divided by 2^53


def test_kernels_take_nothing_from_the_c_library() -> None:
    for file in Path(simulation.__file__).parent.rglob("*.py"):
        source = file.read_text()
        if "simulation.jit" in source:
            assert set(re.findall(r"\bmath\.(\w+)", source)) <= EXACT, file
            assert set(re.findall(r"\bgen\.(\w+)", source)) <= DRAWS, file
            assert not re.search(r"\bnp\.(log|exp|power|sin|cos|dot)", source), file


def test_evidence_has_the_same_bytes_whatever_the_processor_can_do() -> None:
    run, older = VARIANTS["run"], VARIANTS["OLDER"]
    assert run({}, "-c", SCRIPT).splitlines() == run(older, "-c", SCRIPT).splitlines()
