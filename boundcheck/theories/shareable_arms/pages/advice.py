"""The first section of a report: what to do on the instance, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log10

import numpy as np

from boundcheck.pages.summaries import failing_words, truth
from boundcheck.theories.shareable_arms.pages.study import PaperStudy
from simulation.escaping import markdown
from simulation.formatting import human, number
from simulation.numbers import decimal
from simulation.rewards.samples import Empirical
from simulation.running.results import PolicyRuns
from simulation.world.amounts import amount
from simulation.world.instance import Instance

SMALL_LOSS = 0.01  # as a share of the optimal reward
TOLD = {
    "law": "the law of the rewards",
    "horizon": "the horizon T",
    "capacities": "the capacities",
    "scale": "the range or scale of the rewards",
}
COVERED = (
    "The model places every play in every slot, on more arms than plays, and capacities do not "
    "change. A play that may stay idle is an arm of mean 0; an arm that is switched off for good "
    "is left out; arms that come and go are not covered."
)


def summary(study: PaperStudy) -> list[str]:
    """The results in a few sentences."""
    return [line for line in (truth(study), _main_theorem(study), _room(study)) if line]


def advice(study: PaperStudy) -> list[str]:
    """What to play, which policy to use, what it needs to know, for how long, and its regret."""
    if study.instance.largest_regret == 0:
        return ["**Nothing can be lost here**: no action is better than another."]
    instance = study.instance
    reward = float(instance.optimal_reward)
    return [
        f"**What to play** if all were known: {markdown(instance.played)}, which earns "
        f"{_amount(instance, reward, decimal(instance.optimal_reward, 6))} a slot. A policy knows "
        "neither means nor "
        "capacities and has to find this out.",
        *_recommended(study, reward),
        *_with_more_known(study),
        *_learning(study),
        COVERED,
        *_deployed(study),
    ]


def _deployed(study: PaperStudy) -> Iterator[str]:
    """Lines of Python that use the recommended policy (docs/agents.md)."""
    best, instance = recommended(study), study.instance
    if best is None:
        return
    names = list(instance.names) or [f"arm {k + 1}" for k in range(instance.arms)]
    told = _told(study, best)
    given = f"{names}, plays={instance.plays}"
    law = instance.reward
    if isinstance(law, Empirical) and law.scale != 1:
        given += f", scale={decimal(law.scale)}"
    if "horizon" in told:
        given += f", horizon={best.checkpoints[-1]}"
    if "capacities" in told:
        given += f", capacities={list(instance.capacities)}"
    if "law" in told or not law.bounded:
        given += f', law="{":".join([law.name, *map(str, law.fields().values())])}"'
    yield (
        "**To deploy it**, with your function `earned(arm)` for what an arm earned in a slot in "
        "all (`help(boundcheck.agent)` explains the arguments):\n\n"
        "```python\nimport boundcheck\n\n"
        f'agent = boundcheck.agent("{best.policy}", {given}, journal="deployment")\n'
        "while True:\n"
        "    plays = agent.ask()  # plays by arm\n"
        "    agent.tell({arm: earned(arm) for arm in plays})\n```"
    )


def _recommended(study: PaperStudy, reward: float) -> Iterator[str]:
    """The best of the policies that need no more than is known."""
    instance, best = study.instance, recommended(study)
    scale = "the range of rewards" if instance.reward.bounded else "the scale of rewards"
    known = ", ".join(["the " + word for word in instance.knowledge.known])
    yours = f"you know {scale}" + (f", and {known}" if known else " and nothing more")
    if best is None:
        yield (
            f"**Which policy**: {yours} (table `knowledge` of the instance file); each of the "
            "policies simulated must be told more, see details.md."
        )
        return
    told = [TOLD.get(item, item) for item in _told(study, best).split(", ") if item]
    yield (
        f"**Which policy**: {yours} (table `knowledge` of the instance file). Of the policies "
        f"simulated that need no more, `{best.policy}` loses least. It must be told "
        f"{' and '.join(told) or 'nothing'}."
    )
    if reward:
        yield f"**For how long**: {_until_small_loss(best, reward)}"
    yield f"**What it loses**: {_loss(study, best, reward)}"


def _with_more_known(study: PaperStudy) -> Iterator[str]:
    """The regret of better policies and what they need to know, unless one that needs less is as
    good.
    """
    seen: list[set[str]] = []
    for runs in sorted(study.comparison, key=lambda runs: runs.mean[-1]):
        lacking = study.instance.knowledge.lacks(_told(study, runs))
        if any(told <= set(lacking) for told in seen):
            continue
        if not lacking:
            return
        seen.append(set(lacking))
        wrong = (
            "; with a wrong law its loss may grow linearly (see details.md)"
            if "law" in lacking
            else ""
        )
        yield (
            f"Only if you also know the {' and the '.join(lacking)}: `{runs.policy}` loses "
            f"{_mean_loss(study, runs)}{wrong}."
        )


def _told(study: PaperStudy, runs: PolicyRuns) -> str:
    return study.theory.policy(runs.policy).told


def recommended(study: PaperStudy) -> PolicyRuns | None:
    """The policy with the least mean regret among those that need no more than the user knows."""
    knows = study.instance.knowledge
    able = [runs for runs in study.comparison if not knows.lacks(_told(study, runs))]
    return _best(able) if able else None


def advised(study: PaperStudy) -> PolicyRuns:
    return recommended(study) or best_policy(study)


def best_policy(study: PaperStudy) -> PolicyRuns:
    """The policy with the least mean regret among those that do not need the capacities."""
    return _best(runs for runs in study.comparison if "capacities" not in _told(study, runs))


def _best(able: Iterable[PolicyRuns]) -> PolicyRuns:
    return min(able, key=lambda runs: runs.mean[-1])


def _loss(study: PaperStudy, best: PolicyRuns, reward: float) -> str:
    horizon, mean = study.effort.horizon, best.mean[-1]
    share = f", {_percent(mean / (horizon * reward))} of the optimal reward" if reward else ""
    return (
        f"{_mean_loss(study, best)} up to T = {horizon:,}{share}; the "
        f"worst of {study.effort.runs} runs lost "
        f"{_amount(study.instance, best.total[:, -1].max())}."
    )


def _mean_loss(study: PaperStudy, runs: PolicyRuns) -> str:
    mean, error = runs.mean[-1], runs.standard_error[-1]
    if study.instance.unit is None:
        return f"{number(mean)} ± {number(error)}"
    return f"{_amount(study.instance, mean)} (± {_amount(study.instance, error)})"


def _amount(instance: Instance, rewards: float, plain: str | None = None) -> str:
    """An amount of reward, in the unit of the instance if it has one."""
    return markdown(amount(instance, rewards)) if instance.unit else plain or number(rewards)


def losses(study: PaperStudy) -> list[list[str]]:
    """The regret of the advised policy in 10, 100, ... slots, and of one that knows the
    capacities.
    """
    best = advised(study)
    told = _best(runs for runs in study.comparison if "capacities" in _told(study, runs))
    reward = float(study.instance.optimal_reward)
    last = best.checkpoints.size - 1
    tens = [i for i, slot in enumerate(best.checkpoints) if log10(slot).is_integer() and slot > 1]
    return [
        [
            f"{slot:,}",
            _amount(study.instance, best.mean[i]),
            _percent(best.mean[i] / (slot * reward)) if reward else "-",
            _amount(study.instance, best.total[:, i].max()),
            _amount(study.instance, told.mean[i]),
        ]
        for i in dict.fromkeys([*tens, last])
        if (slot := int(best.checkpoints[i]))
    ]


def _percent(share: float) -> str:
    return f"{number(float(f'{100 * share:.2g}'))}%"


def _until_small_loss(best: PolicyRuns, reward: float) -> str:
    """The first checkpoint after which the average loss stays small."""
    large = np.flatnonzero(best.mean / (best.checkpoints * reward) > SMALL_LOSS)
    after = 0 if large.size == 0 else int(large[-1]) + 1
    if after == best.checkpoints.size:
        return f"its average loss is still above {SMALL_LOSS:.0%} after {best.horizon:,} slots."
    return (
        f"its average loss falls below {SMALL_LOSS:.0%} of the optimal reward after about "
        f"{best.checkpoints[after]:,} slots; shorter deployments pay mostly for learning."
    )


def _main_theorem(study: PaperStudy) -> str:
    (bound,) = study.of("thm-7.1")
    runs = study.comparison["orch-explore"]
    horizon = study.question.horizon
    trivial = human(decimal(horizon * study.instance.largest_regret, 6))
    seen = f"simulated regret of OrchExplore after {runs.horizon:,} slots is "
    seen += number(runs.mean[-1])
    if bound.value is None:
        return f"Theorem 7.1 gives no number here; {seen}."
    unmet = failing_words([bound])
    state = f"does not apply ({unmet})" if unmet else "applies"
    size = "more" if bound.informative is False else "less"
    return (
        f"Theorem 7.1 {state}; its bound at T = {human(decimal(horizon, 6))} is "
        f"{human(bound.value)}, {size} than the largest possible regret {trivial}; {seen}."
    )


def _room(study: PaperStudy) -> str:
    best = best_policy(study)
    least = study.least_regret
    if study.exact_constant is None or least is None:
        return "The least possible growth of regret is not known here: `sharp-4.3` does not apply."
    times = f", {number(best.mean[-1] / least)} times as much" if least else ""
    return (
        f"Asymptotically regret grows at least like {number(study.exact_constant)} log T "
        f"(`sharp-4.3`, exact), {number(least)} at this horizon; the best policy simulated, "
        f"`{best.policy}`, loses {number(best.mean[-1])}{times}."
    )


def _learning(study: PaperStudy) -> list[str]:
    """How long OrchExplore takes to learn the capacities of the optimal arms."""
    runs = study.comparison["orch-explore"]
    filled = study.instance.order[: study.instance.L - 1]
    if not filled:
        return []
    slots = [float(runs.learned_time[k]) for k in filled]
    if not np.all(np.isfinite(slots)):
        return [f"OrchExplore has not settled all capacities it fills by slot {runs.horizon:,}."]
    return [
        f"OrchExplore settles the capacities it must fill after {number(max(slots))} slots "
        "(median over runs, slowest arm)."
    ]
