"""One colour, one meaning, in every figure and on every page.

A policy has the hue of its algorithm, and the dash of what it is given or made of; an interval has
the hue of the policy that rests on it. Hues of curves are those of Okabe and Ito and of Tol, safe
for the colour-blind; verdicts and severities are also always written out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from boundcheck.judging.finding import Severity, Verdict

BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PINK, SKY, WINE, OLIVE = "#CC79A7", "#56B4E9", "#882255", "#999933"
PURPLE, LILAC, BROWN, SLATE = "#5B3A99", "#AD8FDB", "#8C6D46", "#6B7C93"
INK, GREY = "#222222", "#8A8A8A"

DOTS: Any = (0, (1, 1.2))
DASHES: Any = (0, (5, 1.5))
DASHES_AND_DOTS: Any = (0, (5, 1.5, 1, 1.5))


class Look(NamedTuple):
    """How a curve is drawn."""

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
# told the capacities, with Hoeffding's interval, every allocation as an arm of its own
VARIANTS = {"kc": DASHES, "hfd": DOTS, "implicit": DASHES_AND_DOTS}
OTHERS = (BROWN, SLATE, OLIVE, WINE)  # policies from elsewhere, in the order they come

INTERVALS = {
    "uniform": Look(VERMILLION),
    "likelihood": Look(BLUE),
    "hoeffding": Look(SLATE, DOTS),
    "joint": Look(BROWN, DASHES),
}

LOWER, UPPER, SHARPER_UPPER = Look(INK, DOTS), Look(PURPLE), Look(LILAC)

# what takes the place of a colour on a dark page; the others are light enough
PAPER, NIGHT = "#FFFFFF", "#14171B"
DARK = {
    PAPER: NIGHT,
    INK: "#E3E6EA",
    BLUE: "#4AA8E0",
    WINE: "#D474A4",
    PURPLE: "#A58BEA",
    LILAC: "#D3C2F7",
    BROWN: "#C4A070",
    SLATE: "#93A4BB",
}

# of a badge on a page: on white and on black
_BAD, _DOUBTFUL, _GOOD, _SILENT = (
    ("#B3261E", "#FF8A80"),
    ("#8A5300", "#FFC266"),
    ("#0B6B3A", "#6FDDA0"),
    ("#55606E", "#AEB8C4"),
)
BADGES = {
    Verdict.REFUTED: _BAD,
    Verdict.UNDECIDED: _DOUBTFUL,
    Verdict.SUPPORTED: ("#00658F", "#7CC9F0"),
    Verdict.HOLDS: _GOOD,
    Severity.SUBSTANCE: _BAD,
    Severity.CONSTANT: _BAD,
    Severity.SCOPE: _DOUBTFUL,
    Severity.PSEUDO_CODE: _DOUBTFUL,
    Severity.WORDING: _SILENT,
    Severity.PROOF: _SILENT,
}
# the badge of a word that stands in bold: of a verdict, of a severity or of its phrase
BADGE_OF = {str(word): str(word) for word in BADGES} | {s.phrase: str(s) for s in Severity}


def looks(policies: Iterable[str]) -> dict[str, Look]:
    """How each policy is drawn; the same one looks the same in every figure.

    >>> looks(["orch-explore", "orch-explore-kc"])["orch-explore-kc"].colour == VERMILLION
    True
    """
    found: dict[str, Look] = {}
    others = 0
    for name in policies:
        stem, _, variant = name.rpartition("-")
        if name in ALGORITHMS:
            found[name] = Look(ALGORITHMS[name])
        elif stem in ALGORITHMS and variant in VARIANTS:
            found[name] = Look(ALGORITHMS[stem], VARIANTS[variant])
        else:
            found[name] = Look(OTHERS[others % len(OTHERS)])
            others += 1
    return found


def tints(colour: str, count: int) -> list[str]:
    """Shades of one hue, from pale to full, for the parts of one thing."""
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    shares = [(k + 1) / count for k in range(count)]
    return ["#" + "".join(f"{round(255 - s * (255 - c)):02X}" for c in channels) for s in shares]
