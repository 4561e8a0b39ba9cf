"""A run of ROUGE-1.5.5: read the summaries that a settings file names, count, divide, average, print."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key, lru_cache, partial, reduce
from operator import add
from pathlib import Path

import numpy as np

from adjudge.core.errors import FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.formats.files import Place, shown
from adjudge.formats.rouge155 import (
    DEFAULT_SYSTEM,
    Listed,
    Side,
    SummaryFiles,
    Trial,
    read_bytes,
    read_list,
    read_settings,
    units,
)
from adjudge.measures.rouge.counts import (
    NOTHING,
    Ratios,
    RougeCounts,
    f_measure,
    overlap,
    rouge_l,
    rouge_n,
    rouge_s,
    rouge_w,
)
from adjudge.measures.rouge.elements import basic_elements
from adjudge.measures.rouge.texts import SMART, Preparation, PreparedText, read_stop_list
from adjudge.measures.rouge155.options import Rouge155Measure, Rouge155Options
from adjudge.text.stemmers.porter import load_exceptions
from adjudge.text.stemmers.stem import stem_words

Triple = tuple[float, float, float]
Say = Callable[[str], None]
PLAIN_UP_TO = 64  # pairs of texts below which the compiler's start costs more than it saves


@dataclass(frozen=True, slots=True)
class PercentileInterval:
    """A mean over samples, and the percentiles around it."""

    average: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PeerResult:
    """One peer under one measure: recall, precision and F (or counts) of every evaluation, and over all."""

    peer: str
    measure: str
    trials: Mapping[str, Triple]
    intervals: tuple[PercentileInterval, PercentileInterval, PercentileInterval] | None
    totals: Triple


@dataclass(slots=True)
class _Job:
    """A peer in an evaluation: the pairs of texts it stands for are pairs[first:last]."""

    trial: str
    peer: str
    first: int
    last: int


@dataclass
class _Work:
    """All texts, each once, and all pairs of them."""

    paths: dict[tuple[Path, str], int] = field(default_factory=dict)
    peers: list[int] = field(default_factory=list)
    models: list[int] = field(default_factory=list)
    jobs: list[_Job] = field(default_factory=list)

    def number(self, path: Path, form: str) -> int:
        return self.paths.setdefault((path, form), len(self.paths))


def evaluate(
    trials: Sequence[Trial],
    files: SummaryFiles,
    options: Rouge155Options,
    system: str | None = None,
    warn: Say = lambda text: None,
) -> Iterator[PeerResult]:
    """Every peer (or `system` alone) under every measure, in the order of the original."""
    names = sorted({peer for trial in trials for peer in trial.peers})
    if system is not None and system not in names:
        raise UsageError(
            f"no peer {quoted(system)} in {files.settings}{nearest(system, names)};"
            f" there are: {', '.join(names[:20])}"
        )
    chosen = names if system is None else [system]
    work = _gather(trials, files, chosen, warn)
    counted = _all_counts(work, options)
    for peer in chosen:
        jobs = [job for job in work.jobs if job.peer == peer]
        for asked, counts in counted:
            rows = {f"{j.trial}.{peer}": _row(counts[j.first : j.last], asked, options) for j in jobs}
            ordered = [rows[key] for key in sorted(rows)]
            totals = tuple(map(_total, zip(*ordered, strict=True))) if ordered else (0.0, 0.0, 0.0)
            intervals = None
            if options.count < 2:
                intervals = averages(
                    ordered,
                    samples=options.samples,
                    confidence=float(options.confidence),
                    seed=options.seed,
                    alpha=options.alpha if options.count else None,
                )
            yield (
                PeerResult(
                    peer=peer,
                    measure=asked.tag,
                    trials=rows,
                    intervals=intervals,
                    totals=(totals[0], totals[1], totals[2]),
                )
            )


def _gather(trials: Sequence[Trial], files: SummaryFiles, peers: Sequence[str], warn: Say) -> _Work:
    work = _Work()
    for peer in peers:
        for trial in trials:
            if peer not in trial.peers:
                warn(f"peer {peer} has no summary in evaluation {trial.id}")
                continue
            number = work.number(_found(files, trial.peers[peer], "peer"), trial.format)
            first = len(work.peers)
            for model in trial.models:
                work.peers.append(number)
                work.models.append(work.number(_found(files, model, "model"), trial.format))
            work.jobs.append(_Job(trial=trial.id, peer=peer, first=first, last=len(work.peers)))
    return work


def _found(files: SummaryFiles, listed: Listed, side: Side) -> Path:
    path = files.find(listed, side)
    if path is None:
        elsewhere = f"where it says: {Argument('root', 'DIR')} names the folder that has it now"
        hint = f"below {Argument('root')}" if files.root else elsewhere
        raise Place(files.settings, listed.line).wrong(
            f"{side} {shown(listed.id)}: no file {shown(files.expected(listed))} {hint}"
        )
    return path


def _all_counts(work: _Work, options: Rouge155Options) -> list[tuple[Rouge155Measure, list[RougeCounts]]]:
    asked = options.measures()
    exceptions = load_exceptions(options.data) if options.stem and options.data else None
    texts: list[PreparedText] = []
    if any(a.kind != "BE" for a in asked):
        stop = read_stop_list(options.data / SMART) if options.stop and options.data else frozenset()
        stem = partial(stem_words, stemmer="porter-155", exceptions=exceptions) if options.stem else None
        prepare = Preparation(stop=stop, stem=stem)
        texts = [_text(path, form, prepare, options) for path, form in work.paths]
    count = _plain if len(work.peers) <= PLAIN_UP_TO else _Fast(texts, work)
    result: list[tuple[Rouge155Measure, list[RougeCounts]]] = []
    for measure in asked:
        if measure.kind == "BE":
            result.append((measure, _be(work, options, exceptions)))
        else:
            result.append((measure, count(measure, texts, work)))
    return result


def _text(path: Path, form: str, prepare: Preparation, options: Rouge155Options) -> PreparedText:
    if form == "SIMPLE":
        raise FormatError("basic elements (SIMPLE) have no words: say -3 and leave out -n, -w, -2", file=path)
    # bytes as characters: the original knows no encodings, and a limit counts bytes
    whole, by_unit = cut(units(read_bytes(path).decode("latin-1"), form), options.words, options.bytes)
    prepared = prepare(by_unit)
    return PreparedText(prepare([" ".join(whole)]).words, prepared.sentences) if options.bytes else prepared


def _plain(asked: Rouge155Measure, texts: Sequence[PreparedText], work: _Work) -> list[RougeCounts]:
    def one(peer: PreparedText, model: PreparedText) -> RougeCounts:
        match asked.kind:
            case "N":
                return rouge_n(peer.words, model.words, asked.n)
            case "L":
                return rouge_l(peer.sentences, model.sentences, peer.words, model.words)
            case "W":
                return rouge_w(peer.sentences, model.sentences, peer.words, model.words, asked.weight)
            case _:
                return rouge_s(peer.words, model.words, asked.skip, asked.unigrams)

    return [one(texts[p], texts[m]) for p, m in zip(work.peers, work.models, strict=True)]


class _Fast:
    """The same through the compiled kernels."""

    def __init__(self, texts: Sequence[PreparedText], work: _Work) -> None:
        from adjudge.measures.rouge.fast import RougePairs, TextPairs, from_words

        self._encoded = (
            RougePairs(from_words(texts), TextPairs.of(work.peers, work.models)) if texts else None
        )

    def __call__(
        self, asked: Rouge155Measure, texts: Sequence[PreparedText], work: _Work
    ) -> list[RougeCounts]:
        if self._encoded is None:
            return []
        match asked.kind:
            case "N":
                hits, bases = self._encoded.n_gram_hits(asked.n)
                sizes = bases.tolist()
            case "S":
                hits, bases = self._encoded.skip_hits(asked.skip, asked.unigrams)
                sizes = bases.tolist()
            case "L":
                hits, bases = self._encoded.union_hits()
                sizes = self._encoded.lengths.tolist()
            case _:
                hits, bases = self._encoded.union_hits(asked.weight)
                sizes = [float(n) ** asked.weight for n in self._encoded.lengths.tolist()]
        against = bases.tolist()
        pairs = zip(hits.tolist(), work.peers, work.models, strict=True)
        return [RougeCounts(hit, sizes[p], against[m]) for hit, p, m in pairs]


def _be(work: _Work, options: Rouge155Options, exceptions: Mapping[str, str] | None) -> list[RougeCounts]:
    elements: list[Counter[Hashable]] = []
    for path, form in work.paths:
        if form != "SIMPLE":
            raise FormatError(f"-3 reads basic elements (SIMPLE), and this is {form}", file=path)
        lines = read_bytes(path).decode("latin-1").split("\n")
        try:
            elements.append(basic_elements(lines, options.be or "", stem=options.stem, exceptions=exceptions))
        except FormatError as error:
            raise FormatError(error.problem, file=path, line=error.line) from None
    return [overlap(elements[p], elements[m]) for p, m in zip(work.peers, work.models, strict=True)]


def _row(counts: Sequence[RougeCounts], asked: Rouge155Measure, options: Rouge155Options) -> Triple:
    """Recall, precision, F, each to five decimals, F from the rounded two; or the counts."""
    ratios = Ratios(alpha=options.alpha, weight=asked.weight)
    chosen = _best(counts, asked, ratios) if options.formula == "B" else sum(counts, NOTHING)
    if options.count:
        return chosen.reference, chosen.peer, chosen.hits
    recall, precision = rounded(ratios.recall(chosen)), rounded(ratios.precision(chosen))
    return recall, precision, rounded(f_measure(recall, precision, options.alpha))


def _best(counts: Sequence[RougeCounts], asked: Rouge155Measure, ratios: Ratios) -> RougeCounts:
    """The first of the models with the highest score: for L and W the score as it is, for others as printed."""
    if asked.kind in ("L", "W"):
        return max(counts, key=ratios.rank)
    return max(counts, key=lambda c: rounded(ratios.rank(c)))


def rounded(value: float) -> float:
    return float(f"{value:.5f}")


def _total(column: Sequence[float]) -> float:
    total = 0.0
    for value in column:
        total += value
    return total


# Cutting a summary to so many words or bytes; characters stand for bytes here (Latin-1)

_SPACE = re.compile(r"[ \t\n\r\f\v]+")


def cut(units: Sequence[str], words: int, size: int) -> tuple[list[str], list[str]]:
    """The units within a limit (0: none): those that make the whole text, and those that L and W compare.

    The two differ under a limit in bytes: for L and W the script does not add up what it has kept, so that
    every unit before the first that alone exceeds the limit stays.
    """
    if words:
        kept = _first_words(units, words)
        return kept, kept
    if size:
        return _first_bytes(units, size, add_up=True), _first_bytes(units, size, add_up=False)
    return list(units), list(units)


def fields(unit: str) -> list[str]:
    """White-space separated words as Perl's split has them: space at the start makes an empty first one."""
    words = _SPACE.split(unit)
    while words and not words[-1]:
        words.pop()
    return words


