"""DUCView's pyramids (.pyr) and peer annotations (.pan). Writing them is ducview_write.py.

A .pan holds its pyramid whole. Where that is the same as another file's, it is kept once; where it differs, both are
kept, and each annotation names the pyramid that it was made with. Files are often not well-formed: every oddity is
noted, and what can be kept is kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.parsers import expat

from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import Argument
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Summary, System, Topic
from adjudge.formats.files import (
    BASELINES,
    BYTE_ORDER_MARK,
    NIST_TASKS,
    Once,
    Paths,
    Place,
    bare_name,
    decoded,
    find_files,
    nist_kind,
    read_whole,
)
from adjudge.formats.markup import ENTITY, ILLEGAL, character
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER, load_protocol
from adjudge.judgments.pyramid import (
    UNKNOWN,
    UNMATCHED,
    Contributor,
    Expressed,
    Part,
    PeerAnnotation,
    Pyramid,
    Reference,
    Scu,
    findings,
    home,
    peer_findings,
)
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item

ASSESSOR = "ducview"
SUFFIXES = (".pyr", ".pan")
ENTITIES = LeftOut("file that declares entities: not read")
NO_PYRAMID = LeftOut("file without a pyramid")
NO_ANNOTATION = Noted("peer annotation without an annotation: its pyramid alone is kept")
OTHER_PYRAMID = Noted("pyramid that differs from an earlier file's of the topic: both are kept")
AGAIN = LeftOut(f"second annotation of a peer by one assessor (say who made it with {Argument('assessor')})")
OTHER_TEXT = Noted(
    "text of a summary that differs from an earlier file's: the earlier one is kept as the summary"
)
OTHER_ENCODING = Noted("file that is not in the encoding it declares: read as UTF-8 or Windows-1252")

_ANYWAY = (b"utf", b"ucs", b"iso-10646")  # UTF-8 is tried anyway, and who reads this is not in UTF-16
_DECLARED = re.compile(rb"""^\s{0,20}<\?xml[^<>]{0,200}?encoding\s{0,5}=\s{0,5}["']([A-Za-z0-9._-]{1,40})""")


def read(
    paths: Paths,
    *,
    evaluation: str,
    assessor: str = ASSESSOR,
    baselines: int = BASELINES,
    encoding: str | None = None,
    max_size: int = MAX_LINE,
) -> Iterator[Item]:
    """Topics, systems, summaries, tasks and answers of .pyr and .pan files, or of folders of them.

    Names come from the headers of the references (D0601.M.250.A.B) and from the names of the .pan files
    (D0601.M.250.A.17.pan). Without `encoding` a file's own declaration holds, then UTF-8, then Windows-1252 for
    the bytes that are none.
    """
    files: list[Path] = []
    for path, left in find_files(paths, SUFFIXES, deep=True):
        if left:
            yield str(path), left
        else:
            files.append(path)
    intake = _DucviewIntake(evaluation=evaluation, assessor=assessor, baselines=baselines)
    for path in sorted(files, key=_is_pan):  # pyramids first: those of the annotations are mostly the same
        yield from intake.file(path, read_whole(path, "the file", max_size=max_size), encoding)


def _is_pan(path: Path) -> bool:
    return bare_name(path).lower().endswith(".pan")


def _decoded(raw: bytes, place: Place, encoding: str | None) -> str:
    """The text of a file, with plain newlines. No byte is dropped: offsets count characters."""
    if encoding is None and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    declared = _DECLARED.search(raw[:400])
    if encoding is None and declared and not declared[1].lower().startswith(_ANYWAY):
        try:
            return decoded(raw, place, declared[1].decode("ascii"))
        except AdjudgeError:
            place.notes.append(OTHER_ENCODING)
    return decoded(raw, place, encoding)


