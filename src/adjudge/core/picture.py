"""A result's picture: drawn by Altair, written as SVG, PNG or PDF with the drawn rows beside it as CSV.

Every figure has one frame of rows, which is all that it draws. Colours come from one set of tokens, those of the
report's page: in light, in dark, or as the page's own variables, so that an inlined picture follows the page.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

from adjudge.core.errors import ClashError, DataError, UsageError, nearest, quoted
from adjudge.core.table import frame_to_csv

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

Theme = Literal["light", "dark"]
Width = Literal["column", "page", "slide"]
FORMATS = ("svg", "png", "pdf", "json")
FONT = "Arial, Helvetica, sans-serif"
"""Liberation Sans, which vl-convert brings and measures with, has Arial's widths."""
ROOM = 1.18
"""How much wider text in an SVG may come out than it was measured: DejaVu Sans and Verdana, which a machine without
Arial shows instead, are that much wider."""
_WIDTHS = frozenset(
    ("fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "limit", "labelLimit", "titleLimit")
)
WIDTH = 560
"""Of the drawn field, in pixels, where a figure does not ask for its own."""
WIDTHS: Mapping[Width, int] = {"column": 291, "page": 605, "slide": 640}
"""Of a whole picture, in pixels of 1/96 inch: a column and the text of an ACL paper (7.7 and 16 cm), and a third of a
slide of 1,920 pixels, so that letters are large there."""
FIELDS, HALVINGS = (0.2, 3.0), 7
"""How much wider than usual a drawn field may get, beyond which everything is made smaller or larger; and in how many
steps the right width is found."""
LABEL = 190
"""Pixels that a label on an axis may take; longer ones end in an ellipsis."""
LETTER = 6.6
"""Pixels that a letter of a label takes on average, rather more than less."""
KEY = 30
"""Pixels of a legend's symbol and of the room beside it."""
UNCUT = 10
"""Characters of a text that always fits."""
_UNDRAWN = ("Cc", "Cs", "Zl", "Zp")
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LINE = 92
"""Characters in a line of the words below a title."""
SCALE = 3
"""Pixels of a PNG per pixel drawn: about 290 to the inch."""


# Colours


INK, SOFT, GRID, PAPER = "#1d1d1f", "#6b6b70", "#e2e2de", "#ffffff"
ACCENT, MARK, GOOD, PLAIN = "#2f5d8a", "#b35c00", "#2e7d4f", "#8a8a90"
HEAT = ("#f4f7fa", "#e0e9f2", "#c8d8e8", "#a9c2db", "#85a7c9", "#47729f", "#2f5d8b")
"""Seven steps from little to much, as on the report's page."""
HEAT_INK_LOW, HEAT_INK_HIGH = "#1d1d1e", "#fffffe"
"""Of text on the first five steps, and on the last two."""
SERIES = ("#2f5d8c", "#c96a00", "#2e7d50", "#472493", "#0e94ca", "#6a4209", "#6b6b71")
"""Up to seven series, apart also for people who do not see all colours (a test measures it); give each its own shape
as well."""
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-right")

_TOKENS: Mapping[str, tuple[str, str]] = {
    INK: ("ink", "#ececee"),
    SOFT: ("soft", "#9a9aa2"),
    GRID: ("line", "#323238"),
    PAPER: ("paper", "#1e1e21"),
    ACCENT: ("accent", "#8db8e2"),
    MARK: ("mark", "#f0a95a"),
    GOOD: ("good", "#76c796"),
    PLAIN: ("plain", "#8e8e96"),
    HEAT_INK_LOW: ("heat-low-ink", "#ececed"),
    HEAT_INK_HIGH: ("heat-high-ink", "#151517"),
    **{
        light: (f"heat-{step}", dark)
        for step, (light, dark) in enumerate(
            zip(
                HEAT,
                ("#20262d", "#243241", "#2b4158", "#345370", "#3f658a", "#7aa6d1", "#a4cbf0"),
                strict=True,
            )
        )
    },
    **{
        light: (f"series-{k}", dark)
        for k, (light, dark) in enumerate(
            zip(
                SERIES,
                ("#8db8e3", "#f0a95b", "#76c797", "#a15fd2", "#307892", "#a36c17", "#a9a9b0"),
                strict=True,
            )
        )
    },
}
"""By colour in light, all different: the variable's name on the page, and the colour in dark."""


def heat_step(value: float, low: float, high: float, *, reverse: bool = False) -> int:
    """Which of the seven steps a value is on, from the least to the greatest that is drawn."""
    if high <= low:
        return len(HEAT) // 2
    share = (value - low) / (high - low)
    return min(len(HEAT) - 1, max(0, int((1 - share if reverse else share) * len(HEAT))))


# Figures


@dataclass(frozen=True, repr=False)
class Figure:
    """A picture of a result. `data` has the rows that it draws, and nothing else is drawn."""

    name: str
    """Plain and short; files are called by it: heat, forest, scatter."""
    title: str
    """What is seen: "Coverage by target length"."""
    words: str
    """How to read it, and what it shows, in a sentence or two; stands below the title, and is the text for those
    who do not see the picture."""
    data: pd.DataFrame
    chart: alt.TopLevelMixin
    notes: tuple[str, ...] = ()
    signature: str = ""

    def spec(
        self, *, theme: Theme = "light", title: bool = True, field: float = 1.0, width: float | None = None
    ) -> dict[str, Any]:
        """The drawing in Vega-Lite, with its rows.

        The drawn field is `field` times as wide as usual; the words above it fit a picture of `width` pixels.
        """
        drawing: dict[str, Any] = self.chart.to_dict(validate=False)
        _fit_legends(drawing, self.data)
        drawing["config"] = _config()
        if width is not None:
            _stretch(drawing, field, min(1.0, width / WIDTHS["page"]))
        line, heading = LINE, LINE - 16
        if width is not None:  # words must not be what makes the picture wide
            line, heading = (int((width - KEY) / letter) for letter in (6.8, 10))
        drawing["background"] = PAPER
        drawing["padding"] = 12
        drawing["description"] = f"{self.title}. {self.words}"
        if title:
            drawing["title"] = {
                "text": textwrap.wrap(drawn_text(self.title), heading) or [""],
                "subtitle": textwrap.wrap(drawn_text(self.words), line),
                "anchor": "start",
                "frame": "bounds",
            }
        if theme not in get_args(Theme):
            raise UsageError(f"the theme is {quoted(theme)}, expected light or dark")
        return drawing if theme == "light" else cast(dict[str, Any], _recoloured(drawing))

    def _fitted(
        self, theme: Theme, title: bool, width: Width | None, svg: Callable[[Mapping[str, Any]], str]
    ) -> tuple[dict[str, Any], float]:
        """The drawing with a field so wide that the picture is, and by how much it must be scaled yet."""
        if width is None:
            return self.spec(theme=theme, title=title), 1.0
        if width not in WIDTHS:
            raise UsageError(f"the width is {quoted(width)}, expected {', '.join(WIDTHS)}")
        target = WIDTHS[width]

        def drawn(field: float) -> tuple[dict[str, Any], float]:
            spec = self.spec(theme=theme, title=title, field=field, width=target)
            return spec, float(_SIZE.search(svg(spec))[1])  # type: ignore[index]

        # Labels do not grow with the field, so that it is searched for.
        low, high = FIELDS
        for _ in range(HALVINGS):
            field = (low + high) / 2
            low, high = (field, high) if drawn(field)[1] < target else (low, field)
        spec, wide = drawn(low)
        return spec, target / wide

    def to_svg(self, *, theme: Theme = "light", title: bool = True, width: Width | None = None) -> str:
        spec, scale = self._fitted(theme, title, width, roomy_svg)
        drawn = roomy_svg(spec)
        if width is not None:
            drawn = _SIZE.sub(
                lambda size: f' width="{float(size[1]) * scale:.4g}" height="{float(size[2]) * scale:.4g}"',
                drawn,
                count=1,
            )
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(drawn_text(repr(self)))}" ', 1)

    def to_page(self) -> str:
        """SVG to be inlined in the report, without title or ground, in the page's own colours."""
        text = self.to_svg(title=False)
        text = re.sub(r'<rect width="[^"]*" height="[^"]*" fill="#ffffff"/>', "", text, count=1)
        text = _TAG.sub(lambda tag: _COLOUR.sub(_variable, tag[0]), text)
        return _SIZE.sub(r' style="max-width:\1px"', text, count=1)

    def to_png(
        self, *, theme: Theme = "light", title: bool = True, scale: float = SCALE, width: Width | None = None
    ) -> bytes:
        spec, more = self._fitted(theme, title, width, _plain_svg)
        return _converted("png", spec, scale=scale * more)

    def to_pdf(self, *, theme: Theme = "light", title: bool = False, width: Width | None = None) -> bytes:
        """For a paper, whose caption says what the title would; LaTeX makes it as wide as a column or page."""
        return _converted("pdf", self._fitted(theme, title, width, _plain_svg)[0])

    def to_csv(self) -> str:
        """The drawn rows."""
        return frame_to_csv(self.data)

    def to_frame(self) -> pd.DataFrame:
        return self.data

    def save(
        self,
        path: str | Path,
        *,
        theme: Theme = "light",
        title: bool | None = None,
        width: Width | None = None,
    ) -> list[Path]:
        """Write the picture, and the drawn rows beside it as CSV; the ending says the format. Returns both paths.

        A width is that of a paper's column or page, or of a slide; without one the figure has its own.

        Where it cannot be drawn (`Undrawable`), the rows are written nevertheless.
        """
        path = Path(path)
        kind = format_of(path)
        shown = kind != "pdf" if title is None else title
        texts: dict[str, Callable[[], str | bytes]] = {
            "svg": lambda: self.to_svg(theme=theme, title=shown, width=width),
            "png": lambda: self.to_png(theme=theme, title=shown, width=width),
            "pdf": lambda: self.to_pdf(theme=theme, title=shown, width=width),
            "json": lambda: json.dumps(
                self._fitted(theme, shown, width, _plain_svg)[0], ensure_ascii=False, indent=1
            ),
        }
        beside = path.with_suffix(".csv")
        drawn: str | bytes | Undrawable
        try:
            drawn = texts[kind]()
        except Undrawable as error:
            drawn = error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(drawn, Undrawable):
                path.write_bytes(drawn.encode() if isinstance(drawn, str) else drawn)
            beside.write_text(self.to_csv(), encoding="utf-8", newline="\n")
        except OSError as error:
            raise DataError(f"{path}: cannot be written: {error.strerror}") from None
        if isinstance(drawn, Undrawable):
            raise Undrawable(
                f"{path}: {drawn}; its rows are in {beside}, and a figure that ends in .json (Vega-Lite) needs no such"
                " room"
            )
        return [path, beside]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """In a notebook: the picture, which needs no network."""
        try:
            return {"image/svg+xml": self.to_svg(), "text/plain": repr(self)}
        except Undrawable as error:
            return {"text/plain": f"{self!r} ({error})"}

    def __repr__(self) -> str:
        return f"{self.title}. {self.words}"


