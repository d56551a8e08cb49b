"""`make record`: the records of the paper's theory made anew.

    python tools/record.py            all of them: an audit of minutes
    python tools/record.py thm-5.3a   the verdict of one claim, and what the steps of proofs state

`record.json` has what the audit found of each claim, `stated.json` what each step of our proofs
looks at. The slacks of terms are `make slack`'s, certificates `make certify`'s.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from boundcheck.pages.audit import gather
from boundcheck.selftest.checks import written_down
from boundcheck.terminal.progress import telling
from boundcheck.theories.shareable_arms import THEORY
from simulation.files.writing import write

FOLDER = Path(__file__).parents[1] / "boundcheck" / "theories" / "shareable_arms"


def main(claim: str | None = None) -> None:
    chosen = None if claim is None else [THEORY.find(claim).id]
    found = gather(progress=telling("record"), theory=THEORY, claims=chosen).record()
    file = FOLDER / "record.json"
    known = json.loads(file.read_text(encoding="utf-8")) if chosen else {}
    ordered = {name: (known | found)[name] for name in THEORY.cards if name in known | found}
    write(file, json.dumps(ordered, indent=1) + "\n")
    write(FOLDER / "stated.json", json.dumps(written_down(THEORY), indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
