"""scores/NAME--HASH.parquet: one file per measure spec, with its signature and what went in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.core.errors import FormatError
from adjudge.core.words import natural
from adjudge.data.former_names import former_name, is_renamed, name_now
from adjudge.data.layout import SCORES, UNSTORED
from adjudge.data.lines import parse_json
from adjudge.data.packed import check_parquet
from adjudge.data.scores import COLUMNS, MeasureInfo, ScoreTable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from adjudge.data.transaction import Transaction

_META = b"adjudge"
_FORMAT = 2
_FIRST_FORMAT = 1
_DIGEST = b"adjudge-digest"
_INPUTS = "inputs"

Origin = Literal["computed", "imported"]


@dataclass(frozen=True)
class ScoreFile:
    """One measure's scores as they lie in the folder.

    `inputs` has, per topic, a digest of what the scores were made from (empty for imported ones), also of topics
    on which the measure has no score;
    `source` names the file that imported ones came from.
    """

    info: MeasureInfo
    table: ScoreTable
    origin: Origin
    inputs: Mapping[str, str]
    source: str | None = None


def file_name(measure: str) -> str:
    """scores/rouge-2--1f3a....parquet: readable, and different for different specs on any system.

    A name that means something else in files of the first form has another file than it had there.
    """
    return _file_name(measure, f"{measure}|{_FORMAT}" if is_renamed(measure) else measure)


def _file_name(measure: str, key: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", measure.lower()).strip("-")[:48] or "measure"
    return f"{SCORES}/{slug}--{blake2b(key.encode(), digest_size=6).hexdigest()}.parquet"


def _former_file(measure: str) -> str | None:
    """Where a file of the first form has the scores of a measure that has another name now."""
    former = former_name(measure)
    return _file_name(former, former) if is_renamed(measure) else None


def path_of(folder: Path, measure: str) -> Path:
    """The file of a measure's scores: where it would be written, or one of the first form that is still there."""
    path, former = folder / file_name(measure), _former_file(measure)
    return folder / former if former and not path.exists() and (folder / former).exists() else path


def stage(change: Transaction, stored: ScoreFile) -> None:
    """Write scores in a change, in place of those that are there."""
    write(change.stage(file_name(stored.info.measure)), stored)
    former = _former_file(stored.info.measure)
    if former and (change.folder / former).exists():
        change.remove(former)


def remove(change: Transaction, measure: str) -> None:
    change.remove(str(path_of(change.folder, measure).relative_to(change.folder)))


def write(path: Path, stored: ScoreFile) -> None:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = stored.table.to_frame()
    if frame["form"].isna().all():  # as files were before there were forms
        frame = frame.drop(columns="form")
    frame[_INPUTS] = pd.array([stored.inputs.get(str(t)) for t in frame["topic"]], dtype="string")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    about = {
        "format": _FORMAT,
        "measure": stored.info.measure,
        "better": stored.info.better,
        "range": stored.info.range,
        "signature": stored.info.signature,
        "origin": stored.origin,
        "source": stored.source,
    }
    scored = set(frame["topic"])
    if bare := {topic: digest for topic, digest in stored.inputs.items() if topic not in scored}:
        about["without_scores"] = bare
    kept = table.schema.metadata or {}
    meta = json.dumps(about).encode()
    pq.write_table(
        table.replace_schema_metadata({**kept, _META: meta, _DIGEST: _digest(table, meta)}),
        path,
        compression="zstd",
        write_page_checksum=True,
    )