_SIZE = re.compile(r' width="([\d.]+)" height="([\d.]+)"')


def _plain_svg(spec: Mapping[str, Any]) -> str:
    return _converted("svg", spec).decode()


def _stretch(drawing: Any, field: float, legends: float, wide: float = WIDTH) -> None:
    """Make drawn fields so much wider, with what stands at a number of pixels from their left, and legends narrower."""
    if isinstance(drawing, list):
        for part in drawing:
            _stretch(part, field, legends, wide)
    elif isinstance(drawing, dict):
        if isinstance(drawing.get("width"), int | float):
            wide = drawing["width"]
            drawing["width"] = wide * field
        elif isinstance(drawing.get("width"), dict) and "step" in drawing["width"]:
            drawing["width"] = {**drawing["width"], "step": drawing["width"]["step"] * field}
        for name in ("continuousWidth", "discreteWidth"):
            if name in drawing:
                drawing[name] *= field
        for name in ("x", "x2"):
            at = drawing.get(name)
            if isinstance(at, dict) and isinstance(at.get("value"), int | float) and at["value"] > wide / 2:
                drawing[name] = {**at, "value": at["value"] + wide * (field - 1)}
        if isinstance(drawing.get("columns"), int) and ("labelLimit" in drawing or "facet" in drawing):
            drawing["columns"] = max(1, int(drawing["columns"] * legends))
        for key, part in drawing.items():
            if key not in ("data", "datasets", "mark"):
                _stretch(part, field, legends, wide)


