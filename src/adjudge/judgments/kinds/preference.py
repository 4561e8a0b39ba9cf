"""Preferences: which of two sentences, or of two summaries, is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

from adjudge.core.errors import DataError, quoted_json
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.judging_page import JudgingPage
from adjudge.judgments.kinds.base import (
    Choice,
    Given,
    KnownTruth,
    Prompt,
    PromptTexts,
    Protocol,
    ProtocolFile,
    Seat,
    TaskUnits,
    running_text,
)
from adjudge.judgments.tasks import Task

PREFERENCE = "preference"
SIDES = (Choice("left", "text A"), Choice("right", "text B"))
TIE = Choice("tie", "neither is better than the other")
NEAR = 0.05
"""To a simulated assessor, sides that seem to differ by less are a tie, where a protocol has ties."""


@dataclass(frozen=True, repr=False)
class PreferenceProtocol(Protocol):
    KIND = "preference"
    KEYS = ("of", "tie", "skip", "preference")
    VALUES: ClassVar[Mapping[str, str]] = {PREFERENCE: "winner"}
    LABEL = "Pair"
    PLACES = ("left", "right")

    @property
    def measures(self) -> tuple[str, ...]:
        return ("preference",) if self.of == "sentences" else ("wins",)

    @classmethod
    def parse(cls, file: ProtocolFile, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "of": file.one_of("of", data.get("of"), ("sentences", "summaries")),
            "tie": file.flag("tie", data.get("tie", False)),
            "skip": file.flag("skip", data.get("skip", False)),
            "ask": file.text("preference.ask", file.table("preference", data.get("preference")).get("ask")),
        }

    @property
    def compares(self) -> Literal["sentences", "summaries"] | None:
        return self.of

    @property
    def of_whole_summaries(self) -> bool:
        return self.of == "summaries"

    def why_not_assigned(self) -> str | None:
        if self.of == "summaries":
            return None
        return (
            f"{self.name} compares sentences: their pairs come from `adjudge prefer sample`,"
            " and from the sampler while people judge"
        )

    def pages(
        self, topic: str, peers: Sequence[Summary], references: Sequence[Summary], units: Sequence[Unit]
    ) -> Iterator[JudgingPage]:
        """Every two peers of one length and form."""
        for number, pair in enumerate(combinations(peers, 2)):
            if pair[0].target == pair[1].target:
                yield JudgingPage(topic, peers=pair, models=tuple(references), number=number)

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        yield PREFERENCE

    def check_answer(self, question: str, answer: Mapping[str, Any], units: TaskUnits) -> None:
        if question != PREFERENCE:
            self.question(question)  # which it does not have
        winners = ("left", "right", *("tie",) * self.tie, *("skip",) * self.skip)
        if answer.get("winner") not in winners:
            raise DataError(
                f"preference: {quoted_json(answer.get('winner'))} won, expected one of: {', '.join(winners)}"
            )

    def simulated(self, seat: Seat, task: Task, truth: KnownTruth) -> Iterator[Given]:
        """The side that seems better. Bias and drift favour the left; each side is seen with noise of its own."""
        ahead = seat.ahead(truth.worth_of(task, task.left), truth.worth_of(task, task.right))
        winners = ["left", "right", "tie"] if self.tie else ["left", "right"]
        if self.tie and abs(ahead) < NEAR:
            chosen = 2
        else:
            chosen = 0 if ahead > 0 or (ahead == 0 and seat.coin()) else 1
        yield PREFERENCE, {"winner": winners[seat.slip(chosen, len(winners))]}

    def prompts(self, task: Task, texts: PromptTexts, planted: Mapping[str, str]) -> Iterator[Prompt]:
        """The texts are A and B."""
        sides = {
            role: running_text(planted[role]) if role in planted else texts.side(task, role)
            for role in ("left", "right")
        }
        choices = (*SIDES, TIE) if self.tie else SIDES
        words = ("A", "B", "tie")[: len(choices)]
        yield Prompt(PREFERENCE, self.ask, sides, choices, answer_field="winner", words=words)
