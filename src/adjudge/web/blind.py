"""What the browser is given in place of ids that tell something. Which parts of texts are hidden: text/headers.py.

A task's id, a topic's or a document's may hold a name or be guessed from one. A public id is an HMAC with a key that
only the database has.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from hashlib import sha256


class PublicIds:
    """Ids for the browser, the same every time, that tell nothing without the key."""

    def __init__(self, key: bytes):
        self._key = key

    def of(self, kind: str, *parts: object) -> str:
        """What stands for a thing of a kind: twenty letters and digits."""
        message = "\0".join([kind, *map(str, parts)])
        digest = hmac.new(self._key, message.encode("utf-8", "surrogatepass"), sha256).digest()
        return b32encode(digest).decode().lower()[:20]
