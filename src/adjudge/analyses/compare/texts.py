"""ROUGE and its like of texts that are in no folder: one text or many, of one system or several.

`rouge` gives one `TextScores`, whatever it was given: a number for every text, means, and the comparison beside them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

from adjudge.analyses.compare import texts_words
from adjudge.analyses.compare.words import headline
from adjudge.analyses.phrasebook import low_to_high
from adjudge.core.engine import Workers, run, worker_count
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import spoken
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, Tabular, as_json, hidden
from adjudge.core.words import counted, decimal, listed
from adjudge.data.rows import Summary, Topic
from adjudge.data.scores import MeasureInfo
from adjudge.formats.frames import is_table
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.measures.bleu import Sacrebleu
from adjudge.measures.presets import USUAL
from adjudge.measures.rouge.elements import RougeBe
from adjudge.measures.rouge.family import Rouge, RougeLines, with_split_sentences
from adjudge.measures.rouge.many import parse_quickly

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.compare.several import ComparedMeasures
    from adjudge.analyses.scores import Patterns, Scores

Texts = str | Iterable[str]
PEER = "peer"
"""What the system is called where none is named."""
CHUNK = 500  # texts that travel to a worker together
_STATS = {"f": "F", "recall": "recall", "precision": "precision"}
_GIVEN = {"references"}  # what measures may need here


def rouge(
    peers: Texts | Mapping[str, Texts],
    references: Texts | Iterable[Texts],
    measures: str | Sequence[str] | None = None,
    *,
    split_sentences: bool = False,
    language: str = "en",
    workers: Workers = 1,
) -> TextScores:
    """Score texts against references: one text with one or several, or a list of texts with a list of references.

    Of two lists the items are pairs; an item of the references may be a list, where a text has several. A mapping has
    the texts of several systems under their names, all of the same references. Measures are named as elsewhere;
    without any, F of ROUGE-1, 2, L and Lsum as rouge-score gives it. F has its recall and precision beside it.
    ROUGE-Lsum takes a line as a sentence, or with `split_sentences` what the sentence rules find.
    """
    systems, answers = _systems(peers, references)
    chosen = text_measures(measures)
    if split_sentences:
        chosen = with_split_sentences(chosen)
    every = list(dict.fromkeys(part for measure in chosen for part in _with_parts(measure)))
    mark = "reference"
    while any(
        system.startswith(mark) for system in systems
    ):  # a system is not compared with its own references
        mark = f"the {mark}"
    batches = []
    for at, of_text in enumerate(answers):
        topic = str(at + 1)  # a topic for every text, which is called by its number
        named = [(f"{mark}-{k}", text) for k, text in enumerate(of_text, 1)]
        batches.append(
            TopicBatch(
                Topic(topic),
                tuple(Summary(topic, system, texts[at]) for system, texts in systems.items()),
                tuple(Summary(topic, name, text, roles=("reference",)) for name, text in named),
                language=language,
            )
        )
    size = len(batches) if worker_count(workers) == 1 else CHUNK
    chunks = [(batches[k : k + size], every) for k in range(0, len(batches), size)]
    scored = run(_score_texts, chunks, workers=min(worker_count(workers), len(chunks)))
    return _collected(chosen, every, systems, answers, scored)


def text_measures(measures: str | Sequence[str] | None) -> list[Measure]:
    """The measures that are meant, where texts and references are enough for them."""
    chosen = parse_quickly(USUAL if measures is None else measures)
    if not chosen:
        raise UsageError("no measures are named")
    for measure in chosen:
        if lacking := sorted(measure.needs - _GIVEN):
            raise UsageError(
                f"{measure} needs {listed(lacking)}, and here are only texts and references: put them into a folder"
                " with adjudge import, then adjudge score"
            )
        measure.check_installed()
    return chosen


def _score_texts(
    work: tuple[Sequence[TopicBatch], Sequence[Measure]],
) -> list[tuple[str, str, str, float, str | None]]:
    from adjudge.measures.run import score_batches

    batches, measures = work
    return [(s.measure, s.topic, s.system, s.value, s.why) for s in score_batches(measures, batches)]


def _with_parts(measure: Measure) -> list[Measure]:
    """F with the recall and precision that it is made of."""
    if isinstance(measure, Rouge | RougeBe) and measure.stat == "f":
        return [
            measure,
            replace(measure, stat="recall", alpha=0.5),
            replace(measure, stat="precision", alpha=0.5),
        ]
    return [measure]


@dataclass(frozen=True)
class CorpusScore:
    """A number of all texts together, as sacrebleu prints it, which is no mean over texts."""

    measure: str
    system: str
    value: float
    signature: str


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """A row of the table, for each system: which measure stands in which column."""

    title: str
    columns: Mapping[str, str]
    compared: str


@dataclass(frozen=True, kw_only=True, repr=False)
class TextScores(Tabular):
    """The scores of texts, by measure and system; what `rouge` gives."""

    systems: tuple[str, ...]
    texts: tuple[str, ...]
    """Names of the texts: their numbers, from 1."""
    references: tuple[int, ...]
    """How many references the texts have; the fewest and the most."""
    infos: Mapping[str, MeasureInfo]
    """Every measure that was computed, by spec."""
    compared: tuple[str, ...]
    """The measures that were asked for."""
    values: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By measure and system: a number for every text."""
    missing: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """By measure, text and system: why there is no number."""
    corpus: tuple[CorpusScore, ...] = ()
    blank: Mapping[str, int] = field(default_factory=dict)
    """By system, or for the references: how many texts are blank."""
    rows: tuple[_Shown, ...] = ()
    one_sentence: bool = False
    """ROUGE-Lsum takes lines as sentences, and no text has two."""

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures; those that were asked for, and what F is made of."""
        return tuple(self.infos)

    # Numbers

    def scores_of(self, measure: str, system: str | None = None) -> tuple[float, ...]:
        """A number for every text; the system need not be named where there is one."""
        from adjudge.measures.spec import same_name

        name = same_name(measure, self.infos) or str(parse_quickly(measure)[0])
        if name not in self.infos:
            raise UsageError(
                f"there is no {quoted(measure)}{nearest(measure, self.infos)}; there are: {', '.join(self.infos)}"
            )
        if system is None and len(self.systems) == 1:
            [system] = self.systems
        if system not in self.systems:
            what = "name one of the systems" if system is None else f"there is no system {quoted(system)}"
            raise UsageError(f"{what}: {', '.join(self.systems)}")
        return self.values[name][system]

    def mean(self, measure: str, system: str | None = None) -> float:
        """The mean over texts; NaN where no text has a score."""
        return _mean(self.scores_of(measure, system))

    # The comparison

    def scores(self, *, human: Patterns = (), baseline: Patterns = ()) -> Scores:
        """As every analysis takes them: a text is a topic."""
        from adjudge.analyses.scores import Scores
        from adjudge.data.scores import ScoreTable

        table = ScoreTable.from_frame(self.texts_frame(), self.infos.values())
        return Scores.of_table("texts", table, human=human, baseline=baseline)

    def comparisons(self, **options: Any) -> ComparedMeasures:
        """Which systems differ, on every measure that was asked for; the options are those of `compare`."""
        from adjudge.analyses.compare import compare_all

        return compare_all(self.scores(), self.compared, **options)

    @cached_property
    def _intervals(self) -> Mapping[tuple[str, str], tuple[float, float]]:
        """Of the means over two texts at least, by measure and system."""
        if len(self.texts) < 2:
            return {}
        return {
            (c.measure, s.system): (s.low, s.high)
            for c in self.comparisons(correct="none")
            for s in c.standings
        }

    # For people

    def table(self) -> Table:
        """A row for every measure and system: F, recall and precision, or the mean; of one system with intervals."""
        used = list(dict.fromkeys(name for row in self.rows for name in row.columns))
        order = [name for name in (*_STATS.values(), "mean") if name in used]
        corpus = {(score.measure, score.system): score.value for score in self.corpus}
        fewest, most = self.references[0], self.references[-1]
        what = counted(most, "reference") if fewest == most else f"{fewest} to {most} references"
        alone = len(self.systems) == 1 and len(self.texts) > 1
        columns = [Column("measure"), Column("system", show="varies")]
        columns += [Column(name, format=".4f") for name in order]
        if alone:
            columns += [*hidden("low high"), Column("interval", "95% interval", data=False, right=False)]
        if corpus:
            columns.append(Column("corpus", format=".4f"))
        cells = []
        for row in self.rows:
            for system in self.systems:
                row_cells: list[Any] = [row.title, system]
                row_cells += [self.mean(row.columns[n], system) if n in row.columns else None for n in order]
                if alone:
                    low, high = self._intervals.get((row.compared, system), (math.nan, math.nan))
                    row_cells += [low, high, low_to_high(low, high)]
                if corpus:
                    row_cells.append(corpus.get((row.compared, system)))
                cells.append(tuple(row_cells))
        return Table(
            name="texts",
            columns=tuple(columns),
            rows=tuple(cells),
            title=f"One text against {what}"
            if len(self.texts) == 1
            else f"Means over {len(self.texts):,} texts, {what} each",
            sentences=tuple(self.sentences()),
            notes=tuple(note.words(texts_words.NOTES) for note in self.facts()),
            signature=self.signature,
        )

    def headline(self) -> str:
        """Of several systems what the comparison says on the first measure; of one its means."""
        if len(self.systems) > 1 and len(self.texts) > 1:
            compared = self.comparisons()
            return headline(compared[0], named=len(compared) > 1)
        by_system = []
        for system in self.systems:
            numbers = [f"{self.infos[m].words} {decimal(self.mean(m, system))}" for m in self.compared]
            by_system.append(
                f"{system}: {', '.join(numbers)}" if len(self.systems) > 1 else ", ".join(numbers)
            )
        return "; ".join(by_system) + "."

    def sentences(self) -> list[str]:
        return list(texts_words.sentences(self))

    def facts(self) -> Iterator[Note]:
        """What a reader should know first: blank texts, and scores that are missing."""
        for who, n in self.blank.items():
            if n:
                yield Note.of("blank", who=who, n=n, of=len(self.texts))
        if self.one_sentence:
            yield Note.of("one-sentence")
        reasons = Counter((measure, why) for (measure, _, _), why in self.missing.items())
        for (measure, why), n in reasons.items():
            yield Note.of("missing", measure=self.infos[measure].words, n=n, why=why)

    def notes(self) -> list[str]:
        return [spoken(note.words(texts_words.NOTES), "python") for note in self.facts()]

    @property
    def signature(self) -> str:
        """Enough to get the same numbers again, a line for each measure; of corpus scores sacrebleu's own."""
        lines = [self.infos[measure].signature for measure in self.compared]
        return "\n".join([*lines, *self.corpus_signatures])

    @property
    def corpus_signatures(self) -> list[str]:
        return list(dict.fromkeys(f"corpus: {score.signature}" for score in self.corpus))

    # For scripts

    def to_frame(self) -> pd.DataFrame:
        """The means: a row for every measure and system."""
        import pandas as pd

        corpus = {(score.measure, score.system): score.value for score in self.corpus}
        rows = [
            (measure, system, self.mean(measure, system), corpus.get((measure, system)))
            for measure in self.infos
            for system in self.systems
        ]
        frame = pd.DataFrame(rows, columns=["measure", "system", "mean", "corpus"])
        return frame if self.corpus else frame.drop(columns="corpus")

    def texts_frame(self) -> pd.DataFrame:
        """A row for every measure, text and system."""
        import pandas as pd

        parts = [
            pd.DataFrame({"measure": measure, "topic": self.texts, "system": system, "value": values})
            for measure, by_system in self.values.items()
            for system, values in by_system.items()
        ]
        frame = pd.concat(parts, ignore_index=True)
        keys = zip(frame["measure"], frame["topic"], frame["system"], strict=True)
        frame["why"] = [self.missing.get(key) for key in keys] if self.missing else None
        return frame

    def as_dict(self) -> dict[str, Any]:
        """The means, and a number for every text."""
        corpus = {(score.measure, score.system): score for score in self.corpus}
        means = []
        for measure, info in self.infos.items():
            for system in self.systems:
                row: dict[str, Any] = {"measure": measure, "title": info.heading, "system": system}
                row["mean"] = self.mean(measure, system)
                if whole := corpus.get((measure, system)):
                    row |= {"corpus": whole.value, "corpus_signature": whole.signature}
                means.append(row)
        return {
            "systems": list(self.systems),
            "texts": len(self.texts),
            "references": list(self.references),
            "blank": dict(self.blank),
            "means": means,
            "scores": {m: {s: list(v) for s, v in by_system.items()} for m, by_system in self.values.items()},
            "headline": self.headline(),
            "notes": self.notes(),
            "signatures": {measure: info.signature for measure, info in self.infos.items()},
        }

    def to_json(self) -> str:
        return as_json(self.as_dict())


