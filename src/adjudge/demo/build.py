"""The demo as an evaluation folder: texts written for it, and systems that are simulated and say so."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

from adjudge.core.errors import DataError
from adjudge.data.baselines import LABELS, make
from adjudge.data.folder import Folder
from adjudge.data.incoming import ImportReport, Item, take_all
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.target import Target
from adjudge.demo.extract import centroid, fragments, garbled, greedy_best, leading, random_extract

NAME = "Adjudge demo: twelve invented news stories"
FULL_NAME = "Adjudge demo: fourteen invented news stories, at four lengths"
LENGTH = 100
FORM = "abstract"
"""What summaries of the full demo were asked for, as at DUC-2002, whichever way they were made."""
SHORTEST = 10
"""Whole sentences are longer: extractors work on the beginnings of sentences there."""
WRITERS = ("ada", "ben", "chloe", "dev")
PEERS_TOO = ("ada", "ben")  # writers who are compared with the other three
AUTHOR = "ada"  # of the references of 200, 50 and 10 words
EXTRACTOR = "chloe"  # who chose the sentences of the reference extracts
DOES_BOTH = "fluent"  # the system that writes extracts as well as abstracts
STOP_EARLY = {50: ("fluent", "headlines", "vague"), 10: ("headlines",)}
"""Written systems that obey a shorter limit by saying less; others were written for it, or make no such summaries."""
EXTRACT = "extract"

Story = Mapping[str, Any]

SYSTEMS = (
    System("ada", kind="human", label="Ada", group="humans"),
    System("ben", kind="human", label="Ben", group="humans"),
    System("chloe", kind="human", label="Chloe", group="humans"),
    System("dev", kind="human", label="Dev", group="humans"),
    System("greedy-best", kind="baseline", label="Greedy best extract"),
    System("random", kind="baseline", label="Random sentences"),
    System("centroid", kind="machine", label="Centroid extract"),
    System("garbled", kind="machine", label="Garbled (simulated)"),
    System("fluent", kind="machine", label="Fluent (simulated)"),
    System("headlines", kind="machine", label="Headlines (simulated)"),
    System("vague", kind="machine", label="Vague (simulated)"),
)


BASELINES = tuple(System(name, kind="baseline", label=label) for name, label in LABELS.items())
"""In the full demo from the start, so that assessors judge them too; elsewhere `adjudge baselines` adds them."""

COSTS: Mapping[str, Mapping[str, Any]] = {
    "lead": {"cost": 0.01, "latency": 0.001},
    "coverage": {"cost": 0.01, "latency": 0.001},
    "random": {"cost": 0.01, "latency": 0.001},
    "greedy-best": {"cost": 0.05, "latency": 0.2},
    "centroid": {"cost": 0.04, "latency": 0.05},
    "garbled": {"cost": 0.04, "latency": 0.05},
    "headlines": {"cost": 0.9, "latency": 0.6, "size": 0.4e9},
    "vague": {"cost": 1.5, "latency": 1.1, "size": 7e9},
    "fluent": {"cost": 14, "latency": 6.5, "size": 70e9},
}
"""What the full demo's systems state: invented, like the systems. People state nothing."""
CURRENCY = "EUR"


def stories(*, full: bool = False) -> list[dict[str, Any]]:
    """The topics as they were written, in order: document sets, and with `full` single documents too."""
    folder = resources.files("adjudge.demo") / "topics"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".json")), key=lambda f: f.name)
    all_stories = [json.loads(f.read_text(encoding="utf-8")) for f in files]
    return [story for story in all_stories if full or story["task"] == "multi"]


def build(path: str | Path, *, seed: int = 1, full: bool = False) -> ImportReport:
    """Make the demo's folder; with `full`, all that was written for it."""
    folder = Folder.init(path, name=FULL_NAME if full else NAME)
    return take_all(folder, items(seed, full=full))


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Where to make a folder, which gets its name when it is complete: somebody who is stopped leaves none.

    A folder that is there and not empty is filled where it is.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        yield path
        return
    scratch = path.with_name(f".adjudge-{os.getpid()}.part")
    new = [parent for parent in path.parents if not parent.exists()]
    try:
        yield scratch
        scratch.replace(path)
    except BaseException as error:
        shutil.rmtree(scratch, ignore_errors=True)
        for parent in new:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise DataError(f"{path}: cannot be made: {error.strerror}") from error
        raise


