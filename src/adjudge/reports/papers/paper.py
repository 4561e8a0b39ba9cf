"""A paper as a list of parts in its order: its tables and figures, each with what makes it from an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from adjudge import __version__
from adjudge.analyses.gathered import Gathered, gathered_of, judged_in
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError, DataError, UsageError, among, quoted
from adjudge.core.phrases import Door, Spoken, in_one_line, spoken
from adjudge.core.picture import Figure
from adjudge.core.results import Result
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import capitalised, counted, listed
from adjudge.data.folder import Folder
from adjudge.measures.registry import parse_measure
from adjudge.measures.spec import split_spec

if TYPE_CHECKING:
    from adjudge.data.collection import Collection

Progress = Callable[[int, int], None]
STEPS = 100
"""Of a part, as progress counts."""
Piece = Result | Table | Figure
Task = Literal["single", "multi"]


class Lacking(DataError):
    """Something that a part needs is not there; `how` is the command that gets it."""

    def __init__(self, why: str, how: str = ""):
        self.how = how
        super().__init__(why)


@dataclass(frozen=True, kw_only=True)
class Material:
    """What parts are made from."""

    scores: Scores
    """Of several data sets the last one's: papers draw their last year."""
    seed: int = 0
    progress: Progress = lambda done, of: None
    """Told by parts that take long."""
    data_sets: Mapping[str, Scores] = field(default_factory=dict)
    """Several, such as years, by their names; empty of one."""

    @property
    def name(self) -> str:
        return listed(list(self.data_sets)) if self.data_sets else self.scores.name

    @property
    def by_data_set(self) -> Mapping[str, Material]:
        """Every data set by itself."""
        sets = self.data_sets or {self.name: self.scores}
        return {name: replace(self, scores=scores, data_sets={}) for name, scores in sets.items()}

    @property
    def where(self) -> str:
        """The evaluation or table as a command names it."""
        return in_one_line([self.scores.source or str(self.scores.folder or "my-eval")])

    def task(self, task: Task) -> str:
        """What chooses the topics of one document, or of several; lacking where there are none."""
        if task not in {topic.task for topic in self.scores.topics.values()}:
            what = {"single": "one document", "multi": "several documents"}[task]
            raise Lacking(f'no topic is of {what} ("task": "{task}" in topics.jsonl)')
        return f"task={task}"

    def of_task(self, task: Task) -> Scores:
        return self.scores.of_topics(self.task(task))

    def scored(self, specs: Sequence[str], preset: str) -> list[str]:
        """Those of these measures that have scores, in their order; lacking where none has."""
        asked = [str(parse_measure(spec)) for spec in specs]
        there = [measure for measure in asked if measure in self.scores.measures]
        if not there:
            names = list(dict.fromkeys(split_spec(measure)[0] for measure in asked))
            raise Lacking(f"there are no scores by {listed(names)} yet", f"score {self.where} -m {preset}")
        return there

    def judged(self, protocol: str, task: Task | None = None) -> Gathered:
        """The judgments, perhaps of one task; lacking where nobody judged model units as `protocol` has it."""
        gathered = judged_in(self.scores)
        if task is not None and gathered.coverage:
            gathered = judged_in(self.of_task(task))
        if not gathered.coverage:
            raise Lacking("nobody has judged model units", f"assign {self.where} --protocol {protocol}")
        return gathered

    def texts(self) -> tuple[Folder, Collection]:
        """The evaluation with its texts; lacking of a table of scores."""
        from adjudge.analyses.gathered import collection_of

        if self.scores.folder is None:
            raise Lacking(
                f"{self.scores.name}: a table of scores has no texts and judgments; an evaluation's folder does"
            )
        return Folder.open(self.scores.folder), collection_of(self.scores)


Make = Callable[[Material], Iterable[Piece]]


def tried(makes: Iterable[Callable[[], Iterable[Piece]]]) -> Iterator[Piece]:
    """What can be made of several; the first reason why one cannot comes last."""
    reasons: list[AdjudgeError] = []
    for make in makes:
        try:
            yield from make()
        except AdjudgeError as error:
            reasons.append(error)
    if reasons:
        raise reasons[0]


def shown(
    result: Result, *figures: str, tables: Sequence[str] = (), drawn: Mapping[str, Any] | None = None
) -> Iterator[Piece]:
    """A result's figures by name, with options `drawn`; then its tables, only those named where any are."""
    makes: list[Callable[[], Iterable[Piece]]] = [
        lambda name=name: [result.figure(name, **(drawn or {}))]  # type: ignore[misc]
        for name in figures
    ]
    yield from tried([*makes, lambda: [result.only(tables) if tables else result]])


