"""ROUGE-1.5.5's settings, the summaries they name, and what a run printed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.rows import Row, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.evaluation import Evaluation
from adjudge.formats.rouge155 import (
    AVERAGE,
    COUNTS,
    MISSING,
    NO_SUMMARIES,
    NO_UNITS,
    OTHER,
    UNSEEN,
    EvalName,
    Listed,
    SummaryFiles,
    Trial,
    read_list,
    read_output,
    read_settings,
    read_summaries,
    units,
)

from .shapes import Attempt, Imported, Refused, Write, reasons, rows, things

# ROUGE-1.5.5's settings: both spellings, padded text, repeated IDs, lists, and files that are no settings


DECLARES = "s.xml:3: declares entities or a document type of its own, which is not read"
XML = """<?xml version="1.0"?>
<!-- <EVAL ID="0"> is not there -->
<ROUGE-EVAL version="1.5.5">
<EVAL ID="D1">
<PEER-ROOT>
  /old/peers
</PEER-ROOT>
<MODEL-ROOT>/old/models</MODEL-ROOT>
<INPUT-FORMAT TYPE="spl">
</INPUT-FORMAT>
<PEERS><P ID="1">
 a &amp; b.txt
</P>
<P ID='2'>c.txt</P></PEERS>
<MODELS>
<M ID="A">m.txt</M></MODELS>
</EVAL>
</ROUGE-EVAL>
"""


def test_an_evaluation(write: Write) -> None:
    assert read_settings(write("s.xml", XML)) == [
        Trial(
            "D1",
            4,
            "SPL",
            {"1": Listed("1", "/old/peers", "a & b.txt", 11), "2": Listed("2", "/old/peers", "c.txt", 14)},
            [Listed("A", "/old/models", "m.txt", 16)],
        )
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("ROUGE-EVAL", "ROUGE_EVAL"),
        ("EVAL ID", "eval id"),
        ("\n", "\r\n"),
        ("<P ID", "<P\tID"),
        ('TYPE="spl">\n</INPUT-FORMAT>', 'TYPE="SPL"/>'),
        ('<?xml version="1.0"?>', '\ufeff<!DOCTYPE ROUGE-EVAL SYSTEM "http://example.org/r.dtd">'),
        ("<M ID", "<M lang='de' ID"),
    ],
)
def test_other_spellings_say_the_same(change: tuple[str, str], write: Write) -> None:
    text = XML.replace(*change).replace("</eval>", "</EVAL>")
    (trial,) = read_settings(write("s.xml", text))
    assert (trial.id, trial.format, list(trial.peers), trial.models[0].name) == (
        "D1",
        "SPL",
        ["1", "2"],
        "m.txt",
    )


def test_roots_may_come_last_and_ids_twice(write: Write) -> None:
    text = (
        '<ROUGE-EVAL><EVAL ID="1"><PEERS><P ID="p">old</P><P ID="p">new</P></PEERS><MODELS><M ID="A">a</M>'
        '<M ID="B">b</M><M ID="A">c</M></MODELS><INPUT-FORMAT TYPE="SEE"/><MODEL-ROOT>r</MODEL-ROOT></EVAL>'
        '<EVAL ID="1"><PEERS><P ID="q">q</P></PEERS></EVAL></ROUGE-EVAL>'
    )
    (trial,) = read_settings(write("s.xml", text))
    assert {k: p.name for k, p in trial.peers.items()} == {"p": "new", "q": "q"}
    assert [(m.id, m.root, m.name) for m in trial.models] == [
        ("A", "r", "c"),
        ("B", "r", "b"),
        ("A", "r", "c"),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("</ROUGE-EVAL>", "<"), "s.xml:18: a tag is not closed: is the file cut off?"),
        (("-->", "--"), "s.xml:2: a comment is not closed: is the file cut off?"),
        (("</EVAL>", ""), "s.xml:4: the <EVAL> is not closed: is the file cut off?"),
        (("</M>", ""), "s.xml:16: <M> of line 16 is not closed before this"),
        (
            ('TYPE="spl"', 'TYPE="PDF"'),
            's.xml:9: INPUT-FORMAT TYPE is "PDF", expected one of: SEE, SPL, ISI, SIMPLE',
        ),
        (
            ('<INPUT-FORMAT TYPE="spl">\n</INPUT-FORMAT>', ""),
            's.xml:4: EVAL "D1" has no <INPUT-FORMAT TYPE=...>',
        ),
        (('<M ID="A">m.txt</M>', ""), 's.xml:4: EVAL "D1" has no models (<M ID=...>)'),
        (("c.txt", " "), 's.xml:14: <P ID="2"> names no file'),
        (("m.txt", "a < b.txt"), 's.xml:16: "< b.txt</M>" is no tag, expected &lt; for a < in a name'),
        (
            (' ID="D1"', ""),
            's.xml:4: "EVAL ID" is "", expected 1 to 200 characters without space around them',
        ),
        (('<EVAL ID="D1">', ""), "s.xml:5: <PEER-ROOT> stands outside an <EVAL>"),
        (
            ("<PEERS>", '<EVAL ID="2"><PEERS>'),
            "s.xml:11: an <EVAL> begins before the one of line 4 has ended",
        ),
        (("<ROUGE-EVAL", '<!ENTITY a "b"><X'), DECLARES),
        (("<ROUGE-EVAL", "<!DOCTYPE r [\n<!ELEMENT r ANY>]><X"), DECLARES),
        (("m.txt", "m\0.txt"), "s.xml:16: a NUL byte: this is no text file"),
    ],
)
def test_mistakes_are_one_line(change: tuple[str, str], expected: str, write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        read_settings(write("s.xml", XML.replace(change[0], change[1], 1)))
    assert str(caught.value) == expected


def test_what_is_no_settings_file(write: Write) -> None:
    with pytest.raises(FormatError, match="no <EVAL>, expected the settings"):
        read_settings(write("s.xml", "Just a text.\n"))
    with pytest.raises(FormatError, match="longer than 100 bytes"):
        read_settings(write("s.xml", XML), max_line=100)


def test_an_entity_bomb_is_refused_before_anything_is_expanded(write: Write) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9)
    )
    with pytest.raises(FormatError, match="declares entities"):
        read_settings(write("s.xml", f"{bomb}]>" + XML.replace("m.txt", "&j;")))


def test_a_list(write: Write) -> None:
    path = write("files.lst", "# peer models\n\nout/p1 refs/a\t/abs/b\n  p2 c\n")
    assert read_list(path, "spl", "mine") == [
        Trial(
            "1",
            3,
            "SPL",
            {"mine": Listed("mine", "out", "p1", 3)},
            [Listed("M.1", "refs", "a", 3), Listed("M.2", "/abs", "b", 3)],
        ),
        Trial("2", 4, "SPL", {"mine": Listed("mine", "", "p2", 4)}, [Listed("M.1", "", "c", 4)]),
    ]
    with pytest.raises(UsageError, match='the format is "PDF"'):
        read_list(path, "PDF")
    with pytest.raises(FormatError, match=r"e.lst:1: one file name"):
        read_list(write("e.lst", "p1\n"), "SPL")
    with pytest.raises(FormatError, match="no evaluations"):
        read_list(write("e.lst", "# nothing\n"), "SPL")


# Files


def listed(root: str, name: str) -> Listed:
    return Listed("x", root, name, 7)


def test_as_much_of_the_old_path_as_is_there(write: Write, tmp_path: Path) -> None:
    write("new/duc/peers/a", "deep")
    write("new/b", "flat")
    write("new/models/a", "other")
    files = SummaryFiles(Path("s.xml"), tmp_path / "new")
    assert files.find(listed("/old/duc/peers", "a"), "peer") == tmp_path / "new/duc/peers/a"
    assert files.find(listed("/old/duc/peers", "b"), "peer") is None  # one root, one folder
    assert files.find(listed("C:\\old\\models", "a"), "model") == tmp_path / "new/models/a"
    assert files.find(listed("../../models", "a"), "model") == tmp_path / "new/models/a"
    assert files.find(listed("/gone", "b"), "peer") == tmp_path / "new/b"


def test_nothing_outside_the_root_is_read(write: Write, tmp_path: Path) -> None:
    write("secret", "x")
    write("new/a", "x")
    (tmp_path / "new" / "link").symlink_to(tmp_path / "secret")
    files = SummaryFiles(Path("s.xml"), tmp_path / "new")
    for name in ("../secret", "peers/../../secret"):
        with pytest.raises(FormatError, match="s.xml:7: .* leaves the folder"):
            files.find(listed("/old", name), "peer")
    with pytest.raises(FormatError, match="leaves the folder"):
        files.find(listed("/old", "link"), "peer")
    assert files.find(listed("/old", str(tmp_path / "secret")), "peer") is None


def test_a_file_stays_below_its_own_root_where_that_is_asked(write: Write, tmp_path: Path) -> None:
    write("secret", "x")
    write("peers/a", "x")
    open_, closed = SummaryFiles(Path("s.xml")), SummaryFiles(Path("s.xml"), closed=True)
    assert closed.find(listed("peers", "a"), "peer") == Path("peers/a")
    assert open_.find(listed("peers", "../secret"), "peer") == Path("peers/../secret")
    with pytest.raises(FormatError, match="leaves the folder"):
        closed.find(listed("peers", "../secret"), "peer")
    assert closed.find(listed("peers", "/etc/hostname"), "peer") is None


@pytest.mark.parametrize("root", ["{mine}", "../mine", "../their/../mine", "here"])
def test_settings_name_files_of_their_own_folder_unless_a_root_is_given(
    root: str, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`here` is a link in the folder that leads out of it."""
    path = tmp_path / write("mine/a.txt", "secret")
    settings = tmp_path / write("their/s.xml", "")
    (tmp_path / "their/here").symlink_to(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "their")
    asked = listed(root.format(mine=path.parent), "a.txt")
    with pytest.raises(FormatError, match=r"lies outside the settings' own folder, .* root=DIR") as refused:
        SummaryFiles(settings).find(asked, "peer")
    assert "\n" not in str(refused.value)
    if root != "here":
        found = SummaryFiles(settings, root=tmp_path).find(asked, "peer")
        assert found is not None
        assert found.resolve() == path.resolve()


