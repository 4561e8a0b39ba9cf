"""The chapters on trust, and on how it was done: what they say is what the results say."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from adjudge.analyses.agreement import agreement
from adjudge.analyses.agreement.chapter import PART as AGREEMENT
from adjudge.analyses.agreement.words import alpha_sentence
from adjudge.analyses.compare import compare_all
from adjudge.analyses.meta import meta
from adjudge.analyses.pages.chapter import Absent, Chapter, Findings, ReportOptions, page_figure
from adjudge.analyses.pages.judgments import MOST_PEOPLE, people_of
from adjudge.analyses.pages.render import template
from adjudge.analyses.references import REFERENCES
from adjudge.analyses.scores import Scores, read_scores
from adjudge.evaluation import Evaluation, report
from adjudge.reports.contents import gather
from adjudge.reports.limitations import limitations
from adjudge.reports.method import methods_of
from adjudge.reports.page import chapters_of
from adjudge.reports.sections import fullest_first

SYSTEMS = ("good", "fair", "plain", "odd", "bad", "worst")


def rated(*aspects: str, assessors: int = 3, automatic: bool = True, topics: int = 8) -> pd.DataFrame:
    """Ratings that follow a system's quality with noise of their own, and two measures that do so more or less."""
    rng = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for t in range(topics):
        for k, system in enumerate(SYSTEMS):
            true = 5 - 0.7 * k + rng.normal(0, 0.4)
            for aspect in aspects:
                for a in range(assessors):
                    value = float(np.clip(round(true + (a - 1) * 0.5 + rng.normal(0, 0.9)), 1, 5))
                    rows.append(
                        {
                            "measure": aspect,
                            "topic": f"t{t}",
                            "system": system,
                            "value": value,
                            "assessor": f"p{a}",
                        }
                    )
            if automatic:
                for name, noise in (("near", 0.3), ("far", 2.0)):
                    value = true + rng.normal(0, noise)
                    rows.append({"measure": name, "topic": f"t{t}", "system": system, "value": value})
    return pd.DataFrame(rows)


def found_in(frame: pd.DataFrame, *, quick: bool = False) -> Findings:
    scores = read_scores(frame)
    ordered = fullest_first(compare_all(scores))
    return gather(scores.collection(), scores, ordered, ReportOptions(quick=quick))


def test_measures_that_people_judged_answer_before_others() -> None:
    frame = rated("overall").sort_values("measure", kind="stable")
    judge = frame[frame["measure"] == "overall"].assign(measure="rating(aspect=overall, by=tree)")
    comparisons = compare_all(read_scores(pd.concat([judge, frame])))
    names = ["overall", "rating(aspect=overall, by=tree)", "far", "near"]
    assert [c.measure for c in comparisons] == names
    assert [c.measure for c in fullest_first([*comparisons[1:], comparisons[0]], people_first=True)] == names


def test_what_is_named_first_answers_first(tmp_path: Path) -> None:
    frame = rated("overall").sort_values("measure", kind="stable")
    answers = {}
    for named in ((), ("near", "overall")):
        page = report(frame, tmp_path / "page", named, quick=True)[0].read_text(encoding="utf-8")
        answers[named] = re.findall(r'<tr><th scope="row"><a href="#([^"]+)">', page)
    assert answers == {(): ["overall", "far", "near"], ("near", "overall"): ["near", "overall"]}


@pytest.fixture(scope="module")
def found() -> Findings:
    return found_in(rated("overall", "fluency"))


def of(found: Findings, anchor: str) -> Chapter:
    return next(chapter for chapter in chapters_of(found) if chapter.anchor == f"chapter-{anchor}")


def printed(chapter: Chapter) -> str:
    return template(chapter.template).render(content=chapter.content)


