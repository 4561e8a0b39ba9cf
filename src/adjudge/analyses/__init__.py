"""Scores and judgments in, conclusions out: a folder per analysis."""
