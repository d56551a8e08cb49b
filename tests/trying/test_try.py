"""`boundcheck try`: published bounds are not refuted, a tenth of each is; the level of a `?`."""

from __future__ import annotations

import json
import math
import pickle
import re
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from try_bounds import (
    HARDEST,
    LAWS,
    LEVEL_EFFORT,
    LEVEL_LINES,
    LINES,
    LOOSE,
    decided,
    exact_constant,
    plays_of_worse,
    try_line,
)

import boundcheck
from boundcheck.cli import main
from boundcheck.judging.default_statements.regret import AtHorizon
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.finding import Verdict
from boundcheck.language.reading import read, with_options
from boundcheck.theories import default, shipped_cards
from boundcheck.theory import Theory
from boundcheck.trying import panel
from boundcheck.trying.constant import constant_for, published, value_of
from boundcheck.trying.overplayed import SHARES, Capped, _plays_beyond, chances
from simulation.errors import InputError
from simulation.policies import CLASSIC, find
from simulation.rewards.samples import Empirical
from simulation.running.policy_transport import as_bytes, has_shipped_code, identity
from simulation.running.replicate import replicate
from simulation.running.runs import run_many
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[2]
# short enough for a test: few slots, though enough to refute a tenth of each bound
TINY = Effort("tiny", trials=2_000, runs=40, horizon=1_000, slots=200_000)


@pytest.mark.parametrize("name", LINES)
def test_a_published_bound_is_not_refuted_and_a_tenth_of_it_is(name: str) -> None:
    law = HARDEST.get(name, LAWS.get(name, "bernoulli"))
    published, tenth = (decided(name, TINY, by, law) for by in (1, 10))
    assert published.finding.verdict is not Verdict.REFUTED
    assert tenth.finding.verdict is Verdict.REFUTED
    assert tenth.worst is not None
    assert len(str(published).splitlines()) <= 25
    assert len(str(tenth).splitlines()) <= 25


@pytest.mark.parametrize("name", LOOSE)
def test_a_loose_published_bound_is_not_refuted(name: str) -> None:
    assert decided(name, TINY, law="bernoulli").finding.verdict is not Verdict.REFUTED


def test_a_true_bound_is_supported_and_its_looseness_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    trial = boundcheck.try_bound("regret(ucb1) <= 40*sum(log(T)/gap, worse)", "tiny")
    assert trial.finding.verdict is Verdict.SUPPORTED
    assert trial.looseness is not None
    assert 1 < trial.looseness["smallest"] <= trial.looseness["median"]
    assert float(trial.informative_from or 0) > 100


def test_growth_is_a_limit_and_a_premise_refutes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    text = "growth(thompson) <= {}sum(gap/kl(mu, best), worse)"
    limit = boundcheck.try_bound(text.format(""), "tiny", law="bernoulli")
    assert limit.finding.verdict is Verdict.UNDECIDED
    below = boundcheck.try_bound(text.format("0.9*"), "tiny", law="bernoulli")
    assert below.finding.verdict is Verdict.REFUTED
    assert below.finding.evidence["premise"] == "lai-robbins"


def test_the_command_prints_its_row_and_saves_the_worst_instance(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    file = tmp_path / "worst.toml"
    line = "regret(moss) <= 0.4*sqrt(K*T)"
    with pytest.raises(SystemExit) as left:
        main(["try", line, "--effort", "tiny", "--json", "-o", str(file), "--strict"])
    assert left.value.code == 1
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["claim"], row["policy"], row["verdict"]) == (line, "moss", "refuted")
    saved = Instance.load(str(file))
    assert [str(x) for x in row["worst"]["means"]] == saved.to_json()["means"]
    assert set(row["looseness"]) == {"smallest", "median", "largest"}