@dataclass
class _DucviewIntake:
    """One import: what has been seen, so that it is yielded once."""

    evaluation: str
    assessor: str
    baselines: int
    once: Once = field(default_factory=Once)
    texts: dict[tuple[str, str, int | None], str] = field(default_factory=dict)
    pyramids: dict[str, set[str]] = field(default_factory=dict)
    annotated: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.version = load_protocol("pyramid").version

    def file(self, path: Path, raw: bytes, encoding: str | None) -> Iterator[Item]:
        place, note = Place(path, 1), Notes()
        try:
            top = parse(_decoded(raw, place, encoding), note)
        except DeclaresEntities:
            yield place.item(ENTITIES)
            return
        yield from place.noted()
        outer = top.first("peerannotation") or top
        holder = outer.first("pyramid")
        if holder is None:
            yield place.item(NO_PYRAMID)
            return
        reading = read_pyramid(holder, note)
        inner = outer.first("annotation")
        annotation = read_annotation(inner, reading.pyramid, note) if inner is not None else None
        for line, reason in note.oddities:
            kind = LeftOut if reason in (NO_PART, NO_WORDS, STRAY) else Noted
            yield Place(path, line).item(kind(reason))
        name = file_name(path, reading)
        yield from self.pyramid(place, name, reading)
        if annotation is not None:
            yield from self.peer(place, name, annotation)
        elif _is_pan(path):
            yield place.item(NO_ANNOTATION)

    def pyramid(self, place: Place, name: SummaryName, reading: PyramidRead) -> Iterator[Item]:
        """The topic, its references, and the pyramid, where they are new."""
        pyramid, about = reading.pyramid, reading.layout.about or name
        row = place.row(Topic, {"topic": name.topic, "task": about.task, "selector": about.selector})
        yield from self.once.new(place, row)
        topic = row.topic
        for reference in pyramid.references:
            roles = ["peer", "reference"] if nist_kind(reference.system) == "human" else ["reference"]
            ref = TextRef(reference.system, reference.length)
            yield from self.summary(place, topic, ref, "human", roles, pyramid.text_of(reference))
        digest = pyramid.digest()
        digests = self.pyramids.setdefault(topic, set())
        if digest not in digests:
            if digests:
                yield place.item(OTHER_PYRAMID)
            digests.add(digest)
            id = stable_id(PYRAMID, self.assessor, topic, digest)
            yield from self.answered(place, id, topic, None, PYRAMID, pyramid.to_answer())

    def peer(self, place: Place, name: SummaryName, annotation: PeerAnnotation) -> Iterator[Item]:
        """The peer, its text and its annotation; an assessor has one annotation of a peer."""
        peer = TextRef(name.who, name.length)
        assessor = self.assessor
        if name.annotator:
            assessor = name.annotator if assessor == ASSESSOR else f"{assessor}-{name.annotator}"
        id = stable_id(PYRAMID_PEER, assessor, name.topic, peer.system, peer.length)
        if id in self.annotated:
            yield place.item(AGAIN)
            return
        self.annotated.add(id)
        topic, kind = str(name.topic), nist_kind(name.who, self.baselines)
        yield from self.summary(place, topic, peer, kind, ["peer"], annotation.text.strip("\n"))
        answer = annotation.to_answer()
        yield from self.answered(place, id, topic, peer, PYRAMID_PEER, answer, assessor=assessor)

    def summary(
        self, place: Place, topic: str, ref: TextRef, kind: str | None, roles: list[str], text: str
    ) -> Iterator[Item]:
        """A system and its text, where they are new."""
        yield from self.once.new(place, place.row(System, {"system": ref.system, "kind": kind}))
        key = (topic, ref.system, ref.length)
        if key in self.texts:
            if self.texts[key] != text:
                yield place.item(OTHER_TEXT)
            return
        self.texts[key] = text
        row = {"topic": topic, "system": ref.system, "length": ref.length, "roles": roles, "text": text}
        yield place.item(place.row(Summary, row))

    def answered(
        self,
        place: Place,
        id: str,
        topic: str,
        peer: TextRef | None,
        question: str,
        answer: dict[str, Any],
        *,
        assessor: str | None = None,
    ) -> Iterator[Item]:
        """A task and its answer. The answer keeps the text that it is about, so the task needs no hash of it."""
        task = Task(
            id=id,
            evaluation=self.evaluation,
            assessor=assessor or self.assessor,
            protocol="pyramid",
            version=self.version,
            topic=topic,
            peer=peer,
        )
        yield str(place), task
        event = Event(
            id=stable_id(id, json.dumps(answer, sort_keys=True)),
            evaluation=self.evaluation,
            task=id,
            assessor=assessor or self.assessor,
            question=question,
            answer=answer,
            origin="imported",
        )
        yield str(place), event


