"""What the browser is given in place of ids that tell something: of tasks, people and units.

A task's id, a topic's or a document's may hold a name or be guessed from one. A public id is an HMAC with a key that
only the database has.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import DataError
from adjudge.judgments.protocol import UNIT
from adjudge.judgments.tasks import Task, units_of

if TYPE_CHECKING:
    from adjudge.web.site import Site


class PublicIds:
    """Ids for the browser, the same every time, that tell nothing without the key."""

    def __init__(self, key: bytes):
        self._key = key

    def of(self, kind: str, *parts: object) -> str:
        """What stands for a thing of a kind: twenty letters and digits."""
        message = "\0".join([kind, *map(str, parts)])
        digest = hmac.new(self._key, message.encode("utf-8", "surrogatepass"), sha256).digest()
        return b32encode(digest).decode().lower()[:20]


LONG = 12


@dataclass(frozen=True)
class UnitIds:
    """Of one task: its units' public ids by their own, and back."""

    public: Mapping[str, str]
    own: Mapping[str, str]

    @classmethod
    def of(cls, site: Site, task: Task) -> UnitIds:
        protocol = site.protocol(task.protocol)
        if protocol.kind != "coverage":
            return cls({}, {})
        rows = site.collection.units.get(task.topic, ())
        sides = ((task.reference, protocol.model_units), (task.peer, protocol.peer_units))
        ids = [unit.id for text, kind in sides if text is not None for unit in units_of(rows, text, kind)]
        public = {id: site.public.of("unit", task.id, id)[:LONG] for id in ids}
        return cls(public, {key: id for id, key in public.items()})

    def shown(self, question: str, answer: Any) -> tuple[str, Any]:
        """A question and its answer as the browser knows them. A unit that is not there any more has no key."""
        return self._translated(question, answer, self.public)

    def meant(self, question: str, answer: Any) -> tuple[str, Any]:
        """A question and its answer as they are stored; refuses a unit that the task does not have."""
        return self._translated(question, answer, self.own)

    def _translated(self, question: str, answer: Any, names: Mapping[str, str]) -> tuple[str, Any]:
        if not question.startswith(UNIT):
            return question, answer
        unit = names.get(question.removeprefix(UNIT))
        if unit is None:
            raise DataError("no such unit")
        if isinstance(answer, Mapping) and isinstance(answer.get("marked"), list):
            marked = [names.get(each) if isinstance(each, str) else None for each in answer["marked"]]
            if None in marked:
                raise DataError("no such unit")
            answer = {**answer, "marked": marked}
        return f"{UNIT}{unit}", answer
