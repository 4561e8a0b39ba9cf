"""What the name of a column says: whose ratings it holds, or that it describes texts and measures nothing.

Columns that differ by a number or a letter alone (human1, human2; coherence_A, coherence_B) hold one measure's scores
by several assessors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby

TOPIC = ("topic", "topic_id", "id", "doc_id", "instance_id", "example_id")
SYSTEM = ("system", "system_id", "model", "model_id", "summarizer_id")
LESS_USUAL: Mapping[str, tuple[str, ...]] = {
    "topic": (
        *TOPIC,
        *("doc", "docs", "docid", "doc_no", "docno", "document_id", "document", "article", "article_id"),
        *("item", "item_id", "itemid", "sample", "sample_id", "example", "instance", "segment", "segment_id"),
        *("seg_id", "story", "story_id", "source_id", "input", "input_id", "prompt_id", "prompt", "query"),
        *(
            "query_id",
            "qid",
            "question_id",
            "dialogue_id",
            "dialog_id",
            "meeting_id",
            "cluster",
            "cluster_id",
        ),
        *("hash", "gem_id", "text_id", "task_id", "page_id", "key", "uid", "index", "idx"),
    ),
    "system": (
        *SYSTEM,
        *("system_name", "model_name", "modelname", "summarizer", "summariser", "summarizer_name", "method"),
        *("approach", "algorithm", "engine", "team", "team_id", "submission", "run", "run_id", "bot", "llm"),
        *("generator", "candidate", "peer", "peer_id", "sys", "sys_id", "architecture"),
    ),
    "assessor": (
        *("assessor", "assessor_id", "annotator", "annotator_id", "annotator_name", "rater", "rater_id"),
        *(
            "worker",
            "worker_id",
            "workerid",
            "evaluator",
            "evaluator_id",
            "coder",
            "coder_id",
        ),
        *("grader", "grader_id", "reviewer", "reviewer_id", "expert", "expert_id"),
        *("turker", "turker_id", "user", "user_id", "participant", "participant_id", "person"),
        *("judged_by", "rated_by", "annotated_by"),
    ),
    "measure": (
        *("measure_name", "metric_name", "criterion", "criteria", "aspect", "dimension", "attribute"),
        *("quality", "question"),
    ),
}
"""Names that count where no usual one stands, if the cells fit."""

_TOKENS = re.compile(r"[^\W\d_]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = " _-.:/()[]#|"

_PEOPLE = {"human", "humans", "person", "people", "expert", "experts", "crowd", "turker", "mturk", "user"} | {
    "participant",
    "volunteer",
    "h",
}
"""Whose ratings: the measure has their name."""
_RATERS = {
    "rater",
    "annotator",
    "assessor",
    "evaluator",
    "coder",
    "grader",
    "scorer",
    "reviewer",
    "worker",
} | {
    "ann",
    "anno",
    "annot",
    "crowdworker",
    "a",
    "r",
}
"""Who rates: the measure is the rating."""
_SHORT = {"h", "a", "r"}  # r1 may be ROUGE-1: of these the numbers must look like ratings
_ROLES = _PEOPLE | _RATERS
_RATINGS = {"rating", "ratings", "rated", "label", "labels", "vote", "answer", "judgment", "judgement"} | {
    "annotation",
    "score",
    "scores",
    "grade",
    "evaluation",
    "eval",
}
ASPECTS = {
    *("coherence", "consistency", "fluency", "relevance", "informativeness", "faithfulness", "overall"),
    *("quality", "adequacy", "grammaticality", "readability", "coverage", "correctness", "factuality"),
    *("accuracy", "completeness", "conciseness", "clarity", "usefulness", "helpfulness", "naturalness"),
    *("redundancy", "focus", "structure", "responsiveness", "content", "linguistic", "style", "preference"),
    *("likert", "importance", "succinctness", "comprehensiveness", "understandability", "engagement"),
}
_SUMS = {
    "mean",
    "avg",
    "average",
    "median",
    "majority",
    "mode",
    "sum",
    "total",
    "std",
    "sd",
    "stdev",
    "var",
} | {
    "variance",
    "agreement",
    "pooled",
    "aggregate",
    "aggregated",
}

_THINGS = {
    *("word", "words", "token", "tokens", "char", "chars", "character", "characters", "letters", "bytes"),
    *("sentence", "sentences", "sent", "sents", "paragraphs", "lines", "syllables", "refs", "references"),
    *("annotators", "raters", "assessors", "judges", "judgments", "ratings", "votes", "docs", "documents"),
}
_COUNTING = {"n", "num", "nr", "no", "number", "count", "counts", "total", "of", "len", "length", "size"}
_OF_TEXTS = {
    "summary",
    "source",
    "input",
    "output",
    "text",
    "doc",
    "document",
    "article",
    "reference",
    "ref",
} | {
    "prompt",
    "completion",
    "response",
    "generated",
    "system",
    "model",
    "target",
}
_IDENTIFYING = {"id", "ids", "uid", "uuid", "idx", "index", "row", "hash", "key"}
_DESCRIBING = _IDENTIFYING | {
    *("year", "month", "day", "date", "timestamp", "datetime", "created", "updated"),
    *("seed", "fold", "split", "batch", "page", "version"),
    *("cost", "costs", "price", "usd", "eur", "dollars", "latency", "runtime", "seconds", "secs", "ms"),
    *("duration", "elapsed", "time", "params", "parameters", "temperature", "age", "len", "length", "size"),
}
_BESIDE = {
    "in",
    "at",
    "per",
    "s",
    "total",
    "avg",
    "mean",
    "publication",
    "pub",
    "wall",
    "clock",
    "api",
    "run",
} | {
    "worker",
    "assignment",
    "hit",
    "task",
    "item",
    "work",
    "max",
    "min",
    "k",
    "m",
    "b",
    "billion",
    "million",
}


def tokens(name: str) -> list[str]:
    """The words and numbers of a name, in lower case: `Annotator A`, `annotator_a` and `annotatorA` have the same."""
    return [token.casefold() for token in _TOKENS.findall(_CAMEL.sub(" ", name))]


def plain(name: str) -> str:
    """A name as lists of usual names have it: `Doc ID` and `doc-id` are `doc_id`."""
    return "_".join(re.split(r"[\s\-.]+", name.strip())).casefold()


def describes(name: str) -> bool:
    """Whether a column of numbers counts, dates, identifies or prices something, and measures no quality."""
    words = [token for token in tokens(name) if not token.isdigit()]
    if not words:
        return False
    if _THINGS & {*words} and {*words} <= _THINGS | _COUNTING | _OF_TEXTS | _BESIDE:
        return True
    return bool(_DESCRIBING & {*words}) and {*words} <= _DESCRIBING | _COUNTING | _OF_TEXTS | _BESIDE


def identifies(name: str) -> bool:
    """Whether a column of numbers says which row, text or task it is."""
    return bool(_IDENTIFYING & {*tokens(name)}) and describes(name)


@dataclass(frozen=True)
class Rating:
    """The column of ratings by people: of which measure, by whom; without an assessor where the name has no number."""

    measure: str
    assessor: str | None


@dataclass(frozen=True)
class PeopleColumns:
    """The columns that hold what people said, and those that sum these up."""

    ratings: Mapping[str, Rating]
    sums: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Parts:
    role: str
    mark: str
    """A number or a letter."""
    rest: tuple[str, ...]
    """What is left, such as an aspect."""
    rating: bool
    """Whether the name says that it is a rating."""


def _parts(name: str) -> _Parts:
    """A name cut into who rates, which of them, and what."""
    words = tokens(name)
    roles = [k for k, word in enumerate(words) if word in _ROLES and not (word in _SHORT and len(words) > 2)]
    marked = [k for k, word in enumerate(words) if (word.isdigit() or len(word) == 1) and k not in roles[:1]]
    after = [k for k in marked if roles and k > roles[0] and {*words[roles[0] + 1 : k]} <= _ROLES | _RATINGS]
    ends = [k for k in marked if k in (0, len(words) - 1)]
    mark = next(iter(after or ends), None)
    told = {*roles, *([] if mark is None else [mark])}
    rest = [word for k, word in enumerate(words) if k not in told]
    if roles:  # "human judge 1"
        rest = [word for word in rest if word != "judge"]
    return _Parts(
        role=words[roles[0]] if roles else "",
        mark="" if mark is None else words[mark],
        rest=tuple(word for word in rest if word not in _RATINGS),
        rating=any(word in _RATINGS for word in rest),
    )


def _assessor(name: str, parts: _Parts) -> str:
    if not parts.role:
        return f"assessor-{parts.mark}"
    if not parts.rest and not parts.rating:
        return name.strip()
    return f"{parts.role}{'' if parts.mark.isdigit() else '-'}{parts.mark}"


def _of_role(role: str) -> str:
    return {"": "rating", "h": "human"}.get(role) or ("rating" if role in _RATERS else role)


def _in_a_row(marks: Sequence[str]) -> bool:
    """Whether marks are 1, 2, 3, ... or 0, 1, 2, ... or A, B, C, ..."""
    if all(mark.isdigit() for mark in marks):
        numbers = sorted(map(int, marks))
        return numbers[0] in (0, 1) and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    return sorted(marks) == [chr(ord("a") + k) for k in range(len(marks))]


def people_columns(names: Sequence[str], rating_like: Collection[str]) -> PeopleColumns:
    """The columns of people's ratings among columns of numbers.

    Known are names for people with a number or a letter, aspects with numbers from 0 or 1, and both together. Names
    that could as well be something else (`r1`, `score_1`) must be `rating_like`, so hold whole numbers.
    """
    by_name = {name: _parts(name) for name in names if not describes(name)}
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, parts in by_name.items():
        if parts.mark and not {*parts.rest} & _SUMS:
            groups.setdefault((parts.role, parts.rest), []).append(name)
    ratings: dict[str, Rating] = {}
    grouped: dict[tuple[str, tuple[str, ...]], str] = {}
    for (role, rest), columns in groups.items():
        marks = [by_name[name].mark for name in columns]
        if len({mark.isdigit() for mark in marks}) > 1 or len({*marks}) < len(marks):
            continue
        sure = role and role not in _SHORT and (not rest or {*rest} <= ASPECTS or len(columns) > 1)
        if not sure:
            aspect = bool(rest) and {*rest} <= ASPECTS
            told = aspect or role in _SHORT or (not rest and by_name[columns[0]].rating)
            if not told or len(columns) < 2 or not _in_a_row(marks) or not {*columns} <= {*rating_like}:
                continue
        grouped[role, rest] = "_".join(rest) or _of_role(role)
        for name in columns:
            ratings[name] = Rating(grouped[role, rest], _assessor(name, by_name[name]))
    twice = {name for name in grouped.values() if list(grouped.values()).count(name) > 1}
    for key, measure in grouped.items():
        if measure in twice and key[0]:
            for name in groups[key]:
                ratings[name] = Rating(f"{key[0]}_{measure}", ratings[name].assessor)
    sums: list[str] = []
    taken = {rating.measure for rating in ratings.values()}
    for name, parts in by_name.items():
        if name in ratings or parts.mark or not parts.role or parts.role in _SHORT:
            continue
        if {*parts.rest} & _SUMS or (not parts.rest and _of_role(parts.role) in taken):
            if taken:
                sums.append(name)
            elif {*parts.rest} <= {"mean", "avg", "average", "median"}:
                ratings[name] = Rating(name.strip(), None)
        elif not parts.rest or {*parts.rest} <= ASPECTS:
            ratings[name] = Rating(name.strip(), None)
    return PeopleColumns(ratings, tuple(sums))


def says_people(measure: str) -> bool:
    """Whether a measure's name says that people gave it: human, expert_coherence."""
    return measure in people_columns([measure], ()).ratings


