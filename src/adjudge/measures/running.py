"""Runs measures over topics, writes scores/, knows what is stale. Measures themselves read no files.

batches   what measures are given, and what scores depend on
run       scores what is new or changed
stored    reads scores back
"""

from __future__ import annotations

from adjudge.measures.batches import Judgments, batch_of
from adjudge.measures.run import Scored, score
from adjudge.measures.stored import StoredTable, load_scores, resolve

__all__ = ["Judgments", "Scored", "StoredTable", "batch_of", "load_scores", "resolve", "score"]