@pytest.mark.parametrize(
    "line",
    [
        "regret(moss) <= 0.4*sqrt(K*T)",
        "regret(ucb-asymptotic) <= ?*sum(inf(eps in (0, gap): 1/(eps*(gap - eps))), worse)*log(T)",
        "|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta",
        "growth(thompson) <= sum(gap/kl(mu, best), worse)",
    ],
)
def test_a_report_says_what_the_screen_says(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    out, options = tmp_path / "page", ("--effort", "tiny", "--law", "bernoulli")
    with pytest.raises(SystemExit) as left:
        main(["try", line, *options, "--report", str(out), "--store", str(tmp_path / "store")])
    assert left.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    text = (out / "claim.md").read_text(encoding="utf-8")
    section = text.partition("## What was found")[2].partition("![")[0].partition("[The")[0]
    for found in section.replace("**", "").splitlines():
        assert " ".join(found.removeprefix("- ").split()) in said
    assert f"`{line}`" in text
    assert "<math" in (out / "claim.html").read_text(encoding="utf-8")
    assert Instance.load(str(out / "worst.toml")).plays == 1
    drawn = (out / "figures" / "cases.svg").exists()
    assert drawn is not line.startswith("growth")
    assert drawn is ("figures/cases.svg" in text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("regret(ucb1) <= sum(log(T)/gap)",), r"means 0.9 0.1 .*not a finite number.*worse"),
        (("regret(ucb1) <= log(T) - T",), r"horizon 10: the bound is -7.69"),
        (("regret(ucb1) <= T", "--law", "gaussian"), r"rewards in \[0, 1\]"),
        (("regret(ucb1) <= T", "--law", "cauchy"), r"--law: law: cauchy: expected one of"),
        (("regret(ucb1) <= T for K >= 100",), r"conditions that some case of the panel satisfies"),
        (("regret(ucb1) <= (3 - ?)*T",), r"the bound does not grow with \?"),
        (("growth(ucb1) <= ?",), r"an upper bound on regret"),
        (("regret(ucb1) <= T", "--horizon", "1e9"), r"--horizon"),
        (("regret(ucb1) <= T", "--report", "/dev/null/x"), r"--report: .*a directory"),
        (("9^" * 900 + "9",), r"column 1: "),
        (("x" * 10**6,), r"1,000,000 characters"),
    ],
)
def test_bad_input_is_one_line_at_once(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.process_time()
    with pytest.raises(SystemExit) as left:
        main(["try", *arguments, "--effort", "quick"])
    assert left.value.code == 2
    assert time.process_time() - started < 10
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(message, said), said


# -- the unknown constant ----------------------------------------------------------------------


@pytest.mark.parametrize("name", LEVEL_LINES)
def test_both_numbers_enclose_a_constant_that_is_known(name: str) -> None:
    effort = replace(LEVEL_EFFORT, slots=200_000)
    true, found = exact_constant(name), try_line(LEVEL_LINES[name], effort, 0).constant
    assert found is not None
    assert true / 1.6 < found["false_below"] <= true <= found["supported_from"] < 1.6 * true
    assert found["supported_from"] <= found["supported_everywhere_from"]


def test_a_constant_is_found_where_the_bound_reaches_a_number() -> None:
    theory = Theory("no results", {})
    case = AtHorizon.at(Instance(["0.9", "0.4"], [1, 1], 1), 100)
    linear = value_of(read("regret(moss) <= ?*sqrt(K*T) + 1", theory).card, case, theory)
    assert constant_for(linear, 1 + 3 * math.sqrt(200)) == pytest.approx(3)
    assert constant_for(linear, 0.5) == 0
    inside = value_of(read("regret(moss) <= sqrt(?*K*T)", theory).card, case, theory)
    assert constant_for(inside, 40) == pytest.approx(8)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("regret(moss) <= ?*sqrt(K*T)", "49 (Audibert and Bubeck 2009, Theorem 5)"),
        ("regret(moss) <= sqrt(?*K*T)", None),
        ("regret(moss) <= ?*sqrt(K*T) + sum(gap)", None),
        (
            "regret(ucb) <= 3*sum(gap) + ?*sum(log(T)/gap, worse)",
            "16 (Lattimore and Szepesvari 2020, Theorem 7.1)",
        ),
        ("regret(ucb) <= 2*sum(gap) + ?*sum(log(T)/gap, worse)", None),
        # published without the factor gap, and so false
        ("regret(alpha-ucb-subgaussian) <= sum(8*?*log(T)/gap, worse) + sum(3, worse)", None),
    ],
)
def test_a_constant_is_shown_beside_that_of_a_card(line: str, said: str | None) -> None:
    assert published(read(line, default()).card, shipped_cards()) == said


