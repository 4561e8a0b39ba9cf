"""The Porter stemmer of ROUGE-1.5.5, and its list of irregular forms. Which words are stemmed: stem.py.

The script's stemmer is Porter's with two slips in step 4, which matter for the numbers:

- after any other ending, and whether or not that one went, -ment and then -ent are tried as well
  ("element" -> "elem", "governmental" -> "govern"; Porter leaves "element" and "government");
- -sion and -tion come last of all, and so go after another ending has ("professional" -> "profess").

The rest is Porter 1980 with his later -bli and -logi rules.
"""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import FormatError
from adjudge.text.stemmers.porter import (
    STEP_2,
    STEP_3,
    STEP_4,
    change_ending,
    drop_ion,
    drop_past,
    drop_plural,
    ends_short,
    has_vowel,
    tidy,
)

_MENT, _ENT = {"ment": ""}, {"ent": ""}
_STEP_4 = {ending: new for ending, new in STEP_4.items() if ending not in ("ment", "ent")}

EXCEPTION_FILES = ("adj.exc", "adv.exc", "noun.exc", "verb.exc")
_FOLDERS = (".", "WordNet-2.0-Exceptions", "data/WordNet-2.0-Exceptions")


def stem(word: str) -> str:
    """What the script makes of a word in lower case, irregular forms apart."""
    if len(word) < 3:
        return word
    word = drop_past(drop_plural(word), short=ends_short, twice="lszy")
    if word.endswith("y") and has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = change_ending(change_ending(word, STEP_2, 0), STEP_3, 0)
    return tidy(_step_4(word), short=ends_short)


def _step_4(word: str) -> str:
    word = change_ending(change_ending(word, _STEP_4, 1), _MENT, 1)
    return change_ending(word, _ENT, 1) if word.endswith("ent") else drop_ion(word)


def load_exceptions(folder: str | Path) -> dict[str, str]:
    """Irregular form -> base form, from the WordNet lists in a copy of ROUGE's data folder.

    `folder` holds the four .exc files, or has them in WordNet-2.0-Exceptions or data/WordNet-2.0-Exceptions.
    A line is a form and its base forms, of which the script knows the first. Where a form occurs twice the
    later line counts, files in the order of their names: the script's builder takes them as the file system
    lists them, and this order gives what a published dump of its database has (there "better" is "well").
    """
    found = _exception_folder(Path(folder))
    exceptions: dict[str, str] = {}
    for name in EXCEPTION_FILES:
        exceptions.update(_read_exceptions(found / name))
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
