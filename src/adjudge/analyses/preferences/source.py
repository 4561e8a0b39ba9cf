"""What answers to pairs are read from: the judgments of an evaluation, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adjudge.analyses.gathered import Gathered, chosen_in, folder_of, gathered_in, need_folder
from adjudge.analyses.preferences import PairAnalysis
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.data.choosing import choose_topics
from adjudge.data.folder import Folder
from adjudge.data.rows import Topic
from adjudge.formats.files import STDIN
from adjudge.formats.preferences import preferences_of, read_preferences
from adjudge.judgments.pairs.answers import Preferences


@dataclass(frozen=True, kw_only=True)
class PairSource:
    """The answers of a table, or the judgments of a folder."""

    title: str
    table: Preferences | None = None
    folder: Folder | None = None
    gathered: Gathered | None = None
    chosen: str = ""
    """Which topics these are of, where they are not of all."""

    def of_topics(self, asked: str | Sequence[str]) -> PairSource:
        """The answers on the topics that are asked for, such as `task=multi`; of a table only names are known."""
        if not asked:
            return self
        if self.gathered is not None:
            chosen = chosen_in(self.gathered.collection, asked)
            gathered = self.gathered.of_topics(chosen)
            return replace(self, gathered=gathered, chosen=gathered.chosen)
        assert self.table is not None
        rows = {topic: Topic(topic) for topic in self.table.topics}
        choice = choose_topics(rows, asked, self.title)
        return replace(self, table=self.table.only(sorted(choice.topics)), chosen=choice.among(rows))

    def named_items(self, asked: PairAnalysis[Any]) -> Preferences:
        """The answers of a table, whose items are what it names; what is a folder's is refused."""
        for name in ("of", "length", "form"):
            if getattr(asked, name, None) is not None:
                raise UsageError(
                    f"{Argument(name)} belongs to a folder; the items of {self.title} are what it names"
                )
        assert self.table is not None
        return self.table


def read_pairs(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> PairSource:
    """The answers of a folder, a file (`-`: standard input), a DataFrame, or tuples (winner, loser) or (a, b, winner).

    The columns of a table are as `formats.preferences.read_preferences` has them.
    """
    folder = folder_of(source)
    if folder is not None:
        if columns or delimiter:
            raise UsageError(
                f"{Argument('columns')} and {Argument('delimiter')} are for a table, which {folder.path}"
                " is not"
            )
        return PairSource(title="systems", folder=folder, gathered=gathered_in(folder))
    if isinstance(source, Preferences):
        return PairSource(title="systems", table=source)
    if isinstance(source, str | Path):
        table = read_preferences(source, columns=columns, delimiter=delimiter, encoding=encoding)
        return PairSource(title=STDIN if str(source) == "-" else Path(source).name, table=table)
    return PairSource(title=type(source).__name__, table=preferences_of(source, columns=columns))


def read_folder(source: Any) -> PairSource:
    """The judgments of an evaluation, or of its folder."""
    folder = need_folder(source)
    return PairSource(title=folder.settings.name, folder=folder, gathered=gathered_in(folder))
