r"""What is wrong with a paper's folder, without LaTeX: braces, signs that are not escaped, files and keys that lack."""

from __future__ import annotations

import re
from pathlib import Path

_COMMENT = re.compile(r"(?<!\\)%.*")
_ESCAPED = re.compile(r"\\[&%$#_{}\\]")
_MATHS = re.compile(r"\$(?:\\?[A-Za-z<>]+|[<>])\$")
KNOWN = frozenset(
    re.findall(
        r"\w+",
        "begin end centering toprule midrule bottomrule caption label multicolumn textbf textit textsuperscript input"
        " cite ref section subsection item includegraphics clearpage allowbreak textbackslash textasciitilde"
        " textasciicircum textbar documentclass usepackage title author date maketitle bibliographystyle bibliography"
        " ss o O ae AE oe OE l L i ldots dag ddag S P c b d u v H r",
    )
)
"""Commands that our files may have; one from data would be another."""


def problems_of(folder: Path) -> list[str]:
    found: list[str] = []
    bib = (folder / "references.bib").read_text(encoding="utf-8")
    keys = set(re.findall(r"^@\w+\{([^,]+),", bib, flags=re.MULTILINE))
    found += _balance("references.bib", bib)
    labels: set[str] = set()
    asked: set[str] = set()
    for path in sorted(folder.rglob("*.tex")):
        name = str(path.relative_to(folder))
        text = "\n".join(_COMMENT.sub("", line) for line in path.read_text(encoding="utf-8").split("\n"))
        found += _balance(name, text)
        for command in re.findall(r"(?<!\\)(?:\\\\)*\\([A-Za-z]+)", text):
            if command not in KNOWN and not re.search(rf"\$\\{command}\$", text):
                found.append(f"{name}: \\{command}")
        for argument in re.findall(r"\\input\{([^}]*)\}", text):
            if not (folder / f"{argument}.tex").is_file():
                found.append(f"{name}: no {argument}.tex")
        for argument in re.findall(r"\\includegraphics\{([^}]*)\}", text):
            if not (folder / argument).is_file():
                found.append(f"{name}: no {argument}")
        for argument in re.findall(r"\\cite\{([^}]*)\}", text):
            found += [f"{name}: no {key} in references.bib" for key in argument.split(",") if key not in keys]
        labels |= set(re.findall(r"\\label\{([^}]*)\}", text))
        asked |= set(re.findall(r"\\ref\{([^}]*)\}", text))
        found += _signs(name, text)
    return found + [f"no label {each}" for each in sorted(asked - labels)]


def _balance(name: str, text: str) -> list[str]:
    depth = 0
    for sign in re.sub(r"\\[\\{}]", "", text):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return [f"{name}: a brace too many closes"]
    return [f"{name}: {depth} braces stay open"] if depth else []


def _signs(name: str, text: str) -> list[str]:
    """Signs with a meaning of their own, outside of our tables, maths and labels."""
    bare = re.sub(r"\\(?:label|ref|cite|input|includegraphics|begin|end)\{[^}]*\}", "", text)
    bare = re.sub(r"\\begin\{tabular\}\{[^\n]*", "", bare)
    bare = _MATHS.sub("", _ESCAPED.sub("", bare))
    lines = bare.split("\n")
    found = [f"{name}: {line.strip()[:60]}" for line in lines if re.search(r"[#$_]|\^(?!\{)", line)]
    if "\\begin{tabular}" not in text:
        found += [f"{name}: & in {line.strip()[:60]}" for line in lines if "&" in line]
    return found
