"""Topics by what topics.jsonl says of them: `task=multi`, `type=3,4`, `d01,d02`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from adjudge.core.errors import UsageError, among, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import listed, natural
from adjudge.data.rows import Topic

NAME = "topic"


@dataclass(frozen=True)
class TopicChoice:
    """Conditions, by column the values that were named, and the topics that have one value of every column."""

    conditions: tuple[tuple[str, tuple[str, ...]], ...]
    topics: frozenset[str]

    def __str__(self) -> str:
        names = [f" {listed(values)}" for column, values in self.conditions if column == NAME]
        columns = [f"{column}={','.join(values)}" for column, values in self.conditions if column != NAME]
        return f"topics{''.join(names)}{' with ' if columns else ''}{' and '.join(columns)}"

    def among(self, topics: Sized) -> str:
        """How many of all topics these are, in words."""
        return f"{self}: {len(self.topics):,} of {len(topics):,}"

    @property
    def signature(self) -> str:
        columns = (
            ",".join(values) if column == NAME else f"{column}={','.join(values)}"
            for column, values in self.conditions
        )
        return f"topics:{'+'.join(columns)}"


def choose_topics(topics: Mapping[str, Topic], asked: str | Iterable[str], where: object) -> TopicChoice:
    """The topics that meet the conditions of texts such as `task=multi`.

    Values of one column are alternatives, columns must all be met. A text without a column names topics; names and
    values may have `*` and `?`. Columns are those of topics.jsonl, also those that only people put there.
    """
    by_column = _columns(topics)
    wanted: dict[str, dict[str, None]] = {}
    for text in [asked] if isinstance(asked, str) else asked:
        for column, value in _conditions(text, by_column):
            values = wanted.setdefault(column, {})
            values |= dict.fromkeys(_values(column, value, by_column[column]))
    conditions = tuple((column, tuple(values)) for column, values in wanted.items())
    met = [set().union(*(by_column[column][value] for value in values)) for column, values in conditions]
    choice = TopicChoice(conditions, frozenset(topics).intersection(*met))
    if not choice.topics:
        raise UsageError(f"{where}: no {choice}")
    return choice


def _columns(topics: Mapping[str, Topic]) -> dict[str, dict[str, set[str]]]:
    """By column and value, the topics that have it."""
    by_column: dict[str, dict[str, set[str]]] = {NAME: {}}
    for name, row in topics.items():
        for column, value in row.as_dict().items():
            for text in _texts(value):
                by_column.setdefault(column, {}).setdefault(text, set()).add(name)
    return by_column


def _texts(value: Any) -> list[str]:
    """A value as people type it; a list has several."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return [] if value is None or isinstance(value, Mapping) else [str(value)]


def _conditions(text: str, by_column: Mapping[str, Mapping[str, set[str]]]) -> list[tuple[str, str]]:
    """Columns and values of a text; values after a comma are of the column before it."""
    if _matching(text, by_column[NAME]):  # a name with a comma or an equals sign
        return [(NAME, text)]
    name, _, value = text.partition("=")
    if name in by_column and _matching(value, by_column[name]):  # a value with a comma
        return [(name, value)]
    conditions: list[tuple[str, str]] = []
    column = NAME
    for part in text.split(","):
        before, equals, after = part.partition("=")
        if equals and not _matching(part.strip(), by_column[column]):
            columns = _matching(before.strip(), by_column)
            if len(columns) != 1:
                there = [name for name in by_column if name != NAME]
                raise UsageError(
                    f"{Argument('topics', [text])}: topics have no column {quoted(before.strip())}"
                    f"{among(before.strip(), there)}"
                )
            column, part = columns[0], after
        if not part.strip():
            raise UsageError(
                f"{Argument('topics', [text])}: expected COLUMN=VALUE such as task=multi, or names of topics"
            )
        conditions.append((column, part.strip()))
    return conditions


def _values(column: str, value: str, values: Mapping[str, set[str]]) -> list[str]:
    """The values of a column that a text means."""
    if matched := _matching(value, values):
        return matched
    there = sorted(values, key=natural)
    asked = value if column == NAME else f"{column}={value}"
    what = "topic" if column == NAME else f"topic with {column}"
    raise UsageError(f"{Argument('topics', [asked])}: no {what} {quoted(value)}{among(value, there)}")


def _matching(text: str, names: Iterable[str]) -> list[str]:
    """The names that a text means: that name, else those of a pattern, else those alike but for capitals."""
    there = list(names)
    if text in there:
        return [text]
    if "*" in text or "?" in text:
        return [name for name in there if fnmatchcase(name, text)]
    return [name for name in there if name.casefold() == text.casefold()]
