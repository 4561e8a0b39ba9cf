"""The demo as an evaluation folder: texts written for it, and systems that are simulated and say so."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

from adjudge.data.folder import Folder
from adjudge.data.incoming import ImportReport, Item, take_all
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.demo.extract import centroid, garbled, greedy_best, random_extract
from adjudge.errors import DataError

NAME = "Adjudge demo: twelve invented news stories"
LENGTH = 100
PEERS_TOO = ("ada", "ben")  # writers who are compared with the other three

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


def stories() -> list[dict[str, Any]]:
    """The topics as they were written, in order."""
    folder = resources.files("adjudge.demo") / "topics"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".json")), key=lambda f: f.name)
    return [json.loads(f.read_text(encoding="utf-8")) for f in files]


def build(path: str | Path, *, seed: int = 1) -> ImportReport:
    """Make the demo's folder."""
    folder = Folder.init(path, name=NAME)
    return take_all(folder, items(seed))


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Where to make a folder, which gets its name when it is complete: somebody who is stopped leaves none.

    A folder that is there and not empty is filled where it is.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        yield path
        return
    scratch = path.with_name(f".adjudge-{os.getpid()}.part")
    new = [each for each in path.parents if not each.exists()]
    try:
        yield scratch
        scratch.replace(path)
    except BaseException as error:
        shutil.rmtree(scratch, ignore_errors=True)
        for each in new:
            with suppress(OSError):
                each.rmdir()
        if isinstance(error, OSError):
            raise DataError(f"{path}: cannot be made: {error.strerror}") from error
        raise


def items(seed: int = 1) -> Iterator[Item]:
    """Everything the demo holds, as items to import. The same seed gives the same texts."""
    yield from (("demo", system) for system in SYSTEMS)
    for story in stories():
        topic = story["topic"]
        yield topic, Topic.parse({k: story.get(k) for k in Topic.CHECKS})
        for document in story["documents"]:
            row = {"topic": topic, "id": document["id"], "date": document["date"]}
            yield topic, Document.parse({**row, "text": " ".join(document["text"])})
        for system, text in texts(story, seed).items():
            roles = ["peer"] if system not in story["references"] else ["reference"]
            yield (
                topic,
                Summary.parse(
                    {
                        "topic": topic,
                        "system": system,
                        "length": LENGTH,
                        "text": text,
                        "roles": [*roles, "peer"] if system in PEERS_TOO else roles,
                        "author": system if system in story["references"] else None,
                    }
                ),
            )


def texts(story: dict[str, Any], seed: int) -> dict[str, str]:
    """Every system's summary of one story."""
    sentences = tuple(sentence for document in story["documents"] for sentence in document["text"])
    references = {writer: " ".join(text) for writer, text in story["references"].items()}
    middle, best = _extracts(sentences, tuple(references.values()))
    written = {system: " ".join(text) for system, text in story["systems"].items()}
    return (
        references
        | written
        | {
            "greedy-best": best,
            "random": " ".join(random_extract(sentences, LENGTH, Random(f"{seed}/{story['topic']}"))),  # noqa: S311
            "centroid": middle,
            "garbled": garbled(middle),
        }
    )


@cache
def _extracts(sentences: tuple[str, ...], references: tuple[str, ...]) -> tuple[str, str]:
    """The centroid and the greedy best extract, made once: units, pyramids and judgments ask for them again."""
    best = greedy_best(sentences, references, LENGTH)
    return " ".join(centroid(sentences, LENGTH)), " ".join(best)
