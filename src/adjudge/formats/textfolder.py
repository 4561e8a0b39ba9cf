"""Folders with a text file per summary: patterns say what the files' paths mean, such as {system}/{topic}.txt.

Peers, references and documents have patterns of their own. Files are plain text, or HTML as SEE and pyrouge write it,
one unit a line. Where no pattern is given, `find_layout` looks for a layout that leaves no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from adjudge.core.errors import FormatError, UsageError, Way, nearest, quoted
from adjudge.core.phrases import Argument, Call
from adjudge.data.absent import absent_words
from adjudge.data.incoming import Item, LeftOut, Noted
from adjudge.data.layout import SETTINGS
from adjudge.data.lines import MAX_LINE, wide_encoding
from adjudge.data.rows import KINDS, Document, Summary, System, Topic
from adjudge.data.target import FORMS
from adjudge.formats.duc import IS_SEE, is_summary, see_units
from adjudge.formats.files import (
    Once,
    Paths,
    Place,
    bare_name,
    decoded,
    find_files,
    one_of,
    read_whole,
    shown,
    whole_length,
)

EMPTY_SUMMARY = Noted("empty file taken as an empty summary")
EMPTY_REFERENCE = Noted("empty file taken as an empty reference")
EMPTY_DOCUMENT = LeftOut("empty file instead of a document")

_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
PEER, REFERENCE, SOURCE = "pattern", "reference_pattern", "source_pattern"  # arguments of `read`
_FIELDS = {
    PEER: ("topic", "system", "length", "form"),
    REFERENCE: ("topic", "writer", "system", "length", "form"),
    SOURCE: ("topic", "document"),
}
_OWN_RULES = {"length": "[0-9]{1,9}", "form": "|".join(FORMS)}
_PLACEHOLDER = re.compile(r"\{(\w*)(?::((?:[^{}]|\{[0-9,]*\})+))?\}")
_NAMES_SHOWN = 4


def _pattern(text: str, argument: str = PEER) -> Argument:
    return Argument(argument, [text])


# What a path means


@dataclass(frozen=True)
class PathPattern:
    """A path below the folder with {topic}, {system}, ... in it; * stands for anything within a name.

    A placeholder may say what it matches, as a regular expression: {topic:\\d+}. One that stands twice must match the
    same text.
    """

    argument: str
    text: str

    def __post_init__(self) -> None:
        fields = [placeholder[1] for placeholder in _PLACEHOLDER.finditer(self.text)]
        choices = _FIELDS[self.argument]
        for name in fields:
            if name not in choices:
                raise UsageError(
                    f"{self} has {{{name}}}{nearest(name, choices)}, expected"
                    f" {', '.join(f'{{{choice}}}' for choice in choices)}"
                )
        rest = _PLACEHOLDER.sub("", self.text)
        if "{" in rest or "}" in rest:
            raise UsageError(f"{self} has a brace that is not closed, expected something like {{topic}}")
        if "topic" not in fields:
            raise UsageError(f"{self} has no {{topic}}, expected something like {self._example}")
        between = _PLACEHOLDER.split(self.text)[3:-1:3]
        rules = [placeholder[2] for placeholder in _PLACEHOLDER.finditer(self.text)]
        for k, fixed in enumerate(between):
            if not fixed.strip("*") and not rules[k] and not rules[k + 1]:
                raise UsageError(
                    f"{self} has {{{fields[k]}}} and {{{fields[k + 1]}}} with nothing between them to tell where"
                    f" one ends; put what stands there between them, or say what one is: {{{fields[k]}:[0-9]+}}"
                )
        if PurePosixPath(self.text).is_absolute() or ".." in PurePosixPath(self.text).parts:
            raise UsageError(f"{self} leaves the folder, expected a path below it")
        try:
            _ = self._greedy, self._lazy
        except re.error as error:
            raise UsageError(f"{self} is no pattern: {error}") from None

    def __str__(self) -> str:
        return f"{Argument(self.argument)} {quoted(self.text)}"

    @property
    def _example(self) -> str:
        named = {PEER: "{system}/{topic}.txt", REFERENCE: "references/{topic}.txt"}
        return named.get(self.argument, "sources/{topic}.txt")

    @cached_property
    def told(self) -> tuple[int, int]:
        """How much it says of a path: characters that stand there, and placeholders that say what they match."""
        rules = [placeholder for placeholder in _PLACEHOLDER.finditer(self.text) if placeholder[2]]
        return len(_PLACEHOLDER.sub("", self.text).replace("*", "")), len(rules)

    @cached_property
    def _greedy(self) -> re.Pattern[str]:
        return self._compiled("")

    @cached_property
    def _lazy(self) -> re.Pattern[str]:
        return self._compiled("?")

    def _compiled(self, lazy: str) -> re.Pattern[str]:
        parts: list[str] = []
        seen: set[str] = set()
        at = 0
        for placeholder in _PLACEHOLDER.finditer(self.text):
            parts.append(_fixed(self.text[at : placeholder.start()], lazy))
            name, rule = placeholder[1], placeholder[2] or _OWN_RULES.get(placeholder[1]) or f"[^/]+{lazy}"
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{rule})")
            seen.add(name)
            at = placeholder.end()
        return re.compile("".join([*parts, _fixed(self.text[at:], lazy)]))

    def match(self, path: str) -> dict[str, str] | None:
        """What the placeholders stand for in a path, or None; a path that can be read in two ways is refused."""
        greedy, other = self._greedy.fullmatch(path), self._lazy.fullmatch(path)
        if greedy is None or other is None:
            return None
        if greedy.groupdict() != other.groupdict():
            ways = " or ".join(
                ", ".join(f"{name} {shown(value)}" for name, value in match.groupdict().items())
                for match in (other, greedy)
            )
            name = next(name for name in greedy.groupdict() if name not in _OWN_RULES)
            raise UsageError(
                f"{path} can be read in two ways by {self}: {ways}; say what one of them is, such as"
                f" {{{name}:[^._]+}}"
            )
        return greedy.groupdict()


Meaning: TypeAlias = tuple[PathPattern, dict[str, str]]
"""The pattern that a path is meant by, and what its placeholders stand for."""


def _fixed(text: str, lazy: str) -> str:
    return "".join(f"[^/]*{lazy}" if c == "*" else re.escape(c) for c in text)


@dataclass(frozen=True)
class FolderLayout:
    """The patterns of a folder."""

    peers: tuple[PathPattern, ...] = ()
    references: tuple[PathPattern, ...] = ()
    sources: tuple[PathPattern, ...] = ()

    @classmethod
    def of(cls, peers: Iterable[str], references: Iterable[str], sources: Iterable[str]) -> FolderLayout:
        return cls(
            tuple(PathPattern(PEER, text) for text in peers),
            tuple(PathPattern(REFERENCE, text) for text in references),
            tuple(PathPattern(SOURCE, text) for text in sources),
        )

    @property
    def patterns(self) -> tuple[PathPattern, ...]:
        return *self.peers, *self.references, *self.sources

    def __str__(self) -> str:
        return str(Call(arguments=[_pattern(pattern.text, pattern.argument) for pattern in self.patterns]))

    def meaning(self, path: str) -> Meaning | None:
        """The pattern that a path is meant by, the one that says most of it; and what its placeholders stand for."""
        for pattern in sorted(self.patterns, key=lambda pattern: pattern.told, reverse=True):
            if (values := pattern.match(path)) is not None:
                for other in self.patterns:
                    if other != pattern and other.told == pattern.told and other.match(path) is not None:
                        raise UsageError(
                            f"{path} matches {pattern} and {other}: write one of them with more of the path"
                        )
                return pattern, values
        return None


# As rows


def read(
    folder: str | Path,
    *,
    pattern: str | Iterable[str] | None = None,
    reference_pattern: str | Iterable[str] | None = None,
    source_pattern: str | Iterable[str] | None = None,
    system: str | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    max_size: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Peers, references and documents of a folder, a file each; what a file is goes by the patterns.

    Without any pattern the layout is found out, where it leaves no doubt. A peer without {system} in its pattern is by
    `system`, or by the folder that it lies in; so is a reference without {writer}. `length` and `form` hold where the
    path says nothing. Files are UTF-8, and Windows-1252 where they are not, unless `encoding` is given.
    """
    one_of("kind", kind, KINDS)
    one_of("form", form, FORMS)
    whole_length(length)
    root = Path(folder)
    if not root.is_dir():
        if root.exists():
            hint = ": unpack an archive first" if root.suffix.lower() in _ARCHIVES else ""
            raise FormatError(f"is a file, expected a folder{hint}", file=root)
        raise FormatError(f"no such folder{absent_words(root)}", file=root)
    layout = FolderLayout.of(_several(pattern), _several(reference_pattern), _several(source_pattern))
    paths: dict[str, Path] = {}
    for path, left in _texts_in(root):
        if left:
            yield str(path), left
        else:
            paths[path.relative_to(root).as_posix()] = path
    if not layout.patterns:
        layout = find_layout(root, list(paths))
        yield str(root), Noted(f"layout found: {layout}")
    files = _TextFiles(root, system, kind, {"length": length, "form": form}, max_size, encoding)
    meanings = {
        name: layout.meaning(name.removesuffix(path.name) + bare_name(path)) for name, path in paths.items()
    }
    _refuse_other_roles(meanings)
    _refuse_other_topics(meanings.values(), root)
    matched = False
    for name, path in paths.items():
        meaning = meanings[name]
        if meaning is None:
            ending = path.suffix if path.suffix and path.suffix != path.name else "without an ending"
            yield str(path), LeftOut(f"file that matches no pattern ({ending})")
            continue
        matched = True
        yield from files.items(Place(path, 1), *meaning)
    if not matched:
        raise UsageError(f"no file below {root} matches {layout}; there are: {_listed(paths)}")


