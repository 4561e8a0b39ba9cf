"""Slices of topics: means against pandas, what is claimed and what is not, lengths and forms, what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn
from tests.approving import Approved, CheckPage, words_of
from tests.cli.running import called

import adjudge
from adjudge.analyses.slices import slices
from adjudge.analyses.slices.figures import _that_fit
from adjudge.analyses.slices.slicing import thirds
from adjudge.analyses.slices.words import NOT_SHOWN, NOT_TESTED, UNFINDABLE, VARY
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note

PAGE = (Path(__file__).parents[2] / "docs" / "slices.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def sliced_demo(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    return once("slices", fill)


def fill(folder: Path) -> None:
    for line in ("demo my-eval", "score my-eval -m rouge-2"):
        assert called(folder, *line.split()).returncode == 0


def planted(topics: int = 30, *, effect: float = 0.0, seed: int = 0) -> pd.DataFrame:
    """Three systems; "ours" is better by `effect` on every second topic, which are of type a."""
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        hard = rng.normal()
        for system in ("ours", "lead", "theirs"):
            gain = effect * (t % 2 == 0) * (system == "ours")
            rows.append(("m", f"t{t}", system, "ab"[t % 2], hard + rng.normal() + gain))
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "type", "value"])


def test_means_are_those_of_pandas() -> None:
    frame = planted()
    found = slices(frame, by="type").to_frame().set_index(["slice", "system"])
    expected = frame.groupby(["type", "system"])["value"].agg(["mean", "size"])
    for key, row in expected.iterrows():
        assert found.loc[key, "mean"] == pytest.approx(row["mean"])
        assert found.loc[key, "n"] == row["size"]
    wide = frame.pivot(index="topic", columns="system", values="value")
    centred = wide.sub(wide.mean(axis=1), axis=0)
    a = frame.drop_duplicates("topic").set_index("topic")["type"] == "a"
    assert found.loc[("a", "ours"), "inside"] == pytest.approx(centred.loc[a[a].index, "ours"].mean())
    assert found.loc[("a", "ours"), "outside"] == pytest.approx(centred.loc[a[~a].index, "ours"].mean())


def test_a_planted_interaction_is_found_with_its_numbers(approved: Approved) -> None:
    found = slices(planted(effect=3.0), by="type")
    own = found.by("type")
    assert own.conclusion == VARY
    first = own.standing_out[0]
    assert first.system == "ours"
    assert own.p_adjusted < 0.001
    higher = next(c for c in own.means if (c.slice, c.system) == ("a", "ours"))
    other = next(c for c in own.means if (c.slice, c.system) == ("b", "ours"))
    assert higher.inside > 1 > 0 > other.inside
    approved(words_of(found))
    marks = found.means_table(own).row(system="ours")
    assert str(marks["a"]).endswith("+")


def test_nothing_is_claimed_where_nothing_was_planted(approved: Approved) -> None:
    found = slices(planted(seed=3), by="type")
    assert found.by("type").conclusion == NOT_SHOWN
    assert found.by("type").standing_out == ()
    approved(words_of(found))


def test_few_topics_could_not_have_shown_it(approved: Approved) -> None:
    found = slices(planted(topics=4, effect=50.0), by="type")
    own = found.by("type")
    assert own.conclusion == UNFINDABLE
    assert own.test is not None
    assert own.test.smallest == pytest.approx(2 / 6)
    approved(words_of(found))


def test_p_is_corrected_over_properties() -> None:
    frame = planted(effect=1.5)
    frame["selector"] = [f"s{int(t[1:]) % 3}" for t in frame["topic"]]
    found = slices(frame)
    p = {each.by: (each.test.p, each.p_adjusted) for each in found.properties if each.test}
    assert set(p) == {"type", "selector"}
    small, large = sorted(p.values())
    assert small[1] == pytest.approx(min(1.0, 2 * small[0]))
    assert large[1] == pytest.approx(max(large[0], small[1]))
    assert "source length" in found.facts()["absent"]
    assert slices(frame, by="type").by("type").p_adjusted == pytest.approx(p["type"][0])


def test_lengths_are_compared_within_topics(approved: Approved) -> None:
    frame = pd.concat(
        [planted(12, seed=5).assign(length=50), planted(12, seed=6, effect=4.0).assign(length=100)]
    )
    frame.loc[(frame["system"] == "ours") & (frame["length"] == 100), "value"] += 4
    found = slices(frame.drop(columns="type"), by="length")
    own = found.by("length")
    assert own.slices == ("50 words", "100 words")
    assert own.within
    assert own.topics == (12, 12)
    assert own.conclusion == VARY
    approved(found.warnings())
    with pytest.raises(DataError, match="no slices by length: only one length is compared"):
        slices(frame, by="length", length=50)


def test_forms() -> None:
    frame = pd.concat([planted(12, seed=k).assign(form=f) for k, f in enumerate(("abstract", "extract"))])
    found = slices(frame.drop(columns="type"), by="form")
    assert found.by("form").slices == ("abstract", "extract")
    alone = frame[(frame["form"] == "abstract") | (frame["system"] == "ours")]
    with pytest.raises(DataError, match="fewer than two systems have scores of every form"):
        slices(alone.drop(columns="type"), by="form")


def test_missing_scores_are_said(approved: Approved) -> None:
    frame = planted(20)
    short = frame[~((frame["system"] == "lead") & frame["topic"].isin([f"t{k}" for k in range(12)]))]
    found = slices(short, by="type")
    assert found.by("type").tested == tuple(s for s in found.matrix.systems if s != "lead")
    approved(found.warnings(), "a system")
    one = frame[~((frame["system"] == "lead") & (frame["topic"] == "t0"))]
    found = slices(one, by="type")
    assert found.by("type").rows == 19
    approved(found.warnings(), "a topic")
    unknown = frame.assign(type=frame["type"].where(frame["topic"] != "t0"))
    approved(slices(unknown, by="type").warnings(), "no type")
    same = frame.assign(value=1.0)
    assert slices(same, by="type").by("type").conclusion == NOT_TESTED


def test_what_cannot_be_sliced_is_one_line() -> None:
    with pytest.raises(UsageError, match='by is "tpye" \\(nearest: "type"\\)'):
        slices(planted(), by="tpye")
    with pytest.raises(DataError, match="no slices by set: no topic has one"):
        slices(planted(), by="set")
    with pytest.raises(DataError, match="topics cannot be sliced: they have no set, type"):
        slices(planted().drop(columns="type"))
    with pytest.raises(DataError, match="nothing to compare"):
        slices(planted().query("system == 'ours'"))
    with pytest.raises(UsageError, match="alpha is 2"):
        slices(planted(), alpha=2)


def test_topics_of_one_set_are_said_to_be_taken_as_independent(approved: Approved) -> None:
    frame = planted().assign(set=lambda f: [f"s{int(t[1:]) // 2}" for t in f["topic"]])
    assert slices(frame, by="type").notes_of("sets-as-independent")
    assert not slices(planted(), by="type").notes_of("sets-as-independent")
    approved(slices(frame, by="type").warnings())


def test_thirds_of_topics_by_their_texts(sliced_demo: Path) -> None:
    found = adjudge.open(sliced_demo / "my-eval").slices("rouge-2")
    assert [each.by for each in found.properties] == [
        "type",
        "selector",
        "source length",
        "compression",
        "copy rate",
        "fragment density",
    ]
    assert all(sum(each.topics) == 12 for each in found.properties)
    for text in (found.to_latex(), found.to_markdown(), found._repr_html_()):
        assert "fluent" in text
    assert found.as_dict()["tables"]["slices"][0]["by"] == "type"


def test_the_figure_draws_the_result(approved: Approved) -> None:
    names = {f"sys{k}": k for k in range(9)}
    frame = pd.concat(
        [planted(10, seed=k).query("system == 'ours'").assign(system=s) for s, k in names.items()]
    )
    found = slices(frame, by="type")
    figure = found.figure("slices")
    check_drawn(figure)
    drawn = figure.data.set_index(["slice", "system"])["mean"]
    for cell in found.by("type").means:
        assert drawn[cell.slice, cell.system] == cell.mean
    assert set(figure.data["shown as"]) == {*found.matrix.systems[:6], "other systems"}
    approved(figure.words)
    assert set(found.figure(by="type", systems=["sys8"]).data["shown as"]) == {"sys8", "other systems"}
    with pytest.raises(UsageError, match="no slices by"):
        found.figure(by="set")
    with pytest.raises(UsageError, match="tells 6 apart"):
        found.figure(systems=[*names][:7])
    many = [replace(found.by("type"), by=f"p{k}", slices=("x",) * 25) for k in range(3)]
    assert [[each.by for each in some] for some in _that_fit(many)] == [["p0", "p1"], ["p2"]]


def test_the_page_shows_real_output(sliced_demo: Path, check_page: CheckPage) -> None:
    assert check_page("slices.md", "", lambda line: called(sliced_demo, *line.split())) == 1
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    spaces: dict[str, Any] = {}
    exec(code[1], spaces)  # the page's own code
    assert [f"# {said}" for said in spaces["result"].sentences()] == re.findall(r"^# .*$", code[1], re.M)


def test_the_command_writes_every_form(sliced_demo: Path, tmp_path: Path) -> None:
    line = "slices my-eval -m rouge-2 --by type --by source-length"
    printed = json.loads(called(sliced_demo, *line.split(), "--json").stdout)
    assert [each["by"] for each in printed[0]["tables"]["slices"]] == ["type", "source length"]
    assert called(sliced_demo, *line.split(), "--csv", str(tmp_path / "s.csv")).returncode == 0
    assert len(pd.read_csv(tmp_path / "s.csv")) == 7 * 9
    for flag in ("--latex", "--markdown"):
        assert "fluent" in called(sliced_demo, *line.split(), flag).stdout
    wrong = called(sliced_demo, *line.split(), "--correct", "no")
    assert wrong.returncode == 2


def test_a_third_is_named_by_the_values_that_it_has() -> None:
    """The cut lies at 119.67: rounded, it would be a value of the next third."""
    found = thirds("source length", np.array([100.0, 119, 120, 130, 140, 150]))
    assert not isinstance(found, Note)
    assert [(name, mask.tolist()) for name, mask in found] == [
        ("up to 119", [True, True, False, False, False, False]),
        ("120 to 130", [False, False, True, True, False, False]),
        ("140 or more", [False, False, False, False, True, True]),
    ]


def two_lengths(folder: Path) -> Path:
    """Six topics of 100 words each; summaries of 10 words, and those of 20, which take the fewer words the later."""
    adjudge.init(folder)
    documents, summaries = [], []
    for t in range(6):
        words = [f"w{t}x{k}" for k in range(100)]
        documents.append({"topic": f"t{t}", "id": "d", "text": " ".join(words)})
        for system in ("a", "b"):
            for length, many in ((10, 2 + 2 * t), (20, 20 - 3 * t)):
                text = " ".join(words[k] for k in range(many + (system == "b")))
                summaries.append({"topic": f"t{t}", "system": system, "length": length, "text": text})
    for name, rows in (("documents", documents), ("summaries", summaries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (folder / "topics.jsonl").write_text("\n".join(json.dumps({"topic": f"t{t}"}) for t in range(6)) + "\n")
    return folder


def test_texts_are_those_of_the_length_that_is_looked_at(tmp_path: Path) -> None:
    e = adjudge.open(two_lengths(tmp_path / "e"))
    e.score("words")
    by = {n: e.slices("words", by="compression", length=n).by("compression").slices for n in (10, 20)}
    # Systems a and b have n and n + 1 of 100 words: 2.5 % on the first topic at 10 words, then 4.5 % ...
    assert by[10] == ("up to 4.5%", "6.5% to 8.5%", "10.5% or more")
    assert by[20] == ("up to 8.5%", "11.5% to 14.5%", "17.5% or more")


def test_of_lengths_no_length_stands_for_all(tmp_path: Path, approved: Approved) -> None:
    e = adjudge.open(two_lengths(tmp_path / "e"))
    e.score("novel-1")
    e.score("words")
    found = e.slices("words", length=None, by="length,compression")
    head = found.means_table(found.by("length"))
    assert [column.name for column in head.columns] == ["system", "10 words", "20 words"]
    assert head.title.startswith("words, by length")
    assert "all" in [column.name for column in found.means_table(found.by("compression")).columns]
    approved(found.headline(), "two lengths and compression")
    only = e.slices("words", by="length")
    approved(only.headline(), "lengths alone")  # the differences are the same everywhere
