"""Who judges what, in which order: pages, who may judge them, even shares, blind order, planted repeats."""

from __future__ import annotations

from adjudge.judgments.assign.order import ORDERS, Order
from adjudge.judgments.assign.planning import Assignment, Share, Workload, assign, make_tasks, plan

__all__ = ["ORDERS", "Assignment", "Order", "Share", "Workload", "assign", "make_tasks", "plan"]
