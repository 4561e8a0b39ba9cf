"""ROUGE as measures: their options, their names, and what each of them counts. Lin 2004."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.core.words import counted
from adjudge.data.rows import Summary, Unit
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Make, Measure, Need, Spans, UnitMatch, Writers
from adjudge.measures.rouge.counts import (
    REFS,
    REFS_TITLES,
    REFS_WORDS,
    STAT_TITLES,
    STATS,
    Ratios,
    RougeCounts,
    rouge_l,
    rouge_l_sentence,
    rouge_n,
    rouge_s,
    rouge_w,
)
from adjudge.measures.rouge.texts import (
    EXCEPTIONS,
    SPLITS,
    Limit,
    Preparation,
    PreparedText,
    check_names,
    preparation,
    split_text,
)
from adjudge.measures.spec import build, split_spec
from adjudge.measures.topicwords import shared_spans
from adjudge.text.stemmers.stem import STEMMERS
from adjudge.text.words import WORD_RULES, share_kept

if TYPE_CHECKING:
    import numpy as np

    from adjudge.measures.rouge.fast import RougePairs

    Numbers = np.ndarray
    CountColumns = tuple[np.ndarray, np.ndarray, np.ndarray]


_LIMIT = re.compile(r"none|[1-9]\d{0,8}[wb]")
LEAST_KEPT = (
    0.5  # of a text's letters and digits; below, its score says more of the word rule than of the text
)


ONE_SENTENCE = (
    "ROUGE-Lsum equals ROUGE-L here: no text has line breaks, so each is one sentence"
    f" ({Argument('split_sentences')} splits them)"
)
_IN_WORDS = ("limit", "refs", "stem", "stop", "words")  # options that titles name in words of their own


WORD_RULE_WORDS = {
    "rouge": "words are runs of ASCII letters and digits",
    "unicode": "words are runs of letters and digits of any script",
    "characters": "words are runs of letters and digits, and single signs in scripts without spaces",
}
_STEMMER_WORDS = {
    "porter-155": "ROUGE-1.5.5's Porter stemmer",
    EXCEPTIONS: "ROUGE-1.5.5's Porter stemmer and its exceptions",
    "porter-nltk": "NLTK's Porter stemmer, as rouge-score does",
    "porter": "Snowball's Porter stemmer",
    "lovins": "Lovins's stemmer",
}


def stemmer_words(stem: str) -> str:
    """`words are stemmed with ROUGE-1.5.5's Porter stemmer`."""
    if stem == "none":
        return "words are not stemmed"
    return f"words are stemmed with {_STEMMER_WORDS.get(stem, f'the Snowball stemmer {stem}')}"


@dataclass(frozen=True)
class Rouge(Measure):
    """What every ROUGE shares. Under a bare name ROUGE-1 to 9, L and Lsum are rouge-score's: F, its stemmer, the best
    reference. What ROUGE-1.5.5 printed for DUC and TAC is recall, of all references pooled: rouge-1-recall, and
    ROUGE-W, S, SU and BE under any name.

    stat   recall, precision, f (with alpha: towards 1 precision counts), or all: three measures
    stem   porter-155 is ROUGE-1.5.5's, porter-nltk rouge-score's, porter Snowball's; or a language: german
    stop   words left out: none, smart (from a copy of ROUGE's data), or a language: en
    words  rouge: ASCII letters and digits; unicode; characters: scripts without spaces sign by sign
    limit  none, 100w (words) or 665b (bytes), of peers and references
    refs   pooled: hits in all references over what all have (-f A); best: the reference with the highest
           recall (-f B); mean: of the references' scores; max: the reference with the highest F
           (rouge-score's habit); jackknife: mean over leaving out each reference in turn (NIST's habit)
    """

    stat: str = "recall"
    alpha: float = 0.5
    stem: str = "porter-155"
    stop: str = "none"
    words: str = "rouge"
    limit: str = "none"
    refs: str = "pooled"

    FAMILY = "rouge"
    CITATION = "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": (*STATS, "all"),
        "words": tuple(WORD_RULES),
        "refs": REFS,
    }
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "stem": (*STEMMERS, EXCEPTIONS),
        "stop": ("none", "smart", "en"),
    }
    OF_SEVERAL = frozenset(REFS_TITLES.values())
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    PLAIN_COST: ClassVar[float] = 0.0001  # seconds of plain Python, about, for a pair of texts of 100 words
    RANKED: ClassVar[int | None] = 5  # digits of recall by which refs=best chooses, as the original does

    def __post_init__(self) -> None:
        if not _LIMIT.fullmatch(self.limit):
            raise UsageError(
                f"{self.name}: limit={self.limit}; expected none, or words or bytes such as 100w, 665b"
            )
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"{self.name}: alpha={self.alpha:g}; expected a number from 0 to 1")
        check_names(self.stem, self.stop)

    def explanation(self) -> str:
        about = inspect.getdoc(type(self)) or ""
        return f"{about}\n\n{inspect.getdoc(Rouge)}"

    def signed_options(self) -> dict[str, Any]:
        """alpha says something of F alone."""
        return {k: v for k, v in self.options().items() if k != "alpha" or self.stat == "f"}

    def expanded(self) -> list[Measure]:
        return [replace(self, stat=stat) for stat in STATS] if self.stat == "all" else [self]

    @property
    def title_name(self) -> str:
        """`ROUGE-2 recall`: what is counted, and which of the three numbers it is."""
        return f"{self.counted_title} {STAT_TITLES[self.stat]}{self.alpha_title}"

    @property
    def alpha_title(self) -> str:
        return f" (alpha {self.alpha:g})" if self.stat == "f" and self.alpha != 0.5 else ""

    @property
    def counted_title(self) -> str:
        return self.name.upper()

    def title_details(self) -> list[str]:
        """The stemmer goes without saying where it is the usual one of what is done with several references."""
        usual = self.usual()
        stem = {"max": "porter-nltk", "pooled": "porter-155"}.get(self.refs, usual["stem"])
        options = {k: v for k, v in self.changed().items() if k not in ("stat", "alpha", *_IN_WORDS)}
        if self.alpha != 0.5 and self.stat != "f":
            options["alpha"] = self.alpha
        details = []
        if self.limit != "none":
            unit = "bytes" if self.limit.endswith("b") else "words"
            details.append(f"first {int(self.limit[:-1]):,} {unit}")
        if self.refs != usual["refs"]:
            details.append(REFS_TITLES[self.refs])
        if self.stem != stem:
            details.append("not stemmed" if self.stem == "none" else f"stemmer {self.stem}")
        if self.stop != "none":
            details.append(f"without stop words ({self.stop})")
        if self.words != "rouge":
            details.append(f"{self.words} words")
        return [*details, *(f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in options.items())]

    def preparation_words(self) -> list[str]:
        cut = "texts are not cut"
        if self.limit != "none":
            unit = "bytes" if self.limit.endswith("b") else "words"
            cut = f"texts and references are cut to their first {int(self.limit[:-1]):,} {unit}"
        return [
            WORD_RULE_WORDS[self.words],
            stemmer_words(self.stem),
            "no stop words are left out" if self.stop == "none" else f"stop words ({self.stop}) are left out",
            cut,
            REFS_WORDS[self.refs],
        ]

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        """A word rule that was made for another script gives 0 by accident, not by merit."""
        rule = WORD_RULES[self.words]
        texts = [
            s.text for batch in batches for s in (*batch.peers, *batch.references) if not s.text.isascii()
        ]
        lost = sum(share_kept(text, rule(text)) < LEAST_KEPT for text in texts)
        if not lost:
            return []
        other = "characters" if self.words == "unicode" else "unicode or words=characters"
        texts_lose = counted(lost, "text loses", "texts lose")
        return [f"{texts_lose} most of the letters under words={self.words}: try words={other}"]

    def prepared(self, batch: TopicBatch, summary: Summary) -> PreparedText:
        """The summary's words; made once for all measures that prepare texts alike."""
        return batch.once(
            ("rouge", summary.key, *self.alike),
            lambda: self.preparation(split_text(summary.text, self.lines, batch.language)),
        )

    @property
    def lines(self) -> str:
        """What counts as a sentence: a line, or what the sentence rules find."""
        return "lines"

    @property
    def alike(self) -> tuple[str, ...]:
        """Measures that agree in this make the same words of a text."""
        return (self.words, self.stem, self.stop, self.limit, self.lines)

    @property
    def preparation(self) -> Preparation:
        size = 0 if self.limit == "none" else int(self.limit[:-1])
        limit = Limit(bytes=size) if self.limit.endswith("b") else Limit(words=size)
        return preparation(self.words, self.stem, self.stop, limit)

    @property
    def ratios(self) -> Ratios:
        return Ratios(stat=self.stat, alpha=self.alpha, refs=self.refs, digits=self.RANKED)

    def counts(self, peer: PreparedText, reference: PreparedText) -> RougeCounts:
        """One peer against one reference, in plain steps."""
        raise TypeError(f"{type(self).__name__} does not say what it counts")

    def all_counts(self, texts: RougePairs, peers: Numbers, references: Numbers) -> CountColumns:
        """The same of many pairs at once, as three arrays: hits, the peers' sides, the references'."""
        raise TypeError(f"{type(self).__name__} does not say what it counts")

    @property
    def scores_units(self) -> bool:
        """Recall alone: a whole summary cannot be precise about one unit."""
        return self.stat == "recall"

    def match_unit(self, batch: TopicBatch, peer: Summary, unit: Unit) -> UnitMatch:
        """Recall of the unit, as if it were the only reference. A unit without anything to count has none."""
        reference = self.preparation(split_text(unit.text, self.lines, batch.language))
        counts = self.counts(self.prepared(batch, peer), reference)
        value = self.ratios.ratio(counts) if counts.reference else math.nan
        return UnitMatch(value, *self.hit_spans(batch, peer, unit))

    def hit_spans(self, batch: TopicBatch, peer: Summary, unit: Unit) -> tuple[Spans | None, Spans | None]:
        """The words of the unit and of the peer that hit; None where they cannot be told one by one."""
        return None, None

    def occurrences(self, words: Sequence[str]) -> list[tuple[Hashable, tuple[int, ...]]] | None:
        """Everything that it counts in a text, each time it occurs, with the places of its words; None where what
        it counts cannot be told one by one (L, W)."""
        return None

    def placed(self, batch: TopicBatch, text: Summary) -> list[tuple[str, tuple[int, int]]]:
        """The words of a text as they are counted, up to a limit, with their places in the text."""
        words = self.prepared(batch, text).words
        spans = (span for _, span in self.preparation.placed(text.text))
        return list(zip(words, spans, strict=False))

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        from adjudge.measures.rouge.scoring import score_together

        yield from score_together([self], [batch])

    @classmethod
    def score_many(cls, measures: Sequence[Measure], batches: Sequence[TopicBatch]) -> Iterator[Score]:
        from adjudge.measures.rouge.scoring import score_together

        return score_together([m for m in measures if isinstance(m, Rouge)], batches)

    def score_with_references(
        self, batches: Sequence[TopicBatch], choices: Iterable[Writers]
    ) -> Iterator[Sequence[float]]:
        """Every peer is counted against every reference once."""
        from adjudge.measures.rouge.scoring import score_choices

        return score_choices(self, batches, choices)

    @property
    def shares_references(self) -> bool:
        return True


@dataclass(frozen=True)
class RougeOfTwoHabits(Rouge):
    """ROUGE-N, L and Lsum: rouge-score's under the bare name, ROUGE-1.5.5's under its name with `-recall`."""

    stat: str = "f"
    stem: str = "porter-nltk"
    refs: str = "max"

    NAMED = ("stat",)
    RECALL: ClassVar[dict[str, Any]] = {"stat": "recall", "stem": "porter-155", "refs": "pooled"}

    @property
    def base_name(self) -> str:
        raise TypeError(f"{type(self).__name__} does not say what it is called")

    @property
    def name(self) -> str:
        return f"{self.base_name}-recall" if self.stat == "recall" else self.base_name

    def usual(self) -> dict[str, Any]:
        return super().usual() | (self.RECALL if self.stat == "recall" else {})

    @property
    def counted_title(self) -> str:
        return self.base_name.upper()

    @property
    def title_name(self) -> str:
        """`ROUGE-2` of F, which is what the field reports."""
        return f"{self.counted_title}{self.alpha_title}" if self.stat == "f" else super().title_name


@dataclass(frozen=True)
class RougeN(RougeOfTwoHabits):
    """Runs of n words, across sentences, each as often as both texts have it (Lin 2004, section 2)."""

    n: int = 1

    ABOUT = "n-gram overlap with the references"
    FIXED = ("n",)

    @property
    def base_name(self) -> str:
        return f"rouge-{self.n}"

    def counts(self, peer: PreparedText, reference: PreparedText) -> RougeCounts:
        return rouge_n(peer.words, reference.words, self.n)

    def all_counts(self, texts: RougePairs, peers: Numbers, references: Numbers) -> CountColumns:
        hits, sizes = texts.n_gram_hits(self.n)
        return hits, sizes[peers], sizes[references]

    def occurrences(self, words: Sequence[str]) -> list[tuple[Hashable, tuple[int, ...]]]:
        places = (tuple(range(at, at + self.n)) for at in range(len(words) - self.n + 1))
        return [(tuple(words[k] for k in place), place) for place in places]

    def hit_spans(self, batch: TopicBatch, peer: Summary, unit: Unit) -> tuple[Spans | None, Spans | None]:
        ours = self.preparation.placed(unit.text)
        theirs = batch.once(
            ("rouge", "placed", peer.key, *self.alike), lambda: self.preparation.placed(peer.text)
        )
        kept = theirs[: len(self.prepared(batch, peer).words)]  # what a limit cut off was not looked at
        return shared_spans(ours, kept, self.n), shared_spans(kept, ours, self.n)


@dataclass(frozen=True)
class RougeS(Rouge):
    """Pairs of words in their order with at most so many words between them, any number for * (Lin 2004, section 5).

    SU counts single words too, all but the last of a text, as the original does.
    """

    skip: int = 4
    unigrams: bool = False

    PLAIN_COST = 0.0005

    ABOUT = "overlap of word pairs with gaps (S), with single words too (SU)"
    FIXED = ("skip", "unigrams")

    @property
    def name(self) -> str:
        return f"rouge-s{'u' * self.unigrams}{'*' if self.skip < 0 else self.skip}"

    def counts(self, peer: PreparedText, reference: PreparedText) -> RougeCounts:
        return rouge_s(peer.words, reference.words, self.skip, self.unigrams)

    def all_counts(self, texts: RougePairs, peers: Numbers, references: Numbers) -> CountColumns:
        hits, sizes = texts.skip_hits(self.skip, self.unigrams)
        return hits, sizes[peers], sizes[references]

    def occurrences(self, words: Sequence[str]) -> list[tuple[Hashable, tuple[int, ...]]]:
        last = len(words) - 1
        reach = last if self.skip < 0 else self.skip + 1
        grams: list[tuple[Hashable, tuple[int, ...]]] = [
            ((words[i], words[j]), (i, j))
            for i in range(last)
            for j in range(i + 1, min(i + reach, last) + 1)
        ]
        if self.unigrams:
            grams += [(words[i], (i,)) for i in range(last)]
        return grams


@dataclass(frozen=True)
class RougeL(RougeOfTwoHabits):
    """`level=sentence` is the LCS of the texts as wholes, as rouge-score's rougeL; `level=summary` the union of every
    reference sentence's LCS with the peer's sentences, as in ROUGE-1.5.5."""

    level: str = "sentence"
    split: str = "sentences"

    PLAIN_COST = 0.005
    RANKED = None

    ABOUT = "longest common subsequence with the references"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        **Rouge.OPTIONS,
        "level": ("summary", "sentence"),
        "split": SPLITS,
    }
    RECALL: ClassVar[dict[str, Any]] = {**RougeOfTwoHabits.RECALL, "level": "summary"}

    @property
    def lines(self) -> str:
        return self.split if self.level == "summary" else "lines"

    @property
    def base_name(self) -> str:
        return "rouge-l"

    def counts(self, peer: PreparedText, reference: PreparedText) -> RougeCounts:
        if self.level == "sentence":
            return rouge_l_sentence(peer.words, reference.words)
        return rouge_l(peer.sentences, reference.sentences, peer.words, reference.words)

    def all_counts(self, texts: RougePairs, peers: Numbers, references: Numbers) -> CountColumns:
        sizes = texts.lengths
        if self.level == "sentence":
            return texts.sentence_hits(), sizes[peers], sizes[references]
        hits, bases = texts.union_hits()
        return hits, sizes[peers], bases[references]


