"""The texts and option sets behind scores.csv, averages.csv and printed.txt. They were run once by make.py."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from adjudge.demo.build import stories

HERE = Path(__file__).parent
HOME = HERE / "home"  # a stop list and lists of irregular forms, written for these tests
EVALS = {"1": "d01", "2": "d03", "10": "d05", "3": "d12"}
PEERS = ("fluent", "headlines")
BE = ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")
FIELDS = ("set", "measure", "peer", "eval", "recall", "precision", "f")


@dataclass(frozen=True)
class Case:
    """A run: its options, the format of its files, and whether it has the data folder."""

    name: str
    options: str
    form: str = "SPL"
    home: bool = False


CASES = (
    Case("plain", "-n 4 -w 1.2"),
    Case("stem", "-m -n 2 -2 4 -u", home=True),
    Case("stem-noexc", "-m -n 2 -x -2 4 -u"),
    Case("stop", "-s -n 2 -w 1.2", home=True),
    Case("stem-stop", "-m -s -n 1", home=True),
    Case("words50", "-l 50 -n 2 -w 1.2"),
    Case("bytes200", "-b 200 -n 2 -w 1.2"),
    Case("best", "-f B -n 2 -w 1.2 -2 -1 -U"),
    Case("alpha0.2", "-p 0.2 -n 1 -w 1.2"),
    Case("skip4u", "-x -2 4 -u"),
    Case("skip-any", "-x -2 -1 -U"),
    Case("weight2", "-x -w 2 -c 90 -r 333"),
    Case("see", "-n 2 -w 1.2", "SEE"),
    Case("see-bytes", "-x -n 1 -b 300", "SEE"),
    Case("isi", "-n 1", "ISI"),
    Case("tokens", "-t 1 -x -n 1 -w 1.2"),
    *(Case(f"be-{mode}", f"-3 {mode}", "SIMPLE") for mode in BE),
    *(Case(f"be-{mode}-stem", f"-m -3 {mode}", "SIMPLE", home=True) for mode in ("HM", "HMR2")),
)
PRINTED = ("-a -d -c 95 -r 500 -n 1 -w 1.2 -2 4 -U", "-a -d -t 1 -n 1 -w 1.2", "-a -t 2 -n 1", "-n 1 -x")


def write(folder: Path, form: str) -> Path:
    """The settings and all files of one format; returns the settings."""
    topics = {story["topic"]: story for story in stories()}
    evals = []
    for number, topic in EVALS.items():
        story = topics[topic]
        peers = "".join(_file(folder, "peers", "P", form, topic, s, story["systems"][s]) for s in PEERS)
        models = "".join(
            _file(folder, "models", "M", form, topic, *one) for one in story["references"].items()
        )
        evals.append(
            f'<EVAL ID="{number}">\n<PEER-ROOT>\n{folder}/peers\n</PEER-ROOT>\n<MODEL-ROOT>\n'
            f"{folder}/models\n</MODEL-ROOT>\n"
            f'<INPUT-FORMAT TYPE="{form}">\n</INPUT-FORMAT>\n<PEERS>\n{peers}</PEERS>\n'
            f"<MODELS>\n{models}</MODELS>\n</EVAL>\n"
        )
    settings = folder / "settings.xml"
    settings.write_text(f'<ROUGE-EVAL version="1.5.5">\n{"".join(evals)}</ROUGE-EVAL>\n', encoding="utf-8")
    return settings


def _file(folder: Path, kind: str, tag: str, form: str, topic: str, who: str, text: list[str]) -> str:
    path = folder / kind / f"{topic}.{who}.{form.lower()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(FORMS[form](text).encode())
    return f'<{tag} ID="{who}">{path.name}</{tag}>\n'


def _spl(text: list[str]) -> str:
    """A sentence a line; every third is indented, one line is empty, one has space only."""
    lines = [f"  {line}" if k % 3 == 2 else line for k, line in enumerate(text)]
    return "\n".join([*lines[:1], "", " ", *lines[1:]]) + "\n"


def _see(text: list[str]) -> str:
    """Units as SEE wrote them; the second has an entity, and the last is not closed and goes on."""
    units = [
        f'<a name="{k}">[{k}]</a> <a href="#{k}" id={k}>{line}{" R&amp;D" if k == 2 else ""}</a>'
        for k, line in enumerate(text, 1)
    ]
    units[0] = units[0].replace("<a name", '<a size="9" name')
    units[-1] = units[-1].removesuffix("</a>") + "\nand more that is not seen</a>"
    return "<html>\n<body>\n" + "\n".join(units) + "\n</body>\n</html>\n"


def _isi(text: list[str]) -> str:
    return "<DOC>\n" + "".join(f'<S SNTNO="{k}a">{line}</S>\n' for k, line in enumerate(text, 1)) + "</DOC>\n"


def _simple(text: list[str]) -> str:
    """Pairs of neighbouring words as if one modified the other; some heads have two words, some nothing."""
    made = []
    for k, (first, second) in enumerate(_pairs(text)):
        head = f"{first} {second}" if k % 4 == 0 else second
        made.append(f"{head}|{'NIL' if k % 3 == 0 else first}|{('subj', 'NIL', 'mod')[k % 5 % 3]}")
    return "".join(line + "\n" for line in made)


def _pairs(text: list[str]) -> list[tuple[str, str]]:
    words = re.findall(r"[\w.'-]+", " ".join(text))
    return list(pairwise(words))


FORMS: dict[str, Any] = {"SPL": _spl, "SEE": _see, "ISI": _isi, "SIMPLE": _simple}