def test_chapters_come_in_the_order_of_the_questions(found: Findings) -> None:
    assert [chapter.question for chapter in chapters_of(found)] == [
        "Do systems differ in the same way on all topics?",
        "What do the differences look like?",
        "Can the judgments be trusted?",
        "Do the automatic measures agree with people?",
        "How was it done?",
    ]


def test_agreement_on_the_page_is_that_of_the_command(found: Findings) -> None:
    result = agreement(rated("overall", "fluency"))
    chapter = of(found, "trust")
    page = printed(chapter)
    assert result.headline() in page
    for question in result.questions:
        assert f"{question.alpha.value:.3f}" in page
    assert "adjudge agreement SCORES" in page


def test_dossiers_name_who_is_named(found: Findings) -> None:
    dossiers = found.results["assessors"]
    assert [each.measure for each in dossiers] == ["overall", "fluency"]
    assert any(each.flagged for each in dossiers)  # p0 and p2 were made half a point off
    page = printed(of(found, "trust"))
    assert all(each.headline() in page for each in dossiers)


def test_measures_are_compared_with_people(found: Findings) -> None:
    chapter = of(found, "measures")
    rows = found.results["meta"]["correlations"].of(level="system", coefficient="kendall-b")
    assert {row.measure.measure for row in rows} == {"near", "far"}
    page = printed(chapter)
    assert all(f"{row.value:.3f}" in page for row in rows)
    assert list(found.results["meta"].parts) == ["verdicts", "correlations", "ceiling", "better"]
    alone = meta(rated("overall", "fluency"), ["near", "far"], people="overall,fluency", parts="verdicts")
    sections = chapter.content.sections
    assert [section.anchor for section in sections] == [
        "meta-verdicts",
        "meta-correlations",
        "meta-ceiling",
        "meta-better",
    ]
    assert [sections[0].answer, *sections[0].sentences] == list(alone.sentences())
    for section, part in zip(sections, found.results["meta"].parts.values(), strict=True):
        assert [section.answer, *section.sentences] == list(part.sentences())


def test_without_assessors_chapters_say_what_is_missing() -> None:
    found = found_in(rated())
    looked_at = ("stability", "agreement", "assessors", "meta")
    assert all(isinstance(found.results[name], Absent) for name in looked_at)
    chapter = of(found, "trust")
    assert not chapter.content.sections
    assert [str(each) for each in chapter.missing] == [
        "No measure of the report names assessors, so nothing can be said of who judged. A column named assessor says"
        " who judged"
    ]
    assert "cannot be compared with people" in str(of(found, "measures").missing[0])
    assert (
        "No measure names assessors, and whether people gave some of the scores is not known: what automatic measures"
        " find is about quality only as far as they agree with people."
    ) in limitations(found)


def test_judgments_without_scores_are_not_called_none(judged_few: Path, tmp_path: Path) -> None:
    folder = Evaluation.open(shutil.copytree(judged_few, tmp_path / "e"))
    folder.score("rouge-1")
    page = folder.report(tmp_path / "report")[0].read_text(encoding="utf-8")
    assert "judged, and no score counts that. adjudge score . adds such scores" in page
    assert "names assessors" not in page
    assert "is people's" not in page


def test_without_automatic_measures_the_chapter_says_so() -> None:
    found = found_in(rated("overall", automatic=False))
    assert [str(each) for each in of(found, "measures").missing] == [
        "All measures of the report are people's, and none can be compared with them"
    ]
    assert of(found, "trust").content.sections


def test_one_assessor_is_a_limitation() -> None:
    found = found_in(rated("overall", assessors=1))
    assert isinstance(found.results["assessors"], Absent)
    assert "Overall: the scores are a single assessor's, and another might judge otherwise." in limitations(
        found
    )


def test_quick_leaves_the_chapters_on_trust_out() -> None:
    found = found_in(rated("overall"), quick=True)
    assert not found.results
    assert [chapter.anchor for chapter in chapters_of(found)] == ["chapter-method"]


