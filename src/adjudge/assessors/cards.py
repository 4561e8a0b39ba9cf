"""A judge's card: what a program that judges is, what its answers depend on, and how its work went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, get_args

from adjudge.core.errors import BusyError, DataError, FormatError, UsageError, quoted
from adjudge.data.folder import Folder
from adjudge.data.layout import JUDGES, check_plain_file, check_plain_folder
from adjudge.data.lines import dump_json, parse_json
from adjudge.data.rows import LARGEST_AMOUNT
from adjudge.data.transaction import Transaction

JudgeKind = Literal["learned", "language-model"]
LARGEST = 4 * 1024 * 1024
"""Bytes of a card; a folder may come from a stranger."""


@dataclass(frozen=True)
class JudgeCard:
    """What a judge is and did under one protocol."""

    name: str
    """As an assessor."""
    kind: JudgeKind
    protocol: str
    model: str
    """The language model, or the learner."""
    family: str = ""
    """Whose systems it may favour: the part of a system's name, such as gpt; nothing where that is not known."""
    signature: str = ""
    """In words and hashes, everything that the answers depend on."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The same, as the judge needs it to go on: the prompt's template and its hash, the parameters."""
    asked: int = 0
    """Questions that were put to it, repeats and swapped pairs among them."""
    answered: int = 0
    invalid: Mapping[str, int] = field(default_factory=dict)
    """By reason, how many have no answer."""
    requests: int = 0
    """What was sent; an answer that was kept from before is none."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    """None where no prices were given."""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def file(self) -> str:
        return card_file(self.name, self.protocol)


def check_name(name: str) -> None:
    """A judge's name stands in the text of measures: `rating(by=NAME)`."""
    is_plain = name.isprintable() and name == name.strip() and not set(name) & set("(),=\"'")
    if not name or not is_plain or name == "people":
        raise UsageError(
            f"{quoted(name)} cannot be a judge's name: expected a text without commas, brackets, quotes and =,"
            " other than people"
        )


def card_file(name: str, protocol: str) -> str:
    """judges/smollm2--1f3a....json: where a folder keeps the card of a judge under a protocol."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "judge"
    digest = blake2b(f"{name}\0{protocol}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{JUDGES}/{slug}--{digest}.json"


def write_card(folder: Folder, card: JudgeCard) -> None:
    """Keep a card in the folder, in the place of an earlier one of the same judge and protocol."""
    with Transaction(folder.path) as change:
        change.stage(card.file).write_text(dump_json(asdict(card)) + "\n", encoding="utf-8", newline="")
        change.commit()


@contextmanager
def only_run(folder: Folder, name: str, protocol: str) -> Iterator[None]:
    """One run of a judge under a protocol at a time: two would ask, and pay for, everything twice."""
    from filelock import FileLock, Timeout

    path = folder.path / f"{card_file(name, protocol).removesuffix('.json')}.lock"
    try:
        if not check_plain_folder(path.parent):
            path.parent.mkdir(exist_ok=True)
        check_plain_file(path)
        lock = FileLock(path, timeout=0)
        lock.acquire()
    except Timeout:
        raise BusyError(
            f"{folder.path}: {name} is being asked under {protocol} by another run; wait for its end"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be written to: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()


def read_cards(folder: Folder, name: str | None = None) -> list[JudgeCard]:
    """The cards that lie in a folder; of one judge, where it is named."""
    cards = [_read(path) for path in _paths(folder)]
    return [card for card in cards if name in (None, card.name)]


def broken_cards(folder: Folder) -> list[str]:
    """What is wrong with the cards that cannot be read, each in one line."""
    mistakes = []
    for path in _paths(folder):
        try:
            _read(path)
        except DataError as error:
            mistakes.append(str(error))
    return mistakes


def _paths(folder: Folder) -> list[Path]:
    there = check_plain_folder(folder.path / JUDGES)
    return sorted((folder.path / JUDGES).glob("*--*.json")) if there else []


def _read(path: Path) -> JudgeCard:
    check_plain_file(path)
    try:
        if path.stat().st_size > LARGEST:
            raise FormatError(f"a judge's card has at most {LARGEST:,} bytes", file=path)
        return _card(parse_json(path.read_text(encoding="utf-8"), path, 1))
    except (ValueError, TypeError, UsageError) as error:
        raise FormatError(f"is no judge's card: {error}", file=path) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", file=path) from None


def _card(data: Any) -> JudgeCard:
    if not isinstance(data, dict):
        raise TypeError("expected an object")
    by_name = {part.name: part for part in fields(JudgeCard)}
    strange = [key for key in data if key not in by_name]
    if strange:
        raise ValueError(f"{quoted(strange[0])} is not known")
    texts = (data.get(name, "") for name in ("name", "protocol", "model", "family", "signature"))
    if not all(isinstance(text, str) for text in texts) or data.get("kind") not in get_args(JudgeKind):
        raise TypeError("its name, kind, protocol and model are texts")
    card = JudgeCard(**data)
    counts = (card.asked, card.answered, card.requests, card.prompt_tokens, card.answer_tokens)
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts):
        raise TypeError("counts are whole numbers, 0 or more")
    if not isinstance(card.invalid, dict) or not all(isinstance(n, int) for n in card.invalid.values()):
        raise TypeError("invalid answers are counted by reason")
    if not isinstance(card.settings, dict):
        raise TypeError("its settings are an object")
    amounts = (card.seconds, 0.0 if card.cost is None else card.cost)
    if not all(isinstance(n, int | float) and 0 <= n < LARGEST_AMOUNT for n in amounts):
        raise TypeError("seconds and cost are numbers, 0 or more")
    return card
