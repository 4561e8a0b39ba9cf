"""python -m benchmarks [NAME ...]: runs all benchmarks, or those named."""

from __future__ import annotations

import sys

from benchmarks import (
    assessors,
    importing,
    judges,
    large,
    meta,
    ordinal,
    pairs,
    preference,
    report,
    resampling,
    rouge,
    serve,
    similarity,
    store,
)

ALL = {
    "pairs": pairs.main,
    "resampling": resampling.main,
    "importing": importing.main,
    "large": large.main,
    "rouge": rouge.main,
    "store": store.main,
    "similarity": similarity.main,
    "preference": preference.main,
    "serve": serve.main,
    "assessors": assessors.main,
    "meta": meta.main,
    "ordinal": ordinal.main,
    "judges": judges.main,
    "report": report.main,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are: {', '.join(ALL)}", file=sys.stderr)
        return 2
    for name in names or ALL:
        print(f"== {name}")
        ALL[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