@dataclass(frozen=True)
class RougeLines(RougeL):
    """rouge-score's rougeLsum: ROUGE-L by summary, a line being a sentence unless sentences are split by rule."""

    level: str = "summary"
    split: str = "lines"

    ABOUT = "ROUGE-L with a line as a sentence, as rouge-score's rougeLsum"
    FIXED = ("level",)

    def signed_options(self) -> dict[str, Any]:
        """Lines go without saying."""
        return {k: v for k, v in super().signed_options().items() if (k, v) != ("split", "lines")}

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        warnings = super().warnings(batches)
        if self.lines == "lines" and not any(
            "\n" in s.text.strip() for batch in batches for s in (*batch.peers, *batch.references)
        ):
            warnings.append(ONE_SENTENCE)
        return warnings

    @property
    def base_name(self) -> str:
        return "rouge-lsum"

    @property
    def counted_title(self) -> str:
        return "ROUGE-Lsum"


@dataclass(frozen=True)
class RougeW(Rouge):
    """Runs of k consecutive hits count k**weight, so that words in a row are worth more than words apart."""

    weight: float = 1.2
    split: str = "sentences"

    PLAIN_COST = 0.005

    ABOUT = "longest common subsequence that favours words in a row"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {**Rouge.OPTIONS, "split": SPLITS}

    @property
    def lines(self) -> str:
        return self.split

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.weight <= 10:
            raise UsageError(f"rouge-w: weight={self.weight:g}; expected a number from 1 to 10")

    @property
    def name(self) -> str:
        return "rouge-w"

    @property
    def ratios(self) -> Ratios:
        return Ratios(stat=self.stat, alpha=self.alpha, refs=self.refs, weight=self.weight)

    def counts(self, peer: PreparedText, reference: PreparedText) -> RougeCounts:
        return rouge_w(peer.sentences, reference.sentences, peer.words, reference.words, self.weight)

    def all_counts(self, texts: RougePairs, peers: Numbers, references: Numbers) -> CountColumns:
        hits, bases = texts.union_hits(self.weight)
        return hits, texts.powers(self.weight)[peers], bases[references]


