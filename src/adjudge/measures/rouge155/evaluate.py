"""The evaluation that a settings file describes: read the summaries, count, divide, average. Printing is output.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adjudge.errors import FormatError, UsageError, nearest, quoted
from adjudge.formats.files import Place, shown
from adjudge.formats.rouge155 import Files, Listed, Side, Trial, read_bytes, units
from adjudge.measures.rouge import plain
from adjudge.measures.rouge.elements import basic_elements
from adjudge.measures.rouge.lists import SMART, read_stop_list
from adjudge.measures.rouge.plain import NOTHING, Counts
from adjudge.measures.rouge.ratios import Ratios, f_measure
from adjudge.measures.rouge.texts import Preparation, Prepared
from adjudge.measures.rouge155.limits import cut
from adjudge.measures.rouge155.options import Asked, Options
from adjudge.measures.rouge155.resample import Interval, Triple, averages
from adjudge.text.stemmers.porter155 import load_exceptions
from adjudge.text.stemmers.stem import stem_words

Say = Callable[[str], None]
PLAIN_UP_TO = 64  # pairs of texts below which the compiler's start costs more than it saves


@dataclass(frozen=True, slots=True)
class Result:
    """One peer under one measure: recall, precision and F (or counts) of every evaluation, and over all."""

    peer: str
    measure: str
    trials: Mapping[str, Triple]
    intervals: tuple[Interval, Interval, Interval] | None
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
    files: Files,
    options: Options,
    system: str | None = None,
    warn: Say = lambda text: None,
) -> Iterator[Result]:
    """Every peer (or `system` alone) under every measure, in the order of the original."""
    known = sorted({peer for trial in trials for peer in trial.peers})
    if system is not None and system not in known:
        raise UsageError(
            f"no peer {quoted(system)} in {files.settings}{nearest(system, known)};"
            f" there are: {', '.join(known[:20])}"
        )
    chosen = known if system is None else [system]
    work = _gather(trials, files, chosen, warn)
    counted = _all_counts(work, options)
    for peer in chosen:
        jobs = [job for job in work.jobs if job.peer == peer]
        for asked, counts in counted:
            rows = {f"{j.trial}.{peer}": _row(counts[j.first : j.last], asked, options) for j in jobs}
            yield _result(peer, asked.tag, rows, options)


def _gather(trials: Sequence[Trial], files: Files, peers: Sequence[str], warn: Say) -> _Work:
    work = _Work()
    for peer in peers:
        for trial in trials:
            if peer not in trial.peers:
                warn(f"peer {peer} has no summary in evaluation {trial.id}")
                continue
            own = work.number(_found(files, trial.peers[peer], "peer"), trial.format)
            first = len(work.peers)
            for model in trial.models:
                work.peers.append(own)
                work.models.append(work.number(_found(files, model, "model"), trial.format))
            work.jobs.append(_Job(trial.id, peer, first, len(work.peers)))
    return work


def _found(files: Files, listed: Listed, side: Side) -> Path:
    path = files.find(listed, side)
    if path is None:
        hint = "below --root" if files.root else "where it says: --root DIR names the folder that has it now"
        raise Place(files.settings, listed.line).wrong(
            f"{side} {shown(listed.id)}: no file {shown(files.expected(listed))} {hint}"
        )
    return path


def _all_counts(work: _Work, options: Options) -> list[tuple[Asked, list[Counts]]]:
    asked = options.measures()
    exceptions = load_exceptions(options.data) if options.stem and options.data else None
    texts: list[Prepared] = []
    if any(a.kind != "BE" for a in asked):
        prepare = _preparation(options, exceptions)
        texts = [_text(path, form, prepare, options) for path, form in work.paths]
    count = _plain if len(work.peers) <= PLAIN_UP_TO else _Fast(texts, work)
    result: list[tuple[Asked, list[Counts]]] = []
    for each in asked:
        if each.kind == "BE":
            result.append((each, _be(work, options, exceptions)))
        else:
            result.append((each, count(each, texts, work)))
    return result


def _preparation(options: Options, exceptions: Mapping[str, str] | None) -> Preparation:
    stop = read_stop_list(options.data / SMART) if options.stop and options.data else frozenset()
    stem = partial(stem_words, stemmer="porter-155", exceptions=exceptions) if options.stem else None
    return Preparation(stop=stop, stem=stem)


def _text(path: Path, form: str, prepare: Preparation, options: Options) -> Prepared:
    if form == "SIMPLE":
        raise FormatError("basic elements (SIMPLE) have no words: say -3 and leave out -n, -w, -2", file=path)
    # bytes as characters: the original knows no encodings, and a limit counts bytes
    whole, by_unit = cut(units(read_bytes(path).decode("latin-1"), form), options.words, options.bytes)
    prepared = prepare(by_unit)
    return Prepared(prepare([" ".join(whole)]).words, prepared.sentences) if options.bytes else prepared


def _plain(asked: Asked, texts: Sequence[Prepared], work: _Work) -> list[Counts]:
    def one(peer: Prepared, model: Prepared) -> Counts:
        match asked.kind:
            case "N":
                return plain.rouge_n(peer.words, model.words, asked.n)
            case "L":
                return plain.rouge_l(peer.sentences, model.sentences, peer.words, model.words)
            case "W":
                return plain.rouge_w(peer.sentences, model.sentences, peer.words, model.words, asked.weight)
            case _:
                return plain.rouge_s(peer.words, model.words, asked.skip, asked.unigrams)

    return [one(texts[p], texts[m]) for p, m in zip(work.peers, work.models, strict=True)]


class _Fast:
    """The same through the compiled kernels."""

    def __init__(self, texts: Sequence[Prepared], work: _Work) -> None:
        from adjudge.measures.rouge.fast import Encoded, Pairs
        from adjudge.measures.rouge.numbers import from_words

        self._encoded = Encoded(from_words(texts), Pairs.of(work.peers, work.models)) if texts else None

    def __call__(self, asked: Asked, texts: Sequence[Prepared], work: _Work) -> list[Counts]:
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
        return [Counts(hit, sizes[p], against[m]) for hit, p, m in pairs]


def _be(work: _Work, options: Options, exceptions: Mapping[str, str] | None) -> list[Counts]:
    found: list[Counter[Hashable]] = []
    for path, form in work.paths:
        if form != "SIMPLE":
            raise FormatError(f"-3 reads basic elements (SIMPLE), and this is {form}", file=path)
        lines = read_bytes(path).decode("latin-1").split("\n")
        try:
            found.append(basic_elements(lines, options.be or "", stem=options.stem, exceptions=exceptions))
        except FormatError as error:
            raise FormatError(error.problem, file=path, line=error.line) from None
    return [plain.overlap(found[p], found[m]) for p, m in zip(work.peers, work.models, strict=True)]


def _row(counts: Sequence[Counts], asked: Asked, options: Options) -> Triple:
    """Recall, precision, F, each to five decimals, F from the rounded two; or the counts."""
    ratios = Ratios(alpha=options.alpha, weight=asked.weight)
    chosen = _best(counts, asked, ratios) if options.formula == "B" else sum(counts, NOTHING)
    if options.count:
        return chosen.reference, chosen.peer, chosen.hits
    recall, precision = rounded(ratios.recall(chosen)), rounded(ratios.precision(chosen))
    return recall, precision, rounded(f_measure(recall, precision, options.alpha))


def _best(counts: Sequence[Counts], asked: Asked, ratios: Ratios) -> Counts:
    """The first of the models with the highest score: for L and W the score as it is, for others as printed."""
    if asked.kind in ("L", "W"):
        return max(counts, key=ratios.rank)
    return max(counts, key=lambda c: rounded(ratios.rank(c)))


def rounded(value: float) -> float:
    return float(f"{value:.5f}")


def _result(peer: str, tag: str, rows: Mapping[str, Triple], options: Options) -> Result:
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
    return Result(peer, tag, rows, intervals, (totals[0], totals[1], totals[2]))


def _total(column: Sequence[float]) -> float:
    total = 0.0
    for value in column:
        total += value
    return total
