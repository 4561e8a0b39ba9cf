"""An evaluation in memory: who wrote what on which topic, and which references a peer is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TypeVar

from adjudge.core.errors import FormatError, UsageError, among, nearest, quoted
from adjudge.core.words import counted
from adjudge.data.choosing import TopicChoice
from adjudge.data.folder import Folder, Settings
from adjudge.data.reading import read_once
from adjudge.data.rows import ROWS, Document, Row, Summary, System, Topic, Unit
from adjudge.data.target import Target
from adjudge.text.headers import hidden_spans, shown
from adjudge.text.sentences import sentences
from adjudge.text.words import count_words

R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Collection:
    """All rows, topic by topic, in the order of the files. Withdrawn summaries are kept apart."""

    settings: Settings
    topics: dict[str, Topic]
    systems: dict[str, System]
    documents: dict[str, list[Document]]
    summaries: dict[str, list[Summary]]
    units: dict[str, list[Unit]] = field(default_factory=dict)
    withdrawn: tuple[Summary, ...] = ()
    read_from: FileStamps = field(default=(), compare=False)
    """Which versions of the files these rows are from."""

    def kind(self, system: str) -> str:
        return self.systems[system].kind or "machine"

    def label(self, system: str) -> str:
        return self.systems[system].label or system

    def peers(self, topic: str) -> list[Summary]:
        return [s for s in self.summaries.get(topic, ()) if s.is_peer]

    def references(self, topic: str) -> list[Summary]:
        return [s for s in self.summaries.get(topic, ()) if s.is_reference]

    def all_summaries(self) -> Iterator[Summary]:
        for summaries in self.summaries.values():
            yield from summaries

    @property
    def lengths(self) -> tuple[int | None, ...]:
        return tuple(dict.fromkeys(target.length for target in self.targets))

    @property
    def forms(self) -> tuple[str | None, ...]:
        return tuple(sorted({target.form for target in self.targets}, key=lambda form: form or ""))

    @property
    def targets(self) -> tuple[Target, ...]:
        """The lengths and forms of peers, the unset ones first."""
        targets = {s.target for s in self.all_summaries() if s.is_peer}
        return tuple(sorted(targets, key=lambda target: target.order))

    def of_topics(self, choice: TopicChoice | None) -> Collection:
        """The rows of some topics; the same collection where none are chosen. Systems are all there."""
        if choice is None:
            return self
        topics = choice.topics
        return replace(
            self,
            topics={name: row for name, row in self.topics.items() if name in topics},
            documents={name: rows for name, rows in self.documents.items() if name in topics},
            summaries={name: rows for name, rows in self.summaries.items() if name in topics},
            units={name: rows for name, rows in self.units.items() if name in topics},
            withdrawn=tuple(row for row in self.withdrawn if row.topic in topics),
        )

    def need_system(self, name: str) -> System:
        if name not in self.systems:
            raise UsageError(f"no system {quoted(name)}{among(name, self.systems)}")
        return self.systems[name]

    def need_topic(self, name: str) -> Topic:
        if name not in self.topics:
            raise UsageError(f"no topic {quoted(name)}{among(name, self.topics)}")
        return self.topics[name]


FileStamps = tuple[tuple[int, int, int] | None, ...]
Read = Callable[[int], None]  # rows read so far


def file_stamps(folder: Folder) -> FileStamps:
    """What tells one version of the files of rows from another: every change puts new files in their places."""
    stamps: list[tuple[int, int, int] | None] = []
    for kind in ROWS:
        try:
            stat = folder.file(kind).stat()
        except FileNotFoundError:
            stamps.append(None)
        else:
            stamps.append((stat.st_ino, stat.st_mtime_ns, stat.st_size))
    return tuple(stamps)


def load(
    folder: Folder,
    *,
    topic: str | None = None,
    system: str | None = None,
    progress: Read = lambda rows: None,
) -> Collection:
    """Read and check everything. A topic or system that only summaries mention gets a bare row.

    The texts that are kept can be those of one topic, or one system's; topics and systems are always all there.
    """
    key = ("collection", type(folder), folder.path.absolute(), topic, system)
    return read_once(key, lambda: _loaded(folder, topic, system, progress))


def _loaded(folder: Folder, topic: str | None, system: str | None, progress: Read) -> Collection:
    done, stamps = count(1), file_stamps(folder)
    topics = {row.topic: row for row in _once(folder, Topic)}
    systems = {row.system: row for row in _once(folder, System)}
    documents: dict[str, list[Document]] = {}
    for document in _once(folder, Document):
        progress(next(done))
        mine = documents.setdefault(document.topic, [])
        if topic in (None, document.topic):
            mine.append(document)
    summaries: dict[str, list[Summary]] = {}
    withdrawn: list[Summary] = []
    for summary in _once(folder, Summary):
        progress(next(done))
        add_bare(summary, topics, systems)
        if topic not in (None, summary.topic) or system not in (None, summary.system):
            continue
        if summary.withdrawn is None:
            summaries.setdefault(summary.topic, []).append(summary)
        else:
            withdrawn.append(summary)
    for name in documents:
        topics.setdefault(name, Topic(name))
    units: dict[str, list[Unit]] = {}
    for unit in _once(folder, Unit):
        progress(next(done))
        if topic in (None, unit.topic) and system in (None, unit.system):
            units.setdefault(unit.topic, []).append(unit)
    return Collection(
        settings=folder.settings,
        topics=topics,
        systems=systems,
        documents=documents,
        summaries=summaries,
        units=units,
        withdrawn=tuple(withdrawn),
        read_from=stamps,
    )


def add_bare(summary: Summary, topics: dict[str, Topic], systems: dict[str, System]) -> None:
    """Rows for a topic and a system that nothing else says anything of."""
    if summary.system not in systems:
        systems[summary.system] = System(summary.system, kind=None if summary.is_peer else "human")
    if summary.topic not in topics:
        topics[summary.topic] = Topic(summary.topic)


@dataclass(frozen=True)
class TopicContents:
    """One topic, and how many texts it has."""

    topic: Topic
    documents: int
    references: int
    peers: int


@dataclass(frozen=True)
class SystemContents:
    """One system, the roles of its summaries, and how many words they have together; without withdrawn ones."""

    system: System
    roles: tuple[str, ...]
    summaries: int
    words: int


@dataclass(frozen=True)
class Contents:
    """What an evaluation holds, in numbers: no text is kept."""

    topics: tuple[TopicContents, ...]
    systems: tuple[SystemContents, ...]
    withdrawn: Mapping[tuple[str, str], int]
    """How many summaries of a system were withdrawn for a reason."""


def contents(folder: Folder, *, words: bool = True, progress: Read = lambda rows: None) -> Contents:
    """Read and check topics, systems, documents and summaries, and count them; counting words takes most of it."""
    done = count(1)
    topics = {row.topic: row for row in _once(folder, Topic)}
    systems = {row.system: row for row in _once(folder, System)}
    of_topic: Counter[tuple[str, str]] = Counter()
    of_system: Counter[tuple[str, str]] = Counter()
    roles: dict[str, dict[str, None]] = {}
    withdrawn: Counter[tuple[str, str]] = Counter()
    for document in _once(folder, Document):
        progress(next(done))
        of_topic[document.topic, "document"] += 1
    for summary in _once(folder, Summary):
        progress(next(done))
        add_bare(summary, topics, systems)
        if summary.withdrawn is not None:
            withdrawn[summary.system, summary.withdrawn] += 1
            continue
        of_system[summary.system, "summaries"] += 1
        of_system[summary.system, "words"] += count_words(summary.text) if words else 0
        for role in summary.roles:
            of_topic[summary.topic, role] += 1
            roles.setdefault(summary.system, {})[role] = None
    for name, _ in of_topic:
        topics.setdefault(name, Topic(name))
    return Contents(
        topics=tuple(
            TopicContents(
                row, of_topic[name, "document"], of_topic[name, "reference"], of_topic[name, "peer"]
            )
            for name, row in topics.items()
        ),
        systems=tuple(
            SystemContents(
                row, tuple(roles.get(name, ())), of_system[name, "summaries"], of_system[name, "words"]
            )
            for name, row in systems.items()
        ),
        withdrawn=withdrawn,
    )


def references_for(peer: Summary, references: Iterable[Summary]) -> list[Summary]:
    """The references a peer is compared with: of its length and form, and never one by its own system.

    Where none has the peer's length, those without a length serve; a peer without a length is
    compared with references of one length, not of several. Forms likewise.
    """
    others = [r for r in references if r.system != peer.system]
    of_length = _alike(peer, others, lambda r: r.length)
    fitting = _alike(peer, of_length, lambda r: r.form)
    if (
        of_length and not fitting
    ):  # those of the length are of other forms: one of the form may have no length
        fitting = _alike(peer, _alike(peer, others, lambda r: r.form), lambda r: r.length)
    return fitting


def _alike(peer: Summary, references: list[Summary], of: Callable[[Summary], object]) -> list[Summary]:
    """Those that agree with the peer; else those that say nothing; where the peer does not, those of one kind."""
    same = [r for r in references if of(r) == of(peer)]
    if same:
        return same
    if of(peer) is not None:
        return [r for r in references if of(r) is None]
    return references if len({of(r) for r in references}) == 1 else []


def by_date(documents: Iterable[Document]) -> list[Document]:
    """Chronological; documents of one date, and those without any, keep the order of the file.

    A document without a date comes first, so that "the most recent" is always one that is known to be.
    """
    return sorted(documents, key=lambda document: document.date or "")


def describe_withdrawn(collection: Collection) -> list[str]:
    """Withdrawn summaries in words, a line per system and reason."""
    return withdrawn_lines(Counter((s.system, s.withdrawn or "") for s in collection.withdrawn))


def withdrawn_lines(counts: Mapping[tuple[str, str], int]) -> list[str]:
    return [
        f"{system}: {n} withdrawn {'summary' if n == 1 else 'summaries'} left out ({why})"
        for (system, why), n in counts.items()
    ]


@dataclass(frozen=True)
class UnknownKey:
    """A key that no command knows, in the rows of one file."""

    key: str
    file: str
    rows: int
    known_keys: tuple[str, ...]

    @property
    def hint(self) -> str:
        """The known key that may be meant, or nothing."""
        return nearest(self.key, self.known_keys, most=1)

    def __str__(self) -> str:
        return f"{quoted(self.key)} in {counted(self.rows, 'row')} of {self.file}{self.hint}"


def unknown_keys(collection: Collection) -> list[UnknownKey]:
    """Keys that people wrote into the files and no command knows; they are kept as they are.

    Topics may have any (`topics="domain=news"` chooses by them): of theirs those are named that are nearly a known one.
    """
    rows: Iterable[Row] = chain(
        collection.topics.values(),
        collection.systems.values(),
        *collection.documents.values(),
        *collection.summaries.values(),
        collection.withdrawn,
        *collection.units.values(),
    )
    counts: Counter[tuple[type[Row], str]] = Counter()
    for row in rows:
        if row.extra:
            counts.update((type(row), key) for key in row.extra if key not in row.ALSO)
    unknown = [(kind, UnknownKey(key, kind.FILE, n, tuple(kind.CHECKS))) for (kind, key), n in counts.items()]
    return [key for kind, key in unknown if kind is not Topic or key.hint]


def describe_unknown(collection: Collection) -> list[str]:
    """Keys that no command knows, in one line."""
    unknown = unknown_keys(collection)
    keys = "this key" if len(unknown) == 1 else "these keys"
    return [f"no command knows {keys}: {'; '.join(map(str, unknown))}"] if unknown else []


def _once(folder: Folder, kind: type[R]) -> Iterator[R]:
    seen: dict[object, int] = {}
    for line, row in folder.rows(kind):
        if (first := seen.setdefault(row.key, line)) != line:
            raise FormatError(
                f"the same {', '.join(row.named())} as line {first}",
                file=folder.path / kind.FILE,
                line=line,
            )
        yield row


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """The place of a sentence: its document, its first character and the one after its last."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence, and every place where it occurs word for word."""

    text: str
    places: tuple[SentencePlace, ...]


def source_sentences(documents: Iterable[Document], language: str = "en") -> tuple[SourceSentence, ...]:
    """S*, the set of all sentences in a topic's documents, in the order of the texts (Zopf 2018, section 4.1).

    It is a set: a sentence that stands there twice, but for white space, is one. What has no word is none, and neither
    is a header line, such as <DOCNO> AP880911-0016 </DOCNO>.
    """
    by_text: dict[str, list[SentencePlace]] = {}
    for document in documents:
        hidden = hidden_spans(document.text)
        for span in sentences(document.text, language):
            text = " ".join(span.text.split())
            if count_words(text) and (
                not hidden or shown(document.text, span.start, span.end, hidden=hidden)
            ):
                by_text.setdefault(text, []).append(SentencePlace(document.id, span.start, span.end))
    return tuple(SourceSentence(text, tuple(places)) for text, places in by_text.items())
