"""What a reader of scores should know first, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from adjudge.core.errors import nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note
from adjudge.core.words import counted, listed
from adjudge.data.scores import UNSET
from adjudge.formats.scoretable import NO_MEASURE, lower_for
from adjudge.measures.run import own_reference_note


def _out_of_date(measure: str, topics: Sequence[str], folder: str, judged: bool) -> str:
    shown = ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
    of, gone = ("judgments or texts of ", ", or are gone") if judged else ("", "")
    return (
        f"{measure} is out of date: {of}{counted(len(topics), 'topic')} changed since{gone} ({shown});"
        f' run: adjudge score {folder} -m "{measure}"'
    )


def _parts_vary(formula: str, parts: Sequence[str], most: tuple[str, float], least: tuple[str, float]) -> str:
    return (
        f"{formula}: {most[0]} varies {most[1] / least[1]:.1f} times as much as {least[0]} (standard deviations"
        f" {most[1]:.3g} and {least[1]:.3g}); zmean({', '.join(parts)}) gives all the same weight"
    )


def _not_at_length(question: str, length: object, lengths: Collection[int | None]) -> str:
    there = sorted(lengths, key=lambda n: (n is None, n or 0))
    has = ", ".join(UNSET if n is None else str(n) for n in there)
    return f"{question} has no judgments at length {length}; it has: {has}"


def _not_of_form(question: str, form: str, forms: Sequence[str], length: object) -> str:
    where = f" at length {length}" if isinstance(length, int) else ""
    return (
        f"{question} has no judgments of form {quoted(form)}{nearest(form, forms)}{where};"
        f" it has: {', '.join(forms)}"
    )


NOTES: Mapping[str, Callable[..., str]] = {
    "not-at-length": _not_at_length,
    "not-of-form": _not_of_form,
    "out-of-date": _out_of_date,
    "withdrawn-left-out": lambda n: f"{counted(n, 'score')} of withdrawn summaries left out",
    "gone-left-out": lambda n: f"{counted(n, 'score')} of summaries that are no longer there left out",
    "judgments-left-out": lambda text: str(text),
    "about-judgments": lambda text: str(text),
    "about-table": lambda text: str(text),
    "tasks-pooled": lambda single, multi: (
        f"{single:,} single- and {counted(multi, 'multi-document topic')} are pooled:"
        f" {Argument('topics', ['task=multi'])} looks at one"
    ),
    "topics-chosen": lambda choice, n, of: f"{choice}: {n:,} of {of:,}",
    "no-topics": lambda measure, choice: f"{measure} has no scores of {choice}",
    "fewer-references": own_reference_note,
    "assessors-left-out": lambda names, n, of: (
        f"without {listed(names)}: {counted(n, 'score')} of {of:,} left out"
    ),
    "unnamed-kept": lambda n, measure: f"{counted(n, 'score')} of {measure} without an assessor kept",
    "pyramid-stays": lambda measure, names: (
        f"{measure}: what others annotated stays, also where {listed(names)} built the pyramid that it was compared"
        " with"
    ),
    "file-alone": lambda name: f"{name}: only its folder knows kinds, topics, and what is stale or withdrawn",
    "direction-by-name": lambda measures: (
        f"{listed(measures)}: lower is taken as better, by {'its name' if len(measures) == 1 else 'their names'}; if"
        f" higher is, say {lower_for(NO_MEASURE)}"
    ),
    "direction-taken": lambda measures: (
        f"{listed(measures)}: higher is assumed to be better; if lower is, say {lower_for(measures[0])}"
    ),
    "parts-absent": lambda text, absent, taken: (
        f"{text} has no number {listed(absent)} here: {listed(taken)} are taken"
    ),
    "rows-left-out": lambda formula, n, of: (
        f"{formula}: {counted(n, 'row')} of {of:,} without a score of every part left out of the mean of the cell"
    ),
    "parts-vary": _parts_vary,
    "fitted-to-all": lambda names, measure: (
        f"{measure} is fitted to the answers of all assessors together, so that its scores have none:"
        f" {listed(names)} cannot be left out of them"
    ),
    "no-assessors": lambda names, measure: f"{measure} has no assessors: {listed(names)} cannot be left out",
    "nothing-of-theirs": lambda names, measure: (
        f"{listed(names)} {'has' if len(names) == 1 else 'have'} no scores of {measure}: nothing would be left out"
    ),
    "nothing-of-others": lambda names, measure: (
        f"{listed(names)} judged {measure} {'alone' if len(names) == 1 else 'by themselves'}:"
        " nothing is left without them"
    ),
}


def note_text(note: Note) -> str:
    return NOTES[note.code](**note.data)
