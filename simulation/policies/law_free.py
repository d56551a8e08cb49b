"""The policy `law-free`, for rewards of which only the range [0, 1] or the scale sigma is known.

It needs no horizon and no tuning, and its regret has a bound at every horizon for every
law on [0, 1] (docs/theorems/law-free.md, which has the same pseudo-code), or with the scale told
(docs/theorems/law-free-scale.md).

Capacities are certified from below. b = l_k is the largest capacity proved for arm k; the loads up
to b are its low group (there y/a = X), the larger ones its high group. With the means A of y/a over
the low group and B of y over the high one, of n and n' plays, three facts decide whether m > b:

- a y above b proves it;
- the high y are b X if m = b and at least (b + 1) X if m > b: A is compared with B/b, B/(b + 1);
- silence: if m > b, a high y exceeds b with a chance of at least P(X > b/(b + 1)). The low group
  has seen that e times; the high group never did.

Evidence is compared with a level; GLR(A, n; B, n') = n kl(A, x) + n' kl(B, x) with x the
mean of all n + n', less the price r of not knowing the means:

    more_k,b  = infinite if some y > b, else GLR(A, n; B/b, n') - r(n) - r(n') if B/b > A
    fewer_k,b = the larger of GLR(A, n; B/(b + 1), n') - r(n) - r(n') if B/(b + 1) < A
                and GLR(e/n, n; 0, n') - r(n) if e > 0

    r(n) = (1/2) log(pi (n + 1/2)), kl of Bernoulli laws

If only a scale is known, y may be negative: no single y proves anything, and B/(b + 1) bounds
nothing. Then, with B_c the mean of y/min(a, c) over the high group (B_b = B/b) and the weights u,

    u(n, rho) = rho n^2/(1 + rho n),  r(n, rho) = (1/2) log(1 + rho n)
    E(A, B)   = (A - B)^2/(2 sigma^2) u u'/(u + u') - r(n, rho_b) - r(n', rho'_b)
                with u = u(n, rho_b), u' = u(n', rho'_b), rho_b = 1/(8 (b + 1)^2), rho'_b = 16 rho_b
    more_k,b  = E(A, B_b) + 2 if B_b > A
    fewer_k,b = 3 + the least E(A, B_c), c = b + 1, ..., largest load so far, if all B_c < A

and in the tests below n kl is u(n, 1/4) kl and r(n) is r(n, 1/4), kl of normal laws.

In slot t = 1, 2, ..., with the level l = log(1 + t/4):

    for each arm k:
        b = 1;  while b < N and more_k,b > l:  b = b + 1
        l_k = b;  closed_k = (b = N) or fewer_k,b > l
            (evidence above l is kept as it was; else it is taken anew)
        muhat_k: mean of y/min(a, b) over its n_k plays, all if closed, else those at loads <= b
    fill arms in the order of muhat (never seen: first) with l_k plays each; L is the last one
    open tests:  an arm k outside:    never seen, or n_k kl(muhat_k, muhat_L) <= l + r(n_k)
                                      (once L was seen)                   count n_k
                 an arm k before L:   not closed, n' <= n                 count n',
                                      promising if n' = 0 or B > (b + 1/2) A, as if m > b:
                                                                          count floor(n'/4)
    if a test is open, with probability 1/2: the arm of the one with the smallest count gets
        a play of L, if it is promising up to b plays: from L, then from the arms before it,
        but not from an arm that comes before itself

Ties: arms outside first, then a random order drawn once.

While no test is open the action is not computed anew every slot, nor are rewards taken in one by
one (`calm`): the results are those of computing everything every slot, bit for bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear, in_order
from simulation.learning.arms import in_rank, rank
from simulation.learning.calm import stays
from simulation.learning.likelihoods import Model
from simulation.learning.spans import GROWTH, span
from simulation.learning.splits import ARM, SPLIT, fewer, level_at, more, worth_a_play
from simulation.policies import Options, Policy, Setup
from simulation.policies.likelihood import oracle
from simulation.world.draws import BERNOULLI, GAUSSIAN, coin, shuffled

PHASES = ("exploitation", "means", "capacities")
EXPLOITATION, MEANS, CAPACITIES = range(3)
HASTE = 4  # a promising test with this many plays counts as one play
LONGEST = 128  # slots after which a standing action is decided again
# an estimate leaves its range, for which the action stands, with probability at most e^-CARE
CARE = 4.0

NOW = np.dtype(
    [
        ("size", np.int64),  # arms filled
        ("until", np.int64),  # the action stands up to this slot,
        ("left", np.bool_),  # unless an estimate left its range
        ("stride", np.int64),  # for how many slots the last action stood
    ]
)


class State(NamedTuple):
    """The arms with their splits."""

    arms: np.ndarray
    splits: np.ndarray  # (arms, plays): splits[k, b - 1] at b
    order: np.ndarray  # all arms, by muhat
    learned: np.ndarray  # the slot in which an arm's capacity was proved
    by_load: np.ndarray  # (arms, plays): sums of y, if only a scale is known
    pending: np.ndarray  # (arms, LONGEST): rewards not yet added to the splits
    now: np.ndarray  # one record, see NOW
    plays: int
    model: Model


def begin(gen: Generator, arms: int, plays: int, model: Model) -> State:
    order, table = shuffled(gen, arms), np.zeros(arms, dtype=ARM)
    splits, learned = np.zeros((arms, plays), dtype=SPLIT), np.zeros(arms, dtype=np.int64)
    table["priority"][order] = np.arange(arms)
    table["largest"] = table["until"] = -math.inf
    splits["more"] = splits["fewer"] = -math.inf
    pending, now = np.zeros((arms, LONGEST)), np.zeros(1, dtype=NOW)
    by_load = np.zeros((arms, plays))
    return State(table, splits, order, learned, by_load, pending, now, plays, model)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One slot of the algorithm above."""
    arms, order, now, level = state.arms, state.order, state.now[0], level_at(t)
    for k in range(arms.size):
        if arms[k].waiting > 0:
            take_in_waiting(state, k)
        if arms[k].until <= level:
            review(state, k, level)
            if arms[k].closed and state.learned[k] == 0:
                state.learned[k] = t
    rank(arms, order)
    clear(action, EXPLOITATION)
    now.size, now.until, now.left = oracle(arms, order, state.plays, action), t, False
    place = smallest_open(state, now.size, level)
    if place < 0:
        action.plan[0].quiet = True
        stand(state, t)
    elif coin(gen):
        action.plan[0].phase = MEANS if place >= now.size else CAPACITIES
        k = order[place]
        plays = arms[k].capacity if place < now.size and promising(state, k) else 1
        action.loads[k] += _taken(state, action.loads, now.size, place, plays)
        in_order(action, order)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Store an observation; while the action stands, also update the arm's estimate."""
    arm, now = state.arms[k], state.now[0]
    state.pending[k, arm.waiting] = reward
    arm.waiting += 1
    arm.load = load
    if t < now.until:
        arm.low_sum += reward / load
        arm.count += 1
        arm.muhat = (arm.low_sum + arm.rest) / arm.count
        if not arm.least <= arm.muhat <= arm.most:
            now.left = True
        if arm.often < math.inf:
            arm.above += reward * (arm.capacity + 1) > arm.capacity * load
            if arm.above > arm.often * arm.count:
                now.left = True


