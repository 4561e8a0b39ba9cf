"""Who judges what, in which order: pages, who may judge them, even shares, blind order, planted repeats."""

from __future__ import annotations

from adjudge.judgments.assign.order import ORDERS, Order
from adjudge.judgments.assign.plan import Plan, Share, Workload, assign, plan

__all__ = ["ORDERS", "Order", "Plan", "Share", "Workload", "assign", "plan"]
