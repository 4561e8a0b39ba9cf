"""The paragraph on methods: every sentence follows from the run, and what it cites is real and complete."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

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


def said(scores: Any = None, **options: Any) -> str:
    return adjudge.compare(matrix() if scores is None else scores, **options).methods().text


def test_the_usual_paragraph() -> None:
    found = adjudge.compare(matrix()).methods()
    version = adjudge.__version__
    assert found.text == (
        "We compared 3 systems on 12 topics by score. Pairs of systems were compared topic by topic with the two-sided"
        " Wilcoxon signed-rank test (Wilcoxon, 1945), with exact p-values. Tied differences have mean ranks; topics on"
        " which the two systems tie are left out. Differences count as significant up to p = .05 after Holm's"
        " correction for 3 pairs (Holm, 1979). 95% intervals of means are Student's t intervals over topics. Systems"
        " that share a letter are not significantly different (Piepho, 2004); ranks are those that the significant"
        f" differences leave open (Mogstad et al., 2024). Computed with Adjudge {version}."
        " Signature: score|imported|DataFrame."
    )
    assert found.keys == ("wilcoxon1945", "holm1979", "piepho2004", "mogstad2024", "adjudge")
    assert "test~\\cite{wilcoxon1945}, with exact" in found.latex
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


def test_resamples_and_seed_are_those_of_the_run() -> None:
    text = said(test="mc", resamples=300, seed=7)
    assert "approximate randomization test of the mean difference (Noreen, 1989; Rankel et al., 2011)" in text
    assert "with 300 random resamples and p = (k + 1)/(R + 1) (Phipson and Smyth, 2010)" in text
    assert "(seed 7)" in text
    assert "seed" not in said(test="t")
    assert "hybrid bootstrap test of the paired t statistic (Rankel et al., 2011), with 2,000 random" in said(
        test="hb"
    )
    assert "Tied differences have mean ranks" in said(test="mc:w", resamples=100)
    # 2^6 sign vectors are all gone through; nothing is random.
    few = said(matrix(6), correct="westfall-young")
    assert "the two-sided randomization test of the paired t statistic (Noreen, 1989), by all swaps" in few
    assert "seed" not in few
    assert "approximate randomization test of the paired t statistic" in said(
        matrix(40), correct="westfall-young"
    )
    assert "exact permutation test of the mean difference (Fisher, 1935), with exact p-values" in said(
        test="exact"
    )


def test_how_p_was_computed_follows_the_topics() -> None:
    assert "with p-values by the normal approximation." in said(matrix(400))
    wide = matrix(400)
    wide.iloc[:380, 2] = np.nan  # c shares 20 topics with the others
    text = said(wide)
    assert "with p-values exact for 2 pairs and by the normal approximation for 1." in text
    assert (
        "380 of 1,200 scores are missing; means are least-squares means of the model score = topic + system;"
        in text
    )
    assert "two systems are compared on the topics that both have (20 to 400)." in text


def test_zeros_are_treated_as_was_asked() -> None:
    assert "are ranked, and their ranks left out (Pratt, 1959)" in said(zeros="pratt")
    assert "Topics on which the two systems tie are left out." in said(test="sign")
    assert "tie" not in said(test="t")


def test_corrections_are_counted_as_they_were_made() -> None:
    assert "up to p = .01 after Bonferroni's correction for 3 pairs (Dunn, 1961)" in said(
        correct="bonferroni", alpha=0.01
    )
    assert "up to p = .05, with no correction for 3 pairs." in said(correct="none")
    two = said(matrix(systems=2))
    assert "The difference counts as significant up to p = .05." in two
    assert "Holm" not in two
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
    each = adjudge.compare_all(long).methods().text
    assert "on 12 topics by m1 and m2." in each
    assert "for the 3 pairs of each measure" in each
    every = adjudge.compare_all(long, across="measures", primary="m2").methods().text
    assert "for the 6 pairs of all measures together" in every
    assert "m2 was named as the primary measure." in every


def test_pairs_that_could_not_have_been_found_are_told() -> None:
    text = said(matrix(5))
    assert (
        "3 pairs could not have been found to differ, the smallest p within reach not being small enough"
        in text
    )
    assert (
        "after Holm's correction for 3 pairs, by Tarone's rule as if for at most 1 (Holm, 1979; Tarone, 1990)."
        in text
    )
    assert "Tarone" not in said(matrix(5), correct="none")
    assert "Tarone" not in said(matrix(12))
    apart = matrix(12)
    apart.iloc[:6, 0] = np.nan
    apart.iloc[6:, 1] = np.nan
    text = said(apart)
    assert "1 pair has no topic in common." in text
    # c shares 6 topics with each of the others: the smallest p is 2/64, and one of two would have to be .025.
    assert "after Holm's correction for 2 pairs (Holm, 1979)." in text
    assert "2 pairs could not have been found to differ, the smallest p within reach" in text
    single = matrix(12)
    single.iloc[1:, 0] = np.nan
    text = said(single)
    assert "2 pairs have one topic in common." in text
    assert "The difference counts as significant up to p = .05." in text  # the one pair that has a p
    assert "no correction" not in said(single, correct="none")


def ceiling() -> pd.DataFrame:
    """Two systems that are always perfect, one that is so but four times, one that often is not."""
    frame = pd.DataFrame(1.0, index=[f"t{k}" for k in range(15)], columns=list("ABCD"))
    frame.iloc[:4, 2] = 0.9
    frame.iloc[4:12, 3] = np.linspace(0.1, 0.8, 8)
    return frame


def test_a_measure_of_several_targets_is_named_once_with_its_targets() -> None:
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
    text = compared_methods(list(compare_all(read_scores(table), ()))).text
    assert text.startswith(
        "We compared 3 systems on 8 to 9 topics (8 by clear (50 words) and full (50 words, abstract);"
        " 9 by clear (100 words) and full (100 words, abstract; 100 words, extract)) by"
        " clear (50 and 100 words) and full (50 and 100 words, abstract; 100 words, extract)."
        " By full (50 words, abstract): 1 of 24 scores is missing; means are least-squares means of the model"
        " score = topic + system; two systems are compared on the topics that both have (7 to 8)."
    )


def test_pairs_that_tie_and_systems_without_intervals_are_counted_with_the_reason() -> None:
    found = adjudge.compare(ceiling())
    text = found.methods().text
    assert "1 pair ties on every topic." in text
    why = "fewer than five topics differ from a score that occurs more than once."
    assert f"3 of 4 systems (A, B and C) have no interval of the mean: {why}" in text
    assert f"3 of 4 systems (A, B and C) have no interval of the mean: {why}" in found.table().caption
    assert "1 pair ties on every topic and shares a letter." in found.table().caption
    # The smallest p of 4 topics that differ is 2/16, of 8 it is 2/256, of 12 (C and D) 2/4096.
    assert "2 pairs could not have been found to differ, the smallest p within reach" in text
    assert "for 6 pairs, by Tarone's rule as if for at most 3 (" in text
    flat = adjudge.compare(ceiling()[["A", "B"]]).methods().text
    assert "t intervals" not in flat
    assert "2 of 2 systems (A and B) have no interval of the mean" in flat
    one = said(matrix(1))
    assert "3 of 3 systems (c, b and a) have no interval of the mean: there is a single topic." in one
    assert "3 pairs have one topic in common." in one
    assert "significant up to" not in one  # no pair has a p


def test_humans_who_are_pooled_are_counted_with_what_they_lack() -> None:
    frame = matrix(12, 4).rename(columns={"c": "H1", "d": "H2"})
    frame.iloc[:5, 2] = np.nan
    frame.iloc[5:11, 3] = np.nan
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="system")
    long["kind"] = np.where(long["system"].str.startswith("H"), "human", "machine")
    found = adjudge.compare(long.dropna(), pool_humans=True)
    stands = (
        "HUMANS stands for 2 humans, with the mean of those who have a score on a topic (1 to 2 on each; 11 of their"
        " 24 scores are missing)."
    )
    for text in (found.methods().text, adjudge.groups(long.dropna(), pool_humans=True).methods().text):
        assert "We compared 3 systems (2 machines and 2 humans pooled as one system) on 12 topics" in text
        assert stands in text
        assert "A system's score on a topic is" not in text
    assert stands in found.table().caption
    assert stands in adjudge.compare_all(long.dropna(), pool_humans=True).table().caption
    whole = adjudge.compare(long.fillna(0.5), pool_humans=True).methods().text
    assert "HUMANS stands for 2 humans, with their mean on each topic." in whole


def test_intervals_are_of_the_means_that_are_not_adjusted() -> None:
    holes = matrix()
    holes.iloc[0, 0] = np.nan
    found = adjudge.compare(holes)
    assert "95% intervals of the unadjusted means are Student's t intervals over topics." in said(holes)
    assert "1 of 36 scores is missing." in found.table().caption
    assert "95% intervals of the unadjusted means are" in found.table().caption
    assert "| 95% interval, unadjusted |" in found.to_markdown()
    assert "| 95% interval |" in adjudge.compare(matrix()).to_markdown()
    both = pd.concat(
        [
            frame.rename_axis("topic").reset_index().melt("topic", var_name="system").assign(measure=m)
            for m, frame in (("m1", holes), ("m2", matrix()))
        ]
    ).dropna()
    every = adjudge.compare_all(both)
    assert "95% intervals of means (of m1 the unadjusted ones) are Student's" in every.methods().text
    assert "1 of 36 scores by m1 is missing. Means of m1 are least-squares means" in every.table().caption


def test_every_test_that_was_run_is_named() -> None:
    text = said(tests=["t", "mc"], test="sign", resamples=300)
    assert "with the two-sided sign test (Dixon and Mood, 1946)" in text
    assert (
        "Also run, each corrected by itself, those that resample with 300 resamples: the paired t-test (Student, 1908)"
        " and the approximate randomization test of the mean difference (Noreen, 1989; Rankel et al., 2011). Groups"
        " and ranks are those of the sign test." in text
    )
    assert "(seed 0)" in text
    every = said(test="all")
    for name in ("paired t-test", "unpaired t-test", "Welch t-test", "sign test", "hybrid bootstrap test"):
        assert f"the {name}" in every
    assert "Also run" not in said()


@pytest.mark.parametrize(
    ("correct", "after"),
    [
        ("holm", " after Holm's correction for 3 pairs (Holm, 1979)"),
        (
            "westfall-young",
            " after Holm's correction for 3 pairs (Holm, 1979)",
        ),  # there is no other for these
        ("bh", " after Benjamini and Hochberg's correction for 3 pairs (Benjamini and Hochberg, 1995)"),
        ("none", " with no correction for 3 pairs"),
    ],
)
def test_equivalence_has_its_level_and_its_correction(correct: str, after: str) -> None:
    text = said(margin=0.1, test="t", correct=correct, alpha=0.01)
    assert f"show their difference to lie within 0.1, up to p = .01{after}." in text
    assert "not called equivalent in any case" in said(ceiling(), margin=0.1)


def test_comparisons_with_one_system_equivalence_and_sets() -> None:
    text = said(against="a", margin=0.1)
    assert "Every other system was compared with a topic by topic" in text
    assert (
        "two one-sided Wilcoxon signed-rank tests (Schuirmann, 1987) show their difference to lie within 0.1, up to"
        " p = .05 after Holm's correction for 2 pairs (Holm, 1979), and the mean difference lies within it too."
        in text
    )
    assert "letter" not in text
    sided = said(against="a", side="better", test="t")
    assert (
        "Whether every other system is better than a was tested topic by topic with the one-sided paired t-test"
        in sided
    )
    frame = matrix(12).rename_axis("topic").reset_index().melt("topic", var_name="system")
    sets = {f"t{k}": f"s{k // 2}" for k in range(12)}
    clustered = said(frame.assign(set=frame["topic"].map(sets)), test="mc", cluster="set")
    assert "Topics that belong together change sides together (6 sets)." in clustered
    assert "by all swaps" in clustered
    assert "t intervals over sets of topics" in clustered


def test_scores_of_several_assessors_are_told() -> None:
    frame = matrix().rename_axis("topic").reset_index().melt("topic", var_name="system")
    both = pd.concat(
        [frame.assign(assessor=a, value=frame["value"] + k) for k, a in enumerate(("ann", "bob"))]
    )
    text = said(both)
    assert (
        "A system's score on a topic is the mean of 2 scores. Two assessors judged (all of them the same summaries),"
        " and conclusions are about assessors like them." in text
    )
    assert "adjudge anova" not in text
    other = pd.concat([both.assign(measure="m"), frame.assign(measure="n", assessor="ann")])
    text = adjudge.compare_all(other).methods().text
    assert "A system's score on a topic by m is the mean of 2 scores." in text
    assert "by n is the mean" not in text
    same = pd.concat([both.assign(measure=m) for m in ("m", "n")])
    assert adjudge.compare_all(same).methods().text.count("is the mean of 2 scores") == 1


def test_measures_are_cited_where_they_were_computed_here(tmp_path: Path) -> None:
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
    assert (
        "by ROUGE-1 recall (Lin, 2004), ROUGE-2 recall and chrF (Popović, 2015; Popović, 2017; Post, 2018)."
        in found.text
    )
    assert "rouge-2|stat:recall" in found.text
    prepared = (
        "words are runs of ASCII letters and digits; words are stemmed with ROUGE-1.5.5's Porter stemmer; no stop"
        " words are left out; texts are not cut; every text is compared with 1 reference."
    )
    assert f"For ROUGE-1 recall and ROUGE-2 recall: {prepared}" in found.text
    assert r"Popovi\'{c}, Maja" in found.bibtex


def test_references_that_not_all_systems_have_are_told(tmp_path: Path) -> None:
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
    for text in (
        adjudge.compare_all(e.path, specs).methods().text,
        adjudge.groups(e.path, "rouge-2").methods().text,
    ):
        assert "matches are pooled over references; every text is compared with 1 to 2 references." in text
        assert "ann is not compared with their own reference, so with fewer than the others (2)." in text
    text = adjudge.compare(e.path, specs[1]).methods().text
    assert (
        "words are not stemmed; stop words (en) are left out; texts and references are cut to their first 100 words;"
        " the reference with the highest F counts; every text" in text
    )
    machines = adjudge.compare(e.path, "rouge-2", among="machines").methods().text
    assert "their own reference" not in machines


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


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (
            {"method": "max-t", "resamples": 200},
            [
                "3 pairs of systems were tested together, each with the variance of its own differences over topics",
                "step-down bootstrap of the largest t statistic (Romano and Wolf, 2005), with 200 resamples.",
                "(seed 0)",
            ],
        ),
        ({"method": "t"}, ["paired t-tests (Student, 1908), each with", "Holm's procedure (Holm, 1979)"]),
        (
            {"method": "tukey"},
            ["tested together with Tukey's test (Tukey, 1949; Kramer, 1956), with one variance for all"],
        ),
        ({"method": "tukey", "scale": "ranks"}, ["replaced by their ranks (Conover and Iman, 1981)"]),
        (
            {"method": "tukey", "scale": "topic-ranks"},
            ["replaced by their ranks within topics.", "Nemenyi's test of mean ranks (Demšar, 2006)"],
        ),
        (
            {"method": "t", "best": True, "against": "a", "alpha": 0.1},
            ["Hsu's (Hsu, 1984)", "2 contrasts are a family of their own.", "up to a corrected p of .1;"],
        ),
    ],
)
def test_groups_say_how_they_were_made(options: dict[str, Any], parts: list[str]) -> None:
    found = adjudge.groups(matrix(), **options)
    text = found.methods().text
    assert text.startswith("We compared 3 systems on 12 topics by score.")
    for part in parts:
        assert part in text
    assert ("seed" in text.partition("Signature")[0]) == (options["method"] == "max-t")
    assert text.endswith(f"Signature: {found.signature}.")
    assert "Systems that share a letter are not significantly different (Piepho, 2004)" in text
    assert found.as_dict()["methods"]["text"] == text


def test_groups_tell_missing_scores_and_pairs_that_cannot_be_found() -> None:
    holes = matrix()
    holes.iloc[0, 0] = np.nan
    text = adjudge.groups(holes, method="t").methods().text
    assert (
        "1 of 36 scores is missing; means are least-squares means of the model score = topic + system."
        in text
    )
    assert "over topics, on the topics that both systems of a pair have." in text
    constant = matrix(systems=2).assign(c=lambda f: f["a"] + 1)
    assert (
        "1 pair could not have been found to differ." in adjudge.groups(constant, method="t").methods().text
    )
    assert "of systems" not in adjudge.groups(matrix(systems=1)).methods().text