@folded
def stands(state: State, t: int) -> bool:
    """Whether the action surely stays: no test opens, no capacity changes, and the order holds."""
    now = state.now[0]
    if t > now.until or now.left:
        return False
    return in_rank(state.arms, state.order, now.size)


@step
def stand(state: State, t: int) -> None:
    """If no test is open, determine how long the action stands, and for which ranges of
    estimates.
    """
    now, arms = state.now[0], state.arms
    length = min(GROWTH * now.stride, LONGEST)
    while length > 1:
        for place in range(now.size):
            k = state.order[place]
            expect(state.model, arms[k], state.splits[k, arms[k].capacity - 1], length)
        if stays(state, now.size, t, length):
            now.until = t + length - 1
            break
        length //= 2
    now.stride = max(length, 1)


@step
def expect(model: Model, arm: Any, split: Any, length: int) -> None:
    """Likely ranges of the estimate of a filled arm during this many plays."""
    law, variance = model.law, model.parameter
    arm.least, arm.most = span(arm.muhat, arm.count, arm.muhat, variance, length, CARE, law)
    arm.low_sum, arm.rest, arm.often = split.low_sum, 0.0, math.inf
    if arm.closed:
        arm.rest = split.high_sum / arm.capacity
    elif law != GAUSSIAN and split.high > 0:
        chance = split.above / split.low
        arm.above = split.above
        arm.often = span(chance, split.low, chance, variance, length, CARE, law)[1]


