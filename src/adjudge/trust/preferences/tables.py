"""The four tables of Zopf 2018 for the evaluation at hand. How they look, in words and LaTeX: paper_table.py."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from adjudge.data.scores import AllLengths
from adjudge.engine import generator
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.preference_fit import similarity_of, strengths_of
from adjudge.measures.judged.preference_sources import human_answers, pyramid_worth
from adjudge.stats.agreement import pair_agreement
from adjudge.stats.bootstrap import bootstrap_means
from adjudge.stats.preference.answers import FloatArray
from adjudge.trust.preferences.agreement import (
    LEVEL,
    RESAMPLES,
    Agreement,
    Systems,
    agreements,
    common_reason,
)
from adjudge.trust.preferences.columns import MODEL_FREE, PYRAMID, ROUGES, Columns, expanded, plainest
from adjudge.trust.preferences.minutes import Minutes
from adjudge.trust.preferences.paper_table import Cell, PaperTable
from adjudge.wording import counted, listed

OWN = ("man", "ref", "py", "man+ref", "man+py", "man+ref+py")
FEW = ("R1", "R2", "R4", "PY")
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "table-1": ("Table 1. Agreement with people: measures, and people's preferences", ("JS", *ROUGES, "man")),
    "table-2": (
        "Table 2. Agreement with people: preferences with simulated ones added",
        (*FEW, "man+ref", "man+py", "man+ref+py"),
    ),
    "table-3": ("Table 3. Agreement with people: simulated preferences alone", (*FEW, "ref", "py")),
}
RANKED = "Sentence pairs that strengths order as pyramid weights do: without and with smoothing"
REF_PAIRS = "200"
"""Pairs of Table 4's ref (section 5.5); how many py has there the paper does not say, so it has what it has alone."""


def own_measures(base: Preference) -> dict[str, str]:
    """The evaluator's six columns as measures; `base` has the options that they share."""
    return {source: str(_of(base, source)) for source in OWN}


def _of(base: Preference, source: str) -> Preference:
    """Whom to believe is a question about people only."""
    return plainest(replace(base, source=source, crowd=base.crowd and "man" in source))


def specs(base: Preference) -> dict[str, str]:
    """Every column of the first three tables, by its heading."""
    return {**MODEL_FREE, **ROUGES, **PYRAMID, **own_measures(base)}


