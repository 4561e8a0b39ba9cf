"""Small files of one token many times: every reader goes through them once, not once for every token.

A reader whose work grew with the square of the file would take minutes here; the alarm is for that, not for speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import not_stuck

from adjudge.core.errors import AdjudgeError
from adjudge.formats import (
    crowd,
    duc,
    ducview,
    nist,
    records,
    rouge155,
    sacrerouge,
    scoretable,
    see,
    summeval,
)
from adjudge.text.headers import hidden_spans
from adjudge.text.sentences import sentences

SIZE = 200_000
TOKENS = (
    *("|", "| ", "x ", " ", "x\t", "<", "<a ", "</DOC>", "<!--"),
    *("ID=", "a", "a='", '"', "&", "M ", "[", "\n|", "• "),
)
READERS: dict[str, tuple[str, tuple[str, ...], Callable[[Path], Iterable[Any]]]] = {
    "nist": ("x.content.table", ("",), lambda path: nist.read([path], evaluation="e", aspect="content")),
    "see": ("x.txt", ("",), lambda path: see.read([path], evaluation="e")),
    "settings": ("x.xml", ("", "<EVAL ", '<EVAL ID="1">'), rouge155.read_settings),
    "list": ("x.lst", ("",), lambda path: rouge155.read_list(path, "SPL")),
    "output": ("x.out", ("", "1 ROUGE-1 Eval "), lambda path: rouge155.read_output([path])),
    "documents": ("x.sgml", ("", "<DOC><TEXT>"), lambda path: duc.read([path], topic="t")),
    "summary": ("D1.M.100.A.1", ("",), lambda path: duc.read([path])),
    "pyramid": ("x.pyr", ("", "<pyramid><text>"), lambda path: ducview.read([path], evaluation="e")),
    "jsonl": ("x.jsonl", ("",), lambda path: records.read_jsonl([path])),
    "csv": ("x.csv", ("", "topic,text\n"), lambda path: records.read_table([path])),
    "summeval": ("x.jsonl", ("",), lambda path: summeval.read([path])),
    "sacrerouge": ("x.jsonl", ("",), lambda path: sacrerouge.read([path])),
    "crowd": ("x.csv", ("task,worker,label\n",), lambda path: crowd.read([path], evaluation="e")),
    "scores": ("x.csv", ("topic,a\n",), lambda path: scoretable.read([path])),
}


@pytest.mark.parametrize("reader", READERS)
def test_readers_are_linear(reader: str, tmp_path: Path) -> None:
    name, starts, read = READERS[reader]
    path = tmp_path / name
    for start in starts:
        for token in TOKENS:
            path.write_text(f"{start}{token * (SIZE // len(token))}x")
            with not_stuck(f"{reader}, {start!r}, {token!r}"):
                try:
                    for _ in read(path):
                        pass
                except AdjudgeError as error:
                    assert "\n" not in str(error)


@pytest.mark.parametrize("split", [hidden_spans, sentences])
def test_texts_are_split_in_linear_time(split: Callable[[str], object]) -> None:
    for token in (*TOKENS, ". ", "Mr. ", "(1) ", "… ", "“"):
        with not_stuck(f"{token!r}"):
            split(token * (SIZE // 4 // len(token)) + "x")


def test_models_of_one_evaluation_are_added_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.xml"
    models = "".join(f'<M ID="{k % 20_000}">m{k}.txt</M>' for k in range(40_000))
    path.write_text(f'<EVAL ID="1"><INPUT-FORMAT TYPE="SPL"/><P ID="1">p.txt</P>{models}</EVAL>')
    with not_stuck("models"):
        [trial] = rouge155.read_settings(path)
    # An ID that is named twice counts twice, with the file named last.
    assert [model.name for model in trial.models[:2]] == ["m20000.txt", "m20001.txt"]
    assert len(trial.models) == 40_000
