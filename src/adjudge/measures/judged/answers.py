"""A topic's judgments as measures see them: who judged which peer against which reference, unit by unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.coverage import SUMMED, CoverageProtocol
from adjudge.judgments.protocol import UNIT, Protocol, load_protocol
from adjudge.judgments.tasks import Judged, TextRef
from adjudge.measures.base import Measure

PEOPLE = "people"


@dataclass(frozen=True)
class JudgedMeasure(Measure):
    """What measures of judgments share: whose judgments count.

    by   people: everybody but programs that judge; or the name of one judge
    """

    by: str = field(default=PEOPLE, kw_only=True)

    PROTOCOLS: ClassVar[tuple[type[Protocol], ...]] = ()
    """The kinds of protocols whose tasks its rows come from, one by one."""

    @property
    def protocol_kinds(self) -> tuple[type[Protocol], ...]:
        return self.PROTOCOLS

    def seen(self, batch: TopicBatch) -> TopicBatch:
        return batch if self.by == PEOPLE else batch.judged_by(self.by)

    def options(self) -> dict[str, Any]:
        """Whose judgments count comes last."""
        options = super().options()
        return {option: options[option] for option in (*(name for name in options if name != "by"), "by")}

    def signed_options(self) -> dict[str, Any]:
        """People are not named: nothing else was counted before there were judges."""
        options = super().signed_options()
        return {option: value for option, value in options.items() if (option, value) != ("by", PEOPLE)}

    @property
    def named_judge(self) -> dict[str, str]:
        """The option, where it is not as usual."""
        return {} if self.by == PEOPLE else {"by": self.by}

    @property
    def title(self) -> str:
        return ", ".join([super().title, *(f"by {name}" for name in self.named_judge.values())])

    def title_of_one_reference(self) -> str:
        title = super().title_of_one_reference()
        return ", ".join([title, *(f"by {name}" for name in self.named_judge.values())])

    def title_details(self) -> list[str]:
        return [words for words in super().title_details() if words != f"by {self.by}"]

    def explanation(self) -> str:
        by = "by   people: everybody but programs that judge; or the name of one judge"
        return f"{super().explanation()}\n\n{by}"


@dataclass(frozen=True)
class JudgedPage:
    """One assessor's judgment of one peer's coverage of one reference."""

    judged: Judged
    repeat: int
    completeness: tuple[float, ...]
    """Of every model unit that was judged, in the order of the reference."""
    open: int
    """Model units that were not judged yet."""
    marked: frozenset[str]
    peer_units: int | None
    summed: Mapping[str, Any]

    def why(self) -> str | None:
        """Why nothing can be said of coverage, if so."""
        if self.completeness and self.open:
            total = len(self.completeness) + self.open
            return f"{self.open} of {total} model units are not judged yet"
        if not self.completeness and not self.summed:
            return "no model unit is judged yet" if self.open else "the reference has no units"
        return None


def judged_peers(
    batch: TopicBatch, kind: type[Protocol], *, question: str | None = None
) -> Iterator[tuple[Judged, Summary | None, int]]:
    """The tasks of protocols of a kind, with the peer and which repeat it is; of a question, those that answer it.

    Another protocol's judgment of the same peer by the same assessor is a repeat too: a score does not say under
    which protocol it came about.
    """
    peers = {TextRef.of(peer): peer for peer in batch.peers}
    seen: Counter[tuple[Any, ...]] = Counter()
    for judged in batch.judgments:
        task = judged.task
        if task.peer is None or not isinstance(protocol_of(batch, task.protocol), kind):
            continue
        if question is not None and question not in judged.answers:
            continue
        key = (task.assessor, task.peer, task.reference)
        repeat = seen[key]
        seen[key] += 1
        yield judged, peers.get(task.peer), repeat


def pages(batch: TopicBatch) -> list[JudgedPage]:
    """Every coverage page of a topic."""
    return batch.once(
        "judged/pages",
        lambda: [_page(batch, judged, repeat) for judged, _, repeat in judged_peers(batch, CoverageProtocol)],
    )


def protocol_of(batch: TopicBatch, name: str) -> Protocol:
    """A protocol by name; those of one's own come with the batch."""
    return batch.protocols.get(name) or load_protocol(name)


def _page(batch: TopicBatch, judged: Judged, repeat: int) -> JudgedPage:
    task = judged.task
    protocol = protocol_of(batch, task.protocol)
    assert task.peer is not None
    answers = {
        question.removeprefix(UNIT): event.answer
        for question, event in judged.answers.items()
        if question.startswith(UNIT)
    }
    unit_ids = (
        [unit.id for unit in batch.units_of(task.reference, protocol.model_units)]
        if task.reference is not None
        else []
    )
    order = unit_ids or list(answers)
    answered = [answers[unit] for unit in order if unit in answers]
    summed = judged.answers.get(SUMMED)
    peer_units = batch.units_of(task.peer, protocol.peer_units)
    return JudgedPage(
        judged=judged,
        repeat=repeat,
        completeness=tuple(float(answer["completeness"]) for answer in answered),
        open=len(order) - len(answered),
        marked=frozenset(unit for answer in answered for unit in answer["marked"]),
        peer_units=len(peer_units) or None,
        summed=summed.answer if summed is not None else {},
    )


def given_value(answer: Mapping[str, Any]) -> Any:
    """What a question was answered with; of a language model, the mean over its probabilities, where it has one."""
    return answer.get("weighted", answer["value"])


def score_row(measure: Measure, judged: Judged, repeat: int, value: float, why: str | None = None) -> Score:
    """A row at the finest grain: topic, system, length, form, reference, assessor, repeat."""
    task = judged.task
    assert task.peer is not None
    return Score(
        str(measure),
        task.topic,
        task.peer.system,
        value,
        length=task.peer.length,
        form=task.peer.form,
        assessor=task.assessor,
        reference=task.reference.system if task.reference is not None else None,
        repeat=repeat,
        why=why,
    )
