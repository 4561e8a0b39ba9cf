"""What the coverage page shows: reference and summary unit by unit, then the unmarked units, then the quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from adjudge.data.rows import Summary, Unit
from adjudge.judgments.protocol import UNIT, Choice, Protocol, Question
from adjudge.judgments.tasks import Judged, Task, TextRef, units_of
from adjudge.text.headers import hidden_spans, paragraphs, shown
from adjudge.web.blind import UnitIds
from adjudge.web.pages.keys import question_keys
from adjudge.web.site import Site

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class ShownUnit:
    """A unit as the page shows it. `name` is what people call it: 1, 2, 3 in the reference; a, b, c in the summary.

    `id` is the one that the browser knows (units.py).
    """

    id: str
    name: str
    text: str


@dataclass(frozen=True)
class Before:
    """An earlier answer of the same person: these units of this summary, against this unit, came to so much."""

    unit: str
    marked: tuple[str, ...]
    completeness: float

    def keyed(self, keys: Mapping[str, str]) -> Before:
        """With the ids that the browser knows."""
        return replace(self, unit=keys[self.unit], marked=tuple(keys[each] for each in self.marked))


@dataclass(frozen=True)
class CoveragePage:
    """Everything on the page but the answers, which come with their numbers (see tasks.py)."""

    model: tuple[ShownUnit, ...]
    peer: tuple[ShownUnit, ...]
    paragraphs: tuple[str, ...]
    """The summary as running text, for whoever judges its quality without the units' boundaries."""
    completeness: Question
    unmarked: Question | None
    unmarked_choices: Mapping[int, tuple[Choice, ...]]
    quality: tuple[Question, ...]
    before: tuple[Before, ...]
    said_before: str

    keys = staticmethod(question_keys)

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {
            "model": [unit.id for unit in self.model],
            "peer": [unit.id for unit in self.peer],
            "completeness": [asdict(choice) for choice in self.completeness.choices],
            "unmarked": {n: [asdict(c) for c in choices] for n, choices in self.unmarked_choices.items()},
            "quality": [{"id": q.id, "values": list(q.values), "keys": self.keys(q)} for q in self.quality],
            "before": [asdict(each) for each in self.before],
            "saidBefore": self.said_before,
        }


def coverage_page(site: Site, task: Task, earlier: Iterable[Judged]) -> CoveragePage:
    """`earlier` are the same person's judgments, from which the page knows what was said before."""
    protocol = site.protocol(task.protocol)
    assert task.peer is not None
    assert task.reference is not None
    assert protocol.completeness is not None
    peer, reference = site.summary(task.topic, task.peer), site.summary(task.topic, task.reference)
    model_units = _units(site, task, reference, protocol.model_units)
    peer_units = _units(site, task, peer, protocol.peer_units)
    mode, keys = site.judging.said_before, UnitIds.of(site, task).public
    letters = [LETTERS[n] if n < len(LETTERS) else str(n + 1) for n in range(len(peer_units))]
    before = () if mode == "hide" else _said_before(site, task, protocol, peer_units, earlier)
    return CoveragePage(
        model=_shown(reference, model_units, keys, [str(n) for n in range(1, len(model_units) + 1)]),
        peer=_shown(peer, peer_units, keys, letters),
        paragraphs=paragraphs(peer.text),
        completeness=protocol.completeness,
        unmarked=protocol.unmarked,
        unmarked_choices={n: protocol.unmarked_choices(n) for n in range(1, len(peer_units) + 1)},
        quality=protocol.questions,
        before=tuple(each.keyed(keys) for each in before if each.unit in keys),
        said_before=mode,
    )


def _units(site: Site, task: Task, summary: Summary, kind: str) -> list[Unit]:
    return units_of(site.collection.units.get(task.topic, ()), TextRef.of(summary), kind)


def _shown(
    summary: Summary, units: Sequence[Unit], keys: Mapping[str, str], names: Sequence[str]
) -> tuple[ShownUnit, ...]:
    hidden = hidden_spans(summary.text)
    return tuple(
        ShownUnit(keys[unit.id], name, shown(summary.text, unit.start, unit.end, hidden=hidden) or "…")
        for unit, name in zip(units, names, strict=True)
    )


def _said_before(
    site: Site, task: Task, protocol: Protocol, peer_units: Sequence[Unit], earlier: Iterable[Judged]
) -> tuple[Before, ...]:
    """Answers to the same model unit for sentences that this summary holds word for word; the latest one counts.

    Lin and Hovy 2002 found that the same sentences got different answers, and asked for tools that show it. A planted
    repeat asks how far people agree with themselves, so it quotes neither its original nor anything that was answered
    after the original was begun, and may have been taken from there; nor does the original quote its repeat.
    """
    same = {task.id, task.repeat_of or task.id}
    first = None if task.repeat_of is None else next(iter(site.store.events(task=task.repeat_of)), None)
    begun = None if first is None else first.seq
    here = {_words(unit.text): unit.id for unit in reversed(peer_units)}
    found: dict[tuple[str, frozenset[str]], tuple[int, Before]] = {}
    for judged in earlier:
        other = judged.task
        if (
            same & {other.id, other.repeat_of}
            or (other.topic, other.reference) != (task.topic, task.reference)
            or not other.peer
        ):
            continue
        if (other.protocol, other.hashes.get("reference")) != (task.protocol, task.hashes.get("reference")):
            continue
        texts = {
            unit.id: _words(unit.text)
            for unit in units_of(site.collection.units.get(other.topic, ()), other.peer, protocol.peer_units)
        }
        for question, event in judged.answers.items():
            if not question.startswith(UNIT) or not event.answer["marked"]:
                continue
            if begun is not None and (event.seq or 0) > begun:
                continue
            marked = [here.get(texts.get(each, "")) for each in event.answer["marked"]]
            if None in marked:
                continue
            ids = tuple(each for each in marked if each is not None)
            unit = question.removeprefix(UNIT)
            key, seq = (unit, frozenset(ids)), event.seq or 0
            if key not in found or seq > found[key][0]:
                found[key] = (seq, Before(unit, ids, float(event.answer["completeness"])))
    return tuple(before for _, before in found.values())


def _words(text: str) -> str:
    return " ".join(text.split())
