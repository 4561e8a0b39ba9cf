"""Pseudonyms in exported records: who judged is replaced wherever it stands. Reads nothing but what it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.judgments.store.people import Person

FREE_TEXT = ("comment", "flag")
"""Questions whose answers are what people typed, where they may name somebody."""

SHORTEST = 3
"""Characters that an id or a part of a name has at least to be looked for in free text: "A" is a word too."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Disguise:
    """Pseudonyms by id, numbers for clients (a client is somebody's browser), and the words that name people."""

    pseudonyms: Mapping[str, str]
    clients: Mapping[str, str]
    words: Mapping[str, str]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, people: Iterable[Person], clients: Iterable[str]) -> Disguise:
        people = list(people)
        words = {
            word.lower(): person.pseudonym
            for person in people
            for word in _words(person)
            if len(word) >= SHORTEST
        }
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        anyone = "|".join(map(re.escape, longest_first))
        return cls(
            {person.id: person.pseudonym for person in people},
            {client: f"client-{n}" for n, client in enumerate(clients, 1)},
            words,
            re.compile(rf"(?<!\w)(?:{anyone})(?!\w)", re.IGNORECASE) if words else None,
        )

    def record(self, record: Record) -> Record:
        """One record of an export, in disguise."""
        match record["kind"]:
            case "person":
                return record | {"id": record["pseudonym"], "name": None}
            case "task":
                return record | {name: self._person(record[name]) for name in ("assessor", "lease_by")}
            case "event":
                changed = {"assessor": self._person(record["assessor"]), "answer": record["answer"]}
                if record["client"] is not None:
                    changed["client"] = self.clients[record["client"]]
                if record["question"].partition(":")[0] in FREE_TEXT:
                    changed["answer"] = self._typed(record["answer"])
                return record | changed
            case _:
                return record

    def _person(self, id: str | None) -> str | None:
        return None if id is None else self.pseudonyms[id]

    def _typed(self, answer: Any) -> Any:
        """What somebody typed, with the words that name people replaced."""
        if isinstance(answer, str) and self.pattern is not None:
            return self.pattern.sub(lambda found: self.words.get(found[0].lower(), "somebody"), answer)
        if isinstance(answer, list):
            return [self._typed(each) for each in answer]
        if isinstance(answer, dict):
            return {name: self._typed(each) for name, each in answer.items()}
        return answer


def _words(person: Person) -> Iterable[str]:
    """The id, the name, and the parts of the name."""
    name = person.name or ""
    return (person.id, name, *re.findall(r"\w+", name))
