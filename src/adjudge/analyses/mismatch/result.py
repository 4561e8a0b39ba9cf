"""Model units about which people and a measure disagree: covered for one and not for the other. Lin and Hovy 2002, 6.

A unit counts once for every summary that people compared with it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from adjudge.analyses.gathered import Gathered, check_judged, gather, in_order
from adjudge.analyses.mismatch import Agree, Mismatch
from adjudge.analyses.questions import is_at, several_targets
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, Call
from adjudge.core.results import Drawn, Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted, listed
from adjudge.data.collection import load
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary, Unit
from adjudge.data.scores import UNSET
from adjudge.judgments.batch import NOTHING, TopicBatch, judgments_of
from adjudge.judgments.protocol import BETWEEN_TAGS, UNIT, Protocol, protocol_of, same_tag
from adjudge.judgments.tagging import (
    MISMATCH_KINDS,
    GivenTags,
    MismatchKey,
    MismatchKind,
    TaggingPage,
    given_tags,
)
from adjudge.judgments.tasks import FILE, TextRef, text_hash
from adjudge.measures.base import Measure, UnitMatch
from adjudge.measures.registry import parse_measure, registry
from adjudge.measures.spec import listed_specs
from adjudge.stats.shares import ClusteredShare, clustered_share

_ASSIGN = Call(
    command=["assign"], function="Evaluation.assign()", arguments=[Argument("protocol", "duc-2002")]
)
PeopleCall = Literal["all", "between", "none"]
MeasureCall = Literal["covered", "between", "uncovered", "unknown"]

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores

PEOPLE: tuple[PeopleCall, ...] = get_args(PeopleCall)
CALLS: tuple[MeasureCall, ...] = get_args(MeasureCall)


@dataclass(frozen=True, slots=True)
class CutOffs:
    """From where on people call a unit covered or not, how many of them must, and from where on the measure does."""

    full: float = 1.0
    none: float = 0.0
    agree: Agree = "all"
    covered: float = 0.8
    uncovered: float = 0.2

    def people(self, completeness: Sequence[float]) -> PeopleCall:
        """What people call a unit, from the answer of every one of them."""
        needed = len(completeness) if self.agree == "all" else len(completeness) // 2 + 1
        if sum(share >= self.full for share in completeness) >= needed:
            return "all"
        return "none" if sum(share <= self.none for share in completeness) >= needed else "between"

    def measure(self, value: float) -> MeasureCall:
        if math.isnan(value):
            return "unknown"
        return "covered" if value >= self.covered else "uncovered" if value <= self.uncovered else "between"


@dataclass(frozen=True)
class AssessedUnit:
    """What one assessor said of a unit: how much of it the marked peer units express."""

    assessor: str
    completeness: float
    marked: tuple[Unit, ...]


@dataclass(frozen=True)
class ComparedUnit:
    """A model unit and a whole summary: what people say, what the measure says."""

    unit: Unit
    peer: Summary
    reference: Summary
    assessed: tuple[AssessedUnit, ...]
    match: UnitMatch
    people: PeopleCall
    measure: MeasureCall
    tags: Mapping[str, tuple[GivenTags, ...]]
    """By kind of mismatch, whatever the unit is called now."""

    @property
    def kind(self) -> MismatchKind | None:
        """The mismatch, if it is one."""
        if (self.people, self.measure) == ("all", "uncovered"):
            return "missed"
        return "credited" if (self.people, self.measure) == ("none", "covered") else None

    @property
    def mismatch_tags(self) -> tuple[GivenTags, ...]:
        """The tags of this mismatch."""
        return self.tags.get(self.kind or "", ())

    @property
    def completeness(self) -> float:
        """The mean over assessors."""
        return fmean(answer.completeness for answer in self.assessed)

    @property
    def marked(self) -> tuple[Unit, ...]:
        """The peer units that anybody marked, in the order of the text."""
        units = {unit.id: unit for answer in self.assessed for unit in answer.marked}
        return tuple(sorted(units.values(), key=lambda unit: (unit.start, unit.end)))

    @property
    def tag_names(self) -> dict[str, str]:
        """Every tag that somebody gave, once: by what it is counted as."""
        return {
            same_tag(tag): tag for tagging in reversed(self.mismatch_tags) for tag in reversed(tagging.tags)
        }

    def key(self, kind: str) -> MismatchKey:
        return MismatchKey(
            self.unit.topic, TextRef.of(self.peer), TextRef.of(self.reference), self.unit.id, kind
        )

    def page(self, measure: str, kind: str | None = None) -> TaggingPage:
        """The mismatch as somebody tags it, with all that is seen of it."""
        kind = kind or self.kind
        assert kind is not None
        return TaggingPage(
            key=self.key(kind),
            asked={
                "measure": measure,
                "value": None if math.isnan(self.match.value) else self.match.value,
                "completeness": [answer.completeness for answer in self.assessed],
                "at": [self.unit.start, self.unit.end],
                "marked": [[unit.start, unit.end] for unit in self.marked],
                "in_unit": _listed(self.match.in_unit),
                "in_peer": _listed(self.match.in_peer),
            },
            hashes={"peer": text_hash(self.peer.text), "reference": text_hash(self.reference.text)},
        )

    def facts(self) -> dict[str, Any]:
        return {
            "topic": self.unit.topic,
            "peer": TextRef.of(self.peer).as_dict(),
            "reference": TextRef.of(self.reference).as_dict(),
            "unit": self.unit.id,
            "kind": self.kind,
            "value": self.match.value,
            "unit_text": self.unit.text,
            "peer_text": self.peer.text,
            "found": _listed(self.match.in_peer),
            "assessed": [
                {
                    "assessor": answer.assessor,
                    "completeness": answer.completeness,
                    "marked": [marked.id for marked in answer.marked],
                }
                for answer in self.assessed
            ],
            "tags": [
                {"assessor": tagging.assessor, "tags": list(tagging.tags)} for tagging in self.mismatch_tags
            ],
        }


def _listed(spans: Iterable[tuple[int, int]] | None) -> list[list[int]] | None:
    return None if spans is None else [list(span) for span in spans]


@dataclass(frozen=True, repr=False, kw_only=True)
class MismatchResult(Result):
    """Units about which people and a measure disagree, among all that people judged."""

    FRAME: ClassVar[str] = "mismatch-rows"

    asked: Mismatch
    evaluation: str
    measure: str
    title: str
    cut: CutOffs
    units: tuple[ComparedUnit, ...]
    tags: tuple[str, ...]
    """Those to choose from, in their order."""
    language: str
    protocols: tuple[str, ...]
    measure_signature: str
    left_out: Mapping[str, int]
    """Judgments of units that could not be compared, by why."""

    @property
    def level(self) -> float:
        return self.asked.level

    def how(self) -> str:
        cut = self.cut
        return (
            f"protocol:{','.join(self.protocols)}|people:full>={cut.full:g},none<={cut.none:g},agree:{cut.agree}"
            f"|measure:covered>={cut.covered:g},uncovered<={cut.uncovered:g}|interval:wilson:topics"
            f"|{self.measure_signature}"
        )

    def notes(self) -> Iterator[Note]:
        if self.asked.without:
            yield Note.of("without-assessors", assessors=self.asked.without)
        if together := several_targets(TextRef.of(unit.peer) for unit in self.units):
            yield Note.of("several-targets", targets=together)
        for why, n in self.left_out.items():
            yield Note.of("judgments-left-out", n=n, why=why)
        if unknown := sum(unit.measure == "unknown" for unit in self.units):
            yield Note.of("units-without-value", n=unknown, title=self.title)
        stray = sum(
            bool(tags) for unit in self.units for kind, tags in unit.tags.items() if kind != unit.kind
        )
        if stray:
            yield Note.of("tagged-and-no-mismatch", n=stray)

    @cached_property
    def mismatches(self) -> tuple[ComparedUnit, ...]:
        """First what the measure misses, then what it credits; within these by topic and reference."""
        return tuple(unit for kind in MISMATCH_KINDS for unit in self.units if unit.kind == kind)

    def pages(self) -> list[TaggingPage]:
        """The mismatches as people tag them, topic by topic."""
        return [unit.page(self.measure) for unit in self.units if unit.kind is not None]

    def share(self, kind: str, *, system: str | None = None, usual: float = 1.0) -> ClusteredShare:
        """Mismatches of a kind among the units of which people say the same."""
        people_call = "all" if kind == "missed" else "none"
        among = [u for u in self.units if u.people == people_call and system in (None, u.peer.system)]
        return self._share(among, lambda unit: unit.kind == kind, usual)

    def tag_share(self, tag: str, kind: str) -> ClusteredShare:
        """Mismatches of a kind with a tag, among those that somebody tagged."""
        among = [u for u in self.units if u.kind == kind and u.mismatch_tags]
        return self._share(among, lambda unit: tag in unit.tag_names)

    def _share(
        self, among: Sequence[ComparedUnit], has: Callable[[ComparedUnit], bool], usual: float = 1.0
    ) -> ClusteredShare:
        of = Counter(unit.unit.topic for unit in among)
        hits = Counter(unit.unit.topic for unit in among if has(unit))
        return clustered_share([hits[t] for t in of], list(of.values()), level=self.level, usual=usual)

    def tables(self) -> Iterator[Table]:
        """The two kinds of mismatch; every judged unit by what both call it; the kinds by system; tags."""
        from adjudge.analyses.mismatch.words import kind_words

        kind, topics = Column("kind", "mismatch"), Column("topics")
        shares = {name: self.share(name) for name in MISMATCH_KINDS}
        tagged = Counter(unit.kind for unit in self.units if unit.mismatch_tags)
        yield Table.of(
            "mismatches",
            [
                (name, kind_words(self, name), *_share_cells(share), tagged[name])
                for name, share in shares.items()
            ],
            kind,
            Column("about", ""),
            *self._share_columns("mismatches", "units"),
            topics,
            "tagged",
            title=f"Where people and {self.title} disagree about model units",
        )
        counts = Counter((unit.people, unit.measure) for unit in self.units)
        calls = [call for call in CALLS if call != "unknown" or any(u.measure == call for u in self.units)]
        yield Table.of(
            "calls",
            [(people, *(counts[people, call] for call in calls)) for people in PEOPLE],
            "people",
            *calls,
            title=f"Judged units: people (rows) and {self.title} (columns)",
        )
        keys = in_order({(unit.peer.system, name) for unit in self.units for name in MISMATCH_KINDS})
        by_system = [(s, k, self.share(k, system=s, usual=shares[k].design_effect)) for s, k in keys]
        by_system.sort(key=lambda row: (row[1] != "missed", -row[2].hits))
        yield Table.of(
            "mismatches-by-system",
            [(name, system, *_share_cells(share)) for system, name, share in by_system],
            kind,
            "system",
            *self._share_columns("mismatches", "units"),
            topics,
            title="Mismatches by system",
        )
        yield Table.of(
            "tags",
            [row for name in MISMATCH_KINDS for row in self._tag_rows(name)],
            kind,
            "tag",
            *self._share_columns("mismatches", "tagged"),
            topics,
            title="Tags of mismatches, among those that were tagged; one may have several",
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"mismatch-rows": self.rows_table}

    def _tag_rows(self, kind: str) -> list[tuple[Cell, ...]]:
        """How often each tag was given, among the mismatches that somebody tagged."""
        names = {same_tag(tag): tag for tag in self.tags}
        for unit in self.units:
            if unit.kind == kind:
                names = {**unit.tag_names, **names}
        shares = [(tag, self.tag_share(tag, kind)) for tag in names]
        shares.sort(key=lambda row: -row[1].hits)
        return [(kind, names[tag], *_share_cells(share)) for tag, share in shares if share.hits]

    def _share_columns(self, hits: str, of: str) -> tuple[Column, ...]:
        level = f"{100 * self.level:.4g} % from"
        return (
            Column(hits),
            Column(of),
            Column("share", format=".3f"),
            Column("low", level, format=".3f"),
            Column("high", "to", format=".3f"),
        )

    def rows_table(self) -> Table:
        """A row for every mismatch; for one that several people tagged, a row each. Tags are read from such a table."""
        rows: list[dict[str, Cell]] = []
        for unit in self.mismatches:
            spans = unit.match.in_peer
            row: dict[str, Cell] = {
                "topic": unit.unit.topic,
                "system": unit.peer.system,
                "length": unit.peer.length,
                "form": unit.peer.form,
                "reference": unit.reference.system,
                "reference_length": unit.reference.length,
                "reference_form": unit.reference.form,
                "unit": unit.unit.id,
                "kind": unit.kind,
                "measure": self.measure,
                "value": unit.match.value,
                "completeness": unit.completeness,
                "assessors": len(unit.assessed),
                "unit_text": unit.unit.text,
                "marked_text": "\n".join(marked.text for marked in unit.marked),
                "peer_text": unit.peer.text,
                "found": None if spans is None else " ".join(unit.peer.text[a:b] for a, b in spans),
            }
            rows += [
                {**row, "tags": f"{BETWEEN_TAGS} ".join(tagging.tags), "tagged_by": tagging.assessor}
                for tagging in unit.mismatch_tags
            ] or [row]
        return Table.of(
            "mismatch-rows",
            rows,
            "topic system length form reference reference_length reference_form unit kind measure value completeness",
            "assessors unit_text marked_text peer_text found tags tagged_by",
        )

    def drawn(self) -> Drawn:
        from adjudge.analyses.mismatch.words import first_mismatches

        return list(first_mismatches(self))

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "title": self.title,
            "cut_offs": asdict(self.cut),
            "level": self.level,
            "units": len(self.units),
            "mismatches": [unit.facts() for unit in self.mismatches],
        }


def _share_cells(share: ClusteredShare) -> tuple[Cell, ...]:
    return share.hits, share.n, share.share, share.low, share.high, share.clusters


# Finding them


def mismatches_of(scores: Scores, asked: Mismatch) -> MismatchResult:
    """Compare a measure with people's completeness, model unit by model unit.

    A unit is compared with a summary where at least one person judged it there; planted repeats do not count.
    """
    if scores.folder is None:
        raise DataError(f"{scores.name}: units are judged in an evaluation's folder, and this is none")
    folder = Folder.open(scores.folder)
    tags = protocol_of(folder, asked.protocol)
    if not tags.tags:
        raise UsageError(f"{asked.protocol} is a {tags.kind} protocol, expected one for mismatches")
    there = folder.settings.database or (folder.path / FILE).exists()
    every = load(folder)
    gathered = gather(every, judgments_of(folder, every) if there else NOTHING).of_topics(scores.chosen)
    collection, judgments = gathered.collection, gathered.judgments
    without = tuple(dict.fromkeys(asked.without))
    check_judged(collection.settings.name, without, judgments.assessors)
    measure = _unit_measure(asked.measure)
    cut = CutOffs(asked.full, asked.none, asked.agree, asked.covered, asked.uncovered)
    length = asked.length if isinstance(asked.length, int) else None
    finder = _Finder(replace(gathered, judgments=judgments.without(without)), measure, cut, length, asked)
    units = finder.units()
    if not units:
        raise DataError(finder.why_none())
    return MismatchResult(
        asked=asked,
        about_scores=finder.gathered.notes(),
        evaluation=collection.settings.name,
        measure=str(measure),
        title=measure.title,
        cut=cut,
        units=tuple(units),
        tags=tuple(str(choice.value) for choice in tags.tags),
        language=collection.settings.language,
        protocols=tuple(sorted({f"{p.name}:{p.version}" for p in finder.protocols})),
        measure_signature=measure.signature(),
        left_out=dict(finder.left_out),
    )


def _unit_measure(names: str | Sequence[str] | None) -> Measure:
    """A measure that says something of single units; others are answered with those that do."""
    specs = listed_specs(names or ())
    if len(specs) != 1:
        raise UsageError(
            f"one measure is compared with people here, not {len(specs)} ({listed(specs)}): choose one"
        )
    measure = parse_measure(specs[0])
    if measure.scores_units:
        return measure
    of_units = [name for name, make in registry().items() if make().scores_units]
    hint = f"; of ROUGE only recall does, such as {measure.name}-recall" if measure.FAMILY == "rouge" else ""
    raise UsageError(
        f"{measure} gives no value of a single model unit{hint}; those that do: {listed(of_units, most=len(of_units))}"
    )


@dataclass
class _Finder:
    gathered: Gathered
    measure: Measure
    cut: CutOffs
    length: int | None
    asked: Mismatch

    def __post_init__(self) -> None:
        self.collection, self.judgments = self.gathered.collection, self.gathered.judgments
        self.protocols: list[Protocol] = []
        self.left_out = Counter[str]()
        self.judged = 0
        self.others = set[TextRef]()

    def units(self) -> list[ComparedUnit]:
        tags = given_tags(self.judgments)
        assessed: dict[MismatchKey, list[AssessedUnit]] = {}
        rows: dict[MismatchKey, tuple[Unit, TopicBatch]] = {}
        for entry, page, batch in self.gathered.coverage:
            task, protocol = page.judged.task, entry.protocol
            if task.reference is None or task.peer is None:
                self.left_out["of no reference"] += 1
                continue
            if not is_at(task.peer, self.length, self.asked.form):
                self.others.add(task.peer)
                continue
            model = {u.id: u for u in batch.units_of(task.reference, protocol.model_units)}
            peer = {u.id: u for u in batch.units_of(task.peer, protocol.peer_units)}
            for question, event in page.judged.answers.items():
                if not question.startswith(UNIT):
                    continue
                self.judged += 1
                unit = model.get(question.removeprefix(UNIT))
                if unit is None:
                    self.left_out["whose unit is not here"] += 1
                    continue
                if protocol not in self.protocols:
                    self.protocols.append(protocol)
                key = MismatchKey(task.topic, task.peer, task.reference, unit.id, "")
                rows[key] = unit, batch
                marked = [peer[unit_id] for unit_id in event.answer["marked"] if unit_id in peer]
                assessed_unit = AssessedUnit(
                    task.assessor, float(event.answer["completeness"]), tuple(marked)
                )
                assessed.setdefault(key, []).append(assessed_unit)
        texts = {(s.topic, TextRef.of(s)): s for some in self.collection.summaries.values() for s in some}
        compared = []
        for key, (unit, batch) in rows.items():
            peer_text = texts.get((key.topic, key.peer))
            reference = texts.get((key.topic, key.reference))
            if peer_text is None or reference is None:
                self.left_out["whose text is not here"] += len(assessed[key])
                continue
            match = self.measure.match_unit(batch, peer_text, unit)
            tags_by_kind: dict[str, tuple[GivenTags, ...]] = {
                kind: tuple(tags.get(key._replace(kind=kind), ())) for kind in MISMATCH_KINDS
            }
            compared.append(
                ComparedUnit(
                    unit=unit,
                    peer=peer_text,
                    reference=reference,
                    assessed=tuple(assessed[key]),
                    match=match,
                    people=self.cut.people([answer.completeness for answer in assessed[key]]),
                    measure=self.cut.measure(match.value),
                    tags=tags_by_kind,
                )
            )
        order = {topic: at for at, topic in enumerate(self.collection.topics)}
        compared.sort(
            key=lambda u: (
                order.get(u.unit.topic, 0),
                u.reference.system,
                u.unit.start,
                u.unit.id,
                TextRef.of(u.peer).order,
            )
        )
        return compared

    def why_none(self) -> str:
        if not self.judged and self.others:
            asked, there = [], []
            if self.length is not None:
                lengths = sorted({text.length for text in self.others}, key=lambda n: (n is None, n or 0))
                asked.append(f"of {self.length:,} words")
                there.append(f"lengths {', '.join(UNSET if n is None else str(n) for n in lengths)}")
            if self.asked.form is not None:
                forms = sorted({text.form or UNSET for text in self.others})
                asked.append(f"in the form {quoted(self.asked.form)}{nearest(self.asked.form, forms)}")
                there.append(f"forms {', '.join(forms)}")
            return f"nobody judged a unit against a summary {' '.join(asked)}; judged: {' and '.join(there)}"
        if not self.judged and self.asked.without:
            return f"without {listed(tuple(dict.fromkeys(self.asked.without)))} no model unit was judged"
        if not self.judged:
            return (
                "no model unit was judged, so a measure can be compared with nobody; coverage is judged with:"
                f" {_ASSIGN}, or brought in with: adjudge judgments import"
            )
        from adjudge.analyses.mismatch.words import left_out

        parts = "; ".join(left_out(n, why) for why, n in self.left_out.items())
        return f"none of {counted(self.judged, 'judgment')} of model units can be compared: {parts}"
