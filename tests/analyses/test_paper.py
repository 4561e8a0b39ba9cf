"""The table of a paper: systems x measures in LaTeX and Markdown, the best in bold, letters, a caption that is so."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved

import adjudge
from adjudge.analyses.compare.several import ComparedMeasures
from adjudge.analyses.scores import Scores
from adjudge.data.scores import MeasureInfo, ScoreTable

TOPICS = 12


def long_frame(effects: dict[str, dict[str, float]], topics: int = TOPICS, seed: int = 0) -> pd.DataFrame:
    """Scores by measure and system: the system's effect, the topic's, and noise."""
    rng = np.random.default_rng(seed)
    rows = []
    for measure, systems in effects.items():
        level = rng.normal(size=topics)
        for system, effect in systems.items():
            noise = rng.normal(scale=0.1, size=topics)
            rows += [
                (measure, f"t{k}", system, level[k] + effect + noise[k], _kind(system)) for k in range(topics)
            ]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "value", "kind"])


def _kind(system: str) -> str:
    return "human" if system.startswith("H") else "baseline" if system.startswith("lead") else "machine"


def scores(frame: pd.DataFrame, lower: tuple[str, ...] = (), none: tuple[str, ...] = ()) -> Scores:
    found = adjudge.read_scores(frame)
    infos = [
        MeasureInfo(m, better="lower" if m in lower else None if m in none else "higher")
        for m in found.table.measures
    ]
    table = ScoreTable.from_frame(found.table.frame, infos)
    return Scores(name="made", table=table, kinds=found.kinds)


EFFECTS = {
    "js": {"ours": 2.0, "theirs": 1.0, "lead": 3.0, "H1": 0.0},
    "rouge-1": {"ours": 2.0, "theirs": 1.0, "lead": 0.5, "H1": 3.0},
    "rouge-2": {"ours": 1.0, "theirs": 1.0, "lead": 0.0, "H1": 3.0},
}


@pytest.fixture(scope="module")
def found() -> ComparedMeasures:
    return adjudge.compare_all(scores(long_frame(EFFECTS), lower=("js",)))


def cells(latex: str) -> dict[str, list[str]]:
    """The rows of a tabular by their first cell; every row has as many cells as the layout says."""
    layout = re.search(r"\\begin\{tabular\}\{(.*)\}", latex)
    assert layout is not None
    width = len(layout[1].replace("@{}", ""))
    rows = {}
    for line in latex.splitlines():
        if line.endswith(r"\\"):
            held = re.split(r"(?<!\\)&", line.removesuffix(r"\\"))
            spanned = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
            assert len(held) + spanned == width, line
            rows[held[0].strip()] = [cell.strip() for cell in held[1:]]
    return rows


def balanced(latex: str) -> None:
    """Braces, environments and dollars come in pairs, as a compiler needs it; comments aside."""
    code = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[\\{}$&%#_]", "", code)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    opened: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", code):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    for line in code.splitlines():
        assert re.search(r"(?<!\\)[%#]", line) is None, line


def test_one_table_of_systems_and_measures(found: ComparedMeasures) -> None:
    latex = found.to_latex()
    balanced(latex)
    assert latex.startswith("\\begin{table}[tb]\n\\centering\n\\begin{tabular}{lr@{}lr@{}lr@{}l}\n\\toprule")
    assert latex.count(r"\begin{tabular}") == 1
    assert r"\label{tab:js-rouge-1-rouge-2}" in latex
    rows = cells(latex)
    assert rows["system"] == [
        r"\multicolumn{2}{c}{js $\downarrow$}",
        r"\multicolumn{2}{c}{rouge-1}",
        r"\multicolumn{2}{c}{rouge-2}",
    ]
    means = {c.measure: {s.system: s for s in c.standings} for c in found}
    for system in EFFECTS["js"]:
        for k, measure in enumerate(("js", "rouge-1", "rouge-2")):
            standing = means[measure][system]
            assert f"{standing.mean:.4f}" in rows[system][2 * k]
            assert rows[system][2 * k + 1] == rf"\textsuperscript{{{standing.group}}}"


def test_the_best_that_is_no_human_is_bold_the_right_way_round(
    found: ComparedMeasures, approved: Approved
) -> None:
    rows = cells(found.to_latex())
    bold = {(system, k) for system, held in rows.items() for k, cell in enumerate(held) if "textbf" in cell}
    rouge_2 = max(("ours", "theirs"), key=lambda s: next(x.mean for x in found[2].standings if x.system == s))
    assert bold == {("theirs", 0), ("ours", 2), (rouge_2, 4)}
    machines = adjudge.compare_all(scores(long_frame(EFFECTS), lower=("js",)), among="machines")
    approved(machines.table().caption)
    humans = long_frame({"m": {"H1": 1.0, "H2": 2.0}, "n": {"H1": 2.0, "H2": 1.0}})
    assert cells(adjudge.compare_all(humans).to_latex())["H2"][0].startswith(r"\textbf{")


def test_kinds_stand_apart(found: ComparedMeasures) -> None:
    lines = found.to_latex().splitlines()
    first = [re.split(" &| {", line)[0] for line in lines]
    headed = [line for line in lines if r"\textit" in line]
    assert headed == [
        rf"\multicolumn{{7}}{{l}}{{\textit{{{kind}}}}} \\" for kind in ("Systems", "Baselines", "Humans")
    ]
    order = [name for name in first if name in EFFECTS["js"]]
    assert order == ["theirs", "ours", "lead", "H1"]  # by js, lower first, within a kind
    assert lines.count(r"\midrule") == 3
    alike = long_frame({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}})
    assert r"\textit" not in adjudge.compare_all(alike).to_latex()


def test_the_caption_names_topics_test_correction_and_what_letters_mean(
    found: ComparedMeasures, approved: Approved
) -> None:
    approved(found.table().caption)
    frame = long_frame(EFFECTS)
    few = frame[(frame["measure"] != "js") | ~frame["topic"].isin(["t3", "t4"])]
    approved(adjudge.compare_all(few, test="mc", correct="bh", alpha=0.01).table().caption, "mc, bh")
    approved(adjudge.compare_all(frame, across="measures").table().caption, "across measures")
    approved(adjudge.compare_all(frame, correct="none").table().caption, "none")


def test_pairs_that_share_a_letter_for_want_of_data_are_counted(approved: Approved) -> None:
    frame = long_frame(EFFECTS, topics=5)
    # Of 5 topics the smallest p is 2/32, above .05: nothing could have been found.
    few = adjudge.compare_all(frame, test="wilcoxon")
    assert [c.as_dict()["conclusions"]["could not have been found"] for c in few] == [6, 6, 6]
    approved(few.table().caption, "out of reach")
    apart = long_frame({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}})
    even = apart["topic"].str[1:].astype(int) % 2 == 0
    apart = apart[(apart["measure"] == "b") | ((apart["system"] == "x") == even)]
    approved(adjudge.compare_all(apart).table().caption, "no topic in common")


def test_missing_scores_make_least_squares_means_and_missing_systems_dashes(approved: Approved) -> None:
    frame = long_frame(EFFECTS)
    holes = frame[~((frame["system"] == "ours") & (frame["topic"] == "t0") & (frame["measure"] == "rouge-1"))]
    holes = holes[~((holes["system"] == "theirs") & (holes["measure"] == "rouge-2"))]
    found = adjudge.compare_all(holes)
    rows = cells(found.to_latex())
    assert rows["theirs"][4:] == ["--", ""]
    moved = next(s for s in found[1].standings if s.system == "ours")
    assert moved.adjusted != moved.mean
    assert f"{moved.adjusted:.4f}" in rows["ours"][2]
    approved(found.table().caption)
    assert "| - |" in found.to_markdown()
    approved(found.methods().text, "methods")


def test_names_of_any_kind_compile_and_stay_apart() -> None:
    names = [
        r"a_b & 50%^~\x{}$#",
        "[ours]",
        "*star*",
        "model--v2",
        "Müller–Łódź β≥1",
        "a|b",
        "tab\tand\nline",
        "写作",
    ]
    values = np.random.default_rng(1).normal(size=(10, len(names)))
    frame = pd.DataFrame(values, columns=names, index=[f"t{k}" for k in range(10)])
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="system")
    both = pd.concat([long.assign(measure="m_1"), long.assign(measure="50% <x>", value=-long["value"])])
    found = adjudge.compare_all(both.assign(kind="machine"))
    latex = found.to_latex()
    balanced(latex)
    rows = cells(latex)
    assert r"a\_b \& 50\%\textasciicircum{}\textasciitilde{}\textbackslash{}x\{\}\$\#" in rows
    # A bracket or a star would be taken for an argument of the \\ before it.
    assert {"{}[ours]", "{}*star*"} <= set(rows)
    assert "model-{}-v2" in rows
    assert r"M\"{u}ller--\L{}\'{o}d\'{z} $\beta$$\geq$1" in rows
    assert r"a\textbar{}b" in rows
    assert "tab and line" in rows
    assert latex.count("写作 &") == 1
    assert "% LuaLaTeX or XeLaTeX, with a font that has 作 写" in latex
    assert r"\multicolumn{2}{c}{m\_1}" in latex
    lines = found.to_markdown().splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == len(names) + 2
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {4}
    assert table[1] == "| --- | ---: | ---: |"
    assert "| 50% \\<x>" in table[0]


def test_markdown_has_the_same_table_and_caption(found: ComparedMeasures) -> None:
    lines = found.to_markdown().splitlines()
    assert lines[:3] == [
        "| system | js ↓ | rouge-1 | rouge-2 |",
        "| --- | ---: | ---: | ---: |",
        "| *Systems* |  |  |  |",
    ]
    best = next(s for s in found[1].standings if s.system == "ours")
    assert f"**{best.mean:.4f}**<sup>{best.group}</sup>" in found.to_markdown()
    assert lines[-1] == found.table().caption


def test_one_measure_keeps_its_league_table(found: ComparedMeasures, approved: Approved) -> None:
    one = found[:1]
    assert one.to_latex() == found[0].to_latex()
    assert one.to_markdown() == found[0].to_markdown()
    latex = found[0].to_latex()
    balanced(latex)
    rows = cells(latex)
    assert rows[""][3] == r"95\% interval"
    approved(found[0].table().caption)
    best = next(s for s in found[0].standings if s.system == "theirs")
    assert rf"\textbf{{{best.mean:.4f}}}" in latex
    assert latex.count("textbf") == 1
    assert "Lower is better." in latex


def test_against_one_system_stars_show_who_differs(approved: Approved) -> None:
    found = adjudge.compare_all(long_frame(EFFECTS), against="lead")
    rows = cells(found.to_latex())
    c = {each.measure: each for each in found}["rouge-1"]
    different = {pair.a for pair in c.pairs[c.test] if pair.different}
    assert different
    starred = {system for system, held in rows.items() if held[3:4] == [r"\textsuperscript{*}"]}
    assert starred == different
    approved(found.table().caption)
    assert r"\textsuperscript{*}" in c.to_latex()
    assert "letter" not in c.to_latex()
    sided = adjudge.compare_all(long_frame(EFFECTS), against="lead", side="better")
    approved(sided.table().caption, "better")
    approved(adjudge.compare_all(long_frame(EFFECTS), among="human-machine").table().caption, "some pairs")


def test_a_description_has_no_best(approved: Approved) -> None:
    effects = {"words": {"x": 90.0, "y": 100.0}, "rouge-2": {"x": 0.1, "y": 0.2}}
    found = adjudge.compare_all(scores(long_frame(effects), none=("words",)), [*effects])
    rows = cells(found.to_latex())
    assert [cell for held in (rows["x"], rows["y"]) for cell in held[:1] if "textbf" in cell] == []
    approved(found.table().caption)
    assert re.fullmatch(r"\d+\.\d\d", rows["x"][0])  # few decimals of large numbers


def test_the_best_mean_stands_out_from_the_next() -> None:
    values = np.linspace(0, 1, 10)
    frame = pd.DataFrame({"x": values, "y": values + 0.000004}, index=[f"t{k}" for k in range(10)])
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="system")
    both = pd.concat([long.assign(measure=m) for m in ("m", "n")])
    rows = cells(adjudge.compare_all(both).to_latex())
    assert rows["x"][0] == "0.500000"
    assert rows["y"][0] == r"\textbf{0.500004}"


def test_the_headline_names_who_may_be_the_best_by_every_measure(
    found: ComparedMeasures, approved: Approved
) -> None:
    assert all(c.candidates() == ["H1"] for c in list(found)[1:])
    assert found.headline() == next(found.sentences())
    opposite = adjudge.compare_all(long_frame({"a": {"x": 1, "y": 5}, "b": {"x": 5, "y": 1}}))
    assert [c.candidates() for c in opposite] == [["y"], ["x"]]
    approved([found.headline(), opposite.headline()])
    assert found[:1].headline() == found[0].headline()


def test_the_league_frame_has_a_row_per_measure_and_system(found: ComparedMeasures) -> None:
    frame = found.to_frame()
    columns = "measure length form rank system kind n mean adjusted low high best worst group"
    assert list(frame.columns) == columns.split()
    assert len(frame) == 12
    row = frame[(frame["measure"] == "rouge-1") & (frame["system"] == "lead")].iloc[0]
    standing = next(s for s in found[1].standings if s.system == "lead")
    assert (row["mean"], row["low"], row["group"], row["best"]) == (
        standing.mean,
        standing.low,
        standing.group,
        standing.best,
    )
    assert row["kind"] == "baseline"
    against = adjudge.compare_all(long_frame(EFFECTS), against="lead").to_frame()
    assert against[["best", "worst", "group"]].isna().all(axis=None)


def test_several_lengths_are_columns(tmp_path: Path, approved: Approved) -> None:
    frame = long_frame({"m": {"x": 1.0, "y": 2.0}})
    both = pd.concat([frame.assign(length=n) for n in (50, 100)])
    found = adjudge.compare_all(both)
    assert cells(found.to_latex())["system"] == [
        r"\multicolumn{2}{c}{m, 50 words}",
        r"\multicolumn{2}{c}{m, 100 words}",
    ]
    assert list(found.table().to_frame().columns) == [
        "system",
        "kind",
        "m 50",
        "m 50 group",
        "m 100",
        "m 100 group",
    ]
    one = adjudge.compare_all(pd.concat([frame, frame.assign(measure="n")]).assign(length=50))
    assert cells(one.to_latex())["system"] == [r"\multicolumn{2}{c}{$m$}", r"\multicolumn{2}{c}{$n$}"]
    approved(one.table().caption)