def _first_words(units: Sequence[str], most: int) -> list[str]:
    kept: list[str] = []
    left = most
    for unit in units:
        words = fields(unit)
        if len(words) >= left:
            return [*kept, " ".join(words[:left])]
        kept.append(unit)
        left -= len(words)
    return kept


def _first_bytes(units: Sequence[str], most: int, *, add_up: bool) -> list[str]:
    kept: list[str] = []
    left = most
    for unit in units:
        if len(unit) >= left:
            return [*kept, unit[:left]]
        kept.append(unit)
        left -= len(unit) if add_up else 0
    return kept


# Averages and intervals: percentiles of bootstrap samples over the evaluations.
# Sample i begins with srand(i), so the original prints the same numbers in every run; here they are drawn with the
# generator that Perl has had since 5.20 (drand48, the same on every machine), so they are the same numbers.

_FACTOR, _STEP, _LOW = np.uint64(0x5DEECE66D), np.uint64(0xB), np.uint64(0x330E)
_MASK = np.uint64((1 << 48) - 1)


@lru_cache(maxsize=1)
def draws(n: int, samples: int, seed: int) -> np.ndarray:
    """Row i: which of n things sample i has, in the order drawn. Seed 0 is the original's."""
    state = (np.arange(samples, dtype=np.uint64) + np.uint64(seed * samples)) & np.uint64(0xFFFFFFFF)
    state = (state << np.uint64(16)) + _LOW
    result = np.empty((samples, n), np.int32)
    for k in range(n):
        state = (state * _FACTOR + _STEP) & _MASK
        result[:, k] = (np.ldexp(state.astype(np.float64), -48) * n).astype(np.int32)
    return result


