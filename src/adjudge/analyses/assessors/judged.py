"""One measure's judgments as arrays: who gave which value to what, and when, and how long it took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adjudge.analyses.scores import Scores
from adjudge.core.errors import UsageError
from adjudge.core.words import natural
from adjudge.judgments.tasks import PROGRAMS, Judged, is_anonymous
from adjudge.stats.dossiers import JudgedThings

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.judgments.batch import Judgments
    from adjudge.judgments.protocol import Protocol
    from adjudge.stats.checks import FloatArray

IDLE = 120.0
"""Seconds; a longer pause before an answer counts as that."""
THING = ["topic", "system", "length", "form", "reference"]
Unknown = Literal["scores-alone", "unread", "no-order", "no-time"]
"""Why the order of judging, or its times, are not known."""


@dataclass(frozen=True)
class JudgedMeasure:
    """One measure's judgments. Arrays but `again` have an entry per judgment, the first of each thing by each."""

    names: tuple[str, ...]
    judged: JudgedThings
    again: tuple[FloatArray, FloatArray]
    """Own answers to a thing that was judged before: how far apart, and whose."""
    order: FloatArray
    seconds: FloatArray
    words: FloatArray
    pages: bool
    """Whether what was judged is a page of a summary with a reference, and not a summary."""
    unnamed: int
    """Scores without an assessor."""
    anonymous: int
    valueless: int
    why_no_order: Unknown
    why_no_time: Unknown
    unread: str
    """Why the judgments could not be read, where they could not."""


def judged_measure(scores: Scores, measure: str, rows: pd.DataFrame) -> JudgedMeasure:
    """The judgments behind the rows of a measure."""
    import pandas as pd

    named = rows[rows["assessor"].notna()]
    nobody = named["assessor"].map(is_anonymous).astype(bool)
    empty = named["value"].isna() & ~nobody
    kept = named[~nobody & ~empty].sort_values([*THING, "assessor", "repeat"], kind="stable")
    if kept.empty:
        raise UsageError(f"{measure} has no scores by anybody in particular")
    names = tuple(sorted((str(name) for name in kept["assessor"].unique()), key=natural))
    thing = kept.groupby(THING, dropna=False, sort=False).ngroup().to_numpy()
    who = kept["assessor"].map({name: k for k, name in enumerate(names)}).to_numpy(dtype=np.int64)
    first = ~pd.DataFrame({"thing": thing, "who": who}).duplicated().to_numpy()
    values = kept["value"].to_numpy(dtype=float)
    firsts = {(int(i), int(a)): v for i, a, v in zip(thing[first], who[first], values[first], strict=True)}
    later = [
        (v - firsts[int(i), int(a)], a)
        for i, a, v in zip(thing[~first], who[~first], values[~first], strict=True)
    ]
    topic = pd.factorize(kept["topic"])[0]
    kinds = _kinds_judged(scores, measure)
    sittings, unread = _sittings(scores, kinds) if kinds else ({}, "")
    order, seconds, words = (np.full(int(first.sum()), np.nan) for _ in range(3))
    for k, row in enumerate(kept[first][[*THING, "assessor"]].itertuples(index=False)):
        key = tuple(None if pd.isna(cell) else cell for cell in row)
        order[k], seconds[k], words[k] = sittings.get(key, (math.nan, math.nan, math.nan))
    why: Unknown | None = "scores-alone" if not kinds else "unread" if unread else None
    return JudgedMeasure(
        names=names,
        judged=JudgedThings.of(values[first], thing[first], who[first], topic[first], len(names)),
        again=(np.array([d for d, _ in later], dtype=float), np.array([a for _, a in later], dtype=float)),
        order=order,
        seconds=seconds,
        words=words,
        pages=bool(kept["reference"].notna().any()),
        unnamed=len(rows) - len(named),
        anonymous=int(nobody.sum()),
        valueless=int(empty.sum()),
        why_no_order=why or "no-order",
        why_no_time=why or "no-time",
        unread=unread,
    )


