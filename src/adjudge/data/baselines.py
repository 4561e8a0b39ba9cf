"""The baselines that NIST made: lead and coverage. Lin and Hovy 2002, 2.1; Over and Liggett 2002.

lead      the first words of the document, or of the most recent document of a set
coverage  the first sentence of each document in date order; when all are used, the second ones, and so
          on. The papers do not say what comes after the first sentences: going on is our reading.

Sentences stay whole: they are added while the total is within the target + 15 words, then it stops, as
NIST did, so some are shorter than asked. Or the text is cut at the word limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from statistics import mean

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.data.collection import Collection, by_date
from adjudge.data.incoming import Item, LeftOut
from adjudge.data.rows import Document, Summary, System
from adjudge.data.target import FORMS
from adjudge.text.sentences import sentences
from adjudge.text.words import count_words, first_words

SLACK = 15
LABELS = {"lead": "Lead baseline", "coverage": "Coverage baseline"}
FALLBACK = 100


@dataclass(frozen=True)
class BaselineLength:
    """A summary's nominal length and form (in its key, may be unset) and the words it is filled up to."""

    length: int | None
    words: int
    form: str | None = None


def targets(
    collection: Collection, lengths: Sequence[int] = (), forms: Sequence[str] = ()
) -> list[BaselineLength]:
    """Which lengths to make: those asked for, else evaluation.toml's, else those of the peers.

    Where no length was ever set, the mean length of the references. A length is made in the forms asked for, else in
    those of the peers of that length, so that baselines stand beside them; the text is the same.
    """
    for form in forms:
        if form not in FORMS:
            raise UsageError(f"form is {quoted(form)}, expected one of: {', '.join(FORMS)}")
    chosen = lengths or collection.settings.lengths or [n for n in collection.lengths if n is not None]
    if any(n < 1 for n in chosen):
        raise UsageError(f"length is {min(chosen)}, expected 1 word or more")
    if chosen:
        return [
            BaselineLength(n, n, f) for n in dict.fromkeys(chosen) for f in forms or _forms(collection, n)
        ]
    texts = [s.text for s in collection.all_summaries() if s.is_reference]
    words = round(mean(map(count_words, texts))) if texts else FALLBACK
    return [BaselineLength(None, words, f) for f in forms or _forms(collection, None)]


def _forms(collection: Collection, length: int | None) -> Sequence[str | None]:
    return [t.form for t in collection.targets if t.length == length] or collection.forms or (None,)


def baselines(
    collection: Collection, wanted: Sequence[BaselineLength], *, cut: bool = False
) -> Iterator[Item]:
    """The baselines of every topic that has documents, as items to import."""
    if not collection.documents:
        raise DataError("baselines are made from documents, and there are none: add documents.jsonl")
    for name, label in LABELS.items():
        if name == "lead" or any(is_multi(collection, topic) for topic in collection.documents):
            yield "baselines", System(name, kind="baseline", label=label)
    for topic in collection.topics:
        documents = by_date(collection.documents.get(topic, ()))
        if not any(document.text.strip() for document in documents):
            yield f"topic {topic}", LeftOut("topic without documents")
            continue
        for target in wanted:
            for name in LABELS if is_multi(collection, topic) else ("lead",):
                text = make(name, documents, target.words, collection.settings.language, cut=cut)
                yield f"topic {topic}", Summary(topic, name, text, target.length, form=target.form)


def is_multi(collection: Collection, topic: str) -> bool:
    """As the topic says; where it does not, more than one document makes a set."""
    task = collection.topics[topic].task
    return task == "multi" if task else len(collection.documents.get(topic, ())) > 1


def make(
    name: str, documents: Sequence[Document], words: int, language: str = "en", *, cut: bool = False
) -> str:
    """One baseline's text; `documents` are in date order."""
    if name == "lead":
        source: Iterable[str] = _sentences(documents[-1], language)
    else:
        turns = zip_longest(*(_sentences(document, language) for document in documents))
        source = (sentence for sentence in chain.from_iterable(turns) if sentence is not None)
    return _cut(source, words) if cut else _whole(source, words)


def _sentences(document: Document, language: str) -> list[str]:
    return [" ".join(span.text.split()) for span in sentences(document.text, language)]


def _whole(source: Iterable[str], words: int) -> str:
    taken: list[str] = []
    total = 0
    for sentence in source:
        total += count_words(sentence)
        if total > words + SLACK:
            # a first sentence that alone is too long is cut: an empty baseline would say nothing
            return " ".join(taken) or first_words(sentence, words)
        taken.append(sentence)
    return " ".join(taken)


def _cut(source: Iterable[str], words: int) -> str:
    taken: list[str] = []
    total = 0
    for sentence in source:
        taken.append(sentence)
        total += count_words(sentence)
        if total >= words:
            break
    return first_words(" ".join(taken), words)
