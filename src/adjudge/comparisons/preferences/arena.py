"""Systems as items: strengths over topics, arena style; and every fit that a folder's judgments allow.

The fit itself is in fitting.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

from adjudge.comparisons.preferences.fitting import PreferenceFit, fit_preferences
from adjudge.data.collection import Collection
from adjudge.errors import DataError, UsageError
from adjudge.formats.preferences import Preferences
from adjudge.judgments.batch import Judgments, TopicBatch
from adjudge.judgments.pairs.judged import (
    batches,
    kinds,
    notes,
    sentence_preferences,
    summary_rows,
    system_preferences,
)
from adjudge.measures.similarities import DEFAULT, Similarity, sentence_similarity, similarity_name

Of = Literal["sentences", "summaries", "systems"]
OFS: tuple[Of, ...] = get_args(Of)


def arena(given: Preferences, **how: Any) -> PreferenceFit:
    """Strengths of systems, with intervals by drawing whole topics again; `how` is what `fit_preferences` takes.

    Answers on one topic hang together: whoever wins there wins often. Where there is one topic, or none is known,
    answers are drawn again instead, and a warning says so.
    """
    return fit_preferences(given, **{"title": "systems"} | how)


def fit_folder(
    collection: Collection,
    judgments: Judgments,
    *,
    of: Of | None = None,
    topics: Sequence[str] = (),
    length: int | None = None,
    similarity: Similarity | None = DEFAULT,
    progress: Callable[[int, int], None] = lambda done, of: None,
    **how: Any,
) -> list[PreferenceFit]:
    """What a folder's preferences say: systems over all topics, or sentences or summaries topic by topic.

    Without `of` it is what people were asked about: sentences, or else systems. `similarity=None` propagates
    nothing between sentences.
    """
    chosen = of or _asked(judgments)
    if chosen not in OFS:
        raise UsageError(f"of is {chosen}, expected one of: {', '.join(OFS)}")
    if ("sentences" if chosen == "sentences" else "summaries") not in kinds(judgments):
        what = "sentences" if chosen == "sentences" else "summaries"
        raise DataError(
            f"no preferences between {what} yet; ask for them with: adjudge prefer sample --of {what}"
        )
    if chosen == "systems":
        given = system_preferences(collection, judgments, topics=topics, length=length)
        return [arena(given, **how | {"notes": notes(collection, judgments, chosen, topics)})]
    own = list(batches(collection, judgments, topics))
    found = []
    for number, batch in enumerate(own):
        said = notes(collection, judgments, chosen, [batch.topic.topic])
        if (fit := _topic(batch, chosen, length, similarity, how | {"notes": said})) is not None:
            found.append(fit)
        progress(number + 1, len(own))
    if not found:
        raise DataError("no answer to a pair to fit")
    return found


def _asked(judgments: Judgments) -> Of:
    found = kinds(judgments)
    if len(found) > 1:
        raise UsageError(
            "people were asked about sentences and about summaries: say --of sentences or --of systems"
        )
    return "sentences" if "sentences" in found else "systems"


def _topic(
    batch: TopicBatch, of: Of, length: int | None, similarity: Similarity | None, how: dict[str, Any]
) -> PreferenceFit | None:
    """The fit of one topic; None where it has no answer."""
    name = batch.topic.topic
    if of == "summaries":
        given = Preferences.of(summary_rows(batch, length=length))
        return fit_preferences(given, **how | {"title": f"summaries of {name}"}) if len(given) else None
    given = sentence_preferences(batch)
    if not len(given):
        return None
    if similarity is not None:
        near = sentence_similarity(similarity, given.items).among()
        how = how | {"similarity": near, "similarity_name": similarity_name(similarity)}
    return fit_preferences(given, **how | {"title": f"sentences of {name}"})
