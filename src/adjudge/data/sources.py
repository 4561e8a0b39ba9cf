"""The sentences of a topic's documents: what preferences are asked about. Which pairs is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adjudge.data.rows import Document
from adjudge.text.headers import hidden_spans, shown
from adjudge.text.sentences import sentences
from adjudge.text.words import count_words


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """Where a sentence stands: in which document, from which character to which."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence, and every place where it stands word for word."""

    text: str
    places: tuple[SentencePlace, ...]


def source_sentences(documents: Iterable[Document], language: str = "en") -> tuple[SourceSentence, ...]:
    """S*, the set of all sentences in a topic's documents, in the order of the texts (Zopf 2018, section 4.1).

    It is a set: a sentence that stands there twice, but for white space, is one. What has no word is none, and neither
    is a header line, such as <DOCNO> AP880911-0016 </DOCNO>.
    """
    found: dict[str, list[SentencePlace]] = {}
    for document in documents:
        hidden = hidden_spans(document.text)
        for span in sentences(document.text, language):
            text = " ".join(span.text.split())
            if count_words(text) and (
                not hidden or shown(document.text, span.start, span.end, hidden=hidden)
            ):
                found.setdefault(text, []).append(SentencePlace(document.id, span.start, span.end))
    return tuple(SourceSentence(text, tuple(places)) for text, places in found.items())