def test_only_a_few_measures_of_people_are_looked_at() -> None:
    names = [f"quality(q={k})" for k in range(1, 7)]
    found = found_in(rated(*names, "overall", topics=3), quick=True)
    assert people_of(found) == ["overall", *names[: MOST_PEOPLE - 1]]
    assert next(AGREEMENT.about(cast(Any, None), found)).startswith(
        "Of 7 measures that assessors gave, overall, quality(q=1)"
    )


def test_the_methods_tell_what_was_done_and_cite_it(found: Findings) -> None:
    methods = methods_of(found)
    assert set(methods.keys) - {"adjudge"} <= set(REFERENCES)
    text = methods.text
    for part in (
        "We compared 6 systems on 8 topics",
        "Krippendorff's alpha with the ordinal distance (Krippendorff, 2019)",
        "by Kendall's tau-b (Kendall, 1945) at the system level and the input level",
        "permutation tests (Deutsch et al., 2021)",
    ):
        assert part in text
    entries = re.findall(r"^@\w+\{(\w+),", methods.bibtex, flags=re.MULTILINE)
    assert sorted(entries) == sorted(methods.keys)
    assert text.index("Kendall's tau-b") < text.index("Computed with Adjudge") < text.index("Signatures:")


def test_methods_say_nothing_of_what_was_not_done() -> None:
    text = methods_of(found_in(rated())).text
    assert "Krippendorff" not in text
    assert "Kendall" not in text


def test_limitations_follow_from_the_data(found: Findings) -> None:
    told = limitations(found)
    assert (
        "Conclusions are for topics like these, and rest on 8 topics: small differences are easily missed."
        in told
    )
    low = [q for q in found.results["agreement"].questions if q.alpha.value < 2 / 3]
    assert low
    assert any(text.startswith(f"Alpha is below .667 on {len(low)} of 2 questions") for text in told)
    assert not any("simulated" in text or "missing" in text or "language" in text for text in told)


def test_missing_scores_are_a_limitation() -> None:
    frame = rated("overall")
    frame = frame[~((frame["measure"] == "near") & (frame["topic"] == "t3") & (frame["system"] == "odd"))]
    told = limitations(found_in(frame, quick=True))
    assert "1 of 48 scores by near is missing." in told


def test_figures_are_drawn_where_the_result_has_them(compared: Callable[..., Any], three: Any) -> None:
    drawn = page_figure(compared(three), "forest")
    assert drawn is not None
    assert drawn.name == "forest"
    assert drawn.svg.startswith("<svg")
    assert "var(--" in drawn.svg
    assert page_figure(compared(three), "absent") is None
    assert page_figure(object(), "forest") is None


