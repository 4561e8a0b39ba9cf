"""SummEval's ratings as judgments. Reading its records lives in formats/summeval.py."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.data.incoming import LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import Summary
from adjudge.data.scores import MeasureInfo, Score
from adjudge.errors import DataError
from adjudge.formats import summeval
from adjudge.formats.answers import STRANGE_ANSWER, Answers, Judgment, protocol_of_kind, whole
from adjudge.formats.files import Paths
from adjudge.judgments.intake import Item
from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import CROWD, TextRef, text_hash

PROTOCOL = "rating"
NO_ASPECT = LeftOut("rating on an aspect that the protocol does not have")


def read(
    paths: Paths,
    *,
    evaluation: str,
    protocol: str = PROTOCOL,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Texts, tasks and ratings of SummEval files, or of every JSONL file in a folder.

    An expert is a position in the list: expert-1, expert-2, ... Crowd workers change from line to line, so their
    positions are repeats of one assessor who is nobody (`crowd-anonymous`): there are no statistics about them.
    """
    answers = Answers(evaluation, protocol_of_kind(protocol, "rating"))
    peer: Summary | None = None
    for place, thing in summeval.read(paths, max_line=max_line, encoding=encoding):
        if isinstance(thing, Score):  # the ratings of a record come right after its texts
            yield from _rated(place, thing, answers, peer)
        elif not isinstance(thing, MeasureInfo):
            if isinstance(thing, Summary) and thing.is_peer:
                peer = thing
            yield place, thing


def _rated(where: str, score: Score, answers: Answers, peer: Summary | None) -> Iterator[Item]:
    question = f"{RATING}{score.measure.partition(':')[2]}"
    if question not in (each.id for each in answers.protocol.questions):
        yield where, NO_ASPECT
        return
    answer = {"value": whole(score.value)}
    try:
        answers.protocol.check(question, answer)
    except DataError:
        yield where, STRANGE_ANSWER
        return
    same = peer is not None and (peer.topic, peer.system) == (score.topic, score.system)
    hashes = {"peer": text_hash(peer.text)} if same and peer is not None else {}
    judgment = Judgment(
        score.assessor or CROWD, score.topic, TextRef(score.system), hashes=hashes, time=score.repeat
    )
    yield from answers.items(where, judgment, {question: answer})