def file_name(path: Path, reading: PyramidRead) -> SummaryName:
    """Topic and peer of a file. The topic is what the headers say, so that all files of a topic meet."""
    stem = unquote(re.sub(r"(~[0-9]+)?\.(pyr|pan)$", "", bare_name(path), flags=re.IGNORECASE))
    name, about = _with_annotator(SummaryName.parse(stem)), reading.layout.about
    topic = about.topic if about is not None else None
    if about is None or topic is None:
        return replace(name, topic=name.topic or stem)
    if name.topic is not None:
        return replace(name, topic=topic)
    rest = stem[len(topic) :].strip("._- ") if stem.lower().startswith(topic.lower()) else ""
    return replace(about, who=rest or stem)  # the length is that of the references


def _with_annotator(name: SummaryName) -> SummaryName:
    """Topics at NIST have no dot: what stands before one is the annotator."""
    annotator, dot, topic = (name.topic or "").rpartition(".")
    return replace(name, topic=topic, annotator=annotator) if dot and annotator and topic else name


# From elements to pyramids and annotations

NO_TEXT = "pyramid or annotation without text: its offsets point nowhere"
NO_UID = "SCU of a pyramid without a number of its own: it got a new one"
NO_PEER_UID = "SCU of a peer without a number: it counts as matching nothing"
UID_TWICE = "SCU of a pyramid with a number that another one has: it got a new one"
MERGED = "SCU that stands twice in an annotation: its contributors were put together"
NO_LABEL = "SCU or part without a label: taken from the text"
FOUND = "part without offsets: found by its label"
LOST = "part without offsets, and its label is not in the text: it counts, but has no place"
NO_PART = "part without offsets and label: left out"
NO_PARTS = "contributor without parts: its label was taken for one"
NO_WORDS = "contributor without parts and label: left out"

_NUMBER = re.compile(r"\s*[0-9]{1,9}\s*")


@dataclass(frozen=True)
class PyramidRead:
    """A pyramid as read, with what its headers say."""

    pyramid: Pyramid
    layout: Layout


def read_pyramid(node: Node, note: Notes) -> PyramidRead:
    """The pyramid that an element holds."""
    text = _text(node, note)
    expression = node.first("startdocumentregex")
    pattern = expression.text if expression is not None else None
    if (
        pattern and "\n" in pattern
    ):  # laid out on lines of its own: in an expression a line end is written \\n
        pattern = pattern.strip()
    layout = lay_out(text, pattern)
    for reason in layout.notes:
        note(expression.line if expression else node.line, reason)
    bare = Pyramid(text, (), layout.references, pattern)
    lines: dict[int, int] = {}
    scus: list[Scu] = []
    for element, uid in _numbered(list(node.all("scu")), note):
        contributors = tuple(
            replace(contributor, reference=home(contributor.parts[0], bare))
            for contributor in _contributors(element, text, note)
        )
        label = element.attributes.get("label")
        if label is None:
            note(element.line, NO_LABEL)
            label = contributors[0].label if contributors else ""
        scus.append(Scu(uid, label, contributors, _comment(element)))
        lines[uid] = element.line
    pyramid = replace(bare, scus=tuple(scus))
    for uid, reason in findings(pyramid):
        note(lines[uid], reason)
    return PyramidRead(pyramid, layout)


def read_annotation(node: Node, pyramid: Pyramid, note: Notes) -> PeerAnnotation:
    """The annotation that an element holds. Units that the peer does not express are not kept; what it is said to
    express of units that nobody knows matches nothing."""
    text = _text(node, note)
    uids = {UNMATCHED, *pyramid.weights}
    expressed: dict[int, Expressed] = {}
    lines: dict[int, int] = {}
    for element in node.all("peerscu"):
        uid = _number(element, "uid")
        contributors = tuple(_contributors(element, text, note))
        if uid is None or uid not in uids:
            if contributors:
                note(element.line, NO_PEER_UID if uid is None else UNKNOWN)
            uid = UNMATCHED
        elif uid in expressed and uid != UNMATCHED:
            note(element.line, MERGED)
        expressed[uid] = _joined(expressed.get(uid), Expressed(uid, contributors, _comment(element)))
        lines.setdefault(uid, element.line)
    in_order = [scu.uid for scu in pyramid.by_weight()] + [UNMATCHED]
    ordered = (expressed[uid] for uid in in_order if uid in expressed)
    kept = tuple(unit for unit in ordered if unit.contributors or unit.comment is not None)
    annotation = PeerAnnotation(text, kept, pyramid.digest())
    for uid, reason in peer_findings(annotation, pyramid):
        note(lines[uid], reason)
    return annotation


