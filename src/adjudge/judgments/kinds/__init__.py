"""The kinds of protocols, a module each: everything that is decided by what kind a protocol is.

A module of this folder that has a subclass of `Protocol` with a `KIND` is a kind; nothing else lists them.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from adjudge.core.errors import UsageError, quoted
from adjudge.judgments.kinds.base import Protocol

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

KINDS: dict[str, type[Protocol]] = {kind.KIND: kind for kind in Protocol.__subclasses__()}
"""By the name that a protocol's file has for its kind, in alphabetical order."""


def need_kind(protocol: Protocol, *kinds: type[Protocol], called: str | None = None) -> None:
    """Refuse a protocol of any other kind; `called` is the name that the user gave it."""
    if not isinstance(protocol, kinds):
        expected = " or ".join(kind.KIND for kind in kinds)
        raise UsageError(
            f"{quoted(called or protocol.name)} is a {protocol.kind} protocol; expected one for {expected}"
        )


def kind_asking(question: str) -> type[Protocol]:
    """The kind whose protocols ask a question, by the id that events carry; notes belong to every kind."""
    prefix = question.partition(":")[0]
    return next((kind for kind in KINDS.values() if prefix in kind.VALUES), Protocol)
