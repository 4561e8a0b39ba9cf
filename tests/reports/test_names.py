"""What systems are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.names import Name, called, in_words, names_of
from adjudge.core.results import Note
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import System


def collection(*systems: System) -> Collection:
    return Collection(Settings("x"), {}, {s.system: s for s in systems}, {}, {})


def test_labels_are_shown_and_kinds_known() -> None:
    names = names_of(collection(System("m1", label="BART"), System("h", kind="human")), ["m1", "h"])
    assert names == {"m1": Name("m1", "BART", "machine"), "h": Name("h", "h", "human")}


def test_a_system_that_only_scores_mention_has_no_kind() -> None:
    assert names_of(collection(), ["x"]) == {"x": Name("x", "x", None)}


def test_no_two_systems_are_shown_alike() -> None:
    found = names_of(collection(System("a", label="BART"), System("b", label="BART")), ["a", "b"])
    assert [name.shown for name in found.values()] == ["BART (a)", "BART (b)"]


def test_a_label_that_is_another_systems_id_is_told_from_it() -> None:
    found = names_of(collection(System("a", label="b"), System("b")), ["a", "b"])
    assert [name.shown for name in found.values()] == ["b (a)", "b (b)"]


@pytest.mark.parametrize(
    ("system", "shown", "expected"),
    [
        ("ada", "Ada", None),
        ("lead", "Lead (3 sentences)", None),
        ("a", "BART (a)", None),
        ("greedy-best", "Greedy best extract", None),
        ("?!", "Unknown", "?!"),
        ("m1", "Team1", "m1"),
        ("m1", "BART", "m1"),
    ],
)
def test_an_id_is_repeated_only_where_the_label_hides_it(
    system: str, shown: str, expected: str | None
) -> None:
    assert Name(system, shown, None).id_apart == expected


def test_sentences_call_systems_by_their_labels(
    compared: Callable[..., Comparison], three: Mapping[str, Sequence[float]], news: Collection
) -> None:
    comparison = compared({**three, "gone": [float("nan")] * 10})
    worded = in_words(comparison, names_of(news, [*three, "gone"]))
    told = list(worded.sentences())
    assert told[0] == worded.headline()
    assert all("The good one" in line for line in told)
    assert worded.notes_of("missing-scores") == ["gone: 10 missing (no summary)"]
    assert worded.signature == comparison.signature


def test_results_are_told_with_labels_and_measures_keep_their_names() -> None:
    noted = Note.of("ranked-apart", systems=["lead", "new"], measure="lead")
    labels = {"lead": "Lead (3 lines)"}
    result: dict[str, Any] = {
        "systems": ("lead", "other"),
        "measure": "lead",
        "missing": {"lead": 2},
        "note": noted,
    }
    told = called(result, labels)
    assert told["systems"] == ("Lead (3 lines)", "other")
    assert (told["measure"], told["missing"]) == ("lead", {"Lead (3 lines)": 2})
    assert told["note"].data == {"systems": ["Lead (3 lines)", "new"], "measure": "lead"}
    same = ("lead", 1.0)
    assert called(same, labels) is same
