"""What a table's own bytes tell, whatever it is called: packing, encoding, delimiter, decimal comma, Excel."""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.core.table import csv_safe
from adjudge.data.incoming import Remark
from adjudge.data.lines import read_json_lines
from adjudge.data.scores import Score
from adjudge.formats.files import read_cells
from adjudge.formats.numbers import number_of, tells_decimal
from adjudge.formats.scoretable import read as read_scores

ROWS = [["topic", "a", "b"], ["d1", "0.5", "12.25"], ["d2", "-1", "0.125"]]


def text_of(rows: list[list[str]], delimiter: str) -> str:
    return "".join(delimiter.join(row) + "\n" for row in rows)


def cells_of(path: Path, **options: str) -> tuple[list[list[str]], tuple[str, ...]]:
    header, rows, found, _ = read_cells(path, **options)  # type: ignore[arg-type]
    return [header, *(row for _, row in rows)], found


def scores_of(path: Path, **options: str) -> tuple[dict[tuple[str, str], float], list[str]]:
    """The numbers of a table of scores, and what was said of it."""
    scores, said = {}, []
    for _, thing in read_scores([path], **options):  # type: ignore[arg-type]
        if isinstance(thing, Score):
            scores[thing.topic, thing.system] = thing.value
        elif isinstance(thing, Remark):
            said.append(thing.reason)
    return scores, said


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a", "a.data"])
@pytest.mark.parametrize(
    ("delimiter", "called"), [(",", '","'), (";", '";"'), ("\t", "tab"), ("|", '"|"')], ids=lambda x: x
)
def test_the_delimiter_is_found_out_and_said(tmp_path: Path, name: str, delimiter: str, called: str) -> None:
    path = tmp_path / name
    path.write_text(text_of(ROWS, delimiter), encoding="utf-8")
    usual = "\t" if name == "a.tsv" else ","
    said = () if delimiter == usual else (f"with {called} between columns",)
    assert cells_of(path) == (ROWS, said)
    assert cells_of(path, delimiter=delimiter) == (ROWS, ())


def test_a_wrong_delimiter_is_answered_with_the_one_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for right, wrong in ((";", ","), (",", ";"), ("\t", "|"), ("|", "tab"), (",", ":")):
        path.write_text(text_of(ROWS, right), encoding="utf-8")
        named = "tab" if right == "\t" else f'"{right}"'
        with pytest.raises(UsageError) as caught:
            read_cells(path, delimiter=wrong)
        assert str(caught.value).endswith(f"say delimiter={named}")


