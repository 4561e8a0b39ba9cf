"""adjudge mismatch: tables, a CSV file that can be tagged and read again, a page; the documentation's output."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from shutil import copytree

import pytest
from tests.analyses.mismatch_making import OTHER, UNITS, make
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, FormatError, UsageError

PAGE = (Path(__file__).parents[2] / "docs" / "mismatch.md").read_text(encoding="utf-8")
SAID = {("other", "Crashes"): 1.0, ("copy", "Engineers"): 1.0, ("copy", "Crashes"): 1.0}
run = runner(command_of("mismatch"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two mismatches: other/crashes is missed, copy/ministers credited."""
    e = make(tmp_path / "e", SAID)
    with e.store() as store:
        store.accounts.add("ben")  # who judged nothing, and may tag
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, table: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, list(table[0]))
        out.writeheader()
        out.writerows(table)


def test_the_page_shows_real_output(
    judged_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check_page: CheckPage
) -> None:
    copytree(judged_demo, tmp_path / "my-eval")
    monkeypatch.chdir(tmp_path)
    measured = "mismatch my-eval --measure"
    assert check_page("mismatch.md", measured, lambda more: run(f"my-eval --measure {more}")) == 1
    assert (
        "\n".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()[1:])
        in run("my-eval").stdout
    )


def test_a_terminal_shows_counts_and_both_texts(folder: Path) -> None:
    text = run("e").stdout
    assert "NAMS misses 1 of the 3 units that people call fully covered" in text
    assert f"topic t1, reference writer: {UNITS[1]}" in text
    assert "other: F-16S CRASH IN MID-AIR." in text
    assert "2 mismatches to tag." in text


def test_json_is_all_of_it(folder: Path) -> None:
    (found,) = json.loads(run("e --json --agree majority --measure rouge-2-recall").stdout)
    assert found["measure"] == "rouge-2-recall"
    assert found["cut_offs"]["agree"] == "majority"
    assert [(m["kind"], m["unit_text"]) for m in found["mismatches"]] == [
        ("missed", UNITS[1]),
        ("credited", UNITS[2]),
    ]
    assert list(found["tables"]) == [
        "mismatches",
        "calls",
        "mismatches-by-system",
        "tags",
    ]


def test_tags_come_from_the_csv_file_with_who_gave_them(folder: Path) -> None:
    run("e --csv tags.csv")
    table = rows(folder / "tags.csv")
    assert [row["unit_text"] for row in table] == [UNITS[1], UNITS[2]]
    assert table[0]["peer_text"] == OTHER
    table[0]["tags"], table[1]["tags"], table[1]["tagged_by"] = (
        " Style;paraphrase ;style",
        "-1 für 'nix'",
        "ben",
    )
    write(folder / "tags.csv", table)
    with pytest.raises(FormatError, match=r"tags.csv:2: tags by nobody"):
        run("e --tags tags.csv")
    done = run("e --tags tags.csv --tagged-by ann --json")
    (found,) = json.loads(done.stdout)
    assert found["tags"] == {"new": 2, "changed": 0, "taken_back": 0, "same": 0}
    assert [m["tags"] for m in found["mismatches"]] == [
        [{"assessor": "ann", "tags": ["Style", "paraphrase"]}],
        [{"assessor": "ben", "tags": ["-1 für 'nix'"]}],
    ]
    run("e --csv again.csv")
    assert [(row["tags"], row["tagged_by"]) for row in rows(folder / "again.csv")] == [
        ("Style; paraphrase", "ann"),
        ("'-1 für 'nix'", "ben"),  # no formula for a spreadsheet
    ]
    assert "2 rows were there already" in run("e --tags again.csv").stdout
    table = rows(folder / "again.csv")
    table[0]["tags"], table[1]["tags"] = "perspective", ""
    write(folder / "again.csv", table)
    text = run("e --tags again.csv").stdout
    assert "0 mismatches tagged, 1 tagged otherwise than before, tags of 1 taken back" in text
    assert re.search(r"missed +perspective +1 +1 ", text)


def test_two_people_have_a_row_each(folder: Path) -> None:
    run("e --csv tags.csv")
    table = rows(folder / "tags.csv")[:1]
    write(folder / "tags.csv", [{**table[0], "tags": "style", "tagged_by": who} for who in ("ann", "ben")])
    run("e --tags tags.csv")
    run("e --csv again.csv")
    assert [(row["tags"], row["tagged_by"]) for row in rows(folder / "again.csv")] == [
        ("style", "ann"),
        ("style", "ben"),
        ("", ""),
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"unit": "nothing"}, "tags.csv:2: nobody judged the unit nothing of writer"),
        ({"system": "nobody"}, "tags.csv:2: nobody judged the unit"),
        ({"kind": "odd"}, 'tags.csv:2: kind is "odd", expected one of: missed, credited'),
        ({"tags": "; ".join(f"t{n}" for n in range(30))}, "tags.csv:2: tags: .* is no list of 1 to 20 tags"),
        ({"length": "many"}, 'tags.csv:2: "length" is "many"'),
    ],
)
def test_a_row_that_is_wrong_changes_nothing(folder: Path, change: dict[str, str], problem: str) -> None:
    run("e --csv tags.csv")
    table = rows(folder / "tags.csv")
    write(folder / "tags.csv", [{**table[0], "tags": "style"} | change, {**table[1], "tags": "style"}])
    with pytest.raises(FormatError, match=problem):
        run("e --tags tags.csv --tagged-by ann")
    assert all(not unit.mismatch_tags for unit in adjudge.mismatch("e").mismatches)