def paper_tables(
    columns: Columns,
    batches: Mapping[str, TopicBatch],
    human: str,
    minutes: Minutes,
    *,
    base: Preference | None = None,
    more: Sequence[str] = (),
    systems: Systems = "machine",
    length: int | AllLengths | None = None,
    half: bool = False,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[PaperTable]:
    """All four tables, and one of `more` measures where some are named.

    A table is over the topics that all of its columns have, so that its means can be compared.
    """
    base = base or Preference()
    data = columns.data
    name = data.resolve(human)
    extra = {m: m for given in more for m in ([given] if given in data.measures else expanded(given))}
    wanted = {**specs(base), **extra}
    why = _why_not(columns, wanted, name)
    known = {heading: measure for heading, measure in wanted.items() if heading not in why}
    found = (
        []
        if not known
        else agreements(
            data,
            name,
            list(known.values()),
            systems=systems,
            length=length,
            half=half,
            resamples=1,
            rng=generator(seed, "unused"),
        )
    )
    by_heading = dict(zip(known, found, strict=True))
    ties = "half" if half else "strict"
    about = f"human:{name}|systems:{systems}|ties:{ties}|bootstrap:{resamples}:topics:{level:g}|seed:{seed}"
    topics = list(dict.fromkeys([*data.topics, *(topic.topic for each in found for topic in each.topics)]))
    sets = dict(zip(topics, data.topic_values("set", topics), strict=True))
    bootstrap = (level, resamples, seed)
    tables = []
    asked = {"more": ("Agreement with people: the measures named", tuple(extra))} if extra else {}
    for table, (title, headings) in {**TABLES, **asked}.items():
        cells = _cells(headings, wanted, by_heading, why)
        made = _table(table, title, cells, bootstrap, f"{table}|{about}", sets)
        tables.append(replace(made, said=tuple(_differences(made, bootstrap))))
    signatures = {h: data.table.info[m].signature for h, m in known.items()}
    tables[0] = replace(
        tables[0],
        minutes=minutes.mean,
        said=(*tables[0].said, minutes.sentence()),
        notes=(*tables[0].notes, *_given(batches)),
    )
    tables = [
        replace(t, signatures={c.heading: signatures[c.heading] for c in t.cells if c.why is None})
        for t in tables
    ]
    ranked = ranked_sentences(batches, base, level=level, resamples=resamples, seed=seed, sets=sets)
    return [*tables[: len(TABLES)], ranked, *tables[len(TABLES) :]]


def _why_not(columns: Columns, wanted: Mapping[str, str], human: str) -> dict[str, str]:
    """Why columns have no scores, by heading."""
    found = {}
    for heading, measure in wanted.items():
        if measure == human:
            found[heading] = "it is what the others are held against"
        elif measure in columns.why or measure not in columns.data.measures:
            found[heading] = columns.why.get(measure, "not scored")
    return found


def _cells(
    headings: Sequence[str], specs: Mapping[str, str], found: Mapping[str, Agreement], why: Mapping[str, str]
) -> list[Cell]:
    cells = []
    for heading in headings:
        if heading in why:
            cells.append(Cell(heading, specs[heading], why=why[heading]))
            continue
        each = found[heading]
        topics = {} if each.why else {topic.topic: topic.share for topic in each.topics}
        counts = {topic.topic: topic.pairs for topic in each.topics}
        cells.append(Cell(heading, specs[heading], topics=topics, counts=counts, why=each.why))
    return cells


def _table(
    name: str,
    title: str,
    cells: Sequence[Cell],
    bootstrap: tuple[float, int, int],
    signature: str,
    sets: Mapping[str, str | None],
) -> PaperTable:
    """Means and intervals over the topics that all columns have; a column without any topic stays out of that."""
    level, resamples, seed = bootstrap
    some = [k for k, cell in enumerate(cells) if cell.why is None]
    every = list(dict.fromkeys(topic for k in some for topic in cells[k].topics))
    shares = np.array([[cells[k].topics.get(topic, math.nan) for k in some] for topic in every])
    shares = shares.reshape(len(every), len(some))
    kept, empty = ~np.isnan(shares).any(axis=1), np.isnan(shares).all(axis=1)
    topics, shares = [topic for topic, keep in zip(every, kept, strict=True) if keep], shares[kept]
    done = list(cells)
    if not topics:
        reason = "no topic has all columns" if some else ""
        done = [replace(cell, topics={}, why=cell.why or reason) for cell in cells]
    else:
        low, high = bootstrap_means(
            shares, rng=generator(seed, "prefer/report"), level=level, resamples=resamples
        )
        for column, k in enumerate(some):
            own = dict(zip(topics, shares[:, column].tolist(), strict=True))
            mean = math.fsum(own.values()) / len(own)
            done[k] = replace(
                cells[k], topics=own, value=mean, low=float(low[column]), high=float(high[column])
            )
    none = int(np.count_nonzero(empty))
    left = len(every) - len(topics) - none
    notes = [f"{counted(none, 'topic has', 'topics have')} no pair to order"] * bool(none)
    notes += [
        f"{counted(left, 'topic lacks', 'topics lack')} a column and {'is' if left == 1 else 'are'} left out"
    ] * bool(left and topics)
    return PaperTable(name, title, tuple(done), level, (), tuple(notes), signature, sets)


def _compared(one: Cell, others: Sequence[Cell], bootstrap: tuple[float, int, int]) -> list[int]:
    """Against each other column: 1 where one is higher, -1 where lower, 0 where the paired interval holds 0."""
    level, resamples, seed = bootstrap
    gaps = np.array([[one.topics[topic] - other.topics[topic] for other in others] for topic in one.topics])
    low, high = bootstrap_means(gaps, rng=generator(seed, "prefer/report"), level=level, resamples=resamples)
    return [int(a > 0) - int(b < 0) for a, b in zip(low, high, strict=True)]


def _differences(table: PaperTable, bootstrap: tuple[float, int, int]) -> Iterator[str]:
    """Which measures the evaluator's columns agree with people more, or less, than."""
    known = [cell for cell in table.cells if cell.why is None]
    others = [cell for cell in known if cell.heading not in OWN]
    if len(table.topics) < 2 or not others:
        return
    for own in (cell for cell in known if cell.heading in OWN):
        ways = dict(zip((cell.heading for cell in others), _compared(own, others, bootstrap), strict=True))
        more, less, open = ([name for name, way in ways.items() if way == each] for each in (1, -1, 0))
        parts = [f"agrees with people more than {listed(more)}"] * bool(more)
        parts += [f"agrees with people less than {listed(less)}"] * bool(less)
        parts += [f"cannot be told apart from {listed(open, most=9)}"] * bool(open)
        yield f"{own.heading} {'; it '.join(parts)}."


def _given(batches: Mapping[str, TopicBatch]) -> list[str]:
    """How many answers man rests on."""
    given = [human_answers(batch) for batch in batches.values()]
    counts = [len(each.answers) for each in given if len(each.answers)]
    if not counts:
        return []
    spread = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    simulated = sum(each.simulated for each in given)
    found = [f"man has {spread} answers per topic, in {counted(len(counts), 'topic')}"]
    return found + [f"{simulated:,} of {counted(sum(counts), 'answer')} are simulated"] * bool(simulated)


# Table 4


def ranked_sentences(
    batches: Mapping[str, TopicBatch],
    base: Preference,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    sets: Mapping[str, str | None] | None = None,
) -> PaperTable:
    """Table 4: of the pairs of sentences with different pyramid weights, the share that strengths order correctly."""
    measures = {
        f"{'smoothed ' if smooth else ''}{source}": _of(
            replace(base, smooth=smooth, simulated=_pairs(base, source)), source
        )
        for smooth in (False, True)
        for source in ("man", "py", "ref")
    }
    cells = [_ranked(heading, measure, batches) for heading, measure in measures.items()]
    signature = f"table-4|truth:pyramid-weight|bootstrap:{resamples}:topics:{level:g}|seed:{seed}"
    table = _table("table-4", f"Table 4. {RANKED}", cells, (level, resamples, seed), signature, sets or {})
    return replace(
        table,
        said=tuple(_smoothing(table, (level, resamples, seed))),
        signatures={c.heading: measures[c.heading].signature() for c in table.cells if c.why is None},
    )


def _pairs(base: Preference, source: str) -> str:
    return REF_PAIRS if source == "ref" and base.simulated == "paper" else base.simulated


def _ranked(heading: str, measure: Preference, batches: Mapping[str, TopicBatch]) -> Cell:
    shares: dict[str, float] = {}
    counts: dict[str, int] = {}
    reasons: list[str | None] = []
    for topic, batch in batches.items():
        found = _ordered(batch, measure)
        if isinstance(found, str):
            reasons.append(found)
        else:
            shares[topic], counts[topic] = found
    why = None if shares else common_reason(reasons)
    return Cell(heading, str(measure), topics=shares, counts=counts, why=why)


def _ordered(batch: TopicBatch, measure: Preference) -> tuple[float, int] | str:
    """The share of a topic's sentence pairs that are ordered as the pyramid says, and of how many; or why not."""
    recipe = measure.recipe()
    strengths = strengths_of(batch, recipe)
    if isinstance(strengths, str):
        return strengths
    truth: FloatArray = pyramid_worth(batch, similarity_of(batch, recipe.similarity))
    if np.isnan(truth).all():
        return "no peer has a pyramid annotation"
    found = pair_agreement(truth, strengths.log)
    return "all sentences have the same pyramid weight" if found.why else (found.share, found.pairs)


def _smoothing(table: PaperTable, bootstrap: tuple[float, int, int]) -> Iterator[str]:
    """What smoothing does to each source."""
    by_heading = {cell.heading: cell for cell in table.cells if cell.why is None}
    for source in ("man", "py", "ref"):
        plain, smooth = by_heading.get(source), by_heading.get(f"smoothed {source}")
        if plain is None or smooth is None:
            continue
        way = _compared(smooth, [plain], bootstrap)[0] if len(table.topics) > 1 else 0
        verb = {1: "helps", -1: "hurts", 0: "makes no difference that could be told for"}[way]
        yield f"Smoothing {verb} {source}: {plain.value:.3f} without, {smooth.value:.3f} with it."
