"""The paragraph on methods: every sentence follows from the run, and what it cites is real and complete."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved

import adjudge
from adjudge.analyses.compare import compare_all
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.methods import MethodsParagraph, compared_methods
from adjudge.analyses.references import REFERENCES, key_of, keys_in
from adjudge.analyses.scores import read_scores
from adjudge.analyses.tests import TESTS
from adjudge.measures.registry import registry


def matrix(topics: int = 12, systems: int = 3, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(topics, systems)) + np.arange(systems) + rng.normal(size=(topics, 1))
    return pd.DataFrame(values, index=[f"t{k}" for k in range(topics)], columns=list("abcdefgh"[:systems]))


def of(scores: Any = None, **options: Any) -> MethodsParagraph:
    return adjudge.compare(matrix() if scores is None else scores, **options).methods()


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z0-9])", text)


def unusual(methods: MethodsParagraph, than: MethodsParagraph | None = None) -> list[str]:
    """The sentences that the usual paragraph does not have."""
    usual = sentences((than or of()).text)
    return [sentence for sentence in sentences(methods.text) if sentence not in usual]


def test_the_usual_paragraph(approved: Approved) -> None:
    found = of()
    approved(sentences(found.text))
    assert found.keys == ("student1908", "holm1979", "piepho2004", "mogstad2024", "adjudge")
    assert "t-test~\\cite{student1908}." in found.latex
    assert r"95\% intervals" in found.latex
    assert (
        r"score\allowbreak{}\textbar{}\allowbreak{}imported\allowbreak{}\textbar{}\allowbreak{}"
        in found.latex
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("correct", CORRECTIONS)
def test_every_test_and_correction_has_words_and_works(test: str, correct: str) -> None:
    found = adjudge.compare(matrix(), test=test, correct=correct, resamples=200).methods()
    cited = set(re.findall(r"@\w+\{(\w+),", found.bibtex))
    assert cited == set(found.keys)
    assert set(re.findall(r"\\cite\{([^}]*)\}", found.latex)) == set(_groups(found))
    for reference in (REFERENCES[key] for key in found.keys if key in REFERENCES):
        assert reference.short in found.text
        assert reference.words() in found.references
    assert "()" not in found.text
    assert "\x1e" not in found.text + found.latex + found.to_markdown()


def _groups(found: MethodsParagraph) -> list[str]:
    return [keys for s in (*found.sentences, *found.computed) for keys in re.findall("\x1e([^\x1e]*)\x1e", s)]


def test_resamples_and_seed_are_those_of_the_run(approved: Approved) -> None:
    usual = of()
    for label, methods in {
        "mc": of(test="mc", resamples=300, seed=7),
        "t": of(test="t"),
        "hb": of(test="hb"),
        "mc:w": of(test="mc:w", resamples=100),
        # 2^6 sign vectors are all gone through; nothing is random.
        "all swaps": of(matrix(6), correct="westfall-young"),
        "some swaps": of(matrix(40), correct="westfall-young"),
        "exact": of(test="exact"),
    }.items():
        approved(unusual(methods, usual), label)
        assert ("(seed" in methods.text) == (label in ("mc", "hb", "mc:w", "some swaps"))
    assert {"noreen1989", "rankel2011", "phipson2010"} <= set(of(test="mc", resamples=100).keys)


def test_how_p_was_computed_follows_the_topics(approved: Approved) -> None:
    approved(unusual(of(matrix(400))), "normal")
    wide = matrix(400)
    wide.iloc[:380, 2] = np.nan  # c shares 20 topics with the others
    approved(unusual(of(wide)), "exact for two pairs")


def test_zeros_are_treated_as_was_asked(approved: Approved) -> None:
    approved(unusual(of(test="wilcoxon", zeros="pratt")), "pratt")
    approved(unusual(of(test="sign")), "sign")
    assert "pratt1959" in of(test="wilcoxon", zeros="pratt").keys
    assert "pratt1959" not in of(test="t", zeros="pratt").keys


def test_corrections_are_counted_as_they_were_made(approved: Approved) -> None:
    approved(unusual(of(correct="bonferroni", alpha=0.01)), "bonferroni")
    approved(unusual(of(correct="none")), "none")
    two = of(matrix(systems=2))
    approved(unusual(two), "two systems")
    assert "holm1979" not in two.keys
    long = pd.concat(
        [
            matrix(seed=k)
            .rename_axis("topic")
            .reset_index()
            .melt("topic", var_name="system")
            .assign(measure=m)
            for k, m in enumerate(("m1", "m2"))
        ]
    )
    approved(unusual(adjudge.compare_all(long).methods()), "each measure")
    across = adjudge.compare_all(long, across="measures", primary="m2")
    assert [c.corrected for c in across] == [6, 6]
    approved(unusual(across.methods()), "across measures")


def test_pairs_that_could_not_have_been_found_are_told(approved: Approved) -> None:
    few = of(matrix(5), test="wilcoxon")
    approved(unusual(few), "five topics")
    assert {"holm1979", "tarone1990"} <= set(few.keys)
    assert "tarone1990" not in of(matrix(5), test="wilcoxon", correct="none").keys
    assert "tarone1990" not in of().keys
    apart = matrix(12)
    apart.iloc[:6, 0] = np.nan
    apart.iloc[6:, 1] = np.nan
    # c shares 6 topics with each of the others: the smallest p is 2/64, and one of two would have to be .025.
    approved(unusual(of(apart)), "no topic in common")
    assert "tarone1990" not in of(apart).keys
    single = matrix(12)
    single.iloc[1:, 0] = np.nan
    approved(unusual(of(single)), "one topic in common")  # one pair has a p
    approved(unusual(of(single, correct="none")), "one topic in common, not corrected")


def ceiling() -> pd.DataFrame:
    """Two systems that are always perfect, one that is so but four times, one that often is not."""
    frame = pd.DataFrame(1.0, index=[f"t{k}" for k in range(15)], columns=list("ABCD"))
    frame.iloc[:4, 2] = 0.9
    frame.iloc[4:12, 3] = np.linspace(0.1, 0.8, 8)
    return frame


def test_a_measure_of_several_targets_is_named_once_with_its_targets(approved: Approved) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (measure, f"t{k}", system, length, form, value)
        for measure in ("clear", "full")
        for length, form in ((50, "abstract"), (100, "abstract"), (100, "extract"))
        if measure == "full" or form == "abstract"
        for k in range(9 if length == 100 else 8)
        for system, value in zip("abc", rng.normal(size=3) + np.arange(3), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["measure", "topic", "system", "length", "form", "score"])
    table = table.drop(
        index=[k for k, row in enumerate(rows) if row[:5] == ("full", "t0", "a", 50, "abstract")]
    )
    methods = compared_methods(list(compare_all(read_scores(table), ())))
    approved(sentences(methods.text)[:2])


def test_pairs_that_tie_and_systems_without_intervals_are_counted_with_the_reason(approved: Approved) -> None:
    found = adjudge.compare(ceiling())
    # The smallest p of 4 topics that differ is 2/16, of 8 it is 2/256, of 12 (C and D) 2/4096.
    approved(unusual(found.methods()))
    approved(found.table().caption, "caption")
    approved(unusual(of(ceiling()[["A", "B"]])), "flat")
    approved(unusual(of(matrix(1))), "one topic")  # no pair has a p


def test_humans_who_are_pooled_are_counted_with_what_they_lack(approved: Approved) -> None:
    frame = matrix(12, 4).rename(columns={"c": "H1", "d": "H2"})
    frame.iloc[:5, 2] = np.nan
    frame.iloc[5:11, 3] = np.nan
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="system")
    long["kind"] = np.where(long["system"].str.startswith("H"), "human", "machine")
    found = adjudge.compare(long.dropna(), pool_humans=True)
    usual = of()
    approved(unusual(found.methods(), usual))
    approved(unusual(adjudge.groups(long.dropna(), pool_humans=True).methods(), usual), "groups")
    approved(found.table().caption, "caption")
    approved(adjudge.compare_all(long.dropna(), pool_humans=True).table().caption, "caption of all")
    approved(unusual(of(long.fillna(0.5), pool_humans=True), usual), "nothing missing")


def test_intervals_are_of_the_means_that_are_not_adjusted(approved: Approved) -> None:
    holes = matrix()
    holes.iloc[0, 0] = np.nan
    found = adjudge.compare(holes)
    approved(unusual(of(holes)))
    approved(found.table().caption, "caption")
    assert "| 95% interval (unadjusted) |" in found.to_markdown()
    assert "| 95% interval |" in adjudge.compare(matrix()).to_markdown()
    both = pd.concat(
        [
            frame.rename_axis("topic").reset_index().melt("topic", var_name="system").assign(measure=m)
            for m, frame in (("m1", holes), ("m2", matrix()))
        ]
    ).dropna()
    every = adjudge.compare_all(both)
    approved(unusual(every.methods()), "of one measure")
    approved(every.table().caption, "caption of one measure")


def test_every_test_that_was_run_is_named(approved: Approved) -> None:
    approved(unusual(of(tests=["t", "mc"], test="sign", resamples=300)))
    approved(unusual(of(test="all")), "all")


def test_equivalence_has_its_level_and_its_correction(approved: Approved) -> None:
    for correct, cited in {
        "holm": "holm1979",
        "westfall-young": "holm1979",  # there is no other for these
        "bh": "benjamini1995",
        "none": "schuirmann1987",
    }.items():
        methods = of(margin=0.1, test="t", correct=correct, alpha=0.01)
        assert {cited, "schuirmann1987"} <= set(methods.keys)
        approved([sentence for sentence in unusual(methods) if "0.1" in sentence], correct)
    approved([s for s in unusual(of(ceiling(), margin=0.1)) if "0.1" in s], "without differences")


def test_comparisons_with_one_system_equivalence_and_sets(approved: Approved) -> None:
    text = of(against="a", margin=0.1)
    approved(unusual(text))
    assert "piepho2004" not in text.keys
    approved(unusual(of(against="a", side="better", test="t")), "sided")
    frame = matrix(12).rename_axis("topic").reset_index().melt("topic", var_name="system")
    sets = {f"t{k}": f"s{k // 2}" for k in range(12)}
    approved(unusual(of(frame.assign(set=frame["topic"].map(sets)), test="mc", cluster="set")), "sets")


def test_scores_of_several_assessors_are_told(approved: Approved) -> None:
    frame = matrix().rename_axis("topic").reset_index().melt("topic", var_name="system")
    both = pd.concat(
        [frame.assign(assessor=a, value=frame["value"] + k) for k, a in enumerate(("ann", "bob"))]
    )
    approved(unusual(of(both)))
    other = pd.concat([both.assign(measure="m"), frame.assign(measure="n", assessor="ann")])
    approved(unusual(adjudge.compare_all(other).methods()), "of one measure")
    same = pd.concat([both.assign(measure=m) for m in ("m", "n")])
    approved(unusual(adjudge.compare_all(same).methods()), "of both")


def test_measures_are_cited_where_they_were_computed_here(tmp_path: Path, approved: Approved) -> None:
    e = adjudge.init(tmp_path / "e")
    rows = [
        {"topic": f"t{k}", "system": system, "text": text.format(k), "roles": [role]}
        for k in range(3)
        for system, text, role in (
            ("x", "A storm came on day {}.", "peer"),
            ("y", "Day {} was calm.", "peer"),
            ("ref", "Storms came on {} days.", "reference"),
        )
    ]
    (e.path / "summaries.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    e.score("rouge-1", "rouge-2", "chrf")
    found = e.compare_all(["rouge-1", "rouge-2", "chrf"]).methods()
    approved(sentences(found.text))
    assert "lin2004" in found.keys
    assert r"Popovi\'{c}, Maja" in found.bibtex


def test_references_that_not_all_systems_have_are_told(tmp_path: Path, approved: Approved) -> None:
    e = adjudge.init(tmp_path / "e")
    rows = [
        {"topic": f"t{k}", "system": system, "text": f"{text} on day {k}.", "roles": roles}
        for k in range(3)
        for system, text, roles in (
            ("x", "A storm came", ["peer"]),
            ("y", "It was calm", ["peer"]),
            ("ann", "Storms came", ["peer", "reference"]),
            ("bob", "Two storms came", ["reference"]),
        )
    ]
    (e.path / "summaries.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    kinds = [{"system": s, "kind": "machine" if s in "xy" else "human"} for s in ("x", "y", "ann", "bob")]
    (e.path / "systems.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in kinds), encoding="utf-8")
    specs = ["rouge-2", "rouge-1(stat=f, stem=none, stop=en, limit=100w, refs=max)"]
    adjudge.open(e.path).score(*specs)
    usual = of()
    approved(unusual(adjudge.compare_all(e.path, specs).methods(), usual))
    approved(unusual(adjudge.groups(e.path, "rouge-2").methods(), usual), "groups")
    approved(unusual(adjudge.compare(e.path, "rouge-2", among="machines").methods(), usual), "machines")


def test_every_measure_cites_works_that_are_known() -> None:
    for name, make in registry().items():
        cls: Any = getattr(make, "func", make)
        keys = keys_in(cls.CITATION)
        assert keys, (name, cls.CITATION)
        parts = [part for part in cls.CITATION.split(";") if re.search(r"\d{4}", part)]
        assert len(keys) == len(parts), (name, cls.CITATION)


def test_references_have_what_their_kind_needs() -> None:
    needed = {
        "article": {"journal", "volume"},
        "inproceedings": {"booktitle"},
        "book": {"publisher", "address"},
        "misc": {"howpublished"},
    }
    assert len(REFERENCES) > 30
    for key, work in REFERENCES.items():
        assert key == key_of(work.names[0], work.year)
        assert needed[work.kind] <= set(work.fields), key
        text = work.bibtex()
        assert text.count("{") == text.count("}")
        assert text.isascii(), key  # BibTeX of any age takes it
    assert "publisher = {Oliver and Boyd},\n  address = {Edinburgh}," in REFERENCES["fisher1935"].bibtex()
    assert "pages = {Article 39}," in REFERENCES["phipson2010"].bibtex()
    assert REFERENCES["westfall1993"].words().endswith("John Wiley & Sons, New York.")
    assert REFERENCES["popovic2015"].short == "Popović, 2015"
    assert REFERENCES["benjamini1995"].short == "Benjamini and Hochberg, 1995"
    assert REFERENCES["rankel2011"].short == "Rankel et al., 2011"


def test_names_with_marks_of_latex_and_markdown_stay_text() -> None:
    frame = matrix().rename(columns={"a": "50%_|x"})
    found = adjudge.compare(frame, against="50%_|x").methods()
    assert r"compared with 50\%\_\textbar\allowbreak{}x topic" in found.latex
    assert r"50%\_\|x" in found.to_markdown()


def test_json_has_the_methods() -> None:
    c = adjudge.compare(matrix())
    assert c.as_dict()["methods"] == c.methods().as_dict()
    assert set(c.as_dict()["methods"]) == {"text", "latex", "bibtex"}


def test_groups_say_how_they_were_made(approved: Approved) -> None:
    usual = of()
    every: dict[str, dict[str, Any]] = {
        "max-t": {"method": "max-t", "resamples": 200},
        "t": {"method": "t"},
        "tukey": {"method": "tukey"},
        "ranks": {"method": "tukey", "tested": "ranks"},
        "topic-ranks": {"method": "tukey", "tested": "topic-ranks"},
        "best": {"method": "t", "best": True, "against": "a", "alpha": 0.1},
    }
    for label, options in every.items():
        found = adjudge.groups(matrix(), **options)
        methods = found.methods()
        approved(unusual(methods, usual), label)
        assert ("(seed" in methods.text) == (label == "max-t")
        assert methods.signatures == (found.signature,)
        assert "piepho2004" in methods.keys
        assert found.as_dict()["methods"]["text"] == methods.text


def test_groups_tell_missing_scores_and_pairs_that_cannot_be_found(approved: Approved) -> None:
    holes = matrix()
    holes.iloc[0, 0] = np.nan
    approved(unusual(adjudge.groups(holes, method="t").methods()))
    constant = matrix(systems=2).assign(c=lambda f: f["a"] + 1)
    approved(unusual(adjudge.groups(constant, method="t").methods()), "constant")
    approved(unusual(adjudge.groups(matrix(systems=1)).methods()), "one system")