Sitting = tuple[float, float, float]
"""When a judgment was made, how long it took, and how many words there were to read."""


def _sittings(
    scores: Scores, kinds: tuple[type[Protocol], ...]
) -> tuple[dict[tuple[Any, ...], Sitting], str]:
    """By what was judged and by whom; and why judgments could not be read."""
    from adjudge.data.collection import load
    from adjudge.data.folder import Folder
    from adjudge.judgments.batch import judgments_if_allowed

    assert scores.folder is not None
    folder = Folder.open(scores.folder)
    collection = load(folder)
    judgments = judgments_if_allowed(folder, collection)
    if judgments.unread:
        return {}, judgments.unread
    lengths = {(s.topic, s.system, s.length, s.form): len(s.text.split()) for s in collection.all_summaries()}
    tasks = _tasks(judgments, kinds)
    orders, seconds = _orders(tasks), _seconds(tasks)
    sittings: dict[tuple[Any, ...], Sitting] = {}
    for judged in tasks:
        task = judged.task
        assert task.peer is not None
        text = (task.topic, task.peer.system, task.peer.length, task.peer.form)
        by_reference = task.reference is not None and all(kind.BY_REFERENCE for kind in kinds)
        reference = task.reference.system if by_reference and task.reference is not None else None
        sittings.setdefault(
            (*text, reference, task.assessor),
            (
                orders.get(task.id, math.nan),
                seconds.get(task.id, math.nan),
                float(lengths.get(text, math.nan)),
            ),
        )
    return sittings, ""


def _kinds_judged(scores: Scores, measure: str) -> tuple[type[Protocol], ...]:
    """The kinds of the protocols whose tasks a measure's rows come from, one by one."""
    from adjudge.measures.judged.answers import JudgedMeasure
    from adjudge.measures.registry import parse_measure

    if not any(file.origin == "computed" and file.info.measure == measure for file in scores.files):
        return ()
    spec = parse_measure(measure)
    return spec.protocol_kinds if isinstance(spec, JudgedMeasure) else ()


def _tasks(judgments: Judgments, kinds: tuple[type[Protocol], ...]) -> list[Judged]:
    from adjudge.judgments.protocol import load_protocol

    return [
        judged
        for topic in judgments.by_topic.values()
        for judged in topic
        if judged.task.peer is not None
        and isinstance(
            judgments.protocols.get(judged.task.protocol) or load_protocol(judged.task.protocol), kinds
        )
    ]


def _orders(tasks: Sequence[Judged]) -> dict[str, float]:
    """When each task was done: by the time of its last answer; where times are not known, by the order of the plan."""
    from adjudge.analyses.preferences.measures import moment_of

    orders: dict[str, float] = {}
    by_person: dict[str, list[Judged]] = {}
    for judged in tasks:
        by_person.setdefault(judged.task.assessor, []).append(judged)
    for mine in by_person.values():
        times = {
            judged.task.id: max(
                (when.timestamp() for e in judged.answers.values() if (when := moment_of(e.answered_at))),
                default=math.nan,
            )
            for judged in mine
        }
        if not any(map(math.isnan, times.values())):
            orders |= times
            continue
        places = {judged.task.id: float(judged.task.position) for judged in mine}
        if len(set(places.values())) == len(places) > 1:
            orders |= places
    return orders


def _seconds(tasks: Sequence[Judged]) -> dict[str, float]:
    """What each task took a person: the sum of its answers' times, without pauses. Programs take none."""
    from adjudge.analyses.preferences.measures import with_seconds

    events = [e for judged in tasks for e in judged.answers.values() if e.origin not in PROGRAMS]
    total: dict[str, float] = {}
    unknown: set[str] = set()
    for event, seconds in with_seconds(events):
        if seconds is None or seconds < 0:
            unknown.add(event.task)
        else:
            total[event.task] = total.get(event.task, 0.0) + min(seconds, IDLE)
    return {task: taken for task, taken in total.items() if task not in unknown and taken > 0}
