"""Porter's stemmer in two variants: ROUGE-1.5.5's and NLTK's.

Porter 1980, "An algorithm for suffix stripping", Program 14(3), 130-137. Two departures that Porter made
later, and that both variants have, stand in the tables: `bli` for `abli`, and `logi`.

ROUGE-1.5.5's has two slips in step 4, which matter for the numbers:

- after any other ending, and whether or not that one went, -ment and then -ent are tried as well
  ("element" -> "elem", "governmental" -> "govern"; Porter leaves "element" and "government");
- -sion and -tion come last of all, and so go after another ending has ("professional" -> "profess").

NLTK's default, which rouge-score uses, extends Porter 1980: a dozen irregular words, -ies and -ied that spare a short
stem ("dies" -> "die"), y that changes only after a consonant ("enjoy" stays), two letters such as "us" that count as
short ("used" -> "use"), -alli that goes before the rest of step 2, -fulli, and a -logi whose l counts for the stem
("geology" -> "geolog").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from adjudge.core.errors import FormatError

# What the variants share: kinds of letters, the measure, the steps

Endings = Mapping[str, str]
Test = Callable[[str], bool]

STEP_2: Endings = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
STEP_3: Endings = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
# Without "ion", which asks for an s or t before it.
STEP_4: Endings = dict.fromkeys(
    [
        "al",
        "ance",
        "ence",
        "er",
        "ic",
        "able",
        "ible",
        "ant",
        "ement",
        "ment",
        "ent",
        "ou",
        "ism",
        "ate",
        "iti",
        "ous",
        "ive",
        "ize",
    ],
    "",
)
_LONGEST, _SHORTEST = 7, 2  # of the endings above


class _Kinds(dict[int, str]):
    """Every letter is a consonant but those that are listed."""

    def __missing__(self, letter: int) -> str:
        return "c"


_KINDS = _Kinds({ord("y"): "y", **{ord(vowel): "v" for vowel in "aeiou"}})


def shape(word: str) -> str:
    """The word in c's and v's. A y is a vowel after a consonant, else a consonant; so is a digit."""
    kinds = word.translate(_KINDS)
    if "y" not in kinds:
        return kinds
    settled = ""
    for kind in kinds:
        settled += kind if kind != "y" else "v" if settled[-1:] == "c" else "c"
    return settled


def measure(word: str) -> int:
    """Porter's m: how often a consonant follows a vowel."""
    return shape(word).count("vc")


def has_vowel(word: str) -> bool:
    """Porter's *v*."""
    return "v" in shape(word)


def ends_short(word: str) -> bool:
    """Porter's *o: consonant, vowel, consonant at the end, the last one not w, x or y."""
    return shape(word).endswith("cvc") and word[-1] not in "wxy"


def change_ending(word: str, endings: Endings, more_than: int) -> str:
    """Change the longest ending listed, if what stands before it has a measure above `more_than`.

    Where it has not, no shorter ending is tried.
    """
    for size in range(min(_LONGEST, len(word)), _SHORTEST - 1, -1):
        new = endings.get(word[-size:])
        if new is not None:
            before = word[:-size]
            return before + new if measure(before) > more_than else word
    return word


def drop_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def drop_past(word: str, *, short: Test, twice: str) -> str:
    """Step 1b. A double letter at the end becomes single, unless it is one of `twice`."""
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    if word.endswith("ed"):
        stem = word[:-2]
    elif word.endswith("ing"):
        stem = word[:-3]
    else:
        return word
    return _mend(stem, short, twice) if has_vowel(stem) else word


def _mend(stem: str, short: Test, twice: str) -> str:
    """What step 1b does to the end that -ed or -ing has bared: hopp -> hop, fil -> file."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:-1] == stem[-1] and shape(stem)[-1] == "c":
        return stem if stem[-1] in twice else stem[:-1]
    return stem + "e" if measure(stem) == 1 and short(stem) else stem


def drop_ion(word: str) -> str:
    """Step 4's -sion and -tion, of which the first letter stays."""
    return word[:-3] if word.endswith(("sion", "tion")) and measure(word[:-3]) > 1 else word