def _joined(one: Expressed | None, other: Expressed) -> Expressed:
    if one is None:
        return other
    comments = [comment for comment in (one.comment, other.comment) if comment is not None]
    return Expressed(one.uid, one.contributors + other.contributors, " / ".join(comments) or None)


def _numbered(elements: list[Node], note: Notes) -> Iterator[tuple[Node, int]]:
    """Units with their numbers; a number that is missing, 0 or taken is replaced by one that is free."""
    numbers = [_number(element, "uid") for element in elements]
    free = max((number for number in numbers if number), default=0) + 1
    taken: set[int] = set()
    for element, number in zip(elements, numbers, strict=True):
        if not number or number in taken:
            note(element.line, UID_TWICE if number else NO_UID)
            number, free = free, free + 1
        taken.add(number)
        yield element, number


def _contributors(scu: Node, text: str, note: Notes) -> Iterator[Contributor]:
    for element in scu.all("contributor"):
        parts = tuple(part for child in element.all("part") if (part := _part(child, text, note)))
        label = element.attributes.get("label", "")
        if not parts and label.strip():
            note(element.line, NO_PARTS)
            parts = (_placed(label, text, element.line, note),)
        if parts:
            yield Contributor(parts, comment=_comment(element))
        else:
            note(element.line, NO_WORDS)


def _part(element: Node, text: str, note: Notes) -> Part | None:
    start, end = _number(element, "start"), _number(element, "end")
    label = element.attributes.get("label")
    if start is None or end is None:
        if label is None or not label.strip():
            note(element.line, NO_PART)
            return None
        return _placed(label, text, element.line, note)
    if label is None:
        note(element.line, NO_LABEL)
        label = text[start:end]
    return Part(start, end, label)


def _placed(label: str, text: str, line: int, note: Notes) -> Part:
    """A part where the text has its words, white space aside; without a place where it has not."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    words = "".join(label.split())
    at = "".join(text.split()).find(words) if words else -1
    note(line, FOUND if at >= 0 else LOST)
    return Part(places[at], places[at + len(words) - 1] + 1, label) if at >= 0 else Part(0, 0, label)


def _text(node: Node, note: Notes) -> str:
    text = node.first("text")
    if text is None:
        note(node.line, NO_TEXT)
        return ""
    return "\n".join(line.text for line in text.all("line"))


def _number(element: Node, name: str) -> int | None:
    value = element.attributes.get(name, "")
    return int(value) if _NUMBER.fullmatch(value) else None


def _comment(element: Node) -> str | None:
    return element.attributes.get("comment", "").strip() or None


# The text of a pyramid: which reference stands where, and what its header says

PATTERN_REFUSED = "regular expression that is not taken: header lines are looked for instead"
PATTERN_MISSES = (
    "regular expression that finds fewer than two references: header lines are looked for instead"
)
NO_PATTERN = "pyramid without a regular expression: header lines count the references"
NO_REFERENCES = "pyramid whose references are not marked: their number is not known, and no modified score"
TWO_TOPICS = "pyramid whose headers name several topics: the most frequent one is taken"

OUR_PATTERN = r"-+\n [^\n]+\.[MS]\.[0-9]+\.[^.\n]+\.[^\n]+\n-+\n"
_NAME = re.compile(
    r"(?P<topic>.{1,200}?)\.(?P<task>[MS])\.(?P<length>[0-9]{1,6})\.(?P<selector>[^.\s]{1,100})\.(?P<who>.{1,200})",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\s*[^\s.]{1,100}\.[MS]\.[0-9]{1,6}\.[^\s.]{1,100}\.(?:[A-Za-z]|[0-9]{1,6})\s*")
_RULE = re.compile(r"\s*([-=_*#~])\1{2,}\s*")


@dataclass(frozen=True, slots=True)
class SummaryName:
    """What NIST's name of a summary says: D0601.M.250.A.17. Any other name is only whose it is."""

    who: str
    topic: str | None = None
    task: str | None = None
    length: int | None = None
    selector: str | None = None
    annotator: str | None = None
    """Who annotated, where a file's name begins with that: 114.D0631.M.250.D.1."""

    @classmethod
    def parse(cls, text: str) -> SummaryName:
        text = text.strip()
        match = _NAME.fullmatch(text) if text.isprintable() else None
        if match is None or not match["topic"].strip():
            return cls(text)
        selector = None if match["selector"] == "-" else match["selector"]
        task = NIST_TASKS[match["task"].upper()]
        return cls(match["who"].strip(), match["topic"].strip(), task, int(match["length"]) or None, selector)

    def __str__(self) -> str:
        """The name in NIST's form; a length of 0 and a selector of - stand for what is not known, or does not fit."""
        task = "S" if self.task == "single" else "M"
        selector = self.selector if self.selector and re.fullmatch(r"[^.\s]{1,100}", self.selector) else "-"
        return f"{self.topic or '-'}.{task}.{self.length or 0}.{selector}.{self.who}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the references of a pyramid stand, what their headers say, and what was odd."""

    references: tuple[Reference, ...]
    names: tuple[SummaryName, ...]
    notes: tuple[str, ...] = ()

    @property
    def about(self) -> SummaryName | None:
        """What the headers say of the topic: the most frequent one."""
        with_topic = [name for name in self.names if name.topic is not None]
        if not with_topic:
            return None
        topic = Counter(name.topic for name in with_topic).most_common(1)[0][0]
        return next(name for name in with_topic if name.topic == topic)