def averages(
    rows: Sequence[Triple], *, samples: int, confidence: float, seed: int = 0, alpha: float | None = None
) -> tuple[PercentileInterval, PercentileInterval, PercentileInterval]:
    """Of recall, precision and F of every evaluation; with `alpha`, rows are counts (models', peers', hits)."""
    if not rows:
        return (PercentileInterval(average=0.0, low=0.0, high=0.0),) * 3
    # Column by column, so that every sample is added up in the order drawn, as the last digit needs.
    values = np.asarray(rows, np.float64)
    chosen = draws(len(rows), samples, seed)
    sampled: np.ndarray = values[chosen[:, 0]].copy()
    for k in range(1, chosen.shape[1]):
        sampled += values[chosen[:, k]]
    columns = (sampled / len(rows)).T.tolist() if alpha is None else _ratios(sampled.tolist(), alpha)
    recall, precision, f = (_interval(sorted(column), confidence) for column in columns)
    return recall, precision, f


def _ratios(sums: Sequence[Sequence[float]], alpha: float) -> list[list[float]]:
    columns: list[list[float]] = [[], [], []]
    for models, peers, hits in sums:
        recall = hits / models if models > 0 else 0.0
        precision = hits / peers if peers > 0 else 0.0
        for column, value in zip(
            columns, (recall, precision, f_measure(recall, precision, alpha)), strict=True
        ):
            column.append(value)
    return columns


