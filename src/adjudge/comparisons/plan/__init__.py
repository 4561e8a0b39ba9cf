"""Planning: how many topics or judges it takes to find a difference, from a user's own scores. Power is in stats/."""

from __future__ import annotations

from adjudge.comparisons.plan.judging import Judgments, judgments_of
from adjudge.comparisons.plan.result import JudgePlan, Needs, Plan
from adjudge.comparisons.plan.run import TESTS, plan

__all__ = ["TESTS", "JudgePlan", "Judgments", "Needs", "Plan", "judgments_of", "plan"]