def _mean(values: Iterable[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return fmean(there) if there else math.nan


# What was given


def _systems(
    peers: Texts | Mapping[str, Texts], references: Texts | Iterable[Texts]
) -> tuple[dict[str, list[str]], list[list[str]]]:
    """The texts of every system, and the references of every text."""
    by_name: Mapping[str, Texts] = peers if isinstance(peers, Mapping) else {PEER: peers}
    if not by_name:
        raise UsageError("there are no systems: the mapping of their texts is empty")
    one = isinstance(next(iter(by_name.values())), str)
    systems: dict[str, list[str]] = {}
    for name, texts in by_name.items():
        if not isinstance(name, str):
            raise UsageError(
                f"the system {quoted(name)} is a {type(name).__name__}, expected its name as a text"
            )
        if isinstance(texts, str) != one:
            raise UsageError("some systems have one text and some have several, expected as many of all")
        systems[name] = [texts] if isinstance(texts, str) else _strings(texts, f"the texts of {name}")
    if one:
        answers = [[references] if isinstance(references, str) else _strings(references, "the references")]
    elif isinstance(references, str):
        raise UsageError("the references are one text, expected a list of as many as there are texts")
    else:
        answers = [
            [of_text] if isinstance(of_text, str) else _strings(of_text, f"the references of text {number:,}")
            for number, of_text in enumerate(_items(references, "the references"), 1)
        ]
    for name, strings in systems.items():
        if len(strings) != len(answers):
            raise UsageError(
                f"{counted(len(strings), 'text')} of {name} and references for {len(answers):,}, expected as many"
            )
    return systems, answers


def _items(texts: object, what: str) -> list[Any]:
    if is_table(texts):  # a DataFrame's items are the names of its columns
        raise UsageError(f"{what}: a {type(texts).__name__}, expected one column of it, or a list of texts")
    if isinstance(texts, Set) and len(texts) > 1:
        raise UsageError(f"{what}: a {type(texts).__name__}, which has no order, expected a list of texts")
    if isinstance(texts, bytes | Mapping) or not isinstance(texts, Iterable):
        raise UsageError(f"{what}: a {type(texts).__name__}, expected a text or a list of texts")
    return texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)  # a column of Arrow's


def _strings(texts: object, what: str) -> list[str]:
    """A list of texts, of whatever it was given in."""
    strings = _items(texts, what)
    for number, text in enumerate(strings, 1):
        if not isinstance(text, str):
            raise UsageError(
                f"{what}: number {number:,} is {quoted(text)} ({type(text).__name__}), expected a text"
            )
    if not strings:
        raise UsageError(f"{what}: an empty list, expected at least one text")
    return strings


def _collected(
    chosen: Sequence[Measure],
    every: Sequence[Measure],
    systems: Mapping[str, Sequence[str]],
    answers: Sequence[Sequence[str]],
    scored: Iterable[Iterable[tuple[str, str, str, float, str | None]]],
) -> TextScores:
    texts = tuple(str(number) for number in range(1, len(answers) + 1))
    at = {topic: k for k, topic in enumerate(texts)}
    collected: dict[str, dict[str, list[list[float]]]] = {
        str(m): {system: [[] for _ in texts] for system in systems} for m in every
    }
    missing: dict[tuple[str, str, str], str] = {}
    for rows in scored:
        for measure, topic, system, value, why in rows:
            collected[measure][system][at[topic]].append(value)
            if why:
                missing[measure, topic, system] = why
    # A measure that gives a number for each reference has their mean, as everywhere.
    numbers = {
        m: {s: tuple(map(_mean, lists)) for s, lists in by_system.items()}
        for m, by_system in collected.items()
    }
    for name, by_system in numbers.items():
        if all(math.isnan(value) for values in by_system.values() for value in values):
            raise DataError(
                f"{name}: {next((w for k, w in missing.items() if k[0] == name), 'it gave no score')}"
            )
    sizes = sorted({len(references) for references in answers})
    ends = tuple(dict.fromkeys((sizes[0], sizes[-1])))
    infos = [m.info("-".join(map(str, ends)) if "references" in m.needs else "") for m in every]
    if sizes == [1]:  # nothing is said of what is made of several references
        short = [m.title_of_one_reference() for m in every]
        infos = [replace(i, title=t) if short.count(t) == 1 else i for i, t in zip(infos, short, strict=True)]
    corpus = [
        CorpusScore(str(measure), system, *measure.corpus_score(peers, answers))
        for measure in chosen
        if isinstance(measure, Sacrebleu)
        for system, peers in systems.items()
    ]
    blank = {system: sum(not text.strip() for text in peers) for system, peers in systems.items()}
    blank["references"] = sum(not text.strip() for references in answers for text in references)
    return TextScores(
        systems=tuple(systems),
        texts=texts,
        references=ends,
        infos={info.measure: info for info in infos},
        one_sentence=any(isinstance(m, RougeLines) and m.lines == "lines" for m in chosen)
        and not any("\n" in text.strip() for group in (*systems.values(), *answers) for text in group),
        compared=tuple(str(m) for m in chosen),
        values=numbers,
        missing=missing,
        corpus=tuple(corpus),
        blank=blank,
        rows=tuple(_shown(chosen, one_reference=sizes == [1])),
    )


def _shown(chosen: Sequence[Measure], *, one_reference: bool) -> list[_Shown]:
    """The rows of the table: the three numbers of one ROUGE side by side, any other measure by itself."""
    rows: dict[Measure, dict[str, str]] = {}
    compared: dict[Measure, str] = {}
    for measure in chosen:
        key = measure  # what the row is of: of a ROUGE, whichever of the three numbers it is
        if isinstance(measure, Rouge | RougeBe):
            key = replace(measure, stat="f", alpha=measure.alpha if measure.stat == "f" else 0.5)
        for part in _with_parts(measure):
            stat = _STATS[part.stat] if isinstance(part, Rouge | RougeBe) else "mean"
            rows.setdefault(key, {})[stat] = str(part)
        compared.setdefault(key, str(measure))
    titles = [_without_stat(measure, one_reference) for measure in rows]
    if len(set(titles)) < len(titles):
        titles = [_without_stat(measure, False) for measure in rows]
    return [
        _Shown(title=title, columns=columns, compared=compared[key])
        for title, (key, columns) in zip(titles, rows.items(), strict=True)
    ]


def _without_stat(measure: Measure, one_reference: bool) -> str:
    """`ROUGE-2, best reference`: the columns say which of the three numbers it is."""
    title = measure.title_of_one_reference() if one_reference else measure.title
    return title.replace(" F", "", 1) if isinstance(measure, Rouge | RougeBe) else title