@dataclass(frozen=True, kw_only=True)
class Part:
    """A table or figure of a paper."""

    name: str
    """As the paper calls it: "Figure 2"."""
    section: str
    """Where the paper has it: "section 4"."""
    about: str
    """What it shows, in a line."""
    make: Make
    """Its tables and figures; where it cannot be made, an AdjudgeError that says why."""
    how: str = ""
    """What gets what is missing, where the error does not say: the words after `adjudge`, `{where}` the evaluation."""

    @property
    def heading(self) -> str:
        return f"{self.name}{'' if self.name.endswith('?') else '.'} {capitalised(self.about)}"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper that can be made again."""

    name: str
    short: str
    """As it is cited: "Lin and Hovy 2002"."""
    title: str
    parts: tuple[Part, ...]
    several: bool = False
    """Whether its tables have several data sets, such as years."""


@dataclass(frozen=True, kw_only=True)
class MadePart:
    """A part made from an evaluation, or why it is not."""

    part: Part
    pieces: tuple[Piece, ...] = ()
    missing: Spoken = ""
    """Why it is not there, or not whole."""
    command: str = ""
    """That gets what is missing."""

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for piece in self.pieces for table in tables_of(piece))

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Figure))

    def sentences(self, door: Door = "python") -> list[str]:
        """What its tables say."""
        return list(dict.fromkeys(line for piece in self.pieces for line in sentences_of(piece, door)))

    def notes(self, door: Door = "python") -> list[str]:
        lines = (
            line
            for piece in self.pieces
            for line in (piece.warnings(door) if isinstance(piece, Result) else piece.notes)
        )
        return list(dict.fromkeys(spoken(line, door) for line in lines))

    def as_dict(self) -> dict[str, Any]:
        return {
            "part": self.part.name,
            "section": self.part.section,
            "about": self.part.about,
            "tables": [table.as_dict() for table in self.tables],
            "figures": [
                {
                    "figure": figure.name,
                    "title": figure.title,
                    "words": figure.words,
                    "rows": plain(figure.data.to_dict("records")),
                    "signature": figure.signature,
                }
                for figure in self.figures
            ],
            "sentences": self.sentences(),
            "notes": self.notes(),
            "missing": spoken(self.missing, "python") or None,
            "command": self.command or None,
        }


def tables_of(piece: Piece) -> Iterator[Table]:
    """The tables of a piece that have rows, each with its signature."""
    if isinstance(piece, Table):
        yield piece
    elif isinstance(piece, Result):
        for table in piece.lasting_tables:
            if table.rows:
                yield replace(table, signature=table.signature or piece.signature)


def sentences_of(piece: Piece, door: Door) -> list[str]:
    """What a table or result says; a figure has its words."""
    if isinstance(piece, Figure):
        return []
    return [
        spoken(line, door)
        for line in (piece.sentences(door) if isinstance(piece, Result) else piece.sentences)
    ]


@dataclass(frozen=True, repr=False, kw_only=True)
class Reproduction(Tabular):
    """A paper made from an evaluation, part by part: `reproduction["Figure 4"].figures`."""

    paper: Paper
    name: str
    """Of the evaluation."""
    parts: tuple[MadePart, ...]
    about: tuple[str, ...] = ()
    """What there is to know of the judgments that it is made from."""

    def __getitem__(self, name: str) -> MadePart:
        for made in self.parts:
            if made.part.name == name:
                return made
        names = [made.part.name for made in self.parts]
        raise UsageError(f"{self.paper.short} has no part {quoted(name)}{among(name, names)}")

    @property
    def missing(self) -> tuple[MadePart, ...]:
        """Parts that are not there, or not whole."""
        return tuple(made for made in self.parts if made.missing)

    def headline(self) -> str:
        there = [made for made in self.parts if made.pieces]
        partly = sum(bool(made.missing) for made in there)
        more = f", {partly} of them not whole" if partly else ""
        return f"{len(there)} of {counted(len(self.parts), 'part')} of {self.paper.short} made from {self.name}{more}."

    def table(self) -> Table:
        rows = (
            (
                made.part.name,
                made.part.about,
                len(made.tables),
                len(made.figures),
                spoken(made.missing, "python") or None,
                made.command or None,
            )
            for made in self.parts
        )
        return Table.of(
            "parts",
            rows,
            "part",
            Column("about", "shows"),
            "tables figures",
            Column("missing", show="varies", right=False),
            Column("command", "get it with", show="varies", right=False),
            title=f"{self.paper.short}: {self.paper.title}",
            signature=f"reproduce|{self.paper.name}|v:{__version__}",
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "evaluation": self.name,
            "headline": self.headline(),
            "notes": list(self.about),
            "parts": [made.as_dict() for made in self.parts],
            "missing": [made.part.name for made in self.missing],
        }


def reproduce_paper(
    paper: Paper, material: Material, *, progress: Progress = lambda done, of: None
) -> Reproduction:
    """Make every part; one that cannot be made says why."""
    parts, whole = [], STEPS * len(paper.parts)
    for done, part in enumerate(paper.parts):
        progress(STEPS * done, whole)

        def within(k: int, of: int, before: int = STEPS * done) -> None:
            progress(before + STEPS * k // max(of, 1), whole)

        parts.append(_made(part, replace(material, progress=within)))
    progress(whole, whole)
    judged = gathered_of(material.scores)
    about = () if judged is None else judged.judgments.notes()
    return Reproduction(paper=paper, name=material.name, parts=tuple(parts), about=tuple(about))


def _made(part: Part, material: Material) -> MadePart:
    pieces: list[Piece] = []
    why, how = "", ""
    try:
        for piece in part.make(material):  # what was made before an error stays
            if isinstance(piece, Figure) or any(tables_of(piece)):
                pieces.append(piece)
            elif isinstance(piece, Result):
                why = why or piece.headline()
    except AdjudgeError as error:
        why, how = error.text, getattr(error, "how", "") or part.how.format(where=material.where)
    why = why if pieces or why else "there is nothing of the kind in this evaluation"
    return MadePart(part=part, pieces=tuple(pieces), missing=why, command=how and f"adjudge {how}")
