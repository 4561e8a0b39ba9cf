"""Pyramids and annotations for tests: small ones by hand, many generated; no tests here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from adjudge.formats.ducview import OUR_PATTERN, SummaryName, compose
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import Contributor, Expressed, Part, PeerAnnotation, Pyramid, Reference, Scu
from adjudge.judgments.tasks import Event, Judged, Task, TextRef

WORDS = "some words that stand for any others"


def words(times: int = 1, reference: str | None = None) -> tuple[Contributor, ...]:
    return tuple(Contributor((Part(0, 4, "some"),), reference) for _ in range(times))


def a_pyramid(said: Mapping[int, str], references: str = "") -> Pyramid:
    """A pyramid by the letters of those who say each unit: {1: "ABC", 2: "B"}."""
    names = references or "".join(sorted({who for letters in said.values() for who in letters}))
    scus = (
        Scu(uid, f"unit {uid}", tuple(each for who in letters for each in words(1, who)))
        for uid, letters in said.items()
    )
    return Pyramid(WORDS, tuple(scus), tuple(Reference(name, 100, 0, len(WORDS)) for name in names))


def an_annotation(times: Mapping[int, int], pyramid: Pyramid | None = None) -> PeerAnnotation:
    """What a peer expresses, by how often: {1: 2, 0: 3}."""
    units = tuple(Expressed(uid, words(n)) for uid, n in times.items())
    return PeerAnnotation(WORDS, units, pyramid.digest() if pyramid else None)


def built_by(assessor: str, pyramid: Pyramid, id: str = "p", topic: str = "t") -> Judged:
    return _judged(Task(id, "e", assessor, "pyramid", "1", topic), PYRAMID, pyramid.to_answer())


def annotated_by(
    assessor: str, peer: str, annotation: PeerAnnotation | None, id: str = "", topic: str = "t"
) -> Judged:
    task = Task(id or f"{assessor}/{peer}", "e", assessor, "pyramid", "1", topic, TextRef(peer, 100))
    return _judged(task, PYRAMID_PEER, annotation.to_answer()) if annotation is not None else Judged(task)


def _judged(task: Task, question: str, answer: Any) -> Judged:
    return Judged(task, {question: Event("x", "e", task.id, task.assessor, question, answer)})


def collected(things: Iterable[tuple[str, object]]) -> list[Judged]:
    """The tasks and events of an import, put together as a store would."""
    found: dict[str, tuple[Task, dict[str, Event]]] = {}
    for _, thing in things:
        if isinstance(thing, Task):
            found[thing.id] = (thing, {})
        elif isinstance(thing, Event):
            found[thing.task][1][thing.question] = thing
    return [Judged(task, answers) for task, answers in found.values()]


# Generated: texts with everything that markup must keep, but no line that looks like a header

TEXT = st.text(alphabet="abcdeé&<>\"'] \tß😀\u2028", min_size=1, max_size=12)
LINES = st.lists(TEXT, min_size=1, max_size=4).map("\n".join).filter(str.strip)
COMMENT = st.none() | st.text(alphabet='ab&"<\n', min_size=1, max_size=5).map(str.strip).filter(bool)


@st.composite
def parts(draw: st.DrawFn, text: str, offset: int = 0) -> tuple[Part, ...]:
    """One or two stretches of a text."""
    found = []
    for _ in range(draw(st.integers(1, 2))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        found.append(Part(offset + start, offset + end, text[start:end]))
    return tuple(found)


@st.composite
def pyramids(draw: st.DrawFn) -> Pyramid:
    written = {name: draw(LINES) for name in "ABCD"[: draw(st.integers(1, 4))]}
    text, references = compose(
        (SummaryName(who, "T1", "multi", 100, "X"), said) for who, said in written.items()
    )
    starts = {reference.system: reference.start for reference in references}
    scus = []
    for uid in draw(st.lists(st.integers(1, 99), max_size=6, unique=True)):
        who = draw(st.lists(st.sampled_from(list(written)), min_size=1, max_size=4, unique=True))
        said = tuple(
            Contributor(draw(parts(written[name], starts[name])), name, draw(COMMENT)) for name in who
        )
        scus.append(Scu(uid, draw(TEXT), said, draw(COMMENT)))
    return Pyramid(text, tuple(scus), references, OUR_PATTERN)


@st.composite
def peers(draw: st.DrawFn, pyramid: Pyramid) -> PeerAnnotation:
    text = draw(LINES)
    known = [0, *pyramid.weights]
    units = []
    for uid in draw(st.lists(st.sampled_from(known), unique=True)):
        times = draw(st.integers(1, 3))
        said = tuple(Contributor(draw(parts(text)), comment=draw(COMMENT)) for _ in range(times))
        units.append(Expressed(uid, said, draw(COMMENT)))
    return PeerAnnotation(text, tuple(units), pyramid.digest())