@step
def take_in_waiting(state: State, k: int) -> None:
    """Add the stored rewards, all at one load, to the splits: low for b >= load, high otherwise.

    Where a y above b has proved m > b, the groups at b are not needed any more.
    """
    arm, splits, load = state.arms[k], state.splits[k], state.arms[k].load
    count, first = arm.waiting, 1
    for i in range(count):
        arm.largest = max(arm.largest, state.pending[k, i])
    arm.top = max(arm.top, load)
    if state.model.law == GAUSSIAN:
        for i in range(count):
            state.by_load[k, load - 1] += state.pending[k, i]
    else:
        while first < arm.largest:
            first += 1
    low = max(first, load)
    for b in range(first, splits.size + 1):
        splits[b - 1].high += count if b < load else 0
        splits[b - 1].low += count if b >= load else 0
    for i in range(count):
        reward = state.pending[k, i]
        if reward == 0.0:
            continue
        share = reward / load
        for b in range(first, load):
            splits[b - 1].high_sum += reward
        for b in range(low, splits.size + 1):
            splits[b - 1].low_sum += share
            splits[b - 1].above += reward * (b + 1) > b * load
    arm.plays += count
    arm.until, arm.waiting = -math.inf, 0


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write what is proved at the level of slot t."""
    for k in range(learned.size):
        learned[k] = state.learned[k]
        if state.arms[k].waiting > 0:
            take_in_waiting(state, k)
        state.arms[k].until = -math.inf
        review(state, k, level_at(t))
        lower[k] = state.arms[k].capacity
        upper[k] = state.arms[k].capacity if state.arms[k].closed else state.plays


@step
def review(state: State, k: int, level: float) -> None:
    """Update l_k, whether it is closed, muhat_k and n_k, and up to which level they stay the
    same.
    """
    arm, splits, model = state.arms[k], state.splits[k], state.model
    b, arm.until = 1, math.inf
    while b < splits.size:
        split = splits[b - 1]
        if split.more <= level:
            split.more = more(model, arm, split, b, level)
        if split.more <= level:
            break
        arm.until = min(arm.until, split.more)
        b += 1
    split = splits[b - 1]
    arm.capacity, arm.closed = b, b == splits.size
    if b < splits.size:
        if split.fewer <= level:
            split.fewer = fewer(model, arm, split, state.by_load[k], b, level)
        if split.fewer > level:
            arm.closed, arm.until = True, min(arm.until, split.fewer)
    arm.count, total = split.low, split.low_sum
    if arm.closed:
        arm.count, total = arm.plays, total + split.high_sum / b
    arm.muhat = total / arm.count if arm.count > 0 else math.inf
    arm.clear = -math.inf


@step
def smallest_open(state: State, size: int, level: float) -> int:
    """The place in the order of the open test with the smallest count; -1 if there is none."""
    arms, order = state.arms, state.order
    found, least = -1, np.iinfo(np.int64).max
    for place in range(size, order.size):
        k, count = order[place], arms[order[place]].count
        earlier = found >= 0 and arms[k].priority < arms[order[found]].priority
        first = count < least or (count == least and earlier)
        if first and worth_a_play(state.model, arms[k], arms[order[size - 1]], level):
            found, least = place, count
    for place in range(size - 1):
        k = order[place]
        split = state.splits[k, arms[k].capacity - 1]
        if not arms[k].closed and split.high <= split.low:
            count = split.high // HASTE if promising(state, k) else split.high
            earlier = 0 <= found < size and arms[k].priority < arms[order[found]].priority
            if count < least or (count == least and earlier):
                found, least = place, count
    return found


@step
def promising(state: State, k: int) -> bool:
    """Whether the data suggest that the capacity is larger than l_k."""
    b = state.arms[k].capacity
    split = state.splits[k, b - 1]
    looks = split.high_sum * split.low > (b + 0.5) * split.low_sum * split.high
    return bool(split.high == 0 or looks)


@step
def _taken(state: State, loads: np.ndarray, size: int, place: int, plays: int) -> int:
    """Take up to `plays` plays from the last arms filled that come after `place`; returns how
    many.
    """
    left = plays
    for giver in range(size - 1, min(place, size - 2), -1):
        given = min(left, loads[state.order[giver]])
        loads[state.order[giver]] -= given
        left -= given
    return plays - left


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    law = setup.reward
    return (Model(BERNOULLI if law.bounded else GAUSSIAN, float(law.proxy_variance)),)


POLICIES = (
    Policy(
        "law-free",
        "Proves capacities from below and knows no law",
        PHASES,
        arguments=_arguments,
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
        stands=stands,
        report=report,
        leaps="law-free",
    ),
)
