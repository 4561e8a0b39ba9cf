"""Who judges what, in which order: pages, who may judge them, even shares, blind order, planted repeats."""

from __future__ import annotations

from adjudge.judgments.assign.order import ORDERS, Order
from adjudge.judgments.assign.plan import plan
from adjudge.judgments.assign.result import Plan, Share, Workload
from adjudge.judgments.assign.staff import assign

__all__ = ["ORDERS", "Order", "Plan", "Share", "Workload", "assign", "plan"]
