"""ROUGE-1.5.5's settings: which summaries are held against which. The files they name are found and read elsewhere.

Two forms: the XML file, read by a small parser of our own that knows elements, attributes and comments and
declares, fetches and expands nothing; and the list, a peer and its references a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.data.lines import MAX_LINE
from adjudge.errors import UsageError
from adjudge.formats.files import Place, byte_lines, shown
from adjudge.formats.markup import characters, decoded, refuse_declarations

FORMATS = ("SEE", "SPL", "ISI", "SIMPLE")
DEFAULT_SYSTEM = "X"  # what the original calls the peer of a list

_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
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
    """One EVAL: peers, and the models they are held against. A model may be listed twice, and counts twice."""

    id: str
    line: int
    format: str = ""
    peers: dict[str, Listed] = field(default_factory=dict)
    models: list[Listed] = field(default_factory=list)


def read_settings(path: Path, *, max_line: int = MAX_LINE) -> list[Trial]:
    """The evaluations of a settings file, in its order. EVALs of one ID are one, as in the original."""
    text = _whole(path, max_line)
    trials: dict[str, Trial] = {}
    reader = _Reader(path, trials)
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
                str(len(trials) + 1),
                number,
                form,
                {system: Listed(system, *peer, number)},
                [Listed(f"M.{k}", *model, number) for k, model in enumerate(models, 1)],
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
    parts: list[bytes] = []
    size = 0
    for number, line in byte_lines(path, max_line=max_line):
        refuse_declarations(line, Place(path, number))
        size += len(line)
        if size > max_line:
            raise Place(path, number).wrong(
                f"the settings are longer than {max_line:,} bytes; allow more with --max-line"
            )
        parts.append(line)
    raw = b"".join(parts)
    refuse_declarations(raw, Place(path, 1))  # one that is spread over lines
    return decoded(raw, Place(path, 1), None)


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    opens: bool
    closes: bool


def _tokens(text: str, path: Path) -> Iterator[tuple[int, _Element | str]]:
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


def _element(inside: str, place: Place) -> _Element:
    found = _TAG_NAME.match(inside)
    if found is None:
        raise place.wrong(f"{shown('<' + inside[:20] + '>')} is no tag, expected &lt; for a < in a name")
    attributes = {
        name.upper(): characters(double or single, place).strip()
        for name, double, single in _ATTRIBUTE.findall(inside, found.end())
    }
    closes = inside.startswith("/")
    return _Element(
        found[1].upper().replace("_", "-"), attributes, not closes, closes or inside.endswith("/")
    )


class _Reader:
    """Puts elements together. Roots may stand before or after the files they are for."""

    def __init__(self, path: Path, trials: dict[str, Trial]) -> None:
        self._path, self._trials = path, trials
        self._trial: Trial | None = None
        self._roots: dict[str, dict[str, str]] = {}  # of every EVAL: PEER-ROOT, MODEL-ROOT
        self._open: tuple[str, str, int] | None = None  # element, its ID, its line
        self._text: list[str] = []

    def take(self, line: int, token: _Element | str) -> None:
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
            self._eval(place, token)
        elif token.opens and token.name in (*_HELD, "INPUT-FORMAT"):
            if self._trial is None:
                raise place.wrong(f"<{token.name}> stands outside an <EVAL>")
            if token.name == "INPUT-FORMAT":
                self._format(place, token, self._trial)
            elif not token.closes:
                self._begin(place, token)

    def _eval(self, place: Place, token: _Element) -> None:
        if token.opens:
            if self._trial is not None:
                raise place.wrong(f"an <EVAL> begins before the one of line {self._trial.line} has ended")
            name = place.name("EVAL ID", token.attributes.get("ID", ""))
            self._trial = self._trials.setdefault(name, Trial(name, place.line))
            self._roots.setdefault(name, {})
        if token.closes:
            self._trial = None

    def _format(self, place: Place, token: _Element, trial: Trial) -> None:
        found = token.attributes.get("TYPE", "")
        if found.upper() not in FORMATS:
            raise place.wrong(f"INPUT-FORMAT TYPE is {shown(found)}, expected one of: {', '.join(FORMATS)}")
        trial.format = found.upper()

    def _begin(self, place: Place, token: _Element) -> None:
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
            self._add_model(Listed(of, "", text, line), self._trial)

    def _add_model(self, model: Listed, trial: Trial) -> None:
        """An ID that is listed twice counts twice, each time with the file named last, as in the original."""
        trial.models = [model if m.id == model.id else m for m in trial.models] + [model]

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
            trial.models = [_below(m, roots.get("MODEL-ROOT", "")) for m in trial.models]


def _below(listed: Listed, root: str) -> Listed:
    return Listed(listed.id, root, listed.name, listed.line)
