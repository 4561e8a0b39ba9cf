"""Summaries scored by preferences between their sources' sentences (Zopf 2018). preference_strengths.py has the steps.

NumPy is loaded when a topic is scored, since lists of measures must start quickly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from adjudge.core.errors import UsageError
from adjudge.core.words import counted
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Need
from adjudge.measures.judged.answers import JudgedMeasure
from adjudge.text.similarity import (
    DEFAULT,
    SIMILARITIES,
    check_similarity,
    similarity_name,
    similarity_signature,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.measures.judged.preference_strengths import Penalty, Recipe, Source, Ties

    FloatArray = npt.NDArray[np.float64]

ZOPF = "Zopf 2018, Estimating Summary Quality with Pairwise Preferences"
SOURCES = ("man", "ref", "py", "man+ref", "man+py", "man+ref+py")
ADDED, ALONE = 200, 1000
"""How many pairs are simulated for each kind: beside people's answers, and without them (Zopf 2018, section 5)."""


SCALE = 0.1
"""What `regularise=auto` takes: bradley_terry.REGULARISER, not imported since that loads NumPy."""


@dataclass(frozen=True)
class Preference(JudgedMeasure):
    """What a summary's sentences are worth, by preferences between sentences of its sources: each counts as much as the
    source's sentence that it is nearest to, by its share of the summary's characters (equation 4).

    Strengths have the mean 1, so a summary of average sentences has 1. A sentence like none of the sources' adds
    nothing.

    source       man: people's answers; ref: simulated from references (equation 6); py: simulated from pyramid
                 annotations (equations 7 and 8); or several of them
    similarity   of sentences: tfidf-jaccard, tfidf, jaccard, embedding, or one that a package adds
    smooth       false: an answer says nothing of similar sentences
    penalty      for saying things twice (equation 5): sentence, printed (as the paper prints it) or none
    ties         simulated answers where both are worth the same: half a win each, or a win of the second (paper)
    asked        how many of people's answers to draw: all, or a number
    simulated    how many pairs to simulate for ref and py each: paper (200 beside people's answers, 1000 without), a
                 number, or all pairs
    seed         of what is drawn
    regularise   how often every sentence wins and loses against one of strength 1: auto does so only where the answers
                 leave strengths open; or a number
    crowd        true: people's answers count as far as each assessor is to be believed, which is found together with
                 the strengths, topic by topic (Crowd-BT, Chen et al. 2013)
    """

    source: str = "man"
    similarity: str = DEFAULT
    smooth: bool = True
    penalty: str = "sentence"
    ties: str = "half"
    asked: str = "all"
    simulated: str = "paper"
    seed: int = 0
    regularise: str = "auto"
    crowd: bool = False

    FAMILY = "preference"
    TITLE = "preference strength"
    ABOUT = "strength of the sources' sentences that a summary's are like, from pairwise preferences"
    CITATION = ZOPF
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "source": SOURCES,
        "penalty": ("sentence", "printed", "none"),
        "ties": ("half", "paper"),
    }
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "similarity": SIMILARITIES,
        "asked": ("all", "200"),
        "simulated": ("paper", "500", "all"),
        "regularise": ("auto", "0.1"),
    }
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)

    def __post_init__(self) -> None:
        if self.similarity not in SIMILARITIES:
            similarity_name(self.similarity)
        for option, other in (("asked", "all"), ("simulated", "paper")):
            words = (other, "all")
            written = getattr(self, option)
            if written not in words and not (written.isdecimal() and str(int(written)) == written != "0"):
                raise UsageError(
                    f"{self.name}: {option}={written}; expected {' or '.join(dict.fromkeys(words))}, or a number from 1"
                )
        if self.seed < 0:
            raise UsageError(f"{self.name}: seed={self.seed}; expected a number, 0 or more")
        if self.regularise != "auto":
            try:
                value = float(self.regularise)
            except ValueError:
                value = -1.0
            if not 0 <= value < float("inf"):
                raise UsageError(
                    f"{self.name}: regularise={self.regularise}; expected auto or a number, 0 or more"
                )
        if self.crowd and "man" not in self.parts:
            raise UsageError(
                f"{self.name}: crowd=true says something of people's answers alone; add them: source=man"
            )

    @property
    def parts(self) -> tuple[Source, ...]:
        return cast("tuple[Source, ...]", tuple(self.source.split("+")))

    @property
    def needs(self) -> frozenset[Need]:  # type: ignore[override]
        """Documents always; judgments of people's answers and of pyramids; references where they are looked at."""
        needs: set[Need] = {"documents"}
        if "ref" in self.parts:
            needs.add("references")
        if self.parts != ("ref",):
            needs.add("judgments")
        return frozenset(needs)

    def check_installed(self) -> None:
        check_similarity(self.similarity)

    def recipe(self) -> Recipe:
        """The options as the fit takes them."""
        from adjudge.measures.judged.preference_strengths import ALL, Recipe

        simulates = self.parts != ("man",)
        paper = ADDED if "man" in self.parts else ALONE
        numbers = {"all": ALL, "paper": paper}
        return Recipe(
            parts=self.parts,
            similarity=self.similarity,
            smooth=self.smooth,
            ties=cast("Ties", self.ties) if simulates else "half",
            asked=numbers[self.asked] if self.asked in numbers else int(self.asked),
            simulated=(numbers.get(self.simulated) or int(self.simulated)) if simulates else 0,
            seed=self.seed,
            regularise=None if self.regularise == "auto" else float(self.regularise),
            crowd=self.crowd,
        )

    def signed_options(self) -> dict[str, Any]:
        """Only what makes a difference to what the source says; the paper's numbers as numbers."""
        options = {name: value for name, value in super().signed_options().items() if name != "similarity"}
        asks, simulates = "man" in self.parts, self.parts != ("man",)
        if not asks:
            del options["asked"], options["crowd"]
        if not simulates:
            del options["ties"], options["simulated"]
        elif self.simulated == "paper":
            options["simulated"] = ADDED if asks else ALONE
        drawn = (asks and self.asked != "all") or (simulates and self.simulated != "all")
        if not drawn and not (
            simulates and self.ties == "paper"
        ):  # which of a pair is the second is drawn too
            del options["seed"]
        if self.regularise == "auto":
            options["regularise"] = f"auto:{SCALE:g}"
        return options

    def signature(self, references: str = "") -> str:
        about, _, ours = super().signature(references).rpartition("|")
        return f"{about}|{similarity_signature(self.similarity)}|{ours}"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        """A row per peer. Nobody is compared with their own words: writers of references have a fit of their own."""
        from adjudge.measures.judged.preference_strengths import strengths_of, writers

        recipe = self.recipe()
        authors = writers(batch, recipe.parts)
        for number, peer in enumerate(batch.peers):
            strengths = strengths_of(batch, recipe, without=peer.system if peer.system in authors else None)
            if isinstance(strengths, str):
                yield self.missing(batch, peer, strengths)
                continue
            from adjudge.judgments.pairs.sides import topic_sentences
            from adjudge.measures.judged.preference_strengths import similarity_of, summary_weights

            weights = (
                batch.once(
                    ("preference/weights", self.similarity, self.penalty),
                    lambda: summary_weights(
                        [peer.text for peer in batch.peers],
                        [sentence.text for sentence in topic_sentences(batch)],
                        similarity_of(batch, self.similarity),
                        penalty=cast("Penalty", self.penalty),
                        language=batch.language,
                    ),
                )
            )[number]
            if math.isnan(weights[0]):
                yield self.missing(batch, peer, "the summary is empty")
            else:
                yield self.row(batch, peer, float(weights @ strengths.scaled("mean")))

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        if "man" not in self.parts:
            return []
        from adjudge.judgments.pairs.answers import human_answers

        left: Counter[str] = Counter()
        for batch in batches:
            left.update(human_answers(batch).left_out)
        if not left:
            return []
        reasons = ", ".join(f"{count:,} {why}" for why, count in left.items())
        return [f"{counted(left.total(), 'preference')} between sentences left out: {reasons}"]
