"""Where the text of a PDF that Chromium printed stands on its pages; enough of the format for that, and no more."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

Matrix = tuple[float, float, float, float, float, float]
_OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_TOKEN = re.compile(
    rb"<<.*?>>|<[0-9A-Fa-f\s]*>|\((?:\\.|[^\\()])*\)|/[^\s/<>\[\]()]+|[-+.\d]+|[A-Za-z'\"*]+|\[|\]", re.DOTALL
)
_SAME: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True)
class Glyph:
    text: str
    x: float
    """In points, from the left edge of the paper."""
    y: float
    size: float


@dataclass(frozen=True)
class PdfPage:
    width: float
    height: float
    glyphs: tuple[Glyph, ...]

    @property
    def text(self) -> str:
        return "".join(g.text for g in self.glyphs)


def read_pdf(data: bytes) -> list[PdfPage]:
    objects = {int(m[1]): m[2] for m in _OBJECT.finditer(data)}
    fonts: dict[int, dict[str, str]] = {}
    return [_page(o, objects, fonts) for o in objects.values() if re.search(rb"/Type /Page\b", o)]


def _page(page: bytes, objects: dict[int, bytes], fonts: dict[int, dict[str, str]]) -> PdfPage:
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page)
    contents = re.search(rb"/Contents (\d+) 0 R", page)
    assert box
    assert contents, "a page without contents"
    found = _drawn(objects[int(contents[1])], page, _SAME, objects, fonts)
    return PdfPage(float(box[1]), float(box[2]), tuple(found))


def _stream(body: bytes) -> bytes:
    head, _, rest = body.partition(b"stream\n")
    raw = rest.rpartition(b"\nendstream")[0]
    return zlib.decompress(raw) if b"/FlateDecode" in head else raw


def _times(m: Matrix, n: Matrix) -> Matrix:
    """First `m`, then `n`."""
    a, b, c, d, e, f = m
    g, h, i, j, k, l = n  # noqa: E741
    return (
        a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l,
    )  # fmt: skip


def _characters(number: int, objects: dict[int, bytes]) -> dict[str, str]:
    """By a glyph's code in hexadecimal, the characters it stands for."""
    named = re.search(rb"/ToUnicode (\d+) 0 R", objects[number])
    if not named:
        return {}
    cmap = _stream(objects[int(named[1])]).decode("latin-1")
    found: dict[str, str] = {}
    for block in re.findall(r"beginbfchar(.*?)endbfchar", cmap, re.DOTALL):
        for code, text in re.findall(r"<(\w+)> <(\w+)>", block):
            found[code.upper()] = bytes.fromhex(text).decode("utf-16-be")
    for block in re.findall(r"beginbfrange(.*?)endbfrange", cmap, re.DOTALL):
        for first, last, text in re.findall(r"<(\w+)> <(\w+)> <(\w+)>", block):
            start = int(text, 16)
            for k in range(int(first, 16), int(last, 16) + 1):
                found[f"{k:0{len(first)}X}"] = chr(start + k - int(first, 16))
    return found


def _drawn(
    body: bytes, resources: bytes, base: Matrix, objects: dict[int, bytes], fonts: dict[int, dict[str, str]]
) -> Iterator[Glyph]:
    names = {name: int(number) for name, number in re.findall(rb"(/\w+) (\d+) 0 R", resources)}
    stack: list[Matrix] = []
    now, line = base, _SAME
    codes: dict[str, str] = {}
    size = 0.0
    held: list[bytes] = []
    for token in _TOKEN.findall(_stream(body)):
        if not re.fullmatch(rb"[A-Za-z'\"*]+", token):
            held.append(token)
            continue
        if token == b"q":
            stack.append(now)
        elif token == b"Q":
            now = stack.pop()
        elif token == b"cm":
            now = _times(_matrix(held), now)
        elif token == b"BT":
            line = _SAME
        elif token == b"Tf":
            number = names[held[-2]]
            if number not in fonts:
                fonts[number] = _characters(number, objects)
            codes = fonts[number]
            size = float(held[-1])
        elif token == b"Tm":
            line = _matrix(held)
        elif token == b"Td":
            line = _times((1, 0, 0, 1, float(held[-2]), float(held[-1])), line)
        elif token in (b"Tj", b"TJ"):
            placed = _times(line, now)
            scale = (placed[0] ** 2 + placed[1] ** 2) ** 0.5
            for string in (h for h in held if h.startswith(b"<")):
                yield Glyph(_decoded(string, codes), placed[4], placed[5], size * scale)
        elif token == b"Do" and b"/Subtype /Form" in objects[names[held[-1]]]:
            form = objects[names[held[-1]]]
            yield from _drawn(form, form.partition(b"stream\n")[0], now, objects, fonts)
        held.clear()


def _matrix(held: list[bytes]) -> Matrix:
    a, b, c, d, e, f = (float(h) for h in held[-6:])
    return a, b, c, d, e, f


def _decoded(string: bytes, codes: dict[str, str]) -> str:
    digits = re.sub(r"\s", "", string.strip(b"<>").decode("ascii")).upper()
    width = len(next(iter(codes), "0000"))
    return "".join(codes.get(digits[k : k + width], "\ufffd") for k in range(0, len(digits), width))