INDEXED = {
    "ucb1": lambda t, n: 2 * math.log(t),
    "ucb": lambda t, n: 4 * math.log(60),
    "ucb-asymptotic": lambda t, n: 2 * math.log(1 + (t + 1) * math.log(t + 1) ** 2),
    "alpha-ucb": lambda t, n: 1.5 * math.log(t + 1),
    "moss": lambda t, n: max(math.log(60 / (2 * n)), 0),
}


@pytest.mark.parametrize("name", INDEXED)
def test_what_makes_a_worse_arm_look_best_is_at_most_as_likely_as_is_proved(name: str) -> None:
    """Beside binomial probabilities, for one number of plays of the best arm."""
    horizon, p, q, spend = 60, 0.7, 0.3, INDEXED[name]
    coins = Instance([str(p), str(q)], [1, 1], 1)
    for share in SHARES:
        below, above = chances(find(name), coins, horizon, p - q, share)
        x = share * (p - q)
        for n in range(1, horizon):
            largest = spend(horizon - 1, n)
            heads = np.ceil(n * (p - x) - math.sqrt(largest * n) - 1e-9)
            seen = binom.sf(heads - 1, n, q)  # a mean of the worse arm whose index is so high
            if n * (p - q - x) ** 2 > largest:
                assert seen <= above[n - 1]
            for t in range(max(n, 2), horizon):
                few = np.floor(n * (p - x) - math.sqrt(spend(t, n) * n) + 1e-9)
                assert binom.cdf(few, n, p) <= below[t - 1]


@pytest.mark.parametrize(("name", "spend"), INDEXED.items())
def test_plays_beyond_a_number_are_at_most_what_is_proved(
    name: str, spend: Callable[[int, int], float]
) -> None:
    """Beside the exact law of the plays of the worse of two coins."""
    horizon, coins = 60, Instance(["0.95", "0.05"], [1, 1], 1)
    plays = plays_of_worse(spend, 0.95, 0.05, horizon)
    n = np.arange(horizon + 1)
    exact = [plays @ np.maximum(n - m, 0) for m in range(1, horizon)]
    proved = [_plays_beyond(find(name), coins, horizon, 0.9, share) for share in SHARES]
    assert np.all(exact <= np.array(proved))
    assert np.min(proved) < 1
    capped = Capped.of(find(name), coins.with_(means=["1", "0"]), 10**4)
    assert capped.most < 60
    assert capped.left_out < 0.5


def test_what_is_counted_up_to_a_cap_is_regret() -> None:
    coins = Instance(["0.9", "0.8", "0.1"], [1, 1, 1], 1)
    runs = replicate(coins, ["ucb1"], 2_000, 20, 0)["ucb1"]
    capped = Capped.of(find("ucb1"), coins, 2_000)
    regret = runs.total[:, -1]
    assert np.all(capped.lost(runs) <= regret * (1 + 1e-12))
    assert replace(capped, plays=np.full(3, 2e3), most=2e3).lost(runs) == pytest.approx(regret)
    assert Capped.of(find("thompson"), coins, 2_000).most == 1600


def test_far_arms_and_a_long_horizon_leave_the_two_numbers_close() -> None:
    line = "regret(ucb1) <= ?*sum(log(T)/gap, worse) + (1 + pi^2/3)*sum(gap)"
    found = try_line(line, replace(TINY, horizon=10_000, slots=4_000_000), 0).constant
    assert found is not None
    assert found["supported_everywhere_from"] < 1.3 * found["false_below"]


# -- the panel and the policies ----------------------------------------------------------------


def test_the_panel_has_what_it_promises() -> None:
    laws = panel.admitted(find("ucb"), None)
    assert {law.name for law in laws} == {"bernoulli", "beta", "gaussian"}
    cases = panel.regret_cases(laws, EFFORTS["quick"], None)
    assert {2, 3, 5, 10, 20} <= {case.instance.arms for case in cases}
    gaps = {
        c.horizon: c.instance.largest_regret for c in cases if c.instance.name[:8] == "near tie"
    }
    assert {t: float(g**2 * t) for t, g in gaps.items()} == pytest.approx(
        dict.fromkeys(gaps, 18), rel=0.01
    )
    assert all(case.instance.plays == 1 for case in cases)
    assert {law.name for law in panel.admitted(find("moss"), None)} == {"bernoulli", "beta"}


