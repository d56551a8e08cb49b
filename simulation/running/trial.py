"""The trial: a policy that is not shipped is tested on tiny instances before its first run.

It runs in a separate process, in which numba checks array bounds (this flag does not affect code
that was compiled without it, hence an empty cache), with a time limit. The rules are in
`tried_out`; the first one that is broken is reported in one line with the policy, the slot and the
rule. A policy that passed is remembered on this machine by a digest of its code.
"""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from simulation.errors import InputError
from simulation.policies import Policy
from simulation.running.policy_transport import as_bytes, has_shipped_code, unpacked
from simulation.world.instance import Instance

SLOTS = 150
COMPILING, DECIDING = 180.0, 20.0  # time limits in seconds: before the first slot, and in total
SMALL = (
    ([0.9, 0.4], [1, 1], 1),
    ([0.9, 0.5, 0.2], [2, 1, 1], 2),
    ([0.5, 0.9, 0.3, 0.1], [1] * 4, 3),
)
_passed: set[str] = set()


def require_tried(policy: Policy) -> None:
    """Raise if a policy breaks a rule of the trial; shipped ones are not tried."""
    if has_shipped_code(policy) or not _of_the_usual_kind(policy):
        return
    packed = as_bytes(policy) or b""
    code = hashlib.sha256(packed).hexdigest()[:24]
    if code in _passed:
        return
    marker = _marker(code)
    if marker is None or not marker.is_file():
        _try(policy, packed)
        with suppress(OSError):  # then it is tried again in the next process
            if marker is not None:
                marker.parent.mkdir(parents=True, exist_ok=True)
                marker.touch()
    _passed.add(code)


def _of_the_usual_kind(policy: Policy) -> bool:
    """Whether the simulator's loop runs it, rather than a `prepared` of its own."""
    return type(policy).prepared is Policy.prepared


def _marker(code: str) -> Path | None:
    """The file that records that the code was tried; None if no file can be kept."""
    from numba import config

    from simulation.jit import cache_directory

    folder = cache_directory(config.CACHE_DIR)
    return None if folder is None else folder / "tried" / code


