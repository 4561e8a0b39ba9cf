"""The chapters of slices and of texts side by side: what they show, what they say is missing, hostile texts."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.analyses.test_examples import HOSTILE, made

import adjudge
from adjudge.core.errors import UsageError

LONG = " ".join(f"word{k}" for k in range(900))


def page(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def chapter(text: str, anchor: str) -> str:
    found = re.search(rf'<section class="(?:card )?chapter" id="{anchor}">.*?</section>', text, re.DOTALL)
    assert found is not None, anchor
    return found[0]


def written(tmp_path: Path, **options: Any) -> str:
    texts = {
        "t7": ("a red cat", "a blue dog", ["a red cat", "a blue cat"]),
        "t8": (HOSTILE, "the dog", ["the cat", LONG]),
        "t9": (LONG, "a blue dog", ["word1 word2"]),
    }
    folder = made(tmp_path / "e", texts)
    e = adjudge.open(folder)
    e.score("rouge-1")
    e.score("words")
    adjudge.report(e, tmp_path / "out", **options)
    return page(tmp_path / "out")


def test_hostile_texts_are_escaped_and_long_ones_folded(tmp_path: Path) -> None:
    text = written(tmp_path, between="a,b")
    assert "<script>alert" not in text
    own = chapter(text, "examples")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }}" in own
    assert "Show all 900 words" in own
    assert '<details class="long-text">' in own
    assert own.count("<mark") == own.count("</mark>")
    assert 'class="side side-1"' in own
    # nothing but marks was put into a text
    shown = re.findall(r'<p class="side-text"[^>]*>(.*?)</p>', own, re.DOTALL)
    plain = [unescape(re.sub(r"</?mark[^>]*>", "", each)) for each in shown]
    assert HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}") in plain  # no page shows a control character


def test_the_first_measure_that_tells_is_shown(tmp_path: Path) -> None:
    own = chapter(written(tmp_path), "examples")
    assert "ROUGE-1" in own
    assert "a and b have the two best means" in own  # not words, the other measure, which is a description


def test_an_unknown_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='no scores of system "c"'):
        written(tmp_path, between="a,c")


def test_one_system_is_no_pair_and_scores_alone_have_no_texts(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 1.0]}, index=list("xyz"))
    with pytest.raises(UsageError, match=r"two systems stand side by side, not of 1 \(a\): name two"):
        adjudge.report(frame, tmp_path / "out", between="a")
    with pytest.raises(UsageError, match="need an evaluation's folder: leave between out"):
        adjudge.report(frame, tmp_path / "out", between="a,b")
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0], "b": [2.0, 3.0, 1.0, 1.0]}, index=list("wxyz"))
    adjudge.report(frame, tmp_path / "out")
    text = page(tmp_path / "out")
    assert "Texts side by side need an evaluation" in chapter(text, "examples")
    assert "Topics cannot be sliced" in chapter(text, "slices")
    assert "side-texts" not in chapter(text, "examples")
    adjudge.report(frame, tmp_path / "quick", quick=True)
    assert 'id="examples"' not in page(tmp_path / "quick")


def test_slices_of_a_long_table(tmp_path: Path) -> None:
    rows = [
        ("m", f"t{t}", system, "xy"[t % 2], t % 3 + 5.0 * (t % 2) * (system == "<b>"))
        for t in range(24)
        for system in ("<b>", "other", "third")
    ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "type", "value"])
    frame["value"] += [((7 * k) % 11) / 11 for k in range(len(frame))]
    adjudge.report(frame, tmp_path / "out")
    own = chapter(page(tmp_path / "out"), "slices")
    assert "<b>" not in re.sub(r'<b aria-hidden="true">', "", own)
    assert "&lt;b&gt; stands lower where type is x" in own
    assert '<details class="slice-block" open>' in own
    result = adjudge.slices(frame, "m")
    cell = next(c for c in result.by("type").means if (c.slice, c.system) == ("y", "<b>"))
    assert f"{cell.mean:.2f}"[:3] in own
    assert "No slices by set" in own