def twin(name: str, rewards: np.ndarray, horizon: int) -> list[int]:
    """The plays of an index policy on given rewards (one column for each arm), in plain Python."""
    arms = rewards.shape[1]
    counts, sums, played = [0] * arms, [0.0] * arms, []

    def plus(x: float) -> float:
        return max(math.log(x), 0.0)

    def spend(t: int, k: int) -> float:
        return {
            "ucb1": 2 * math.log(t),
            "alpha-ucb": 1.5 * math.log(t + 1),
            "alpha-ucb-subgaussian": 6 * math.log(t + 1),
            "ucb": 4 * math.log(horizon),
            "ucb-asymptotic": 2 * math.log(1 + (t + 1) * math.log(t + 1) ** 2),
            "moss": plus(horizon / (arms * counts[k])),
            "moss-ls": 4 * plus(horizon / (arms * counts[k])),
            "moss-anytime": 1.175 * plus(t / (arms * counts[k])),
        }[name]

    def index(t: int, k: int) -> float:
        return sums[k] / counts[k] + math.sqrt(spend(t, k) / counts[k])

    for t in range(horizon):
        arm = t if t < arms else max(range(arms), key=lambda k: (index(t, k), -k))
        sums[arm] += rewards[counts[arm], arm]
        counts[arm] += 1
        played.append(arm)
    return played


def certain(*rewards: str) -> Instance:
    """Arms that pay the same in every slot: all runs are equal."""
    return Instance(rewards, [1] * len(rewards), 1, Empirical.measured([[x] for x in rewards]))


def lost(name: str, arms: Instance, horizon: int) -> np.ndarray:
    """The regret of a run after each slot."""
    record = run_many(arms, name, horizon, np.arange(1, horizon + 1), 0, 0, 1)
    return record.regret[0].sum(axis=0)


def test_policies_of_one_file_share_what_is_compiled() -> None:
    """Compiled loops are kept on disk by the name of the file."""
    parts: dict[str, set[object]] = {}
    for name, file in CLASSIC.items():
        policy = find(name)
        parts.setdefault(file, set()).add((policy.decide, policy.learn, policy.stands))
    assert {file: found for file, found in parts.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", [*CLASSIC][:8])
def test_an_index_policy_plays_what_its_definition_says(name: str) -> None:
    """In every slot, so the slot that its logarithm is of shows."""
    arms, horizon = certain("0.9", "0.5", "0.2"), 300
    plays = twin(name, np.tile([0.9, 0.5, 0.2], (horizon, 1)), horizon)
    wanted = np.cumsum([[0.0, 0.4, 0.7][k] for k in plays])
    assert lost(name, arms, horizon) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("kl-ucb", lambda t: math.log(t - 1) + 3 * math.log(max(math.log(t - 1), 1))),
        ("kl-ucb-ls", lambda t: math.log(1 + t * math.log(t) ** 2)),
    ],
)
def test_kl_ucb_gives_the_worse_arm_what_its_budget_allows(
    name: str, budget: Callable[[int], float]
) -> None:
    """In every slot, beside a twin that finds the index by halving."""
    means, counts, plays = (0.8, 0.5), [1, 1], [0, 1]

    def index(k: int, spent: float) -> float:
        low, high = means[k], 1.0
        for _ in range(50):
            middle = (low + high) / 2
            kl = sum(
                a * math.log(a / b) for a, b in ((means[k], middle), (1 - means[k], 1 - middle))
            )
            low, high = (middle, high) if counts[k] * kl <= spent else (low, middle)
        return low

    for t in range(3, 301):
        plays.append(int(index(1, budget(t)) > index(0, budget(t))))
        counts[plays[-1]] += 1
    wanted = np.cumsum([0.3 * k for k in plays])
    assert counts[1] > 10
    assert lost(name, certain("0.8", "0.5"), 300) == pytest.approx(wanted)


def test_explore_then_commit_loses_what_two_normal_arms_say() -> None:
    """m gap, and (T - 2m) gap with probability Phi(-gap sqrt(m/2))."""
    from simulation.rewards.laws import Gaussian

    arms = Instance(["1", "0.5"], [1, 1], 1, Gaussian(Fraction(1)))
    runs = replicate(arms, [find("etc")], 100, 4000, 0)["etc"]
    wrong = 0.5 * math.erfc(0.5 * math.sqrt(10 / 2) / math.sqrt(2))
    assert runs.mean[-1] == pytest.approx(0.5 * (10 + 80 * wrong), abs=4 * runs.standard_error[-1])