def read_found(
    folders: Paths,
    *,
    system: str | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    max_size: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Peers, references and documents of folders whose layouts leave no doubt."""
    for folder in folders:
        yield from read(
            folder,
            system=system,
            kind=kind,
            length=length,
            form=form,
            max_size=max_size,
            encoding=encoding,
        )


def texts_below(root: Path) -> list[str]:
    """The paths below a folder of the files that would be looked at."""
    return [path.relative_to(root).as_posix() for path, left in _texts_in(root) if left is None]


def _refuse_other_topics(meanings: Iterable[Meaning | None], root: Path) -> None:
    """Refuse references of which none is of a topic that a system has: one pattern cuts the topic out otherwise."""
    topics: dict[bool, dict[str, PathPattern]] = {True: {}, False: {}}
    for pattern, values in filter(None, meanings):
        if pattern.argument != SOURCE:
            topics[pattern.argument == REFERENCE].setdefault(values["topic"], pattern)
    if topics[True] and topics[False] and not topics[True].keys() & topics[False].keys():
        (one, of_reference), (other, of_system) = (
            next(iter(topics[is_one].items())) for is_one in (True, False)
        )
        raise UsageError(
            f"{root}: no reference is of a topic of the systems: {quoted(of_reference.text)} gives such as"
            f" {shown(one)}, {quoted(of_system.text)} such as {shown(other)}; let both patterns have the same {{topic}}"
        )


def _refuse_other_roles(meanings: Mapping[str, Meaning | None]) -> None:
    """Refuse a {system} that stands for what is named as references or sources, unless the path is written out."""
    systems: dict[str, PathPattern] = {}
    topics: set[str] = set()
    files: dict[str, list[PurePosixPath]] = {}
    for path, meaning in meanings.items():
        if meaning is not None and meaning[0].argument == PEER and "system" in meaning[1]:
            name = meaning[1]["system"]
            systems.setdefault(name, meaning[0])
            files.setdefault(name, []).append(PurePosixPath(path))
            if not (_REFERENCES.fullmatch(name) or _MODELS.fullmatch(name) or _SOURCES.fullmatch(name)):
                topics.add(meaning[1]["topic"])
    is_rouge = any(map(_PEERS.fullmatch, systems))
    for name, pattern in systems.items():
        is_reference = _REFERENCES.fullmatch(name) or (is_rouge and _MODELS.fullmatch(name))
        if is_reference or _SOURCES.fullmatch(name):
            what, role = ("references", REFERENCE) if is_reference else ("sources", SOURCE)
            written = _written_out(pattern.text, name)
            fitting = written
            if topics and all(path.parts[0] == name and len(path.parts) in (2, 3) for path in files[name]):
                who = "{writer}" if is_reference else "{document}"
                fitting = _matching(files[name], name, "", topics, who) or written
            raise UsageError(
                f"{pattern} makes {shown(name)} a system, which is named as {what}: add"
                f" {_pattern(fitting, role)}, or where it is a system, {_pattern(written)}"
            )


def _written_out(text: str, system: str) -> str:
    return _PLACEHOLDER.sub(lambda match: system if match[1] == "system" else match[0], text)


def _texts_in(root: Path) -> Iterator[tuple[Path, LeftOut | None]]:
    """The files of a folder, but for those of evaluations in it, such as the one that they are imported into."""
    files = list(find_files([root], deep=True))
    evaluations = {path.parent for path, _ in files if path.name == SETTINGS}
    for path in sorted(evaluations):
        yield path, LeftOut("evaluation inside the folder")
    yield from ((path, left) for path, left in files if evaluations.isdisjoint(path.parents))


def _several(patterns: str | Iterable[str] | None) -> list[str]:
    return [patterns] if isinstance(patterns, str) else list(patterns or ())


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


@dataclass(frozen=True)
class _TextFiles:
    """Turns files into rows, once it is known what they are."""

    root: Path
    system: str | None
    kind: str | None
    target: Mapping[str, int | str | None]
    max_size: int
    encoding: str | None
    once: Once = field(default_factory=Once)

    def items(self, place: Place, pattern: PathPattern, values: Mapping[str, str]) -> Iterator[Item]:
        text = self._text(place)
        yield from self.once.new(place, place.row(Topic, {"topic": values["topic"]}, {"topic": "{topic}"}))
        if pattern.argument == SOURCE:
            data = {"topic": values["topic"], "id": values.get("document", "1"), "text": text}
            yield place.item(place.row(Document, data) if text else EMPTY_DOCUMENT)
        else:
            is_reference = pattern.argument == REFERENCE
            yield from self._summary(place, values, text, is_reference)
        yield from place.noted()

    def _summary(
        self, place: Place, values: Mapping[str, str], text: str, is_reference: bool
    ) -> Iterator[Item]:
        default = None if is_reference else self.system
        name = values.get("writer") or values.get("system") or default or place.path.absolute().parent.name
        kind = "human" if is_reference else self.kind
        yield from self.once.new(place, place.row(System, {"system": name, "kind": kind}))
        length = values.get("length")
        data = {
            "topic": values["topic"],
            "system": name,
            "length": self.target["length"] if length is None else int(length),
            "form": values.get("form", self.target["form"]),
            "roles": ["reference" if is_reference else "peer"],
            "text": text,
        }
        if not text:
            place.notes.append(EMPTY_REFERENCE if is_reference else EMPTY_SUMMARY)
        yield place.item(place.row(Summary, data))

    def _text(self, place: Place) -> str:
        raw = read_whole(place.path, "the file", max_size=self.max_size)
        encoding = wide_encoding(raw[:1024]) or self.encoding
        if b"\0" in raw and encoding is None:
            raise place.wrong(
                f"a NUL byte: this is no text file, or it is UTF-16 ({Argument('encoding', 'utf-16-le')})"
            )
        text = decoded(raw, place, encoding).removeprefix("\ufeff")
        if IS_SEE.search(text):
            return "\n".join(see_units(text, place))
        if text.lstrip()[:5].lower() == "<html":
            raise place.wrong(
                "HTML without units, expected <a href=... id=1>text</a>; or save it as plain text"
            )
        return "\n".join(line.rstrip() for line in text.strip().split("\n"))


# What a folder looks like

_OF_WHAT = r"s?([-_. ]?(summar(y|ies)|texts?))?"
_REFERENCES = re.compile(
    rf"(gold|golden|reference|ref|target|tgt){_OF_WHAT}([-_. ]?(\d+|[a-z]))?", re.IGNORECASE
)
_MODELS = re.compile(rf"models?{_OF_WHAT}", re.IGNORECASE)
_SOURCES = re.compile(r"(source|src|document|doc|article|input)s?", re.IGNORECASE)
_PEERS = re.compile(rf"(system|peer){_OF_WHAT}", re.IGNORECASE)
_NO_TEXTS = (".md", ".xml", ".json", ".py", ".sh", ".log", ".csv", ".tsv")
_TEXTS = (
    *("", ".txt", ".text", ".html", ".htm", ".see", ".spl", ".sum", ".summary", ".story", ".article"),
    *(".dec", ".out", ".hyp", ".pred", ".candidate", ".ref", ".gold", ".src", ".source", ".tgt", ".target"),
)  # what follows another dot may be a writer or a system
_JOINTS = "._-"


def find_layout(root: Path, names: Sequence[str]) -> FolderLayout:
    """The layout of a folder with these files, by the names of its folders and files.

    Folders named as references or sources (reference, gold, source, docs, ...; model beside system, as ROUGE has them)
    stand beside the systems' folders; or every topic has a folder, with a file named so in it. What else there is can
    be read in several ways, and is for the caller to say.
    """
    paths = _texts_among(names)
    if paths and all(is_summary(Path(path)) for path in paths):
        raise UsageError(
            f"{root}: the files are named as NIST names summaries: adjudge import duc {root} EVALUATION"
        )
    inner = [path for path in paths if len(path.parts) > 1] or paths  # a log beside the folders is no text
    plain = all(path.suffix.lower() in _TEXTS for path in inner)
    layout = (_by_folders(inner) or _by_topics(inner)) if plain else None
    if layout is None:
        ways = " or ".join(map(str, ways_to_read(names)))
        references = _pattern(f"references/{{topic}}{_ending(paths)}", REFERENCE)
        others = "" if _named(paths) else f", and where there are references {references}"
        raise UsageError(
            f"{root}: the layout is not clear; say {ways}{others}; the files are: {_listed(names)}"
        )
    return layout


def _texts_among(names: Sequence[str]) -> list[PurePosixPath]:
    paths = [*map(PurePosixPath, names)]
    return [path for path in paths if path.suffix.lower() not in _NO_TEXTS] or paths


def _by_folders(paths: Sequence[PurePosixPath]) -> FolderLayout | None:
    """Folders of systems, beside folders of references or sources."""
    tops: dict[str, list[PurePosixPath]] = {}
    for path in paths:
        tops.setdefault(path.parts[0], []).append(path)
    if any({len(path.parts) for path in inside} not in ({2}, {3}) for inside in tops.values()):
        return None
    is_rouge = any(_PEERS.fullmatch(top) for top in tops)
    references = [top for top in tops if _REFERENCES.fullmatch(top) or (is_rouge and _MODELS.fullmatch(top))]
    sources = [top for top in tops if _SOURCES.fullmatch(top)]
    systems = [top for top in tops if top not in (*references, *sources)]
    unclear = [top for top in systems if _MODELS.fullmatch(top)]
    if not systems or not (references or sources) or unclear:
        return None
    peers = [path for top in systems for path in tops[top]]
    for start in dict.fromkeys(("", _common_start(path.name for path in peers))):
        topics: set[str] = set()
        patterns: list[str] = []
        for top in systems:
            end = _common_end(path.name for path in tops[top])
            patterns.append(f"{top}/{'{system}/' if _is_deep(tops[top]) else ''}{start}{{topic}}{end}")
            topics |= {path.name.removeprefix(start).removesuffix(end) for path in tops[top]}
        writers = [_matching(tops[top], top, start, topics, "{writer}") for top in references]
        documents = [_matching(tops[top], top, start, topics, "{document}") for top in sources]
        if None not in (*writers, *documents):
            return FolderLayout.of(_merged(patterns), filter(None, writers), filter(None, documents))
    return None


def _is_deep(paths: Sequence[PurePosixPath]) -> bool:
    return len(paths[0].parts) == 3


def _merged(patterns: Sequence[str]) -> Sequence[str]:
    """One pattern instead of several that differ by the system's folder alone."""
    rest = {text.partition("/")[2] for text in patterns}
    if len(rest) == 1 and len(patterns) > 1 and "{system}" not in patterns[0]:
        return [f"{{system}}/{rest.pop()}"]
    return patterns


def _common_start(names: Iterable[str]) -> str:
    """What all names begin with, up to a joint: news. of news.1.txt and news.2.txt."""
    start = _shared(names)
    return start[: max(start.rfind(joint) for joint in _JOINTS) + 1]


def _common_end(names: Iterable[str]) -> str:
    """What all names end in, from a joint on: _decoded.txt of 1_decoded.txt and 2_decoded.txt."""
    several = set(names)
    if len(several) == 1:
        return PurePosixPath(several.pop()).suffix
    end = _shared(name[::-1] for name in several)[::-1]
    return end[next((k for k, c in enumerate(end) if c in _JOINTS), len(end)) :]


def _shared(names: Iterable[str]) -> str:
    """The characters that all names begin with."""
    same = takewhile(lambda characters: len(set(characters)) == 1, zip(*names, strict=False))
    return "".join(characters[0] for characters in same)


def _matching(paths: Sequence[PurePosixPath], top: str, start: str, topics: set[str], who: str) -> str | None:
    """The one pattern by which files belong to these topics; None where there is none, or several."""
    if _is_deep(paths):
        ways = [f"{top}/{who}/{start}{{topic}}", f"{top}/{start}{{topic}}/{who}"]
    else:
        ways = [f"{top}/{start}{{topic}}"]
        ways += [f"{top}/{start}{{topic}}{joint}{who}" for joint in _JOINTS]
        ways += [f"{top}/{start}{who}{joint}{{topic}}" for joint in _JOINTS]
    end = _common_end(path.name for path in paths)
    fitting = [way + end for way in ways if _fits(way + end, paths, topics)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(text: str, paths: Sequence[PurePosixPath], topics: set[str]) -> bool:
    pattern = PathPattern(SOURCE if "{document}" in text else REFERENCE, text)
    try:
        meanings = [pattern.match(path.as_posix()) for path in paths]
    except UsageError:
        return False
    return None not in meanings and {meaning["topic"] for meaning in meanings if meaning} >= topics


def _by_topics(paths: Sequence[PurePosixPath]) -> FolderLayout | None:
    """A folder per topic, with a reference or a source by that name in it."""
    ends = {path.suffix for path in paths}
    if any(len(path.parts) != 2 for path in paths) or len(ends) != 1:
        return None
    stems = {path.stem for path in paths}
    references = sorted(stem for stem in stems if _REFERENCES.fullmatch(stem))
    sources = sorted(stem for stem in stems if _SOURCES.fullmatch(stem))
    if not (references or sources) or stems <= {*references, *sources}:
        return None
    end = ends.pop()
    writers = [f"{{topic}}/{{writer:{'|'.join(map(re.escape, references))}}}{end}"] if references else []
    return FolderLayout.of(
        [f"{{topic}}/{{system}}{end}"], writers, [f"{{topic}}/{stem}{end}" for stem in sources]
    )


def _named(paths: Sequence[PurePosixPath]) -> dict[str, str]:
    """The folders that are named as references or sources, with the argument for their pattern."""
    tops = dict.fromkeys(path.parts[0] for path in paths if len(path.parts) > 1)
    is_rouge = any(map(_PEERS.fullmatch, tops))
    arguments: dict[str, str] = {}
    for top in tops:
        if _REFERENCES.fullmatch(top) or (is_rouge and _MODELS.fullmatch(top)):
            arguments[top] = REFERENCE
        elif _SOURCES.fullmatch(top):
            arguments[top] = SOURCE
    return arguments


def _ending(paths: Sequence[PurePosixPath]) -> str:
    ends = {path.suffix for path in paths}
    return ends.pop() if len(ends) == 1 else "*"


def ways_to_read(names: Sequence[str]) -> list[Way]:
    """What may be said of a folder with these files whose layout is not clear: patterns that some of them match."""
    paths = _texts_among(names)
    end = _ending(paths)
    if all(len(path.parts) == 1 for path in paths):
        return _ways_by_name(paths, end)
    named = _named(paths)
    others = [
        _pattern(_inner_pattern(paths, top, "{topic}", end), argument) for top, argument in named.items()
    ]
    inner = [path for path in paths if len(path.parts) > 1 and path.parts[0] not in named]
    deep = list(dict.fromkeys(path.parts[0] for path in inner if len(path.parts) > 2))
    if deep:
        patterns = [_inner_pattern(paths, top, "{system}/{topic}", end) for top in deep[:4]]
        return [Way(arguments=[*map(_pattern, patterns), *others], meaning="a folder per system in each")]
    by_system = Way(
        arguments=[_pattern(f"{{system}}/{{topic}}{end}"), *others], meaning="a folder per system"
    )
    by_topic = Way(arguments=[_pattern(f"{{topic}}/{{system}}{end}")], meaning="a folder per topic")
    return [by_system] if others else [by_system, by_topic]


def _inner_pattern(paths: Sequence[PurePosixPath], top: str, rest: str, end: str) -> str:
    """A pattern for the files below a folder, with a * for each folder between."""
    inside = [path for path in paths if path.parts[0] == top]
    between = "*/" * (min(len(path.parts) for path in inside) - len(PurePosixPath(rest).parts) - 1)
    return f"{top}/{between}{rest}{_ending(inside) or end}"


def _ways_by_name(paths: Sequence[PurePosixPath], end: str) -> list[Way]:
    """Files beside each other: topic and system in the name, with a length or not, or all of one system."""
    ways: list[Way] = []
    for joint in _JOINTS:
        names = [path.name.removesuffix(end).split(joint) for path in paths]
        if all(len(parts) == 3 and parts[2].isdecimal() for parts in names):
            several = [len({parts[k] for parts in names}) for k in (0, 1)]
            order = ("{topic}", "{system}") if several[0] >= several[1] else ("{system}", "{topic}")
            text = f"{joint.join((*order, '{length}'))}{end}"
            return [Way(arguments=[_pattern(text)], meaning="topic, system and length in the file's name")]
        for text in (f"{{topic}}{joint}{{system}}{end}", f"{{system}}{joint}{{topic}}{end}"):
            systems = _systems_by(text, paths)
            in_other_roles = [
                name for name in systems if _REFERENCES.fullmatch(name) or _SOURCES.fullmatch(name)
            ]
            others = [
                _pattern(_written_out(text, name), REFERENCE if _REFERENCES.fullmatch(name) else SOURCE)
                for name in in_other_roles
            ]
            way = Way(arguments=[_pattern(text), *others], meaning="topic and system in the file's name")
            if in_other_roles:
                return [way]
            if systems:
                ways.append(way)
    alone = Way(
        arguments=[_pattern(f"{{topic}}{end}"), Argument("system", "NAME")], meaning="all of one system"
    )
    return ways or [alone]


def _systems_by(text: str, paths: Sequence[PurePosixPath]) -> list[str]:
    """The systems of the files that a pattern matches; none where a file can be read in two ways."""
    pattern = PathPattern(PEER, text)
    try:
        meanings = [pattern.match(path.name) for path in paths]
    except UsageError:
        return []
    return list(dict.fromkeys(meaning["system"] for meaning in meanings if meaning))