def with_split_sentences(measures: Iterable[Measure]) -> list[Measure]:
    """The same measures; ROUGE-Lsum finds sentences by rule."""
    return list(
        dict.fromkeys(replace(m, split="sentences") if isinstance(m, RougeLines) else m for m in measures)
    )


# By name: `adjudge.rouge` looks its measures up here, without loading the others


ROUGE_NAMES: dict[str, Make] = {
    **{f"rouge-{n}": partial(RougeN, n=n) for n in range(1, 10)},
    **{f"rouge-{n}-recall": partial(RougeN, n=n, **RougeN.RECALL) for n in range(1, 10)},
    "rouge-l": RougeL,
    "rouge-l-recall": partial(RougeL, **RougeL.RECALL),
    "rouge-lsum": RougeLines,
    "rouge-lsum-recall": partial(RougeLines, **RougeLines.RECALL),
    "rouge-w": RougeW,
    "rouge-s4": partial(RougeS, skip=4),
    "rouge-su4": partial(RougeS, skip=4, unigrams=True),
    "rouge-s*": partial(RougeS, skip=-1),
    "rouge-su*": partial(RougeS, skip=-1, unigrams=True),
}
_ANY_SKIP = re.compile(r"rouge-s(u?)(\d{1,4})")
_OF_ROUGE_SCORE = re.compile(r"rouge([1-9]|l|lsum)")


def find_rouge(name: str) -> Make | None:
    """What makes the ROUGE of this name, where it is one; rouge-score's own names are names, too."""
    if match := _ANY_SKIP.fullmatch(name):
        return partial(RougeS, skip=int(match[2]), unigrams=bool(match[1]))
    return ROUGE_NAMES.get(
        _OF_ROUGE_SCORE.sub(r"rouge-\1", name) if _OF_ROUGE_SCORE.fullmatch(name) else name
    )


def parse_rouge(specs: Sequence[str]) -> list[Rouge] | None:
    """The measures of these specs, each once; None where one is not a ROUGE's."""
    split = [split_spec(spec) for spec in specs]
    makes = [find_rouge(name.lower()) for name, _ in split]
    if None in makes:
        return None
    built = (build(make, *spec) for make, spec in zip(makes, split, strict=True) if make)
    return cast(
        list[Rouge], list(dict.fromkeys(expanded for measure in built for expanded in measure.expanded()))
    )
