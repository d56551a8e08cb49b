"""Files of measurements as people have them: what is read, what is left out, what is said of it."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from boundcheck.cli import main
from boundcheck.terminal.run_init import round_above
from simulation.errors import InputError
from simulation.files.columns import MeasuredArms
from simulation.files.measurements import read_measurements
from simulation.rewards.samples import Empirical
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

EXAMPLES = Path(__file__).parents[3] / "examples"
HEADING = "time;North (Mbps);South (Mbps);West (Mbps)"
MESSY = (
    f"{HEADING}\r\n2026-03-01 00:00;120,5;;297,3\r\n2026-03-01 00:01;n/a;80,25;-\r\n"
    "2026-03-01 00:02;100;79,75;NaN\r\n"
)


def reading(folder: Path, text: str | bytes, name: str = "d.csv") -> MeasuredArms:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_measurements(folder / name)


def means(found: MeasuredArms) -> list[Fraction]:
    """Of the columns, as measured."""
    return [
        sum(Fraction(value) * n for value, n in column.items()) / sum(column.values())
        for column in found.columns
    ]


def test_semicolons_decimal_commas_gaps_and_timestamps_are_understood(tmp_path: Path) -> None:
    found = reading(tmp_path, b"\xef\xbb\xbf" + MESSY.encode())
    assert found.names == ("North", "South", "West")
    assert (found.unit, found.rows) == ("Mbps", 3)
    assert (found.used, found.left_out) == ((2, 2, 1), (1, 1, 2))
    assert means(found) == [Fraction("110.25"), 80, Fraction("297.3")]
    assert found.notes == (
        "semicolons between cells with decimal commas",
        "column 1, 'time', is kept out: time or ids",
    )


@pytest.mark.parametrize("between", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_every_separator_line_end_and_mark_reads_alike(
    tmp_path: Path, between: str, end: str, bom: bytes
) -> None:
    text = end.join(["a,b,c", "1,0.5,", ",0.25,3", ""]).replace(",", between)
    found = reading(tmp_path, bom + text.encode())
    assert found.names == ("a", "b", "c")
    assert means(found) == [1, Fraction(3, 8), 3]
    assert found.left_out == (1, 0, 1)


def test_text_of_spreadsheets_in_two_bytes_is_read(tmp_path: Path) -> None:
    found = reading(tmp_path, "a\tb\r\n0,5\t1\r\n".encode("utf-16"))
    assert (found.names, means(found)) == (("a", "b"), [Fraction(1, 2), 1])


KEPT_OUT = {
    "id,a,b\n7,1,2\n9,3,4\n": "column 1, 'id', is kept out: time or ids",
    "Timestamp (UTC),a,b\n1700000000,1,2\n1700000060,3,4\n": "kept out: time or ids",
    "when it was,a,b\n12:30,1,2\n12:31,3,4\n": "kept out: time or ids",
    "2026-01-01,1,2\n2026-01-02,3,4\n": "column 1, is kept out: time or ids",
    ",a,b\n0,1,2\n1,3,4\n2,1,2\n3,3,4\n": "column 1, is kept out: rows are numbered",
    "1,1,2\n2,3,4\n3,1,2\n4,3,4\n": "column 1, is kept out: rows are numbered",
}


@pytest.mark.parametrize("text", KEPT_OUT)
def test_a_first_column_of_times_or_ids_is_kept_out_and_said(tmp_path: Path, text: str) -> None:
    found = reading(tmp_path, text)
    assert means(found) == [2, 3]
    assert KEPT_OUT[text] in "; ".join(found.notes)


def test_dates_and_times_in_columns_of_their_own_are_kept_out(tmp_path: Path) -> None:
    found = reading(tmp_path, "date;time;101;102\n1.3.2026;12:30;5;7\n2.3.2026;12:30;7;9\n")
    assert (found.names, means(found)) == (("101", "102"), [6, 8])


@pytest.mark.parametrize(
    "text", ["1,2\n2,3\n", "a,b\n1,5\n2,5\n3,5\n4,5\n", "1,5\n2,5\n3,5\n2,5\n", "1\n2\n3\n4\n"]
)
def test_what_may_be_measured_is_an_arm(tmp_path: Path, text: str) -> None:
    found = reading(tmp_path, text)
    assert not any("kept out" in note for note in found.notes)
    rows = [line.split(",") for line in text.split() if line != "a,b"]
    expected = [Fraction(sum(map(int, column)), len(rows)) for column in zip(*rows, strict=True)]
    assert means(found) == expected


def test_units_stand_in_brackets_behind_names_or_in_a_line_below(tmp_path: Path) -> None:
    for text in (
        "North [Mbps],South [Mbps]\n1,2\n",
        '"North, Mbps","South, Mbps"\n1,2\n',
        "North_Mbps,South_Mbps\n1,2\n",
        "North,South\nMbps,Mbps\n1,2\n",
        "time,North,South\n,[Mbps],[Mbps]\n12:30,1,2\n",
    ):
        found = reading(tmp_path, text)
        assert (found.names, found.unit) == (("North", "South"), "Mbps"), text
        assert means(found) == [1, 2]
    two = reading(tmp_path, "North (Mbps),South (ms)\n1,2\n")
    assert (two.names, two.unit) == (("North (Mbps)", "South (ms)"), None)


def test_columns_may_have_different_lengths(tmp_path: Path) -> None:
    found = reading(tmp_path, "a,b,c\n1,2,3\n1,2\n3\n")
    assert (found.used, found.left_out) == ((3, 2, 1), (0, 1, 2))
    assert found.notes[-1] == "2 rows are short, from line 3 on: the cells that lack count as empty"
    ended = reading(tmp_path, "1;2;\n3;4;\n")
    assert means(ended) == [2, 3]


def test_quoted_names_may_hold_anything(tmp_path: Path) -> None:
    found = reading(tmp_path, '"a ""b"", c","two\nlines",;\n1,2,3\n')
    assert found.names == ('a "b", c', "two\nlines", ";")


WRONG = {
    "a;b\n0,5;0.5\n": "line 2, column 2: 0.5 (lines 2 and 2): expected decimal points or decimal",
    "a;b\n1.234,5;1\n": "line 2, column 1: 1.234,5",
    "a,b\n1,2\n\n# a remark\n3,4 Mbps\n": "line 5, column 2: 4 Mbps: expected a finite number",
    "12:30,1\n12:31,2\n5,3\n": "line 3, column 1: 5: expected text throughout",
    "0.1,0.2\nlow,0.3\n": "line 2, column 1: low",
    'a,b\n1,"2\n3,4\n': "line 3, column 2",
}


@pytest.mark.parametrize("text", WRONG)
def test_bad_rows_have_line_numbers(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as refused:
        reading(tmp_path, text)
    assert f"d.csv: {WRONG[text]}" in str(refused.value)


def test_latin_text_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not UTF-8: expected a CSV file in UTF-8"):
        reading(tmp_path, "M\u00fcnchen,K\u00f6ln\n1,2\n".encode("latin-1"))


# -- arrays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["<f8", ">f8", ">f4", "<f2", ">i2", "|b1", ">u8", "|i1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_bytes_and_order_read_alike(tmp_path: Path, kind: str, order: str) -> None:
    array = np.array([[1, 0, 1], [0, 0, 1]])
    np.save(tmp_path / "d.npy", np.array(array.astype(kind), order=order))
    found = read_measurements(tmp_path / "d.npy")
    assert means(found) == [Fraction(1, 2), 0, 1]
    assert found.rows == 2


def test_the_largest_whole_numbers_are_exact(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([[2**64 - 1, 0], [2**64 - 1, 2**63]], dtype=np.uint64))
    assert means(read_measurements(tmp_path / "d.npy")) == [2**64 - 1, 2**62]


def test_gaps_of_an_array_are_left_out_and_counted(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([[0.5, np.nan], [0.25, 1.0], [np.nan, np.nan]]))
    found = read_measurements(tmp_path / "d.npy")
    assert (found.used, found.left_out) == ((2, 1), (1, 2))
    assert means(found) == [Fraction(3, 8), 1]


def test_parquet_is_read_where_it_can_be_and_refused_in_one_line_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d.parquet").write_bytes(b"PAR1 no")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(InputError, match="Parquet: expected the extra `parquet`"):
            read_measurements(tmp_path / "d.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    with pytest.raises(InputError, match="expected a Parquet file"):
        read_measurements(tmp_path / "d.parquet")
    table = pyarrow.table(
        {"time": ["a", "b", "c"], "North (Mbps)": [1.5, None, 2.5], "South (Mbps)": [1, 2, 3]}
    )
    parquet.write_table(table, tmp_path / "d.parquet")
    found = read_measurements(tmp_path / "d.parquet")
    assert (found.names, found.unit) == (("North", "South"), "Mbps")
    assert (means(found), found.left_out) == ([2, 2], (1, 0))
    assert found.notes == ("column 'time' is kept out: time, ids or text",)
    many = pyarrow.table({"a": np.zeros(30_000_000, dtype=bool)})
    parquet.write_table(many, tmp_path / "d.parquet")
    with pytest.raises(InputError, match="30,000,000 rows of 1 columns: expected at most"):
        read_measurements(tmp_path / "d.parquet")


# -- init --------------------------------------------------------------------------------------


def init(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["init", *map(str, arguments)])
    return int(ended.value.code or 0)


def test_init_says_what_it_understood_on_the_screen_and_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "d.csv").write_text(MESSY, encoding="utf-8")
    assert init("--data", tmp_path / "d.csv", "-o", tmp_path / "mine.toml") == 0
    screen = capsys.readouterr().out
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    comments = "\n".join(line for line in text.split("\n") if line.startswith("#"))
    for told in (
        "3 arms and 3 rows in d.csv: North, South, West",
        "semicolons between cells with decimal commas",
        "column 1, 'time', is kept out",
        "unit of rewards: Mbps",
        "4 cells without a number",
        "scale 300: the smallest number of two digits not below the largest value, 297.3 Mbps",
        "a tighter maximum that you know makes a policy such as law-free faster: what it loses",
    ):
        assert told in screen
        assert told in comments
    for place in (screen, comments):
        (row,) = (line.strip("# ").split() for line in place.split("\n") if "110.25" in line)
        assert row == ["North", "2", "1", "100", "110.25", "120.5"]
    found = Instance.load(tmp_path / "mine.toml")
    assert (found.names, found.unit, found.warnings) == (("North", "South", "West"), "Mbps", ())
    assert found.means == (Fraction("110.25") / 300, Fraction(80, 300), Fraction("297.3") / 300)


SCALES = {"297.3": 300, "300": 300, "101": 110, "83.2": 84, "1": 1, "0": 1, "1234": 1300}
SCALES |= {"0.97": Fraction("0.97"), "0.0312": Fraction("0.032"), "99.1": 100, "1e30": 10**30}


@pytest.mark.parametrize("largest", SCALES)
def test_the_scale_is_the_smallest_round_number(largest: str) -> None:
    assert round_above(Fraction(largest)) == SCALES[largest]


def test_a_scale_of_more_than_twice_the_largest_value_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text("a,b,c\n10,20,30\n20,30,50\n", encoding="utf-8")
    told = {}
    for scale in (100, 101):
        text = (
            f'plays=1\ncapacities=[1,1,1]\n[reward]\nlaw="empirical"\nfile="d.csv"\nscale={scale}'
        )
        (tmp_path / "i.toml").write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit):
            main(["check", str(tmp_path / "i.toml")])
        told[scale] = capsys.readouterr().err
    assert told[100] == ""
    assert "reward.scale: 101: 2 times the largest value, 50: law-free loses about 4.1" in told[101]


def test_twice_the_scale_costs_law_free_about_its_square() -> None:
    """As `init` and `check` say; the loss is in the unit of the measurements."""
    trace = Instance.load(EXAMPLES / "edge-trace.toml")
    fields = trace.reward.fields()
    columns = [
        dict(zip(*pair, strict=True))
        for pair in zip(fields["values"], fields["weights"], strict=True)
    ]
    lost = {}
    for scale in (100, 200):
        law = Empirical.weighted(columns, scale)
        wide = trace.with_(means=law.means, reward=law)
        lost[scale] = scale * replicate(wide, "law-free", 10**5, 4, jobs=1)["law-free"].mean[-1]
    assert 3 < lost[200] / lost[100] < 9  # 6.5 with these seeds


def test_a_file_name_that_is_not_utf8_makes_a_file_that_is_read_again(tmp_path: Path) -> None:
    data = os.fsencode(tmp_path) + b"/d\xff.csv"
    with open(data, "w", encoding="utf-8") as file:
        file.write("a,b,c\n1,0.5,2\n3,0.25,5\n")
    out = tmp_path / "mine.toml"
    assert init("--data", os.fsdecode(data), "-o", out) == 0
    found = Instance.load(out)
    assert found.means == (Fraction(2, 5), Fraction(3, 40), Fraction(7, 10))
    assert found.reward.scale == 5
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xfe.toml")
    assert init("--data", os.fsdecode(data), "-o", odd) == 0
    assert Instance.load(odd).means == found.means
    assert init("--data", tmp_path / "mine.toml", "-o", tmp_path / "x.toml") == 2


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty", "/dev/stdin"])
def test_devices_are_no_files_of_measurements(
    device: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init("--data", device) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_devices_can_be_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text(MESSY, encoding="utf-8")
    assert init("--data", tmp_path / "d.csv", "-o", "/dev/null") == 0
    assert Path("/dev/null").is_char_device()
    capsys.readouterr()
    assert init("--data", tmp_path / "d.csv", "-o", "/dev/full") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_measurements_in_place_of_an_instance_get_the_command_that_makes_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stations.csv").write_text("a;b\n1;2\n")
    with pytest.raises(SystemExit) as ended:
        main(["bounds", str(tmp_path / "stations.csv")])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "measurements: expected an instance file; boundcheck init --data " in told
    assert told.count("\n") == 1
