"""The report: frozen comparisons in, one HTML page and its tables out. Computes nothing statistical.

`build_page` decides what is shown and how it is worded, `render` prints it, `write_report` puts it on disk.
"""

from __future__ import annotations

from adjudge.reports.page import Page, build_page
from adjudge.reports.render import render, write_report

__all__ = ["Page", "build_page", "render", "write_report"]
