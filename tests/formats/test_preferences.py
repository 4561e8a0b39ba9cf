"""CSV files of preferences: both forms, in and out, and mistakes with their line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.analyses.preferences import Prefer
from adjudge.analyses.preferences.strengths import fit_preferences
from adjudge.core.errors import DataError, UsageError
from adjudge.formats.crowd import WINNERS
from adjudge.formats.preferences import FORMS, read_preferences, side_of, write_preferences
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_left_right_winner(tmp_path: Path) -> None:
    found = read_preferences(
        written(tmp_path / "p.csv", "left,right,winner\na,b,left\nb,c,right\nc,a,tie\na,c,skip\na,b,b\n")
    )
    assert found.items == ("a", "b", "c")
    assert found.answers.first.tolist() == [0, 1, 2, 0]
    assert found.answers.second.tolist() == [1, 2, 0, 1]
    assert found.answers.won.tolist() == [1.0, 0.0, 0.5, 0.0]
    assert (found.assessors, found.topics) == ((), ())
    assert found.left_out == {"row that was skipped": 1}
    assert found.answers.who.tolist() == [-1] * 4


def test_arena_columns(tmp_path: Path) -> None:
    text = (
        "question_id,model_a,model_b,winner,judge,turn\n"
        "81,gpt,llama,model_a,expert_1,1\n82,llama,gpt,tie (bothbad),expert_2,1\n81,gpt,llama,model_b,expert_2,1\n"
    )
    found = read_preferences(written(tmp_path / "arena.csv", text))
    assert found.items == ("gpt", "llama")
    assert found.assessors == ("expert_1", "expert_2")
    assert found.topics == ("81", "82")
    assert found.answers.cluster.tolist() == [0, 1, 0]
    assert found.answers.won.tolist() == [1.0, 0.5, 0.0]


def test_weights_times_and_rows_without_an_answer(tmp_path: Path) -> None:
    rows = ["a,b,left,2.5,2024-01-01", "a,b,,1,", ",b,left,1,", "b,b,left,1,", "a,b,NA,1,", "b,a,a,,x"]
    text = "\n".join(["left,right,winner,weight,time", *rows]) + "\n"
    found = read_preferences(written(tmp_path / "p.csv", text))
    assert found.answers.weight.tolist() == [2.5, 1.0]
    assert found.times == ("2024-01-01", "x")
    assert found.left_out == {
        "row without an answer": 2,
        "row without two items": 1,
        "row that compares an item with itself": 1,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "left,right,winner\na,b,left\na,b,c\n",
            r'p\.csv:3: "winner" is "c", expected left, right, tie, skip',
        ),
        (
            "left,right,winner,weight\na,b,left,-1\n",
            r'p\.csv:2: "weight" is "-1", expected a number, 0 or more',
        ),
        ("left,right,winner,weight\na,b,left,nan\n", r'p\.csv:2: "weight" is "nan"'),
        (
            "left,winner\na,b\n",
            r'p\.csv:1: no column "right"; expected winner,loser, or a,b,winner, or model_a',
        ),
        (
            "left,right\na,b\n",
            r'p\.csv:1: no column that says who won among left, right: say columns=\{"winner": "COLUMN"\}',
        ),
        ("a,b,winner\nx,y,1\n", r'p\.csv:1: "winner" holds 1: which of the two that means cannot be told'),
        (
            "a,b,winner\nx,y,1\nx,y,0\n",
            r'p\.csv:1: "winner" holds 0, 1: which of the two that means cannot be',
        ),
        ("winner,loser,tie\nx,y,maybe\n", r'p\.csv:2: "tie" is "maybe", expected 1 or 0'),
        (
            "model_a,model_b,winner_model_a,winner_model_b\nx,y,1,1\n",
            r"p\.csv:2: several outcomes of one pair",
        ),
        ("left,right,winner\na,b\n", r"p\.csv:2: the row has 2 cells, the header 3"),
        ("left,right,winner\n", r"p\.csv: no preferences below the header"),
        ("", r"p\.csv: empty"),
    ],
)
def test_mistakes_are_one_line_with_their_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as error:
        read_preferences(written(tmp_path / "p.csv", text))
    assert "\n" not in str(error.value)


SAME = [("x", "y", 1.0), ("y", "z", 0.5), ("x", "z", 0.0)]
SHAPES = {
    "sides": "a,b,winner\nx,y,a\ny,z,tie\nx,z,b\n",
    "names": "a,b,winner\nx,y,x\ny,z,draw\nx,z,Z\n",
    "order": "winner,prompt,b,a\nA,1,y,x\nTie,2,z,y\nB,3,z,x\n",
    "numbers": "system1,system2,preferred\nx,y,1\ny,z,0\nx,z,2\n",
    "arena": "model_a,model_b,winner\nx,y,model_a\ny,z,tie (bothbad)\nx,z,model_b\n",
    "kaggle": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n7,x,y,1,0,0\n8,y,z,0,0,1\n9,x,z,0,1,0\n",
    "losers": "loser;winner;tie\ny;x;0\nz;y;1\nx;z;0\n",
    "columns": "summary_1\tsummary_2\twinner\nx\ty\tsummary_1\ny\tz\tneither\nx\tz\tsummary_2\n",
    "pipes": "left|right|winner\nx|y|left\ny|z|both bad\nx|z|right\n",
}


def answered(found: Preferences) -> list[tuple[str, str, float]]:
    """Pairs in the order of their names, and what the first of them won."""
    rows = [
        (row.left, row.right, {"left": 1.0, "right": 0.0, "tie": 0.5}[row.winner]) for row in found.rows()
    ]
    return [(a, b, won) if a < b else (b, a, 1 - won) for a, b, won in rows]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_usual_shape_says_the_same(tmp_path: Path, shape: str) -> None:
    mapped = {"left": "summary_1", "right": "summary_2"} if shape == "columns" else None
    found = read_preferences(written(tmp_path / "p.csv", SHAPES[shape]), columns=mapped)
    assert answered(found) == SAME
    assert found.sided == (shape != "losers")


def test_what_is_not_used_is_named_and_what_was_found_out_said(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "a;b;winner;prompt;turn\nx;y;a;?;1\n")
    assert read_preferences(path).notes == (
        'p.csv: read with ";" between columns',
        'p.csv: columns "prompt" and "turn" not used',
    )
    with pytest.raises(UsageError, match='columns "winer": no such field'):
        read_preferences(path, columns={"winer": "a"})
    with pytest.raises(UsageError, match='has no column "wina"'):
        read_preferences(path, columns={"winner": "wina"})


def test_winners_and_losers_say_nothing_of_sides(tmp_path: Path) -> None:
    text = "winner,loser,assessor\n" + "x,y,ann\n" * 30 + "y,x,bob\n" * 3
    given = read_preferences(written(tmp_path / "p.csv", text))
    with pytest.raises(UsageError, match="not what was shown first"):
        fit_preferences(given, Prefer(position=True))
    fitted = fit_preferences(given, Prefer(reliability=True))
    assert all(np.isnan(each.left_share) for each in fitted.assessors)
    assert not any("one-sided" in each.codes for each in fitted.assessors)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing.csv"):
        read_preferences(tmp_path / "nothing.csv")


NAMES = st.one_of(
    st.sampled_from([*WINNERS, "na", "none", "-", "A system", 'with "quotes", commas', "Ünïcode"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8),
).map(lambda name: " ".join(name.split()) or "x")
ROWS = st.lists(
    st.builds(
        PreferenceRow,
        NAMES,
        NAMES,
        st.sampled_from(["left", "right", "tie", "skip"]),
        st.sampled_from(["", "t1", "t2"]),
        st.sampled_from(["", "ann", "bob"]),
        st.sampled_from([1.0, 0.0, 0.1, 1 / 3, 7.0, 1e-9]),
        st.sampled_from(["", "2024-01-01T00:00:00Z"]),
    ).filter(lambda row: row.left != row.right),
    min_size=1,
    max_size=12,
)


def free_of_ties(row: PreferenceRow) -> bool:
    """Two names cannot use up the words for a tie; they can use up the one for skipping."""
    return row.winner != "skip" or "skip" not in (row.left, row.right)


@examples(200)
@given(ROWS, st.sampled_from(FORMS))
def test_what_is_written_reads_back(tmp_path: Path, rows: list[PreferenceRow], form: str) -> None:
    rows = [row for row in rows if free_of_ties(row)] or [PreferenceRow("a", "b", "left")]
    path = tmp_path / "p.csv"
    assert write_preferences(path, rows, form=form) == len(rows)  # type: ignore[arg-type]
    found = read_preferences(path)
    same = Preferences.of(rows)
    assert (found.items, found.assessors, found.topics) == (same.items, same.assessors, same.topics)
    assert found.times == same.times
    assert found.left_out == same.left_out
    for name in ("first", "second", "won", "weight", "who", "cluster"):
        np.testing.assert_array_equal(getattr(found.answers, name), getattr(same.answers, name))
    kept = [row for row in rows if row.winner != "skip"]
    assert list(found.rows()) == kept


def test_both_forms_word_for_word(tmp_path: Path) -> None:
    rows = [
        PreferenceRow("a", "b", "left", "t1"),
        PreferenceRow("b", "c", "tie", "t1"),
        PreferenceRow("c", "a", "right", "t2"),
    ]
    write_preferences(tmp_path / "p.csv", rows)
    assert (
        tmp_path / "p.csv"
    ).read_text() == "left,right,winner,topic\na,b,left,t1\nb,c,tie,t1\nc,a,right,t2\n"
    write_preferences(tmp_path / "p.csv", rows, form="models")
    assert (
        (tmp_path / "p.csv")
        .read_text()
        .startswith("model_a,model_b,winner,topic\na,b,model_a,t1\nb,c,tie,t1\n")
    )


def test_a_name_comes_before_a_word() -> None:
    assert side_of("right", "right", "b") == "left"
    assert side_of("right", "a", "b") == "right"
    assert side_of("b", "a", "b") == "right"
    assert side_of("B", "x", "y") == "right"
    assert side_of("c", "x", "y") is None


def test_no_word_left_for_skipping_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no word for a skip"):
        write_preferences(tmp_path / "p.csv", [PreferenceRow("skip", "b", "skip")])


def test_one_topic_alone() -> None:
    given = Preferences.of([PreferenceRow("a", "b", "left", "t1"), PreferenceRow("c", "d", "right", "t2")])
    assert given.only(["t2"]).items == ("c", "d")
    with pytest.raises(DataError, match='no answer on a topic "t3"'):
        given.only(["t3"])


def test_a_form_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="form is"):
        write_preferences(tmp_path / "p.csv", [], form="rows")  # type: ignore[arg-type]


def test_a_share_of_a_win_has_no_word() -> None:
    from adjudge.stats.preference.answers import PairAnswers

    given = Preferences(("a", "b"), PairAnswers(2, np.array([0]), np.array([1]), np.array([0.3])))
    with pytest.raises(DataError, match="only whole and half wins have a word"):
        list(given.rows())