def items(seed: int = 1, *, full: bool = False) -> Iterator[Item]:
    """Everything the demo holds, as items to import. The same seed gives the same texts."""
    for row in (*SYSTEMS, *BASELINES) if full else SYSTEMS:
        costs = COSTS.get(row.system) if full else None
        yield "demo", row if costs is None else replace(row, currency=CURRENCY, **costs)
    for story in stories(full=full):
        topic = story["topic"]
        yield topic, Topic.parse({k: story.get(k) for k in Topic.CHECKS})
        yield from ((topic, document) for document in documents(story))
        for target in targets(story, full=full):
            for system, text in texts(story, seed, target).items():
                # People write references; who is a peer too depends on the length, since
                # nobody is compared with herself.
                roles: tuple[str, ...] = ("peer",)
                if system in WRITERS and target.length == LENGTH:
                    roles = ("peer", "reference") if system in PEERS_TOO else ("reference",)
                elif system in (AUTHOR, EXTRACTOR):
                    roles = ("reference",)
                author = system if system in WRITERS else None
                yield topic, Summary(topic, system, text, target.length, roles, author, form=target.form)


def documents(story: Story) -> list[Document]:
    return [
        Document(story["topic"], document["id"], " ".join(document["text"]), document["date"])
        for document in story["documents"]
    ]


def targets(story: Story, *, full: bool = False) -> list[Target]:
    """What summaries of a story were asked for."""
    if not full:
        return [Target(LENGTH)]
    lengths = sorted([LENGTH, *map(int, story.get("lengths", ()))], reverse=True)
    extracts = [Target(int(length), EXTRACT) for length in story.get("extracts", ())]
    return [Target(length, FORM) for length in lengths] + extracts


def texts(story: Story, seed: int, target: Target = Target(LENGTH)) -> dict[str, str]:  # noqa: B008
    """Every system's summary of one story, of 100 words or as a target of the full demo says."""
    written = _written(story, target)
    limit = target.length or LENGTH
    if target.form == EXTRACT:
        made = {DOES_BOTH: _extracts(_source(story, limit), (written.pop(DOES_BOTH),), limit)[1]}
    else:
        source = _source(story, limit)
        middle, best = _extracts(
            source, tuple(text for who, text in written.items() if who in WRITERS), limit
        )
        stream = f"{seed}/{story['topic']}" + (f"/{limit}" if limit != LENGTH else "")
        made = {
            "greedy-best": best,
            "random": " ".join(random_extract(source, limit, Random(stream))),  # noqa: S311
            "centroid": middle,
            "garbled": garbled(middle),
        }
    if target.form is not None:
        # As `adjudge baselines` makes them: of a single document, the lead alone.
        names = LABELS if story["task"] == "multi" else ("lead",)
        made |= {name: make(name, documents(story), limit) for name in names}
    return written | made


def _written(story: Story, target: Target) -> dict[str, str]:
    """What was written for the demo, or, of systems, what they would have said within a shorter limit."""
    length, systems = target.length or LENGTH, story["systems"]
    if target.form == EXTRACT:
        chosen = {who: _sentences(story, places) for who, places in story["extracts"][str(length)].items()}
        return _joined(chosen | {DOES_BOTH: [*systems[DOES_BOTH], *story["continued"][DOES_BOTH]]})
    if length == LENGTH:
        return _joined(story["references"] | systems)
    written = dict(story["lengths"][str(length)])
    if length > LENGTH:
        written |= {who: [*systems[who], *more] for who, more in story["continued"].items()}
    else:
        written |= {who: leading(systems[who], length) for who in STOP_EARLY[length]}
    return _joined(written)


def _joined(lines: dict[str, list[str]]) -> dict[str, str]:
    return {who: " ".join(text) for who, text in lines.items()}


def _sentences(story: Story, places: list[str]) -> list[str]:
    """The sentences that `d01-1:2` and its like name, counted from 1."""
    texts = {document["id"]: document["text"] for document in story["documents"]}
    return [texts[id][int(number) - 1] for id, _, number in (place.partition(":") for place in places)]


def _source(story: Story, limit: int) -> tuple[str, ...]:
    sentences = [sentence for document in story["documents"] for sentence in document["text"]]
    return tuple(fragments(sentences, limit) if limit <= SHORTEST else sentences)


@cache
def _extracts(sentences: tuple[str, ...], references: tuple[str, ...], limit: int) -> tuple[str, str]:
    """The centroid and the greedy best extract, made once: units, pyramids and judgments ask for them again."""
    best = greedy_best(sentences, references, limit)
    return " ".join(centroid(sentences, limit)), " ".join(best)
