"""Measures that were computed elsewhere: their text, their direction, their signature."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from adjudge.data.incoming import Item
from adjudge.data.scores import Better, MeasureInfo
from adjudge.errors import UsageError, nearest, quoted
from adjudge.formats.files import Place


class ImportedMeasures:
    """Names imported measures `SOURCE:NAME`, which no computed one is, and describes each before its scores.

    `lower_is_better` holds for all (True), for none (False), or for the names in it.
    """

    def __init__(self, source: str, lower_is_better: bool | Collection[str] = False) -> None:
        if not source or source != source.strip() or not source.isprintable() or ":" in source:
            raise UsageError(f"--source is {quoted(source)}, expected a name without colon")
        self._source = source
        self._lower = {lower_is_better} if isinstance(lower_is_better, str) else lower_is_better
        self._known: dict[str, str] = {}

    def text(self, place: Place, column: str, name: object) -> str:
        """The measure's text; its name is checked once."""
        if not isinstance(name, str) or name not in self._known:
            return place.name(column, f"{self._source}:{place.name(column, name)}")
        return self._known[name]

    def describe(self, place: Place, name: str, measure: str, origin: str) -> Iterator[Item]:
        """The measure's description, where it has not been given yet."""
        if name not in self._known:
            self._known[name] = measure
            signature = f"{measure}|imported|{origin}"
            yield place.item(MeasureInfo(measure, self._better(name, measure), (None, None), signature))

    def _better(self, name: str, measure: str) -> Better:
        if isinstance(self._lower, bool):
            return "lower" if self._lower else "higher"
        return "lower" if name in self._lower or measure in self._lower else "higher"

    def check(self) -> None:
        """After the last score: a direction for a measure that never came is a mistake."""
        if isinstance(self._lower, bool):
            return
        known = {*self._known, *self._known.values()}
        for name in self._lower:
            if name not in known:
                raise UsageError(
                    f"--lower-is-better {quoted(name)}: no such measure{nearest(name, known)};"
                    f" there are: {', '.join(self._known) or 'none'}"
                )