def lay_out(text: str, pattern: str | None) -> Layout:
    """The references by the file's regular expression, or by header lines where it has none or a useless one."""
    notes: list[str] = []
    spans: Sequence[tuple[int, int]] = ()
    if pattern is None or not pattern.strip():
        notes.append(NO_PATTERN)
    else:
        try:
            ended = matches(pattern, text + "\n")  # DUCView ends every line
            spans = [(begin, min(end, len(text))) for begin, end in ended if begin < len(text)]
            notes += [PATTERN_MISSES] if len(spans) < 2 else []
        except PatternRefused:
            notes.append(PATTERN_REFUSED)
    if len(spans) < 2:
        spans = max(spans, header_lines(text), key=len)
    if not spans:
        return Layout((), (), (*notes, NO_REFERENCES))
    names = _named(text, spans)
    ends = [begin for begin, _ in spans[1:]] + [len(text)]
    references = tuple(
        Reference(name.who, name.length, *_body(text, start, end))
        for name, (_, start), end in zip(names, spans, ends, strict=True)
    )
    if len({name.topic for name in names if name.topic}) > 1:
        notes.append(TWO_TOPICS)
    return Layout(references, names, tuple(notes))


def header_lines(text: str) -> list[tuple[int, int]]:
    """The headers without a regular expression: lines between two rules, of which NIST's names win over others.

    NIST's name of a summary by a letter or a number needs no rules.
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    rules = [_RULE.fullmatch(line) is not None for line in lines] + [False, False]
    headers: list[tuple[bool, int, int]] = []
    at = 0
    while at < len(lines):
        if rules[at] and rules[at + 2] and not rules[at + 1] and lines[at + 1].strip():
            named, size = _NAME.fullmatch(lines[at + 1].strip()) is not None, 3
        else:
            named, size = _ALONE.fullmatch(lines[at]) is not None, 1
        if named or size > 1:
            headers.append((named, starts[at], min(starts[at + size], len(text))))
        at += size
    any_named = any(named for named, _, _ in headers)
    return [(begin, end) for named, begin, end in headers if named or not any_named]


def _body(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a reference stands: whole lines, without what is left of the headers before and after."""
    if start > 0 and text[start - 1] != "\n":  # the expression stopped inside the header's line
        start = text.find("\n", start) + 1 or end
    end = text.rfind("\n", 0, end) + 1 if end < len(text) else end
    lines = text[start:end].splitlines(keepends=True) if start < end else []
    rules = [_RULE.fullmatch(line) is not None for line in lines]
    words = [number for number, line in enumerate(lines) if line.strip() and not rules[number]]
    if not words:
        return min(start, end), end
    tail = words[-1] + 1
    if any(rules[tail:]):
        end -= sum(map(len, lines[tail + rules[tail:].index(True) :]))
    return start + sum(map(len, lines[: words[0]])), end


