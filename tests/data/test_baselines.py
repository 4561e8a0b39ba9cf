"""The baselines, by hand: Lin and Hovy 2.1, and Over and Liggett's rule for whole sentences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import ClashError, DataError, UsageError
from adjudge.data.baselines import SLACK, targets
from adjudge.data.baselines import make as make_baseline
from adjudge.data.rows import Document, Summary, Topic
from adjudge.evaluation import Evaluation
from adjudge.text.words import count_words

Make = Callable[..., Evaluation]


def sentence(words: int, name: str = "w") -> str:
    return " ".join(["The", *[f"{name}{k}" for k in range(2, words)], "end."]) if words > 1 else "End."


def document(id: str, date: str | None, *sizes: int) -> Document:
    return Document("t", id, " ".join(sentence(n, f"{id}x") for n in sizes), date)


def test_lead_takes_the_most_recent_document_and_coverage_all_in_date_order(make: Make) -> None:
    e = make(
        Document("t", "b", "Second one. More second.", "2024-02-01"),
        Document("t", "c", "Third one. More third.", "2024-03-01"),
        Document("t", "a", "First one. More first.", "2024-01-01"),
        Document("u", "x", "Single text. It goes on."),
        Topic("u", task="single"),
    )
    e.baselines(lengths=[4])
    texts = {(s.topic, s.system): s.text for _, s in e.folder.rows(Summary)}
    assert texts == {
        ("t", "lead"): "Third one. More third.",
        ("t", "coverage"): "First one. Second one. Third one. More first. More second. More third.",
        ("u", "lead"): "Single text. It goes on.",
    }
    assert e.collection.kind("lead") == "baseline"


def test_whole_sentences_within_the_target_and_fifteen_words_then_stop() -> None:
    exact = [document("d", None, 60, 55, 5)]
    assert count_words(make_baseline("lead", exact, 100)) == 115  # the third would make 120
    over = [document("d", None, 60, 56, 5)]
    assert count_words(make_baseline("lead", over, 100)) == 60  # it stops: the short third is not tried
    assert count_words(make_baseline("lead", over, 100, cut=True)) == 100


def test_coverage_goes_on_with_second_sentences() -> None:
    documents = [document("a", "1", 10, 11), document("b", "2", 20, 21), document("c", "3", 30)]
    assert count_words(make_baseline("coverage", documents, 60)) == 10 + 20 + 30 + 11
    assert make_baseline("coverage", documents, 500).split(". ")[3].startswith("The ax2")


def test_a_first_sentence_that_is_too_long_is_cut_rather_than_dropped() -> None:
    assert count_words(make_baseline("lead", [document("d", None, 40)], 10)) == 10


def test_undated_documents_come_first_and_others_keep_their_order(make: Make) -> None:
    e = make(
        Document("t", "x", "Dated. Two.", "2024-01-01"),
        Document("t", "y", "Undated. Two."),
    )
    e.baselines(lengths=[2])
    texts = {s.system: s.text for _, s in e.folder.rows(Summary)}
    assert texts["lead"].startswith("Dated.")
    assert texts["coverage"].startswith("Undated. Dated.")


def test_lengths_come_from_the_call_the_settings_the_peers_or_the_references(make: Make) -> None:
    e = make(Document("t", "d", "Text."), Summary("t", "s", "x", 50), Summary("t", "r", "x", 100))
    assert [t.words for t in targets(e.collection)] == [50, 100]
    assert [t.words for t in targets(e.collection, [10])] == [10]
    with pytest.raises(UsageError, match="length is 0"):
        targets(e.collection, [0])
    toml = e.path / "evaluation.toml"
    toml.write_text(toml.read_text().replace("lengths = []", "lengths = [200]"))
    assert [t.words for t in targets(Evaluation.open(e.path).collection)] == [200]
    unset = make(Summary("t", "r", "One two three.", roles=("reference",)), Summary("t", "s", "x"), name="u")
    assert [(t.length, t.words) for t in targets(unset.collection)] == [(None, 3)]


def test_baselines_need_documents_and_are_not_made_twice(make: Make) -> None:
    with pytest.raises(DataError, match="there are none"):
        make(Summary("t", "s", "x")).baselines()
    e = make(Document("t", "d", "Text. More."), Summary("u", "s", "x"), name="e2")
    _, report = e.baselines(lengths=[9])
    assert report.left_out == {"topic without documents": 1}
    _, report = e.baselines(lengths=[9])
    assert not report.is_change
    e.take([("in:1", Document("t", "d", "Other text. More."))], on_clash="replace")
    with pytest.raises(ClashError, match='system "lead"'):
        e.baselines(lengths=[9])
    _, report = e.baselines(lengths=[9], on_clash="replace")
    assert report.replaced == {"summaries": 1}


def twin(sizes: list[list[int]], words: int) -> int:
    """How many words the coverage baseline has, in plain steps."""
    turns = [row[k] for k in range(max(map(len, sizes))) for row in sizes if k < len(row)]
    total = 0
    for n in turns:
        if total + n > words + SLACK:
            break
        total += n
    return total or min(words, turns[0])


@given(
    st.lists(st.lists(st.integers(2, 30), min_size=1, max_size=4), min_size=1, max_size=4), st.integers(1, 60)
)
def test_coverage_has_as_many_words_as_the_plain_twin_says(sizes: list[list[int]], words: int) -> None:
    documents = [document(f"d{k}", str(k), *row) for k, row in enumerate(sizes)]
    assert count_words(make_baseline("coverage", documents, words)) == twin(sizes, words)


def test_baselines_stand_beside_every_form_of_the_peers(make: Make) -> None:
    e = make(
        Document("t", "a", "First one. More first."),
        Summary("t", "ours", "Its abstract.", 200, form="abstract"),
        Summary("t", "ours", "Its extract.", 200, form="extract"),
        Summary("t", "ours", "Its short one.", 50),
    )
    assert [(t.length, t.form) for t in targets(e.collection)] == [
        (50, None),
        (200, "abstract"),
        (200, "extract"),
    ]
    assert [(t.length, t.form) for t in targets(e.collection, [200], ["extract"])] == [(200, "extract")]
    with pytest.raises(UsageError, match='form is "headline", expected one of: abstract, extract'):
        targets(e.collection, [200], ["headline"])
    e.baselines(lengths=[200])
    made = {s.form: s.text for s in e.collection.peers("t") if s.system == "lead"}
    assert made == dict.fromkeys(("abstract", "extract"), "First one. More first.")
