"""The meaning of colours, the same in every figure and on every page.

A policy has the hue of its algorithm, and a dash pattern for its variant; an interval has the hue
of the policy that uses it. Verdicts and severities are always written out as well. The colours
themselves are in colours.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from boundcheck.judging.finding import Severity, Verdict
from boundcheck.pages.colours import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    LILAC,
    OLIVE,
    ORANGE,
    PINK,
    PURPLE,
    SKY,
    SLATE,
    VERMILLION,
    WINE,
)

DOTS: Any = (0, (1, 1.2))
DASHES: Any = (0, (5, 1.5))
DASHES_AND_DOTS: Any = (0, (5, 1.5, 1, 1.5))


class Style(NamedTuple):
    """The style of a curve."""

    colour: str
    dash: Any = "-"


ALGORITHMS = {
    "likelihood": BLUE,
    "orch-explore": VERMILLION,
    "mp-se": GREEN,
    "mp-se-sa": GREEN,
    "se": GREEN,
    "etc-ucb": ORANGE,
    "kl-ucb": PINK,
    "ucb": PINK,
    "ts": SKY,
    "law-free": WINE,
    "certify": OLIVE,
}
# variants: known capacities, Hoeffding's interval, every allocation as one arm
VARIANTS = {"kc": DASHES, "hfd": DOTS, "implicit": DASHES_AND_DOTS}
OTHERS = (BROWN, SLATE, OLIVE, WINE)  # for policies of users, in order of appearance

INTERVALS = {
    "uniform": Style(VERMILLION),
    "likelihood": Style(BLUE),
    "hoeffding": Style(SLATE, DOTS),
    "joint": Style(BROWN, DASHES),
}

LOWER, UPPER, SHARPER_UPPER = Style(INK, DOTS), Style(PURPLE), Style(LILAC)
# for several bounds in one chart, in order of appearance
LOWERS, UPPERS = (INK, SLATE, GREY), (PURPLE, LILAC, BROWN, OLIVE, WINE)

BADGES: dict[Verdict | Severity, str] = {  # tone of each word
    Verdict.REFUTED: "bad",
    Verdict.UNDECIDED: "doubtful",
    Verdict.SUPPORTED: "supported",
    Verdict.HOLDS: "good",
    Severity.SUBSTANCE: "bad",
    Severity.CONSTANT: "bad",
    Severity.SCOPE: "doubtful",
    Severity.PSEUDO_CODE: "doubtful",
    Severity.WORDING: "silent",
    Severity.PROOF: "silent",
}
# tone of a word in bold: a verdict, a severity or its phrase
TONE_OF = {str(word): tone for word, tone in BADGES.items()} | {
    word.phrase: BADGES[word] for word in Severity
}


def styles(policies: Iterable[str]) -> dict[str, Style]:
    """The style of each policy, the same in every figure.

    >>> styles(["orch-explore", "orch-explore-kc"])["orch-explore-kc"].colour == VERMILLION
    True
    """
    found: dict[str, Style] = {}
    others = 0
    for name in policies:
        stem, _, variant = name.rpartition("-")
        if name in ALGORITHMS:
            found[name] = Style(ALGORITHMS[name])
        elif stem in ALGORITHMS and variant in VARIANTS:
            found[name] = Style(ALGORITHMS[stem], VARIANTS[variant])
        else:
            found[name] = Style(OTHERS[others % len(OTHERS)])
            others += 1
    return found


def bound_hues(lower: Sequence[bool]) -> list[str]:
    """The colours of the bounds in a chart, given which of them are lower bounds.

    >>> bound_hues([True, False, False]) == [INK, PURPLE, LILAC]
    True
    """
    kinds = (cycle(UPPERS), cycle(LOWERS))
    return [next(kinds[each]) for each in lower]


def tints(colour: str, count: int) -> list[str]:
    """Shades of one hue, from pale to full."""
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    shares = [(k + 1) / count for k in range(count)]
    return ["#" + "".join(f"{round(255 - s * (255 - c)):02X}" for c in channels) for s in shares]