def test_files_are_looked_for_beside_the_settings(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("there/peers/a", "x")
    monkeypatch.chdir("/")
    assert (
        SummaryFiles(tmp_path / "there" / "s.xml").find(listed("peers", "a"), "peer")
        == tmp_path / "there/peers/a"
    )


# Broken at random


@examples(150)
@given(data=st.data())
def test_broken_settings_are_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(XML.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        end = at + data.draw(st.integers(0, 12))
        raw[at:end] = data.draw(
            st.sampled_from([b"", b"<", b">", b'"', b"\xff", b"&#0;", b"</EVAL>", b"<!--", b"\0"])
        )
        if not raw:
            return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.xml"
        path.write_bytes(bytes(raw))
        try:
            trials = read_settings(path)
        except AdjudgeError as error:
            assert len(str(error).splitlines()) == 1
        else:
            assert all(trial.models and trial.format for trial in trials)


# Summaries that ROUGE-1.5.5's settings list, as rows


SEE = """<html>
<a name="1">[1]</a> <a href="#1" id=1>First &amp; one.</a>
<a size="4" name="2">[2]</a> <a href="#2" id=2>Second,
broken.</a>
<a name="x">[3]</a> <a href="#3" id=3>Third.</a>
</html>
"""


def one(name: str, peers: dict[str, str], models: dict[str, str], form: str = "SPL") -> str:
    listed = "".join(f'<P ID="{k}">{v}</P>' for k, v in peers.items())
    held = "".join(f'<M ID="{k}">{v}</M>' for k, v in models.items())
    return (
        f'<EVAL ID="{name}"><PEER-ROOT>/gone/peers</PEER-ROOT><MODEL-ROOT>/gone/models</MODEL-ROOT>'
        f'<INPUT-FORMAT TYPE="{form}"/><PEERS>{listed}</PEERS><MODELS>{held}</MODELS></EVAL>\n'
    )


def xml(*evals: str) -> str:
    return f"<ROUGE-EVAL>\n{''.join(evals)}</ROUGE-EVAL>\n"


def found(path: Path, form: str | None = None, system: str | None = None) -> list[Row]:
    return rows(read_summaries([path], root=".", form=form, system=system))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("D0601.M.250.A-B", EvalName("D0601", 250, "multi", "A", "B")),
        ("D0801-A.S.100.C", EvalName("D0801-A", 100, "single", "C")),
        ("D0601.M.0.A", EvalName("D0601.M.0.A")),
        ("1", EvalName("1")),
        ("D0601.X.250.A-B", EvalName("D0601.X.250.A-B")),
    ],
)
def test_what_a_name_says(text: str, expected: EvalName) -> None:
    assert EvalName.parse(text) == expected


