"""Each thing that can look wrong is found, has a severity, and says what it would do to the results."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.data.check import CheckReport, Finding
from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation

Make = Callable[..., Evaluation]
GOOD = "A proper summary of some length."


def finding(report: CheckReport, code: str) -> Finding:
    (found,) = [f for f in report.findings if f.code == code]
    return found


def many(system: str, text: str = GOOD, topics: int = 8) -> list[Row]:
    """One text per topic, all different, so that nothing but the planted problem is found."""
    return [Summary(f"t{k}", system, f"{text[:-1]} by {system}, no. {k}.", 20) for k in range(topics)]


def references() -> list[Row]:
    return [
        row
        for k in range(8)
        for row in (
            Summary(f"t{k}", "ann", f"Reference {k} says so.", 20, ("reference",)),
            Document(f"t{k}", "d", f"Document {k}."),
        )
    ]


def test_nothing_is_found_where_nothing_is_wrong(make: Make) -> None:
    report = make(*many("a"), *many("b"), *references()).check()
    assert report.findings == ()
    assert report.counts["systems"] == {"machine": 2}
    assert (report.counts["peers"], report.counts["references"]) == (16, 8)


def both(topic: str) -> list[Row]:
    return [Summary(topic, "b", "More by b.", 20), Summary(topic, "a", "More by a.", 20)]


PLANTED: dict[str, tuple[str, str, list[Row]]] = {
    "several-currencies": (
        "warning",
        "costs of 2 systems in USD, no currency",
        [*many("b"), System("a", cost=1.5, currency="USD"), System("b", cost=2), System("ann")],
    ),
    "missing-summaries": ("warning", "3 summaries of 1 system missing", many("b", topics=5)),
    "empty-peer": ("warning", "1 peer without a word", [*many("b")[1:], Summary("t0", "b", " - ", 20)]),
    "empty-reference": (
        "error",
        "1 reference without a word",
        [Summary("t0", "bob", "", 20, ("reference",))],
    ),
    "truncated": (
        "warning",
        "1 text cut off in mid-sentence",
        [*many("b")[1:], Summary("t0", "b", "It was cut in the", 20)],
    ),
    "no-full-stop": (
        "note",
        "8 texts of systems that mostly end without a full stop",
        [Summary(f"t{k}", "b", f"Headline style {k}", 20) for k in range(8)],
    ),
    "over-length": (
        "warning",
        "1 text over the target by more than 15 words",
        [*many("b")[1:], Summary("t0", "b", "word " * 35 + "end.", 20)],
    ),
    "broken-encoding": (
        "warning",
        "1 text with signs of a wrong encoding",
        [*many("b")[1:], Summary("t0", "b", "The cafÃ© closed.", 20)],
    ),
    "html": (
        "warning",
        "1 text with HTML left in",
        [*many("b")[1:], Summary("t0", "b", "A <b>bold</b> one.", 20)],
    ),
    "same-texts": (
        "warning",
        "a and b have the same text 8 times",
        [Summary(f"t{k}", "b", f"{GOOD[:-1]} by a, no. {k}.", 20) for k in range(8)],
    ),
    "peer-is-reference": (
        "warning",
        "1 peer is the same text as a reference",
        [*many("b")[1:], Summary("t0", "b", "Reference 0 says so.", 20)],
    ),
    "topic-without-documents": (
        "warning",
        "1 topic has no documents",
        [*many("b"), *both("t9"), Summary("t9", "ann", "So.", 20, ("reference",))],
    ),
    "topic-without-references": (
        "warning",
        "1 topic has no reference",
        [*many("b"), *both("t9"), Document("t9", "d", "Doc.")],
    ),
    "withdrawn": (
        "note",
        "b: 1 withdrawn summary left out (late)",
        [*many("b")[1:], Summary("t0", "b", "Late.", 20, withdrawn="late")],
    ),
    "unlisted-topic": ("warning", "8 topics are not in topics.jsonl", [Topic("t00")]),
    "unlisted-system": ("warning", "2 systems are not in systems.jsonl", [System("aa")]),
}


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_problem_is_found(make: Make, code: str) -> None:
    severity, what, rows = PLANTED[code]
    e = make(*many("a"), *references(), *rows)
    report = e.check()
    found = finding(report, code)
    assert found.severity == severity
    assert found.what.startswith(what)
    assert len(found.effect) > 20
    assert {f.code for f in report.findings} == {code}
    assert report.errors == (severity == "error")


def test_units_in_html_and_entities(make: Make) -> None:
    for text in ("AT&amp;T fell.", "<br/>Fell.", "x &#39; y."):
        assert finding(make(Summary("t", "s", text), name=str(hash(text))).check(), "html").count == 1
    assert not [f for f in make(Summary("t", "s", "3 < 4 and 5 > 2.")).check().findings if f.code == "html"]


def test_unknown_lengths_and_few_topics(make: Make) -> None:
    e = make(*many("a", topics=5))
    toml = e.path / "evaluation.toml"
    toml.write_text(toml.read_text().replace("lengths = []", "lengths = [50, 100]"))
    report = Evaluation.open(e.path).check()
    assert "summaries of 20 words, evaluation.toml asks for 50, 100" in finding(report, "unknown-length").what
    assert finding(report, "few-topics").what == "only 5 topics"
    assert finding(report, "no-documents").severity == finding(report, "no-references").severity == "note"


def test_an_empty_evaluation_has_nothing_to_score(make: Make) -> None:
    report = make().check()
    assert finding(report, "no-peers").severity == "error"


def test_a_broken_line_is_one_error_that_names_it(make: Make) -> None:
    e = make(*many("a"))
    (e.path / "documents.jsonl").write_text('{"topic": "t1", "id": "d"}\n')
    report = e.check()
    assert [f.code for f in report.findings] == ["unreadable"]
    assert 'documents.jsonl:1: no "text"' in report.findings[0].what


def test_findings_come_worst_first_and_name_a_few_places(make: Make) -> None:
    rows = [*many("a"), *references(), Summary("t1", "bob", "", 20, ("reference",))]
    rows += [Summary(f"t{k}", "b", "", 20) for k in range(8)]
    report = make(*rows).check()
    assert [f.severity for f in report.findings] == sorted(
        (f.severity for f in report.findings), key=["error", "warning", "note"].index
    )
    empty = finding(report, "empty-peer")
    assert (empty.count, empty.where) == (8, ("b: t0, t1, t2 and 5 more",))
    assert report.as_dict()["findings"][0]["severity"] == "error"


def test_what_commands_write_beside_the_fields_is_known(make: Callable[..., Evaluation]) -> None:
    """The level of a unit, a document's headline: not a key that no command knows."""
    e = make(
        Document("t", "d", "It rained. It was wet.", extra={"headline": "Rain", "source": "AP"}),
        Summary("t", "ann", "It rained hard on Monday.", 10, ("reference",), "ann"),
        Summary("t", "ann", "It rained hard on Monday. It was wet.", 20, ("reference",), "ann"),
        Summary("t", "a", "It rained.", 10),
    )
    e.units()
    assert e.levels().levels
    assert not [f for f in e.check().findings if f.code == "unknown-key"]
