"""DUCView's files as a tree of elements: XML where they are, and as much as can be kept where they are not.

Nothing is declared or expanded: a document type is skipped, and a file that declares entities is refused.
What the elements mean lives in ducview_model.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5
from xml.parsers import expat

NOT_WELL_FORMED = "file that is not well-formed XML: what can be read of it is kept"
CONTROL = "characters that XML does not allow, replaced by U+FFFD each"
UNCLOSED = "element that does not end: closed where its parent goes on"
UNOPENED = "end of an element that did not begin"
STRAY = "element in a place where it means nothing: left out"
CUT_OFF = "tag that does not end: kept as far as it goes"

LEVELS = {
    "peerannotation": 0,
    "pyramid": 1,
    "annotation": 1,
    "startdocumentregex": 2,
    "text": 2,
    "scu": 2,
    "peerscu": 2,
    "line": 3,
    "contributor": 3,
    "part": 4,
}
_HOLDS_TEXT = ("line", "startdocumentregex")

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ROOT = re.compile(r"<(?:peerAnnotation|pyramid)[\s/>]", re.IGNORECASE)
_ENTITY_DECLARED = re.compile(r"<!ENTITY", re.IGNORECASE)
_TAG = re.compile(rf"<(/?)({'|'.join(LEVELS)})(?=[\s/>])", re.IGNORECASE)
_AFTER_TEXT = re.compile(  # in a text, words such as "<part of it>" are no tags
    rf"</(?:{'|'.join(LEVELS)})\s{{0,20}}>|<(?:line|text)>|<(?:peer)?scu\s{{1,20}}uid\b", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""(?:^|\s)(uid|label|comment|start|end)\s{0,20}=\s{0,20}(["'])""", re.IGNORECASE)
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


class DeclaresEntities(ValueError):
    """The file declares entities: it is not one of DUCView's, and may blow up whoever expands them."""


@dataclass(slots=True)
class Node:
    """An element: its name in lower case, its attributes, its own text, and the line it begins on."""

    name: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Node]:
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> Node | None:
        return next(self.all(name), None)


@dataclass(slots=True)
class Notes:
    """What was odd in a file, by line."""

    found: list[tuple[int, str]] = field(default_factory=list)

    def __call__(self, line: int, reason: str) -> None:
        self.found.append((line, reason))


def parse(text: str, note: Notes) -> Node:
    """The tree of a file. The node it returns stands above the file's own."""
    body = _without_prolog(text)
    if strange := _ILLEGAL.search(body):
        note(body.count("\n", 0, strange.start()) + 1, CONTROL)
    clean = _ILLEGAL.sub("\ufffd", body)  # one for one: offsets count characters
    try:
        return _strict(clean)
    except expat.ExpatError as error:
        note(error.lineno, NOT_WELL_FORMED)
        return _Tolerant(_without_comments(clean), note).run()


def _without_prolog(text: str) -> str:
    """The text from its first element on; what stands before is blank, so that lines keep their numbers."""
    found = _ROOT.search(text)
    begin = found.start() if found else 0
    if _ENTITY_DECLARED.search(text[:begin] if found else text):
        raise DeclaresEntities
    return "\n" * text.count("\n", 0, begin) + text[begin:]


# Well-formed files


