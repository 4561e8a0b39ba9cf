"""Rankel's tables: significant pairs among all systems, between humans and machines, and what averages say.

`rankel_tables` makes a `CountsTable`. Nothing is tested here: the tests come from stats/.
"""

from __future__ import annotations

from adjudge.comparisons.rankel.table import CountsTable, rankel_tables

__all__ = ["CountsTable", "rankel_tables"]