def _named(text: str, spans: Sequence[tuple[int, int]]) -> tuple[SummaryName, ...]:
    """Whose reference each is; a name that is missing or stands twice gets its number."""
    names: list[SummaryName] = []
    for number, (begin, end) in enumerate(spans, 1):
        whole = text[text.rfind("\n", 0, begin) + 1 : end] + text[end:].partition("\n")[0] * (
            text[end - 1] != "\n"
        )
        lines = [line.strip() for line in whole.split("\n")]
        title = next((line for line in lines if line and not _RULE.fullmatch(line)), "")
        name = SummaryName.parse(title)
        who = name.who if 0 < len(name.who) <= 100 and name.who.isprintable() else f"reference-{number}"
        if who in {other.who for other in names}:
            who = f"{who}-{number}"
        names.append(replace(name, who=who))
    return tuple(names)


def compose(texts: Iterable[tuple[SummaryName, str]]) -> tuple[str, tuple[Reference, ...]]:
    """References as one text, each under its header, as DUCView's users lay them out (see OUR_PATTERN)."""
    result = ""
    references = []
    for name, text in texts:
        rule = "-" * (len(str(name)) + 1)
        result += f"{rule}\n {name}\n{rule}\n\n"
        references.append(Reference(name.who, name.length, len(result), len(result) + len(text)))
        result += f"{text}\n\n"
    return result, tuple(references)


# Regular expressions

MOST_CHARACTERS = 1_000  # of an expression
MOST_MATCHES = 1_000
MOST_STEPS = 200_000_000  # size of the compiled expression times characters times searches: some seconds
_MEMORY = 1 << 20  # bytes

_CHARACTER = r"\\[dDwWsSntrfa]|\\[^A-Za-z0-9]"
_PIECE = re.compile(
    rf"(?P<same>{_CHARACTER}|\[\^?+(?:{_CHARACTER}|[^\\\[\]&]|&(?!&))+\]|\(\?:|\((?!\?)|[^\\\[({{*+?.^$])"
    r"|(?P<any>\.)|(?P<times>[*+?]|\{[0-9]{1,4}(?:,[0-9]{0,4})?\})[?+]?"
)


class PatternRefused(ValueError):
    """A regular expression that is not taken, or that is none."""


