"""What ROUGE-1.5.5 printed, as scores."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.data.scores import MeasureInfo, Score
from adjudge.errors import AdjudgeError
from adjudge.evaluation import Evaluation
from adjudge.formats.rouge155 import AVERAGE, COUNTS, OTHER, read_output

from .shapes import Attempt, Imported, Refused, Write, reasons, things

OUTPUT = """---------------------------------------------
17 ROUGE-2 Average_R: 0.08958 (95%-conf.int. 0.08484 - 0.09473)
17 ROUGE-2 Average_P: 0.08958 (95%-conf.int. 0.08484 - 0.09473)
.............................................
17 ROUGE-2 Eval D0601.M.250.A-B.17 R:0.10000 P:0.20000 F:0.13333
17 ROUGE-2 Eval D0601.M.250.A-C.17 R:0.30000 P:0.20000 F:0.24000
---------------------------------------------
my system ROUGE-SU4 Eval 1.my system R:1.00000 P:0.00000 F:0.00000
"""


def test_eval_lines_are_scores_and_averages_are_counted(write: Write) -> None:
    items = list(read_output([write("out.txt", OUTPUT)]))
    scores = [thing for thing in things(items) if isinstance(thing, Score)]
    assert scores[:4] == [
        Score("rouge155:ROUGE-2_R", "D0601", "17", 0.1, length=250, reference="without B"),
        Score("rouge155:ROUGE-2_P", "D0601", "17", 0.2, length=250, reference="without B"),
        Score("rouge155:ROUGE-2_F", "D0601", "17", 0.13333, length=250, reference="without B"),
        Score("rouge155:ROUGE-2_R", "D0601", "17", 0.3, length=250, reference="without C"),
    ]
    assert scores[6] == Score("rouge155:ROUGE-SU4_R", "1", "my system", 1.0)
    assert reasons(items) == [AVERAGE.reason] * 2
    infos = [thing for thing in things(items) if isinstance(thing, MeasureInfo)]
    assert infos[0].measure == "rouge155:ROUGE-2_R"
    assert len(infos) == 6


def test_a_matrix_averages_over_who_was_left_out(write: Write, imported: Imported, tmp_path: Path) -> None:
    report = imported(read_output([write("out.txt", OUTPUT)]))
    assert report.scores["rouge155:ROUGE-2_R"] == 2
    matrix = Evaluation.open(tmp_path / "my-eval").scores().matrix("rouge155:ROUGE-2_R")
    assert float(matrix.values[list(matrix.topics).index("D0601"), list(matrix.systems).index("17")]) == 0.2


def test_counts_are_no_scores(write: Write) -> None:
    text = (
        "17 ROUGE-1 M_count: 12 P_count: 11 H_count: 5\n"
        "17 ROUGE-1 Eval 1.17 R:12 P:11 F:5\n17 ROUGE-W-1.2 Eval 1.17 R:0 P:1 F:0.5\n"
    )
    items = list(read_output([write("out.txt", text)]))
    assert reasons(items) == [COUNTS.reason] * 3
    assert len(items) == 3


def test_other_lines_are_counted_and_other_files_refused(write: Write, refused: Refused) -> None:
    assert reasons(read_output([write("out.txt", "running ...\n" + OUTPUT)])).count(OTHER.reason) == 1
    assert "no line of ROUGE-1.5.5's output" in refused(read_output([write("x.txt", "Hello there.\n")]))
    assert reasons(read_output([write("e.txt", "")])) == ["file without records"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("17 ROUGE-1 Eval 1.18 R:0.1 P:0.1 F:0.1", "does not end with the peer's ID, expected EVAL.17"),
        ("17 ROUGE-1 Eval 1.17 R:x P:0.1 F:0.1", 'R is "x", expected a number'),
    ],
)
def test_mistakes(line: str, expected: str, write: Write, refused: Refused) -> None:
    message = refused(read_output([write("out.txt", line + "\n")]))
    assert message.startswith("out.txt:1: ")
    assert expected in message


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_broken_output_imports_or_ends_in_one_line(data: st.DataObject, attempt: Attempt) -> None:
    raw = bytearray(OUTPUT.encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "out.txt"
        path.write_bytes(bytes(raw))
        result = attempt(Path(name) / "e", read_output([path]))  # one line, and nothing changed
        assert isinstance(result, AdjudgeError) or set(result.scores) | set(result.left_out)
