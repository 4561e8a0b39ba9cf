"""ROUGE-1.5.5's files: the settings, the summaries that they name, and what a run printed.

Settings come in two forms: XML, read by a small parser that knows elements, attributes and comments and declares,
fetches and expands nothing; and a list, a peer and its references a line. NIST's jackknife has one EVAL for each
reference left out; as rows, these are one topic again, with all references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.data.incoming import Item, LeftOut, Remark
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Summary, System, Topic
from adjudge.data.scores import Score
from adjudge.formats.files import (
    EMPTY_FILE,
    NIST_TASKS,
    Once,
    Paths,
    Place,
    bare_name,
    byte_lines,
    decoded,
    from_files,
    is_person,
    read_whole,
    reading,
    shown,
    stem,
)
from adjudge.formats.markup import characters, read_marked_up
from adjudge.formats.scoretable import ImportedMeasures

_NIST = re.compile(
    r"(?P<topic>[^.]+)\.(?P<task>[MS])\.(?P<length>[1-9][0-9]{0,5})\.(?P<selector>[^.-]+)(?:-(?P<out>[^.]+))?"
)


@dataclass(frozen=True, slots=True)
class EvalName:
    """What the ID of an EVAL says: D0601.M.250.A-B is topic, task, length, selector and the reference left out."""

    topic: str
    length: int | None = None
    task: str | None = None
    selector: str | None = None
    left_out: str | None = None

    @classmethod
    def parse(cls, text: str) -> EvalName:
        """Any other ID is the topic as it stands."""
        match = _NIST.fullmatch(text)
        if match is None:
            return cls(text)
        return cls(
            topic=match["topic"],
            length=int(match["length"]),
            task=NIST_TASKS[match["task"]],
            selector=match["selector"],
            left_out=match["out"],
        )


# Settings

FORMATS = ("SEE", "SPL", "ISI", "SIMPLE")
DEFAULT_SYSTEM = "X"  # what the original calls the peer of a list

# A name is tried where it begins and given up as a whole, so that searching stays linear.
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([A-Za-z_][\w:.-]*+)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
_TAG_NAME = re.compile(r"/?([A-Za-z][\w:.-]*)")
_HELD = ("P", "M", "PEER-ROOT", "MODEL-ROOT")  # the elements whose text says something


@dataclass(frozen=True, slots=True)
class Listed:
    """A summary as the settings name it: whose, below which root, in which file, on which line."""

    id: str
    root: str
    name: str
    line: int


@dataclass(slots=True)
class Trial:
    """One EVAL: peers, and the models they are compared with. A model may be listed twice, and counts twice."""

    id: str
    line: int
    format: str = ""
    peers: dict[str, Listed] = field(default_factory=dict)
    models: list[Listed] = field(default_factory=list)


def read_settings(path: Path, *, max_line: int = MAX_LINE) -> list[Trial]:
    """The evaluations of a settings file, in its order. EVALs of one ID are one, as in the original."""
    text = _whole(path, max_line)
    trials: dict[str, Trial] = {}
    reader = _SettingsReader(path, trials)
    for line, token in _tokens(text, path):
        reader.take(line, token)
    reader.finish()
    if not trials:
        raise Place(path, 1).wrong("no <EVAL>, expected the settings of ROUGE-1.5.5")
    return list(trials.values())


def read_list(
    path: Path, form: str, system: str = DEFAULT_SYSTEM, *, max_line: int = MAX_LINE
) -> list[Trial]:
    """The evaluations of a list: a line is a peer's file and its models' files. A line with # is a remark."""
    form = known_format(form)
    trials: list[Trial] = []
    for number, line in enumerate(_whole(path, max_line).split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        names = line.split()
        if len(names) < 2:
            raise Place(path, number).wrong("one file name, expected a peer's file and at least one model's")
        peer, *models = (_split(name) for name in names)
        trials.append(
            Trial(
                id=str(len(trials) + 1),
                line=number,
                format=form,
                peers={system: Listed(system, *peer, number)},
                models=[Listed(f"M.{k}", *model, number) for k, model in enumerate(models, 1)],
            )
        )
    if not trials:
        raise Place(path, 1).wrong("no evaluations, expected a peer's file and its models' files a line")
    return trials


def known_format(text: str) -> str:
    """The format's name as we write it."""
    if text.upper() not in FORMATS:
        raise UsageError(f"the format is {shown(text)}, expected one of: {', '.join(FORMATS)}")
    return text.upper()


def _split(name: str) -> tuple[str, str]:
    folder, slash, file = name.rpartition("/")
    return (folder or slash, file)


def _whole(path: Path, max_line: int) -> str:
    return decoded(read_marked_up(path, "the settings are", max_line=max_line), Place(path, 1), None)


@dataclass(frozen=True, slots=True)
class _SettingsElement:
    name: str
    attributes: dict[str, str]
    opens: bool
    closes: bool


def _tokens(text: str, path: Path) -> Iterator[tuple[int, _SettingsElement | str]]:
    """Elements and the texts between them, with their lines; comments and instructions are skipped."""
    at, line = 0, 1
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield line, text[at:start]
        line += text.count("\n", at, start)
        comment = text.startswith("<!--", start)
        mark = "-->" if comment else ">"
        end = text.find(mark, start)
        if end < 0:
            what = "a comment" if comment else "a tag"
            raise Place(path, line).wrong(f"{what} is not closed: is the file cut off?")
        inside = text[start + 1 : end]
        if not inside.startswith(("!", "?")):
            yield line, _element(inside, Place(path, line))
        at = end + len(mark)
        line += text.count("\n", start, at)
    yield line, text[at:]


def _element(inside: str, place: Place) -> _SettingsElement:
    match = _TAG_NAME.match(inside)
    if match is None:
        raise place.wrong(f"{shown('<' + inside[:20] + '>')} is no tag, expected &lt; for a < in a name")
    attributes = {
        name.upper(): characters(double or single, place).strip()
        for name, double, single in _ATTRIBUTE.findall(inside, match.end())
    }
    closes = inside.startswith("/")
    return _SettingsElement(
        name=match[1].upper().replace("_", "-"),
        attributes=attributes,
        opens=not closes,
        closes=closes or inside.endswith("/"),
    )


class _SettingsReader:
    """Puts elements together. Roots may stand before or after the files they are for."""

    def __init__(self, path: Path, trials: dict[str, Trial]) -> None:
        self._path, self._trials = path, trials
        self._trial: Trial | None = None
        self._roots: dict[str, dict[str, str]] = {}  # of every EVAL: PEER-ROOT, MODEL-ROOT
        self._named_last: dict[tuple[str, str], Listed] = {}  # by EVAL and ID of the model
        self._open: tuple[str, str, int] | None = None  # element, its ID, its line
        self._text: list[str] = []

    def take(self, line: int, token: _SettingsElement | str) -> None:
        if isinstance(token, str):
            if self._open is not None:
                self._text.append(token)
            return
        place = Place(self._path, line)
        if self._open is not None:
            if not (token.closes and not token.opens and token.name == self._open[0]):
                raise place.wrong(f"<{self._open[0]}> of line {self._open[2]} is not closed before this")
            self._close(place)
        elif token.name == "EVAL":
            if token.opens:
                if self._trial is not None:
                    raise place.wrong(f"an <EVAL> begins before the one of line {self._trial.line} has ended")
                name = place.name("EVAL ID", token.attributes.get("ID", ""))
                self._trial = self._trials.setdefault(name, Trial(name, place.line))
                self._roots.setdefault(name, {})
            if token.closes:
                self._trial = None
        elif token.opens and token.name in (*_HELD, "INPUT-FORMAT"):
            if self._trial is None:
                raise place.wrong(f"<{token.name}> stands outside an <EVAL>")
            if token.name == "INPUT-FORMAT":
                form = token.attributes.get("TYPE", "")
                if form.upper() not in FORMATS:
                    raise place.wrong(
                        f"INPUT-FORMAT TYPE is {shown(form)}, expected one of: {', '.join(FORMATS)}"
                    )
                self._trial.format = form.upper()
            elif not token.closes:
                of = token.attributes.get("ID", "")
                if token.name in ("P", "M"):
                    of = place.name(f"{token.name} ID", of)
                self._open, self._text = (token.name, of, place.line), []

    def _close(self, place: Place) -> None:
        if self._open is None or self._trial is None:
            return
        element, of, line = self._open
        text = characters("".join(self._text), place).strip()
        self._open = None
        if element.endswith("-ROOT"):
            self._roots[self._trial.id][element] = text
        elif not text:
            raise Place(self._path, line).wrong(f'<{element} ID="{of}"> names no file')
        elif element == "P":
            self._trial.peers[of] = Listed(of, "", text, line)
        else:
            # An ID that is listed twice counts twice, each time with the file named last, as in the original.
            model = Listed(of, "", text, line)
            self._trial.models.append(model)
            self._named_last[self._trial.id, model.id] = model

    def finish(self) -> None:
        if self._open is not None:
            raise Place(self._path, self._open[2]).wrong(
                f"<{self._open[0]}> is not closed: is the file cut off?"
            )
        if self._trial is not None:
            raise Place(self._path, self._trial.line).wrong("the <EVAL> is not closed: is the file cut off?")
        for trial in self._trials.values():
            place = Place(self._path, trial.line)
            if not trial.format:
                raise place.wrong(f"EVAL {shown(trial.id)} has no <INPUT-FORMAT TYPE=...>")
            if not trial.models:
                raise place.wrong(f"EVAL {shown(trial.id)} has no models (<M ID=...>)")
            roots = self._roots[trial.id]
            trial.peers = {k: _below(p, roots.get("PEER-ROOT", "")) for k, p in trial.peers.items()}
            last = (self._named_last[trial.id, model.id] for model in trial.models)
            trial.models = [_below(model, roots.get("MODEL-ROOT", "")) for model in last]


def _below(listed: Listed, root: str) -> Listed:
    return Listed(listed.id, root, listed.name, listed.line)


# Where the files are that settings name

Side = Literal["peer", "model"]


@dataclass(slots=True)
class SummaryFiles:
    """Finds files. `root` is the folder that has them now; `closed` refuses what lies outside a file's own root.

    Settings may come from a stranger: without a root they name only files in their own folder or below it.

    Below a new root a file is looked for under as much of its old path as is there: of /old/duc/peers/a.spl
    first DIR/old/duc/peers/a.spl, then DIR/duc/peers/a.spl, DIR/peers/a.spl, DIR/a.spl. The first file of an
    old root decides for all of that root.
    """

    settings: Path
    root: Path | None = None
    closed: bool = False
    _folders: dict[tuple[str, Side], Path] = field(default_factory=dict)

    def find(self, listed: Listed, side: Side) -> Path | None:
        """The file, or None where there is none."""
        place = Place(self.settings, listed.line)
        if self.root is None:
            return self._as_it_stands(listed, place)
        return self._below(self.root, listed, side, place)

    def expected(self, listed: Listed) -> str:
        """The file in words, for a message."""
        return "/".join(part for part in (listed.root.rstrip("/"), listed.name) if part)

    def _as_it_stands(self, listed: Listed, place: Place) -> Path | None:
        name = listed.name.lstrip("/")  # the original puts a slash between root and name, whatever they are
        folders = [Path(listed.root)]
        if not folders[0].is_absolute():
            folders.append(self.settings.parent / listed.root)
        for folder in folders:
            if is_file(folder / name):
                if self.closed:
                    _must_stay(folder / name, folder, place)
                if not _is_inside(folder / name, self.settings.parent):
                    raise place.wrong(
                        f"{shown(folder / name)} lies outside the settings' own folder, and is read only where"
                        f" {Argument('root', 'DIR')} names a folder that holds it"
                    )
                return folder / name
        return None

    def _below(self, root: Path, listed: Listed, side: Side, place: Place) -> Path | None:
        name = _parts(listed.name)
        if ".." in name:
            raise place.wrong(f"{shown(listed.name)} leaves the folder {root}")
        settled = self._folders.get((listed.root, side))
        for folder in [settled] if settled else _candidates(root, _parts(listed.root)):
            path = folder.joinpath(*name)
            if is_file(path):
                _must_stay(path, root, place)
                # Remember the folder; peers and models that had two folders must not end up in one.
                for (old, other), taken in self._folders.items():
                    if other != side and old != listed.root and taken == folder:
                        raise place.wrong(
                            f"peers and models are in two folders here, but both are found in {folder}:"
                            f" give the folder above the two as {Argument('root')}"
                        )
                self._folders[listed.root, side] = folder
                return path
        return None


def is_file(path: Path) -> bool:
    with reading(path):
        return path.is_file()


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]


