"""Writes the files of this folder: a pyramid of three references, three peers, and the same with every oddity.

    python tests/formats/data/ducview/make.py [FOLDER]

The texts are invented. The files have DUCView's shape but are not written with Adjudge's own writer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

TOPIC = "D0901.M.100.A"
REFERENCES = {
    "B": [
        "The ferry Kestrel ran aground off Skellö on Sunday night.",
        "All 84 passengers were rescued.",
        "The captain, Åke Lindé, had slept.",
    ],
    "C": [
        "A ferry hit rocks near Skellö.",
        "Nobody was hurt, and 84 people were taken off by helicopter.",
        "Fog was thick.",
    ],
    "D": [
        "Eighty-four people were saved when the Kestrel struck a reef in fog off Skellö.",
        'The mate said "no one" was at the wheel; the owner, AT&T Lines, denies it.',
    ],
}
SCUS = {
    5: ("Nobody steered", {"B": ["had slept", "The captain"], "D": ['"no one" was at the wheel']}),
    1: (
        "The ferry ran aground",
        {
            "B": ["The ferry Kestrel ran aground"],
            "C": ["A ferry hit rocks"],
            "D": ["the Kestrel struck a reef"],
        },
    ),
    2: ("It was off Skellö", {"B": ["off Skellö"], "C": ["near Skellö"], "D": ["off Skellö"]}),
    3: (
        "84 people were saved",
        {
            "B": ["All 84 passengers were rescued"],
            "C": ["84 people were taken off"],
            "D": ["Eighty-four people were saved"],
        },
    ),
    4: ("There was fog", {"C": ["Fog was thick"], "D": ["in fog"]}),
    6: ("It was Sunday night", {"B": ["on Sunday night"]}),
    7: ("Helicopters came", {"C": ["by helicopter"]}),
    8: ("The owner, AT&T Lines, denies it", {"D": ["the owner, AT&T Lines, denies it"]}),
    9: ("Nobody was hurt", {"C": ["Nobody was hurt"]}),
}
PEERS = {
    "17": (
        [
            "The Kestrel ran onto rocks on Sunday night.",
            "The ship was stuck fast.",
            "More than eighty people were brought ashore & fed.",
            'Café owners said "never again".',
        ],
        {
            1: [["The Kestrel ran onto rocks"], ["The ship was stuck fast"]],
            3: [["More than eighty people were brought ashore"]],
            6: [["on Sunday night"]],
            0: [['fed.\nCafé owners said "never again"']],
        },
    ),
    "22": (
        [
            "On Sunday a ferry struck a reef off Skellö in fog, with nobody steering.",
            "All 84 on board were saved, unhurt.",
        ],
        {
            1: [["a ferry struck a reef"]],
            2: [["off Skellö"]],
            3: [["All 84 on board were saved"]],
            4: [["in fog"]],
            5: [["with nobody steering"]],
            6: [["On Sunday"]],
            9: [["unhurt"]],
        },
    ),
    "1": (["Ferries have sailed to the islands since 1871."], {}),
}

RULE = "-" * 16
TEXT = "\n".join(
    line for who, lines in REFERENCES.items() for line in [RULE, f" {TOPIC}.{who}", RULE, "", *lines, ""]
)
REGEX = r"[-]*\n D[0-9]*\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"

TYPE = """\
<!DOCTYPE ROOT [
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>

]>
"""


def escaped(text: str) -> str:
    """As DUCView does: line ends in labels are lost."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    ).replace("\n", "")


def lines(text: str) -> list[str]:
    return [" <text>", *(f"  <line>{escaped(line)}</line>" for line in text.split("\n")), " </text>"]


def contributor(quotes: list[str], text: str, low: int = 0) -> list[str]:
    places = [(text.index(quote, low), quote) for quote in quotes]
    label = escaped("...".join(quote for _, quote in sorted(places)))
    return [
        f'  <contributor label="{label}">',
        *(f'   <part label="{escaped(q)}" start="{at}" end="{at + len(q)}"/>' for at, q in places),
        "  </contributor>",
    ]


def pyramid() -> list[str]:
    result = ["<pyramid>", f"<startDocumentRegEx><![CDATA[{REGEX}]]></startDocumentRegEx>", *lines(TEXT)]
    for uid, (label, said) in SCUS.items():
        comment = ' comment="Really?"' if uid == 5 else ""
        result.append(f' <scu uid="{uid}" label="{escaped(label)}"{comment}>')
        for who, quotes in said.items():
            result += contributor(quotes, TEXT, TEXT.index(f"{TOPIC}.{who}"))
        result.append(" </scu>")
    return [*result, "</pyramid>"]


def annotation(peer: str) -> list[str]:
    words, expressed = PEERS[peer]
    text = "\n".join(words)
    units = sorted(
        ((len(said), uid, label) for uid, (label, said) in SCUS.items()), key=lambda unit: -unit[0]
    )
    labels = {uid: f"({weight}) {label}" for weight, uid, label in units}
    result = ["<annotation>", *lines(text)]
    for uid, label in {**labels, 0: "All non-matching SCUs go here"}.items():
        result.append(f' <peerscu uid="{uid}" label="{escaped(label)}">')
        for quotes in expressed.get(uid, []):
            result += contributor(quotes, text)
        result.append(" </peerscu>")
    return [*result, "</annotation>"]