def tidy(word: str, *, short: Test) -> str:
    """Steps 5a and 5b: a last e, a last double l."""
    if word.endswith("e"):
        m = measure(word[:-1])
        if m > 1 or (m == 1 and not short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and measure(word) > 1 else word


# ROUGE-1.5.5's variant, and its list of irregular forms

_MENT, _ENT = {"ment": ""}, {"ent": ""}
STEP_4_155 = {ending: new for ending, new in STEP_4.items() if ending not in ("ment", "ent")}

EXCEPTION_FILES = ("adj.exc", "adv.exc", "noun.exc", "verb.exc")
_FOLDERS = (".", "WordNet-2.0-Exceptions", "data/WordNet-2.0-Exceptions")


def stem_155(word: str) -> str:
    """What ROUGE-1.5.5 makes of a word in lower case, irregular forms apart."""
    if len(word) < 3:
        return word
    word = drop_past(drop_plural(word), short=ends_short, twice="lszy")
    if word.endswith("y") and has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = change_ending(change_ending(word, STEP_2, 0), STEP_3, 0)
    word = change_ending(change_ending(word, STEP_4_155, 1), _MENT, 1)
    return tidy(change_ending(word, _ENT, 1) if word.endswith("ent") else drop_ion(word), short=ends_short)


def load_exceptions(folder: str | Path) -> dict[str, str]:
    """Irregular form -> base form, from the WordNet lists in a copy of ROUGE's data folder.

    `folder` holds the four .exc files, or has them in WordNet-2.0-Exceptions or data/WordNet-2.0-Exceptions.
    A line is a form and its base forms, of which the script knows the first. Where a form occurs twice the
    later line counts, files in the order of their names: the script's builder takes them as the file system
    lists them, and this order gives what a published dump of its database has (there "better" is "well").
    """
    place = _exception_folder(Path(folder))
    exceptions: dict[str, str] = {}
    for name in EXCEPTION_FILES:
        exceptions.update(_read_exceptions(place / name))
    return exceptions


def _exception_folder(folder: Path) -> Path:
    for inner in _FOLDERS:
        if any((folder / inner / name).is_file() for name in EXCEPTION_FILES):
            return folder / inner
    database = next(folder.glob("**/*.exc.db"), None) if folder.is_dir() else None
    also = f" ({database.name} alone is not read)" if database else ""
    expected = f"{', '.join(EXCEPTION_FILES)} here or in WordNet-2.0-Exceptions"
    raise FormatError(f"no exception lists, expected {expected}{also}", file=folder)


def _read_exceptions(file: Path) -> dict[str, str]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FormatError("is missing, expected it beside the other exception lists", file=file) from None
    except UnicodeDecodeError:
        raise FormatError("is not text, expected a form and its base form a line", file=file) from None
    exceptions: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match line.split():
            case []:
                continue
            case [form, base, *_]:
                exceptions[form] = base
            case _:
                raise FormatError("one word, expected a form and its base form", file=file, line=number)
    return exceptions


# NLTK's variant

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{
        word: word
        for word in ["sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed"]
    },
}
_STEP_2_NLTK = {**{ending: new for ending, new in STEP_2.items() if ending != "logi"}, "fulli": "ful"}


def stem_nltk(word: str) -> str:
    """What `nltk.stem.PorterStemmer().stem(word)` gives for a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1c_nltk(
        _step_1b_nltk(word[:-1] if len(word) == 4 and word.endswith("ies") else drop_plural(word))
    )
    word = change_ending(_step_2_nltk(word), STEP_3, 0)
    # "ion" ends in none of step 4's endings, so at most one of the two does anything to a word.
    shorter = change_ending(word, STEP_4, 1)
    return tidy(drop_ion(word) if shorter == word else shorter, short=_short_nltk)


def _step_1b_nltk(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return drop_past(word, short=_short_nltk, twice="lsz")


def _step_1c_nltk(word: str) -> str:
    changes = len(word) > 2 and word.endswith("y") and shape(word)[-2] == "c"
    return word[:-1] + "i" if changes else word


def _step_2_nltk(word: str) -> str:
    if word.endswith("alli") and measure(word[:-4]) > 0:
        return _step_2_nltk(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    return change_ending(word, _STEP_2_NLTK, 0)


def _short_nltk(word: str) -> bool:
    return shape(word) == "vc" or ends_short(word)