def test_delimiters_in_texts_do_not_mislead(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [["topic", "text"], ["d1", "one; two; three"], ["d2", "one | two\tthree"], ["d3", "a; b"]]
    path.write_text(text_of(rows, ","), encoding="utf-8")
    assert cells_of(path) == (rows, ())
    semi = [["topic", "text"], ["d1", "one, two, three"], ["d2", "four"], ["d3", "five, six"]]
    path.write_text(text_of(semi, ";"), encoding="utf-8")
    assert cells_of(path) == (semi, ('with ";" between columns',))
    path.write_text('topic;text\nd1;"one; two\nand, three"\nd2;x\n', encoding="utf-8")
    assert cells_of(path)[0] == [["topic", "text"], ["d1", "one; two\nand, three"], ["d2", "x"]]


def test_one_column_is_one_column(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\nno more\n", encoding="utf-8")
    assert cells_of(path) == ([["text"], ["no more"]], ())
    path.write_text("text; of a system\none\ntwo\n", encoding="utf-8")
    with pytest.raises(FormatError, match='a.csv:1: one column, named "text; of a system": if ";" stands'):
        read_cells(path)


def test_excels_line_that_names_the_delimiter_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for line in ("sep=;\r\n", '"sep=;"\n'):
        path.write_text(line + text_of(ROWS, ";"), encoding="utf-8", newline="")
        assert cells_of(path) == (ROWS, ('with ";" between columns',))
    path.write_text("sep=;\ntopic;a\nd1;0.5\nd2\n", encoding="utf-8")
    with pytest.raises(FormatError, match="a.csv:4: the row has 1 cells"):
        list(read_cells(path).rows)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-8"])
def test_unicode_is_known_by_its_first_bytes(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    rows = [["topic", "a", "b"], ["dé1", "0.5", "Ж"], ["d2", "x", "y"]]
    path.write_text(text_of(rows, ","), encoding=encoding)
    plain = encoding.startswith("utf-8")
    assert cells_of(path) == (rows, () if plain else (f"as {encoding.upper()}",))
    if not plain:
        assert cells_of(path, encoding=encoding) == (rows, ())
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "é"}\n', encoding=encoding)
    assert list(read_json_lines(path)) == [(1, {"a": "é"})]


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("topic,a\nd1,0.5\n".encode("utf-16")[:-1])
    with pytest.raises(FormatError, match="a.csv: cannot be read: this is not utf-16"):
        list(read_cells(path).rows)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "plain": bytes,
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv.zst", "a"])
def test_packing_is_known_by_its_first_bytes(tmp_path: Path, packer: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PACKERS[packer](text_of(ROWS, ",").encode()))
    assert cells_of(path) == (ROWS, ())


def test_what_is_no_table_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("scores.csv", "topic,a\n")
    for raw, said in (
        (b"PAR1....", "is a Parquet file, expected a table"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "save it as .xlsx or CSV"),
        (b"%PDF-1.7", "a PDF file"),
        (packed.getvalue(), "is a ZIP archive and no .xlsx: unpack it"),
        (b"PK\3\4 cut off", "cannot be read as .xlsx"),
    ):
        path.write_bytes(raw)
        with pytest.raises(FormatError) as caught:
            read_cells(path)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


# Excel


def test_a_workbook_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    openpyxl = importlib.import_module("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["topic", "a", "b", None])
    sheet.append([1, 0.5, 3.0, None])
    sheet.append([None, None, None, None])
    sheet.append(["d2", None, "#N/A", None])
    sheet.append([None, None, None, None])
    for name, said in (("a.xlsx", ()), ("a.csv", ("as an Excel workbook",))):
        book.save(tmp_path / name)
        assert cells_of(tmp_path / name) == (
            [["topic", "a", "b"], ["1", "0.5", "3"], ["d2", "", "#N/A"]],
            said,
        )
        rows = list(read_cells(tmp_path / name, blank=True).rows)
        assert rows == [(2, ["1", "0.5", "3"]), (3, []), (4, ["d2", "", "#N/A"])]
    scores, _ = scores_of(tmp_path / "a.xlsx")
    assert scores["1", "a"] == 0.5
    assert scores["d2", "b"] != scores["d2", "b"]
    book.create_sheet("more").append(["x"])
    book.save(tmp_path / "a.xlsx")
    assert read_cells(tmp_path / "a.xlsx").findings == ('from its sheet "Sheet", not "more"',)
    whole = (tmp_path / "a.xlsx").read_bytes()
    (tmp_path / "a.xlsx").write_bytes(whole.replace(b"<", b"!"))
    with pytest.raises(AdjudgeError):
        read_cells(tmp_path / "a.xlsx")


def test_excel_explains_itself_when_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.csv", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(UsageError, match=r'need an extra: pip install "adjudge\[excel\]"; or save it as CSV'):
        read_cells(tmp_path / "a.csv")


# Numbers


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *[(text, ".") for text in ("0.5", "1,234.5", "1,234,567", "1.234")],
        *[(text, ",") for text in ("0,5", "0,123", "1,2345", "1.234,5", "1.234.567", "-,5", "1,5e-3")],
        *[(text, "?") for text in ("1,234", "12,345", "-123,456")],
        *[(text, None) for text in ("1", "1e-3", "x", "", "a,b", "1,23,4")],
    ],
)
def test_what_a_cell_tells(text: str, told: str | None) -> None:
    assert tells_decimal(text) == told


def test_numbers_by_their_sign() -> None:
    assert number_of("1,234", ".") is None
    assert number_of("1,234", ".", grouped=True) == 1234
    assert number_of("1,234", ",") == 1.234
    assert number_of("1,234.5", ".") == 1234.5
    assert number_of("1.234,5", ",") == 1234.5
    assert number_of("1.5", ",", grouped=True) is None
    assert number_of("0,5", ".") is None
    assert number_of("1e400") is None


def test_decimal_commas_are_found_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic;a;b\nd1;1,234;2\nd2;0,5;\n", encoding="utf-8")
    scores, said = scores_of(path)
    assert [scores["d1", "a"], scores["d1", "b"], scores["d2", "a"]] == [1.234, 2.0, 0.5]
    assert said == ['read with ";" between columns, with decimal commas']
    path.write_text('topic,system,value\nd1,a,"0,5"\nd1,"b,c",1\n', encoding="utf-8")
    assert scores_of(path) == ({("d1", "a"): 0.5, ("d1", "b,c"): 1.0}, ["read with decimal commas"])
    path.write_text("topic;system;value\nd1;a;7\n", encoding="utf-8")
    assert scores_of(path)[1] == ['read with ";" between columns']


def test_what_may_be_two_numbers_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic;a;b\nd1;1,234;2\nd2;5,678;\n", encoding="utf-8")
    with pytest.raises(UsageError, match='"1,234" is 1.234 or 1234: say which with decimal='):
        scores_of(path)
    assert scores_of(path, decimal=",")[0]["d1", "a"] == 1.234
    assert scores_of(path, decimal=".")[0]["d1", "a"] == 1234
    path.write_text("topic;a;b\nd1;0.5;2\nd2;5,6;\n", encoding="utf-8")
    with pytest.raises(
        FormatError, match='a.csv:3: "a" is "5,6", expected a number with a decimal point, as'
    ):
        scores_of(path)
    path.write_text("topic;a;b\nd1;0.5;2\nd2;5,678;\n", encoding="utf-8")
    with pytest.raises(FormatError, match='as others here; if it is a thousand or more, say decimal="."'):
        scores_of(path)
    assert scores_of(path, decimal=".")[0]["d2", "a"] == 5678
    with pytest.raises(UsageError, match='decimal is "x", expected . or ,'):
        scores_of(path, decimal="x")


def test_a_decimal_comma_far_below_is_found_out_too(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic;a\n" + "".join(f"d{k};{k}\n" for k in range(300)) + "x;0,5\n", encoding="utf-8")
    scores, said = scores_of(path)
    assert scores["x", "a"] == 0.5
    assert said == ['read with ";" between columns', "read with decimal commas"]


def test_spaces_after_commas_and_a_first_column_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic, system, score\nd1, A, 0.5\n", encoding="utf-8")
    assert scores_of(path)[0] == {("d1", "A"): 0.5}
    path.write_text("A,B,C\nd1,1,2,3\n", encoding="utf-8")
    with pytest.raises(FormatError, match="has the first column no name?"):
        scores_of(path)
    path.write_text("winner,loser\nA,B\n", encoding="utf-8")
    with pytest.raises(FormatError, match="tells who won, and holds no scores; say: adjudge prefer fit"):
        scores_of(path)


def test_decimal_commas_between_commas_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("topic,a,b\nd1,0,5,0,6\nd2,0,7,0,8\n", encoding="utf-8")
    with pytest.raises(
        FormatError, match="a.csv:2: the row has 5 cells, the header 3: are there decimal commas"
    ):
        scores_of(path)


NAMES = st.text(st.sampled_from('abcxyzäЖ.;,|-"'), min_size=1, max_size=6).map(lambda text: f"m{text}n")
VALUES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 6)) | st.none()