def document(root: str, body: list[str]) -> str:
    return "\n".join(['<?xml version="1.0"?>', TYPE.replace("ROOT", root), *body, ""])


def pyr() -> str:
    return document("pyramid", pyramid())


def pan(peer: str) -> str:
    return document(
        "peerAnnotation", ["<peerAnnotation>", *pyramid(), *annotation(peer), "</peerAnnotation>"]
    )


def cut(pattern: str, replacement: str, text: str, count: int = 1) -> str:
    """A change that must change something."""
    changed, times = re.subn(pattern, replacement, text, count=count)
    assert times, pattern
    return changed


def shifted(text: str) -> str:
    """The offsets of every part of the pyramid that lies behind the first reference, two too far."""
    head, tail = text.split("<annotation>")
    far = re.sub(
        r'start="(\d+)" end="(\d+)"',
        lambda found: (
            f'start="{int(found[1]) + 2}" end="{int(found[2]) + 2}"' if int(found[1]) > 200 else found[0]
        ),
        head,
    )
    return far + "<annotation>" + tail


def missing(text: str) -> str:
    """Numbers, offsets, labels and parts that are not there."""
    text = cut(r'<scu uid="7"', "<scu", text)
    text = cut(r'(<part label="near Skellö") start="\d+" end="\d+"', r"\1", text)
    text = cut(r'(<part label="All 84 passengers were rescued") start="\d+"', r'\1 start="x"', text)
    text = cut(r'<part label="Fog was thick"', "<part", text)
    return cut(r'(<contributor label="Nobody was hurt">\n) *<part.*?/>\n', r"\1", text)


def unclosed(text: str) -> str:
    """Ends of elements that were lost, in a file with another one too many."""
    text = cut(r"  </contributor>\n </scu>\n( <scu uid=\"2\")", r"\1", text)
    text = cut(r"  </contributor>\n(  <contributor label=\"The ship)", r"\1", text)
    text = cut(r"</line>\n(  <line>All 84)", r"\n\1", text)
    return cut(r"</pyramid>", "</pyramid>\n</text>", text)


def twice(text: str) -> str:
    """A number that two units share, a unit with two contributors of one reference, a peer's unit that stands twice."""
    text = cut(r'<scu uid="9"', '<scu uid="8"', text)
    again = "\n".join(contributor(["Kestrel"], TEXT))
    text = cut(r'( <scu uid="6".*?>\n)', rf"\1{again}\n", text)
    return cut(r"( <peerscu uid=\"6\".*?</peerscu>)", r"\1\n\1", text.replace("\n", "\0")).replace("\0", "\n")


def unknown(text: str) -> str:
    return cut(r'<peerscu uid="6"', '<peerscu uid="66"', text)


def bare(text: str) -> str:
    """Neither a regular expression nor headers."""
    text = cut(r"<startDocumentRegEx>.*?</startDocumentRegEx>\n", "", text)
    return text.replace(RULE, "=" * 2 + "x" * 14).replace(f" {TOPIC}.", " Text no. 0000")


def encoded(encoding: str, declared: str | None = None) -> Callable[[str], bytes]:
    def write(text: str) -> bytes:
        if declared:
            text = text.replace('version="1.0"', f'version="1.0" encoding="{declared}"')
        return text.encode(encoding)

    return write


def stray(text: str) -> bytes:
    """A Windows dash and a control character in a file of UTF-8."""
    raw = text.encode().replace(b"Eighty-four", b"Eighty\x96four")
    return raw.replace(b"Fog was thick", b"Fog\x02was thick")


ODD: dict[str, Callable[[str], str | bytes]] = {
    "latin-1": encoded("latin-1"),
    "declared-latin-1": encoded("latin-1", "ISO-8859-1"),
    "declared-wrongly": encoded("utf-8", "US-ASCII"),
    "utf-16": encoded("utf-16"),
    "byte-order-mark": encoded("utf-8-sig"),
    "stray-bytes": stray,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "no-regex": lambda text: cut(r"<startDocumentRegEx>.*?</startDocumentRegEx>\n", "", text),
    "other-regex": lambda text: cut(r"\[-\]\*", "(?=[-])", text),
    "no-headers": bare,
    "no-type": lambda text: re.sub(r"(?s)<!DOCTYPE.*?\n\]>\n", "", text),
    "shifted": shifted,
    "missing": missing,
    "twice": twice,
    "unknown": unknown,
    "not-escaped": lambda text: text.replace("&amp;", "&").replace("&quot;", '"'),
    "html-entities": lambda text: text.replace("ö", "&ouml;").replace("é", "&eacute;"),
    "unclosed": unclosed,
    "cut-off": lambda text: text[: text.index('label="on Sunday night" start', text.index("<annotation>"))],
    "comments": lambda text: cut(r"( <scu uid=\"1\")", r"<!-- <scu uid='99'> & -->\n\1", text),
}


def write(folder: Path) -> None:
    good = folder / "good"
    good.mkdir(parents=True, exist_ok=True)
    (good / "D0901.pyr").write_bytes(pyr().encode())
    for peer in PEERS:
        (good / f"{TOPIC}.{peer}.pan").write_bytes(pan(peer).encode())
    for name, spoil in ODD.items():
        (folder / name).mkdir(exist_ok=True)
        made = spoil(pan("17"))
        (folder / name / f"{TOPIC}.17.pan").write_bytes(made if isinstance(made, bytes) else made.encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