def _candidates(root: Path, old: list[str]) -> list[Path]:
    for k in range(len(old) - 1, -1, -1):
        if old[k] == "..":  # what was above the old root says nothing about the new one
            old = old[k + 1 :]
            break
    return [root.joinpath(*old[k:]) for k in range(len(old) + 1)]


def _is_inside(path: Path, home: Path) -> bool:
    """Whether a file lies in a folder or below it, links followed."""
    try:
        return path.resolve().is_relative_to(home.resolve())
    except (OSError, RuntimeError):
        return False


def _must_stay(path: Path, home: Path, place: Place) -> None:
    if not _is_inside(path, home):
        raise place.wrong(f"{shown(path)} leaves the folder {home}: a path to somewhere else is not followed")


# Units (sentences) of a summary file

# Lines, and only lines, hold units: what a unit has on a second line the original does not see.
_SEE = re.compile(
    r'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>[ \t\n\r\f\v]+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
_ISI = re.compile(r'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')


def units(text: str, form: str) -> list[str]:
    """The text's units by the rules of the original; of SIMPLE, the lines with basic elements."""
    match form:
        case "SEE":
            return _found(_SEE, text)
        case "ISI":
            return _found(_ISI, text)
        case _:
            return [line for line in text.split("\n") if line]


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    lines = text.split("\n")
    # all but the last line had their newline, which belongs to a unit that is not closed
    ended = [line + "\n" for line in lines[:-1]] + [lines[-1]]
    return [unit[1] for line in ended if (unit := pattern.match(line))]


def read_bytes(path: Path, *, max_size: int = MAX_LINE) -> bytes:
    """A summary file, whole."""
    return read_whole(path, "the summary", max_size=max_size)


# Summaries as rows

MISSING = LeftOut(f"summary file is missing ({Argument('root')} names the folder that has them now)")
NO_SUMMARIES = LeftOut("basic elements (SIMPLE) are no summaries")
NO_UNITS = LeftOut("summary file without units of its format")
UNSEEN = LeftOut("unit, or part of one, that is not on one line: ROUGE-1.5.5 does not see it")

_SETTINGS, _LIST = ".xml", ".lst"
_ANCHOR = re.compile(r"<a\s[^<>]*\bid\s*=|<S\s[^<>]*\bSNTNO\s*=", re.IGNORECASE)


def read_summaries(
    paths: Paths,
    *,
    root: str | Path | None = None,
    form: str | None = None,
    system: str | None = None,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Summaries of settings files (XML), or of lists (.lst), which need `form` and take `system` as their peer.

    `root` is the folder that has the files now; nothing outside it is read, and without it nothing outside
    the settings' own folder. Without `encoding`, UTF-8 is tried and Windows-1252 used for other bytes.
    """
    folder = None if root is None else Path(root)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{Argument('root')} is {shown(folder)}, which is no folder")
    form = None if form is None else known_format(form)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        trials = _trials(path, form, system, max_line)
        files = SummaryFiles(path, folder, closed=True)
        yield from _SettingsRows(files, once, max_line, encoding).items(trials)

    yield from from_files(paths, items, (_SETTINGS, _LIST))


def _trials(path: Path, form: str | None, system: str | None, max_line: int) -> list[Trial]:
    name = bare_name(path).lower()
    if name.endswith(_LIST) or (form and not name.endswith(_SETTINGS)):
        if form is None:
            added = Argument("form", "SPL, SEE or ISI", flag="format")
            raise UsageError(f"{path} is a list, which does not say its format: add {added}")
        peer = Place(path, 1).name("system", system or stem(path).removesuffix(_LIST))
        return read_list(path, form, peer, max_line=max_line)
    return read_settings(path, max_line=max_line)


@dataclass(slots=True)
class _Gathered:
    """A topic at one length: every file once, in the order of the settings."""

    name: EvalName
    line: int
    peers: dict[tuple[str, Path], tuple[int, str]] = field(default_factory=dict)
    models: dict[tuple[str, Path], tuple[int, str]] = field(default_factory=dict)


class _SettingsRows:
    """One settings file."""

    def __init__(self, files: SummaryFiles, once: Once, max_line: int, encoding: str | None) -> None:
        self._files, self._once = files, once
        self._max_line, self._encoding = max_line, encoding

    def items(self, trials: list[Trial]) -> Iterator[Item]:
        topics: dict[tuple[str, int | None], _Gathered] = {}
        missing: set[tuple[str, str, str]] = set()
        for trial in trials:
            name = EvalName.parse(trial.id)
            here = topics.setdefault((name.topic, name.length), _Gathered(name, trial.line))
            sides: list[tuple[Side, list[Listed], dict[tuple[str, Path], tuple[int, str]]]] = [
                ("peer", list(trial.peers.values()), here.peers),
                ("model", trial.models, here.models),
            ]
            for side, listed, into in sides:
                for entry in listed:
                    path = self._files.find(entry, side)
                    if path is not None:
                        into.setdefault((entry.id, path), (entry.line, trial.format))
                    elif (side, entry.root, entry.name) not in missing:
                        missing.add((side, entry.root, entry.name))
                        yield Place(self._files.settings, entry.line).item(MISSING)
        if not any(here.peers or here.models for here in topics.values()):
            first = next(entry for trial in trials for entry in (*trial.peers.values(), *trial.models))
            raise Place(self._files.settings, first.line).wrong(
                f"no file {shown(self._files.expected(first))}, nor any other that is named here:"
                f" {Argument('root', 'DIR')} names the folder that has them now"
            )
        renamed = {name for here in topics.values() for name in self._two_writers(here)}
        for here in topics.values():
            yield from self._topic(here, renamed)

    def _two_writers(self, here: _Gathered) -> Iterator[str]:
        """IDs that a peer and a model of one topic share although their texts differ."""
        models: dict[str, list[Path]] = {}
        for name, path in here.models:
            models.setdefault(name, []).append(path)
        for name, path in here.peers:
            if any(
                not (path == other or self._bytes(path) == self._bytes(other))
                for other in models.get(name, ())
            ):
                yield name

    def _bytes(self, path: Path) -> bytes:
        return read_bytes(path, max_size=self._max_line)

    def _topic(self, here: _Gathered, renamed: set[str]) -> Iterator[Item]:
        place, name = Place(self._files.settings, here.line), here.name
        data = {"topic": name.topic, "task": name.task, "selector": name.selector}
        yield from self._once.new(place, place.row(Topic, data))
        writers = {w for w, _ in here.models}
        both = {w for w, _ in here.peers} & writers - renamed
        for (peer, path), (line, form) in here.peers.items():
            roles = ["peer", "reference"] if peer in both else ["peer"]
            human = peer in both or (name.length is not None and is_person(peer))
            yield from self._summary(name, peer, path, line, form, roles, human)
        for (model, path), (line, form) in here.models.items():
            if model not in both:
                writer = f"reference-{model}" if model in renamed else model
                yield from self._summary(name, writer, path, line, form, ["reference"], True)

    def _summary(
        self, name: EvalName, system: str, path: Path, line: int, form: str, roles: list[str], human: bool
    ) -> Iterator[Item]:
        place = Place(self._files.settings, line)
        text = self._text(Place(path, 1), form)
        if isinstance(text, LeftOut):
            yield str(path), text
            return
        row = place.row(System, {"system": system, "kind": "human" if human else None})
        yield from self._once.new(place, row)
        data = {
            "topic": name.topic,
            "system": row.system,
            "length": name.length,
            "roles": roles,
            "text": place.text("text", text[0]),
        }
        yield place.item(place.row(Summary, data))
        yield from place.noted()
        yield from ((str(path), note) for note in text[1])

    def _text(self, place: Place, form: str) -> tuple[str, list[Remark]] | LeftOut:
        """A unit a line, as the original sees them, but with entities as characters."""
        if form == "SIMPLE":
            return NO_SUMMARIES
        raw = self._bytes(place.path)
        if b"\0" in raw:
            raise place.wrong("a NUL byte: this is no text file")
        text = decoded(raw, place, self._encoding).removeprefix("\ufeff")
        pieces = units(text, form)
        if form == "SPL":
            return "\n".join(line.rstrip() for line in pieces), place.notes
        if not pieces:
            return NO_UNITS
        unseen = len(_ANCHOR.findall(text)) - len(pieces) + sum(unit.endswith("\n") for unit in pieces)
        lines = [" ".join(characters(unit, place).split()) for unit in pieces]
        return "\n".join(lines), [*place.notes, *[UNSEEN] * max(unseen, 0)]


# What a run printed; only the lines of single evaluations (-d) have topics

AVERAGE = LeftOut("average over topics (only the Eval lines of a run with -d have topics)")
COUNTS = LeftOut("counts of a run with -t, which are no scores")
OTHER = LeftOut("line that ROUGE-1.5.5 does not print")

_LINE = re.compile(r"(?P<peer>\S.*?) (?P<measure>ROUGE-\S+) (?P<rest>\S.*)")
_EVAL = re.compile(r"Eval (?P<test>\S.*) R:(?P<R>[^ ]+) P:(?P<P>[^ ]+) F:(?P<F>[^ ]+)")
_AVERAGE = re.compile(r"Average_[RPF]: ")
_COUNTS = re.compile(r"M_count: ")
_RULE = re.compile(r"-+|\.+")
_SCORE = re.compile(r"[01]\.[0-9]{5}")
_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,3})?")


def read_output(
    paths: Paths, *, source: str = "rouge155", max_line: int = MAX_LINE, encoding: str | None = None
) -> Iterator[Item]:
    """Scores of output files: recall, precision and F of every evaluation, as SOURCE:ROUGE-2_R and so on.

    NIST's jackknife (D0601.M.250.A-B) gives a row for every reference left out, which a matrix averages.
    """
    measures = ImportedMeasures(source)
    yield from from_files(paths, lambda path: _read(path, measures, max_line, encoding))


def _read(path: Path, measures: ImportedMeasures, max_line: int, encoding: str | None) -> Iterator[Item]:
    understood = other = 0
    for number, raw in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        text = decoded(raw, place, encoding).strip()
        if not text or _RULE.fullmatch(text):
            continue
        things = list(_line(place, text, measures))
        if things == [place.item(OTHER)]:
            other += 1
        else:
            understood += 1
        yield from things
        yield from place.noted()
    if other and not understood:
        raise Place(path, 1).wrong(
            "no line of ROUGE-1.5.5's output, expected PEER ROUGE-2 Eval ... R:... P:... F:..."
        )
    if not understood:
        yield str(path), EMPTY_FILE


def _line(place: Place, text: str, measures: ImportedMeasures) -> Iterator[Item]:
    match = _LINE.fullmatch(text)
    if match is None:
        yield place.item(OTHER)
    elif _AVERAGE.match(match["rest"]):
        yield place.item(AVERAGE)
    elif _COUNTS.match(match["rest"]):
        yield place.item(COUNTS)
    elif scores := _EVAL.fullmatch(match["rest"]):
        yield from _scores(place, match["peer"], match["measure"], scores, measures)
    else:
        yield place.item(OTHER)


def _scores(
    place: Place, peer: str, measure: str, match: re.Match[str], measures: ImportedMeasures
) -> Iterator[Item]:
    test = match["test"]
    if not test.endswith(f".{peer}"):
        raise place.wrong(f"{shown(test)} does not end with the peer's ID, expected EVAL.{peer}")
    values = [match[letter] for letter in "RPF"]
    for letter, value in zip("RPF", values, strict=True):
        if not _NUMBER.fullmatch(value):
            raise place.wrong(f"{letter} is {shown(value)}, expected a number")
    if not all(_SCORE.fullmatch(value) for value in values):
        yield place.item(COUNTS)
        return
    name = EvalName.parse(test.removesuffix(f".{peer}"))
    topic, system = place.name("EVAL", name.topic), place.name("PEER", peer)
    reference = None if name.left_out is None else place.name("EVAL", f"without {name.left_out}")
    for letter, value in zip("RPF", values, strict=True):
        label = f"{measure}_{letter}"
        text = measures.text(place, "measure", label)
        yield from measures.describe(place, label, text, f"file:{place.path.name}")
        yield place.item(Score(text, topic, system, float(value), length=name.length, reference=reference))