def test_one_person_says_one_thing_of_a_mismatch(folder: Path) -> None:
    run("e --csv tags.csv")
    table = rows(folder / "tags.csv")[:1]
    write(
        folder / "tags.csv",
        [{**table[0], "tags": tag, "tagged_by": "ann"} for tag in ("style", "perspective")],
    )
    with pytest.raises(FormatError, match=r"tags.csv:3: ann tagged the same mismatch otherwise in line 2"):
        run("e --tags tags.csv")


def test_whoever_tags_must_be_known_in_a_table_as_in_the_browser(folder: Path) -> None:
    run("e --csv tags.csv")
    table = rows(folder / "tags.csv")[:1]
    write(folder / "tags.csv", [{**table[0], "tags": "style"}])
    with pytest.raises(
        DataError, match=r'no person "anna" .nearest: "ann".; add them with: adjudge people add'
    ):
        run("e --tags tags.csv --tagged-by anna")
    write(folder / "tags.csv", [{**table[0], "tags": "style", "tagged_by": "eve"}])
    with pytest.raises(DataError, match='no person "eve"'):
        run("e --tags tags.csv --tagged-by ann")
    with adjudge.open("e").store() as store:
        assert {person.id for person in store.people.all()} == {"ann", "ben"}
    assert all(not unit.mismatch_tags for unit in adjudge.mismatch("e").mismatches)


def test_a_table_that_is_another_is_refused(folder: Path) -> None:
    (folder / "x.csv").write_text("topic,tags\nt1,style\n")
    with pytest.raises(FormatError, match='no column "system"'):
        run("e --tags x.csv --tagged-by ann")


def test_handing_out(folder: Path) -> None:
    assert "2 mismatches handed out to ann" in run("e --assign ann").stdout
    (found,) = json.loads(run("e --assign ann --json --csv found.csv").stdout)
    assert len(rows(folder / "found.csv")) == 2
    assert found["assigned"] == {"tasks": 0, "there": 2, "assessors": ["ann"]}
    with pytest.raises(DataError, match="adjudge people add"):
        run("e --assign eve")


def test_the_page_is_written_with_its_tables(folder: Path) -> None:
    assert "open it in a browser" in run("e -o page").stdout
    assert sorted(path.name for path in (folder / "page").iterdir()) == [
        "calls-counts.csv",
        "index.html",
        "mismatches-by-system-counts.csv",
        "mismatches-counts.csv",
        "mismatches.csv",
        "tags-counts.csv",
    ]
    assert [row["unit_text"] for row in rows(folder / "page" / "mismatches.csv")] == [UNITS[1], UNITS[2]]


def test_calls_that_are_wrong(folder: Path) -> None:
    with pytest.raises(UsageError, match="is an evaluation"):
        run("e -o e")
    with pytest.raises(UsageError, match="give the file with --tags"):
        run("e --tagged-by ann")
    run("e --csv tags.csv")
    with pytest.raises(UsageError, match="would be written over"):
        run("e --tags tags.csv --tagged-by ann --csv tags.csv")
    with pytest.raises(UsageError, match="nams"):
        run("e --measure bleu")
    for options, problem in (
        ("--agree some", 'agree is "some"; expected one of: all, majority'),
        ("--none 0.5 --full 0.1", "none is 0.5 and full is 0.1, expected none below full"),
        ("--covered 0.1", "uncovered is 0.2 and covered is 0.1"),
        ("--level 3", "level is 3, expected a number between 0 and 1"),
        ("--without anna", 'nobody named "anna" judged .nearest: "ann"'),
    ):
        with pytest.raises(UsageError, match=problem):
            run(f"e {options}")


def test_without_an_assessor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "e", {("other", "Crashes"): (1.0, 0.0)}, assessors=("ann", "ben"))
    monkeypatch.chdir(tmp_path)
    assert [m["kind"] for m in json.loads(run("e --json").stdout)[0]["mismatches"]] == ["credited"] * 3
    (found,) = json.loads(run("e --without ben --json").stdout)
    assert [m["kind"] for m in found["mismatches"]] == ["missed"] + ["credited"] * 3
    assert found["warnings"] == ["without ben: neither their judgments nor their tags count"]


def test_latex_and_markdown(folder: Path) -> None:
    assert r"\begin{tabular}" in run("e --latex").stdout
    assert "| mismatch |" in run("e --markdown").stdout
