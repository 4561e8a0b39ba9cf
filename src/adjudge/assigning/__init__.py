"""Who judges what, in which order: pages, who may judge them, even shares, blind order, planted repeats."""

from __future__ import annotations

from adjudge.assigning.order import ORDERS, Order
from adjudge.assigning.plan import plan
from adjudge.assigning.result import Plan, Share, Workload
from adjudge.assigning.staff import assign

__all__ = ["ORDERS", "Order", "Plan", "Share", "Workload", "assign", "plan"]