def _fit_legends(drawing: Any, data: pd.DataFrame) -> None:
    """Give legends whose labels would be cut room for them, in fewer columns, up to the figure's width."""
    if isinstance(drawing, list):
        for part in drawing:
            _fit_legends(part, data)
    elif isinstance(drawing, dict):
        for name in ("color", "shape", "opacity"):
            channel = drawing.get("encoding", {}).get(name, {})
            if channel.get("field") not in data or channel.get("legend", {}) is None:
                continue
            labels = channel.get("scale", {}).get("domain") or data[channel["field"]].dropna().unique()
            wide = min(LETTER * max((len(str(label)) for label in labels), default=0), WIDTH - KEY)
            legend = channel.get("legend", {})
            if wide > legend.get("labelLimit", LABEL):
                channel["legend"] = {
                    **legend,
                    "labelLimit": wide,
                    "columns": max(1, int(WIDTH // (wide + KEY))),
                }
        for key, part in drawing.items():
            if key not in ("data", "datasets", "encoding"):
                _fit_legends(part, data)


class Undrawable(DataError):
    """A picture cannot be drawn in the memory that this process may use."""


_CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import vl_convert
kind, spec, options = json.load(sys.stdin)
drawn = getattr(vl_convert, "vegalite_to_" + kind)(spec, **options)
sys.stdout.buffer.write(drawn.encode() if isinstance(drawn, str) else drawn)
"""


def _converted(kind: str, spec: Mapping[str, Any], **options: Any) -> bytes:
    """A drawing in a format, by vl-convert.

    Its engine (V8) reserves 65 GB of addresses when it starts, far more than it uses, and ends the whole process where
    it does not get them, as under the limits of many clusters (`ulimit -v`). Under a limit it therefore runs in a
    process of its own.
    """
    limit = _memory_limit()
    if limit is None:
        import vl_convert

        drawn = getattr(vl_convert, f"vegalite_to_{kind}")(spec, **options)
        return drawn.encode() if isinstance(drawn, str) else bytes(drawn)
    option, size = limit
    asked = json.dumps([kind, spec, options]).encode()
    done = subprocess.run([sys.executable, "-c", _CHILD], input=asked, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise Undrawable(
            "cannot be drawn, since memory is limited here:"
            f" `ulimit -{option}` says {size >> 10:,} kB, and the program that draws reserves 65 GB of addresses"
        )
    return done.stdout


def _memory_limit() -> tuple[str, int] | None:
    """The shell's letter and the bytes of a limit on the memory of a process; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    for option, kind in (("v", resource.RLIMIT_AS), ("d", resource.RLIMIT_DATA)):
        size, _ = resource.getrlimit(kind)
        if size != resource.RLIM_INFINITY:
            return option, size
    return None


def roomy_svg(spec: Mapping[str, Any]) -> str:
    """A drawing as SVG, laid out for wider letters than it has, since a viewer's font may have those."""
    drawn = _converted("svg", _widened(spec)).decode()
    return re.sub(r'(<text [^>]*font-size=")([\d.]+)px', lambda m: f"{m[1]}{float(m[2]) / ROOM:.4g}px", drawn)


def _widened(value: Any) -> Any:
    """Sizes of text, and how long it may get."""
    if isinstance(value, Mapping):
        return {
            k: v
            if k == "datasets"
            else ROOM * v
            if k in _WIDTHS and isinstance(v, int | float)
            else _widened(v)
            for k, v in value.items()
        }
    return [_widened(part) for part in value] if isinstance(value, list) else value


def format_of(path: Path) -> str:
    """What the ending of a figure's file says, where a figure can be written there."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise UsageError(f"{path}: a figure ends in .svg, .png, .pdf or .json, not in {quoted(path.suffix)}")
    if path.is_dir():
        raise ClashError(f"{path}: is a folder, expected a file or nothing")
    if inside := next((parent for parent in path.parents if parent.exists() and not parent.is_dir()), None):
        raise ClashError(f"{inside}: is a file, expected a folder or nothing")
    return kind


def figure_of(
    name: str,
    title: str,
    words: str,
    data: pd.DataFrame,
    draw: Callable[[alt.Chart], alt.TopLevelMixin],
    *,
    notes: Sequence[str] = (),
    signature: str = "",
) -> Figure:
    """A figure whose layers all draw from `data`: `draw` gets a chart that holds it, and returns the drawing.

    Columns are called by plain words; what is missing becomes null, and text is made fit to be drawn.
    """
    import altair as alt

    rows = [{str(k): _cell(v) for k, v in row.items()} for row in data.to_dict("records")]
    base = alt.Chart(alt.InlineData(values=rows))
    return Figure(name, title, words, data, draw(base), tuple(notes), signature)


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, bool | int | float) else drawn_text(str(value))


def drawn_text(text: str) -> str:
    """Text without what would break a picture: signs that control or turn what follows, and that XML forbids.

    Vega cuts long labels between the two halves of a sign such as an emoji, which nothing can draw: in a long text
    such a sign is drawn as its number.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if unicodedata.category(c) in _UNDRAWN else c for c in text if c not in _TURNING)
    plain = "".join(c if c not in "\ufffe\uffff" else " " for c in kept)
    if len(plain) <= UNCUT:
        return plain
    return "".join(c if ord(c) < 0x10000 else f"[{ord(c):X}]" for c in plain)


_TAG = re.compile(r'<(?:[^">]|"[^"]*")*>')
_COLOUR = re.compile(r'(?<= )(fill|stroke|stop-color)="(#[0-9a-f]{6})"')
_NAMES = frozenset(("values", "domain", "sort", "text", "title", "subtitle", "description", "datum", "field"))
"""Where a drawing has words and names, which may look like a colour."""


def _variable(match: re.Match[str]) -> str:
    attribute, colour = match.groups()
    return f'{attribute}="var(--{_TOKENS[colour][0]})"' if colour in _TOKENS else match[0]


def _recoloured(value: Any) -> Any:
    """The same drawing in dark."""
    if isinstance(value, dict):
        return {
            k: v if k == "datasets" or (k in _NAMES and not isinstance(v, dict)) else _recoloured(v)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [_recoloured(part) for part in value]
    return _TOKENS[value][1] if isinstance(value, str) and value in _TOKENS else value


def _config() -> dict[str, Any]:
    """One style for all figures."""
    labels = {"labelColor": INK, "labelFontSize": 12, "labelLimit": LABEL}
    titles = {"titleColor": SOFT, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "view": {"stroke": None, "continuousWidth": WIDTH, "discreteWidth": WIDTH},
        "title": {
            "color": INK,
            "fontSize": 16,
            "fontWeight": 600,
            "subtitleColor": SOFT,
            "subtitleFontSize": 12,
            "subtitleLineHeight": 16,
            "subtitlePadding": 6,
            "offset": 14,
        },
        "axis": {
            **labels,
            **titles,
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
            "titlePadding": 10,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
        },
        "axisQuantitative": {"tickCount": 6, "labelFlush": False},
        "axisBand": {"grid": False, "labelOverlap": False},
        "header": {**labels, **titles, "titlePadding": 6},
        "legend": {
            **labels,
            **titles,
            "titleLimit": WIDTH,
            "orient": "bottom",
            "symbolSize": 90,
            "offset": 14,
            "columns": 4,
        },
        "text": {"color": INK, "fontSize": 12, "font": FONT},
        "line": {"color": ACCENT, "strokeWidth": 2},
        "rule": {"color": SOFT},
        "point": {"color": ACCENT, "size": 60, "filled": True, "opacity": 1},
        "bar": {"color": ACCENT},
        "rect": {"stroke": PAPER, "strokeWidth": 1},
        "range": {"category": list(SERIES), "heatmap": list(HEAT), "ordinal": list(HEAT)},
    }


# Results that draw themselves


class Pictured:
    """A result with figures: `figure()` draws the first, `figure("forest")` another."""

    FIGURES: ClassVar[Mapping[str, str]] = {}
    """By name: the function that draws it, as `module:function`, imported when something is drawn."""

    def figure(self, kind: str | None = None, **options: Any) -> Figure:
        """A picture of this result: to save, or to look at in a notebook. The options are those of the figure."""
        figures = self.FIGURES
        if not figures:
            raise UsageError(f"{type(self).__name__} has no figure")
        kind = next(iter(figures)) if kind is None else kind
        if kind not in figures:
            raise UsageError(
                f"this result has no figure {quoted(kind)}{nearest(kind, figures)}; it has: {', '.join(figures)}"
            )
        module, _, name = figures[kind].partition(":")
        return cast(Figure, getattr(import_module(module), name)(self, **options))


def in_order(names: Iterable[str]) -> list[str]:
    """A sort order for an axis: the names as they will be drawn, each once, in the order given."""
    return list(dict.fromkeys(drawn_text(name) for name in names))