@examples(60)
@given(
    systems=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    values=st.lists(st.lists(VALUES, min_size=4, max_size=4), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t|"),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
    packer=st.sampled_from(sorted(PACKERS)),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_reads_equal_however_it_is_written(
    tmp_path_factory: pytest.TempPathFactory,
    systems: list[str],
    values: list[list[float | None]],
    delimiter: str,
    decimal: str,
    encoding: str,
    packer: str,
    end: str,
) -> None:
    """What may be either is asked, and read with the option; everything else is found out."""
    numbers = [["" if v is None else repr(v) for v in row[: len(systems)]] for row in values]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(["topic", *map(csv_safe, systems)])
    for k, row in enumerate(numbers):
        writer.writerow([f"d{k}", *(text.replace(".", decimal) for text in row)])
    path = tmp_path_factory.mktemp("tables") / "scores.csv"
    path.write_bytes(PACKERS[packer](out.getvalue().encode(encoding)))
    wanted = {
        (f"d{k}", s): value for k, row in enumerate(values) for s, value in zip(systems, row, strict=False)
    }

    def same(found: dict[tuple[str, str], float]) -> bool:
        return found.keys() == wanted.keys() and all(
            value == wanted[key] or (value != value and wanted[key] is None) for key, value in found.items()
        )

    given_it = {"decimal": decimal, "delimiter": delimiter}
    assert same(scores_of(path, **given_it)[0])
    told = {tells_decimal(text.replace(".", decimal)) for row in numbers for text in row} - {None}
    try:
        found, _ = scores_of(path)
    except UsageError as error:
        if "may each stand between columns" in str(error):
            assert any(sign in "".join(systems) for sign in ",;|")
        else:
            assert "decimal" in str(error)
            assert told == {"?"}
    else:
        assert same(found)
