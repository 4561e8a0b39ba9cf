"""Scores from a folder and from a bare file come out the same; what cannot be read is one line."""

from __future__ import annotations

import gzip
import io
import itertools
import math
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved
from tests.properties import examples

import adjudge
from adjudge.analyses.scores import Scores
from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.rows import Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score, ScoreTable
from adjudge.data.target import Target
from adjudge.evaluation import Evaluation
from adjudge.formats import scoretable
from adjudge.formats.numbers import MISSING

PAGE = Path(__file__).parents[2] / "docs" / "score-tables.md"

MATRIX = "topic,lead,ours,H1,H2\nd1,0.1,0.2,0.5,\nd2,0.3,0.1,,0.6\nd3,0.2,0.4,,\n"
LONG = """\
measure,topic,system,value,kind,assessor,length,note
coverage,d1,ours,0.5,machine,ann,100,x
coverage,d1,ours,0.7,machine,bob,100,x
coverage,d1,lead,0.1,baseline,ann,100,
coverage,d1,Eve,0.9,human,,100,
ter,d1,ours,3,machine,,,
ter,d1,Eve,1,human,,,
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def file(name: str, content: str) -> Path:
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return file


Write = Callable[[str, str], Path]


# Files


def test_a_matrix(write: Write) -> None:
    data = adjudge.read_scores(write("rouge-2.csv", MATRIX), human="H*", baseline="lead")
    assert (data.name, data.measures) == ("rouge-2.csv", ("rouge-2",))
    assert data.kinds == {"lead": "baseline", "ours": "machine", "H1": "human", "H2": "human"}
    found = data.matrix()
    assert (found.topics, found.systems) == (("d1", "d2", "d3"), ("H1", "H2", "lead", "ours"))
    expected = [[0.5, math.nan, 0.1, 0.2], [math.nan, 0.6, 0.3, 0.1], [math.nan, math.nan, 0.2, 0.4]]
    np.testing.assert_array_equal(found.values, expected)
    assert found.missing[0] == ("d1", "H2", "missing in rouge-2.csv")
    assert found.info.signature == "rouge-2|imported|file:rouge-2.csv"
    assert found.info.better == "higher"
    assert data.notes("rouge-2") == []


def test_a_long_table(write: Write) -> None:
    data = adjudge.read_scores(write("s.csv", LONG), lower_is_better=["ter"])
    assert data.measures == ("coverage", "ter")
    assert data.kinds == {"ours": "machine", "lead": "baseline", "Eve": "human"}
    found = data.matrix("coverage", length=100)
    assert found.systems == ("Eve", "lead", "ours")
    assert found.values.tolist() == [[0.9, 0.1, 0.6]]
    assert found.counts.tolist() == [[1, 1, 2]]
    assert (found.info.better, data.table.info["ter"].better) == ("higher", "lower")
    assert data.notes("coverage") == data.notes("ter") == ['s.csv: column "note" not used']
    assert data.resolve() == "coverage"  # people's
    nobody = adjudge.read_scores(write("s.csv", LONG.replace(",ann,", ",,").replace(",bob,100", ",,50")))
    several = r"s.csv has several measures \(coverage and ter\): choose one with "
    with pytest.raises(UsageError, match=rf'^{several}measure="\.\.\."$') as refused:
        nobody.matrix()
    assert re.fullmatch(f"{several}-m", spoken(refused.value.text, "command"))
    with pytest.raises(
        UsageError, match='s.csv has no scores of "coverag" \\(nearest: "coverage"\\); it has'
    ):
        data.matrix("coverag")


def test_options_of_a_table(write: Write) -> None:
    path = write("m.txt", "id;a;b\nd1;1;2\n")
    data = adjudge.read_scores(path, delimiter=";", measure="TER", lower_is_better=True, length=50)
    assert (data.measures, data.table.lengths("TER"), data.table.info["TER"].better) == (
        ("TER",),
        (50,),
        "lower",
    )
    mapped = write("p.tsv", "peer\teval\trecall\nM1\td1\t0.5\n")
    columns = {"system": "peer", "topic": "eval", "value": "recall"}
    assert adjudge.read_scores(mapped, columns=columns).matrix().values.tolist() == [[0.5]]
    latin = mapped.parent / "l.csv"
    latin.write_bytes("topic,a\nd\xe9,1\n".encode("latin-1"))
    assert adjudge.read_scores(latin, encoding="latin-1").matrix().topics == ("dé",)
    odd = write("q.csv", 'topic,"a"b\nd1,1\n')
    assert adjudge.read_scores(odd, quotes=False).matrix().systems == ('"a"b',)
    packed = mapped.parent / "rouge-2.csv.gz"
    packed.write_bytes(gzip.compress(MATRIX.encode()))
    assert adjudge.read_scores(packed).measures == ("rouge-2",)
    bare = write("table", MATRIX)
    assert adjudge.read_scores(bare).measures == ("table",)


@examples(50)
@given(
    st.dictionaries(
        st.tuples(
            st.sampled_from(["rouge-2", "imported:x", "a b"]),
            st.sampled_from(["d1", "d2"]),
            st.sampled_from(["s", "t"]),
            st.sampled_from([None, 10, 100]),
            st.sampled_from([None, "extract"]),
            st.sampled_from([None, "ann"]),
            st.sampled_from([None, "A", "B"]),
            st.integers(0, 2),
        ),
        st.floats(-1e300, 1e300) | st.just(math.nan),
        min_size=1,
        max_size=20,
    )
)
def test_what_is_exported_reads_back_the_same(cells: dict[Any, float]) -> None:
    rows = [
        Score(
            m, t, s, value, length, form, assessor, reference, repeat, "lost" if math.isnan(value) else None
        )
        for (m, t, s, length, form, assessor, reference, repeat), value in cells.items()
    ]
    if all(math.isnan(row.value) for row in rows):
        rows = [*rows, Score("rouge-2", "d9", "s", 1.0)]
    frame = pd.DataFrame(
        {name: [getattr(r, name) for r in rows] for name in ("topic", "system", "measure", "value")}
    )
    for name in ("length", "form", "assessor", "reference", "repeat", "why"):
        frame[name] = pd.array([getattr(r, name) for r in rows], dtype="object")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        frame.to_csv(path, index=False)
        read = list(Scores.read(path).table.rows())
    assert [repr(row) for row in read] == [repr(row) for row in rows]


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input(monkeypatch: pytest.MonkeyPatch, approved: Approved) -> None:
    stdin(monkeypatch, MATRIX)
    data = adjudge.read_scores("-", human=["H1,H2"])
    assert (data.name, data.measures) == ("stdin", ("stdin",))
    assert data.matrix().missing[0] == ("d1", "H2", "missing in stdin")
    assert data.matrix().info.signature == "stdin|imported|file:stdin"
    stdin(monkeypatch, LONG)
    approved(adjudge.read_scores("-").notes("coverage"))
    stdin(monkeypatch, "topic,a\nd1,x\n")
    with pytest.raises(
        DataError, match='^stdin:2: "a" is "x", expected a number, or nothing, nan or NA where there is none$'
    ):
        adjudge.read_scores("-")
    stdin(monkeypatch, LONG)
    with pytest.raises(UsageError, match='does not, but stdin has a column "measure"'):
        adjudge.read_scores("-", measure="m")
    stdin(monkeypatch, "")
    with pytest.raises(DataError, match="^stdin: empty, expected a header line$"):
        adjudge.read_scores("-")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("m.csv", "", "m.csv: empty, expected a header line"),
        ("m.csv", "topic,a\n", "m.csv: a header without rows: no scores"),
        ("m.csv", "topic,a\nd1,NA\nd2,\n", "m.csv: no numbers: every score is missing"),
        ("m.csv", "topic,a\nd1,good\n", 'm.csv:2: "a" is "good", expected a number'),
        (
            "m.csv",
            "a summary of the storm\n",
            'm.csv:1: one column only, "a summary of the storm", expected a matrix',
        ),
        (
            "m.csv",
            "topic,a\nd1,1\nd2,1\nd1,2\n",
            "m.csv:4: two scores of measure m, topic d1, system a (lines 2 and 4): leave one of the rows out, or tell"
            " them apart by a column assessor, repeat, reference, length or form",
        ),
        (
            "m.csv",
            "topic,system,value,kind\nd1,a,1,human\nd2,a,1,machine\n",
            'm.csv:3: system "a" is a machine here and a human above',
        ),
        ("m.xlsx", "PK\3\4", "m.xlsx: cannot be read as .xlsx: File is not a zip file"),
        ("m.jsonl", '{"topic": "d1"}', 'm.jsonl: one column only, "topic", expected a matrix'),
        (
            "m.jsonl",
            '{"topic": "d1", "summary": "Rain."}',
            "texts come in with: adjudge import m.jsonl my-eval",
        ),
        ("m.txt", "nothing\n", 'm.txt:1: one column only, "nothing", expected a matrix'),
        ("m.parquet", "PAR", "m.parquet: not a score file"),
    ],
)
def test_what_is_no_table_of_scores_is_one_line(write: Write, name: str, content: str, expected: str) -> None:
    path = write(name, content)
    with pytest.raises(DataError) as caught:
        adjudge.read_scores(path)
    message = str(caught.value)
    assert expected in message
    assert message.startswith(str(path))
    assert "\n" not in message


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="my-evl: no such file or folder"):
        adjudge.read_scores(tmp_path / "my-evl")
    with pytest.raises(DataError, match="cannot be read|no such file"):
        adjudge.read_scores(tmp_path / ("x" * 5000))
    with pytest.raises(DataError, match="no evaluation here"):
        adjudge.read_scores(tmp_path)
    with pytest.raises(DataError, match="is a folder, expected a file of scores"):
        Scores.read(tmp_path)


# Kinds


@pytest.mark.parametrize(
    ("human", "expected"),
    [
        ((), []),
        ("", []),
        ("H*", ["H1", "H2"]),
        ("H?", ["H1", "H2"]),
        ("H1, H2", ["H1", "H2"]),
        (["H1", "ref[1]"], ["H1", "ref[1]"]),
        ("[hr]*", ["h", "ref[1]"]),
        ("h", ["h"]),
    ],
)
def test_patterns_name_the_humans(write: Write, human: Any, expected: list[str]) -> None:
    path = write("m.csv", "topic,lead,H1,H2,h,ref[1]\nd1,1,2,3,4,5\n")
    kinds = adjudge.read_scores(path, human=human).kinds
    assert [system for system, kind in kinds.items() if kind == "human"] == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"human": "our"},
            'human "our": no such system (nearest: "ours"); there are: lead, ours, H1 and H2',
        ),
        ({"baseline": "LEAD"}, 'baseline "LEAD": no such system (nearest: "lead"); there are'),
        ({"human": "H*", "baseline": "H1"}, 'baseline "H1": "H1" is a human already'),
        ({"lower_is_better": "x"}, 'lower_is_better="x": no such measure; there are: m'),
        ({"length": 0}, "length is 0"),
        ({"columns": {"text": "x"}}, 'columns "text": no such field'),
    ],
)
def test_wrong_options_are_one_line(write: Write, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        adjudge.read_scores(write("m.csv", MATRIX), **options)
    assert str(caught.value).startswith(expected)


def test_a_pattern_does_not_contradict_the_table(write: Write) -> None:
    path = write("s.csv", LONG)
    assert adjudge.read_scores(path, human="E*").kinds["Eve"] == "human"
    with pytest.raises(UsageError, match='human "o\\*": "ours" is a machine already'):
        adjudge.read_scores(path, human="o*")


# Which systems


@pytest.fixture
def data(write: Write) -> Scores:
    return adjudge.read_scores(write("rouge-2.csv", MATRIX), human="H*", baseline="lead")


def test_among(data: Scores) -> None:
    def systems(among: Any) -> tuple[str, ...]:
        return data.matrix(among=among).systems

    assert systems("all") == systems("human-machine") == ("H1", "H2", "lead", "ours")
    assert systems("machines") == ("lead", "ours")
    assert systems("humans") == ("H1", "H2")
    assert data.matrix(among="humans").info.signature.endswith("|among:humans")
    assert data.matrix(among="human-machine").info == data.matrix().info
    with pytest.raises(
        UsageError, match='among is "people", expected one of: all, machines, humans, human-mac'
    ):
        systems("people")


def test_pairs_among(data: Scores) -> None:
    systems = data.matrix().systems

    def pairs(among: Any) -> list[bool]:
        return [bool(kept) for kept in data.pairs_among(systems, among)]

    # H1-H2, H1-lead, H1-ours, H2-lead, H2-ours, lead-ours
    assert pairs("all") == [True] * 6
    assert pairs("machines") == [False, False, False, False, False, True]
    assert pairs("humans") == [True, False, False, False, False, False]
    assert pairs("human-machine") == [False, True, True, True, True, False]
    assert data.pairs_among(("HUMANS", "lead"), "human-machine").tolist() == [True]


def test_one_sort_only(write: Write) -> None:
    machines = adjudge.read_scores(write("m.csv", MATRIX))
    for among in ("humans", "human-machine"):
        with pytest.raises(
            UsageError, match=f"among={among}: no system of m.csv is human; name them with hum"
        ):
            machines.matrix(among=among)
    with pytest.raises(UsageError, match="pool_humans: no system here is human"):
        machines.matrix(pool_humans=True)
    humans = adjudge.read_scores(write("h.csv", MATRIX), human="*")
    with pytest.raises(UsageError, match=r"among=machines: every system of h.csv is human"):
        humans.matrix(among="machines")
    assert humans.matrix(pool_humans=True).systems == ("HUMANS",)


def test_all_humans_as_one(write: Write) -> None:
    text = "topic,H1,lead,H2,ours\nd1,1,5,2,7\nd2,NA,6,4,8\nd3,,,,9\n"
    data = adjudge.read_scores(write("m.csv", text), human="H*")
    found = data.matrix(pool_humans=True)
    assert found.systems == ("HUMANS", "lead", "ours")
    np.testing.assert_array_equal(found.values, [[1.5, 5, 7], [4, 6, 8], [math.nan, math.nan, 9]])
    assert found.counts.tolist() == [[2, 1, 1], [1, 1, 1], [0, 0, 1]]
    assert found.missing == (("d3", "lead", "missing in m.csv"), ("d3", "HUMANS", "no human has a score"))
    assert found.info.signature == "m|imported|file:m.csv|humans:pooled"
    assert data.kinds_of(found.systems) == {"HUMANS": "human", "lead": "machine", "ours": "machine"}
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1
    clash = adjudge.read_scores(write("c.csv", "topic,HUMANS,H1\nd1,1,2\n"), human="H1")
    with pytest.raises(UsageError, match="pool_humans: a machine is named HUMANS; rename it first"):
        clash.matrix(pool_humans=True)


# Folders


@pytest.fixture
def evaluation(make: Callable[..., Evaluation]) -> Evaluation:
    e = make(
        Topic("d1", set="s1", type="storm", task="multi", selector="x"),
        Topic("d2", set="s1"),
        System("ann", kind="human", label="Ann", group="people"),
        System("base", kind="baseline"),
        Summary("d1", "ann", "A storm came.", 10, ("peer", "reference"), author="ann b."),
        Summary("d2", "ann", "A strike ended.", 10, ("peer", "reference")),
        Summary("d1", "ours", "The storm came.", 10),
        Summary("d2", "ours", "The strike.", 10),
        Summary("d1", "base", "It.", 10),
        Summary("d2", "base", "It.", 10),
    )
    e.score("words")
    return e


def test_a_folder_gives_what_it_knows(evaluation: Evaluation) -> None:
    data = adjudge.read_scores(evaluation.path)
    assert (data.name, data.folder, data.measures) == ("eval", evaluation.path, ("words",))
    assert data.kinds == {"ann": "human", "ours": "machine", "base": "baseline"}
    assert (data.label("ann"), data.label("ours"), data.groups) == ("Ann", "ours", {"ann": "people"})
    assert data.authors == {("d1", "ann", Target(10)): "ann b."}
    assert data.topic_values("set", ["d1", "d2", "d3"]) == ("s1", "s1", None)
    assert data.topic_values("type", data.matrix().row_topics) == ("storm", None)
    assert data.topic_values("selector", ["d1"]) == ("x",)
    with pytest.raises(
        UsageError, match='field of topics is "title", expected one of: set, type, task, selector'
    ):
        data.topic_values("title", ["d1"])  # type: ignore[arg-type]
    np.testing.assert_array_equal(data.matrix().values, evaluation.matrix("words").values)
    assert data.matrix("words", among="machines").systems == ("base", "ours")
    assert data.matrix("words", pool_humans=True).systems == ("HUMANS", "base", "ours")


def test_a_folder_says_what_is_stale_and_what_was_not_scored(
    evaluation: Evaluation, approved: Approved
) -> None:
    assert evaluation.scores().notes("words") == []
    path = evaluation.path / Summary.FILE
    path.write_text(path.read_text().replace("The storm came.", "The storm came twice."))
    data = adjudge.read_scores(evaluation.path)
    assert data.notes("words") == adjudge.open(evaluation.path).scores().notes("words")
    approved(note.replace(str(evaluation.path), "EVALUATION") for note in data.notes("words"))
    with pytest.raises(DataError, match="rouge-2 has not been scored here; run: adjudge score"):
        data.matrix("rouge-2")
    with pytest.raises(UsageError):
        data.matrix("no-such-measure")


def test_a_measure_that_was_not_scored_names_those_of_its_family_that_were(evaluation: Evaluation) -> None:
    scored = ["words", "rating(aspect=fluency)", "rating(aspect=coherence)"]
    rows = [Score(measure, "d1", system, 1.0) for measure in scored for system in ("base", "ours")]
    data = replace(
        evaluation.scores(),
        table=ScoreTable.from_rows(rows, [MeasureInfo(measure) for measure in scored]),
    )
    both = r"rating\(aspect=fluency\)(,| and) rating\(aspect=coherence\)"
    only = rf'has not been scored here, only {both}: choose one with measure="\.\.\."'
    with pytest.raises(UsageError, match=rf"^one measure is looked at here, not 2 \({both}\)"):
        data.resolve("rating")
    with pytest.raises(
        DataError, match=rf'^rating\(aspect=tone\) {only}, or run: .*-m "rating\(aspect=tone\)"$'
    ):
        data.resolve("rating(aspect=tone)")


def test_patterns_and_options_for_a_folder(evaluation: Evaluation) -> None:
    assert adjudge.read_scores(evaluation.path, human="ours").kind("ours") == "human"
    with pytest.raises(UsageError, match='baseline "ann": "ann" is a human already'):
        evaluation.scores(baseline="ann")
    for options in ({"measure": "m"}, {"length": 3}, {"delimiter": ";"}, {"lower_is_better": True}):
        with pytest.raises(UsageError, match="is for a table of numbers"):
            adjudge.read_scores(evaluation.path, **options)
    assert adjudge.read_scores(
        evaluation.path, measure=None, quotes=True, encoding="utf-8", lower_is_better=False
    )


def test_nothing_scored_yet(make: Callable[..., Evaluation]) -> None:
    e = make(Summary("d1", "a", "One text."))
    for ask in (e.scores().matrix, e.scores().all_measures):
        with pytest.raises(DataError, match="nothing has been scored; run: adjudge score"):
            ask()


def test_a_file_and_the_folder_it_was_imported_to_agree(
    write: Write, make: Callable[..., Evaluation]
) -> None:
    path = write("s.csv", LONG)
    e = make()
    e.take(scoretable.read([path], lower_is_better=["ter"]))
    bare, folder = adjudge.read_scores(path, lower_is_better=["ter"]), e.scores()
    assert bare.kinds == folder.kinds
    assert folder.measures == tuple(f"imported:{m}" for m in bare.measures)
    for measure in bare.measures:
        one, other = bare.matrix(measure), folder.matrix(f"imported:{measure}")
        np.testing.assert_array_equal(one.values, other.values)
        assert (one.topics, one.systems, one.info.better) == (other.topics, other.systems, other.info.better)


def test_a_score_file_alone(evaluation: Evaluation) -> None:
    (path,) = (evaluation.path / "scores").glob("*.parquet")
    data = adjudge.read_scores(path, human="ann")
    np.testing.assert_array_equal(data.matrix().values, evaluation.matrix("words").values)
    assert data.table.info["words"] == evaluation.scores().info["words"]
    assert data.kinds == {"ann": "human", "ours": "machine", "base": "machine"}
    assert data.notes("words") == [
        f"{path.name}: only its folder knows kinds, topics, and what is stale or withdrawn"
    ]
    with pytest.raises(UsageError, match="lower_is_better is for a table of numbers"):
        adjudge.read_scores(path, lower_is_better=True)


# What a table says of its topics


def of_topics(**more: Any) -> pd.DataFrame:
    """Two systems on 24 topics, in eight sets of three; each half was judged by one person."""
    rng = np.random.default_rng(4)
    shared = np.repeat(rng.normal(0, 1, 8), 3)  # by which ours is better or worse on all topics of a set
    rows = [
        {"topic": f"d{k + 1}", "system": system, "value": rng.normal() + shared[k] * (system == "ours")}
        for k in range(24)
        for system in ("ours", "lead")
    ]
    frame = pd.DataFrame(rows)
    k = frame.index // 2
    columns: dict[str, Any] = {
        "set": [f"s{j}" for j in k // 3],
        "type": np.where(k % 2, "person", "event"),
        "task": np.where(k < 6, "single", "multi"),
        "selector": [f"chooser{j}" for j in k // 4],
        "assessor": np.where(k < 12, "ann", "bob"),
    }
    return frame.assign(**(columns | more))


def saved(frame: pd.DataFrame, folder: Path, name: str) -> Path:
    path = folder / name
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m.parquet", ""])
def test_a_table_says_what_its_topics_share(tmp_path: Path, name: str) -> None:
    frame = of_topics()
    source = saved(frame, tmp_path, name) if name else frame
    data = adjudge.read_scores(source)
    assert data.topics["d4"] == Topic("d4", set="s1", type="person", task="single", selector="chooser0")
    assert data.topic_values("task", ["d6", "d7", "elsewhere"]) == ("single", "multi", None)
    assert {note.code for measure in data.measures for note in data.remarks(measure)} - {
        "direction-taken"
    } == {"tasks-pooled"}
    for by, size in (("set", 8), ("type", 2), ("task", 2), ("selector", 6), ("assessor", 2)):
        found = adjudge.compare(source, test="mc", cluster=by)  # type: ignore[arg-type]
        assert f"|cluster:{by}|" in found.signature
        assert f":clusters:{size}:all-signs" in found.signature
    assert adjudge.compare(source, test="mc", cluster="set").signature == (
        adjudge.compare(source, test="mc", cluster="set").signature
    )


def test_clusters_of_a_table_are_those_of_a_plain_loop() -> None:
    """p over the 2^8 signs of the sets, by hand."""
    frame = of_topics()
    wide = frame.pivot(index="topic", columns="system", values="value")
    sums = (
        (wide["ours"] - wide["lead"]).groupby(frame.drop_duplicates("topic").set_index("topic")["set"]).sum()
    )
    drawn = np.array([np.dot(signs, sums) for signs in itertools.product((1, -1), repeat=8)])
    p = np.mean(np.abs(drawn) >= abs(sums.sum()) - 1e-9)
    found = adjudge.compare(frame, test="mc", cluster="set")
    pairs = found.to_frame("pairs").set_index("test")["p"]
    assert pairs["mc"] == pytest.approx(p)
    alone = adjudge.compare(frame, test="mc", cluster="none").to_frame("pairs").set_index("test")["p"]
    assert alone["mc"] < p  # topics of a set are no independent observations
    assert alone["these-assessors"] < pairs["these-assessors"]
    assert pairs.index.tolist() == alone.index.tolist() == ["these-assessors", "mc"]


def test_a_factor_of_a_bare_table_is_tested() -> None:
    table = adjudge.anova(of_topics(), factors=["type", "system", "topic"]).to_frame()
    assert {"type", "system", "topic"} <= set(table["term"])
    with pytest.raises(UsageError, match="type is not known of 24 topics"):
        adjudge.anova(of_topics().drop(columns="type"), factors=["type", "system"])


def test_rows_may_each_say_a_part(tmp_path: Path) -> None:
    frame = of_topics()
    frame.loc[frame["system"] == "lead", ["set", "type"]] = None
    frame.loc[frame["topic"] == "d3", "set"] = None
    for source in (frame, saved(frame, tmp_path, "m.csv"), saved(frame, tmp_path, "m.parquet")):
        data = adjudge.read_scores(source)
        assert (data.topics["d3"].set, data.topics["d3"].type, data.topics["d4"].set) == (None, "event", "s1")
        with pytest.raises(
            DataError, match='^clusters by set need the set of every topic, and d3 has none: a column "set"'
        ):
            adjudge.compare(source, test="mc", cluster="set")


def test_numbers_beside_missing_ones_are_whole() -> None:
    frame = of_topics(set=[None, None, *(k // 6 for k in range(46))])
    assert frame["set"].dtype == float
    assert adjudge.read_scores(frame).topics["d2"].set == "0"


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("type", ["abstract", "extract"], 'topic "d1" has two values of "type", "abstract" and "extract"'),
        ("set", ["A", "B"], 'topic "d1" has two values of "set", "A" and "B"'),
        ("task", ["news", "news"], '"task" is "news", expected one of: single, multi'),
    ],
)
def test_what_topics_cannot_have_is_one_line(
    tmp_path: Path, column: str, values: list[str], expected: str
) -> None:
    frame = of_topics(**{column: values * 24})
    for source in (frame, saved(frame, tmp_path, "m.csv"), saved(frame, tmp_path, "m.parquet")):
        with pytest.raises(DataError) as caught:
            adjudge.read_scores(source)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)
        left_out = adjudge.read_scores(source, columns={column: ""})
        assert left_out.topic_values(column, ["d1"]) == (None,)  # type: ignore[arg-type]


def test_assessors_make_clusters_of_their_own_topics_alone() -> None:
    both = of_topics(assessor=["ann", "bob"] * 24)
    with pytest.raises(UsageError, match='and "d1" was judged by ann and bob: leave the clusters out'):
        adjudge.compare(both, test="mc", cluster="assessor")
    # Who judged a system that is not compared does not matter.
    third = both.assign(system=both["system"].replace("lead", "Eve"))
    frame = pd.concat([of_topics(), third[third["system"] == "Eve"]])
    kinds = frame.assign(kind=np.where(frame["system"] == "Eve", "human", "machine"))
    assert "clusters:2" in adjudge.compare(kinds, test="mc", cluster="assessor", among="machines").signature
    with pytest.raises(UsageError, match="was judged by"):
        adjudge.compare(kinds, test="mc", cluster="assessor")
    with pytest.raises(
        DataError, match="^clusters by assessor need the assessor of every topic, and no topic has one"
    ):
        adjudge.compare(of_topics().drop(columns="assessor"), test="mc", cluster="assessor")
    with pytest.raises(
        UsageError,
        match='^cluster is "sets" .nearest: "set".; expected one of: set, type, task, selector, assessor, none$',
    ):
        adjudge.compare(of_topics(), test="mc", cluster="sets")  # type: ignore[arg-type]


def test_a_folder_learns_topics_from_a_table_of_scores(
    make: Callable[..., Evaluation], tmp_path: Path
) -> None:
    path = saved(of_topics(), tmp_path, "m.csv")
    evaluation = make()
    evaluation.take(scoretable.read([path]))
    folder, bare = (adjudge.compare(s, test="mc", cluster="set") for s in (evaluation.path, path))
    assert folder.to_frame("pairs")["p"].tolist() == bare.to_frame("pairs")["p"].tolist()


def test_a_parquet_file_is_a_frame_on_disk(tmp_path: Path) -> None:
    frame = of_topics()
    path = saved(frame, tmp_path, "m.parquet")
    data = adjudge.read_scores(path, measure="rating", lower_is_better=True, length=50, human="ours")
    np.testing.assert_array_equal(data.matrix().values, adjudge.read_scores(frame).matrix().values)
    assert (data.name, data.measures, data.matrix().info.better) == ("m.parquet", ("rating",), "lower")
    with pytest.raises(UsageError, match="delimiter is for a table of text"):
        adjudge.read_scores(path, delimiter=";")
    (tmp_path / "no.parquet").write_text("topic,a\n")
    with pytest.raises(FormatError, match="not a score file"):
        adjudge.read_scores(tmp_path / "no.parquet")


# The page


def test_the_page_holds_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, content in re.findall(r"^```csv (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    scope: dict[str, Any] = {}
    for code in blocks:
        exec(code, scope)
        assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_lists_the_columns_and_the_words_for_missing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = {name for field, aliases in scoretable.LONG.items() for name in (field, *aliases)}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
    assert [word for word in MISSING if word and f"`{word}`" not in text.lower()] == []


@pytest.mark.parametrize("column", ["length", "repeat"])
@pytest.mark.parametrize("wrong", [1.5, "many"])
def test_a_frame_whose_lengths_are_no_whole_numbers_is_refused_in_one_line(
    column: str, wrong: object
) -> None:
    frame = pd.DataFrame(
        {"topic": ["a", "b"], "system": ["s", "s"], "value": [1.0, 2.0], column: [100, wrong]}
    )
    with pytest.raises(DataError, match=f'row 2: {column} is "{wrong}", expected a whole number'):
        adjudge.compare(frame)
