"""The colours of figures and web pages, each with a counterpart for dark pages.

Hues of curves are from Okabe and Ito and from Tol, safe for colour-blind readers. Nothing heavy is
imported here, because the web server sends `stylesheet` as a file.
"""

from __future__ import annotations

BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PINK, SKY, WINE, OLIVE = "#CC79A7", "#56B4E9", "#882255", "#999933"
PURPLE, LILAC, BROWN, SLATE = "#5B3A99", "#AD8FDB", "#8C6D46", "#6B7C93"
INK, GREY = "#222222", "#8A8A8A"
PAPER, NIGHT = "#FFFFFF", "#14171B"

# replacements on a dark page; other colours are light enough
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
# colours of curves, by name
HUES = {
    "blue": BLUE,
    "vermillion": VERMILLION,
    "green": GREEN,
    "orange": ORANGE,
    "pink": PINK,
    "sky": SKY,
    "wine": WINE,
    "olive": OLIVE,
    "purple": PURPLE,
    "lilac": LILAC,
    "brown": BROWN,
    "slate": SLATE,
    "ink": INK,
    "grey": GREY,
}
# colours of badges and words, on white and on black
TONES = {
    "bad": ("#B3261E", "#FF8A80"),
    "doubtful": ("#8A5300", "#FFC266"),
    "supported": ("#00658F", "#7CC9F0"),
    "good": ("#0B6B3A", "#6FDDA0"),
    "silent": ("#55606E", "#AEB8C4"),
}
# colours of a page: text, secondary text, background, background of code and fields, rules,
# borders, links
PAGE = {
    "ink": (INK, DARK[INK]),
    "soft": ("#59636E", "#9AA4B0"),
    "paper": (PAPER, NIGHT),
    "wash": ("#F6F8FA", "#1F242A"),
    "line": ("#D8DEE4", "#363D46"),
    "field": ("#8A94A3", "#6F7B8A"),
    "link": ("#0A5CAD", "#79B8FF"),
}


def name_of(hue: str) -> str:
    """The name of a curve's colour.

    >>> name_of(BLUE)
    'blue'
    """
    return next(name for name, colour in HUES.items() if colour == hue)


def stylesheet() -> str:
    """All colours as CSS variables, for light and dark pages, and a class for each hue.

    >>> "--link: #0A5CAD;" in stylesheet()
    True
    """
    hues = {f"hue-{name}": (hue, DARK.get(hue, hue)) for name, hue in HUES.items()}
    every = PAGE | TONES | hues
    light = "".join(f" --{name}: {day};" for name, (day, _) in every.items())
    dark = "".join(f" --{name}: {night};" for name, (_, night) in every.items())
    lines = [
        f":root {{ color-scheme: light dark;{light} }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{{dark} }} }}",
        *(f".line.{name} {{ stroke: var(--{name}); }}" for name in hues),
        *(f".band.{name} {{ fill: var(--{name}); }}" for name in hues),
        *(f".tone-{name} {{ --tone: var(--{name}); }}" for name in TONES),
    ]
    return "\n".join(lines) + "\n"