def test_peers_and_references(write: Write) -> None:
    write("peers/a.txt", "One.\r\n\r\n  Two.  \r\n")
    write("models/a.txt", "Caf\xe9.\n".encode("latin-1"))
    path = write("s.xml", xml(one("t1", {"mine": "a.txt"}, {"A": "a.txt"})))
    items = list(read_summaries([path], root="."))
    assert rows(items) == [
        Topic("t1"),
        System("mine"),
        Summary("t1", "mine", "One.\n  Two."),
        System("A", kind="human"),
        Summary("t1", "A", "Caf\xe9.", roles=("reference",)),
    ]
    assert reasons(items) == ["bytes that are not UTF-8 read as Windows-1252"]


def jackknife(write: Write) -> Path:
    for who in "ABC":
        write(f"models/D0601.M.250.A.{who}", f"By {who}.\n")
    write("peers/D0601.M.250.A.17", "By 17.\n")
    write("peers/D0601.M.250.A.B", "By B.\n")
    held = {who: f"D0601.M.250.A.{who}" for who in "ABC"}
    evals = []
    for out in "ABC":
        peers = {"17": "D0601.M.250.A.17"} | ({"B": "D0601.M.250.A.B"} if out == "B" else {})
        evals.append(one(f"D0601.M.250.A-{out}", peers, {k: v for k, v in held.items() if k != out}))
    return write("rouge.xml", xml(*evals))


