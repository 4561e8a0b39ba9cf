"""What Porter's stemmers share: kinds of letters, the measure, the steps. The variants live in porter155.py
and porter_nltk.py, and nothing else uses this.

Porter 1980, "An algorithm for suffix stripping", Program 14(3), 130-137. Two departures that Porter made
later, and that both variants have, stand in the tables: `bli` for `abli`, and `logi`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
