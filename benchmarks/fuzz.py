"""Whatever the model admits, and whatever it does not: no command may hang, crash or be silent.

    python benchmarks/fuzz.py [--instances 300] [--inputs 500] [--names 100] [--requests 300]
                              [--read-only 4] [--bombs 9] [--seed 0]
                              [--workers 2] [--seconds S] [--results fuzz-results]

- Instances are drawn from `boundcheck.search.strategies.admitted_instances`. On each: `bounds`,
  `check`, `simulate` with every policy, `verify` and `report` at quick effort, 60 s of CPU for
  either of these, 1 GB of memory. Every claim needs a verdict, JSON must be as the schema says.
- Malformed files and options get one line on standard error and exit code 2, within 5 s of CPU and
  500 MB.
- Hostile names are text wherever they are shown: terminal, JSON, markdown, HTML, notebook, SVG.
- Malformed requests to `serve` get an answer, and its terminal shows no traceback.
- Where no cache can be written commands work; data files that would fill the memory are read within
  the limits of malformed input, or refused like it.

Results are kept in the folder `--results`, line by line: called again with the same options a
killed fuzz goes on. The first failure of each cause is shrunk to a small instance file there. Exit
code 1 if anything failed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from time import monotonic

from fuzzing import inputs, names, places, requests, trials
from fuzzing.records import Record, Records, figures
from fuzzing.shrinking import shrunk
from fuzzing.trials import Problem
from fuzzing.workers import Limits, Worker
from rich.console import Console

from boundcheck.search.extreme import admitted_instances
from boundcheck.search.hunt import example_of_seed
from simulation.policies import WHERE
from simulation.world.instance import Instance

Task = tuple[str, int]
DRAWN = Lock()  # hypothesis draws for one thread at a time


def drawn_instance(seed: int, number: int) -> Instance:
    with DRAWN:
        return example_of_seed(admitted_instances(), 1_000_000 * seed + number)


class Fuzz:
    """One fuzz: its options, its records, and how each kind of task is done."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: Path = options.results.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.records = Records(self.folder / f"seed-{options.seed}.jsonl")
        self._until = monotonic() + options.seconds

    def tasks(self) -> Iterator[Task]:
        asked = self.options
        counts = {"instance": asked.instances, "input": asked.inputs, "name": asked.names}
        counts |= {"request": asked.requests, "read-only": asked.read_only, "bomb": asked.bombs}
        for kind, count in counts.items():
            yield from ((kind, number) for number in self.records.missing(kind, count))

    def run(self) -> None:
        """Do all tasks that are left, each worker in a thread and a process of its own."""
        todo: SimpleQueue[Task] = SimpleQueue()
        for task in self.tasks():
            todo.put(task)
        if todo.empty():
            return
        self._compile()
        workers = range(self.options.workers)
        with ThreadPoolExecutor(len(workers)) as threads:
            try:
                for done in [threads.submit(self._work, todo, worker) for worker in workers]:
                    done.result()
            finally:
                self._until = 0.0  # interrupted: each worker ends with what it is at

    def _compile(self) -> None:
        """Kernels are compiled once in all, on nobody's account."""
        with Worker(self.folder / "compiling") as worker:
            for policy in WHERE:
                line = ("simulate", "textbook", "--policy", policy, "--horizon=20", "--runs=2")
                worker.run(*line, limits=Limits(cpu=600))
            line = ("report", "textbook", "--effort=quick", "--jobs=1", "-o", "report")
            worker.run(*line, limits=Limits(cpu=600))

    def _work(self, todo: SimpleQueue[Task], number: int) -> None:
        folder = self.folder / f"worker-{number}"
        with (
            Worker(folder) as worker,
            Worker(folder / "read-only", places.UNWRITABLE) as unwritable,
            requests.Server(folder / "server") as server,
        ):
            shown = names.Names(worker)
            do: dict[str, Callable[[int], Record]] = {
                "instance": lambda task: self._instance(worker, task),
                "input": lambda task: self._input(worker, task),
                "name": lambda task: self._name(shown, task),
                "request": lambda task: self._request(server, task),
                "read-only": lambda task: self._place("read-only", unwritable, task),
                "bomb": lambda task: self._place("bomb", worker, task),
            }
            before = ""
            while not todo.empty() and monotonic() < self._until:
                kind, task = todo.get()
                if kind != before:
                    worker.stop()  # what it held for the last kind is not on this one's account
                before = kind
                record = do[kind](task)
                self.records.add(record)
                told = ", ".join(dict.fromkeys(p.cause for p in record.problems)) or "well"
                seconds = sum(record.cpu.values())
                print(f"{kind} {task}: {seconds:.1f} s: {ascii(told)[1:-1]}", file=sys.stderr)

    def _instance(self, worker: Worker, number: int) -> Record:
        instance = drawn_instance(self.options.seed, number)
        trial = trials.attempt(worker, instance, trials.steps(number))
        return Record(
            "instance",
            number,
            instance.to_toml(),
            trial.problems,
            dict(trial.cpu),
            trial.memory,
            dict(trial.verdicts),
            trial.refused,
        )

    def _input(self, worker: Worker, number: int) -> Record:
        problems, line, cpu = inputs.attempt(worker, number, self.options.seed)
        return Record("input", number, ascii([*line]), problems, {"input": cpu})

    def _name(self, shown: names.Names, number: int) -> Record:
        name = names.hostile(number, self.options.seed)
        problems, cpu = shown.attempt(name)
        return Record("name", number, ascii(name), problems, {"name": cpu})

    def _request(self, server: requests.Server, number: int) -> Record:
        problems, sent = server.attempt(number, self.options.seed)
        return Record("request", number, sent, problems, {})

    def _place(self, kind: str, worker: Worker, number: int) -> Record:
        attempt = places.read_only if kind == "read-only" else places.bomb
        problems, line, cpu = attempt(worker, number)
        return Record(kind, number, ascii([*line]), problems, {kind: cpu})

    # -- failures ------------------------------------------------------------------------

    def told(self) -> Iterator[str]:
        """Each cause with the first subject it was met on, instances shrunk."""
        for position, ((kind, cause), failed) in enumerate(self.records.causes().items(), 1):
            first = min(failed, key=lambda record: len(record.subject))
            problem = next(p for p in first.problems if p.cause == cause)
            yield f"{kind} {first.number}: {ascii(cause)[1:-1]} ({len(failed)} times)"
            if kind == "instance":
                yield f"    {self._saved(position, first, problem)}"
            else:
                yield f"    {first.subject[:200]}"

    def _saved(self, position: int, record: Record, problem: Problem) -> Path:
        """The instance file of a failure, shrunk if there is time for it."""
        path = self.folder / f"failure-{position}.toml"
        instance = Instance.from_toml(record.subject)
        step = next(s for s in trials.steps(record.number) if s.label == problem.command)
        with Worker(self.folder / "shrinking") as worker:
            small = shrunk(worker, instance, problem, step, self.options.shrink)
        story = f"# boundcheck {' '.join(step.arguments)}\n# {problem.what}\n"
        path.write_text(story + small.to_toml(), encoding="utf-8")
        return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=300)
    parser.add_argument("--inputs", type=int, default=500)
    parser.add_argument("--names", type=int, default=100)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--read-only", type=int, default=len(places.COMMANDS))
    parser.add_argument("--bombs", type=int, default=len(places.BOMBS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="start nothing new after these")
    parser.add_argument("--shrink", type=float, default=120, help="seconds for each cause")
    parser.add_argument("--results", type=Path, default=Path("fuzz-results"))
    fuzz = Fuzz(parser.parse_args())
    fuzz.run()
    console = Console(width=100, highlight=False, markup=False)
    for part in figures(fuzz.records.all):
        console.print(part)
    for line in fuzz.told():
        console.print(line, soft_wrap=True)
    sys.exit(any(record.problems for record in fuzz.records.all))


if __name__ == "__main__":
    main()