def test_the_jackknife_folds_back_into_a_topic(write: Write, imported: Imported) -> None:
    path = jackknife(write)
    assert found(path) == [
        Topic("D0601", task="multi", selector="A"),
        System("17"),
        Summary("D0601", "17", "By 17.", 250),
        System("B", kind="human"),
        Summary("D0601", "B", "By B.", 250, ("peer", "reference")),
        System("C", kind="human"),
        Summary("D0601", "C", "By C.", 250, ("reference",)),
        System("A", kind="human"),
        Summary("D0601", "A", "By A.", 250, ("reference",)),
    ]
    report = imported(read_summaries([path], root="."))
    assert dict(report.added) == {"topics": 1, "systems": 4, "summaries": 4}


def test_a_peer_and_a_model_of_one_id_are_two_systems(write: Write) -> None:
    for kind in ("peers", "models"):
        for k in "12":
            write(f"{kind}/{k}.txt", f"{kind} {k}\n")
    path = write("s.xml", xml(*(one(f"t{k}", {"1": f"{k}.txt"}, {"1": f"{k}.txt"}) for k in "12")))
    assert [(r.topic, r.system, r.roles) for r in found(path) if isinstance(r, Summary)] == [
        ("t1", "1", ("peer",)),
        ("t1", "reference-1", ("reference",)),
        ("t2", "1", ("peer",)),
        ("t2", "reference-1", ("reference",)),
    ]


def test_see_and_isi_units(write: Write) -> None:
    write("peers/a", SEE)
    write("models/a", '<S SNTNO="1">One.</S>\n<S SNTNO="2a">Two &lt;.</S>\n')
    path = write(
        "s.xml", xml(one("t1", {"p": "a"}, {"m": "b"}, "SEE"), one("t2", {"q": "b"}, {"m": "a"}, "ISI"))
    )
    items = list(read_summaries([path], root="."))
    texts = [r.text for r in rows(items) if isinstance(r, Summary)]
    assert texts == ["First & one.\nSecond,", "One.\nTwo <."]
    assert reasons(items) == [spoken(MISSING.reason, "python")] * 2 + [UNSEEN.reason] * 2


