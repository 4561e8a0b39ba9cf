"""adjudge rouge"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.analysis import print_results
from adjudge.cli.line_files import LinesCommand
from adjudge.cli.output import not_over, say, say_signature, show, show_json, warn, worker_count, write_csv
from adjudge.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.compare.several import ComparedMeasures
    from adjudge.analyses.compare.texts import TextScores

COMMAND_CLASS = LinesCommand


def command(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Line files, one for each system: line n is a text, scored against line n of the references."
            " Patterns such as 'system_*.txt' may be in quotes.",
            show_default=False,
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="A line file of references; with --peer, a text. May be repeated, and be a pattern.",
            show_default=False,
        ),
    ] = None,
    peer: Annotated[
        Path | None,
        typer.Option(
            "--peer",
            metavar="FILE",
            help="A file that is one text, in place of line files.",
            show_default=False,
        ),
    ] = None,
    measure: options.Measures = None,
    test: options.Test = None,
    correct: options.Correct = "holm",
    primary: options.Primary = None,
    across: options.Across = "each",
    seed: options.Seed = 0,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show every pair of systems.")] = False,
    sentence_mark: Annotated[
        str | None,
        typer.Option(
            "--sentence-mark",
            metavar="MARK",
            help="What ends a sentence within a line; without it <q> and its like, with none nothing does.",
        ),
    ] = None,
    split_sentences: options.SplitSentences = False,
    encoding: Annotated[
        str, typer.Option("--encoding", metavar="NAME", help="Of files that do not say themselves.")
    ] = "utf-8",
    workers: options.Workers = "1",
    json: options.Json = False,
    show_signature: options.ShowSignature = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
    methods: options.Methods = False,
) -> None:
    """Score files with a text a line by ROUGE, BLEU and their like, without a folder, and compare the systems.

    Without -m it is F of ROUGE-1, 2, L and Lsum as rouge-score gives it, with recall and precision. --csv writes a
    row for every measure, line (as topic) and system, which adjudge compare reads.
    """
    if not reference:
        raise UsageError(f"no --reference: say adjudge rouge {_with_reference(files or [])}")
    if peer is not None and files:
        raise UsageError(
            f"--peer {peer} is one text and {files[0]} a line file: say either --peer FILE or line files"
        )
    if peer is None and not files:
        raise UsageError(
            "nothing to score: say adjudge rouge system.txt --reference references.txt for files with a text a line,"
            " or --peer summary.txt for a file that is one text"
        )
    from adjudge.analyses.compare import Compare
    from adjudge.analyses.compare.texts import text_measures

    Compare(test=test, correct=correct, seed=seed)  # says what is wrong with them before the work starts
    text_measures(measure)
    not_over(csv, *(files or ()), *reference, *([peer] if peer else ()))
    scores: TextScores
    if peer is not None:
        scores = _whole(peer, reference, measure, split_sentences, encoding)
    else:
        peers, references = _aligned(files or [], reference, sentence_mark, encoding)
        scores = adjudge.rouge(
            peers, references, measure, split_sentences=split_sentences, workers=worker_count(workers)
        )
    compared: ComparedMeasures | None = None
    if len(scores.systems) > 1 and len(scores.texts) > 1:
        compared = scores.comparisons(
            test=test, correct=correct, primary=primary, across=across, seed=seed, pairs=pairs
        )
    elif methods:
        raise UsageError("--methods tells how systems were compared: give two line files at least")
    if csv is not None:
        write_csv(scores.texts_frame(), csv)
    if json:
        show_json(scores.as_dict() | {"comparisons": [c.as_dict() for c in compared or ()]})
    elif compared and (latex or markdown or methods):
        print_results([compared], latex=latex, markdown=markdown, methods=methods)
    elif latex or markdown:
        print(scores.to_latex() if latex else scores.to_markdown())
    elif csv is None:
        _show(scores, compared)


def _show(scores: TextScores, compared: ComparedMeasures | None) -> None:
    table = scores.table()
    show(table)
    for line in table.sentences:
        say(line)
    for line in table.notes:
        warn(line)
    if compared is None:
        say_signature(table.signature)
        return
    print()
    print_results([compared])
    for line in scores.corpus_signatures:
        say_signature(line)


# Files


def _with_reference(files: Sequence[str]) -> str:
    """What to type after the command's name by those who gave the references as they gave the systems."""
    *systems, last = files if len(files) > 1 else ("system.txt", "references.txt")
    return f"{shlex.join(systems)} --reference {shlex.quote(last)}"


def _aligned(
    files: Sequence[str], reference: Sequence[str], mark: str | None, encoding: str
) -> tuple[dict[str, list[str]], list[list[str]]]:
    """The lines of every system, and the references of every line."""
    from adjudge.formats.linefiles import (
        REFERENCES,
        SentenceMarks,
        check_aligned,
        expand,
        read_line_file,
        refuse_other_files,
        refuse_two_uses,
        system_names,
    )

    systems, references = expand(files), expand(reference, REFERENCES)
    refuse_two_uses({"system": systems, "reference": references})
    refuse_other_files([*systems, *references])
    texts = {path: read_line_file(path, encoding=encoding) for path in (*systems, *references)}
    check_aligned(
        {path: len(lines) for path, lines in texts.items()},
        [path for path, lines in texts.items() if lines and not lines[-1].strip()],
    )
    if not texts[systems[0]]:
        raise FormatError("the file is empty, expected a text a line", file=systems[0])
    marks = SentenceMarks(mark)
    seen: dict[str, None] = {}
    for path, lines in texts.items():
        for at, line in enumerate(lines):
            lines[at], one = marks.split(line)
            if one is not None:
                seen[one] = None
        texts[path] = lines
    if seen:
        warn(f"{', '.join(seen)} taken as the end of a sentence (--sentence-mark none keeps it)")
    names = system_names(systems)
    answers = [
        list(line_references) for line_references in zip(*(texts[path] for path in references), strict=True)
    ]
    return {names[path]: texts[path] for path in systems}, answers


def _whole(
    peer: Path, reference: Sequence[str], measure: list[str] | None, split_sentences: bool, encoding: str
) -> TextScores:
    """Files that are one text each."""
    from adjudge.formats.linefiles import REFERENCES, expand, read_line_file

    paths = expand(reference, REFERENCES)
    lines = {path: read_line_file(path, encoding=encoding) for path in (peer, *paths)}
    counts = {len(file_lines) for file_lines in lines.values()}
    if len(counts) == 1 and counts.pop() > 1:
        others = " ".join(f"--reference {path}" for path in paths)
        warn(
            f"each file is scored as one text, and all have {len(lines[peer]):,} lines; if line n of one belongs to"
            f" line n of the others, say: adjudge rouge {peer} {others}"
        )
    texts = {path: "\n".join(file_lines) for path, file_lines in lines.items()}
    return adjudge.rouge(
        texts[peer], [texts[path] for path in paths], measure, split_sentences=split_sentences
    )