def test_what_explore_then_commit_chose_stays() -> None:
    """Also where its sum of rewards falls below that of the other arm later on."""
    from simulation.rewards.laws import Gaussian

    noisy = Instance(["0.02", "0.01"], [1, 1], 1, Gaussian(Fraction(1)))
    record = run_many(noisy, "etc", 200, np.array([200]), 0, 0, 20)
    assert np.sort(record.played[:, 0], axis=1).tolist() == [[10, 190]] * 20


@pytest.mark.parametrize("name", ["thompson", "exp3"])
def test_learners_lose_less_than_half_of_what_a_coin_does(name: str) -> None:
    record = run_many(Instance(["0.9", "0.1"], [1, 1], 1), name, 2000, np.array([2000]), 0, 0, 20)
    assert 0.8 < record.regret[:, 0, -1].mean() < 400


def test_textbook_policies_refuse_what_they_do_not_serve() -> None:
    from simulation.policies import Setup, refused

    two = Instance(["0.9", "0.1", "0.1"], [1, 1, 1], 2)
    assert all("plays: 2: expected 1" in str(refused(find(name), two, 10)) for name in CLASSIC)
    setup = Setup.of(Instance(["0.9", "0.1"], [1, 1], 1), 10, "")
    for wrong, message in (("many", "a number above 0"), (2.5, "a whole number"), (0, "above 0")):
        with pytest.raises(InputError, match=message):
            find("etc").arguments(setup, {"m": wrong})


def test_other_options_leave_a_policy_the_code_that_is_shipped() -> None:
    """So it is compiled with the others, and needs no trial; other functions are not shipped."""
    other = with_options(find("etc"), {"m": 20.0})
    assert all(has_shipped_code(find(name)) for name in CLASSIC)
    assert (other.name, has_shipped_code(other), identity(other)) == (
        "etc(m=20)",
        True,
        ("etc", True),
    )
    assert has_shipped_code(
        pickle.loads((as_bytes(other) or b"").partition(b"\n")[2])
    )  # on a worker
    assert not has_shipped_code(replace(find("etc"), learn=None))
    assert not has_shipped_code(replace(find("etc"), arguments=find("exp3").arguments))


# -- files of claims ---------------------------------------------------------------------------


def test_a_theory_is_a_file_of_claims(capsys: pytest.CaptureFixture[str]) -> None:
    file, coins = (str(ROOT / "examples" / name) for name in ("textbook_claims.toml", "coins.toml"))
    wanted = ["--claim", "hoeffding", "--claim", "ucb1-planted", "--effort", "quick", "--json"]
    with pytest.raises(SystemExit) as left:
        main(["--plugin", file, "verify", coins, *wanted, "--horizon", "1e4"])
    assert left.value.code == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["claim"]: row["verdict"] for row in rows} == {
        "hoeffding": "holds",
        "ucb1-planted": "refuted",
    }


CLAIM = '[[claim]]\nid = "a"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[claim]]\nid = "a"\npolicy = "ucb1"\nbound = "sum(gapp)"',
            r"line 4, column 14: .*'gap'",
        ),
        (
            '[[claim]]\nid = "a"\npolicy = "ucb1"\nsays = "is"\nbound = "T"',
            r"says: is: expected one",
        ),
        (CLAIM + 'bond = "T"', r"claim a: bond: unknown field: .*'bound'"),
        (CLAIM + 'policy = "ucb1"\nbound = 3', r"bound: 3: expected text"),
        ('[setting]\nx = "log("', r"setting.x: column 5: the line ends"),
        ('[[policy]]\nname = "a"\nof = "etc"\nk = 2', r"policy a: k: unknown field"),
        (
            '[[claim]]\nid = "a"\npolicy = "ucb1"\nbound = "T"\nassume = ["T >"]',
            r"assume: column 4",
        ),
        ("claims = 3", r"claims: unknown field"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(SystemExit) as left:
        main(["--plugin", str(file), "claims"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(message, said), said