def matches(pattern: str, text: str) -> list[tuple[int, int]]:
    """Where the expression of a file matches, from left to right, without overlap; empty matches do not count.

    RE2 matches in time linear in the text, so that no stranger's expression can stall an import; `re` backtracks, and
    can take for ever. Among matches that begin at one place the longest is taken. Expressions are Java's: what means
    something else to RE2, or nothing, is refused, and so is one that would need too many searches of the text.
    """
    import re2  # google-re2; here, because few files need it

    options = re2.Options()
    options.longest_match = options.never_capture = True
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled = re2.compile(_in_re2(ILLEGAL.sub("\ufffd", pattern)), options)
    except re2.error as error:
        raise PatternRefused(str(error)) from None
    text = ILLEGAL.sub("\ufffd", text)
    searches = compiled.finditer(text)
    spans: list[tuple[int, int]] = []
    for _ in range(MOST_STEPS // (compiled.programsize * (len(text) + 1))):
        match = next(searches, None)
        if match is None:
            return spans
        if match.start() < match.end():
            spans.append(match.span())
        if len(spans) > MOST_MATCHES:
            raise PatternRefused(f"matches more than {MOST_MATCHES} times")
    raise PatternRefused("too long for this text")


def _in_re2(pattern: str) -> str:
    """Java's expression as RE2 understands it: what both have in common, and `.` without carriage returns.

    How much a repetition takes at first (`*?`, `*+`) does not matter where the longest match is wanted.
    """
    if len(pattern) > MOST_CHARACTERS:
        raise PatternRefused("too long")
    parts, at = [], 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise PatternRefused(f"{pattern[at:][:10]} is not taken")
        parts.append(r"[^\n\r]" if piece["any"] else piece["same"] or piece["times"])
        at = piece.end()
    return "".join(parts)


# Markup: a tree of elements from XML, and as much of one as possible where a file is not well-formed

NOT_WELL_FORMED = "file that is not well-formed XML: what can be read of it is kept"
CONTROL = "characters that XML does not allow, replaced by U+FFFD each"
UNCLOSED = "element that does not end: closed where its parent goes on"
UNOPENED = "end of an element that did not begin"
STRAY = "element in a place where it means nothing: left out"
CUT_OFF = "tag that does not end: kept as far as it goes"

LEVELS = {
    "peerannotation": 0,
    "pyramid": 1,
    "annotation": 1,
    "startdocumentregex": 2,
    "text": 2,
    "scu": 2,
    "peerscu": 2,
    "line": 3,
    "contributor": 3,
    "part": 4,
}
_HOLDS_TEXT = ("line", "startdocumentregex")

_ROOT = re.compile(r"<(?:peerAnnotation|pyramid)[\s/>]", re.IGNORECASE)
_ENTITY_DECLARED = re.compile(r"<!ENTITY", re.IGNORECASE)
_TAG = re.compile(rf"<(/?)({'|'.join(LEVELS)})(?=[\s/>])", re.IGNORECASE)
_AFTER_TEXT = re.compile(  # in a text, words such as "<part of it>" are no tags
    rf"</(?:{'|'.join(LEVELS)})\s{{0,20}}>|<(?:line|text)>|<(?:peer)?scu\s{{1,20}}uid\b", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""(?:^|\s)(uid|label|comment|start|end)\s{0,20}=\s{0,20}(["'])""", re.IGNORECASE)
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


class DeclaresEntities(ValueError):
    """The file declares entities: it is not one of DUCView's, and may blow up whoever expands them."""


@dataclass(slots=True)
class Node:
    """An element: its name in lower case, its attributes, its own text, and the line it begins on."""

    name: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Node]:
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> Node | None:
        return next(self.all(name), None)


@dataclass(slots=True)
class Notes:
    """What was odd in a file, by line."""

    oddities: list[tuple[int, str]] = field(default_factory=list)

    def __call__(self, line: int, reason: str) -> None:
        self.oddities.append((line, reason))


def parse(text: str, note: Notes) -> Node:
    """The tree of a file. The node it returns stands above the file's own."""
    body = _without_prolog(text)
    if strange := ILLEGAL.search(body):
        note(body.count("\n", 0, strange.start()) + 1, CONTROL)
    clean = ILLEGAL.sub("\ufffd", body)  # one for one: offsets count characters
    try:
        return _strict(clean)
    except expat.ExpatError as error:
        note(error.lineno, NOT_WELL_FORMED)
        return _Tolerant(_without_comments(clean), note).run()


def _without_prolog(text: str) -> str:
    """The text from its first element on; what stands before is blank, so that lines keep their numbers."""
    root = _ROOT.search(text)
    begin = root.start() if root else 0
    if _ENTITY_DECLARED.search(text[:begin] if root else text):
        raise DeclaresEntities
    return "\n" * text.count("\n", 0, begin) + text[begin:]


def _strict(text: str) -> Node:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Node("", 1)
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = Node(name.lower(), parser.CurrentLineNumber, attributes)
        stack[-1].children.append(node)
        stack.append(node)

    def characters(data: str) -> None:
        stack[-1].text += data

    def end(name: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.Parse(text, True)
    return top


class _Tolerant:
    """Goes from tag to tag of those it knows. What stands between two tags belongs to the first of them."""

    def __init__(self, text: str, note: Notes) -> None:
        self._text, self._note = text, note
        self._top = Node("", 1)
        self._stack = [self._top]
        self._counted_to, self._line = 0, 1

    def run(self) -> Node:
        tag = _TAG.search(self._text)
        while tag:
            position = tag.start()
            self._line += self._text.count("\n", self._counted_to, position)
            self._counted_to = position
            name, line = tag[2].lower(), self._line
            in_text = name in _HOLDS_TEXT and not tag[1]
            following = (_AFTER_TEXT if in_text else _TAG).search(self._text, tag.end())
            end = following.start() if following else len(self._text)
            if tag[1]:
                self._close(name, line)
            else:
                ended = following is not None and following[0].startswith("</")
                self._open(name, line, self._text[tag.end() : end], ended)
            tag = _TAG.match(self._text, end)
        for node in self._stack[1:]:
            self._note(node.line, UNCLOSED)
        return self._top

    def _close(self, name: str, line: int) -> None:
        if all(node.name != name for node in self._stack):
            self._note(line, UNOPENED)
            return
        while (node := self._stack.pop()).name != name:
            self._note(node.line, UNCLOSED)

    def _open(self, name: str, line: int, between: str, ended: bool) -> None:
        while self._stack[-1].name and LEVELS[self._stack[-1].name] >= LEVELS[name]:
            self._note(self._stack.pop().line, UNCLOSED)
        if name in _HOLDS_TEXT:
            _, _, inside = between.partition(">")
            node, closed = Node(name, line, text=_content(inside if ended else inside.rstrip())), False
        else:
            tag = between.rstrip()
            if not tag.endswith(">"):
                self._note(line, CUT_OFF)
            tag = tag.removesuffix(">")
            node, closed = Node(name, line, _attributes(tag)), tag.endswith("/")
        parent = self._parent(name, line)
        if parent is None:
            self._note(line, STRAY)
            return
        parent.children.append(node)
        if not closed:
            self._stack.append(node)

    def _parent(self, name: str, line: int) -> Node | None:
        """The element that this one belongs to; one that was lost is put in its place."""
        here = self._stack[-1]
        match name:
            case "part" if here.name in ("scu", "peerscu"):
                return self._implied("contributor", line)
            case "part":
                return here if here.name == "contributor" else None
            case "contributor":
                return here if here.name in ("scu", "peerscu") else None
            case "line":
                return here if here.name == "text" else None
            case "scu" | "startdocumentregex" if here.name != "pyramid":
                return self._implied("pyramid", line)
            case "peerscu" if here.name != "annotation":
                return self._implied("annotation", line)
            case "text" if here.name not in ("pyramid", "annotation"):
                return self._implied("annotation" if here.first("pyramid") else "pyramid", line)
        return here

    def _implied(self, name: str, line: int) -> Node:
        """An element whose begin was lost. One of that name that ended too early goes on."""
        while self._stack[-1].name and LEVELS[self._stack[-1].name] >= LEVELS[name]:
            self._stack.pop()
        earlier = list(self._stack[-1].all(name)) if LEVELS[name] == 1 else []
        node = earlier[-1] if earlier else Node(name, line)
        if not earlier:
            self._stack[-1].children.append(node)
        self._stack.append(node)
        return node


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag. A value ends at the last quote before the next attribute: it may hold quotes itself."""
    attributes = list(_ATTRIBUTE.finditer(tag))
    values: dict[str, str] = {}
    for number, attribute in enumerate(attributes):
        end = attributes[number + 1].start() if number + 1 < len(attributes) else len(tag)
        raw = tag[attribute.end() : end]
        quote = raw.rfind(attribute[2])
        values.setdefault(
            attribute[1].lower(), _characters(raw[:quote] if quote >= 0 else raw).replace("\n", " ")
        )
    return values


def _content(text: str) -> str:
    """The characters of an element's text: entities are resolved, CDATA is taken as it stands."""
    result = []
    while text:
        plain, marked, text = text.partition(_CDATA)
        result.append(_characters(plain))
        if marked:
            inside, _, text = text.partition(_CDATA_END)
            result.append(inside)
    return "".join(result)


def _characters(text: str) -> str:
    """Entities as characters. Those that nobody knows stay as they are, and so does an & that begins none."""

    def replace(match: re.Match[str]) -> str:
        char = character(match[1])
        return match[0] if char is None else ILLEGAL.sub("\ufffd", char) or "\ufffd"

    return ENTITY.sub(replace, text)


def _without_comments(text: str) -> str:
    """Comments replaced by the line ends in them."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + 3
    return "".join([*kept, text[at:]])