def named_columns(names: Sequence[str], assessors: Sequence[str], measure: str | None) -> dict[str, Rating]:
    """The columns of the assessors that somebody names: by a column's name or pattern, or by a part of its name.

    `ann` is the column `ann`, or `coherence_ann` and `fluency_ann`. What differs by a number or a letter alone is of
    one measure. An empty mapping for an assessor whom no column names: {name: Rating("", None)} has who it is.
    """
    ratings: dict[str, Rating] = {}
    whole: list[str] = []
    for text in assessors:
        columns = [name for name in names if name == text or fnmatchcase(name, text)]
        whole += columns
        for name in names if not columns else ():
            if (rest := _without(name, text)) is not None:
                ratings[name] = Rating(
                    rest, text if len(text) > 1 and not text.isdigit() else f"assessor-{text}"
                )
                columns.append(name)
        if not columns:
            return {text: Rating("", None)}
    parts = {name: _parts(name) for name in whole}
    of_aspects = len({parts[name].rest for name in whole}) > 1 and all(
        p.mark and p.rest for p in parts.values()
    )
    shared = _shared(list(parts.values()))
    for name in whole:
        if of_aspects:
            ratings[name] = Rating("_".join(parts[name].rest), _assessor(name, parts[name]))
        else:
            bare = not parts[name].role and parts[name].mark and shared == "_".join(parts[name].rest)
            who = f"assessor-{parts[name].mark}" if bare else name.strip()
            ratings[name] = Rating(measure or shared, who)
    return ratings


def _shared(parts: Sequence[_Parts]) -> str:
    """The measure of columns that are of one."""
    rests, roles = {p.rest for p in parts}, {p.role for p in parts}
    if len(rests) == 1 and all(p.mark for p in parts) and (rest := "_".join(next(iter(rests)))):
        return rest
    return _of_role(roles.pop()) if len(roles) == 1 and len(rests) == 1 else "rating"


def _without(name: str, part: str) -> str | None:
    """What is left of a column's name without a part at one of its ends, a sign between them."""
    text = name.strip()
    for rest, joint in ((text.removesuffix(part), -1), (text.removeprefix(part), 0)):
        if rest and rest != text and (rest[joint] in _BETWEEN or part.isdigit()):
            return rest.strip(_BETWEEN) or None
    return None


def in_short(names: Sequence[str]) -> list[str]:
    """Columns for a sentence: of those that are numbered alike, if there are many, the first and the last."""
    if len(names) < 6:
        return list(names)
    runs = [list(run) for _, run in groupby(names, key=lambda name: _parts(name).rest)]
    return [f"{run[0]} to {run[-1]}" if len(run) > 2 else " and ".join(run) for run in runs]