def _strict(text: str) -> Node:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Node("", 1)
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = Node(name.lower(), parser.CurrentLineNumber, attributes)
        stack[-1].children.append(node)
        stack.append(node)

    def characters(data: str) -> None:
        stack[-1].text += data

    def end(name: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.Parse(text, True)
    return top


# All others


class _Tolerant:
    """Goes from tag to tag of those it knows. What stands between two tags belongs to the first of them."""

    def __init__(self, text: str, note: Notes) -> None:
        self._text, self._note = text, note
        self._top = Node("", 1)
        self._stack = [self._top]
        self._counted_to, self._line = 0, 1

    def run(self) -> Node:
        found = _TAG.search(self._text)
        while found:
            name, line = found[2].lower(), self._line_at(found.start())
            in_text = name in _HOLDS_TEXT and not found[1]
            following = (_AFTER_TEXT if in_text else _TAG).search(self._text, found.end())
            end = following.start() if following else len(self._text)
            if found[1]:
                self._close(name, line)
            else:
                ended = following is not None and following[0].startswith("</")
                self._open(name, line, self._text[found.end() : end], ended)
            found = _TAG.match(self._text, end)
        for node in self._stack[1:]:
            self._note(node.line, UNCLOSED)
        return self._top

    def _line_at(self, position: int) -> int:
        self._line += self._text.count("\n", self._counted_to, position)
        self._counted_to = position
        return self._line

    def _close(self, name: str, line: int) -> None:
        if all(node.name != name for node in self._stack):
            self._note(line, UNOPENED)
            return
        while (node := self._stack.pop()).name != name:
            self._note(node.line, UNCLOSED)

    def _open(self, name: str, line: int, between: str, ended: bool) -> None:
        while self._stack[-1].name and LEVELS[self._stack[-1].name] >= LEVELS[name]:
            self._note(self._stack.pop().line, UNCLOSED)
        if name in _HOLDS_TEXT:
            _, _, inside = between.partition(">")
            node, closed = Node(name, line, text=_content(inside if ended else inside.rstrip())), False
        else:
            tag = between.rstrip()
            if not tag.endswith(">"):
                self._note(line, CUT_OFF)
            tag = tag.removesuffix(">")
            node, closed = Node(name, line, _attributes(tag)), tag.endswith("/")
        parent = self._parent(name, line)
        if parent is None:
            self._note(line, STRAY)
            return
        parent.children.append(node)
        if not closed:
            self._stack.append(node)

    def _parent(self, name: str, line: int) -> Node | None:
        """The element that this one belongs to; one that was lost is put in its place."""
        here = self._stack[-1]
        match name:
            case "part" if here.name in ("scu", "peerscu"):
                return self._implied("contributor", line)
            case "part":
                return here if here.name == "contributor" else None
            case "contributor":
                return here if here.name in ("scu", "peerscu") else None
            case "line":
                return here if here.name == "text" else None
            case "scu" | "startdocumentregex" if here.name != "pyramid":
                return self._implied("pyramid", line)
            case "peerscu" if here.name != "annotation":
                return self._implied("annotation", line)
            case "text" if here.name not in ("pyramid", "annotation"):
                return self._implied("annotation" if here.first("pyramid") else "pyramid", line)
        return here

    def _implied(self, name: str, line: int) -> Node:
        """An element whose begin was lost. One of that name that ended too early goes on."""
        while self._stack[-1].name and LEVELS[self._stack[-1].name] >= LEVELS[name]:
            self._stack.pop()
        earlier = list(self._stack[-1].all(name)) if LEVELS[name] == 1 else []
        node = earlier[-1] if earlier else Node(name, line)
        if not earlier:
            self._stack[-1].children.append(node)
        self._stack.append(node)
        return node


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag. A value ends at the last quote before the next attribute: it may hold quotes itself."""
    found = list(_ATTRIBUTE.finditer(tag))
    values: dict[str, str] = {}
    for number, each in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(tag)
        raw = tag[each.end() : end]
        quote = raw.rfind(each[2])
        values.setdefault(each[1].lower(), _characters(raw[:quote] if quote >= 0 else raw).replace("\n", " "))
    return values


def _content(text: str) -> str:
    """The characters of an element's text: entities are resolved, CDATA is taken as it stands."""
    result = []
    while text:
        plain, marked, text = text.partition(_CDATA)
        result.append(_characters(plain))
        if marked:
            inside, _, text = text.partition(_CDATA_END)
            result.append(inside)
    return "".join(result)


def _characters(text: str) -> str:
    """Entities as characters. Those that nobody knows stay as they are, and so does an & that begins none."""

    def replace(found: re.Match[str]) -> str:
        name = found[1]
        known = name.startswith("#") or f"{name};" in html5
        return _ILLEGAL.sub("\ufffd", unescape(found[0])) or "\ufffd" if known else found[0]

    return _ENTITY.sub(replace, text)


def _without_comments(text: str) -> str:
    """Comments replaced by the line ends in them."""
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + 3
    return "".join([*kept, text[at:]])
