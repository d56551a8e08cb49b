"""`make certify`: the ledger's formulas compiled by Coq, and false ones that must not compile.

Writes a page (step, file, result, time) and the record that `boundcheck proofs` quotes. A step that
Coq does not prove but z3 does, if that is installed, is recorded as such.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from boundcheck.pages.writing import rendered
from boundcheck.proof_steps.coq import Certificate, exported, file
from boundcheck.proof_steps.coq_terms import NotExported
from boundcheck.proof_steps.ledger import ledger
from boundcheck.proof_steps.step import Step, Trust
from boundcheck.theories.shareable_arms import THEORY
from simulation.files import writing

HOW = "apt install coq libcoq-interval libcoq-coquelicot"
PLANTED = 10
_SECONDS = 60
_JOBS = 2


@dataclass(frozen=True)
class Compiled:
    """What Coq made of a file."""

    good: bool
    seconds: float
    error: str = ""

    @property
    def result(self) -> str:
        return "compiles" if self.good else f"no proof found ({self.error})"


def compiled(certificate: Certificate, folder: Path) -> Compiled:
    """The file written and given to coqc."""
    writing.write(folder / certificate.file, certificate.text)
    start = time.monotonic()
    limited = f"ulimit -t {_SECONDS}; exec coqc -q {certificate.file}"  # of a processor
    run = subprocess.run(
        ["sh", "-c", limited], cwd=folder, capture_output=True, text=True, check=False
    )
    spent = time.monotonic() - start
    if run.returncode == 0:
        return Compiled(True, spent)
    _, found, said = run.stderr.rpartition("Error:")
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    return Compiled(False, spent, first if found else f"{_SECONDS} s were not enough")


def spoilt(steps: Iterable[Step]) -> list[Certificate]:
    """The steps with a constant changed, so that they are false, as files like the others."""
    found = []
    for step in steps:
        for name, value in step.false_with.items():
            part = step.check(THEORY, **{name: value})
            try:
                text = file(f"{step.step}, spoilt: {name} = {value}", part.formulas)
            except NotExported:
                continue
            spoilt_step = f"spoilt {step.step} {name}"
            found.append(Certificate(spoilt_step, part.formulas, text, part.formal))
            break
    return found


def evenly(items: Sequence[Step], count: int) -> list[Step]:
    """So many of them, spread over all.

    >>> evenly("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    return [items[i * len(items) // count] for i in range(min(count, len(items)))]


def by_z3(certificate: Certificate) -> bool:
    if find_spec("z3") is None:
        return False
    import smt

    return all(smt.rational(goal) and smt.judged(goal) for goal in certificate.goals)


def _row(one: Certificate, found: Compiled) -> tuple[str, ...]:
    result = found.result if one.whole else f"{found.result}, not all of the step"
    return one.step, f"`{one.file}`", result, f"{found.seconds:.0f}"


def certify(page: Path, record: Path) -> int:
    """All of it; the number of planted mistakes that compiled."""
    if shutil.which("coqc") is None:
        print(f"nothing was certified: there is no coqc here ({HOW})")
        return 0
    entries = ledger(theory=THEORY)
    certificates, left = exported(entries)
    first = {one.digest: one for one in reversed(certificates)}
    print(f"{len(first)} files to compile", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(_JOBS) as pool:
        compiling = partial(compiled, folder=Path(folder))
        results = dict(zip(first, pool.map(compiling, first.values()), strict=True))
        good = {one.step for one in certificates if one.whole and results[one.digest].good}
        planted = spoilt(
            evenly([e.step for e in entries if e.step.step in good and e.step.false_with], PLANTED)
        )
        refused = list(zip(planted, pool.map(compiling, planted), strict=True))
    told = {}
    for one in certificates:
        if one.whole and (results[one.digest].good or by_z3(one)):
            by = Trust.PROOF_ASSISTANT if results[one.digest].good else Trust.SMT
            told[one.step] = {"by": str(by), "digest": one.digest}
    writing.write(record, json.dumps(told, indent=1) + "\n")
    wrong = sum(result.good for _, result in refused)
    text = rendered(
        "pages/certificates.md.jinja",
        how=HOW,
        whole=len(good),
        files=[_row(one, results[one.digest]) for one in certificates],
        planted=[(one.step, found.result, f"{found.seconds:.0f}") for one, found in refused],
        wrong=wrong,
        left=list(left.items()),
    )
    writing.write(writing.folder(page) / "README.md", text)
    print(f"{len(good)} steps compile as a whole; {wrong} of {len(refused)} planted mistakes do")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if certify(Path(sys.argv[1]), Path(sys.argv[2])) else 0)
