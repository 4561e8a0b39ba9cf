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
from adjudge.comparisons.methods import MethodsParagraph
from adjudge.comparisons.references import REFERENCES, key_of, keys_in
from adjudge.comparisons.tests import CORRECTIONS, TESTS
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
        " Signatures: score|imported|DataFrame."
    )
    assert found.keys == ("wilcoxon1945", "holm1979", "piepho2004", "mogstad2024", "adjudge")
    assert "test~\\cite{wilcoxon1945}, with exact" in found.latex
    assert r"95\% intervals" in found.latex
    assert r"score\textbar\allowbreak{}imported" in found.latex


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
    return [keys for s in found.sentences for keys in re.findall("\x1e([^\x1e]*)\x1e", s)]


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
    assert "their ranks shared by both sides" in said(zeros="split")
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
    assert "no correction is made for them (Tarone, 1990)" in text
    assert "Tarone" not in said(matrix(5), correct="none")
    assert "Tarone" not in said(matrix(12))
    apart = matrix(12)
    apart.iloc[:6, 0] = np.nan
    apart.iloc[6:, 1] = np.nan
    assert "1 pair has no topic in common." in said(apart)


def test_comparisons_with_one_system_equivalence_and_sets() -> None:
    text = said(against="a", margin=0.1)
    assert "Every other system was compared with a topic by topic" in text
    assert (
        "two one-sided Wilcoxon signed-rank tests (Schuirmann, 1987) show their difference to lie within 0.1"
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
    clustered = said(frame.assign(set=frame["topic"].map(sets)), test="mc", cluster=True)
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
        "A system's score on a topic is the mean of 2 scores. The scores come from 2 assessors: what is said holds"
        in text
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
    assert r"Popovi\'{c}, Maja" in found.bibtex


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
        "book": {"publisher"},
        "misc": {"howpublished"},
    }
    assert len(REFERENCES) > 30
    for key, work in REFERENCES.items():
        assert key == key_of(work.names[0], work.year)
        assert needed[work.kind] <= set(work.fields), key
        text = work.bibtex()
        assert text.count("{") == text.count("}")
        assert text.isascii(), key  # BibTeX of any age takes it
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