def _try(policy: Policy, packed: bytes) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        complaints = Path(cache) / "complaints"
        with (
            complaints.open("wb") as complaining,
            subprocess.Popen(
                [sys.executable, "-c", "from simulation.running.trial import main; main()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaining,
                env=environment,
            ) as child,
        ):
            lines, late = _followed(child, packed)
        said = complaints.read_text(errors="replace").strip().splitlines()
    last = lines[-1].split("\t") if lines else ["slot", "0"]
    slot = f"slot {last[1]}"
    if late:
        found = f"no answer within {COMPILING if last[1] == '0' else DECIDING:g} s"
        raise InputError(f"policy {policy.name}", slot, found, "decide and learn to return")
    if last[0] == "broken":
        raise InputError(f"policy {policy.name}", slot, last[2], last[3])
    if last[0] != "passed":
        found = said[-1][:160] if said else f"it ended with code {child.returncode}"
        raise InputError(f"policy {policy.name}", slot, found, "a policy that stays alive")
    if last[2]:
        print(f"policy {policy.name}: {last[2]}", file=sys.stderr)


def _followed(child: subprocess.Popen[bytes], packed: bytes) -> tuple[list[str], bool]:
    """The lines that the trial prints, and whether it exceeded its time."""
    assert child.stdin is not None
    assert child.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        child.kill()

    timer = threading.Timer(COMPILING, end)
    timer.daemon = True
    timer.start()
    lines: list[str] = []
    try:
        child.stdin.write(packed)
        child.stdin.close()
        for line in child.stdout:
            lines.append(line.decode().rstrip("\n"))
            if lines[-1] == "slot\t1" and lines.count("slot\t1") == 1:  # compiled
                timer.cancel()
                timer = threading.Timer(DECIDING, end)
                timer.daemon = True
                timer.start()
        child.wait()
    except BrokenPipeError:
        child.wait()
    finally:
        timer.cancel()
    return lines, late.is_set()


# -- in the process of the trial ------------------------------------------------------------------


class Broken(Exception):
    """What was found, and the rule that it breaks."""


_slot = 0


def _say(*words: object) -> None:
    global _slot
    _slot = int(str(words[1]))
    print(*words, sep="\t", flush=True)


def tried_out(policy: Policy) -> str:
    """Run the policy on tiny instances; returns what is to be recorded."""
    import numpy as np

    from simulation.rewards.laws import Bernoulli, Gaussian
    from simulation.world.draws import stream

    note, served = "", False
    for place, (means, capacities, plays) in enumerate(SMALL):
        law = Gaussian("1/4") if place == 1 else Bernoulli()  # type: ignore[arg-type]
        instance = Instance(means, capacities, plays, law)
        try:
            arguments = policy.arguments(_setup(policy, instance), policy.options(None))
        except InputError:
            continue  # the policy refuses such an instance, which is fine
        decisions: list[list[Any]] = [[], []]
        for repeat in (0, 1):
            earned = stream(place, 1)
            player = Driven(policy, instance, stream(place, 0), arguments)
            player.compile()
            for slot in range(1, SLOTS + 1):
                _say("slot", slot)
                loads = player.decide(slot)
                decisions[repeat].append(loads.tolist())
                shown = (
                    earned.random(instance.arms) < means if law.bounded else earned.normal(means)
                )
                player.learn(slot, loads, np.minimum(loads, capacities) * shown)
            if decisions[repeat] != decisions[0]:
                pairs = zip(*decisions, strict=False)
                slot = next(t for t, (one, other) in enumerate(pairs, 1) if one != other)
                _say("slot", slot)
                raise Broken("another decision", "the same decisions for the same seed")
            note = player.verdict(note)
        served = True
    if not served:
        raise Broken("it refuses every instance", "an instance that it serves")
    return note


def _setup(policy: Policy, instance: Instance) -> Any:
    from simulation.policies import Setup

    return Setup.of(instance, SLOTS, policy.told)


class Driven:
    """A policy of either kind, monitored."""

    def __init__(self, policy: Policy, instance: Instance, gen: Any, arguments: tuple[Any, ...]):
        from simulation.learning.action import Action

        self.policy, self.gen = policy, gen
        self.arms, self.plays = instance.arms, instance.plays
        self.changed, self.sizes = False, [0, 0]
        if policy.player is not None:
            self.state: Any = policy.player(self.arms, self.plays)
            self.learns = hasattr(self.state, "learn")
        else:
            self.state = policy.begin(gen, self.arms, self.plays, *arguments)
            self.action, self.learns = Action.blank(self.arms), policy.learn is not None

    def decide(self, slot: int) -> Any:
        from simulation.learning.action import RULES, broken
        from simulation.running.loop import loads_of

        if self.policy.player is not None:
            decided = self.state.decide(slot, self.gen)
            return loads_of(self.policy, decided, slot, self.arms, self.plays)
        assert self.policy.decide is not None
        self.policy.decide(self.state, slot, self.gen, self.action)
        rule = broken(self.action, self.plays, len(self.policy.phases))
        if rule:
            raise Broken(str(self.action.loads), RULES[rule - 1])
        return self.action.loads.copy()

    def compile(self) -> None:
        """Compile everything before the first slot, so that the time limit covers running only."""
        if self.policy.player is not None:
            return
        from numba import typeof

        from simulation.learning.action import broken

        broken(self.action, self.plays, 1)
        for function, given in (
            (self.policy.decide, (self.state, 1, self.gen, self.action)),
            (self.policy.learn, (self.state, 1, self.gen, 0, 0, 1, 1.0)),
            (self.policy.stands, (self.state, 1)),
        ):
            if function is not None and hasattr(function, "compile"):
                function.compile(tuple(map(typeof, given)))

    def learn(self, slot: int, loads: Any, rewards: Any) -> None:
        before = self._content()
        if self.policy.player is not None:
            if self.learns:
                self.state.learn(slot, loads, rewards.copy())
        elif self.policy.learn is not None:
            phase = int(self.action.plan["phase"][0])
            for k in self.action.played[: int(self.action.plan["count"][0])]:
                load, reward = int(loads[k]), float(rewards[k])
                self.policy.learn(self.state, slot, self.gen, phase, int(k), load, reward)
        after = self._content()
        self.changed |= before != after
        self._watch(slot, after)

    def _watch(self, slot: int, content: bytes) -> None:
        import numpy as np

        for numbers in _numbers(self.state):
            if np.isnan(numbers).any():
                raise Broken("NaN in its state", "numbers")
        if slot in (SLOTS // 3, SLOTS):
            self.sizes[slot // SLOTS] = len(content)
        stands = self.policy.stands
        if self.policy.player is None and stands is not None and stands(self.state, slot + 1):
            other = copy.deepcopy((self.state, self.gen, self.action))
            self.policy.decide(other[0], slot + 1, other[1], other[2])  # type: ignore[misc]
            same = np.array_equal(other[2].loads, self.action.loads)
            drew = other[1].bit_generator.state != self.gen.bit_generator.state
            if not same or drew:
                raise Broken("stands, and decides otherwise", "the same action where it stands")

    def _content(self) -> bytes:
        if self.policy.player is not None:
            return pickle.dumps(vars(self.state))
        return b"".join(leaf.tobytes() for leaf in leaves(self.state))

    def verdict(self, note: str) -> str:
        if self.learns and not self.changed:
            raise Broken("learn changed nothing", "a policy that learns, or no learn=")
        early, late = self.sizes
        if late > 1.5 * early and late > early + SLOTS:
            return f"its state grows with the slots: {early:,} bytes, then {late:,} bytes"
        return note


def leaves(state: Any) -> list[Any]:
    """All arrays of a state, including those in nested tuples."""
    import numpy as np

    if isinstance(state, np.ndarray):
        return [state]
    inner = state if isinstance(state, tuple) else ()
    return [leaf for each in inner for leaf in leaves(each)]


def _numbers(state: Any) -> list[Any]:
    """The floating-point numbers of a state, by array."""
    import numpy as np

    held = list(vars(state).values()) if hasattr(state, "__dict__") else leaves(state)
    found = []
    for each in held:
        if isinstance(each, float):
            found.append(np.array([each]))
        elif isinstance(each, np.ndarray) and each.dtype.names:
            fields = (each[name] for name in each.dtype.names)
            found += [field for field in fields if field.dtype.kind == "f"]
        elif isinstance(each, np.ndarray) and each.dtype.kind == "f":
            found.append(each)
    return found


def main() -> None:
    policy = unpacked(sys.stdin.buffer.read())
    _say("slot", 0)
    try:
        _say("passed", SLOTS, tried_out(policy))
    except Broken as error:
        _say("broken", _slot, *(str(word).replace("\n", " ") for word in error.args))
    except InputError as error:
        _say("broken", _slot, error.found, error.expected)
    except IndexError as error:
        _say("broken", _slot, str(error), "nothing read or written outside its arrays")
    except Exception as error:  # any exception is the policy's failure
        found = f"{type(error).__name__}: {error}".splitlines()[0]
        _say("broken", _slot, found, "decide and learn to return")