def _interval(ranked: Sequence[float], confidence: float) -> PercentileInterval:
    """Its percentiles: both ends move between neighbours by the share that belongs to the upper one."""
    n = len(ranked)
    outside = n * ((100 - confidence) / 2.0) / 100.0
    lower, upper = int(outside), int(n - outside - 1)
    share = n - outside - 1 - upper

    def between(k: int) -> float:
        here, after = (ranked[j] if j < n else 0.0 for j in (k, k + 1))
        return here + (after - here) * share

    # not sum(): from Python 3.12 on it makes up for rounding, which Perl does not
    average = reduce(add, ranked, 0.0) / n
    return PercentileInterval(average=average, low=between(lower), high=between(upper))


# Printing

_RULE, _DOTS = "-" * 45, "." * 45
_NUMBER = re.compile(r"[0-9]+")


def run(
    settings: Path,
    options: Rouge155Options,
    *,
    system: str | None = None,
    every: bool = False,
    form: str | None = None,
    root: Path | None = None,
    warn: Say = lambda text: None,
) -> Iterator[str]:
    """The lines that the original prints for a settings file, or with `form` for a list of files."""
    files = SummaryFiles(settings, root)
    if form is not None:
        name = system or DEFAULT_SYSTEM
        yield from lines(evaluate(read_list(settings, form, name), files, options, name, warn), options)
        return
    if system is None and not every:
        raise UsageError("whose summaries? Give a system's ID after the settings, or -a for all")
    chosen = None if every else system
    yield from lines(evaluate(read_settings(settings), files, options, chosen, warn), options)


def lines(results: Iterator[PeerResult], options: Rouge155Options) -> Iterator[str]:
    for result in results:
        name = f"{result.peer} {result.measure}"
        yield _RULE
        if result.intervals is None:
            models, peers, hits = map(int, result.totals)
            yield f"{name} M_count: {models} P_count: {peers} H_count: {hits}"
        else:
            for letter, i in zip("RPF", result.intervals, strict=True):
                around = f"({options.confidence}%-conf.int. {i.low:.5f} - {i.high:.5f})"
                yield f"{name} Average_{letter}: {i.average:.5f} {around}"
        if options.details:
            yield _DOTS
            shown = "{:.15g}" if options.count else "{:.5f}"
            for trial in sorted(sorted(result.trials), key=cmp_to_key(_in_order)):
                r, p, f = map(shown.format, result.trials[trial])
                yield f"{name} Eval {trial} R:{r} P:{p} F:{f}"


def _in_order(a: str, b: str) -> int:
    """By the number at the start where both have one, else by text."""
    first, second = _NUMBER.match(a), _NUMBER.match(b)
    if first and second:
        x, y = float(first[0]), float(second[0])
        return (x > y) - (x < y)
    return (a > b) - (a < b)
