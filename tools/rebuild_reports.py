"""The committed reports: every shipped instance, a trace, the audit, the paper's figures, an index.

    python tools/rebuild_reports.py DIRECTORY [EFFORT]

Each instance is studied once; the audit rests on the same studies.
"""

from __future__ import annotations

import sys
from pathlib import Path

from boundcheck.pages import instance as report
from boundcheck.pages.audit import write_audit
from boundcheck.pages.present import about
from boundcheck.pages.study import Progress, study
from boundcheck.pages.writing import rendered
from boundcheck.terminal.progress import telling
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages.advice import summary
from boundcheck.theories.shareable_arms.pages.figures import write_figures
from boundcheck.theories.shareable_arms.pages.study import PaperStudy
from simulation.files.writing import folder, write
from simulation.world.instance import Instance

EXAMPLES = [Path(__file__).parents[1] / "examples" / "edge-trace.toml"]  # at quick effort


def rebuild(output: str | Path, effort: str = "standard", progress: Progress | None = None) -> Path:
    """Write everything; the path of the index."""
    out = folder(output)
    studies = []
    for name in THEORY.audited:
        found = study(Instance.load(name), effort, progress=progress, theory=THEORY)
        report.write_study(found, folder(out / name))
        studies.append(found)
    examples = [
        study(Instance.load(path), "quick", progress=progress, theory=THEORY) for path in EXAMPLES
    ]
    for found in examples:
        report.write_study(found, folder(out / found.instance.name))
    write_audit(out / "audit", effort, studies=studies, progress=progress, theory=THEORY)
    write_figures(out / "figures", progress=progress)
    entries = [
        {"name": x.instance.name, "about": about(x.instance), "summary": summary(x)}
        for x in (*studies, *examples)
        if isinstance(x, PaperStudy)
    ]
    index = out / "README.md"
    write(index, rendered("theories/shareable_arms/pages/index.md.jinja", studies=entries))
    return index


if __name__ == "__main__":
    directory, effort = [*sys.argv[1:3], "standard"][:2]
    print(f"written to {rebuild(directory, effort, telling('audit'))}")
