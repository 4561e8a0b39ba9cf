"""What a run of ROUGE-1.5.5 printed, as scores made elsewhere. Only lines of single evaluations (-d) have topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.scores import Score
from adjudge.formats.files import EMPTY_FILE, Paths, Place, byte_lines, find_files, shown
from adjudge.formats.imported import ImportedMeasures
from adjudge.formats.markup import decoded
from adjudge.formats.rouge155_names import EvalName

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


def read(
    paths: Paths, *, source: str = "rouge155", max_line: int = MAX_LINE, encoding: str | None = None
) -> Iterator[Item]:
    """Scores of output files: recall, precision and F of every evaluation, as SOURCE:ROUGE-2_R and so on.

    NIST's jackknife (D0601.M.250.A-B) gives a row for every reference left out, which a matrix averages.
    """
    measures = ImportedMeasures(source)
    for path, left in find_files(paths):
        if left:
            yield str(path), left
        else:
            yield from _read(path, measures, max_line, encoding)


def _read(path: Path, measures: ImportedMeasures, max_line: int, encoding: str | None) -> Iterator[Item]:
    known = other = 0
    for number, raw in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        text = decoded(raw, place, encoding).strip()
        if not text or _RULE.fullmatch(text):
            continue
        things = list(_line(place, text, measures))
        if things == [place.item(OTHER)]:
            other += 1
        else:
            known += 1
        yield from things
        yield from place.noted()
    if other and not known:
        raise Place(path, 1).wrong(
            "no line of ROUGE-1.5.5's output, expected PEER ROUGE-2 Eval ... R:... P:... F:..."
        )
    if not known:
        yield str(path), EMPTY_FILE


def _line(place: Place, text: str, measures: ImportedMeasures) -> Iterator[Item]:
    found = _LINE.fullmatch(text)
    if found is None:
        yield place.item(OTHER)
    elif _AVERAGE.match(found["rest"]):
        yield place.item(AVERAGE)
    elif _COUNTS.match(found["rest"]):
        yield place.item(COUNTS)
    elif scores := _EVAL.fullmatch(found["rest"]):
        yield from _scores(place, found["peer"], found["measure"], scores, measures)
    else:
        yield place.item(OTHER)


def _scores(
    place: Place, peer: str, measure: str, found: re.Match[str], measures: ImportedMeasures
) -> Iterator[Item]:
    test = found["test"]
    if not test.endswith(f".{peer}"):
        raise place.wrong(f"{shown(test)} does not end with the peer's ID, expected EVAL.{peer}")
    values = [found[letter] for letter in "RPF"]
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
        own = f"{measure}_{letter}"
        text = measures.text(place, "measure", own)
        yield from measures.describe(place, own, text, f"file:{place.path.name}")
        yield place.item(Score(text, topic, system, float(value), length=name.length, reference=reference))
