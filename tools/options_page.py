"""Writes docs/options.md: the options of every analysis, from its declaration.

python -m tools.options_page
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from adjudge.analyses import DECLARED, declaration
from adjudge.analyses.base import Analysis, AnyAnalysis
from adjudge.core.options import READING, declared, written
from adjudge.core.phrases import spoken

PAGE = Path(__file__).parents[1] / "docs" / "options.md"
HEAD = """# Options of the analyses

Every analysis has a function (`adjudge.topics(scores, ...)`), a method of an evaluation (`e.topics(...)`) and a command
(`adjudge topics SCORES ...`) with the same options. An option `pool_humans` is `--pool-humans` on the command line.
This page is written from the declarations in `src/adjudge/analyses` by `python -m tools.options_page`.
"""
COLUMNS = "| option | default | what it does |\n|---|---|---|"


def page() -> str:
    analyses = {function: declaration(function) for function in DECLARED}
    shared = {name for name, (about, _) in declared(Analysis).items() if about.panel == READING}
    parts = [HEAD, "## Reading a table\n\nEvery analysis takes these.\n", table(Analysis, shared)]
    for function, cls in analyses.items():
        own = [name for name in declared(cls) if name not in shared]
        parts.append(f"\n## {function}\n\n{(inspect.getdoc(cls) or '').partition('.')[0]}.\n")
        parts.append(table(cls, own))
    return "\n".join(parts) + "\n"


def table(cls: type[AnyAnalysis[Any]], names: Collection[str]) -> str:
    return "\n".join([COLUMNS, *rows(cls, names)])


def rows(cls: type[AnyAnalysis[Any]], names: Collection[str]) -> Iterator[str]:
    defaults = {field.name: field.default for field in fields(cls)}
    for name, (about, _) in declared(cls).items():
        if name not in names:
            continue
        flag = f", `--{about.command.replace('_', '-')}`" if about.command else ""
        flag += f", `-{about.short}`" if about.short else ""
        default = spoken(about.unset, "python") or (
            "" if defaults[name] in (None, ()) else f"`{written(defaults[name])}`"
        )
        limits = f" {about.limits[0].upper()}{about.limits[1:]}." if about.limits else ""
        yield f"| `{name}`{flag} | {default} | {(spoken(about.help, 'python') + limits).replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