def is_score_file(path: Path) -> bool:
    """Whether Adjudge wrote this Parquet file; what is no Parquet file at all is left to `read`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _META in (pq.read_schema(path).metadata or {})
    except UnicodeError:  # a name of a column
        return False
    except (pa.ArrowException, OSError):
        return True


def read(path: Path) -> ScoreFile:
    """The scores of a file; one that is damaged is refused, whichever of its bits changed a value."""
    try:
        return _read(path)
    except Exception as error:  # whatever a damaged part makes pyarrow and pandas raise
        if isinstance(error, FormatError) and error.file is not None:
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"not a score file, or a damaged one ({why}); {_AGAIN}", file=path) from None


def _read(path: Path) -> ScoreFile:
    import pyarrow.parquet as pq

    check_parquet(path)
    table = pq.read_table(path, page_checksum_verification=True)
    table.validate(full=True)  # texts are UTF-8
    metadata = table.schema.metadata or {}
    if _META not in metadata:
        raise FormatError("a Parquet file that Adjudge did not write", file=path)
    about = parse_json(metadata[_META].decode(), path, 1)
    if not isinstance(about, dict):
        raise FormatError(f"not a score file: what is said of it is no object; {_AGAIN}", file=path)
    if about.get("format") not in (_FIRST_FORMAT, _FORMAT):
        raise FormatError(
            f"score format {about.get('format')}, this version reads {_FORMAT}: score again",
            file=path,
        )
    wrong = next((name for name, is_right in _RIGHT.items() if not is_right(about.get(name))), None)
    if wrong is not None:
        raise FormatError(f"not a score file: what is said of its {wrong} cannot be; {_AGAIN}", file=path)
    if _DIGEST in metadata and metadata[_DIGEST] != _digest(table, metadata[_META]):
        raise FormatError(f"damaged: its scores are not those that were written; {_AGAIN}", file=path)
    for name in table.column_names:
        if name in COLUMNS and str(table.schema.field(name).type) not in (*_TYPES.get(name, _TEXTS), "null"):
            raise FormatError(f"its column {name} holds {table.schema.field(name).type}; {_AGAIN}", file=path)
    measure, signature = about["measure"], about["signature"]
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    if {*frame["measure"]} - {measure}:
        raise FormatError(f"not a score file: it holds scores of other measures; {_AGAIN}", file=path)
    if about["format"] == _FIRST_FORMAT and about["origin"] == "computed" and is_renamed(measure):
        former, measure = measure.partition("(")[0], name_now(measure)
        signature = f"{measure.partition('(')[0]}{signature.removeprefix(former)}"
        frame["measure"] = measure
    info = MeasureInfo(measure, about["better"], tuple(about["range"]), signature)
    inputs = frame.drop_duplicates("topic").set_index("topic")[_INPUTS].dropna()
    if "form" not in frame:
        frame["form"] = None
    scores = ScoreTable.from_frame(frame[list(COLUMNS)], [info])
    return ScoreFile(
        info=info,
        table=scores,
        origin=about["origin"],
        inputs={str(topic): str(digest) for topic, digest in inputs.items()}
        | (about.get("without_scores") or {}),
        source=about["source"],
    )


_TEXTS = ("string", "large_string")
_TYPES = {"value": ("double",), "length": ("int64", "double"), "repeat": ("int64",)}
_AGAIN = "remove it, and score or import again"


def _digest(table: pa.Table, about: bytes) -> bytes:
    """Of what a reader gets to see: every value of every column, and what is said about them.

    Checksums of pages do not cover the rest of a Parquet file, which says what the pages are.
    """
    state = blake2b(about, digest_size=16)
    for name in sorted(table.column_names):
        column = table.column(name).combine_chunks()
        state.update(f"\0{name}\0{column.type}\0{len(column)}\0".encode())
        if str(column.type) == "double":
            state.update(column.to_numpy(zero_copy_only=False).tobytes())
            column = column.is_null()
        coded = column.dictionary_encode()
        state.update(coded.indices.fill_null(-1).to_numpy().astype("int64").tobytes())
        state.update(json.dumps(coded.dictionary.to_pylist()).encode())
    return state.hexdigest().encode()


def stored_measures(folder: Path) -> list[str]:
    """The measures that there are scores of, by what their files say of themselves; no score is read."""
    import pyarrow.parquet as pq

    measures = []
    for path in (folder / SCORES).glob("*.parquet"):
        try:
            about = parse_json((pq.read_schema(path).metadata or {})[_META].decode(), path, 1)
            computed = about["origin"] == "computed" and about["format"] == _FIRST_FORMAT
            measures.append(name_now(about["measure"]) if computed else str(about["measure"]))
        except Exception:  # whatever a damaged file makes pyarrow raise: `read` says what is wrong with it
            measures.append(path.name)
    return sorted(measures, key=natural)


def read_all(folder: Path) -> list[ScoreFile]:
    """All stored measures, in the natural order of their names: quality(q=2) before quality(q=10)."""
    files = [read(path) for path in sorted((folder / SCORES).glob("*.parquet"))]
    return sorted(files, key=lambda stored: natural(stored.info.measure))


def find(folder: Path, measure: str) -> ScoreFile | None:
    path = path_of(folder, measure)
    return read(path) if path.exists() else None


# Scores that could not be stored: their digests say what they are good for, so they need no lock


def unstored_file(folder: Path, measure: str) -> Path:
    return folder / UNSTORED / Path(file_name(measure)).name


def keep_unstored(folder: Path, stored: ScoreFile) -> None:
    path = unstored_file(folder, stored.info.measure)
    path.parent.mkdir(exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}.part")
    try:
        write(scratch, stored)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def find_unstored(folder: Path, measure: str) -> ScoreFile | None:
    """Nothing where there is none, or a damaged one: it can be computed again."""
    path = unstored_file(folder, measure)
    try:
        return read(path) if path.exists() else None
    except FormatError:
        return None


def forget_unstored(folder: Path, measure: str) -> None:
    with suppress(OSError):
        unstored_file(folder, measure).unlink(missing_ok=True)
        (folder / UNSTORED).rmdir()  # where it was the last


def _is_range(ends: object) -> bool:
    return isinstance(ends, list) and len(ends) == 2 and all(map(_is_end, ends))


def _is_end(end: object) -> bool:
    return end is None or (isinstance(end, int | float) and not isinstance(end, bool) and abs(end) < 10**300)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name != "" and name.isprintable()


_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "measure": _is_name,
    "better": lambda better: better in (None, "higher", "lower"),
    "range": _is_range,
    "signature": lambda text: isinstance(text, str) and text.isprintable(),
    "origin": lambda origin: origin in get_args(Origin),
    "source": lambda source: source is None or isinstance(source, str),
    "without_scores": lambda bare: (
        bare is None
        or (isinstance(bare, dict) and all(isinstance(text, str) for pair in bare.items() for text in pair))
    ),
}
"""What may be said about the scores of a file."""
