"""No run-time dependency is under the GPL or a licence of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions

from packaging.requirements import Requirement

STRONG = re.compile(r"(?<!L)(?<!Lesser )\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
WEAK = re.compile(r"LGPL|Lesser General Public", re.IGNORECASE)


def licence(dist: Distribution) -> str:
    """What a distribution says of its licence: the expression, the field, the classifiers."""
    meta = dist.metadata.json
    short = str(meta.get("license") or "").splitlines()[:1]
    classifiers = [c for c in meta.get("classifier") or () if c.startswith("License ::")]
    return " | ".join([str(meta.get("license_expression") or ""), *short, *classifiers]).strip(" |")


def is_gpl(text: str) -> bool:
    """An offer of another licence beside it, as in "MIT OR GPL-2.0", is fine."""
    choices = re.split(r"\bOR\b", text)
    return all(STRONG.search(WEAK.sub("", choice)) for choice in choices)


def needed(name: str, extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """The names of everything that is installed with a distribution, itself too."""
    todo, seen = [(name, extras)], set()
    while todo:
        name, extras = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in seen:
            continue
        seen.add((key, extras))
        yield key
        for text in distribution(name).requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
                todo.append((requirement.name, frozenset(requirement.extras)))


def test_no_run_time_dependency_is_gpl() -> None:
    names = set(needed("adjudge", frozenset({"all"})))
    assert {"numpy", "pandas", "typer", "sentencex", "zstandard", "adjudge"} <= names
    said = {name: licence(distribution(name)) for name in names}
    assert [name for name, text in said.items() if is_gpl(text)] == []
    assert [name for name, text in said.items() if not text] == []


def test_the_rule_can_fail() -> None:
    assert is_gpl("GPL-3.0-or-later")
    assert is_gpl("License :: OSI Approved :: GNU General Public License v3 (GPLv3)")
    assert is_gpl("GNU Affero General Public License")
    assert not is_gpl("LGPL-2.1")
    assert not is_gpl("MIT OR GPL-2.0")
    assert not is_gpl("BSD-3-Clause")
    assert any(distributions())
