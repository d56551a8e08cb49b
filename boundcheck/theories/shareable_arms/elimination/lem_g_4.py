"""Lemma G.4: a one-sided width for martingales with differences in [a, b]."""

from __future__ import annotations

from collections.abc import Iterator
from operator import pos

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms.interval.walks import Walk, walks_on_instance, within_width
from simulation.world.instance import Instance


def of_bounded_rewards(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Walk]:
    """Centred bounded rewards, whose differences are within bounds of length 1."""
    if instance.reward.bounded:
        yield from walks_on_instance(card, instance, question, context)


MARTINGALE = within_width(
    "P(at some time before T the mean of differences in [a, b] reaches its width) <= delta",
    pos,
    cases=of_bounded_rewards,
    inapplicable_reason="no arm earns bounded rewards",
)

STATEMENTS = {"lem-G.4": (MARTINGALE,)}
