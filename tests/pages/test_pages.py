"""Pages people can read: answers first, names with ids, contents, badges, anchors, dark, small."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import CHROMIUM, NO_BROWSER
from hypothesis import given
from hypothesis import strategies as st
from small_studies import tiny_study
from test_report import anchor, small_audit, table_rows

from boundcheck.judging.finding import Severity, Verdict
from boundcheck.pages import audit, colours, instance, palette
from boundcheck.pages.drawing import canvas, curve, name_curves, regret_axis, save, spread_apart
from boundcheck.pages.html import page
from boundcheck.pages.palette import LOWER, Style, styles
from boundcheck.pages.study import Study
from boundcheck.pages.writing import folded_part, markdown_table
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages.charts import CHARTS
from boundcheck.theories.shareable_arms.pages.model import model
from simulation.formatting import number
from simulation.policies import WHERE
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    audit.write_page(small_audit("thm-4.3", "thm-5.3b"), folder, "html")
    return folder


@pytest.fixture
def text(written: Path) -> str:
    return (written / "report.md").read_text(encoding="utf-8")


@pytest.fixture
def details(written: Path) -> str:
    return (written / "details.md").read_text(encoding="utf-8")


@pytest.fixture
def html(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


# -- what is said first -----------------------------------------------------------------------


def test_the_three_questions_then_the_engineer_then_the_theory(text: str) -> None:
    places = [
        text.index(words)
        for words in (
            "## 3. What regret does OrchExplore guarantee?",
            "**What to play** if all were known: 2 on arm 1, 2 on arm 2",
            "**Which policy**: you know the scale of rewards and nothing more",
            "It must be told the range or scale of the rewards",
            "**For how long**",
            "**What it loses**",
            "| slots | mean loss |",
            "## Other results",
            "Do not apply here",
            "## Assumptions that fail",
            "## Verdicts",
        )
    ]
    assert places == sorted(places)


def test_losses_are_those_of_the_runs_at_powers_of_ten(tiny: Study, text: str) -> None:
    rows = table_rows(text, "## What to do")
    runs = tiny.comparison["law-free"]
    assert [row[0] for row in rows] == ["10", "100", "300"]
    for slots, mean, share, worst, _ in rows:
        (at,) = np.flatnonzero(runs.checkpoints == int(slots))
        assert (mean, worst) == (number(runs.mean[at]), number(runs.total[:, at].max()))
        lost = runs.mean[at] / (int(slots) * float(tiny.instance.optimal_reward))
        assert float(share.removesuffix("%")) == pytest.approx(100 * lost, rel=0.05)


def test_results_are_sorted_by_what_they_say(tiny: Study, details: str) -> None:
    found = {row[0]: row for row in table_rows(details, "Results that apply")}
    silent = {row[0]: row for row in table_rows(details, "more apply, but are no better")}
    elsewhere = {row[0]: row for row in table_rows(details, "do not apply here")}
    refuted = {row[0]: row for row in table_rows(details, "are refuted: do not rely on them")}
    assert {*found, *silent, *elsewhere, *refuted} == {c.id for c in tiny.cards if c.quantities}
    assert {"thm-4.3", "thm-G.1", "cor-G.2"} <= {*refuted}
    assert refuted["thm-4.3"][2] == "sharp-4.3"
    for claim in refuted:
        assert all(b.refuted for b in tiny.of(claim) if b.arm in (None, 1, 2))
    assert elsewhere["thm-7.1"][2] == "horizon"
    for claim in found:
        assert all(b.listed for b in tiny.of(claim) if b.arm in (None, 1, 2))
    for claim in silent:
        assert [b.informative for b in tiny.of(claim)][:1] == [False]
    rung = tiny.ladders["thm-G.1"][-1]
    assert refuted["thm-G.1"][4].startswith(f"{number(rung.ratio)} times what mp-se-sa loses")


def test_no_list_of_claims_without_their_names(written: Path, audited: Path) -> None:
    ids = "|".join(map(re.escape, THEORY.cards))
    bare = re.compile(rf"(?:{ids})`?, `?(?:{ids})\b")
    assert bare.search("thm-4.1a, rem-4.2, lem-5.1")
    for path in (written / "report.md", audited / "audit.md"):
        assert bare.findall(path.read_text(encoding="utf-8")) == []


def test_many_arms_are_folded_away(text: str, tmp_path: Path) -> None:
    means = [f"0.{k}" for k in range(30, 10, -1)]
    wide = tiny_study(Instance(means, [1] * 20, 2, name="wide"), claims=["rem-4.2"])
    instance.write_study(wide, tmp_path)
    folded = (tmp_path / "details.md").read_text(encoding="utf-8")
    assert "<summary>All 20 arms</summary>" in folded
    assert "arms</summary>" not in text  # of five


# -- the page ---------------------------------------------------------------------------------


def test_the_contents_lead_to_every_section(html: str, text: str) -> None:
    sections = re.findall(r"^## (.*)$", text, flags=re.M)
    for nav in re.findall(r"<nav.*?</nav>", html, flags=re.S):
        assert re.findall(r'<a href="#([^"]+)">', nav) == [anchor(s) for s in sections]
    assert html.count("<nav") == 2


@pytest.mark.parametrize("name", ["report", "audit"])
def test_every_claim_has_an_anchor_and_no_link_leads_nowhere(
    name: str, written: Path, audited: Path
) -> None:
    path, claims = {
        "report": (written / "details.html", set(THEORY.cards)),
        "audit": (audited / "audit.html", {"thm-4.3", "thm-5.3b"}),
    }[name]
    page = path.read_text(encoding="utf-8")
    ids = Counter(re.findall(r'\bid="([^"]+)"', page))
    assert [repeated for repeated, times in ids.items() if times > 1] == []
    assert claims <= set(ids)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert set(re.findall(r'<a href="#([^"]+)" title="[^"]+" class="claim">', page)) <= claims


def test_a_verdict_has_a_colour_and_its_name(html: str, audited: Path) -> None:
    whole = (audited / "audit.html").read_text(encoding="utf-8")
    badges = re.findall(r'<strong class="badge ([\w-]+)">([^<]*)</strong>', html + whole)
    words = {severity.phrase: severity for severity in Severity} | {str(v): v for v in Verdict}
    assert {"refuted", "holds", "false only as printed", "false"} <= {shown for _, shown in badges}
    assert all(name == f"tone-{palette.BADGES[words[shown]]}" for name, shown in badges)
    assert {str(severity) for severity in Severity} & {shown for _, shown in badges} == set()
    light, dark = html.split("prefers-color-scheme: dark", 1)
    for name, tones in colours.TONES.items():
        found = [re.search(rf" --{name}: (\S+);", part) for part in (light, dark)]
        assert tuple(each[1] for each in found if each) == tones
        assert f".tone-{name} {{ --tone: var(--{name}); }}" in html


def test_only_our_own_folding_is_markup(tmp_path: Path) -> None:
    text = folded_part("More", markdown_table(("a",), [["b"]]))
    found = page(f"# Title\n\n{text}\n", tmp_path)
    main = found[found.index("<main>") :]
    assert re.search(r"<details><summary>More</summary>\n<div[^>]*><table>.*</details>", main, re.S)
    for other in (
        "<details ontoggle=x>",
        '<details markdown="1"><summary><b>x</b></summary>',
        "<summary>x</summary>",
        "<b>bold</b>",
    ):
        shown = page(f"# Title\n\n{other}\n", tmp_path)
        assert "<b>" not in shown
        assert other.split(">")[0].replace('"', "&quot;").replace("<", "&lt;") in shown


def test_figures_follow_the_page_into_the_dark(html: str) -> None:
    dark = html.partition("prefers-color-scheme: dark")[2]
    drawn = "".join(re.findall(r"<figure.*?</figure>", html, flags=re.S))
    for colour, counterpart in colours.DARK.items():
        assert f": {colour.lower()}" not in drawn
        assert f"--c{colour[1:].lower()}: {counterpart};" in dark
    assert "var(--c222222, #222222)" in drawn


def test_what_is_drawn_in_the_dark_can_be_seen() -> None:
    used = {style.colour for style in (*styles(WHERE).values(), *palette.INTERVALS.values())}
    used |= {colours.INK, palette.UPPER.colour, palette.SHARPER_UPPER.colour}
    for colour in used:
        assert _contrast(colours.DARK.get(colour, colour), colours.NIGHT) > 3.9, colour
    for light, dark in (*colours.TONES.values(), *(colours.PAGE[x] for x in ("ink", "link"))):
        for paper, night in (colours.PAGE["paper"], colours.PAGE["wash"]):
            assert _contrast(light, paper) > 4.5
            assert _contrast(dark, night) > 4.5


def _contrast(one: str, other: str) -> float:
    """As the accessibility guidelines measure it: from 1 to 21."""

    def luminance(colour: str) -> float:
        shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# -- figures ----------------------------------------------------------------------------------


def test_a_policy_looks_the_same_everywhere_and_unlike_the_others() -> None:
    every = styles(WHERE)
    assert {style.colour for style in every.values()} <= set(palette.ALGORITHMS.values())
    for pair in combinations(WHERE, 2):
        assert styles(pair) == {name: every[name] for name in pair}
    alike = [pair for pair in combinations(WHERE, 2) if every[pair[0]] == every[pair[1]]]
    assert alike == [("mp-se-sa", "mp-se")]  # one algorithm, its special case for capacities 1


def test_policies_from_elsewhere_differ() -> None:
    found = styles(["round-robin", "orch-explore", "mine"])
    assert len({style.colour for style in found.values()}) == 3


@pytest.mark.parametrize(("factor", "scale"), [(2, "linear"), (50, "log")])
def test_regret_is_logarithmic_where_curves_differ_by_powers_of_ten(
    factor: float, scale: str
) -> None:
    with canvas() as (_, ax):
        for rise in (1, factor):
            curve(ax, LOWER, [1, 10, 100], [0, rise, 2 * rise], "curve")
        regret_axis(ax)
        assert ax.get_yscale() == scale
        assert ax.get_ylim()[0] == (0 if scale == "linear" else pytest.approx(1 / 1.5))


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0.01, 0.12))
def test_names_stand_apart_in_the_order_of_their_curves(heights: list[float], gap: float) -> None:
    places = spread_apart(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    assert all(places[b] - places[a] >= gap - 1e-9 for a, b in pairwise(order))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)


def test_curves_are_named_beside_the_panel_never_on_it() -> None:
    with canvas() as (figure, ax):
        for end in (1.0, 1.01, 1.02):
            curve(ax, Style("#000000"), [0, 1], [0, end], f"ends at {end}")
        name_curves(ax)
        figure.draw_without_rendering()
        names = [note for note in ax.texts if note.get_text().startswith("ends at")]
        boxes: list[Any] = [note.get_window_extent() for note in names]
        assert len(boxes) == 3
        assert all(box.x0 > ax.get_window_extent().x1 for box in boxes)
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_no_legend_of_a_report_lies_on_its_curves(tiny: Study) -> None:
    for draw in CHARTS:
        figure = draw(tiny).figure  # type: ignore[arg-type]
        figure.draw_without_rendering()
        for ax in figure.axes:
            if (legend := ax.get_legend()) is not None:
                assert legend.get_window_extent().x0 > ax.get_window_extent().x1


def test_the_picture_of_the_model_is_the_one_we_draw(tmp_path: Path) -> None:
    chart = model()
    save(chart.figure, tmp_path / "model.svg")
    shipped = ROOT / "docs" / "figures" / "model.svg"
    assert (tmp_path / "model.svg").read_bytes() == shipped.read_bytes()
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert glossary.index("](figures/model.svg)") < glossary.index("The model")
    assert any(plays > capacity for _, _, capacity, plays, _ in chart.rows)
    assert all(earn == min(plays, capacity) for _, _, capacity, plays, earn in chart.rows)


# -- on a phone -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser 400 pixels wide that prefers dark pages."""
    driver = shutil.which("chromedriver")
    if CHROMIUM is None or driver is None:
        pytest.skip(NO_BROWSER)
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = CHROMIUM
    profile = f"--user-data-dir={tmp_path_factory.mktemp('profile')}"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", profile):
        options.add_argument(flag)
    browser: Any = Chrome(options=options, service=Service(driver))
    screen = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    yield browser
    browser.quit()


WIDE = """return [...document.querySelectorAll('main *')].filter(
  e => !e.parentElement.closest('.scroll, .math, svg') && e.getBoundingClientRect().right > 401
).map(e => e.outerHTML.slice(0, 80))"""
COLOUR = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"


def test_a_phone_shows_everything_within_its_width_and_in_the_dark(
    phone: Any, written: Path, audited: Path
) -> None:
    for path in (written / "report.html", audited / "audit.html", *audited.glob("claims/*.html")):
        phone.get(path.as_uri())
        assert phone.execute_script("return document.documentElement.scrollWidth") == 400, path
        assert phone.execute_script(WIDE) == []
    phone.get((written / "report.html").as_uri())
    assert phone.execute_script(COLOUR, "body", "backgroundColor") == "rgb(20, 23, 27)"
    drawn = "figure [style*='fill: var(--cffffff']"
    assert phone.execute_script(COLOUR, drawn, "fill") == "rgb(20, 23, 27)"
    assert phone.execute_script(COLOUR, "figure text", "fill") == "rgb(227, 230, 234)"
