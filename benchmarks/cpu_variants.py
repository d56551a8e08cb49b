"""Whether a report has the same bytes on every processor.

    python benchmarks/cpu_variants.py [INSTANCE ...] [--effort EFFORT]

The report of each instance (all shipped ones, at quick effort, unless told otherwise) is made as
it is, and again with the libraries told that the processor can do less: NumPy without its vector
instructions, OpenBLAS as on older processors, the C library without fused multiplication, Numba
for a processor without extensions. Then every file is compared. Beside it stands how many of the
results of library functions each variant changes: one that changes none shows nothing. The exit
code is 1 if a file differs.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from simulation.world.instance import shipped

NUMPY = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"])
}
GLIBC = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"}
OLD_BLAS = {"OPENBLAS_CORETYPE": "Nehalem"}
OLDER = NUMPY | GLIBC | OLD_BLAS
VARIANTS = {
    "as it is": {},
    "numpy without vectors": NUMPY,
    "openblas: Nehalem": OLD_BLAS,
    "openblas: Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "glibc without fma": GLIBC,
    "numba: generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "all of these": OLDER | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}
# prints a number for each of many results, to be counted where they differ
WITNESS = """
import math, numpy as np
from scipy.special import betainc
x = np.random.default_rng(1).random(20_000) + 0.01
results = [math.log(v) for v in x] + [math.exp(v) for v in x] + [v**0.3 for v in x]
results += [*np.log(x), *np.exp(x), *np.power(x, 0.3), *betainc(3.0, 9.0, x / 1.02)]
results += [x[i:] @ x[i:] for i in range(100)]
print("\\n".join(float(v).hex() for v in results))
"""


def run(environment: dict[str, str], *command: str) -> str:
    """What a fresh interpreter prints under this variant."""
    done = subprocess.run(
        [sys.executable, *command],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return done.stdout


def differing(one: Path, other: Path) -> list[str]:
    """The files, of either directory, that are not the same in both."""
    names = {
        str(file.relative_to(directory))
        for directory in (one, other)
        for file in directory.rglob("*")
        if file.is_file()
    }
    _, different, missing = filecmp.cmpfiles(one, other, names, shallow=False)
    return sorted(different + missing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("instances", nargs="*", default=shipped())
    parser.add_argument("--effort", default="quick")
    asked = parser.parse_args()
    table = Table("variant", "results changed", *asked.instances)
    found, expected = 0, run({}, "-c", WITNESS).split()
    with tempfile.TemporaryDirectory() as scratch:
        for variant, environment in VARIANTS.items():
            witness = run(environment, "-c", WITNESS).split()
            cells = [str(sum(a != b for a, b in zip(witness, expected, strict=True)))]
            for instance in asked.instances:
                directory = Path(scratch, variant, Path(instance).stem)
                command = ("report", instance, "--effort", asked.effort, "-o", str(directory))
                run(environment, "-m", "boundcheck", *command)
                first = Path(scratch, "as it is", Path(instance).stem)
                changed = differing(first, directory)
                found += len(changed)
                cells.append(", ".join(changed) or "same bytes")
            table.add_row(variant, *cells)
            print(f"{variant}: {', '.join(cells)}", file=sys.stderr, flush=True)
    Console().print(table)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
