"""BLEU, chrF and TER of single summaries, by sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, ClassVar

from adjudge.core.errors import UsageError
from adjudge.data.rows import Key
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, no_reference

if TYPE_CHECKING:
    from types import ModuleType

    from sacrebleu.metrics.base import Metric


def _sacrebleu(name: str) -> ModuleType:
    """The library, loaded when a measure first runs."""
    try:
        import sacrebleu
    except ModuleNotFoundError:
        raise UsageError(f'{name} needs an extra: pip install "adjudge[bleu]"') from None
    return sacrebleu


@dataclass(frozen=True)
class Sacrebleu(Measure):
    """What the three share: all references of a peer at once, and sacrebleu's version in the signature."""

    REFERENCES: ClassVar[str]  # what several references do to the number
    range: ClassVar[tuple[float | None, float | None]] = (0.0, 100.0)
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    EXTRA = "bleu"
    MODULES = ("sacrebleu",)

    def metric(self, streams: Sequence[Sequence[str | None]], *, corpus: bool = False) -> Metric:
        """sacrebleu's object for these options, which has read the first reference of every text, the second ..."""
        raise TypeError(f"{type(self).__name__} does not say which metric it is")

    def signature(self, references: str = "") -> str:
        about, _, ours = super().signature().rpartition("|")
        count = f"{references}:" if references else ""
        try:
            library = version("sacrebleu")
        except PackageNotFoundError:
            library = "none"
        return f"{about}|refs:{count}{self.REFERENCES}|sacrebleu:{library}|{ours}"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        top = self.range[1]
        read: dict[tuple[Key, ...], Metric] = {}  # references are read once for all the peers that they serve
        for peer in batch.peers:
            references = batch.references_for(peer)
            if not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
                continue
            key = tuple(reference.key for reference in references)
            if key not in read:
                read[key] = self.metric([[reference.text] for reference in references])
            # A "corpus" of one text is what sacrebleu calls a sentence, and takes references read before.
            value = float(read[key].corpus_score([peer.text], None).score)
            # An exact copy comes out as 100.00000000000004.
            yield self.row(batch, peer, value if top is None else min(value, top))

    def corpus_score(self, peers: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[float, str]:
        """What sacrebleu gives for all texts together, which is no mean of their scores; and its own signature.

        Counts are summed over texts first. Texts may have different numbers of references.
        """
        most = max(map(len, references))
        streams = [[texts[k] if k < len(texts) else None for texts in references] for k in range(most)]
        metric = self.metric(streams, corpus=True)
        value = float(metric.corpus_score(list(peers), None).score)
        top = self.range[1]
        return value if top is None else min(value, top), str(metric.get_signature())


@dataclass(frozen=True)
class Bleu(Sacrebleu):
    """Papineni et al. 2002, of one summary: precision of 1- to 4-grams, and a penalty for being brief.

    An n-gram counts as often as the reference that has it most; the length is compared with the closest
    reference's. Orders that the summary is too short for are left out (sacrebleu's effective order).

    smooth  what an order without any hit counts (Chen and Cherry 2014): `exp` halves for each such order,
            `floor` takes a tenth of a hit, `add-k` adds one hit and one n-gram to all orders from 2 on
    """

    tokenize: str = "13a"
    smooth: str = "exp"
    lowercase: bool = False

    FAMILY = "bleu"
    TITLE = "BLEU"
    ABOUT = "n-gram precision against all references, brevity penalized; 0 to 100, one summary at a time"
    CITATION = "Papineni et al. 2002, BLEU; Post 2018, sacrebleu"
    REFERENCES = "together"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "tokenize": ("13a", "intl", "char", "zh", "none"),
        "smooth": ("exp", "floor", "add-k", "none"),
    }

    def metric(self, streams: Sequence[Sequence[str | None]], *, corpus: bool = False) -> Metric:
        metric: Metric = _sacrebleu(self.name).BLEU(
            tokenize=self.tokenize,
            smooth_method=self.smooth,
            lowercase=self.lowercase,
            effective_order=not corpus,
            force=True,  # no advice on tokenized text
            references=streams,
        )
        return metric


@dataclass(frozen=True)
class Chrf(Sacrebleu):
    """Popović 2015, 2017: F of character 1- to 6-grams, against the reference that fits best.

    word_order=2 takes words and pairs of words too, which is chrF++. Recall weighs beta times as much as
    precision.
    """

    word_order: str = "0"
    beta: int = 2
    lowercase: bool = False

    FAMILY = "chrf"
    TITLE = "chrF"
    ABOUT = "F of character n-grams against the best reference; 0 to 100"
    CITATION = "Popović 2015, chrF; Popović 2017, chrF++; Post 2018, sacrebleu"
    REFERENCES = "best"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"word_order": ("0", "2")}

    @property
    def title_name(self) -> str:
        return "chrF" if self.word_order == "0" else "chrF++"

    def title_details(self) -> list[str]:
        return [detail for detail in super().title_details() if not detail.startswith("word order")]

    def __post_init__(self) -> None:
        if self.beta < 1:
            raise UsageError(f"chrf: beta={self.beta}; expected a whole number of at least 1")

    def metric(self, streams: Sequence[Sequence[str | None]], *, corpus: bool = False) -> Metric:
        metric: Metric = _sacrebleu(self.name).CHRF(
            word_order=int(self.word_order),
            beta=self.beta,
            lowercase=self.lowercase,
            references=streams,
        )
        return metric


@dataclass(frozen=True)
class Ter(Sacrebleu):
    """Snover et al. 2006: edits that make the summary the reference, per 100 words of a reference.

    An edit inserts, deletes or replaces a word, or moves a run of words. Of several references the one
    that needs the fewest edits counts, over the mean length of all. A long summary can have more than 100.
    """

    lowercase: bool = True
    punctuation: bool = True
    normalize: bool = False
    asian: bool = False

    FAMILY = "ter"
    TITLE = "TER"
    ABOUT = "edits that turn the summary into a reference, per 100 words"
    CITATION = "Snover et al. 2006, Translation Edit Rate; Post 2018, sacrebleu"
    REFERENCES = "fewest-edits"
    better = "lower"
    range = (0.0, None)

    def metric(self, streams: Sequence[Sequence[str | None]], *, corpus: bool = False) -> Metric:
        metric: Metric = _sacrebleu(self.name).TER(
            case_sensitive=not self.lowercase,
            no_punct=not self.punctuation,
            normalized=self.normalize,
            asian_support=self.asian,
            references=streams,
        )
        return metric
