"""scores/NAME--HASH.parquet: one file per measure spec, with its signature and what went in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudge.data.layout import SCORES
from adjudge.data.scores import COLUMNS, MeasureInfo, ScoreTable
from adjudge.errors import DataError, FormatError

if TYPE_CHECKING:
    import pandas as pd

_META = b"adjudge"
_FORMAT = 1
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
    """scores/rouge-2--1f3a....parquet: readable, and different for different specs on any system."""
    slug = re.sub(r"[^a-z0-9]+", "-", measure.lower()).strip("-")[:48] or "measure"
    return f"{SCORES}/{slug}--{blake2b(measure.encode(), digest_size=6).hexdigest()}.parquet"


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
    pq.write_table(
        table.replace_schema_metadata({**kept, _META: json.dumps(about).encode()}),
        path,
        compression="zstd",
    )


def is_score_file(path: Path) -> bool:
    """Whether Adjudge wrote this Parquet file; what is no Parquet file at all is left to `read`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _META in (pq.read_schema(path).metadata or {})
    except (pa.ArrowException, OSError):
        return True


def read(path: Path) -> ScoreFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(f"not a score file: {str(error).splitlines()[0]}", file=path) from None
    about = _about(path, table.schema.metadata or {})
    info = MeasureInfo(about["measure"], about["better"], tuple(about["range"]), about["signature"])
    frame: pd.DataFrame = table.to_pandas()
    inputs = frame.drop_duplicates("topic").set_index("topic")[_INPUTS].dropna()
    try:
        if "form" not in frame:
            frame["form"] = None
        scores = ScoreTable.from_frame(frame[list(COLUMNS)], [info])
    except (KeyError, DataError) as error:
        raise FormatError(f"not a score file: {error}", file=path) from None
    return ScoreFile(
        info=info,
        table=scores,
        origin=about["origin"],
        inputs={str(topic): str(digest) for topic, digest in inputs.items()}
        | about.get("without_scores", {}),
        source=about["source"],
    )


def read_all(folder: Path) -> list[ScoreFile]:
    """All stored measures, in the order of their names."""
    found = [read(path) for path in sorted((folder / SCORES).glob("*.parquet"))]
    return sorted(found, key=lambda stored: stored.info.measure)


def find(folder: Path, measure: str) -> ScoreFile | None:
    path = folder / file_name(measure)
    return read(path) if path.exists() else None


def _about(path: Path, metadata: Mapping[bytes, bytes]) -> Any:
    if _META not in metadata:
        raise FormatError("a Parquet file that Adjudge did not write", file=path)
    about = json.loads(metadata[_META])
    if about.get("format") != _FORMAT:
        raise FormatError(
            f"score format {about.get('format')}, this version reads {_FORMAT}: score again",
            file=path,
        )
    return about
