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

from adjudge.judgments.kinds.base import Protocol, Role
from adjudge.judgments.tasks import Task, TextRef, units_of

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

    protocol: Protocol
    public: Mapping[str, str]
    internal: Mapping[str, str]

    @classmethod
    def of(cls, site: Site, task: Task) -> UnitIds:
        protocol = site.protocol(task.protocol)
        rows = site.collection.units.get(task.topic, ())
        texts: dict[Role, TextRef | None] = {"reference": task.reference, "peer": task.peer}
        public: dict[str, str] = {}
        for role, text in texts.items():
            if text is not None and (kind := protocol.units_shown(role)) is not None:
                ids = (unit.id for unit in units_of(rows, text, kind))
                public |= {id: site.public.of("unit", task.id, id)[:LONG] for id in ids}
        return cls(protocol, public, {key: id for id, key in public.items()})

    def shown(self, question: str, answer: Any) -> tuple[str, Any]:
        """A question and its answer as the browser knows them. A unit that is not there any more has no key."""
        return self.protocol.renamed(question, answer, self.public)

    def meant(self, question: str, answer: Any) -> tuple[str, Any]:
        """A question and its answer as they are stored; refuses a unit that the task does not have."""
        return self.protocol.renamed(question, answer, self.internal)