def test_units_as_the_original_sees_them() -> None:
    assert units(SEE, "SEE") == ["First &amp; one.", "Second,\n"]
    assert units("a\n\n b \r\n", "SPL") == ["a", " b \r"]


def test_what_is_left_out(write: Write) -> None:
    write("peers/a", "a|b|c\n")
    write("models/a", "no units here\n")
    text = xml(one("t1", {"p": "a"}, {"m": "none"}, "SIMPLE"), one("t2", {"p": "none"}, {"m": "a"}, "SEE"))
    items = list(read_summaries([write("s.xml", text)], root="."))
    assert [r for r in rows(items) if not isinstance(r, Topic)] == []
    assert reasons(items) == [
        spoken(MISSING.reason, "python"),
        spoken(MISSING.reason, "python"),
        NO_SUMMARIES.reason,
        NO_UNITS.reason,
    ]


def test_nothing_found_is_a_mistake(write: Write, refused: Refused) -> None:
    path = write("s.xml", xml(one("t1", {"p": "a"}, {"m": "b"})))
    assert refused(read_summaries([path])) == (
        's.xml:2: no file "/gone/peers/a", nor any other that is named here:'
        " --root DIR names the folder that has them now"
    )


def test_paths_that_leave_are_refused(write: Write, refused: Refused) -> None:
    write("secret", "x")
    write("new/models/b", "x")
    path = write("s.xml", xml(one("t1", {"p": "../../secret"}, {"m": "b"})))
    assert "leaves the folder" in refused(read_summaries([path], root="new"))
    with pytest.raises(UsageError, match='root is "nowhere", which is no folder'):
        list(read_summaries([path], root="nowhere"))


def test_a_list_needs_its_format_and_takes_its_name_as_system(write: Write) -> None:
    write("p1", "Peer.\n")
    write("m1", "Model.\n")
    path = write("mine.lst", "p1 m1\n")
    with pytest.raises(UsageError, match="add form=SPL"):
        list(read_summaries([path]))
    summaries = [r for r in rows(read_summaries([path], form="spl")) if isinstance(r, Summary)]
    assert summaries == [Summary("1", "mine", "Peer."), Summary("1", "M.1", "Model.", roles=("reference",))]
    assert "other" in {getattr(r, "system", "") for r in found(path, form="SPL", system="other")}


def test_two_texts_of_one_peer_are_refused(write: Write, refused: Refused) -> None:
    write("peers/a", "One.\n")
    write("peers/b", "Two.\n")
    write("models/m", "M.\n")
    evals = (one("D1.M.10.A-X", {"1": "a"}, {"Z": "m"}), one("D1.M.10.A-Y", {"1": "b"}, {"Z": "m"}))
    message = refused(read_summaries([write("s.xml", xml(*evals))], root="."))
    assert "stands twice with different content" in message


@examples(60)
@given(data=st.data())
def test_broken_files_import_or_end_in_one_line(data: st.DataObject, attempt: Attempt) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        (base / "peers").mkdir()
        (base / "models").mkdir()
        (base / "models" / "a").write_text(SEE)
        texts = [xml(one("D1.M.10.A-B", {"p": "a"}, {"m": "a"}, "SEE")).encode(), SEE.encode()]
        which = data.draw(st.integers(0, 1))
        raw = bytearray(texts[which])
        for _ in range(data.draw(st.integers(1, 5))):
            at = data.draw(st.integers(0, len(raw)))
            raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
        texts[which] = bytes(raw)
        (base / "s.xml").write_bytes(texts[0])
        (base / "peers" / "a").write_bytes(texts[1])
        result = attempt(base / "e", read_summaries([base / "s.xml"], root=base))
        assert isinstance(result, AdjudgeError) or result.added["topics"] == 1


# What ROUGE-1.5.5 printed, as scores


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


@examples(60)
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
