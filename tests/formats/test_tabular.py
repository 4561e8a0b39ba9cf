"""Parquet and JSON files as tables: of preferences and of scores, with the numbers that CSV gives."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.running import called

import adjudge
from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.formats.matrices import is_summary
from adjudge.formats.preferences import read_preferences

DUELS = pd.DataFrame(
    {
        "model_a": ["x", "y", "x", "z"] * 5,
        "model_b": ["y", "z", "z", "x"] * 5,
        "winner": ["model_a", "model_b", "model_a", "tie"] * 5,
        "conversation": [[{"role": "user"}]] * 20,
    }
)
SCORES = pd.DataFrame(
    [
        (f"t{t}", system, 0.1 * k + 0.01 * ((t * 7 + k) % 5))
        for t in range(9)
        for k, system in enumerate("xyz")
    ],
    columns=["topic", "system", "value"],
)
WRITERS = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
    "t.json": lambda frame, path: frame.to_json(path, orient="records"),
    "columns.json": lambda frame, path: frame.to_json(path),
    "t.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "t.dat": lambda frame, path: frame.to_json(path, orient="records"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_duels_are_the_same_from_every_file(name: str, tmp_path: Path) -> None:
    WRITERS[name](DUELS, tmp_path / name)
    found = adjudge.prefer(tmp_path / name).to_frame()
    pd.testing.assert_frame_equal(found, adjudge.prefer(DUELS).to_frame())
    assert read_preferences(tmp_path / name).notes[-1].endswith('column "conversation" not used')


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("wide", [False, True])
def test_scores_are_the_same_from_every_file(name: str, wide: bool, tmp_path: Path) -> None:
    frame = SCORES.pivot(index="topic", columns="system", values="value").reset_index() if wide else SCORES
    WRITERS[name](frame, tmp_path / name)
    found = adjudge.compare(tmp_path / name)
    assert found.measure == ("t.dat" if name == "t.dat" else name.partition(".")[0])
    assert [s.mean for s in found.standings] == pytest.approx(
        [s.mean for s in adjudge.compare(SCORES).standings]
    )


def test_what_import_offers_for_such_files_works(tmp_path: Path) -> None:
    for frame, command in ((DUELS, ("prefer", "fit")), (SCORES, ("compare",))):
        for name in ("t.parquet", "t.json"):
            WRITERS[name](frame, tmp_path / name)
            said = called(tmp_path, "import", name, "e")
            assert said.returncode == 2
            assert f"`adjudge {' '.join(command)} {name}`" in said.stderr
            assert called(tmp_path, *command, name).returncode == 0


def test_options_of_text_are_refused_for_what_is_none(tmp_path: Path) -> None:
    WRITERS["t.json"](SCORES, tmp_path / "t.json")
    assert "is for a table of text" in called(tmp_path, "compare", "t.json", "--delimiter", ";").stderr
    WRITERS["t.parquet"](DUELS, tmp_path / "t.parquet")
    with pytest.raises(UsageError, match="is for a table of text"):
        read_preferences(tmp_path / "t.parquet", delimiter=";")


def test_an_empty_array_and_a_pointer_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text("[]")
    with pytest.raises(FormatError, match="no records"):
        adjudge.compare(tmp_path / "none.json")
    for name in ("big.parquet", "big.csv"):
        (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
        for words in (("compare", name), ("import", name, "e"), ("prefer", "fit", name)):
            said = called(tmp_path, *words)
            assert said.returncode in (1, 2)
            assert "git lfs pull" in said.stderr


def test_messages_in_python_name_arguments() -> None:
    with pytest.raises(DataError, match=r'columns=\{"winner": "COLUMN".*: adjudge.compare$') as error:
        adjudge.prefer(pd.DataFrame({"p": ["x"], "q": ["y"]}))
    assert "--map" not in str(error.value)
    both = pd.concat([SCORES.assign(measure="m"), SCORES.assign(measure="n")])
    with pytest.raises(UsageError, match='choose one with measure="..."'):
        adjudge.compare(both)
    wide = SCORES.pivot(index="topic", columns="system", values="value").astype(object)
    wide.loc["t3", "y"] = "hey"
    with pytest.raises(DataError, match='row 4 of column "y" .*"hey"'):
        adjudge.compare(wide)
    for name, value in (("alpha", "x"), ("level", [1]), ("margin", "wide"), ("seed", "s")):
        with pytest.raises(UsageError, match=f"{name} is .*expected a (whole )?number"):
            adjudge.compare(SCORES, **{name: value})  # type: ignore[arg-type]


def test_sides_may_be_named_a_and_b(tmp_path: Path) -> None:
    DUELS.rename(columns={"model_a": "p", "model_b": "q"}).replace({"model_a": "p", "model_b": "q"}).to_csv(
        tmp_path / "d.csv", index=False
    )
    named = adjudge.prefer(tmp_path / "d.csv", columns={"a": "p", "b": "q"}).to_frame()
    pd.testing.assert_frame_equal(named, adjudge.prefer(DUELS).to_frame())


@pytest.mark.parametrize(
    "name", ["Avg.", "mean:", "macro-avg", "Macro Average", "MICRO_AVG", "median", "std. dev.", "SD"]
)
def test_rows_named_for_what_sums_up_are_known(name: str) -> None:
    assert is_summary(name)
    assert not is_summary(f"{name} 7")


def test_imported_scores_are_enough_for_check(tmp_path: Path) -> None:
    WRITERS["t.csv"](SCORES, tmp_path / "t.csv")
    assert called(tmp_path, "import", "scores", "t.csv", "e").returncode == 0
    assert called(tmp_path, "check", "e").returncode == 0


def test_objects_of_texts_are_asked_about_and_the_answers_can_be_typed(tmp_path: Path) -> None:
    rows = [
        {
            "document": f"Document {k} tells of many things.",
            "summaries": {"gpt": f"One text {k} here.", "t5": f"Other text {k} there."},
            "highlights": f"The reference {k} is good.",
        }
        for k in range(3)
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "t.parquet")
    said = called(tmp_path, "import", "t.parquet", "e").stderr
    ways = [words.split()[1:] for words in re.findall(r"`(adjudge import [^`]+)`", said)]
    assert [way[-1] for way in ways] == ["reference=highlights", "reference=highlights"]
    assert "outputs=summaries" in ways[0]
    assert called(tmp_path, *ways[0]).returncode == 0
    collection = adjudge.open(tmp_path / "e").collection
    assert {s.system for topic in collection.topics for s in collection.peers(topic)} == {"gpt", "t5"}


def test_an_object_with_the_text_and_whose_it_is_is_no_column_of_texts(tmp_path: Path) -> None:
    rows = [
        {"id": k, "article": f"An article {k}.", "summary": {"model": "gpt", "text": f"A {k}."}}
        for k in range(3)
    ]
    pd.DataFrame(rows).to_json(tmp_path / "t.json", orient="records")
    said = called(tmp_path, "import", "t.json", "e").stderr
    assert '"summary" holds objects of model, text' in said
    assert "into columns of their own" in said
