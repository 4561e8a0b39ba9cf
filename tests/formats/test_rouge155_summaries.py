"""Summaries that ROUGE-1.5.5's settings list, as rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.data.rows import Row, Summary, System, Topic
from adjudge.errors import AdjudgeError, UsageError
from adjudge.formats.rouge155 import MISSING, NO_SUMMARIES, NO_UNITS, UNSEEN, EvalName, read_summaries, units

from .shapes import Attempt, Imported, Refused, Write, reasons, rows

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
    assert reasons(items) == [MISSING.reason] * 2 + [UNSEEN.reason] * 2


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
        MISSING.reason,
        MISSING.reason,
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
    with pytest.raises(UsageError, match='--root is "nowhere", which is no folder'):
        list(read_summaries([path], root="nowhere"))


def test_a_list_needs_its_format_and_takes_its_name_as_system(write: Write) -> None:
    write("p1", "Peer.\n")
    write("m1", "Model.\n")
    path = write("mine.lst", "p1 m1\n")
    with pytest.raises(UsageError, match="add --format"):
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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
