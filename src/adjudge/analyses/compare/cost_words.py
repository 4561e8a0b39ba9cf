"""What is said of the cheapest of the systems that may be the best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import listed, number_word

if TYPE_CHECKING:
    from adjudge.analyses.compare.cost import Cheapest

SUPERLATIVES = {"cost": "cheapest", "latency": "fastest", "size": "smallest"}
NOTES: dict[str, str] = {}


def sentences(result: Cheapest) -> Iterator[str]:
    from adjudge.analyses.compare.cost import in_short

    best, least, size = SUPERLATIVES[result.by], result.systems, result.shown[result.systems[0]]
    many, stating = len(result.candidates), len(result.stated)

    def called(name: str) -> str:
        return f"{name} (human)" if name in result.paid else name

    of = f"the {number_word(many)} systems that may be the best"
    if result.silent:  # they may take less still
        of = f"the {number_word(stating)} systems that state a {result.by}, of {number_word(many)} that may be the best"
    of += ", humans apart" if result.humans else ""
    names = [called(name) for name in least]
    who = f"{names[0]} is the {best}" if len(names) == 1 else f"{listed(names)} are the {best}"
    text = f"On {result.title}, {who} of {of}: {size}{'' if len(least) == 1 else ' each'}"
    if len(least) == stating:
        text = (
            f"On {result.title}, {result.by} does not decide between {of}: {listed(names)} state {size} each"
        )
    others = [
        f"{called(name)} {in_short(result.stated[name], result.by)}"
        for name in result.candidates
        if name in result.stated and name not in least
    ]
    text += f" ({listed(others)})" if others else ""
    if result.silent:
        text += f"; {listed(result.silent)} {'states' if len(result.silent) == 1 else 'state'} no {result.by}"
    if result.currencies:
        text += f"; costs are not compared, being in {listed(result.currencies)}"
    yield f"{text}."
