"""Writes docs/figures.md and its pictures: every figure of the catalogue, drawn from the demo as its example says.

python tools/figures_page.py [EVALUATION]

Without an evaluation the one that the tests draw from is made first (tools/figures_evaluation.py).
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # where this is run as a script

from tools.figures_evaluation import EVALUATION, LINES, adjudge, fill  # noqa: E402

from adjudge.core.picture import roomy_svg  # noqa: E402

if TYPE_CHECKING:
    from adjudge.analyses.catalogue.spec import FigureSpec

PAGE = ROOT / "docs" / "figures.md"
PICTURES = ROOT / "docs" / "figures"
LARGEST = 150_000
"""Bytes of a picture in the documentation."""

HEAD = """# Figures

{count} of results, with the drawn rows beside each as CSV. Where a paper has such a figure, it is named.

    adjudge figure                                                         # which there are
    adjudge figure forest my-eval -m rouge-2 --length 100 -o forest.svg    # one, and forest.csv with the drawn rows
    adjudge figure all my-eval -o figures                                  # every one that there is data for

`figure all`, and a folder for a paper, leave out [measure-groups](#measure-groups) of more than 12 measures, as every
two are tested; by its name it is drawn.

- **Formats.** The ending says it: `.svg` for pages, `.png` for slides (288 pixels to the inch), `.pdf` for papers,
  `.json` for the drawing in Vega-Lite, to change by hand.
- **For a paper.** A PDF has no title and no words, since the caption says them; `--no-title` leaves them out
  elsewhere.
- **Width.** `--width column` is as wide as a column of an ACL paper (7.7 cm), `page` as its text (16 cm), `slide` a
  third of a slide of 1,920 pixels, so that a PNG fills it with large letters. Letters keep their size: the drawn field
  gets narrower or wider, and panels stand below each other in a column. LaTeX makes a PDF fit:
  `\\includegraphics[width=\\columnwidth]`.
- **Dark.** `--dark` draws for a dark page or slide. The pictures below are the light ones.
- **The rows.** The CSV holds what is drawn, with full precision; what a spreadsheet would read as a formula begins
  with an apostrophe.
- **Little memory.** Where a cluster limits addresses (`ulimit -v`), the program that draws, which reserves 65 GB of
  them, cannot start: a line says so, the rows are written, and `.json` works. A report has a note for each figure.
- **Colours** are those of the report. Text has a contrast of 4.5 or more in light and dark, and series differ in shape
  as well as in colour.
- **In Python** every result draws itself (`result.figure()`, `result.figure("forest")`), and `adjudge.figure` draws by
  name. A figure has `.save(path)`, `.to_svg()`, `.to_png()`, `.to_pdf()`, `.to_csv()`, its rows in `.data` and its
  Altair chart in `.chart`; in a notebook it shows itself, without network.

The evaluation below is the demo:

{made}

`python tools/figures_page.py` made this page.
"""


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of the page: what the catalogue says of it, what it says of itself, and its picture."""

    spec: FigureSpec
    title: str
    words: str
    picture: str


def command_of(spec: FigureSpec) -> str:
    return f"adjudge figure {spec.name} {EVALUATION} {spec.example}".rstrip() + f" -o {spec.name}.svg"


def python_of(spec: FigureSpec) -> str:
    """The same call in Python, from the options of the example."""
    options: dict[str, list[str]] = {}
    words = shlex.split(spec.example)
    for flag, value in zip(words[::2], words[1::2], strict=True):
        options.setdefault(OPTIONS[flag], []).append(value)
    given = [f'"{EVALUATION}"', f'"{spec.name}"']
    for name, values in options.items():
        shown = [v if name in ("length", "seed") and v.isdigit() else f'"{v}"' for v in values]
        text = shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
        given.append(text if name == "measures" else f"{name}={text}")
    return f"adjudge.figure({', '.join(given)})"


OPTIONS = {
    "-m": "measures",
    "--measure": "measures",
    "--length": "length",
    "--form": "form",
    "--order": "order",
    "--against": "against",
    "--people": "people",
    "--level": "level",
    "--judge": "judge",
    "--topic": "topic",
    "--by": "by",
    "--seed": "seed",
}
"""Options of `adjudge figure` by the argument of `adjudge.figure` that they are."""


def draw(folder: Path, spec: FigureSpec, pictures: Path) -> DrawnFigure:
    """Draw a figure as its example says."""
    drawing = pictures / f"{spec.name}.json"
    said = adjudge(
        folder, "figure", spec.name, EVALUATION, *shlex.split(spec.example), "-o", str(drawing), "--json"
    )
    found = json.loads(drawing.read_text(encoding="utf-8"))
    found["config"]["aria"] = False  # the page has an image with a text; marks' own descriptions are not read
    drawing.unlink()
    drawing.with_suffix(".csv").unlink()
    path = pictures / f"{spec.name}.svg"
    picture = roomy_svg(found).encode()
    if len(picture) > LARGEST:
        raise SystemExit(f"{path.name} has {len(picture):,} bytes, more than {LARGEST:,}")
    path.write_bytes(picture)
    told = json.loads(said)
    return DrawnFigure(spec, told["title"], told["words"], f"{pictures.name}/{path.name}")


def page_of(figures: Iterable[DrawnFigure]) -> str:
    figures = list(figures)
    count = "One figure" if len(figures) == 1 else f"{len(figures)} figures"
    parts = [HEAD.format(count=count, made="\n".join(f"    adjudge {line}" for line in LINES))]
    for each in figures:
        after = f" After {each.spec.after}." if each.spec.after else ""
        parts.append(
            f"## {each.spec.name}\n\n{each.spec.about}{after}\n\n    {command_of(each.spec)}\n\n"
            f"![{_plain(each.title)}]({each.picture})\n\n> {_plain(each.words)}\n\n"
            f"In Python: `{python_of(each.spec)}`\n"
        )
    return "\n".join(parts)


def _plain(text: str) -> str:
    """Text in Markdown as it is."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>" else c for c in text)


def main(evaluation: Path | None = None) -> None:
    from adjudge.analyses.catalogue.catalogue import CATALOGUE

    with tempfile.TemporaryDirectory() as scratch:
        folder = evaluation.resolve().parent if evaluation else fill(Path(scratch)).parent
        if evaluation and evaluation.name != EVALUATION:
            raise SystemExit(f"{evaluation}: expected a folder named {EVALUATION}, as the page calls it")
        shutil.rmtree(PICTURES, ignore_errors=True)
        PICTURES.mkdir()
        drawn = [draw(folder, spec, PICTURES) for spec in CATALOGUE.values()]
    PAGE.write_text(page_of(drawn), encoding="utf-8", newline="\n")
    size = sum(p.stat().st_size for p in PICTURES.iterdir())
    print(f"{PAGE.relative_to(ROOT)}: {len(drawn)} figures, {size / 1024:,.0f} KiB of pictures")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