def test_of_several_lengths_the_fullest_is_looked_at() -> None:
    frame = pd.concat([rated("overall", topics=n // 12).assign(length=n) for n in (50, 100)])
    found = found_in(frame)
    assert [name for name, each in found.results.items() if isinstance(each, Absent)] == ["examples"]
    assert len(found.results["meta"].cells.topics) == 8
    words = "Of the lengths 50 and 100 words, 100 is looked at here"
    assert any(text.startswith(words) for text in of(found, "measures").content.about)
    assert next(each for each in found.results["stability"].noise).length == 100
    judged = of(found, "trust")
    assert [each.title for each in found.results["agreement"].questions] == ["overall"]
    words = "Agreement is for texts of 100 words, which have the most scores"
    assert any(text.startswith(words) for text in judged.content.about)
    shorter = next(each for each in found.conditions if each.length == 50 and each.measure == "overall")
    (agreed,) = [each for each in shorter.conditions if each.name == "agreement"]
    (alone,) = agreement(frame, length=50).questions
    assert agreed.words == f"On overall, Krippendorff's {alpha_sentence(alone.alpha, alone.topics)}"


def test_lengths_that_not_every_measure_has_are_taken_together() -> None:
    frame = pd.concat([rated("overall").assign(length=n) for n in (50, 100)])
    frame = frame[(frame["measure"] != "overall") | (frame["length"] == 50)]
    found = found_in(frame[(frame["measure"] != "far") | (frame["length"] == 100)])
    cells = found.results["meta"].cells
    assert (cells.topics[0], len(cells.topics)) == ("t0 @ 50", 8)
    there = {
        info.measure: bool(np.isfinite(own).all())
        for info, own in zip(cells.measures, cells.automatic, strict=True)
    }
    assert there == {"near": True, "far": False}


def test_of_several_forms_the_commonest_is_looked_at() -> None:
    both = rated("overall").assign(form="abstract")
    few = both[both["system"].isin(SYSTEMS[:3])].assign(form="extract")
    found = found_in(pd.concat([few, both]))
    assert {c.matrix.only_form for c in found.comparisons} == {"abstract", "extract"}
    (dossier,) = found.results["assessors"]
    alone = found_in(both)
    assert dossier.to_frame().equals(alone.results["assessors"][0].to_frame())
    assert list(found.results["meta"].parts) == ["verdicts", "correlations", "ceiling", "better"]
    rows = [
        each.results["meta"]["correlations"].of(level="system", coefficient="kendall-b")
        for each in (found, alone)
    ]
    assert [row.value for row in rows[0]] == [row.value for row in rows[1]]
    words = "Of the forms abstract and extract, abstract is looked at"
    assert any(
        text.startswith(f"{words} where assessors are compared") for text in of(found, "trust").content.about
    )
    assert any(text.startswith(f"{words} here") for text in of(found, "measures").content.about)
    assert not any(
        "forms" in text for name in ("trust", "measures") for text in of(alone, name).content.about
    )


def test_every_two_of_many_measures_are_compared_only_when_asked() -> None:
    frame = rated("overall")
    near = frame[frame["measure"] == "near"]
    many = [near.assign(measure=f"own-{k}", value=near["value"] + 0.01 * k) for k in range(11)]
    found = found_in(pd.concat([frame, *many]))
    assert list(found.results["meta"].parts) == ["verdicts", "correlations", "ceiling"]
    (missing,) = of(found, "measures").missing
    assert str(missing).startswith(
        "Which measure is nearer to people? 13 measures make 78 pairs, and pairs of more than 12 measures are compared"
        " only when you ask: adjudge meta "
    )
    assert str(missing).endswith(" --part better")


def test_one_topic_and_one_system_are_not_called_a_comparison() -> None:
    one = rated(automatic=True, topics=1)
    said = limitations(found_in(one[one["measure"] == "near"]))
    assert "There is one topic: nothing is known of others." in said
    alone = found_in(rated(topics=5).query("system == 'good' and measure == 'near'"))
    assert "Conclusions are for topics like these, and rest on 5 topics." in limitations(alone)
    assert methods_of(alone).text.startswith("We scored 1 system on 5 topics by near.")


def test_a_report_has_the_chapters(tmp_path: Path, parse: Callable[[str], Any]) -> None:
    index, *_ = report(rated("overall", topics=6), tmp_path / "report")
    page = parse(index.read_text(encoding="utf-8"))
    anchors = [each.get("id") for each in page.iter() if each.get("id")]
    assert [name for name in anchors if name.startswith("chapter-")] == [
        "chapter-trust",
        "chapter-measures",
        "chapter-method",
    ]
    assert len(anchors) == len(set(anchors))


def test_left_out_assessors_are_out_of_the_chapters() -> None:
    scores: Scores = read_scores(rated("overall")).without(["p2"])
    found = gather(scores.collection(), scores, compare_all(scores, "overall"), ReportOptions())
    assert [row.assessor for row in found.results["assessors"][0].rows] == ["p0", "p1"]
    assert found.results["agreement"].questions[0].assessors == ("p0", "p1")
    assert math.isfinite(found.results["agreement"].questions[0].alpha.value)
